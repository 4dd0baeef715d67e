"""The word index: FTS5 over prepared terms, ranked by BM25 (k1 1.2, b .75, FTS5's own). Derived, can be rebuilt.

Rows are memory ids; the text is not kept. Must not prepare terms or build expressions (``engine/text/terms.py``).
Scores are sorted here by ``ORDER BY bm25``: FTS5's own ``ORDER BY rank`` gives the same and takes 1.7 times as long.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from engine.index import bm25
from engine.storage import functions, selection
from engine.storage.selection import id_array
from engine.text.terms import FTS_TOKENIZE
from engine.types import Filters

# How much of the ranking is held against the filters before every match is.
_OVERFETCH = 2
_RANKED = "SELECT rowid, bm25(lexical) AS score FROM lexical WHERE lexical MATCH ? ORDER BY score, rowid"


def put(cx: apsw.Connection, memory_id: int, prepared: str) -> None:
    """Index the ``prepared`` terms of a memory (``terms.fts_row``), in place of those it had."""
    cx.execute("INSERT OR REPLACE INTO lexical (rowid, terms) VALUES (?, ?)", (memory_id, prepared))


def remove(cx: apsw.Connection, ids: Iterable[int]) -> None:
    """Take memories out; ids that are not in are ignored."""
    wanted = id_array(ids)
    if wanted:
        cx.execute("DELETE FROM lexical WHERE rowid IN (SELECT value FROM carray(?))", (apsw.carray(wanted),))


def clear(cx: apsw.Connection) -> None:
    """Empty the index."""
    cx.execute("INSERT INTO lexical (lexical) VALUES ('delete-all')")


def count(cx: apsw.Connection) -> int:
    """How many memories are in the index."""
    return int(cx.execute("SELECT count(*) FROM lexical_docsize").get)


def search(cx: apsw.Connection, expression: str, limit: int, filters: Filters | None) -> list[tuple[int, float]]:
    """The ``limit`` best memories for an FTS5 ``expression`` that pass ``filters``: (memory id, BM25 ≥ 0), best first.

    Equal to ranking everything and filtering afterwards: a filter costs no hit and changes no score.
    """
    if not expression or limit < 1:
        return []
    if filters is None:
        return _scored(cx.execute(f"{_RANKED} LIMIT ?", (expression, limit)))
    size = limit * _OVERFETCH
    best: list[Any] = cx.execute(f"{_RANKED} LIMIT ?", (expression, size)).fetchall()
    passing = selection.restrict(cx, (row[0] for row in best), filters)
    if len(passing) >= limit or len(best) < size:
        return _scored(row for row in best if row[0] in passing)[:limit]
    # The filters let little through: ask them about every match, and score only what passes.
    condition, values = selection.where(filters)
    sql = (
        "SELECT m.id, bm25(lexical) AS score FROM lexical CROSS JOIN memories AS m ON m.id = lexical.rowid "
        f"WHERE lexical MATCH ? AND {condition} ORDER BY score, m.id LIMIT ?"
    )
    return _scored(cx.execute(sql, (expression, *values, limit)))


def search_within(cx: apsw.Connection, expression: str, ids: Iterable[int], limit: int) -> list[tuple[int, float]]:
    """As :func:`search` over just ``ids``, with their own term statistics: as if nothing else were in the store."""
    wanted = id_array(ids)
    if not expression or not wanted or limit < 1:
        return []
    # The unary + keeps FTS5 from running the whole match once for each id.
    rows: list[Any] = cx.execute(
        "SELECT rowid, term_counts(lexical) FROM lexical WHERE lexical MATCH ? "
        "AND +rowid IN (SELECT value FROM carray(?))",
        (expression, apsw.carray(wanted)),
    ).fetchall()
    if not rows:
        return []
    table = functions.unpack([row[1] for row in rows])
    found = bm25.scores(table[:, 1:], table[:, 0], len(wanted))
    keys = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
    best = np.lexsort((keys, -found))[:limit]
    return list(zip(keys[best].tolist(), found[best].tolist(), strict=True))


def matching(cx: apsw.Connection, expression: str, most: int) -> list[int]:
    """Up to ``most`` memories that match an FTS5 ``expression``, ascending, whatever their rank."""
    if not expression or most < 1:
        return []
    sql = "SELECT rowid FROM lexical WHERE lexical MATCH ? ORDER BY rowid LIMIT ?"
    return [row[0] for row in cx.execute(sql, (expression, most))]


def presence(cx: apsw.Connection, expression: str, ids: NDArray[np.int64]) -> NDArray[np.float64]:
    """Which of ``ids`` [n] have which phrases of an FTS5 ``expression``: 1 or 0 [n, phrases]."""
    if not expression or not len(ids):
        return np.zeros((len(ids), 0))
    rows: list[Any] = cx.execute(
        "SELECT rowid, term_counts(lexical) FROM lexical WHERE lexical MATCH ? "
        "AND +rowid IN (SELECT value FROM carray(?))",
        (expression, apsw.carray(id_array(ids.tolist()))),
    ).fetchall()
    if not rows:
        return np.zeros((len(ids), 1))
    table = functions.unpack([row[1] for row in rows])[:, 1:]
    place = {memory_id: at for at, memory_id in enumerate(ids.tolist())}
    found = np.zeros((len(ids), table.shape[1]))
    found[[place[row[0]] for row in rows]] = table > 0
    return found


def frequency(cx: apsw.Connection, expression: str, most: int) -> int:
    """How many memories match an FTS5 ``expression``, counted up to ``most``."""
    sql = "SELECT count(*) FROM (SELECT 1 FROM lexical WHERE lexical MATCH ? LIMIT ?)"
    return int(cx.execute(sql, (expression, most)).get) if expression else 0


def stems(cx: apsw.Connection, words: Iterable[str]) -> list[str]:
    """What the index keeps of each of ``words`` (terms without white space): its stem, by FTS5's own tokenizer."""
    joined = " ".join(words).encode("utf-8")
    kind, *options = shlex.split(FTS_TOKENIZE)
    found = cx.fts5_tokenizer(kind, options)(joined, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False)
    return [str(stem[0]) for stem in found]


def _scored(rows: Iterable[tuple[Any, ...]]) -> list[tuple[int, float]]:
    """FTS5's bm25 is negative for good; a term in more than half of all rows counts next to nothing there."""
    return [(row[0], max(0.0, -row[1])) for row in rows]
