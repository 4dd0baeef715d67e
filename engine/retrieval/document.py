"""The document route (S0): words (BM25) beside meaning (cosine), over memories and their passages.

Gathers candidates from both channels and gives every candidate both raw values, so that fusion compares like
with like. A channel that fails is named in ``degraded`` and the other answers alone. What a memory owes to the turn
beside it (words, meaning) counts only where that turn may be seen and passes the filters itself.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.errors import EmbedderUnavailable
from engine.index import lexical
from engine.index.space import VectorSpace
from engine.retrieval.fusion import LEAST_GROUP, Scores, pooled
from engine.retrieval.query import Parsed
from engine.storage import journal, memories, neighbours, passages, scripts, selection
from engine.storage.database import Connection
from engine.text import passages as splitting
from engine.types import ALL_SCOPES, SENSITIVITIES, Filters, Sensitivity

# Up to so many memories behind a filter, words are weighed by how rare they are among just these.
OWN_STATISTICS = 2_000
# Up to so many, cosines are taken exactly, which is then both fastest and lossless.
EXACT_SUBSET = 5_000
# What is asked for beyond the limit where a filter follows, or several passages belong to one memory.
OVERFETCH = 4
# The turn beside a hit in the same conversation gets this share of its words' score: an answer stands beside its
# question (LoCoMo turns: R@10 +3; beside a context vector 0.4 gives R@10 +1.5 over 0.3, MRR −0.3).
BESIDE = 0.4

# So many memories in the other language are compared, the newest: more would take longer than the rest of recall.
COMPARED_ABROAD = 1_000
# How much farther a large store is searched for memories in the other language than for those in the question's own.
FURTHER_ABROAD = 5
# The language that a store is mixed with, by the script of a question; questions in neither are bound to none.
ABROAD = {"han": "latin", "latin": "han"}

# A question is not kept waiting longer for its vector. Less than a writer waits for the snapshot that is held open.
PATIENCE_SECONDS = 4.0

_ANY = Filters(scope=ALL_SCOPES, statuses=())

Vector = NDArray[np.float32]
Part = tuple[int, int | None]  # memory, the memory before it whose text the passage holds as well


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidate memories with raw channel values: ``lexical`` BM25 and ``cosine`` [n], NaN where not found.

    ``floor``: the lowest cosine among all that the filters let through. ``foreign`` [n]: written in the other language
    than the question is.
    """

    ids: NDArray[np.int64]
    lexical: Scores
    cosine: Scores
    floor: float
    foreign: NDArray[np.bool_]
    degraded: tuple[str, ...]


def gather(
    cx: Connection,
    question: Parsed,
    filters: Filters,
    space: VectorSpace | None,
    limit: int,
    executor: Executor | None,
    hidden: Sequence[Sensitivity] = (),
    leads: Sequence[int] = (),
    further: Callable[[Vector | None], Iterable[int]] = lambda _: (),
) -> Candidates:
    """Ask both channels for up to ``limit`` memories each; the query is embedded while the words are looked up.

    ``leads``: memories that may be seen and are candidates in any case; so are those that ``further`` finds, which is
    given the question's vector (None: there is none).
    Memories of ``hidden`` sensitivities are no candidates, and nothing is found by them or weighed against them.
    """
    # Where no word is (blanks, punctuation) there is nothing asked, and the nearest memories would be noise.
    asked = space if question.terms else None
    waiting = executor.submit(_embedded, asked, question.text) if executor and asked else None
    subset = memories.count(cx, filters)
    if not memories.count_sensitive(cx, _ANY, hidden):
        hidden = ()  # then nobody need be asked whether it is one of them
    words = _words(cx, question, filters, subset, limit, hidden)
    degraded: list[str] = []
    vector = None
    if asked is not None:
        vector = _vector(asked, question.text, waiting, degraded)
        if not (asked.ready and asked.complete) or (vector is not None and journal.waiting(cx)):
            degraded.append("vectors_incomplete")
    leads = (*leads, *further(vector))
    if asked is None or vector is None:
        return _candidates(cx, question, words, leads, None, 0.0, degraded)
    near, floor = nearest(cx, asked, vector, filters, subset, limit, hidden)
    near += _abroad(cx, asked, vector, question, filters, subset, limit, hidden)
    ids = np.fromiter(dict.fromkeys([*words, *near, *leads]), dtype=np.int64)
    return _candidates(cx, question, words, ids, cosines(cx, asked, vector, ids, filters, hidden), floor, degraded)


