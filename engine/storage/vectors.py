"""Vectors of passages and of facts, kept as float16: the source from which any vector index is rebuilt.

A vector never changes under its key (identity, passage or entry), and vectors of different identities are never
mixed. Must not compare vectors (``engine/index/vector.py`` does) nor make them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import apsw
import numpy as np
from numpy.typing import NDArray

from engine.errors import InvalidArgument
from engine.storage.selection import id_array
from engine.text.normalise import content_key

_STORED = np.dtype("<f2")
_BLOCK = 4096
_TOP = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Family:
    """One kind of text with vectors: ``key`` of ``table`` is the id of a row of ``source``; the rest is SQL.

    ``owned``: (key, memory_id) of all that memories own. ``missing``: (key, memory id) without a vector of identity
    ?1 and of a memory outside the trash, below key ?2, at most ?3, newest first. ``wanted``: see :func:`wanted`.
    ``texts``: (key, text before or NULL, text, start, end) of the keys in array ?1.
    """

    name: Literal["passages", "facts"]
    table: str
    key: str
    source: str
    owned: str
    missing: str
    wanted: str
    texts: str


PASSAGES: Final = Family(
    name="passages",
    table="vectors",
    key="passage_id",
    source="passages",
    owned="SELECT id AS key, memory_id FROM passages",
    missing=(
        "SELECT p.id, p.memory_id FROM passages AS p "
        "LEFT JOIN vectors AS v ON v.passage_id = p.id AND v.identity_id = ?1 "
        "CROSS JOIN memories AS m ON m.id = p.memory_id "
        "WHERE p.id < ?2 AND v.passage_id IS NULL AND +m.status <> 'trashed' ORDER BY p.id DESC LIMIT ?3"
    ),
    # Subtracting the few that need none spares a walk over all memories.
    wanted=(
        "SELECT (SELECT count(*) FROM passages) - (SELECT count(*) FROM memories AS m "
        "CROSS JOIN passages AS p ON p.memory_id = m.id "
        "LEFT JOIN vectors AS v ON v.passage_id = p.id AND v.identity_id = ?1 "
        "WHERE m.status = 'trashed' AND v.passage_id IS NULL)"
    ),
    texts=(
        "SELECT p.id, b.content, m.content, p.start_offset, p.end_offset FROM carray(?1) AS c "
        "CROSS JOIN passages AS p ON p.id = c.value CROSS JOIN memories AS m ON m.id = p.memory_id "
        "LEFT JOIN memories AS b ON b.id = p.previous_id"
    ),
)

_GIVEN: Final = (
    "mentions AS t CROSS JOIN memories AS m ON m.id = t.memory_id "
    "WHERE t.entry_id = e.id AND t.given = 1 AND +m.status <> 'trashed'"
)
# Most entries have a vector, so that is asked first. ``n.id`` only keeps the dearest question for the last: without
# it SQLite would ask for the mentions of every entry.
_LACKING_FACT: Final = (
    "entries AS e LEFT JOIN fact_vectors AS v ON v.entry_id = e.id AND v.identity_id = ?1 "
    "CROSS JOIN nodes AS n ON n.id = e.node_id "
    f"WHERE v.entry_id IS NULL AND n.type = 'fact' AND EXISTS (SELECT 1 FROM {_GIVEN} AND n.id = e.node_id)"
)
FACTS: Final = Family(
    name="facts",
    table="fact_vectors",
    key="entry_id",
    source="entries",
    owned=(
        "SELECT t.entry_id AS key, t.memory_id FROM mentions AS t CROSS JOIN entries AS e ON e.id = t.entry_id "
        "CROSS JOIN nodes AS n ON n.id = e.node_id WHERE t.given = 1 AND n.type = 'fact'"
    ),
    missing=(
        f"SELECT e.id, (SELECT max(m.id) FROM {_GIVEN}) FROM {_LACKING_FACT} AND e.id < ?2 ORDER BY e.id DESC LIMIT ?3"
    ),
    wanted=(
        f"SELECT (SELECT count(*) FROM fact_vectors WHERE identity_id = ?1) + (SELECT count(*) FROM {_LACKING_FACT})"
    ),
    texts="SELECT e.id, NULL, e.text, 0, NULL FROM carray(?1) AS c CROSS JOIN entries AS e ON e.id = c.value",
)
FAMILIES: Final = (PASSAGES, FACTS)


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
    for family in FAMILIES:
        cx.execute(f"DELETE FROM {family.table} WHERE identity_id = ?", (identity,))
    cx.execute("DELETE FROM identities WHERE id = ?", (identity,))


def put(
    cx: apsw.Connection, identity: int, made: Iterable[tuple[int, NDArray[np.floating]]], family: Family = PASSAGES
) -> list[int]:
    """Store (key, vector [dimension]); returns the keys that have one now.

    A key that is gone meanwhile is skipped; one that has a vector keeps it. Errors: ``InvalidArgument`` with field
    "vector" and reason "dimension", "not_finite" or "zero"; ``ValueError`` for an unknown identity.
    """
    dimension = _dimension(cx, identity)
    there = f"SELECT 1 FROM {family.source} WHERE id = ?"
    store = (
        f"INSERT INTO {family.table} (identity_id, {family.key}, vector) VALUES (?, ?, ?) "
        f"ON CONFLICT ({family.key}, identity_id) DO NOTHING"
    )
    kept: list[int] = []
    for key, vector in made:
        blob = _blob(vector, dimension)
        if cx.execute(there, (key,)).get is None:
            continue
        cx.execute(store, (identity, key, blob))
        kept.append(int(key))
    return kept


def load(
    cx: apsw.Connection, identity: int, family: Family = PASSAGES
) -> tuple[NDArray[np.int64], NDArray[np.float16]]:
    """All vectors of an identity: (keys int64 [n] ascending, float16 [n, dimension])."""
    rows = cx.execute(f"SELECT {family.key}, vector FROM {family.table} WHERE identity_id = ?", (identity,))
    return _matrix(rows, count(cx, identity, family), _dimension(cx, identity))


def of(
    cx: apsw.Connection, identity: int, keys: Iterable[int], family: Family = PASSAGES
) -> tuple[NDArray[np.int64], NDArray[np.float16]]:
    """As :func:`load`, for these keys only; those without a vector are left out."""
    asked = id_array(dict.fromkeys(keys))
    if not asked:
        return _matrix((), 0, _dimension(cx, identity))
    sql = (
        f"SELECT v.{family.key}, v.vector FROM carray(?) AS c CROSS JOIN {family.table} AS v "
        f"ON v.{family.key} = c.value AND v.identity_id = ?"
    )
    rows = cx.execute(sql, (apsw.carray(asked), identity)).fetchall()
    return _matrix(rows, len(rows), _dimension(cx, identity))


def keys(cx: apsw.Connection, identity: int, family: Family = PASSAGES) -> NDArray[np.int64]:
    """What has a vector of this identity, ascending; reads no vector."""
    sql = f"SELECT {family.key} FROM {family.table} WHERE identity_id = ? ORDER BY {family.key}"
    return np.fromiter((row[0] for row in cx.execute(sql, (identity,))), dtype=np.int64)


def missing(
    cx: apsw.Connection, identity: int, limit: int, below: int = _TOP, family: Family = PASSAGES
) -> list[tuple[int, int]]:
    """(key, a memory of it) that lack a vector of this identity, newest first; none that only the trash has.

    ``below``: only smaller keys, so that a walk through all need not begin anew for each part.
    """
    rows: list[Any] = cx.execute(family.missing, (identity, below, limit)).fetchall()
    return rows


def texts(cx: apsw.Connection, keys: Iterable[int], family: Family = PASSAGES) -> dict[int, str]:
    """The text of each key, of which its vector is made; a key that is gone is left out."""
    asked = id_array(keys)
    if not asked:
        return {}
    rows: list[Any] = cx.execute(family.texts, (apsw.carray(asked),)).fetchall()
    return {key: text[start:end] if before is None else f"{before}\n{text}" for key, before, text, start, end in rows}


def known(cx: apsw.Connection, identity: int, asked: Iterable[str]) -> dict[str, NDArray[np.float16]]:
    """The vectors of those texts that are the whole of some memory, in one passage that has its vector."""
    sql = (
        "SELECT m.content, p.start_offset, p.end_offset, v.vector FROM memories AS m "
        "CROSS JOIN passages AS p ON p.memory_id = m.id AND p.previous_id IS NULL "
        "CROSS JOIN vectors AS v ON v.passage_id = p.id AND v.identity_id = ? WHERE m.content_key = ?"
    )
    found: dict[str, NDArray[np.float16]] = {}
    for text in dict.fromkeys(asked):
        for content, start, end, blob in cx.execute(sql, (identity, content_key(text))):
            if content[start:end] == text:
                found[text] = np.frombuffer(blob, dtype=_STORED)
    return found


def without(cx: apsw.Connection, identity: int, keys: Iterable[int], family: Family = PASSAGES) -> set[int]:
    """Which of these keys are there and lack a vector of this identity."""
    asked = id_array(keys)
    if not asked:
        return set()
    sql = (
        f"SELECT s.id FROM carray(?) AS c CROSS JOIN {family.source} AS s ON s.id = c.value "
        f"LEFT JOIN {family.table} AS v ON v.{family.key} = s.id AND v.identity_id = ? WHERE v.{family.key} IS NULL"
    )
    rows: list[Any] = cx.execute(sql, (apsw.carray(asked), identity)).fetchall()
    return {row[0] for row in rows}


def complete(cx: apsw.Connection, identity: int, memory_ids: Iterable[int], family: Family = PASSAGES) -> list[int]:
    """Which of these memories have a vector of this identity for all they own; ascending."""
    asked = id_array(dict.fromkeys(memory_ids))
    if not asked:
        return []
    sql = (
        "SELECT m.id FROM carray(?) AS c CROSS JOIN memories AS m ON m.id = c.value WHERE NOT EXISTS ("
        f"SELECT 1 FROM ({family.owned}) AS o LEFT JOIN {family.table} AS v ON v.{family.key} = o.key "
        f"AND v.identity_id = ? WHERE o.memory_id = m.id AND v.{family.key} IS NULL) ORDER BY m.id"
    )
    rows: list[Any] = cx.execute(sql, (apsw.carray(asked), identity)).fetchall()
    return [row[0] for row in rows]


def count(cx: apsw.Connection, identity: int, family: Family = PASSAGES) -> int:
    """How many vectors of this identity there are, those of trashed memories included."""
    return int(cx.execute(f"SELECT count(*) FROM {family.table} WHERE identity_id = ?", (identity,)).get)


def wanted(cx: apsw.Connection, identity: int | None = None, family: Family = PASSAGES) -> int:
    """How many vectors there will be when nothing is missing; with an identity, equal to :func:`count` exactly then.

    A trashed memory needs no vector but keeps the one it has. None: as for an identity without any vector yet.
    """
    return int(cx.execute(family.wanted, (identity,)).get)


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
