"""Nearest passages by cosine: the only importer of usearch. Derived from the vectors table, can be thrown away.

One usearch index of float16 vectors serves both tiers: up to ``EXACT_LIMIT`` vectors every search scans them all
(2 ms), above it walks the HNSW graph. Must not read the database; the file is a cache of what it holds.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.embedding import runtime  # noqa: F401  onnxruntime comes before usearch, see there

# isort: split
from usearch import __version__ as usearch_version
from usearch.index import Index

from engine.errors import InvalidArgument
from engine.index import vectorfile

EXACT_LIMIT: Final = 20_000
_LIBRARY: Final = f"usearch {usearch_version}"
_CONNECTIVITY: Final = 16
_EXPANSION_ADD: Final = 128
# Breadth of the walk by size (from this many vectors on); at least as wide as what is asked for.
_BREADTH: Final = ((0, 256), (200_000, 512), (600_000, 1024))
# One thread: vectors put into the graph side by side can miss each other's links, and then no walk finds them (about
# 1 in 300 with two threads). usearch asks for Python's lock after every vector, for which a busy Python thread
# makes it wait 5 ms; the block is small enough that a search waits at most some 80 ms for it.
_ADD_BLOCK: Final = 16
_ADD_THREADS: Final = 1
_LOOK_UP_BLOCK: Final = 8192
# How many more than expected are fetched when a filter follows.
_MARGIN: Final = 1.5
# Sums of squares between these are exact enough as they are.
_SMALL: Final = 1e-12
_LARGE: Final = 1e12

Vector = NDArray[np.float32]
Keys = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Matches:
    """``keys`` int64 [n] and their ``cosines`` float32 [n], best first.

    ``floor``: the lowest cosine among all that could have been found, for min–max; exact when they were all
    compared, else the cosine of the farthest vector that a search finds. 0.0 when nothing could be found.
    """

    keys: Keys
    cosines: Vector
    floor: float


class VectorIndex:
    """Unit vectors by passage id for one embedder ``identity``. Thread-safe; searches wait at most for a block of
    additions. ``dirty``: differs from the file.
    """

    def __init__(self, path: Path, identity: str, dimension: int, *, exact_limit: int = EXACT_LIMIT) -> None:
        if dimension < 1:
            raise InvalidArgument(field="dimension", reason="not_positive")
        self.path = path
        self.identity = identity
        self.dimension = dimension
        self._exact_limit = exact_limit
        self._queue = threading.Lock()
        self._use = threading.Lock()
        self._saving = threading.Lock()
        self._index: Any = self._empty()
        self._changes = 0
        self._saved = 0

    # Files ---------------------------------------------------------------------------------------------------

    def load(self, expected_keys: ArrayLike | None = None) -> bool:
        """Read the file. False, and an empty index, when there is none or it is not whole and of this identity.

        ``expected_keys``: the only keys that may be in the index; others in the file are dropped. Never raises
        for a bad file, which stays where it is until ``save`` replaces it.
        """
        payload = vectorfile.read(self.path, self.identity, self.dimension)
        index = _restored(payload, self.dimension) if payload is not None else None
        with self._alone():
            self._index = self._empty() if index is None else index
            self._changes = self._saved = 0
        if index is None:
            return False
        if expected_keys is not None:
            strangers = np.setdiff1d(self.keys(), np.asarray(expected_keys, dtype=np.int64))
            self.remove(strangers)
        return True

    def save(self) -> None:
        """Write the file as a whole. Errors: ``DiskFull``, ``NotWritable``, ``DiskError``; the old file stays."""
        with self._saving:
            with self._alone():
                payload, count, changes = self._index.save(), len(self._index), self._changes
            vectorfile.write(self.path, self.identity, self.dimension, count, payload, _LIBRARY)
            self._saved = changes

    @property
    def dirty(self) -> bool:
        """Whether something changed since the last ``load`` or ``save``."""
        return self._changes != self._saved

    # Content -------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        with self._alone():
            return len(self._index)

    def keys(self) -> Keys:
        """The passage ids in the index, ascending."""
        with self._alone():
            return np.sort(np.asarray(self._index.keys, dtype=np.uint64).astype(np.int64))

    def add(self, keys: ArrayLike, vectors: ArrayLike) -> None:
        """Put in ``vectors`` [n, dimension] under ``keys`` [n]; a key that is there gets the new vector.

        Errors: ``InvalidArgument`` (field "keys": "shape", "negative"; field "vector": "dimension", "not_finite",
        "zero"); then nothing was added.
        """
        ids = _ids(keys)
        rows = self._checked(vectors)
        if len(ids) != len(rows):
            raise InvalidArgument(field="keys", reason="shape", limit=len(rows))
        # The last of equal keys counts, as if they had come one after the other.
        last = {int(key): at for at, key in enumerate(ids)}
        ids, rows = np.fromiter(last, dtype=np.int64, count=len(last)), rows[list(last.values())]
        for start in range(0, len(ids), _ADD_BLOCK):
            block, part = ids[start : start + _ADD_BLOCK].astype(np.uint64), rows[start : start + _ADD_BLOCK]
            with self._alone():
                self._changes += 1
                there = block[self._index.contains(block)]
                if len(there):
                    self._index.remove(there)
                self._index.add(block, part, threads=_ADD_THREADS)

    def remove(self, keys: ArrayLike) -> None:
        """Take ``keys`` out; those that are not in are ignored."""
        ids = np.unique(_ids(keys)).astype(np.uint64)
        with self._alone():
            there = ids[self._index.contains(ids)] if len(ids) else ids
            if len(there):
                self._changes += 1
                self._index.remove(there)

    def clear(self) -> None:
        """Take everything out."""
        with self._alone():
            self._index = self._empty()
            self._changes += 1

    # Search --------------------------------------------------------------------------------------------------

    def search(self, vector: ArrayLike, k: int, allowed: ArrayLike | None = None) -> Matches:
        """The ``k`` keys nearest to ``vector`` [dimension], of ``allowed`` only where given.

        Exact up to ``EXACT_LIMIT`` vectors and for few ``allowed``. Errors: ``InvalidArgument`` (field "vector").
        """
        query = self._checked(np.asarray(vector)[None])[0]
        if k < 1:
            return _NOTHING
        if allowed is not None:
            return self._search_allowed(query, k, np.unique(_ids(allowed)))
        with self._alone():
            keys, cosines = self._nearest(query, k)
            _, opposite = self._nearest(-query, 1)
        return Matches(keys, cosines, float(-opposite[0])) if len(keys) else _NOTHING

    def nearest(self, vector: ArrayLike, k: int) -> tuple[Keys, Vector]:
        """:meth:`search` over everything without a floor, which costs as much again: (keys, cosines), best first."""
        query = self._checked(np.asarray(vector)[None])[0]
        with self._alone():
            return self._nearest(query, k)

    def cosines(self, vector: ArrayLike, keys: ArrayLike) -> Vector:
        """The cosine of each of ``keys`` with ``vector``, float32 in the same order; NaN for a key that is not in."""
        query = self._checked(np.asarray(vector)[None])[0]
        ids = _ids(keys)
        found = np.full(len(ids), np.nan, dtype=np.float32)
        for start in range(0, len(ids), _LOOK_UP_BLOCK):
            block = ids[start : start + _LOOK_UP_BLOCK].astype(np.uint64)
            with self._alone():
                there = np.flatnonzero(self._index.contains(block))
                rows = self._index.get(block[there]) if len(there) else ()
            if len(there):
                matrix = np.frombuffer(b"".join(rows), dtype=np.float16).reshape(-1, self.dimension)
                found[start + there] = np.clip(matrix.astype(np.float32) @ query, -1.0, 1.0)
        return found

    def _search_allowed(self, query: Vector, k: int, allowed: Keys) -> Matches:
        """Compares just the allowed where that is cheaper, else searches wider and drops the others.

        Looking a vector up costs about as much as scanning ten; a result to be sorted out, as much as 15.
        """
        size = len(self)
        if not size or not len(allowed):
            return _NOTHING
        for growth in (1, 4):
            count = int(_MARGIN * growth * k * size / len(allowed)) + 32
            if len(allowed) <= count * 1.5 + (size / 10 if size <= self._exact_limit else 0):
                break
            with self._alone():
                keys, cosines = self._nearest(query, count)
                far_keys, far = self._nearest(-query, count)
            inside, far_inside = np.isin(keys, allowed), np.isin(far_keys, allowed)
            if int(inside.sum()) >= k and far_inside.any():
                return Matches(keys[inside][:k], cosines[inside][:k], float(-far[far_inside][0]))
        return self._compare(query, k, allowed)

    def _compare(self, query: Vector, k: int, allowed: Keys) -> Matches:
        cosines = self.cosines(query, allowed)
        there = ~np.isnan(cosines)
        if not there.any():
            return _NOTHING
        keys, cosines = allowed[there], cosines[there]
        order = np.lexsort((keys, -cosines))[:k]
        return Matches(keys[order], cosines[order], float(cosines.min()))

    def _nearest(self, query: Vector, count: int) -> tuple[Keys, Vector]:
        """*alone*: the ``count`` nearest, best first, equal ones by key."""
        size = len(self._index)
        if not size:
            return _NOTHING.keys, _NOTHING.cosines
        exact = size <= self._exact_limit
        breadth = count if exact else max(count, [wide for least, wide in _BREADTH if size >= least][-1])
        found = self._index.search(query, min(breadth, size), exact=exact, threads=1)
        keys = np.asarray(found.keys).astype(np.int64)
        cosines = np.clip(1.0 - np.asarray(found.distances, dtype=np.float32), -1.0, 1.0)
        order = np.lexsort((keys, -cosines))[:count]
        return keys[order], cosines[order]

    # Parts ---------------------------------------------------------------------------------------------------

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """The index for this thread alone, in the order of asking: a writer between two blocks lets readers in."""
        with self._queue:
            self._use.acquire()
        try:
            yield
        finally:
            self._use.release()

    def _empty(self) -> Any:
        return Index(
            ndim=self.dimension,
            metric="ip",
            dtype="f16",
            connectivity=_CONNECTIVITY,
            expansion_add=_EXPANSION_ADD,
        )

    def _checked(self, vectors: ArrayLike) -> Vector:
        """``vectors`` as float32 rows of unit length. usearch itself would take NaN and return NaN ever after."""
        rows = np.ascontiguousarray(vectors, dtype=np.float32)
        if rows.ndim != 2 or (rows.size and rows.shape[1] != self.dimension):
            raise InvalidArgument(field="vector", reason="dimension", limit=self.dimension)
        squares = np.einsum("ij,ij->i", rows, rows)
        if np.all((squares > _SMALL) & (squares < _LARGE)):  # neither does a NaN pass
            plain: Vector = rows / np.sqrt(squares)[:, None]
            return plain
        if not np.isfinite(rows).all():
            raise InvalidArgument(field="vector", reason="not_finite")
        # In two steps: the squares of very large or very small numbers do not fit float32.
        largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
        if not (largest > 0.0).all():
            raise InvalidArgument(field="vector", reason="zero")
        rows = rows / largest
        unit: Vector = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


_NOTHING: Final = Matches(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32), 0.0)


def _ids(keys: ArrayLike) -> Keys:
    ids = np.asarray(keys, dtype=np.int64)
    if ids.ndim != 1:
        raise InvalidArgument(field="keys", reason="shape")
    if len(ids) and int(ids.min()) < 0:
        raise InvalidArgument(field="keys", reason="negative")
    return ids


def _restored(payload: vectorfile.Payload, dimension: int) -> Any:
    """The usearch index in ``payload``; None when it is not what its header says."""
    try:
        index = Index.restore(payload.data)
    except (ValueError, RuntimeError):
        return None
    if index is None or index.ndim != dimension or len(index) != payload.count:
        return None
    return index
