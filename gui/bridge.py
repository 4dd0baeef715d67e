"""From any thread to the main thread: engine changes, settings and port events as Qt signals.

Nothing else in ``gui`` may touch a widget from a foreign thread. Must not decide anything.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal, Slot

from engine import Service
from engine.config import Settings, Values
from engine.types import Changes
from gui.ports import Event, Ports


class Courier(QObject):
    """Carries calls to the thread in which it was made (the main thread), in the order they were posted."""

    _posted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._closed = False
        self._posted.connect(self._run, Qt.ConnectionType.QueuedConnection)

    def post(self, call: Callable[[], None]) -> None:
        """Run ``call`` soon on the main thread. Any thread; after :meth:`close` nothing is carried any more."""
        if not self._closed:
            self._posted.emit(call)

    def close(self) -> None:
        """Drop what is still on the way."""
        self._closed = True

    @Slot(object)
    def _run(self, call: Callable[[], None]) -> None:
        if not self._closed:
            call()


class Bridge(QObject):
    """Announces on the main thread what happened elsewhere."""

    changes = Signal(object)  # engine.types.Changes
    settings = Signal(object)  # the new snapshot of all values
    clients = Signal()
    show = Signal()
    quit = Signal()
    trouble = Signal()

    def __init__(
        self, courier: Courier, service: Service, settings: Settings, ports: Ports, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._courier = courier
        self._leave = (
            service.subscribe(self._on_changes),
            settings.subscribe(self._on_settings),
            ports.subscribe(self._on_event),
        )

    def close(self) -> None:
        """Hear nothing more."""
        for leave in self._leave:
            leave()

    def _on_changes(self, changes: Changes) -> None:
        self._courier.post(lambda: self.changes.emit(changes))

    def _on_settings(self, values: Values) -> None:
        self._courier.post(lambda: self.settings.emit(values))

    def _on_event(self, event: Event) -> None:
        signal = {"clients": self.clients, "show": self.show, "quit": self.quit, "trouble": self.trouble}[event]
        self._courier.post(signal.emit)
