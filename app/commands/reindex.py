"""``hupo reindex``: makes the search indexes anew from the rows."""

from __future__ import annotations

import argparse

from app.commands import temporary
from app.ipc.client import Client
from app.terminal import Terminal

_SILENCE_SECONDS = 600.0


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Ask the host, telling how far it is."""
    last = -1

    def progress(done: int, total: int) -> None:
        nonlocal last
        share = 100 * done // max(total, 1)
        if share != last:
            last = share
            terminal.progress(f"{done}/{total}")

    with temporary.host(options.data, terminal), Client(options.data, "control") as client:
        found = client.request("reindex", seconds=_SILENCE_SECONDS, progress=progress)
    terminal.result(found, ", ".join(f"{name} {number}" for name, number in found.items()))
    return 0
