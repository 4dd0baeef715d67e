"""``hupo remember``, ``recall`` and ``forget``: the core tools, called as any MCP client calls them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from typing import Any

from app.commands import temporary
from app.ipc.client import Client
from app.terminal import Terminal


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Call the tool through the running host, or through one for this call."""
    tool, arguments = _call(options)
    with temporary.host(options.data, terminal), Client(options.data, "mcp", name="hupo-cli") as client:
        found = client.tool(tool, arguments)
    terminal.result(found, _text(options.command, found))
    return 0


def _call(options: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    if options.command == "remember":
        given = {
            "content": _content(options.text),
            "layer": options.layer,
            "importance": options.importance,
            "tags": [_text_of([tag]) for tag in options.tag] or None,
            "scope": _text_of([options.scope]) if options.scope else None,
            "pinned": options.pin or None,
        }
        return "memorize", {name: value for name, value in given.items() if value is not None}
    if options.command == "recall":
        scope = {"scope": _text_of([options.scope])} if options.scope else {}
        return "recall", {"query": _text_of(options.query), "k": options.k, **scope}
    if options.erase:
        return "forget_memory", {"id": options.id, "erase": True, "confirm": True}
    return "forget_memory", {"id": options.id}


def _content(words: list[str]) -> str:
    if words == ["-"]:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    return _text_of(words)


def _text_of(words: list[str]) -> str:
    """The words as typed. Under a locale that knows no such characters Python hands their bytes through: UTF-8."""
    text = " ".join(words)
    if any("\ud800" <= character <= "\udfff" for character in text):
        return os.fsencode(text).decode("utf-8", "replace")
    return text


def _text(command: str, found: Mapping[str, Any]) -> str:
    if command == "remember":
        return f"{found['outcome']} {found['id']}"
    if command == "forget":
        return f"{found['outcome']} {' '.join(str(one) for one in found['ids'])}"
    rows = [f"{one['id']}\t{one['score']:.3f}\t{one['when'][:10]}\t{one['text']}" for one in found["memories"]]
    return "\n".join(rows) if rows else "-"
