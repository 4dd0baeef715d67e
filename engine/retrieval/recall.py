"""recall: THE read path. question → document route → fusion → weighting → policy → diversity → budget → explained hits.

Reads only; the reinforcement that follows an answer is the service's business. Two equal questions on an
unchanged store get equal answers.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from datetime import datetime
from typing import Any

from engine.index import lexical
from engine.index.space import VectorSpace
from engine.ingest.draft import lexical_row
from engine.retrieval import budget, diversify, document
from engine.retrieval.query import Parsed
from engine.retrieval.ranking import Candidate, Ranking
from engine.storage import memories, signals
from engine.storage.database import Connection
from engine.storage.memories import fields_of
from engine.text import terms
from engine.types import Explanation, Factor, Hit, Memory, NearMiss, Query, Recollection

# The diversity step looks at this many times k of the best candidates.
POOL = 4
LEAST_POOL = 20
_HIDDEN = ("high",)


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
    secret = () if query.include_sensitive else _HIDDEN
    ranking = Ranking(found, signals.of(cx, found.ids), values, now, secret)
    pool = ranking.visible(max(query.k * POOL, LEAST_POOL))
    rows = memories.get_many(cx, [one.id for one in pool])
    chosen = _diverse(pool, rows, query.k, float(values["recall.mmr_lambda"]))
    texts = budget.fit([rows[one.id] for one, _ in chosen], query.budget)
    hits = [
        Hit(
            rows[one.id],
            fitted.text,
            fitted.form,
            one.score - penalty,
            _explanation(cx, one, penalty, rows[one.id], question) if query.explain else None,
        )
        for (one, penalty), fitted in zip(chosen, texts, strict=True)
        if fitted is not None
    ]
    return Recollection(
        hits=tuple(hits),
        near_misses=_near_misses(cx, ranking, chosen, hits, query.near_misses),
        degraded=found.degraded,
        tokens=sum(fitted.tokens for fitted in texts if fitted),
        omitted=sum(1 for fitted in texts if fitted is None),
        hidden=ranking.hidden(query.k),
        milliseconds=(time.perf_counter() - started) * 1000,
    )


def _diverse(
    pool: Sequence[Candidate], rows: Mapping[int, Memory], k: int, weight: float
) -> list[tuple[Candidate, float]]:
    bags = [terms.bag(rows[one.id].content) for one in pool] if weight < 1.0 else [frozenset[str]()] * len(pool)
    return [(pool[at], penalty) for at, penalty in diversify.select([one.score for one in pool], bags, k, weight)]


def _explanation(cx: Connection, one: Candidate, penalty: float, memory: Memory, question: Parsed) -> Explanation:
    factors = one.factors + ((Factor("diversity", -penalty),) if penalty else ())
    inside = list(dict.fromkeys(lexical_row(fields_of(memory)).split()))
    asked = set(lexical.stems(cx, question.terms))
    # In the memory's own spelling: "drinks" where "drink" was asked for.
    matched = tuple(term for term, stem in zip(inside, lexical.stems(cx, inside), strict=True) if stem in asked)
    return Explanation(one.channels, factors, matched)


def _near_misses(
    cx: Connection, ranking: Ranking, chosen: Sequence[tuple[Candidate, float]], hits: Sequence[Hit], limit: int
) -> tuple[NearMiss, ...]:
    """The best candidates that were held back, each with the reason."""
    if limit <= 0:
        return ()
    shown, picked = {hit.memory.id for hit in hits}, {one.id for one, _ in chosen}
    last = min((one.score for one, _ in chosen), default=0.0)
    held = [(one, secret) for one, secret in ranking.best(limit + len(shown)) if one.id not in shown][:limit]
    rows = memories.get_many(cx, [one.id for one, secret in held if not secret])
    misses: list[NearMiss] = []
    for one, secret in held:
        if secret or one.id not in rows:
            misses.append(NearMiss(one.id, "", one.score, "sensitivity"))
            continue
        reason = "budget" if one.id in picked else "diversity" if one.score > last else "rank"
        misses.append(NearMiss(one.id, rows[one.id].summary, one.score, reason))
    return tuple(misses)
