"""Parameters: the table of what can be set, and the store of what is set."""

from engine.config.parameters import BY_KEY, GROUPS, TABLE, Parameter
from engine.config.store import Settings, Values

__all__ = ["BY_KEY", "GROUPS", "TABLE", "Parameter", "Settings", "Values"]
