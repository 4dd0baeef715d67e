"""The graph route (S0): from the people, topics and facts that a question speaks of to the memories that mention them.

Four ways in, each with its weight: the words of an entry, an entity that the question names, and what is mentioned
together with either of these, one or two steps away. Beside them the nearest facts by meaning. Only memories that
may be seen are walked through, so what a hidden one mentions leads nowhere. Must not join routes (``together.py``).

Off by default (``recall.graph_share`` 0). Measured with relevance alone, a share of 0.05 / 0.2: R@10 on LoCoMo turns
−1.3 / −5.0, own set zh −0.4 / −2.0, en −2.1 / −4.0, MemDaily −0.1 / −0.7; only MADial en gains (+1.6 / +0.4, n 76).
S0's own weights with facts that fade: −23 on LoCoMo turns, −12 and −18 on the own set, +4 on MemDaily. The best fact's
cosine as one more channel adds nothing either (±0.2). Its words are those that the document route weighs already.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.forgetting.atoms import remaining
from engine.index import entries
from engine.index.space import VectorSpace
from engine.retrieval import fusion
from engine.retrieval.fusion import Scores
from engine.retrieval.intent import shift
from engine.retrieval.query import Parsed
from engine.retrieval.together import Routed
from engine.storage import mentioning, naming
from engine.storage.database import Connection
from engine.storage.relations import Reader
from engine.storage.signals import Signals
from engine.text import passages as splitting
from engine.text import terms
from engine.types import SENSITIVITIES, Filters, Sensitivity

# What a way in is worth (S0). A memory keeps its best hit; each further one adds this share of what it is worth.
WORDS: Final = 1.0
NAMED: Final = 0.7
HOPS: Final = (0.7, 0.4)
FURTHER: Final = 0.35
# So many entities are gone on to at each step (S0), so many entities and memories are looked at to choose them.
EXPANSION: Final = 24
_SEEDS: Final = 8
_NEWEST: Final = 24
# The memories of an entity that more mention are read one entity at a time, no further than needed.
_COMMON: Final = 200
# A memory without a fact that is known (S0's confidence of a summary); nothing limits its life.
_NO_FACT: Final = 0.6
_WEIGHTS: Final = ("relevance", "importance", "recency", "confidence")
_SECONDS_A_DAY: Final = 86_400.0
# How many more facts are asked for where filters follow.
_OVERFETCH: Final = 4

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Found:
    """Memories that the graph leads to: ``words`` 0..1 and ``cosine`` of the nearest fact [n], NaN where none led."""

    ids: NDArray[np.int64]
    words: Scores
    cosine: Scores
    floor: float = 0.0


NOTHING: Final = Found(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0))


def visible(filters: Filters, hidden: Sequence[Sensitivity]) -> Filters | None:
    """``filters`` without the ``hidden`` sensitivities; None where nothing is left to see."""
    if not hidden:
        return filters
    left = tuple(one for one in (filters.sensitivities or SENSITIVITIES) if one not in hidden)
    return replace(filters, sensitivities=left) if left else None


class Route:
    """One question's way through the graph; one that is switched off, or may see nothing, finds nothing and costs
    nothing.
    """

    def __init__(
        self, cx: Connection, question: Parsed, filters: Filters | None, space: VectorSpace | None, k: int,
        values: Mapping[str, Any],
    ) -> None:  # fmt: skip
        """``filters``: those of :func:`visible`, None = nothing may be seen."""
        self._cx = cx
        self._question = question
        self._values = values
        self._facts = space.facts if space is not None else None
        self._limit = max(3 * k, 12)
        self._on = filters is not None and float(values["recall.graph_share"]) > 0.0
        self._filters = filters or Filters()
        self._reader = Reader(cx, self._filters)
        self._known: dict[int, list[int]] = {}
        self._found = NOTHING

    def further(self, vector: Vector | None) -> list[int]:
        """The memories that words and, with a ``vector`` of the question, meaning lead to."""
        if not (self._on and self._question.terms):
            return []
        words = self._by_words()
        near, floor = self._near(vector)
        led = list(dict.fromkeys((*words, *near)))
        ids = np.array(led, dtype=np.int64)
        told = np.array([words.get(one, np.nan) for one in led], dtype=np.float64)
        self._found = Found(ids, told, self._cosines(vector, ids), floor)
        return led

    def says(self, ids: NDArray[np.int64], signals: Signals, now: datetime) -> Routed | None:
        """The route's word on the candidates ``ids`` [n], among them all that :meth:`further` found; None where it is
        off or found nothing. Its share is moved by what the question asks about (S0).
        """
        found, values = self._found, self._values
        if not len(found.ids):
            return None
        place = {int(memory_id): at for at, memory_id in enumerate(ids)}
        where = [place[int(memory_id)] for memory_id in found.ids]
        said = np.full(len(ids), np.nan)
        said[where] = scores(self._cx, found, signals.strength[where], signals.touched[where], values, now)
        share = float(values["recall.graph_share"])
        if values["recall.graph_by_intent"]:
            _, share = shift(self._question.intents, 1.0 - share, share)
        return Routed(said, share, float(values["recall.graph_bonus"]), self._limit)

    # Words ---------------------------------------------------------------------------------------------------

    def _by_words(self) -> dict[int, float]:
        hits = _Hits()
        seeds: dict[int, float] = {}
        found = entries.search(self._cx, self._asked(), self._limit, self._filters)
        best = max((score for _, score in found), default=0.0)
        entity = mentioning.entities_of(self._cx, (entry_id for entry_id, _ in found))
        ways = [(entity[entry_id], WORDS * (score / best if best > 0 else 1.0)) for entry_id, score in found]
        named = naming.meant(self._cx, self._question.names)
        ways += [(node_id, NAMED) for node_id in dict.fromkeys(one for _, one in named)]
        of = self._memories(node_id for node_id, _ in ways)
        for node_id, worth in ways:
            seeds[node_id] = max(seeds.get(node_id, 0.0), worth)
            hits.add(of[node_id][: self._limit], worth)
        self._expand(seeds, hits)
        return hits.scores()

    def _asked(self) -> str:
        """What entries are looked up by: of a conversation what was said last, for each term costs a look-up."""
        last = splitting.closing(self._question.text)
        return self._question.expression if last is None else terms.fts_query(terms.query_terms(last))

    def _expand(self, seeds: dict[int, float], hits: _Hits) -> None:
        """Go on from the best entities to those that are mentioned with them, a step at a time."""
        reached = dict(seeds)
        frontier = seeds
        for weight in HOPS[: int(self._values["recall.graph_hops"])]:
            around = self._around(frontier, reached)
            frontier = dict(sorted(around.items(), key=lambda item: (-item[1], item[0]))[:EXPANSION])
            of = self._memories(frontier)
            for node_id, worth in frontier.items():
                hits.add(of[node_id][: self._limit], weight * worth)
            reached |= frontier

    def _around(self, frontier: Mapping[int, float], reached: Mapping[int, float]) -> dict[int, float]:
        """Entities that memories of the frontier's best mention as well, each with how firmly it is tied, 0..1."""
        best = sorted(frontier, key=lambda one: (-frontier[one], one))[:_SEEDS]
        known = self._memories(best)
        of = {one: known[one][:_NEWEST] for one in best}
        said: dict[int, dict[int, float]] = {}
        for seen in self._reader.mentions_in({one for ids in of.values() for one in ids}):
            sure = 1.0 if seen.confidence is None else seen.confidence
            told = said.setdefault(seen.memory_id, {})
            told[seen.node_id] = max(told.get(seen.node_id, 0.0), sure)
        around: dict[int, float] = {}
        for one, ids in of.items():
            for memory_id in ids:
                for other, sure in said.get(memory_id, {}).items():
                    if other not in reached:
                        around[other] = around.get(other, 0.0) + frontier[one] * sure / len(ids)
        top = max(around.values(), default=0.0)
        return {node_id: worth / top for node_id, worth in around.items()} if top > 0 else {}

    def _memories(self, node_ids: Iterable[int]) -> dict[int, list[int]]:
        """The newest memories of each entity, at least as many as are looked at."""
        wanted = list(dict.fromkeys(node_ids))
        found, common = mentioning.by_rare(
            self._cx, (one for one in wanted if one not in self._known), self._filters, _COMMON
        )
        self._known |= found
        for node_id in common:
            self._known[node_id] = self._reader.memories_of(node_id, max(self._limit, _NEWEST))
        return {one: self._known[one] for one in wanted}

    # Meaning -------------------------------------------------------------------------------------------------

    def _near(self, vector: Vector | None) -> tuple[list[int], float]:
        """Memories that tell one of the nearest facts, best first, and the lowest cosine of a fact."""
        if vector is None or self._facts is None or not len(self._facts):
            return [], 0.0
        wanted = self._limit * _OVERFETCH
        while True:
            found = self._facts.search(vector, wanted)
            told = mentioning.telling(self._cx, found.keys.tolist(), self._filters)
            near = dict.fromkeys(one for key in found.keys.tolist() for one in told.get(key, ()))
            if len(near) >= self._limit or len(found.keys) < wanted:
                return list(near)[: self._limit], found.floor
            wanted *= _OVERFETCH

    def _cosines(self, vector: Vector | None, ids: NDArray[np.int64]) -> Scores:
        """The cosine of each memory's nearest fact [n]; NaN where it has none with a vector."""
        cosine = np.full(len(ids), np.nan)
        if vector is None or self._facts is None or not len(self._facts):
            return cosine
        place = {int(memory_id): at for at, memory_id in enumerate(ids)}
        pairs = mentioning.facts_of(self._cx, place)
        raw = self._facts.cosines(vector, [entry_id for _, entry_id in pairs])
        np.fmax.at(cosine, [place[memory_id] for memory_id, _ in pairs], raw.astype(np.float64))
        return cosine


