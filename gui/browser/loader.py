"""Reads for the Memories page: the list or the search, the one memory and what belongs to it, the filters' values.

Turns a ``BrowserState`` into service calls and answers into signals; repeats them when the store changes. Must not
touch a widget.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from engine import Service
from engine.types import Changes, Memory, Recollection
from gui.bridge import Courier
from gui.browser.around import Around, links
from gui.browser.state import BrowserState
from gui.look import Look
from gui.operations import Query

# Many changes in a row (an import, a busy assistant) refresh the page this often, not each time.
SETTLE_MS = 150
HISTORY = 50
# What a recall does to the memories it found: nothing that would change which ones are listed, except by strength.
_QUIET = ("recalled", "reinforced")


class Loader(QObject):
    """All questions of one page; each kind of question has its own newest answer."""

    listed = Signal(object)  # Sequence[int]
    answered = Signal(object)  # Recollection
    facets = Signal(object)
    shown = Signal(object)  # Memory
    gone = Signal(int)  # id of a memory that was shown and is no more
    history = Signal(object)  # tuple[HistoryEntry, ...]
    around = Signal(object)  # Around, as far as it is known
    busy = Signal(bool)
    failed = Signal(object)

    def __init__(self, service: Service, courier: Courier, look: Look, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._service, self._look = service, look
        self._state = BrowserState()
        self._asked = False
        self._one: int | None = None
        self._around = Around(0)
        self._listing, self._facets, self._memory, self._history = (Query(courier, self) for _ in range(4))
        self._facts, self._entities, self._replaced, self._linked = (Query(courier, self) for _ in range(4))
        self._listing.busy.connect(self.busy)
        for query in (self._listing, self._facets, *self._of_one()):
            query.failed.connect(self.failed)
        for query in self._of_around():
            query.failed.connect(lambda _: self._tell_around())
        self._memory.failed.connect(self._lost)
        self._timer = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._timer.timeout.connect(self.refresh)

    @property
    def state(self) -> BrowserState:
        """What is asked for now."""
        return self._state

    def show_state(self, state: BrowserState) -> None:
        """Ask for what ``state`` says."""
        place_changed = state.place != self._state.place or not self._asked
        self._asked = True
        self._state = state
        self._timer.stop()
        self._ask()
        if place_changed:
            self.load_facets()

    def refresh(self) -> None:
        """Ask again for the same."""
        self._ask()
        self.load_facets()
        if self._one is not None:
            self.show_one(self._one)

    def load_facets(self) -> None:
        """The values that filters can offer."""
        self._facets.ask(self._service.facets, self.facets.emit)

    def show_one(self, memory_id: int | None) -> None:
        """Read one memory and what belongs to it; None forgets it."""
        self._one = memory_id
        if memory_id is None:
            self._memory.drop()
            self._drop_rest()
            return
        if self._around.memory_id != memory_id:
            self._around = Around(memory_id)
            self._linked.drop()
        service, graph = self._service, self._service.graph
        self._memory.ask(lambda: service.get(memory_id), self._arrived)
        self._history.ask(lambda: service.history(memory_id, HISTORY), self.history.emit)
        self._facts.ask(lambda: graph.atoms(memory_id), lambda found: self._learn(facts=found))
        self._entities.ask(lambda: graph.of_memory(memory_id), lambda found: self._learn(entities=found))
        self._replaced.ask(lambda: service.replaced_by(memory_id), lambda found: self._learn(replaced=found))

    def store_changed(self, changes: Changes) -> None:
        """Ask again soon where ``changes`` touch what is shown."""
        if changes.action in _QUIET and not changes.created and self._state.sort not in ("strength", "updated"):
            if self._one in changes.updated:
                self.show_one(self._one)
            return
        if not self._timer.isActive():
            self._timer.start()

    def _ask(self) -> None:
        state = self._state
        now, zone = self._look.now(), self._look.zone
        if state.searching:
            self._listing.ask(lambda: self._service.recall(state.question(now, zone)), self._answered)
        else:
            self._listing.ask(lambda: self._service.ids(state.filters(now, zone), state.sort), self.listed.emit)

    def _answered(self, answer: Recollection) -> None:
        self.answered.emit(answer)

    def _arrived(self, memory: Memory) -> None:
        wanted = links(memory)
        if wanted:
            self._linked.ask(lambda: self._service.get_many(wanted), lambda found: self._learn(linked=found))
        self.shown.emit(memory)

    def _learn(self, **values: Any) -> None:
        self._around = replace(self._around, **values)
        self._tell_around()

    def _tell_around(self) -> None:
        """Once for all that is on its way: the pane is made anew each time."""
        if not any(query.running for query in self._of_around()):
            self.around.emit(self._around)

    def _of_one(self) -> tuple[Query, ...]:
        return (self._history, *self._of_around())

    def _of_around(self) -> tuple[Query, ...]:
        return (self._facts, self._entities, self._replaced, self._linked)

    def _drop_rest(self) -> None:
        for query in self._of_one():
            query.drop()

    def _lost(self, error: BaseException) -> None:
        memory_id = self._one
        if getattr(error, "code", "") == "not_found" and memory_id is not None:
            self._one = None
            self._drop_rest()
            self.gone.emit(memory_id)
        else:
            self.failed.emit(error)
