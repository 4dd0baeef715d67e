"""Vectors of passages, kept as float16: the source from which any vector index is rebuilt.

A vector never changes under its key (identity, passage), and vectors of different identities are never mixed.
Must not compare vectors (``engine/index/vector.py`` does) nor make them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from engine.errors import InvalidArgument
from engine.storage.selection import id_array

_STORED = np.dtype("<f2")
_BLOCK = 4096


def identity_id(cx: apsw.Connection, identity: str, dimension: int) -> int:
    """The id of this embedder identity, made where it is new. The same name with another dimension is another one.

    Errors: ``InvalidArgument`` for an empty identity or a dimension that is not positive.
    """
    if not identity:
        raise InvalidArgument(field="identity", reason="empty")
    if dimension < 1:
        raise InvalidArgument(field="dimension", reason="not_positive")
    key = (identity, dimension)
    found = cx.execute("SELECT id FROM identities WHERE identity = ? AND dimension = ?", key).get
    if found is None:
        found = cx.execute("INSERT INTO identities (identity, dimension) VALUES (?, ?) RETURNING id", key).get
    return int(found)


def identities(cx: apsw.Connection) -> list[tuple[int, str, int]]:
    """(id, identity, dimension) of all, the oldest first."""
    rows: list[Any] = cx.execute("SELECT id, identity, dimension FROM identities ORDER BY id").fetchall()
    return rows


def drop_identity(cx: apsw.Connection, identity: int) -> None:
    """Delete an identity and all its vectors."""
    cx.execute("DELETE FROM vectors WHERE identity_id = ?", (identity,))
    cx.execute("DELETE FROM identities WHERE id = ?", (identity,))


def put(cx: apsw.Connection, identity: int, made: Iterable[tuple[int, NDArray[np.floating]]]) -> list[int]:
    """Store (passage id, vector [dimension]); returns the passages that have one now.

    A passage that is gone meanwhile is skipped; one that has a vector keeps it. Errors: ``InvalidArgument``
    with field "vector" and reason "dimension", "not_finite" or "zero"; ``ValueError`` for an unknown identity.
    """
    dimension = _dimension(cx, identity)
    kept: list[int] = []
    for passage_id, vector in made:
        blob = _blob(vector, dimension)
        if cx.execute("SELECT 1 FROM passages WHERE id = ?", (passage_id,)).get is None:
            continue
        cx.execute(
            "INSERT INTO vectors (identity_id, passage_id, vector) VALUES (?, ?, ?) "
            "ON CONFLICT (passage_id, identity_id) DO NOTHING",
            (identity, passage_id, blob),
        )
        kept.append(int(passage_id))
    return kept


def load(cx: apsw.Connection, identity: int) -> tuple[NDArray[np.int64], NDArray[np.float16]]:
    """All vectors of an identity: (passage ids int64 [n] ascending, float16 [n, dimension])."""
    rows = cx.execute("SELECT passage_id, vector FROM vectors WHERE identity_id = ?", (identity,))
    return _matrix(rows, count(cx, identity), _dimension(cx, identity))


def of(cx: apsw.Connection, identity: int, passage_ids: Iterable[int]) -> tuple[NDArray[np.int64], NDArray[np.float16]]:
    """As :func:`load`, for these passages only; those without a vector are left out."""
    wanted = id_array(dict.fromkeys(passage_ids))
    if not wanted:
        return _matrix((), 0, _dimension(cx, identity))
    sql = (
        "SELECT v.passage_id, v.vector FROM carray(?) AS c CROSS JOIN vectors AS v "
        "ON v.passage_id = c.value AND v.identity_id = ?"
    )
    rows = cx.execute(sql, (apsw.carray(wanted), identity)).fetchall()
    return _matrix(rows, len(rows), _dimension(cx, identity))


def keys(cx: apsw.Connection, identity: int) -> NDArray[np.int64]:
    """The passages that have a vector of this identity, ascending; reads no vector."""
    rows = cx.execute("SELECT passage_id FROM vectors WHERE identity_id = ? ORDER BY passage_id", (identity,))
    return np.fromiter((row[0] for row in rows), dtype=np.int64)


def missing(
    cx: apsw.Connection, identity: int, limit: int, below: int = (1 << 63) - 1
) -> list[tuple[int, int, int, int]]:
    """(passage id, memory id, start, end) that lack a vector of this identity, newest first; none of the trash.

    ``below``: only passages with a smaller id, so that a walk through all need not begin anew for each part.
    """
    sql = (
        "SELECT p.id, p.memory_id, p.start_offset, p.end_offset FROM passages AS p "
        "LEFT JOIN vectors AS v ON v.passage_id = p.id AND v.identity_id = ? "
        "CROSS JOIN memories AS m ON m.id = p.memory_id "
        "WHERE p.id < ? AND v.passage_id IS NULL AND +m.status <> 'trashed' ORDER BY p.id DESC LIMIT ?"
    )
    rows: list[Any] = cx.execute(sql, (identity, below, limit)).fetchall()
    return rows


def without(cx: apsw.Connection, identity: int, passage_ids: Iterable[int]) -> set[int]:
    """Which of these passages are there and lack a vector of this identity."""
    asked = id_array(passage_ids)
    if not asked:
        return set()
    sql = (
        "SELECT p.id FROM carray(?) AS c CROSS JOIN passages AS p ON p.id = c.value "
        "LEFT JOIN vectors AS v ON v.passage_id = p.id AND v.identity_id = ? WHERE v.passage_id IS NULL"
    )
    rows: list[Any] = cx.execute(sql, (apsw.carray(asked), identity)).fetchall()
    return {row[0] for row in rows}


def complete(cx: apsw.Connection, identity: int, memory_ids: Iterable[int]) -> list[int]:
    """Which of these memories have a vector of this identity for every passage; ascending."""
    asked = id_array(dict.fromkeys(memory_ids))
    if not asked:
        return []
    sql = (
        "SELECT m.id FROM carray(?) AS c CROSS JOIN memories AS m ON m.id = c.value WHERE NOT EXISTS ("
        "SELECT 1 FROM passages AS p LEFT JOIN vectors AS v ON v.passage_id = p.id AND v.identity_id = ? "
        "WHERE p.memory_id = m.id AND v.passage_id IS NULL) ORDER BY m.id"
    )
    rows: list[Any] = cx.execute(sql, (apsw.carray(asked), identity)).fetchall()
    return [row[0] for row in rows]


def count(cx: apsw.Connection, identity: int) -> int:
    """How many vectors of this identity there are, those of trashed memories included."""
    return int(cx.execute("SELECT count(*) FROM vectors WHERE identity_id = ?", (identity,)).get)


def wanted(cx: apsw.Connection, identity: int | None = None) -> int:
    """How many vectors there will be when nothing is missing; with an identity, equal to :func:`count` exactly then.

    A trashed memory needs no vector but keeps the one it has. None: as for an identity without any vector yet.
    """
    # Subtracting the few that need none spares a walk over all memories.
    sql = (
        "SELECT (SELECT count(*) FROM passages) - (SELECT count(*) FROM memories AS m "
        "CROSS JOIN passages AS p ON p.memory_id = m.id "
        "LEFT JOIN vectors AS v ON v.passage_id = p.id AND v.identity_id = ? "
        "WHERE m.status = 'trashed' AND v.passage_id IS NULL)"
    )
    return int(cx.execute(sql, (identity,)).get)


def _dimension(cx: apsw.Connection, identity: int) -> int:
    dimension = cx.execute("SELECT dimension FROM identities WHERE id = ?", (identity,)).get
    if dimension is None:
        raise ValueError(f"no identity {identity}")
    return int(dimension)


def _blob(vector: NDArray[np.floating], dimension: int) -> bytes:
    if vector.shape != (dimension,):
        raise InvalidArgument(field="vector", reason="dimension", allowed=[dimension], found=list(vector.shape))
    # Beyond float16's range becomes infinite, which the next check refuses; numpy need not warn as well.
    with np.errstate(over="ignore", invalid="ignore"):
        stored = vector.astype(_STORED)
    if not np.isfinite(stored).all():
        raise InvalidArgument(field="vector", reason="not_finite")
    if not stored.any():
        raise InvalidArgument(field="vector", reason="zero")
    return stored.tobytes()


def _matrix(rows: Iterable[Sequence[Any]], size: int, dimension: int) -> tuple[NDArray[np.int64], NDArray[np.float16]]:
    """Block by block into one allocation: a million vectors must not exist twice."""
    found = np.empty(size, dtype=np.int64)
    matrix = np.empty((size, dimension), dtype=np.float16)
    stream = iter(rows)
    at = 0
    while block := list(itertools.islice(stream, _BLOCK)):
        end = at + len(block)
        found[at:end] = [row[0] for row in block]
        matrix[at:end] = np.frombuffer(b"".join(row[1] for row in block), dtype=_STORED).reshape(-1, dimension)
        at = end
    if at and not (np.diff(found) > 0).all():
        order = np.argsort(found, kind="stable")
        return found[order], matrix[order]
    return found, matrix
