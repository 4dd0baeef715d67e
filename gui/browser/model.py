"""The list of memories as Qt sees it: all ids, and only the rows that are looked at.

Rows are fetched in blocks, in the background, when they are painted; until a block arrives a row is blank, and a
row that changed shows its old face until the new one is there. Must not filter or sort (SQL and recall do).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal

from engine.types import Hit, Memory
from gui.bridge import Courier
from gui.browser import presentation
from gui.look import Look
from gui.operations import Query

MemoryRole = Qt.ItemDataRole.UserRole + 1
HitRole = Qt.ItemDataRole.UserRole + 2
IdRole = Qt.ItemDataRole.UserRole + 3

BLOCK = 64
KEPT_ROWS = 2_048
# Blocks that are still worth fetching when the one on the way has arrived: what was painted last.
WANTED_BLOCKS = 4

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class MemoryModel(QAbstractListModel):
    """Ids with a cache of rows. ``fetch`` reads memories by id in the background."""

    failed = Signal(object)
    rows_arrived = Signal()

    def __init__(
        self,
        fetch: Callable[[Sequence[int]], Future[dict[int, Memory]]],
        courier: Courier,
        look: Look,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._fetch = fetch
        self._look = look
        self._ids: list[int] = []
        self._rows: OrderedDict[int, Memory] = OrderedDict()
        self._hits: dict[int, Hit] = {}
        self._stale: set[int] = set()
        # Asked for and not there (erased meanwhile): asking again at every repaint would never end.
        self._gone: set[int] = set()
        self._wanted: OrderedDict[int, None] = OrderedDict()
        self._query = Query(courier, self)
        self._query.failed.connect(self.failed)
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._fetch_wanted)
        look.changed.connect(self._repaint)

    # -- what Qt asks --

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._ids)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or not 0 <= index.row() < len(self._ids):
            return None
        memory_id = self._ids[index.row()]
        if role == IdRole:
            return memory_id
        if role == HitRole:
            return self._hits.get(memory_id)
        if role not in (MemoryRole, Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        memory = self._memory(index.row(), memory_id)
        if role == MemoryRole:
            return memory
        if memory is None:
            return ""
        if role == Qt.ItemDataRole.DisplayRole:
            return presentation.name(memory)
        return presentation.spoken(memory, self._look.day(memory.occurred_at), self._look.texts)

    # -- what the page asks --

    @property
    def ids(self) -> Sequence[int]:
        """All ids in order."""
        return self._ids

    def known(self, memory_id: int) -> Memory | None:
        """The row as far as it has been fetched."""
        return self._rows.get(memory_id)

    def hit(self, memory_id: int) -> Hit | None:
        """How a search found it."""
        return self._hits.get(memory_id)

    def row_of(self, memory_id: int) -> int:
        """The row of an id, -1 when it is not listed."""
        try:
            return self._ids.index(memory_id)
        except ValueError:
            return -1

    def show_list(self, ids: Sequence[int]) -> None:
        """List these ids; rows that stay keep their place, selection and scroll."""
        had_hits = bool(self._hits)
        self._hits = {}
        self._gone.clear()
        self._replace(list(ids))
        if had_hits:
            self._repaint()

    def show_hits(self, hits: Iterable[Hit]) -> None:
        """List the hits of a search, best first."""
        self._hits = {hit.memory.id: hit for hit in hits}
        for hit in self._hits.values():
            self._keep(hit.memory)
        self._stale.difference_update(self._hits)
        self._replace(list(self._hits))
        self._repaint()

    def mark_stale(self, ids: Iterable[int]) -> None:
        """Fetch these anew when they are next looked at; their old face stays until then."""
        changed = [memory_id for memory_id in ids if memory_id in self._rows]
        self._stale.update(changed)
        if changed:
            self._repaint()

    def mark_all_stale(self) -> None:
        """The same for every row: time has passed for all of them."""
        self.mark_stale(list(self._rows))

    def put(self, memory: Memory) -> None:
        """Take a fresh row that someone else has read."""
        self._stale.discard(memory.id)
        self._keep(memory)
        row = self.row_of(memory.id)
        if row >= 0:
            self.dataChanged.emit(self.index(row), self.index(row))

    # -- inside --

    def _memory(self, row: int, memory_id: int) -> Memory | None:
        memory = self._rows.get(memory_id)
        if memory is not None:
            self._rows.move_to_end(memory_id)
        if memory_id in self._stale or (memory is None and memory_id not in self._gone):
            self._want(row // BLOCK)
        return memory

    def _want(self, block: int) -> None:
        self._wanted[block] = None
        self._wanted.move_to_end(block)
        while len(self._wanted) > WANTED_BLOCKS:
            self._wanted.popitem(last=False)
        if not self._query.running and not self._timer.isActive():
            self._timer.start()

    def _fetch_wanted(self) -> None:
        ids: list[int] = []
        for block in self._wanted:
            ids.extend(self._ids[block * BLOCK : (block + 1) * BLOCK])
        self._wanted.clear()
        ids = [memory_id for memory_id in ids if memory_id not in self._rows or memory_id in self._stale]
        if ids:
            self._query.ask(lambda: self._fetch(ids), lambda found: self._arrived(ids, found))

    def _arrived(self, asked: Sequence[int], found: Mapping[int, Memory]) -> None:
        self._stale.difference_update(asked)
        for memory in found.values():
            self._keep(memory)
        self._gone.update(memory_id for memory_id in asked if memory_id not in found)
        self._repaint()
        self.rows_arrived.emit()
        if self._wanted:
            self._timer.start()

    def _keep(self, memory: Memory) -> None:
        self._rows[memory.id] = memory
        self._rows.move_to_end(memory.id)
        while len(self._rows) > KEPT_ROWS:
            gone, _ = self._rows.popitem(last=False)
            self._stale.discard(gone)

    def _replace(self, ids: list[int]) -> None:
        """Turn the present list into ``ids`` by one removal and one insertion between what stays at both ends."""
        old = self._ids
        shortest = min(len(old), len(ids))
        head = 0
        while head < shortest and old[head] == ids[head]:
            head += 1
        tail = 0
        while tail < shortest - head and old[-1 - tail] == ids[-1 - tail]:
            tail += 1
        if len(old) - tail > head:
            self.beginRemoveRows(QModelIndex(), head, len(old) - tail - 1)
            self._ids = old[:head] + old[len(old) - tail :]
            self.endRemoveRows()
        if len(ids) - tail > head:
            self.beginInsertRows(QModelIndex(), head, len(ids) - tail - 1)
            self._ids = ids
            self.endInsertRows()

    def _repaint(self) -> None:
        if self._ids:
            self.dataChanged.emit(self.index(0), self.index(len(self._ids) - 1))
