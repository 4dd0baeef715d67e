"""Candidates: drafts that wait for somebody's word, were dropped, dismissed, or became a memory. No memory themselves.

Must not decide what becomes of one (``engine/digest/candidates.py`` does). A draft is kept as the JSON of the fields
that were given, and comes back as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, cast

import apsw

from engine import clock
from engine.storage import columns
from engine.storage.selection import id_array
from engine.types import Actor, Candidate, CandidateState, Draft, Sensitivity

_SELECT: Final = (
    "SELECT id, state, draft, importance, sensitivity, session_id, actor_kind, actor_name, created_at, decided_at, "
    "memory_id FROM candidates"
)


def insert(
    cx: apsw.Connection, given: Mapping[str, Any], prepared: Mapping[str, Any], state: CandidateState, actor: Actor,
    at: datetime,
) -> int:  # fmt: skip
    """Keep a draft; returns the candidate's id. ``given``: its fields, ``prepared``: what a memory of it would hold."""
    row = {
        **_told(given, prepared), "state": state, "actor_kind": actor.kind, "actor_name": actor.name,
        "created_at": clock.to_text(at), "decided_at": None if state == "pending" else clock.to_text(at),
    }  # fmt: skip
    names = ", ".join(row)
    return int(
        cx.execute(
            f"INSERT INTO candidates ({names}) VALUES ({', '.join('?' * len(row))}) RETURNING id", tuple(row.values())
        ).get
    )


def redraft(cx: apsw.Connection, candidate_id: int, given: Mapping[str, Any], prepared: Mapping[str, Any]) -> None:
    """The same was offered anew: the later draft is the one that counts, from when it was first told."""
    row = _told(given, prepared)
    assignments = ", ".join(f"{name} = ?" for name in row)
    cx.execute(f"UPDATE candidates SET {assignments} WHERE id = ?", (*row.values(), candidate_id))


def get_many(cx: apsw.Connection, ids: Iterable[int]) -> dict[int, Candidate]:
    """The candidates of ``ids`` that there are, whatever their state."""
    wanted = id_array(ids)
    if not wanted:
        return {}
    rows = cx.execute(f"{_SELECT} WHERE id IN (SELECT value FROM carray(?))", (apsw.carray(wanted),))
    return {row[0]: _candidate(row) for row in rows}


def page(
    cx: apsw.Connection, state: CandidateState, limit: int, hidden: Sequence[Sensitivity]
) -> tuple[list[Candidate], int, int]:
    """(the most important of a state, how many may be shown, how many may not)."""
    shut = "sensitivity IN (SELECT value FROM carray(?))" if hidden else "0"
    values = (apsw.carray(hidden),) if hidden else ()
    counts: Any = cx.execute(
        f"SELECT count(*), coalesce(sum({shut}), 0) FROM candidates WHERE state = ?", (*values, state)
    ).fetchone()
    every, out = counts
    rows = cx.execute(
        f"{_SELECT} WHERE state = ? AND NOT {shut} ORDER BY importance DESC, id DESC LIMIT ?", (state, *values, limit)
    )
    return [_candidate(row) for row in rows], every - out, out


def alike(
    cx: apsw.Connection, content_key: str, conversation_id: str | None, session_id: str | None, persona_id: str | None
) -> list[tuple[int, datetime | None]]:
    """(id, when it happens) of candidates with this text, of this session and scope, whatever became of them; the
    latest first.
    """
    rows = cx.execute(
        "SELECT id, event_time FROM candidates WHERE content_key = ? AND conversation_id IS ? AND session_id IS ? "
        "AND persona_id IS ? ORDER BY id DESC",
        (content_key, conversation_id, session_id, persona_id),
    )
    return [(row[0], None if row[1] is None else clock.from_text(row[1])) for row in rows]


def decide(
    cx: apsw.Connection, ids: Iterable[int], state: CandidateState, at: datetime, memory_id: int | None = None
) -> None:
    """Move candidates to a state; ``memory_id``: what an approved one became."""
    decided = None if state == "pending" else clock.to_text(at)
    cx.executemany(
        "UPDATE candidates SET state = ?, decided_at = ?, memory_id = ? WHERE id = ?",
        [(state, decided, memory_id, one) for one in ids],
    )


def is_due(cx: apsw.Connection, before: datetime) -> bool:
    """Whether :func:`purge` would remove any."""
    return bool(
        cx.execute(
            "SELECT EXISTS (SELECT 1 FROM candidates WHERE state <> 'pending' AND decided_at < ?)",
            (clock.to_text(before),),
        ).get
    )


def purge(cx: apsw.Connection, before: datetime) -> int:
    """Remove those that were decided before a moment; returns how many. What waits is never removed."""
    cx.execute("DELETE FROM candidates WHERE state <> 'pending' AND decided_at < ?", (clock.to_text(before),))
    return int(cx.changes())


def forget(cx: apsw.Connection, memory_ids: Iterable[int]) -> None:
    """Before memories are erased: candidates that say the same go with them, whatever their state."""
    wanted = id_array(memory_ids)
    if wanted:
        cx.execute(
            "DELETE FROM candidates WHERE memory_id IN (SELECT value FROM carray(?1)) OR content_key IN "
            "(SELECT content_key FROM memories WHERE id IN (SELECT value FROM carray(?1)))",
            (apsw.carray(wanted),),
        )


def _told(given: Mapping[str, Any], prepared: Mapping[str, Any]) -> dict[str, Any]:
    same = ("content_key", "importance", "sensitivity", "conversation_id", "persona_id", "event_time")
    return {
        "draft": columns.dump(given), "session_id": given.get("session_id"),
        **{name: columns.encode(name, prepared[name]) for name in same},
    }  # fmt: skip


def _candidate(row: tuple[Any, ...]) -> Candidate:
    (
        candidate_id, state, draft, importance, sensitivity, session_id, kind, name, created_at, decided_at, memory_id,
    ) = row  # fmt: skip
    # A field that a draft no longer has says nothing any more.
    told = {key: value for key, value in columns.load(draft).items() if key in Draft.__dataclass_fields__}
    return Candidate(
        candidate_id, cast(CandidateState, state), Draft(**told), importance, cast(Sensitivity, sensitivity),
        session_id, Actor(kind, name), clock.from_text(created_at),
        None if decided_at is None else clock.from_text(decided_at), memory_id,
    )  # fmt: skip
