"""Suggestions: what was noticed about some memories, and what was decided of it. The only SQL that writes these tables.

Holds ids and numbers, never a word of a memory, so that an erase leaves nothing behind. Must not decide what is worth
suggesting (``engine/digest`` and ``engine/review`` do).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast

import apsw

from engine import clock
from engine.storage.selection import id_array

State = Literal["open", "dismissed", "approved"]
_COLUMNS = (
    "s.id, s.kind, s.key, s.state, s.detail, s.created_at, "
    "(SELECT json_group_array(m.memory_id ORDER BY m.memory_id DESC) FROM suggestion_memories AS m "
    "WHERE m.suggestion_id = s.id)"
)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One of ``kind``; ``memory_ids`` the newest first, without those that were erased."""

    id: int
    kind: str
    key: str
    state: State
    detail: Mapping[str, Any]
    created_at: datetime
    memory_ids: tuple[int, ...]


def offer(
    cx: apsw.Connection, kind: str, key: str, memory_ids: Iterable[int], detail: Mapping[str, Any], at: datetime,
    *, least: int = 1, state: State = "open",
) -> int | None:  # fmt: skip
    """Add a suggestion; returns its id, None where one of this key is there, whatever was decided of it.

    ``least``: with fewer memories left (erase) it goes.
    """
    wanted = id_array(memory_ids)
    found = cx.execute(
        "INSERT INTO suggestions (kind, key, state, least, detail, created_at) VALUES (?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (kind, key) DO NOTHING RETURNING id",
        (kind, key, state, least, json.dumps(dict(detail)), clock.to_text(at)),
    ).get
    if found is None:
        return None
    _add(cx, int(found), wanted)
    return int(found)


def grow(cx: apsw.Connection, suggestion_id: int, memory_ids: Iterable[int]) -> None:
    """Let an open suggestion be about these memories, too."""
    _add(cx, suggestion_id, id_array(memory_ids))


def decide(
    cx: apsw.Connection, suggestion_id: int, state: State, at: datetime, detail: Mapping[str, Any] | None = None
) -> None:
    """Set what became of a suggestion; ``detail`` None leaves it as it is."""
    text = None if detail is None else json.dumps(dict(detail))
    cx.execute(
        "UPDATE suggestions SET state = ?, decided_at = ?, detail = coalesce(?, detail) WHERE id = ?",
        (state, None if state == "open" else clock.to_text(at), text, suggestion_id),
    )


def get(cx: apsw.Connection, kind: str, key: str) -> Suggestion | None:
    """The suggestion of this key, or None."""
    row = cx.execute(f"SELECT {_COLUMNS} FROM suggestions AS s WHERE s.kind = ? AND s.key = ?", (kind, key)).fetchone()
    return None if row is None else _suggestion(row)


def by_id(cx: apsw.Connection, suggestion_id: int) -> Suggestion | None:
    """The suggestion, or None."""
    wanted = id_array((suggestion_id,))
    row = (
        cx.execute(f"SELECT {_COLUMNS} FROM suggestions AS s WHERE s.id = ?", (wanted[0],)).fetchone()
        if wanted
        else None
    )
    return None if row is None else _suggestion(row)


def of_kind(cx: apsw.Connection, kind: str, state: State) -> list[Suggestion]:
    """All of a kind in this state, the newest first."""
    rows = cx.execute(
        f"SELECT {_COLUMNS} FROM suggestions AS s WHERE s.kind = ? AND s.state = ? ORDER BY s.id DESC", (kind, state)
    )
    return [_suggestion(row) for row in rows]


def count(cx: apsw.Connection, kind: str, state: State) -> int:
    """How many of a kind are in this state."""
    return int(cx.execute("SELECT count(*) FROM suggestions WHERE kind = ? AND state = ?", (kind, state)).get)


def about(cx: apsw.Connection, kind: str, memory_ids: Iterable[int]) -> list[Suggestion]:
    """All of a kind, in any state, that are about at least one of these memories."""
    wanted = id_array(memory_ids)
    if not wanted:
        return []
    rows = cx.execute(
        f"SELECT {_COLUMNS} FROM suggestions AS s WHERE s.kind = ? AND s.id IN (SELECT n.suggestion_id "
        "FROM carray(?) AS c CROSS JOIN suggestion_memories AS n ON n.memory_id = c.value) ORDER BY s.id",
        (kind, apsw.carray(wanted)),
    )
    return [_suggestion(row) for row in rows]


def queue_rejudging(cx: apsw.Connection, memory_ids: Iterable[int]) -> None:
    """Those of ``memory_ids`` whose memorize still owes its vector: they are to be judged again with it."""
    wanted = id_array(memory_ids)
    if wanted:
        cx.execute(
            "INSERT OR IGNORE INTO rejudge (memory_id) SELECT DISTINCT j.memory_id FROM carray(?) AS c CROSS JOIN "
            "journal AS j ON j.memory_id = c.value AND j.op = 'memorize' AND j.stage <> 'done'",
            (apsw.carray(wanted),),
        )


def to_rejudge(cx: apsw.Connection, limit: int) -> list[int]:
    """Memories that wait to be judged again, the oldest first."""
    return [row[0] for row in cx.execute("SELECT memory_id FROM rejudge ORDER BY memory_id LIMIT ?", (limit,))]


def rejudged(cx: apsw.Connection, memory_ids: Iterable[int]) -> None:
    """These were judged again."""
    wanted = id_array(memory_ids)
    if wanted:
        cx.execute("DELETE FROM rejudge WHERE memory_id IN (SELECT value FROM carray(?))", (apsw.carray(wanted),))


def _add(cx: apsw.Connection, suggestion_id: int, wanted: Any) -> None:
    if wanted:
        cx.execute(
            "INSERT OR IGNORE INTO suggestion_memories (suggestion_id, memory_id) "
            "SELECT ?, m.id FROM carray(?) AS c CROSS JOIN memories AS m ON m.id = c.value",
            (suggestion_id, apsw.carray(wanted)),
        )


def _suggestion(row: tuple[Any, ...]) -> Suggestion:
    suggestion_id, kind, key, state, detail, created_at, memory_ids = row
    return Suggestion(
        suggestion_id, kind, key, cast(State, state), json.loads(detail), clock.from_text(created_at),
        tuple(json.loads(memory_ids)),
    )  # fmt: skip
