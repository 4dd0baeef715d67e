"""The word index of the graph's entries: spellings of people and topics, texts of facts. Derived, can be rebuilt.

Rows are entry ids, ranked by BM25 as in ``lexical.py``. Writes of the graph keep it (``storage/graph.py``); must not
decide which entry is searched, nor prepare terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import apsw

from engine.storage import selection
from engine.storage.selection import id_array
from engine.types import EntityType, Filters

_OVERFETCH = 2
_RANKED = (
    "SELECT rowid, bm25(entries_lexical) AS score FROM entries_lexical WHERE entries_lexical MATCH ? "
    "ORDER BY score, rowid LIMIT ?"
)


def put(cx: apsw.Connection, entry_id: int, prepared: str) -> None:
    """Index the ``prepared`` terms of an entry (``terms.fts_row``), in place of those it had."""
    cx.execute("INSERT OR REPLACE INTO entries_lexical (rowid, terms) VALUES (?, ?)", (entry_id, prepared))


def remove(cx: apsw.Connection, ids: Iterable[int]) -> None:
    """Take entries out; ids that are not in are ignored."""
    wanted = id_array(ids)
    if wanted:
        cx.execute("DELETE FROM entries_lexical WHERE rowid IN (SELECT value FROM carray(?))", (apsw.carray(wanted),))


def clear(cx: apsw.Connection) -> None:
    """Empty the index."""
    cx.execute("INSERT INTO entries_lexical (entries_lexical) VALUES ('delete-all')")


def sound(cx: apsw.Connection) -> bool:
    """Whether the index itself is whole; what it should hold is another question."""
    try:
        cx.execute("INSERT INTO entries_lexical (entries_lexical) VALUES ('integrity-check')")
    except apsw.CorruptError:
        return False
    return True


def count(cx: apsw.Connection) -> int:
    """How many entries are in the index."""
    return int(cx.execute("SELECT count(*) FROM entries_lexical_docsize").get)


def search(
    cx: apsw.Connection,
    expression: str,
    limit: int,
    filters: Filters | None = None,
    types: Sequence[EntityType] = (),
) -> list[tuple[int, float]]:
    """The ``limit`` best entries for an FTS5 ``expression``: (entry id, BM25 ≥ 0), best first.

    ``filters``: only entries that a memory which passes them mentions; ``types``: only entities of these. Equal to
    ranking everything and filtering afterwards.
    """
    if not expression or limit < 1:
        return []
    if filters is None and not types:
        return _scored(cx.execute(_RANKED, (expression, limit)))
    size = limit * _OVERFETCH
    best: list[Any] = cx.execute(_RANKED, (expression, size)).fetchall()
    condition, values = _visible(filters, types)
    sql = f"SELECT e.id FROM carray(?) AS c CROSS JOIN entries AS e ON e.id = c.value WHERE {condition}"
    wanted = id_array(row[0] for row in best)
    passing = {row[0] for row in cx.execute(sql, (apsw.carray(wanted), *values))} if wanted else set()
    if len(passing) >= limit or len(best) < size:
        return _scored(row for row in best if row[0] in passing)[:limit]
    sql = (
        "SELECT e.id, bm25(entries_lexical) AS score FROM entries_lexical "
        "CROSS JOIN entries AS e ON e.id = entries_lexical.rowid "
        f"WHERE entries_lexical MATCH ? AND {condition} ORDER BY score, e.id LIMIT ?"
    )
    return _scored(cx.execute(sql, (expression, *values, limit)))


def _visible(filters: Filters | None, types: Sequence[EntityType]) -> tuple[str, list[Any]]:
    """(condition over ``entries AS e``, its parameters)."""
    parts: list[str] = []
    values: list[Any] = []
    if types:
        marks = ", ".join("?" * len(types))
        parts.append(f"(SELECT n.type FROM nodes AS n WHERE n.id = e.node_id) IN ({marks})")
        values.extend(types)
    if filters is not None:
        condition, bound = selection.where(filters, "mm")
        parts.append(
            "EXISTS (SELECT 1 FROM mentions AS mt CROSS JOIN memories AS mm ON mm.id = mt.memory_id "
            f"WHERE mt.entry_id = e.id AND {condition})"
        )
        values.extend(bound)
    return " AND ".join(parts), values


def _scored(rows: Iterable[tuple[Any, ...]]) -> list[tuple[int, float]]:
    return [(row[0], max(0.0, -row[1])) for row in rows]
