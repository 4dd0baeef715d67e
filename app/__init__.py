"""Hupo's application layer: processes, local socket, MCP face, command line. The only layer that may import gui.

Importing this package must stay free of work: the shim passes through here on every start.
"""

__version__ = "0.1.0"
