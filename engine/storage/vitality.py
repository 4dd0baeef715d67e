"""What time works on: the fading numbers of all memories in portions, and status changes of many at once.

Only reads what decay needs and writes what it decided; must not compute strengths, days or states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import apsw

from engine import clock
from engine.storage.selection import id_array
from engine.types import FINDABLE, Memory, MemoryStatus

# Large enough for vectorised arithmetic, small enough that a large store never lies in memory as a whole.
PORTION = 10_000
# "2026-11-30T08:59:10.123456": UTC without its offset, as numpy reads it.
_WIDTH = 26


class Row(NamedTuple):
    """One memory as decay sees it. Times are UTC texts without offset, "" where there is none."""

    id: int
    strength: float
    access_count: float
    accessed_at: str
    updated_at: str
    created_at: str
    event_time: str
    status: str
    layer: str
    importance: float
    emotion_intensity: float
    pinned: int
    protected: int
    resolved: int


_FINDABLE = ", ".join("?" * len(FINDABLE))
_SELECT = (
    f"SELECT v.memory_id, v.strength, v.access_count, substr(coalesce(v.last_accessed_at, ''), 1, {_WIDTH}), "
    f"substr(m.updated_at, 1, {_WIDTH}), substr(m.created_at, 1, {_WIDTH}), "
    f"substr(coalesce(m.event_time, ''), 1, {_WIDTH}), m.status, m.layer, "
    "m.importance, m.emotion_intensity, m.pinned, m.protected, m.resolved "
    "FROM vitality AS v CROSS JOIN memories AS m ON m.id = v.memory_id "
    f"WHERE v.memory_id > ? AND +m.status IN ({_FINDABLE}) ORDER BY v.memory_id LIMIT ?"
)


def portions(cx: apsw.Connection, size: int = PORTION) -> Iterator[list[tuple[Any, ...]]]:
    """All memories that can be found, as tuples in the order of :class:`Row`, by id. Rows may be written meanwhile."""
    after = 0
    while True:
        rows: list[tuple[Any, ...]] = cx.execute(_SELECT, (after, *FINDABLE, size)).fetchall()
        if rows:
            yield rows
        if len(rows) < size:
            return
        after = rows[-1][0]


def row_of(memory: Memory) -> Row:
    """The same of one memory that was read already."""
    return Row(
        memory.id, memory.strength, memory.access_count, _text(memory.last_accessed_at), _text(memory.updated_at),
        _text(memory.created_at), _text(memory.event_time), memory.status, memory.layer, memory.importance,
        memory.emotion_intensity, int(memory.pinned), int(memory.protected), int(memory.resolved),
    )  # fmt: skip


def put(cx: apsw.Connection, rows: Iterable[tuple[float, float, int]]) -> None:
    """Write (strength, access count, memory id) of each."""
    cx.executemany("UPDATE vitality SET strength = ?, access_count = ? WHERE memory_id = ?", rows)


def use(cx: apsw.Connection) -> int:
    """Another number whenever people or assistants have written or recalled anything since."""
    return int(
        cx.execute(
            "SELECT (SELECT coalesce(max(id), 0) FROM history WHERE actor_kind <> 'rule') "
            "+ (SELECT coalesce(sum(recall_count), 0) FROM vitality)"
        ).get
    )


def set_status(cx: apsw.Connection, ids: Sequence[int], status: MemoryStatus) -> None:
    """Bring these memories into ``status``. When they were last changed is left: sleep is no change of theirs."""
    wanted = id_array(ids)
    if wanted:
        cx.execute(
            "UPDATE memories SET status = ? WHERE id IN (SELECT value FROM carray(?))", (status, apsw.carray(wanted))
        )


def _text(moment: datetime | None) -> str:
    return "" if moment is None else clock.to_text(moment)[:_WIDTH]
