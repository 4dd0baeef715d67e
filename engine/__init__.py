"""Hupo's memory engine: a library of its own, free of Qt and MCP. ``Service`` is how everything else uses it.

The public names load on first use, so that reading a setting or an error code does not load numpy and SQLite.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.config import Settings
    from engine.errors import HupoError
    from engine.service import Service
    from engine.text import tokens

__all__ = ["HupoError", "Service", "Settings", "tokens"]

_PLACES = {"HupoError": "engine.errors", "Service": "engine.service", "Settings": "engine.config"}


def __getattr__(name: str) -> Any:
    if name == "tokens":
        return import_module("engine.text.tokens")
    if name not in _PLACES:
        raise AttributeError(f"module 'engine' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)
