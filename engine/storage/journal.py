"""The write journal: what was committed and still owes work (vectors), so that a crash owes nobody anything.

Stages: "committed" (work is owed) → "done"; "failed" after three tries, until something advances it. Must not do
the work, and holds no memory text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast

import apsw

from engine import clock
from engine.storage.selection import id_array

Stage = Literal["committed", "done", "failed"]
MOST_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """One write that owes, or owed, work. ``error`` is the code of the last failure."""

    id: int
    op: str
    memory_id: int
    stage: Stage
    attempts: int
    error: str | None
    opened_at: datetime
    updated_at: datetime


def open(cx: apsw.Connection, op: str, memory_id: int, stage: Stage, at: datetime) -> int:
    """Add the entry of a write, in that write's own transaction; returns its id."""
    moment = clock.to_text(at)
    return int(
        cx.execute(
            "INSERT INTO journal (op, memory_id, stage, opened_at, updated_at) VALUES (?, ?, ?, ?, ?) RETURNING id",
            (op, memory_id, stage, moment, moment),
        ).get
    )


def advance(cx: apsw.Connection, memory_ids: Iterable[int], stage: Stage, at: datetime) -> int:
    """Bring every entry of these memories that is not done to ``stage``, failed ones too; returns how many."""
    wanted = id_array(memory_ids)
    if not wanted:
        return 0
    cx.execute(
        "UPDATE journal SET stage = ?, updated_at = ? WHERE stage <> 'done' AND stage <> ? "
        "AND memory_id IN (SELECT value FROM carray(?))",
        (stage, clock.to_text(at), stage, apsw.carray(wanted)),
    )
    return cx.changes()


def settle(cx: apsw.Connection, at: datetime, entry_ids: Iterable[int] | None = None) -> int:
    """These entries (None = every one) owe nothing any more, failed ones too; returns how many were not done."""
    only, values = "", list[Any]((clock.to_text(at),))
    if entry_ids is not None:
        wanted = id_array(entry_ids)
        if not wanted:
            return 0
        only = " AND id IN (SELECT value FROM carray(?))"
        values.append(apsw.carray(wanted))
    cx.execute(f"UPDATE journal SET stage = 'done', updated_at = ? WHERE stage <> 'done'{only}", values)
    return cx.changes()


def owing(cx: apsw.Connection, memory_id: int) -> bool:
    """Whether an entry of this memory is not done, be it open or failed."""
    sql = "SELECT 1 FROM journal WHERE memory_id = ? AND stage <> 'done' LIMIT 1"
    return cx.execute(sql, (memory_id,)).get is not None


def waiting(cx: apsw.Connection) -> bool:
    """Whether a memory waits for a vector of its own text; contexts (of turns) are an extra and do not count."""
    sql = "SELECT 1 FROM journal WHERE stage <> 'done' AND stage = 'committed' AND op <> 'context' LIMIT 1"
    return cx.execute(sql).get is not None


def fail(cx: apsw.Connection, memory_id: int, error: str, at: datetime) -> None:
    """Note a failed try for the open entries of a memory; the third makes them "failed". ``error`` is a code."""
    cx.execute(
        "UPDATE journal SET attempts = attempts + 1, error = ?, updated_at = ?, "
        "stage = CASE WHEN attempts + 1 >= ? THEN 'failed' ELSE stage END "
        "WHERE memory_id = ? AND stage = 'committed'",
        (error, clock.to_text(at), MOST_ATTEMPTS, memory_id),
    )


def unfinished(cx: apsw.Connection, limit: int) -> list[Entry]:
    """Entries that owe work and may be tried, the oldest first."""
    rows = cx.execute(
        "SELECT id, op, memory_id, stage, attempts, error, opened_at, updated_at FROM journal "
        "WHERE stage <> 'done' AND stage = 'committed' ORDER BY id LIMIT ?",
        (limit,),
    )
    return [
        Entry(
            entry_id, op, memory_id, cast(Stage, stage), attempts, error, clock.from_text(opened),
            clock.from_text(updated),
        )
        for entry_id, op, memory_id, stage, attempts, error, opened, updated in rows
    ]  # fmt: skip


def counts(cx: apsw.Connection) -> tuple[int, int]:
    """(entries that owe work, entries that failed)."""
    rows: list[Any] = cx.execute("SELECT stage, count(*) FROM journal WHERE stage <> 'done' GROUP BY stage").fetchall()
    found: dict[str, int] = dict(rows)
    return found.get("committed", 0), found.get("failed", 0)


def prune(cx: apsw.Connection, before: datetime) -> int:
    """Drop entries that were done before ``before``; returns how many."""
    cx.execute("DELETE FROM journal WHERE stage = 'done' AND updated_at < ?", (clock.to_text(before),))
    return cx.changes()
