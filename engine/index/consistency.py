"""Whether the derived indexes equal the rows they come from, and making them equal again.

Truth is in the tables; nothing here changes a row of them. Works in short steps, so that writers and readers go on
meanwhile. Must not make vectors (missing ones are the background's work) nor prepare terms itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol, TypeVar

import apsw
import numpy as np
from numpy.typing import NDArray

from engine.errors import Cancelled
from engine.index import lexical
from engine.index.vector import VectorIndex
from engine.storage import memories, vectors
from engine.storage.database import Database
from engine.storage.vectors import FACTS, PASSAGES, Family
from engine.types import Memory

T = TypeVar("T")
_READ_BLOCK: Final = 2048
_WRITE_BLOCK: Final = 200
_PROBES: Final = 16
# float16 keeps a unit vector to within a cosine of .9999 of itself.
_SAME: Final = 0.999
_ORPHANS: Final = "SELECT id FROM lexical_docsize EXCEPT SELECT id FROM memories"
# A fact can be found by its words while one who tells it has an atom that is alive, or none; a name always.
_ENTRIES: Final = (
    "SELECT e.id FROM entries AS e CROSS JOIN nodes AS n ON n.id = e.node_id WHERE n.type <> 'fact' OR EXISTS ("
    "SELECT 1 FROM mentions AS t LEFT JOIN atoms AS a ON a.id = t.atom_id "
    "WHERE t.entry_id = e.id AND (a.id IS NULL OR a.status NOT IN ('forgotten', 'purged')))"
)


class Writer(Protocol):
    """Runs a function where writing is allowed and waits for its result."""

    def __call__(self, work: Callable[[], T], /) -> T: ...


@dataclass(frozen=True, slots=True)
class Reconciled:
    """How many keys were put into the vector index and taken out of it."""

    added: int
    removed: int


@dataclass(frozen=True, slots=True)
class Report:
    """What does not fit, as ids: memories without a lexical row, lexical rows without a memory, stored vectors that
    the index lacks, keys in the index without a stored vector, and probed keys whose two vectors differ; the same
    three of facts; entries of the graph that lack a lexical row, and lexical rows of no entry that should have one.
    """

    unindexed: tuple[int, ...] = ()
    orphaned: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()
    stray: tuple[int, ...] = ()
    different: tuple[int, ...] = ()
    missing_facts: tuple[int, ...] = ()
    stray_facts: tuple[int, ...] = ()
    different_facts: tuple[int, ...] = ()
    unindexed_entries: tuple[int, ...] = ()
    orphaned_entries: tuple[int, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether everything fits."""
        return self == Report()


def reconcile(
    cx: apsw.Connection,
    index: VectorIndex,
    identity_id: int,
    held: NDArray[np.int64] | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    family: Family = PASSAGES,
) -> Reconciled:
    """Make the keys of ``index`` those of the family's vectors, in blocks; vectors that are right are not touched.

    ``held``: the keys of the index from before the snapshot of ``cx`` began. Needed while a writer is at work: a
    key that came with a later commit is not in the snapshot, and is no stranger. Default: the present keys.
    ``progress``(done, total) after each block. Errors: ``Cancelled``(done, total); what was added stays.
    """
    held = index.keys() if held is None else held
    stored = vectors.keys(cx, identity_id, family)
    strangers = np.setdiff1d(held, stored, assume_unique=True)
    index.remove(strangers)
    missing = np.setdiff1d(stored, index.keys(), assume_unique=True)
    for start in range(0, len(missing), _READ_BLOCK):
        if cancelled is not None and cancelled():
            raise Cancelled(done=start, total=len(missing))
        keys, matrix = vectors.of(cx, identity_id, missing[start : start + _READ_BLOCK].tolist(), family)
        index.add(keys, matrix)
        if progress is not None:
            progress(min(start + _READ_BLOCK, len(missing)), len(missing))
    return Reconciled(len(missing), len(strangers))


