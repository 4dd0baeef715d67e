"""Which digests there are and what each was made of; what of a day, and of the digests below, no digest tells yet.

``digests`` and ``digest_sources`` follow from the memories' own fields: ``memories.py`` calls :func:`follow` after
every change of them, :func:`rebuild` makes all of it anew. Only user-wide memories are digested, and only a digest
that can be found counts. Must not know how days make weeks (``digest/levels.py`` does), nor which sensitivities are
hidden (``policy`` does): both are handed in.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import apsw

from engine import clock
from engine.storage.selection import id_array
from engine.types import FINDABLE

_IN_FORCE = f"{{0}}.status IN ({', '.join(repr(one) for one in FINDABLE)}) AND {{0}}.conversation_id IS NULL"
# What a day can be digested from: all that was told on it, also what was replaced since. In the words of the index
# ``memories_told``, so that it is used.
_TOLD = "m.conversation_id IS NULL AND m.category <> 'digest' AND m.status <> 'pending' AND m.status <> 'trashed'"
# The planner has no statistics and would take the index of conversations, which does not narrow anything here.
_TELLINGS = "memories AS m INDEXED BY memories_told"
_NO_DIGEST = "NOT EXISTS (SELECT 1 FROM digests AS own WHERE own.memory_id = m.id)"
_UNDIGESTED = (
    "NOT EXISTS (SELECT 1 FROM digest_sources AS s CROSS JOIN digests AS up ON up.memory_id = s.digest_id "
    "CROSS JOIN memories AS o ON o.id = up.memory_id "
    f"WHERE s.source_id = m.id AND up.level = {{level}} AND {_IN_FORCE.format('o')})"
)
_LEVEL = "json_extract(details, '$.digest_level')"
_FILL_DIGESTS = (
    "INSERT INTO digests (memory_id, level, period) "
    f"SELECT id, {_LEVEL}, coalesce(json_extract(details, '$.digest_period'), '') FROM memories WHERE {_LEVEL} > 0"
)
_FILL_SOURCES = (
    "INSERT OR IGNORE INTO digest_sources (digest_id, source_id) "
    "SELECT m.id, s.value FROM digests AS d CROSS JOIN memories AS m ON m.id = d.memory_id "
    "CROSS JOIN json_each(m.details, '$.sources') AS s WHERE 1"
)
# The fields that the tables follow from.
FIELDS = frozenset({"digest_level", "digest_period", "sources"})


class Made(NamedTuple):
    """A digest that can be found: ``period`` as it was written, ``at`` when it was stored (text)."""

    memory_id: int
    period: str
    at: str


def follow(cx: apsw.Connection, memory_id: int) -> None:
    """Bring the tables in line with one memory."""
    cx.execute("DELETE FROM digests WHERE memory_id = ?", (memory_id,))
    cx.execute(f"{_FILL_DIGESTS} AND id = ?", (memory_id,))
    cx.execute(f"{_FILL_SOURCES} AND d.memory_id = ?", (memory_id,))


def rebuild(cx: apsw.Connection) -> int:
    """Make the tables anew from the memories; returns the number of digests."""
    cx.execute("DELETE FROM digest_sources")
    cx.execute("DELETE FROM digests")
    cx.execute(_FILL_DIGESTS)
    cx.execute(_FILL_SOURCES)
    return int(cx.execute("SELECT count(*) FROM digests").get)


def made(cx: apsw.Connection, level: int) -> list[Made]:
    """The digests of a level that can be found, by period as it was written."""
    rows = cx.execute(
        "SELECT d.memory_id, d.period, m.created_at FROM digests AS d CROSS JOIN memories AS m ON m.id = d.memory_id "
        f"WHERE d.level = ? AND {_IN_FORCE.format('m')} ORDER BY d.period, d.memory_id",
        (level,),
    )
    return list(map(Made._make, rows))


def current(cx: apsw.Connection, level: int, period: str, conversation_id: str | None = None) -> list[int]:
    """The digests of a period that can be found, of exactly this scope; one, unless older rows say otherwise."""
    rows: list[Any] = cx.execute(
        "SELECT d.memory_id FROM digests AS d CROSS JOIN memories AS m ON m.id = d.memory_id "
        f"WHERE d.level = ? AND d.period = ? AND m.status IN ({', '.join('?' * len(FINDABLE))}) "
        "AND m.conversation_id IS ? ORDER BY d.memory_id",
        (level, period, *FINDABLE, conversation_id),
    ).fetchall()
    return [row[0] for row in rows]


def days_told(cx: apsw.Connection, before: datetime) -> list[str]:
    """The days of UTC ("2026-02-23") before ``before`` on which anything was told that can be digested, ascending.

    Leaps from day to day over an index, however many memories a day has.
    """
    # "T24" comes after every moment of a day and before the next day.
    rows: list[Any] = cx.execute(
        "WITH RECURSIVE told (day) AS ("
        f"SELECT substr(min(m.created_at), 1, 10) FROM {_TELLINGS} WHERE {_TOLD} UNION ALL "
        f"SELECT (SELECT substr(min(m.created_at), 1, 10) FROM {_TELLINGS} "
        f"WHERE {_TOLD} AND m.created_at > told.day || 'T24') FROM told WHERE told.day IS NOT NULL AND told.day < ?1"
        ") SELECT day FROM told WHERE day < ?1",
        (clock.to_text(before),),
    ).fetchall()
    return [row[0] for row in rows]


def enough_told(
    cx: apsw.Connection, ranges: Sequence[tuple[str, str]], least: int, hidden: Sequence[str]
) -> list[int]:  # fmt: skip
    """Which of ``ranges`` (texts of moments, half-open) hold at least ``least`` undigested memories: their places.

    Looks at no more than it must of any range; those of a ``hidden`` sensitivity do not count.
    """
    condition, values = _undigested(1, hidden)
    rows: list[Any] = cx.execute(
        f"SELECT r.key FROM json_each(?) AS r WHERE (SELECT count(*) FROM (SELECT 1 FROM {_TELLINGS} "
        f"WHERE {condition} AND m.created_at >= json_extract(r.value, '$[0]') "
        "AND m.created_at < json_extract(r.value, '$[1]') LIMIT ?)) = ?",
        (json.dumps(ranges), *values, least, least),
    ).fetchall()
    return [row[0] for row in rows]


def count_told(cx: apsw.Connection, since: datetime, until: datetime, hidden: Sequence[str]) -> int:
    """How many memories of [since, until) no digest tells yet."""
    condition, values = _undigested(1, hidden)
    return int(
        cx.execute(
            f"SELECT count(*) FROM {_TELLINGS} WHERE {condition} AND m.created_at >= ? AND m.created_at < ?",
            (*values, clock.to_text(since), clock.to_text(until)),
        ).get
    )


def told(
    cx: apsw.Connection, since: datetime, until: datetime, hidden: Sequence[str]
) -> tuple[list[tuple[int, float]], int]:
    """((id, importance) of all that a day can be digested from, in the order of telling; how many are hidden)."""
    rows: list[Any] = cx.execute(
        f"SELECT m.id, m.importance, m.sensitivity FROM {_TELLINGS} "
        f"WHERE {_TOLD} AND {_NO_DIGEST} AND m.created_at >= ? AND m.created_at < ? ORDER BY m.created_at, m.id",
        (clock.to_text(since), clock.to_text(until)),
    ).fetchall()
    shown = [(memory_id, importance) for memory_id, importance, sensitivity in rows if sensitivity not in hidden]
    return shown, len(rows) - len(shown)


def undigested(cx: apsw.Connection, level: int, hidden: Sequence[str]) -> list[tuple[int, str]]:
    """(id, period) of the digests of a level that none of the level above tells yet."""
    condition = " AND ".join([_IN_FORCE.format("m"), _UNDIGESTED.format(level=level + 1), *_unhidden(hidden)])
    rows: list[Any] = cx.execute(
        "SELECT d.memory_id, d.period FROM digests AS d CROSS JOIN memories AS m ON m.id = d.memory_id "
        f"WHERE d.level = ? AND {condition} ORDER BY d.period, d.memory_id",
        (level, *hidden),
    ).fetchall()
    return rows


def levels_of(cx: apsw.Connection, ids: Iterable[int]) -> dict[int, int]:
    """The level of each memory that exists and is not in the trash; 0 for one that is no digest, -1 for one that
    calls itself a digest but has no level."""
    wanted = id_array(ids)
    if not wanted:
        return {}
    rows: list[Any] = cx.execute(
        "SELECT m.id, coalesce(d.level, iif(m.category = 'digest', -1, 0)) FROM carray(?) AS c "
        "CROSS JOIN memories AS m ON m.id = c.value LEFT JOIN digests AS d ON d.memory_id = m.id "
        "WHERE m.status NOT IN ('pending', 'trashed')",
        (apsw.carray(wanted),),
    ).fetchall()
    return dict(rows)


def telling(cx: apsw.Connection, memory_id: int) -> list[int]:
    """The digests that were made of ``memory_id`` and can be found, ascending by level."""
    rows: list[Any] = cx.execute(
        "SELECT s.digest_id FROM digest_sources AS s CROSS JOIN digests AS d ON d.memory_id = s.digest_id "
        f"CROSS JOIN memories AS m ON m.id = d.memory_id WHERE s.source_id = ? AND {_IN_FORCE.format('m')} "
        "ORDER BY d.level, d.memory_id",
        (memory_id,),
    ).fetchall()
    return [row[0] for row in rows]


def sources_of(cx: apsw.Connection, digest_id: int) -> list[int]:
    """What a digest was made of, by id; some may be gone by now."""
    rows: list[Any] = cx.execute(
        "SELECT source_id FROM digest_sources WHERE digest_id = ? ORDER BY source_id", (digest_id,)
    ).fetchall()
    return [row[0] for row in rows]


def _undigested(level: int, hidden: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    return " AND ".join([_TOLD, *_unhidden(hidden), _NO_DIGEST, _UNDIGESTED.format(level=level)]), tuple(hidden)


def _unhidden(hidden: Sequence[str]) -> list[str]:
    return [f"m.sensitivity NOT IN ({', '.join('?' * len(hidden))})"] if hidden else []
