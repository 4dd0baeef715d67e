"""How Hupo is: calm, busy or in trouble, with a sentence for it; the tray and the window's strip show the same.

Asks the service after changes and while something is going on. Must not touch a widget.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal

from engine import Service
from engine.config import Settings
from engine.types import StoreStatus
from gui import messages
from gui.bridge import Bridge, Courier
from gui.browser.state import SHOWN
from gui.operations import Query
from gui.ports import Client, Ports
from gui.texts import Texts

State = Literal["calm", "busy", "trouble"]
SETTLE_MS = 400
# While something is going on the state is asked for this often.
BUSY_MS = 2_000
# What passes by itself counts as work, and as trouble only when it stays.
PASSING = ("embedder_unavailable", "vectors_incomplete", "lexical_rebuilding")
PATIENCE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Condition:
    """A snapshot: the state, what is amiss (slugs), counts, who is connected, and whether remembering is paused."""

    state: State = "calm"
    slugs: tuple[str, ...] = ()
    counts: dict[str, int] | None = None
    clients: tuple[Client, ...] = ()
    paused: bool = False
    missing_vectors: int = 0

    def sentence(self, texts: Texts) -> str:
        """What to tell a person, the most pressing first."""
        if self.state == "trouble":
            slug = self.slugs[0]
            message = messages.of_code(slug, {}, texts)
            return message.title if f"error.{slug}.title" in texts else messages.condition(slug, texts)
        if self.paused:
            return texts("health.paused")
        if self.state == "busy":
            if self.missing_vectors:
                return texts("health.filling", n=self.missing_vectors)
            return texts("health.busy")
        return texts("health.calm")

    @property
    def alive(self) -> int:
        """Memories that the page lists by itself: neither in the trash nor replaced or run out."""
        return sum(count for status, count in (self.counts or {}).items() if status in SHOWN)

    @property
    def trashed(self) -> int:
        """Memories in the trash."""
        return (self.counts or {}).get("trashed", 0)


class Health(QObject):
    """Keeps the newest ``Condition`` and says when it changes."""

    changed = Signal(object)  # Condition
    failed = Signal(object)

    def __init__(
        self,
        service: Service,
        settings: Settings,
        ports: Ports,
        courier: Courier,
        bridge: Bridge,
        parent: QObject | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._service, self._settings, self._ports, self._now = service, settings, ports, now
        self._status: StoreStatus | None = None
        self._waiting_since: float | None = None
        self.condition = Condition()
        self._query = Query(courier, self)
        self._query.failed.connect(self.failed)
        self._timer = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._timer.timeout.connect(self.ask)
        bridge.changes.connect(lambda _: self._ask_soon(SETTLE_MS))
        bridge.settings.connect(lambda _: self._update())
        bridge.clients.connect(self._update)
        bridge.trouble.connect(self._update)

    def ask(self) -> None:
        """Read the state of the store."""
        self._query.ask(self._service.status, self._arrived)

    def _ask_soon(self, milliseconds: int) -> None:
        if not self._timer.isActive() or self._timer.remainingTime() > milliseconds:
            self._timer.start(milliseconds)

    def _arrived(self, status: StoreStatus) -> None:
        self._status = status
        self._update()
        if self.condition.state == "busy":
            self._ask_soon(BUSY_MS)

    def _update(self) -> None:
        status = self._status
        outside = self._ports.trouble()
        inside = status.trouble if status is not None else ()
        lasting = tuple(slug for slug in inside if slug not in PASSING)
        passing = tuple(slug for slug in inside if slug in PASSING)
        missing = 0
        if status is not None and status.vectors.state != "unavailable":
            missing = max(0, status.vectors.wanted - status.vectors.stored)
        condition = Condition(
            state=self._state(outside + lasting, passing, missing, status),
            slugs=outside + lasting + passing,
            counts=dict(status.counts) if status is not None else None,
            clients=self._ports.clients(),
            paused=bool(self._settings["memory.paused"]),
            missing_vectors=missing,
        )
        if condition != self.condition:
            self.condition = condition
            self.changed.emit(condition)

    def _state(
        self, lasting: tuple[str, ...], passing: tuple[str, ...], missing: int, status: StoreStatus | None
    ) -> State:
        if lasting:
            return "trouble"
        if not passing:
            self._waiting_since = None
            open_rows = status.journal_open if status is not None else 0
            return "busy" if missing or open_rows else "calm"
        if self._waiting_since is None:
            self._waiting_since = self._now()
        return "trouble" if self._now() - self._waiting_since > PATIENCE_SECONDS else "busy"