class _Hits:
    """Memories with what each hit on them is worth."""

    def __init__(self) -> None:
        self._best: dict[int, float] = {}
        self._sum: dict[int, float] = {}

    def add(self, memory_ids: Iterable[int], worth: float) -> None:
        for one in memory_ids:
            self._best[one] = max(self._best.get(one, 0.0), worth)
            self._sum[one] = self._sum.get(one, 0.0) + worth

    def scores(self) -> dict[int, float]:
        """The best hit of each memory and a share of the others, at most 1; whatever the order they came in."""
        return {one: min(1.0, best + FURTHER * (self._sum[one] - best)) for one, best in self._best.items()}


def scores(
    cx: Connection, found: Found, strength: Scores, touched: Scores, values: Mapping[str, Any], now: datetime
) -> Scores:
    """What the graph says of each found memory [n], 0..1: relevance, importance, recency and confidence in the
    proportion of ``recall.graph_weight_*``, with ``recall.graph_fading`` times what the life of its facts leaves (S0).

    ``strength`` and ``touched`` [n] as in ``Signals``.
    """
    weights = [float(values[f"recall.graph_weight_{name}"]) for name in _WEIGHTS]
    if values["recall.fusion"] == "rrf":
        words, meaning = fusion.reciprocal_rank(found.words, found.cosine, int(values["recall.rrf_k"]))
    else:
        words, meaning = fusion.convex(found.words, found.cosine, found.floor, float(values["recall.lexical_share"]))
    age = np.maximum(0.0, now.timestamp() - touched)
    recency = np.exp(-age / (float(values["recall.recency_days"]) * _SECONDS_A_DAY))
    confidence, left = _lives(cx, found.ids, now)
    parts = (words + meaning, strength, recency, confidence)
    total = sum((weight * part for weight, part in zip(weights, parts, strict=True)), np.zeros(len(found.ids)))
    made: Scores = (left if values["recall.graph_fading"] else 1.0) * total / (sum(weights) or 1.0)
    return made


def _lives(cx: Connection, ids: NDArray[np.int64], now: datetime) -> tuple[Scores, Scores]:
    """Of each memory's facts the surest confidence and the most that is left of one [n]; one without facts lasts."""
    confidence, left = np.full(len(ids), _NO_FACT), np.ones(len(ids))
    place = {int(memory_id): at for at, memory_id in enumerate(ids)}
    best: dict[int, tuple[float, float]] = {}
    for life in mentioning.lives(cx, place):
        rest = remaining(life.type, life.status, life.ttl_days, life.touched, life.expires, now.timestamp())
        sure, longest = best.get(life.memory_id, (0.0, 0.0))
        best[life.memory_id] = max(sure, life.confidence), max(longest, rest)
    for memory_id, pair in best.items():
        confidence[place[memory_id]], left[place[memory_id]] = pair
    return confidence, left
