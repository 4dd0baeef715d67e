"""What may come up unasked, as narrow rows: profile and states, events, plans, dated memories, strong feelings.

Reads only. Must not rank or choose (``engine/surfacing`` does); whoever may be seen is decided by ``selection.where``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import apsw

from engine import clock
from engine.storage.selection import id_array, where
from engine.types import Filters

# When a memory came to be known or happened, the later for what still lies ahead: the order of "newest".
_HAPPENED = "CASE WHEN m.event_time > ? THEN m.created_at ELSE m.occurred_at END"
# A closed memory that is active again was brought back: it holds.
_HOLDS = (
    "(m.valid_to IS NULL OR m.valid_to > ? OR m.superseded_by IS NOT NULL) "
    "AND (m.valid_from IS NULL OR m.valid_from <= ?)"
)


class Standing(NamedTuple):
    """A fact or state that holds. ``characters``: length of its text; ``moment``: text form of its time."""

    layer: str
    pinned: int
    characters: int
    moment: str
    id: int
    sensitivity: str


class Happening(NamedTuple):
    """An event; ``tags`` and ``topics`` are JSON lists."""

    id: int
    moment: str
    sensitivity: str
    tags: str
    topics: str


class Planned(NamedTuple):
    """A planned fact as one memory tells it."""

    atom_id: int
    due: datetime
    memory_id: int
    text: str
    sensitivity: str
    resolved: int


class Dated(NamedTuple):
    """A memory whose own date lies ahead."""

    memory_id: int
    due: datetime
    sensitivity: str


class Feeling(NamedTuple):
    """A memory that moved the user and is not resolved; ``activation``: its fading count of uses."""

    id: int
    importance: float
    emotion: float
    valence: float
    activation: float


def standing(cx: apsw.Connection, filters: Filters, now: datetime) -> list[Standing]:
    """Every fact and state that passes ``filters`` and holds at ``now``, as plain tuples of a ``Standing``'s fields.

    Hot: read from an index alone, for which the layers must stand in the statement.
    """
    condition, values = where(filters)
    moment = clock.to_text(now)
    sql = (
        f"SELECT m.layer, m.pinned, length(m.content), {_HAPPENED}, m.id, m.sensitivity FROM memories AS m "
        f"WHERE m.layer IN ('fact', 'state') AND {condition} AND {_HOLDS}"
    )
    rows: list[Any] = cx.execute(sql, (moment, *values, moment, moment)).fetchall()
    return rows


def carrying(cx: apsw.Connection, keys: Sequence[str]) -> set[int]:
    """The memories that carry any of these tags, written as ``selection.tag_key`` does, whatever their status."""
    marks = ", ".join("?" * len(keys))
    # One row with all of them: a row each takes several times as long.
    sql = f"SELECT json_group_array(memory_id) FROM memory_tags WHERE tag IN ({marks})"
    return set(json.loads(cx.execute(sql, tuple(keys)).get))


def happenings(cx: apsw.Connection, filters: Filters, now: datetime, limit: int) -> list[Happening]:
    """The newest memories that pass ``filters``, at most ``limit``; one still ahead counts from when it was stored."""
    condition, values = where(filters)
    moment = clock.to_text(now)
    selected = "SELECT m.id, {when}, m.sensitivity, m.tags, m.topics FROM memories AS m"
    past = (
        f"{selected.format(when='m.occurred_at')} WHERE {condition} AND m.occurred_at <= ? "
        "ORDER BY m.occurred_at DESC, m.id DESC LIMIT ?"
    )
    # Beside what is ahead: what a clock that was wrong stored with a time ahead.
    ahead = (
        f"{selected.format(when='m.created_at')} WHERE {condition} AND m.occurred_at > ? "
        "ORDER BY +m.created_at DESC, m.id DESC LIMIT ?"
    )
    rows = [Happening._make(row) for sql in (past, ahead) for row in cx.execute(sql, (*values, moment, limit))]
    return sorted(rows, key=lambda row: (row.moment, row.id), reverse=True)[:limit]


def planned(cx: apsw.Connection, filters: Filters, since: datetime, until: datetime) -> list[Planned]:
    """Each telling, by a memory that passes ``filters``, of a live plan with a date in [since, until).

    A digest only retells what its sources told, counted from another day.
    """
    condition, values = where(filters)
    sql = (
        "SELECT a.id, a.event_time, n.memory_id, e.text, m.sensitivity, m.resolved FROM atoms AS a "
        "CROSS JOIN mentions AS n ON n.atom_id = a.id CROSS JOIN memories AS m ON m.id = n.memory_id "
        "CROSS JOIN entries AS e ON e.id = n.entry_id WHERE a.type = 'planned' AND a.status = 'active' "
        f"AND a.event_time >= ? AND a.event_time < ? AND {condition} AND n.memory_id NOT IN "
        "(SELECT memory_id FROM digests) ORDER BY a.event_time, a.id, n.memory_id, e.id"
    )
    rows: Iterable[Any] = cx.execute(sql, (clock.to_text(since), clock.to_text(until), *values))
    return [Planned(row[0], clock.from_text(row[1]), *row[2:]) for row in rows]


def dated(cx: apsw.Connection, filters: Filters, since: datetime, until: datetime, now: datetime) -> list[Dated]:
    """Unresolved memories that pass ``filters`` with a date of their own in [since, until), told before it came."""
    condition, values = where(filters)
    sql = (
        "SELECT m.id, m.event_time, m.sensitivity FROM memories AS m WHERE m.occurred_at >= ? AND m.occurred_at < ? "
        "AND m.event_time IS NOT NULL AND m.resolved = 0 AND (m.event_time > ? OR m.created_at <= m.event_time) "
        f"AND {condition} ORDER BY m.event_time, m.id"
    )
    rows: Iterable[Any] = cx.execute(sql, (*(clock.to_text(one) for one in (since, until, now)), *values))
    return [Dated(memory_id, clock.from_text(due), sensitivity) for memory_id, due, sensitivity in rows]


def feelings(cx: apsw.Connection, filters: Filters, least: float) -> list[Feeling]:
    """Unresolved memories that pass ``filters`` and moved the user at all, by ``least`` (0..10) or more."""
    condition, values = where(filters)
    sql = (
        "SELECT m.id, m.importance, m.emotion_intensity, m.valence, v.access_count FROM memories AS m "
        "CROSS JOIN vitality AS v ON v.memory_id = m.id WHERE m.emotion_intensity > 0 AND m.emotion_intensity >= ? "
        f"AND m.resolved = 0 AND {condition}"
    )
    return list(map(Feeling._make, cx.execute(sql, (least, *values))))


def uids(cx: apsw.Connection) -> list[tuple[int, str]]:
    """(id, uid) of every memory, whatever its status."""
    rows: list[Any] = cx.execute("SELECT id, uid FROM memories").fetchall()
    return rows


def stored_before(cx: apsw.Connection, ids: Iterable[int], filters: Filters, before: datetime) -> set[int]:
    """Which of ``ids`` pass ``filters`` and were stored before a moment."""
    wanted = id_array(ids)
    if not wanted:
        return set()
    condition, values = where(filters)
    sql = (
        "SELECT m.id FROM carray(?) AS c CROSS JOIN memories AS m ON m.id = c.value "
        f"WHERE m.created_at < ? AND {condition}"
    )
    return {row[0] for row in cx.execute(sql, (apsw.carray(wanted), clock.to_text(before), *values))}
