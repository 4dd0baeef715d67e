"""History: what every change was, by whom and when, so that it can be shown and taken back.

Must not decide what may be undone (``ingest/edit.py`` does). Values come back as a Memory holds them: tuples for
lists, aware moments for times.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal, cast

import apsw

from engine import clock
from engine.errors import InvalidArgument, NotFound
from engine.storage import columns
from engine.storage.selection import id_array
from engine.types import Actor, HistoryEntry

_SELECT = "SELECT id, at, actor_kind, actor_name, action, memory_id, before, after, undone FROM history"


def record(
    cx: apsw.Connection,
    at: datetime,
    actor: Actor,
    action: str,
    memory_id: int,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
    undoes: int | None = None,
) -> int:
    """Add one change; ``before``/``after`` hold the changed fields only, None = did not exist. Returns its id."""
    values = (
        clock.to_text(at), actor.kind, actor.name, action, memory_id,
        None if before is None else columns.dump(before), None if after is None else columns.dump(after), undoes,
    )  # fmt: skip
    return int(
        cx.execute(
            "INSERT INTO history (at, actor_kind, actor_name, action, memory_id, before, after, undoes) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            values,
        ).get
    )


def of(cx: apsw.Connection, memory_id: int, limit: int) -> list[HistoryEntry]:
    """The changes of one memory, the latest first."""
    rows = cx.execute(f"{_SELECT} WHERE memory_id = ? ORDER BY id DESC LIMIT ?", (memory_id, limit))
    return [_entry(row) for row in rows]


def get(cx: apsw.Connection, history_id: int) -> HistoryEntry | None:
    """One change, or None."""
    wanted = id_array((history_id,))
    row = cx.execute(f"{_SELECT} WHERE id = ?", (wanted[0],)).fetchone() if wanted else None
    return None if row is None else _entry(row)


def latest(cx: apsw.Connection, limit: int, cursor: str | None = None) -> tuple[list[HistoryEntry], str | None]:
    """(changes of all memories, the latest first; the cursor of the next page or None).

    Errors: ``InvalidArgument`` with field "cursor".
    """
    before = _position(cursor)
    rows = cx.execute(f"{_SELECT} WHERE id < ? ORDER BY id DESC LIMIT ?", (before, limit + 1)).fetchall()
    entries = [_entry(row) for row in rows[:limit]]
    return entries, str(entries[-1].id) if entries and len(rows) > limit else None


def newest(cx: apsw.Connection, memory_id: int, action: str) -> HistoryEntry | None:
    """The latest change of this kind, or None."""
    sql = f"{_SELECT} WHERE memory_id = ? AND action = ? ORDER BY id DESC LIMIT 1"
    row = cx.execute(sql, (memory_id, action)).fetchone()
    return None if row is None else _entry(row)


def decided_by_people(cx: apsw.Connection, memory_id: int, field: str) -> bool:
    """Whether the last change of ``field`` that is in force was made at a window or by a command."""
    sql = (
        "SELECT actor_kind FROM history WHERE memory_id = ? AND undone = 0 "
        "AND json_extract(after, ?) IS NOT NULL ORDER BY id DESC LIMIT 1"
    )
    return cx.execute(sql, (memory_id, f"$.{field}")).get in ("gui", "cli")


def last_in_force(cx: apsw.Connection, memory_id: int) -> HistoryEntry | None:
    """The latest change of a memory that can be taken back: not an undo, not undone, and it changed something."""
    row = cx.execute(
        f"{_SELECT} WHERE memory_id = ? AND undone = 0 AND action <> 'undone' "
        "AND (action IN ('created', 'merged') OR before <> '{}') ORDER BY id DESC LIMIT 1",
        (memory_id,),
    ).fetchone()
    return None if row is None else _entry(row)


def mark_undone(cx: apsw.Connection, history_id: int) -> None:
    """Note that a change was taken back; where it was an undo itself, what that took back is in force again.

    Errors: ``NotFound``.
    """
    undone, entry_id = 1, history_id
    while entry_id is not None:
        row = cx.execute("UPDATE history SET undone = ? WHERE id = ? RETURNING undoes", (undone, entry_id)).fetchone()
        if row is None:
            raise NotFound(kind="history", id=entry_id)
        undone, entry_id = 1 - undone, row[0]


def forget(cx: apsw.Connection, memory_ids: Iterable[int]) -> None:
    """Remove every word of these memories (erase); who did what and when stays."""
    wanted = id_array(memory_ids)
    if wanted:
        cx.execute(
            "UPDATE history SET before = NULL, after = NULL WHERE memory_id IN (SELECT value FROM carray(?))",
            (apsw.carray(wanted),),
        )


def forget_told(cx: apsw.Connection, uids: Iterable[str]) -> None:
    """Remove drafts with these uids from the merges they were taken back from, and from the undo that did it."""
    for uid in uids:
        cx.execute(
            "WITH told AS (SELECT id FROM history WHERE action = 'merged' AND undone = 1 "
            "AND json_extract(json_extract(after, '$.told'), '$.uid') = ?) "
            "UPDATE history SET before = NULL, after = NULL "
            "WHERE id IN (SELECT id FROM told) OR undoes IN (SELECT id FROM told)",
            (uid,),
        )


def forget_names(cx: apsw.Connection, names: Iterable[tuple[str, str]]) -> None:
    """Remove every word from decisions about these names (type, canonical); that there were any stays."""
    for kind, canonical in names:
        cx.execute(
            "UPDATE history SET before = NULL, after = NULL WHERE memory_id = 0 AND EXISTS (SELECT 1 FROM "
            "(SELECT value FROM json_each(coalesce(before, '{}'), '$.aliases') UNION ALL "
            "SELECT value FROM json_each(coalesce(after, '{}'), '$.aliases')) AS row "
            "WHERE json_extract(row.value, '$.type') = ?1 "
            "AND ?2 IN (json_extract(row.value, '$.canonical'), json_extract(row.value, '$.target')))",
            (kind, canonical),
        )


def of_area(cx: apsw.Connection, area: str) -> list[tuple[int, Any, Any]]:
    """(id, before, after) of every change that keeps rows under the name ``area``: those rows as they were and became.

    Such changes are of no memory.
    """
    rows: list[Any] = cx.execute(
        "SELECT id, before -> ?1, after -> ?1 FROM history WHERE memory_id = 0 AND before -> ?1 IS NOT NULL "
        "ORDER BY id",
        (f'$."{area}"',),
    ).fetchall()
    return [(row[0], *map(json.loads, row[1:])) for row in rows]


def blank(cx: apsw.Connection, history_ids: Iterable[int]) -> None:
    """Remove every word from these changes; who did what and when stays."""
    wanted = id_array(history_ids)
    if wanted:
        cx.execute(
            "UPDATE history SET before = NULL, after = NULL WHERE id IN (SELECT value FROM carray(?))",
            (apsw.carray(wanted),),
        )


def _position(cursor: str | None) -> int:
    if cursor is None:
        return (1 << 63) - 1
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= 18):
        raise InvalidArgument(field="cursor", reason="malformed")
    return int(cursor)


def _entry(row: tuple[Any, ...]) -> HistoryEntry:
    entry_id, at, kind, name, action, memory_id, before, after, undone = row
    return HistoryEntry(
        id=entry_id,
        at=clock.from_text(at),
        actor=Actor(cast(Literal["client", "gui", "cli", "rule"], kind), name),
        action=action,
        memory_id=memory_id,
        before=None if before is None else columns.load(before),
        after=None if after is None else columns.load(after),
        undone=bool(undone),
    )
