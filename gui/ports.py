"""What the windows need from the app around them, as protocols that ``app/main.py`` fulfils.

This keeps ``gui`` free of ``app``: sessions, quitting, paths and the log are handed in. Imports no Qt.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol

# "clients": the set of connected clients changed · "show": someone asks for the window (a second start)
# "quit": leave the event loop (signal, control request) · "trouble": the answer of ``trouble()`` changed
Event = Literal["clients", "show", "quit", "trouble"]


@dataclass(frozen=True, slots=True)
class Client:
    """One connected assistant. ``id`` is unique while the process lives; ``since`` is aware."""

    id: int
    name: str
    version: str = ""
    profile: str = "core"
    since: datetime | None = None


class Ports(Protocol):
    """The app as the windows see it. Every method is called on the main thread and returns at once."""

    @property
    def version(self) -> str:
        """Hupo's own version."""
        ...

    @property
    def data_directory(self) -> Path:
        """Where the memories lie."""
        ...

    @property
    def log_file(self) -> Path | None:
        """The log that a person may send along; None when nothing is written."""
        ...

    def clients(self) -> tuple[Client, ...]:
        """Who is connected now."""
        ...

    def trouble(self) -> tuple[str, ...]:
        """Codes of what is wrong outside the engine ("listener_failed", …); empty when all is well."""
        ...

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call ``listener`` from any thread on each event; returns the way out."""
        ...

    def report(self, error: BaseException) -> None:
        """Log an unexpected bug, without any memory text."""
        ...
