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

from engine import policy
from engine.index import lexical
from engine.index.space import VectorSpace
from engine.ingest.draft import lexical_row
from engine.retrieval import budget, confidence, diversify, document, graph_route, leads
from engine.retrieval.query import Parsed
from engine.retrieval.ranking import Candidate, Ranking
from engine.storage import memories, signals
from engine.storage.database import Connection
from engine.storage.memories import fields_of
from engine.text import terms
from engine.types import Explanation, Factor, Filters, Hit, Memory, NearMiss, Query, Recollection, Sensitivity

# The diversity step looks at this many times k of the best candidates.
POOL = 4
LEAST_POOL = 20


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
    hidden = policy.hidden(values, query.include_sensitive)
    filters = leads.filters_of(question, query.filters, values)
    pointed = leads.follow(cx, question, filters, hidden, values)
    limit = int(values["recall.candidates"])
    route = graph_route.Route(cx, question, graph_route.visible(filters, hidden), space, query.k, values)
    found = document.gather(cx, question, filters, space, limit, executor, hidden, pointed.ids, route.further)
    fits = leads.weights(cx, question, pointed, found.ids)
    weighs = signals.of(cx, found.ids)
    ranking = Ranking(found, weighs, values, now, fits, route.says(found.ids, weighs, now))
    pool = ranking.best(max(query.k * POOL, LEAST_POOL))
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
    first = rows[chosen[0][0].id] if hits else None
    embedder = space.embedder.identity if space else ""
    sure = confidence.judge(cx, question, found, first, embedder, float(values["recall.abstain_below"]))
    return Recollection(
        hits=tuple(hits),
        near_misses=_near_misses(cx, ranking, chosen, hits, query.near_misses),
        degraded=found.degraded,
        tokens=sum(fitted.tokens for fitted in texts if fitted),
        omitted=sum(1 for fitted in texts if fitted is None),
        hidden=_hidden(cx, query.filters, hidden),
        confidence=sure.value,
        certainty=sure.certainty,
        signs=sure.signs if query.explain else (),
        milliseconds=(time.perf_counter() - started) * 1000,
    )


def _hidden(cx: Connection, filters: Filters, levels: Sequence[Sensitivity]) -> int:
    """How many memories are hidden where the question was asked, whatever it was: a count of those that answer it
    would answer it.
    """
    if not levels:
        return 0
    where = Filters(scope=filters.scope, persona_id=filters.persona_id, statuses=filters.statuses)
    return memories.count_sensitive(cx, where, levels)


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
    held = [one for one in ranking.best(limit + len(shown)) if one.id not in shown][:limit]
    rows = memories.get_many(cx, [one.id for one in held])
    misses: list[NearMiss] = []
    for one in held:
        reason = "budget" if one.id in picked else "diversity" if one.score > last else "rank"
        misses.append(NearMiss(one.id, rows[one.id].summary, one.score, reason))
    return tuple(misses)
