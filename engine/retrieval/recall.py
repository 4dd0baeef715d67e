"""recall: THE read path. question → document route → fusion → weighting → policy → diversity → budget → explained hits.

Reads only; the reinforcement that follows an answer is the service's business. Two equal questions on an
unchanged store get equal answers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from engine.index.space import VectorSpace
from engine.retrieval import budget, diversify, document, fusion
from engine.retrieval.query import Parsed, parse
from engine.storage import memories, signals
from engine.storage.database import Connection
from engine.text import terms
from engine.types import Channel, Explanation, Factor, Hit, Memory, NearMiss, Query, Recollection

# The diversity step looks at this many times k of the best candidates.
POOL = 4
_HIDDEN = ("high",)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A scored memory on its way through the pipeline; parts add up to ``score``."""

    id: int
    score: float
    lexical: Channel | None
    vector: Channel | None
    factors: tuple[Factor, ...]
    sensitivity: str


def recall(
    cx: Connection,
    query: Query,
    values: Mapping[str, Any],
    space: VectorSpace | None,
    now: datetime,
    executor: Executor | None = None,
) -> Recollection:
    """Answer ``query`` from the snapshot that ``cx`` sees. ``values``: parameters with the query's overrides applied.

    Errors: ``InvalidArgument`` for bounds; a channel that fails only degrades the answer.
    """
    started = time.perf_counter()
    question = parse(query)
    found = document.gather(cx, question, query.filters, space, int(values["recall.candidates"]), executor)
    ranked = _rank(cx, found, values, now)
    visible = [one for one in ranked if query.include_sensitive or one.sensitivity not in _HIDDEN]
    hidden = sum(1 for one in ranked[: query.k] if one not in visible)
    pool = visible[: max(query.k * POOL, 20)]
    rows = memories.get_many(cx, [one.id for one in pool])
    pool = [one for one in pool if one.id in rows]
    chosen = _diverse(pool, rows, query.k, float(values["recall.mmr_lambda"]))
    texts = budget.fit([rows[one.id] for one, _ in chosen], query.budget)
    hits = [
        _hit(one, penalty, rows[one.id], fitted, question, query.explain)
        for (one, penalty), fitted in zip(chosen, texts, strict=True)
        if fitted is not None
    ]
    return Recollection(
        hits=tuple(hits),
        near_misses=_near_misses(ranked, visible, chosen, hits, rows, query.near_misses),
        degraded=found.degraded,
        tokens=sum(fitted.tokens for fitted in texts if fitted),
        omitted=sum(1 for fitted in texts if fitted is None),
        hidden=hidden,
        milliseconds=(time.perf_counter() - started) * 1000,
    )


def _rank(cx: Connection, found: document.Candidates, values: Mapping[str, Any], now: datetime) -> list[Candidate]:
    """All candidates, best first: relevance, strength and recency in the proportion of their weights (S0)."""
    words, meaning = _fused(found, values)
    weights = [float(values[f"recall.weight_{name}"]) for name in ("relevance", "importance", "recency")]
    total = sum(weights) or 1.0
    alpha, beta, gamma = (weight / total for weight in weights)
    known = signals.of(cx, [int(memory_id) for memory_id in found.ids])
    places = fusion.ranks(found.lexical), fusion.ranks(found.cosine)
    scale = float(values["recall.recency_days"]) * 86_400.0
    ranked: list[Candidate] = []
    for at, memory_id in enumerate(int(key) for key in found.ids):
        signal = known.get(memory_id)
        if signal is None:
            continue
        age = max(0.0, (now - signal.touched_at).total_seconds())
        factors = (
            Factor("importance", beta * signal.strength),
            Factor("recency", gamma * math.exp(-age / scale)),
        )
        channels = (
            _channel("lexical", int(places[0][at]), float(found.lexical[at]), alpha * float(words[at])),
            _channel("vector", int(places[1][at]), float(found.cosine[at]), alpha * float(meaning[at])),
        )
        score = sum(one.share for one in channels if one) + sum(factor.value for factor in factors)
        ranked.append(Candidate(memory_id, score, *channels, factors, signal.sensitivity))
    ranked.sort(key=lambda one: (-one.score, -one.id))
    return ranked


def _fused(found: document.Candidates, values: Mapping[str, Any]) -> tuple[fusion.Scores, fusion.Scores]:
    kind = values["recall.fusion"]
    nothing = np.full(len(found.ids), np.nan)
    if kind == "rrf":
        return fusion.reciprocal_rank(found.lexical, found.cosine, int(values["recall.rrf_k"]))
    if kind == "lexical":
        return fusion.convex(found.lexical, nothing, found.floor, 1.0)
    if kind == "vector":
        return fusion.convex(nothing, found.cosine, found.floor, 0.0)
    return fusion.convex(found.lexical, found.cosine, found.floor, float(values["recall.lexical_share"]))


def _channel(name: Any, rank: int, raw: float, share: float) -> Channel | None:
    return Channel(name, rank, raw, share) if rank else None


def _diverse(
    pool: Sequence[Candidate], rows: Mapping[int, Memory], k: int, weight: float
) -> list[tuple[Candidate, float]]:
    bags = [terms.bag(rows[one.id].content) for one in pool] if weight < 1.0 else [frozenset[str]()] * len(pool)
    return [(pool[at], penalty) for at, penalty in diversify.select([one.score for one in pool], bags, k, weight)]


def _hit(one: Candidate, penalty: float, memory: Memory, fitted: budget.Fitted, question: Parsed, explain: bool) -> Hit:
    explanation = None
    if explain:
        channels = tuple(channel for channel in (one.lexical, one.vector) if channel)
        factors = one.factors + ((Factor("diversity", -penalty),) if penalty else ())
        inside = set(terms.index_terms(memory.content))
        matched = tuple(term for term in question.terms if term in inside)
        explanation = Explanation(channels, factors, matched)
    return Hit(memory, fitted.text, fitted.form, one.score - penalty, explanation)


def _near_misses(
    ranked: Sequence[Candidate],
    visible: Sequence[Candidate],
    chosen: Sequence[tuple[Candidate, float]],
    hits: Sequence[Hit],
    rows: Mapping[int, Memory],
    limit: int,
) -> tuple[NearMiss, ...]:
    """The best candidates that were held back, each with the reason."""
    if limit <= 0:
        return ()
    shown, picked = {hit.memory.id for hit in hits}, {one.id for one, _ in chosen}
    open_ids = {one.id for one in visible}
    last = min((one.score for one, _ in chosen), default=0.0)
    misses: list[NearMiss] = []
    for one in ranked:
        if one.id in shown:
            continue
        if one.id not in open_ids:
            misses.append(NearMiss(one.id, "", one.score, "sensitivity"))
        elif one.id in picked:
            misses.append(NearMiss(one.id, rows[one.id].summary, one.score, "budget"))
        else:
            reason = "diversity" if one.score > last else "rank"
            title = rows[one.id].summary if one.id in rows else ""
            misses.append(NearMiss(one.id, title, one.score, reason))
        if len(misses) == limit:
            break
    return tuple(misses)