def _candidates(
    cx: Connection, question: Parsed, words: dict[int, float], ids: Iterable[int], cosine: Scores | None, floor: float,
    degraded: list[str],
) -> Candidates:  # fmt: skip
    every = np.fromiter(dict.fromkeys([*ids, *words]), dtype=np.int64)
    raw = np.array([words.get(int(memory_id), np.nan) for memory_id in every], dtype=np.float64)
    cosines = np.full(len(every), np.nan) if cosine is None else cosine
    foreign = scripts.among(cx, every, ABROAD.get(question.script, ""))
    return Candidates(every, raw, cosines, floor, foreign, tuple(degraded))


def _vector(space: VectorSpace, text: str, waiting: Future[Vector] | None, degraded: list[str]) -> Vector | None:
    try:
        return waiting.result(PATIENCE_SECONDS) if waiting else _embedded(space, text)
    except (EmbedderUnavailable, TimeoutError):
        if waiting:
            waiting.cancel()
        degraded.append("embedder_unavailable")
        return None


def _embedded(space: VectorSpace, text: str) -> Vector:
    """The question as one unit vector [dim]. Where it is a conversation, half of it is what was said last (MADial:
    R@10 zh +1.9, en −1.4, across languages +1.6 and +6.1; more of the last lines' words did not add).
    """
    whole = space.embed_query(text)
    last = splitting.closing(text)
    if last is None:
        return whole
    both = whole + space.embed_query(last)
    length = float(np.linalg.norm(both))
    return both / np.float32(length) if length > 0 else whole


def _words(
    cx: Connection, question: Parsed, filters: Filters, subset: int, limit: int, hidden: Sequence[Sensitivity]
) -> dict[int, float]:
    """BM25 by memory, and what it gives to the turns beside a hit. ``subset``: how many memories pass."""
    if subset > OWN_STATISTICS:
        left = tuple(one for one in filters.sensitivities or SENSITIVITIES if one not in hidden)
        seen = replace(filters, sensitivities=left) if hidden else filters
        found = dict(lexical.search(cx, question.expression, limit, seen)) if left else {}
    else:
        passing_ids = _visible(cx, memories.list_ids(cx, filters, "oldest"), hidden)
        found = dict(lexical.search_within(cx, question.expression, passing_ids, limit))
    # No hidden memory is among them: what stands beside one would tell of it.
    beside: dict[int, float] = {}
    for memory_id, neighbour, _ in neighbours.of(cx, found):
        beside[neighbour] = beside.get(neighbour, 0.0) + BESIDE * found[memory_id]
    passing = _passing(cx, beside, filters, hidden)
    for neighbour, share in beside.items():
        if neighbour in passing:
            found[neighbour] = found.get(neighbour, 0.0) + share
    return found


def nearest(
    cx: Connection,
    space: VectorSpace,
    vector: Vector,
    filters: Filters,
    subset: int,
    limit: int,
    hidden: Sequence[Sensitivity],
) -> tuple[list[int], float]:
    """Memories whose passages are nearest, and the lowest cosine among what the filters let through."""
    if subset <= EXACT_SUBSET:
        owner = passages.selected(cx, filters)
        owner = _heard(owner, set(_visible(cx, {memory_id for memory_id, _ in owner.values()}, hidden)))
        return _among(space, vector, {key: memory_id for key, (memory_id, _) in owner.items()}, limit)
    # As many more as the filters are expected to take away, and some.
    crowd = len(space.index) / subset + 0.5
    near = _outward(cx, space, vector, filters, hidden, limit, int(limit * crowd) + 1)
    far = _outward(cx, space, -vector, filters, hidden, 1, int(2 * crowd) + 1)
    return [memory_id for memory_id, _ in near], -far[0][1] if far else 0.0


def _among(space: VectorSpace, vector: Vector, owner: Mapping[int, int], limit: int) -> tuple[list[int], float]:
    """The ``limit`` nearest memories of these passages and the lowest cosine, by comparing them."""
    allowed = np.fromiter(owner, dtype=np.int64, count=len(owner))
    wanted = limit * OVERFETCH
    while True:
        found = space.index.search(vector, wanted, allowed)
        near = list(dict.fromkeys(owner[int(key)] for key in found.keys))[:limit]
        # A few long memories may have all of the nearest passages.
        if len(near) >= limit or len(found.keys) < wanted:
            return near, found.floor
        wanted *= OVERFETCH


