"""``hupo`` and ``hupo serve``: the host, with windows or without."""

from __future__ import annotations

import argparse

from app.main import run_host
from app.terminal import Terminal


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Runs until the user quits."""
    return run_host(options.data, terminal, windows=options.command == "tray", background=options.background)
