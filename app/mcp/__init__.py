"""The MCP face: sessions of the protocol, the tools of each profile, and their words. Imports nothing by itself."""
