"""The document route (S0): words (BM25) beside meaning (cosine), over memories and their passages.

Gathers candidates from both channels and gives every candidate both raw values, so that fusion compares like
with like. A channel that fails is named in ``degraded`` and the other answers alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor, Future
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.errors import EmbedderUnavailable
from engine.index import lexical
from engine.index.space import VectorSpace
from engine.retrieval.fusion import Scores, pooled
from engine.retrieval.query import Parsed
from engine.storage import memories, neighbours, passages, selection
from engine.storage.database import Connection
from engine.types import Filters

# Up to so many memories behind a filter, words are weighed by how rare they are among just these.
OWN_STATISTICS = 2_000
# Up to so many, cosines are taken exactly, which is then both fastest and lossless.
EXACT_SUBSET = 5_000
# What is asked for beyond the limit where a filter follows, or several passages belong to one memory.
OVERFETCH = 4
# The turn beside a hit in the same conversation gets this share of its words' score: an answer stands beside its
# question (LoCoMo turns: R@10 +2).
BESIDE = 0.3

# A question is not kept waiting longer for its vector. Less than a writer waits for the snapshot that is held open.
PATIENCE_SECONDS = 4.0

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidate memories with raw channel values: ``lexical`` BM25 and ``cosine`` [n], NaN where not found.

    ``floor``: the lowest cosine among all that the filters let through.
    """

    ids: NDArray[np.int64]
    lexical: Scores
    cosine: Scores
    floor: float
    degraded: tuple[str, ...]


def gather(
    cx: Connection,
    question: Parsed,
    filters: Filters,
    space: VectorSpace | None,
    limit: int,
    executor: Executor | None,
) -> Candidates:
    """Ask both channels for up to ``limit`` memories each; the query is embedded while the words are looked up."""
    # Where no word is (blanks, punctuation) there is nothing asked, and the nearest memories would be noise.
    asked = space if question.terms else None
    waiting = executor.submit(asked.embed_query, question.text) if executor and asked else None
    subset = memories.count(cx, filters)
    words = _words(cx, question, filters, subset, limit)
    degraded: list[str] = []
    vector = None
    if asked is not None:
        vector = _vector(asked, question.text, waiting, degraded)
        if not (asked.ready and asked.complete):
            degraded.append("vectors_incomplete")
    if asked is None or vector is None:
        return _candidates(words, (), None, 0.0, degraded)
    near, floor = _nearest(cx, asked, vector, filters, subset, limit)
    ids = np.fromiter(dict.fromkeys([*words, *near]), dtype=np.int64)
    return _candidates(words, ids, _cosines(cx, asked, vector, ids), floor, degraded)


def _candidates(
    words: dict[int, float], ids: Iterable[int], cosine: Scores | None, floor: float, degraded: list[str]
) -> Candidates:
    every = np.fromiter(dict.fromkeys([*ids, *words]), dtype=np.int64)
    raw = np.array([words.get(int(memory_id), np.nan) for memory_id in every], dtype=np.float64)
    return Candidates(every, raw, np.full(len(every), np.nan) if cosine is None else cosine, floor, tuple(degraded))


def _vector(space: VectorSpace, text: str, waiting: Future[Vector] | None, degraded: list[str]) -> Vector | None:
    try:
        return waiting.result(PATIENCE_SECONDS) if waiting else space.embed_query(text)
    except (EmbedderUnavailable, TimeoutError):
        if waiting:
            waiting.cancel()
        degraded.append("embedder_unavailable")
        return None


def _words(cx: Connection, question: Parsed, filters: Filters, subset: int, limit: int) -> dict[int, float]:
    """BM25 by memory, and what it gives to the turns beside a hit. ``subset``: how many memories pass."""
    if subset > OWN_STATISTICS:
        found = dict(lexical.search(cx, question.expression, limit, filters))
    else:
        passing_ids = memories.list_ids(cx, filters, "oldest")
        found = dict(lexical.search_within(cx, question.expression, passing_ids, limit))
    beside: dict[int, float] = {}
    for memory_id, neighbour, _ in neighbours.of(cx, found):
        beside[neighbour] = beside.get(neighbour, 0.0) + BESIDE * found[memory_id]
    passing = selection.restrict(cx, beside, filters)
    for neighbour, share in beside.items():
        if neighbour in passing:
            found[neighbour] = found.get(neighbour, 0.0) + share
    return found


def _nearest(
    cx: Connection, space: VectorSpace, vector: Vector, filters: Filters, subset: int, limit: int
) -> tuple[list[int], float]:
    """Memories whose passages are nearest, and the lowest cosine among what the filters let through."""
    if subset <= EXACT_SUBSET:
        owner = passages.selected(cx, filters)
        allowed = np.fromiter(owner, dtype=np.int64, count=len(owner))
        found = space.index.search(vector, limit * OVERFETCH, allowed)
        return _distinct((owner[int(key)] for key in found.keys), limit), found.floor
    # As many more as the filters are expected to take away, and some.
    wanted = int(limit * (len(space.index) / subset + 0.5))
    while True:
        found = space.index.search(vector, wanted)
        owner = passages.memory_of(cx, (int(key) for key in found.keys))
        passing = selection.restrict(cx, owner.values(), filters)
        near = _distinct((owner[int(key)] for key in found.keys if owner.get(int(key)) in passing), limit)
        if len(near) >= limit or len(found.keys) < wanted:
            return near, found.floor
        wanted *= OVERFETCH


def _distinct(ids: Iterable[int], limit: int) -> list[int]:
    return list(dict.fromkeys(ids))[:limit]


def _cosines(cx: Connection, space: VectorSpace, vector: Vector, ids: NDArray[np.int64]) -> Scores:
    """One pooled cosine a memory over all its passages, NaN where it has no vector yet."""
    place = {int(memory_id): at for at, memory_id in enumerate(ids)}
    parts = passages.of(cx, place)
    keys = np.fromiter((part[0] for part in parts), dtype=np.int64, count=len(parts))
    owners = np.fromiter((place[part[1]] for part in parts), dtype=np.int64, count=len(parts))
    return pooled(space.index.cosines(vector, keys), owners, len(ids))
