"""``hupo settings [KEY [VALUE]]``: through the host where one runs, else in the file itself."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from app import paths
from app.ipc.client import Client, HostUnreachable
from app.terminal import Terminal
from engine import Settings
from engine.config.parameters import BY_KEY
from engine.errors import InvalidArgument


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """List, show, set or reset."""
    if options.key is not None and options.key not in BY_KEY:
        raise InvalidArgument(field=options.key, reason="unknown_parameter")
    method, params = _request(options)
    try:
        with Client(options.data, "control") as client:
            found = client.request(method, params)
    except HostUnreachable:
        found = _in_file(options.data, method, params)
    if method == "settings.list":
        terminal.result(found, "\n".join(f"{key} = {_shown(value)}" for key, value in found.items()))
    else:
        terminal.result(found, f"{found['key']} = {_shown(found['value'])}")
    return 0


def _request(options: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    if options.key is None:
        return "settings.list", {}
    if options.reset:
        return "settings.reset", {"key": options.key}
    if options.value is not None:
        return "settings.set", {"key": options.key, "value": options.value}
    return "settings.get", {"key": options.key}


def _in_file(data: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
    settings = Settings(Path(paths.settings_file(data)))
    if method == "settings.list":
        return {key: settings[key] for key in BY_KEY}
    key = params["key"]
    if method != "settings.get":
        paths.ensure_private(data)
    if method == "settings.set":
        return {"key": key, "value": settings.set(key, params["value"])}
    if method == "settings.reset":
        return {"key": key, "value": settings.reset(key)}
    return {"key": key, "value": settings[key]}


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
