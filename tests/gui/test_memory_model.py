"""The windowed list model: right by Qt's own rules, cheap at a hundred thousand rows, never stuck."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future

import pytest
from PySide6.QtCore import QAbstractItemModel, QCoreApplication, QEvent, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from engine.types import Channel, Explanation, Hit, Memory
from gui.bridge import Courier
from gui.browser.list_view import MemoryList
from gui.browser.model import BLOCK, HitRole, IdRole, MemoryModel, MemoryRole
from gui.look import Look

Until = Callable[[Callable[[], object]], None]
Make = Callable[..., Memory]


class Shelf:
    """Answers like the service: by id, later, and remembers what it was asked for."""

    def __init__(self, make: Make) -> None:
        self.make = make
        self.missing: set[int] = set()
        self.asked: list[list[int]] = []
        self.hold = False
        self.held: list[tuple[Future[dict[int, Memory]], list[int]]] = []

    def fetch(self, ids: Sequence[int]) -> Future[dict[int, Memory]]:
        self.asked.append(list(ids))
        future: Future[dict[int, Memory]] = Future()
        if self.hold:
            self.held.append((future, list(ids)))
        else:
            self._answer(future, ids)
        return future

    def release(self) -> None:
        self.hold = False
        for future, ids in self.held:
            self._answer(future, ids)

    def _answer(self, future: Future[dict[int, Memory]], ids: Sequence[int]) -> None:
        future.set_result({one: self.make(one) for one in ids if one not in self.missing})


@pytest.fixture
def shelf(memory: Make) -> Shelf:
    return Shelf(memory)


@pytest.fixture
def model(shelf: Shelf, courier: Courier, look: Look) -> Iterator[MemoryModel]:
    made = MemoryModel(shelf.fetch, courier, look)
    tester = QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Fatal)
    yield made
    tester.deleteLater()
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _row(model: QAbstractItemModel, row: int) -> Memory | None:
    found: Memory | None = model.index(row, 0).data(MemoryRole)
    return found


def test_rows_arrive_when_they_are_looked_at(model: MemoryModel, shelf: Shelf, until: Until) -> None:
    model.show_list(range(1, 1_001))
    until(lambda: _row(model, 500) is not None)
    assert model.index(500).data() == "Memory number 501"
    assert model.index(500).data(IdRole) == 501
    assert all(len(ids) <= 4 * BLOCK for ids in shelf.asked)
    assert 900 not in {one for ids in shelf.asked for one in ids}


def test_what_is_not_a_row_has_no_data(model: MemoryModel) -> None:
    model.show_list([1])
    assert model.data(QModelIndex(), Qt.ItemDataRole.DisplayRole) is None
    assert model.rowCount(model.index(0)) == 0
    assert model.index(0).data(Qt.ItemDataRole.DecorationRole) is None


def test_lists_change_without_moving_what_stays(model: MemoryModel) -> None:
    model.show_list([1, 2, 3, 4, 5])
    kept = QPersistentModelIndex(model.index(4))
    model.show_list([9, 1, 2, 3, 5])
    assert [model.index(row).data(IdRole) for row in range(5)] == [9, 1, 2, 3, 5]
    assert kept.isValid() and kept.row() == 4 and kept.data(IdRole) == 5
    for ids in ([], [1], [2], [2, 1], [1, 2, 3], [3, 2, 1], [1, 2, 3]):
        model.show_list(ids)
        assert list(model.ids) == ids


def test_a_stale_row_keeps_its_old_face_until_the_new_one_is_there(
    model: MemoryModel, shelf: Shelf, until: Until, memory: Make
) -> None:
    model.show_list([1, 2])
    until(lambda: _row(model, 0) is not None)
    shelf.make = lambda one: memory(one, content=f"New face of {one}")
    shelf.hold = True
    model.mark_stale([1])
    until(lambda: (_row(model, 0), shelf.held)[1])
    assert model.index(0).data() == "Memory number 1"
    shelf.release()
    until(lambda: model.index(0).data() == "New face of 1")
    assert model.index(1).data() == "Memory number 2"


def test_a_memory_that_is_gone_is_asked_for_once(model: MemoryModel, shelf: Shelf, until: Until) -> None:
    shelf.missing = {2}
    model.show_list([1, 2])
    until(lambda: _row(model, 0) is not None)
    asked = len(shelf.asked)
    for _ in range(20):
        assert _row(model, 1) is None
        QCoreApplication.processEvents()
    assert len(shelf.asked) == asked


def test_rushing_past_asks_for_the_last_places_only(model: MemoryModel, shelf: Shelf, until: Until) -> None:
    shelf.hold = True
    model.show_list(range(100_000))
    _row(model, 0)
    until(lambda: shelf.held)
    for row in range(0, 100_000, BLOCK):
        _row(model, row)
    shelf.release()
    until(lambda: _row(model, 99_999) is not None)
    assert sum(len(ids) for ids in shelf.asked) <= 12 * BLOCK


def test_hits_bring_their_rows(model: MemoryModel, shelf: Shelf, memory: Make) -> None:
    explanation = Explanation((Channel("lexical", 1, 3.0, 0.7),), ())
    hits = [Hit(memory(one), "", "full", 0.7, explanation) for one in (8, 3)]
    model.show_hits(hits)
    assert [model.index(row).data() for row in range(2)] == ["Memory number 8", "Memory number 3"]
    assert model.index(0).data(HitRole) == hits[0] and shelf.asked == []
    model.show_list([3, 8])
    assert model.index(0).data(HitRole) is None


def test_a_hundred_thousand_rows_open_and_jump_at_once(
    qtbot: QtBot, shelf: Shelf, courier: Courier, look: Look, until: Until
) -> None:
    model = MemoryModel(shelf.fetch, courier, look)
    view = MemoryList(look, model)
    qtbot.addWidget(view)
    view.resize(500, 600)
    view.show()
    started = time.perf_counter()
    view.show_ids(range(100_000))
    view.executeDelayedItemsLayout()
    view.repaint()
    opened = time.perf_counter() - started
    started = time.perf_counter()
    view.scrollToBottom()
    view.repaint()
    jumped = time.perf_counter() - started
    until(lambda: model.known(99_999) is not None)
    print(f"100,000 rows: open {opened * 1000:.1f} ms, jump {jumped * 1000:.1f} ms")
    assert sum(len(ids) for ids in shelf.asked) <= 12 * BLOCK
    # Generous, for a busy machine; a list that fetches or measures every row takes seconds.
    assert opened < 1.0 and jumped < 1.0


def test_what_is_looked_at_stays_while_rows_come_and_go(
    qtbot: QtBot, shelf: Shelf, courier: Courier, look: Look
) -> None:
    model = MemoryModel(shelf.fetch, courier, look)
    view = MemoryList(look, model)
    qtbot.addWidget(view)
    view.resize(500, 600)
    view.show()
    view.show_ids(range(1_000, 0, -1))
    view.executeDelayedItemsLayout()
    view.verticalScrollBar().setValue(5_000)
    view.choose([700, 699], scroll=False)
    top = view.top_id()
    view.show_ids([1_002, 1_001, *range(1_000, 0, -1)])
    assert view.top_id() == top and view.chosen_ids() == [700, 699]
    view.show_ids([one for one in range(1_000, 0, -1) if one not in (699, 980)])
    assert view.top_id() == top and view.chosen_ids() == [700]
    # What reshuffles everything keeps the choice all the same.
    view.show_ids(range(1, 1_001))
    assert view.chosen_ids() == [700]