def check(cx: apsw.Connection, index: VectorIndex | None, identity_id: int, facts: VectorIndex | None = None) -> Report:
    """Compare the indexes with the rows in the snapshot of ``cx``; repairs nothing. None = that one is not asked."""
    return Report(
        tuple(_ids(cx, "SELECT id FROM memories EXCEPT SELECT id FROM lexical_docsize")),
        tuple(_ids(cx, _ORPHANS)),
        *_differences(cx, index, identity_id, PASSAGES),
        *_differences(cx, facts, identity_id, FACTS),
        *entries(cx),
    )


def entries(cx: apsw.Connection) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Entries of the graph that lack their lexical row, and lexical rows of no entry that should have one."""
    return (
        tuple(_ids(cx, f"SELECT id FROM ({_ENTRIES}) EXCEPT SELECT id FROM entries_lexical_docsize")),
        tuple(_ids(cx, f"SELECT id FROM entries_lexical_docsize EXCEPT {_ENTRIES}")),
    )


def _differences(
    cx: apsw.Connection, index: VectorIndex | None, identity_id: int, family: Family
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """(missing, stray, different) of one family."""
    if index is None:
        return (), (), ()
    stored, held = vectors.keys(cx, identity_id, family), index.keys()
    return (
        tuple(np.setdiff1d(stored, held, assume_unique=True).tolist()),
        tuple(np.setdiff1d(held, stored, assume_unique=True).tolist()),
        _probe(cx, index, identity_id, np.intersect1d(stored, held, assume_unique=True), family),
    )


def rebuild_lexical(
    database: Database,
    write: Writer,
    prepare: Callable[[Memory], str],
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> int:
    """Make every memory's lexical row anew and drop rows without a memory; returns the number of rows written.

    ``prepare`` gives the terms of a memory (``terms.fts_row``). Each block is a write transaction of its own, and
    rows are replaced where they stand, so that recall finds what it found before at any moment; only an index that
    is itself damaged is emptied first. ``progress``(done, total) after each block. Errors: ``Cancelled``(done,
    total): what was done stays, a repetition starts over.
    """
    write(partial(_empty_if_damaged, database))
    with database.reader() as cx:
        ids = _ids(cx, "SELECT id FROM memories ORDER BY id")
    done = 0
    for start in range(0, len(ids), _WRITE_BLOCK):
        if cancelled is not None and cancelled():
            raise Cancelled(done=start, total=len(ids))
        block = ids[start : start + _WRITE_BLOCK]
        done += write(partial(_write_block, database, block, prepare))
        if progress is not None:
            progress(min(start + _WRITE_BLOCK, len(ids)), len(ids))
    write(partial(_drop_orphans, database))
    return done


def _write_block(database: Database, ids: list[int], prepare: Callable[[Memory], str]) -> int:
    """Read and written in one transaction, so that no edit comes between; the index is derived, so not durable."""
    with database.transaction(durable=False) as cx:
        found = memories.get_many(cx, ids)
        for memory_id, memory in found.items():
            lexical.put(cx, memory_id, prepare(memory))
    return len(found)


def _empty_if_damaged(database: Database) -> None:
    with database.transaction(durable=False) as cx:
        try:
            cx.execute("INSERT INTO lexical (lexical) VALUES ('integrity-check')")
        except apsw.CorruptError:
            lexical.clear(cx)


def _drop_orphans(database: Database) -> None:
    with database.transaction(durable=False) as cx:
        lexical.remove(cx, _ids(cx, _ORPHANS))


def _ids(cx: apsw.Connection, sql: str) -> list[int]:
    rows: list[Any] = cx.execute(sql).fetchall()
    return [row[0] for row in rows]


def _probe(
    cx: apsw.Connection, index: VectorIndex, identity_id: int, keys: NDArray[np.int64], family: Family
) -> tuple[int, ...]:
    """Those of a few keys, spread over all, whose vector in the index is not the stored one."""
    if not len(keys):
        return ()
    chosen = keys[np.linspace(0, len(keys) - 1, min(_PROBES, len(keys))).astype(np.int64)]
    found, matrix = vectors.of(cx, identity_id, chosen.tolist(), family)
    cosines = [float(index.cosines(vector, [key])[0]) for key, vector in zip(found.tolist(), matrix, strict=True)]
    return tuple(key for key, cosine in zip(found.tolist(), cosines, strict=True) if not cosine > _SAME)
