"""What search, patterns and browsing by day read, each in one query. Reads only; must not rank beyond ORDER BY."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

import apsw

from engine import clock
from engine.storage.selection import id_array, where
from engine.types import Filters, SearchOrder, SearchSort

_COLUMN: Final = {"relevance": "relevance", "score": "v.strength", "timestamp": "m.occurred_at"}
_DIRECTION: Final = {"desc": "DESC", "asc": "ASC"}


class Matching(NamedTuple):
    """A memory that matches: ``relevance`` is its BM25 ≥ 0, 0.0 where nothing was asked."""

    memory_id: int
    relevance: float
    strength: float


class Plain(NamedTuple):
    """What patterns count of a memory; ``at``: when it was (text, UTC)."""

    memory_id: int
    at: str
    layer: str
    strength: float


class Weighed(NamedTuple):
    """What S4's score is made of: ``touched`` is the last recall (or telling), None where there was none."""

    importance: float
    recall_count: int
    emotion: float
    touched: datetime | None


def matching(
    cx: apsw.Connection, expression: str, filters: Filters, scores: tuple[float, float], sort: SearchSort,
    order: SearchOrder, limit: int,
) -> tuple[list[Matching], int]:  # fmt: skip
    """The first ``limit`` memories in order, and how many there are. ``expression``: FTS5, "" = everything;
    ``scores``: the least and the most strength. Equal ones come by time, then by id.
    """
    condition, values = where(filters)
    if expression:
        source = "lexical CROSS JOIN memories AS m ON m.id = lexical.rowid"
        relevance, asked = "max(0.0, -bm25(lexical))", "lexical MATCH ? AND"
        values.insert(0, expression)
    else:
        source, relevance, asked = "memories AS m", "0.0", ""
    source += " CROSS JOIN vitality AS v ON v.memory_id = m.id"
    condition = f"{asked} {condition} AND v.strength BETWEEN ? AND ?"
    values += scores
    way = _DIRECTION[order]
    rows: list[Any] = cx.execute(
        f"SELECT m.id, {relevance} AS relevance, v.strength FROM {source} WHERE {condition} "
        f"ORDER BY {_COLUMN[sort]} {way}, m.occurred_at {way}, m.id {way} LIMIT ?",
        (*values, limit),
    ).fetchall()
    total = int(cx.execute(f"SELECT count(*) FROM {source} WHERE {condition}", values).get)
    return [Matching(*row) for row in rows], total


def plain(cx: apsw.Connection, filters: Filters, limit: int) -> list[Plain]:
    """The newest ``limit`` memories that pass."""
    condition, values = where(filters)
    sql = (
        "SELECT m.id, m.occurred_at, m.layer, v.strength FROM memories AS m "
        f"CROSS JOIN vitality AS v ON v.memory_id = m.id WHERE {condition} "
        "ORDER BY m.occurred_at DESC, m.id DESC LIMIT ?"
    )
    return [Plain(*row) for row in cx.execute(sql, (*values, limit))]


def tag_counts(cx: apsw.Connection, ids: Iterable[int], limit: int) -> dict[str, int]:
    """How many of ``ids`` carry each tag, in one of its spellings, the most frequent first."""
    wanted = id_array(ids)
    if not wanted:
        return {}
    sql = (
        "SELECT min(t.label), count(*) AS n FROM carray(?) AS c CROSS JOIN memory_tags AS t ON t.memory_id = c.value "
        "GROUP BY t.tag ORDER BY n DESC, t.tag LIMIT ?"
    )
    rows: list[Any] = cx.execute(sql, (apsw.carray(wanted), limit)).fetchall()
    return dict(rows)


def tagged(cx: apsw.Connection, tags: Sequence[str], filters: Filters, limit: int) -> list[tuple[int, int]]:
    """(memory, how many of ``tags`` it carries) of those that carry any, most first, then the newest.

    ``tags`` as they are compared (``selection.tag_key``); a blank one is none.
    """
    asked = [tag for tag in dict.fromkeys(tags) if tag]
    if not asked:
        return []
    condition, values = where(filters)
    sql = (
        f"SELECT m.id, count(*) AS n FROM memory_tags AS t CROSS JOIN memories AS m ON m.id = t.memory_id "
        f"WHERE t.tag IN (SELECT value FROM carray(?)) AND {condition} "
        "GROUP BY m.id ORDER BY n DESC, m.occurred_at DESC, m.id DESC LIMIT ?"
    )
    rows: list[Any] = cx.execute(sql, (apsw.carray(tuple(asked)), *values, limit)).fetchall()
    return rows


def weighed(cx: apsw.Connection, ids: Iterable[int]) -> dict[int, Weighed]:
    """What each of ``ids`` is scored by."""
    wanted = id_array(ids)
    if not wanted:
        return {}
    sql = (
        "SELECT m.id, m.importance, v.recall_count, m.emotion_intensity, v.last_accessed_at FROM carray(?) AS c "
        "CROSS JOIN memories AS m ON m.id = c.value CROSS JOIN vitality AS v ON v.memory_id = m.id"
    )
    rows = cx.execute(sql, (apsw.carray(wanted),))
    return {row[0]: Weighed(row[1], row[2], row[3], clock.from_text(row[4]) if row[4] else None) for row in rows}


def counts_between(cx: apsw.Connection, borders: Sequence[datetime], filters: Filters) -> list[int]:
    """How many memories that pass were in each span [border, next border); ``borders`` ascending."""
    condition, values = where(filters)
    # Span by span along the index of time, which has all that a usual filter asks for.
    sql = f"SELECT count(*) FROM memories AS m WHERE {condition} AND m.occurred_at >= ? AND m.occurred_at < ?"
    texts = [clock.to_text(border) for border in borders]
    return [int(cx.execute(sql, (*values, since, until)).get) for since, until in itertools.pairwise(texts)]