def _outward(
    cx: Connection, space: VectorSpace, vector: Vector, filters: Filters, hidden: Sequence[Sensitivity], limit: int,
    wanted: int,
) -> list[tuple[int, float]]:  # fmt: skip
    """Up to ``limit`` memories that may be seen, from the nearest on, each with the cosine of its nearest passage.

    ``wanted`` passages are looked at, and more until enough of them may be heard.
    """
    while True:
        keys, cosines = space.index.nearest(vector, wanted)
        owner = passages.owners(cx, (int(key) for key in keys))
        ids = {one for pair in owner.values() for one in pair if one is not None}
        owner = _heard(owner, _passing(cx, ids, filters, hidden))
        best: dict[int, float] = {}
        for key, cosine in zip(keys.tolist(), cosines.tolist(), strict=True):
            if key in owner:
                best.setdefault(owner[key][0], cosine)
        if len(best) >= limit or len(keys) < wanted:
            return list(best.items())[:limit]
        wanted *= OVERFETCH


def _abroad(
    cx: Connection, space: VectorSpace, vector: Vector, question: Parsed, filters: Filters, subset: int, limit: int,
    hidden: Sequence[Sensitivity],
) -> list[int]:  # fmt: skip
    """The nearest memories in the other language, where there are enough in each: its best lies far behind much that
    is merely in the question's own, and would be no candidate.

    Of few memories the newest ``COMPARED_ABROAD`` are compared; of many, those that a search finds which goes
    ``FURTHER_ABROAD`` times as far.
    """
    other = ABROAD.get(question.script)
    both = (other, question.script) if other else ()
    if not other or any(scripts.count(cx, one, filters, LEAST_GROUP) < LEAST_GROUP for one in both):
        return []
    if subset > EXACT_SUBSET:
        wide = int(limit * FURTHER_ABROAD * (len(space.index) / subset + 0.5)) + 1
        keys, _ = space.index.nearest(vector, wide)
        owner = passages.memory_of(cx, keys.tolist())
        found = np.fromiter(dict.fromkeys(owner[key] for key in keys.tolist() if key in owner), dtype=np.int64)
        passing = _passing(cx, found[scripts.among(cx, found, other)].tolist(), filters, hidden)
        return [one for one in found.tolist() if one in passing][:limit]
    others = _visible(cx, scripts.newest(cx, other, filters, COMPARED_ABROAD), hidden)
    owner = {key: memory_id for key, memory_id, _, _ in passages.of(cx, others)}
    return _among(space, vector, owner, limit)[0]


def _heard(parts: Mapping[int, Part], passing: Container[int]) -> dict[int, Part]:
    """Those of ``parts`` all of whose text is of memories that may be seen."""
    return {key: part for key, part in parts.items() if part[0] in passing and (part[1] is None or part[1] in passing)}


def _passing(cx: Connection, ids: Iterable[int], filters: Filters, hidden: Sequence[Sensitivity]) -> set[int]:
    """Which of ``ids`` pass the filters and may be shown."""
    return set(_visible(cx, selection.restrict(cx, ids, filters), hidden))


def _visible(cx: Connection, ids: Iterable[int], hidden: Sequence[Sensitivity]) -> list[int]:
    """``ids`` in order, without those that may not be shown."""
    listed = list(ids)
    secret = selection.of_sensitivity(cx, listed, hidden) if hidden else ()
    return [one for one in listed if one not in secret]


def cosines(
    cx: Connection, space: VectorSpace, vector: Vector, ids: NDArray[np.int64], filters: Filters,
    hidden: Sequence[Sensitivity],
) -> Scores:  # fmt: skip
    """One cosine a memory, NaN where it has no vector yet: pooled over its own passages, and where it is a turn that
    has one in context, the mean of both (LoCoMo turns: R@10 +2.4, MRR +2.2).
    """
    place = {int(memory_id): at for at, memory_id in enumerate(ids)}
    parts = passages.of(cx, place)
    keys = np.fromiter((part[0] for part in parts), dtype=np.int64, count=len(parts))
    owners = np.fromiter((place[part[1]] for part in parts), dtype=np.int64, count=len(parts))
    own = pooled(space.index.cosines(vector, keys), owners, len(ids))
    together: dict[int, Part] = {key: (memory_id, before) for key, memory_id, before in passages.contexts_of(cx, place)}
    if not together:
        return own
    ids_told = {one for pair in together.values() for one in pair if one is not None}
    heard = _heard(together, _passing(cx, ids_told, filters, hidden))
    context = np.full(len(ids), np.nan)
    context[[place[memory_id] for memory_id, _ in heard.values()]] = space.index.cosines(vector, list(heard))
    return np.where(np.isnan(context), own, (own + context) / 2)
