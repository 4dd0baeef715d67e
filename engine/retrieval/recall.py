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
from numpy.typing import NDArray

from engine.index.space import VectorSpace
from engine.ingest.draft import lexical_row
from engine.ingest.memorize import fields_of
from engine.retrieval import budget, diversify, document, fusion
from engine.retrieval.query import Parsed
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
    question: Parsed,
    values: Mapping[str, Any],
    space: VectorSpace | None,
    now: datetime,
    executor: Executor | None = None,
) -> Recollection:
    """Answer ``query`` from the snapshot that ``cx`` sees. ``values``: parameters with the query's overrides applied.

    ``question``: what ``query.parse`` made of it. A channel that fails only degrades the answer.
    """
    started = time.perf_counter()
    if values["recall.fusion"] == "lexical":
        space = None  # no vector is needed, so none is made
    found = document.gather(cx, question, query.filters, space, int(values["recall.candidates"]), executor)
    ranked = _rank(cx, found, values, now)
    secret = () if query.include_sensitive else _HIDDEN
    visible = [one for one in ranked if one.sensitivity not in secret]
    hidden = sum(1 for one in ranked[: query.k] if one.sensitivity in secret)
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
        near_misses=_near_misses(cx, ranked, secret, chosen, hits, query.near_misses),
        degraded=found.degraded,
        tokens=sum(fitted.tokens for fitted in texts if fitted),
        omitted=sum(1 for fitted in texts if fitted is None),
        hidden=hidden,
        milliseconds=(time.perf_counter() - started) * 1000,
    )


def _rank(cx: Connection, found: document.Candidates, values: Mapping[str, Any], now: datetime) -> list[Candidate]:
    """All candidates, best first: relevance, strength and recency in the proportion of their weights (S0)."""
    words, meaning, counts = _fused(found, values)
    weights = [float(values[f"recall.weight_{name}"]) for name in ("relevance", "importance", "recency")]
    total = sum(weights) or 1.0
    alpha, beta, gamma = (weight / total for weight in weights)
    known = signals.of(cx, [int(memory_id) for memory_id in found.ids])
    places = fusion.ranks(found.lexical), fusion.ranks(found.cosine)
    scale = float(values["recall.recency_days"]) * 86_400.0
    ranked: list[Candidate] = []
    for at, memory_id in enumerate(int(key) for key in found.ids):
        signal = known.get(memory_id)
        if signal is None or not counts[at]:
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


def _fused(
    found: document.Candidates, values: Mapping[str, Any]
) -> tuple[fusion.Scores, fusion.Scores, NDArray[np.bool_]]:
    """The parts of both channels, and which candidates were found by a channel that counts at all."""
    kind = values["recall.fusion"]
    nothing, every = np.full(len(found.ids), np.nan), np.ones(len(found.ids), dtype=np.bool_)
    if kind == "rrf":
        return *fusion.reciprocal_rank(found.lexical, found.cosine, int(values["recall.rrf_k"])), every
    if kind == "lexical":
        return *fusion.convex(found.lexical, nothing, found.floor, 1.0), ~np.isnan(found.lexical)
    # Without any vector the words answer, whatever was asked for.
    if kind == "vector" and not np.isnan(found.cosine).all():
        return *fusion.convex(nothing, found.cosine, found.floor, 0.0), ~np.isnan(found.cosine)
    return *fusion.convex(found.lexical, found.cosine, found.floor, float(values["recall.lexical_share"])), every


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
        inside = set(lexical_row(fields_of(memory)).split())
        matched = tuple(term for term in question.terms if term in inside)
        explanation = Explanation(channels, factors, matched)
    return Hit(memory, fitted.text, fitted.form, one.score - penalty, explanation)


def _near_misses(
    cx: Connection,
    ranked: Sequence[Candidate],
    secret: Sequence[str],
    chosen: Sequence[tuple[Candidate, float]],
    hits: Sequence[Hit],
    limit: int,
) -> tuple[NearMiss, ...]:
    """The best candidates that were held back, each with the reason."""
    if limit <= 0:
        return ()
    shown, picked = {hit.memory.id for hit in hits}, {one.id for one, _ in chosen}
    last = min((one.score for one, _ in chosen), default=0.0)
    held = [one for one in ranked if one.id not in shown][:limit]
    rows = memories.get_many(cx, [one.id for one in held if one.sensitivity not in secret])
    misses: list[NearMiss] = []
    for one in held:
        if one.id not in rows:
            misses.append(NearMiss(one.id, "", one.score, "sensitivity"))
            continue
        reason = "budget" if one.id in picked else "diversity" if one.score > last else "rank"
        misses.append(NearMiss(one.id, rows[one.id].summary, one.score, reason))
    return tuple(misses)
