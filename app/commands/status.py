"""``hupo status``: what runs, counts, index state, trouble. Exit 1 without a host; ``--json`` prints all the same."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from app.ipc.client import Client, HostUnreachable
from app.terminal import Terminal


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Ask the running host."""
    try:
        with Client(options.data, "control") as client:
            found = client.request("status")
    except HostUnreachable as gone:
        reason = terminal.sentence(gone.code, gone.fields)
        value = {"running": False, "data": options.data, "code": gone.code}
        if terminal.as_json:
            terminal.result(value, "")
        else:
            terminal.progress(f"hupo: {reason}")
        return 1
    terminal.result(found, _text(found))
    return 0


def _text(found: Mapping[str, Any]) -> str:
    store = found["store"]
    vectors = store["vectors"]
    counts = ", ".join(f"{status} {number}" for status, number in store["counts"].items() if number) or "0"
    names = ", ".join(client["name"] for client in found["clients"]) or "-"
    kind = "serve" if found["headless"] else "tray"
    lines = [
        f"Hupo {found['version']} ({kind}, pid {found['pid']}, {found['transport']})",
        f"data      {found['data']}",
        f"memories  {counts}",
        f"words     {store['lexical_rows']}",
        f"vectors   {vectors['stored']}/{vectors['wanted']} {vectors['state']} {vectors['identity'] or '-'}",
        f"journal   {store['journal_open']} open, {store['journal_failed']} failed",
        f"clients   {names}",
        f"trouble   {', '.join(found['trouble']) or '-'}",
    ]
    return "\n".join(lines)
