"""Scored recall (S4): importance, recalls, emotion and likeness as one number, with what stands around the hits.

S4's score is (importance·3 + recalls·2 + emotion·1.5) · exp(−days / max(1.5·recalls, 1)) + 15·cosine, with importance
1–10. There a memory that was often recalled leaves every better answer behind, one that was recalled once is worth less
than one that never was, and cosines that all lie near each other decide nothing. Here recalls can only add, fade with
the same half-life and are bounded, and likeness is measured from the least to the most alike. Must not count recalls.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime, timedelta, tzinfo
from typing import Any, Final

import numpy as np

from engine import clock
from engine.access import Asked
from engine.index import lexical
from engine.retrieval import document, fusion
from engine.retrieval.query import Parsed
from engine.storage import memories, searches
from engine.storage.database import Connection
from engine.storage.searches import Weighed
from engine.types import Filters, ScoredHit, ScorePart, TimeRange

IMPORTANCE: Final = 3.0
RECALL: Final = 2.0
EMOTION: Final = 1.5
SIMILARITY: Final = 15.0
# What all recalls together are worth at most: a third of what likeness is.
MOST_OF_RECALLS: Final = 5.0
MOST_HITS: Final = 20
_DAYS: Final[Mapping[TimeRange, int | None]] = {"1d": 1, "7d": 7, "30d": 30, "90d": 90, "all": None}
_CANDIDATES: Final = 100


def since(time_range: TimeRange, now: datetime, zone: tzinfo) -> datetime | None:
    """Where the range begins: "1d" is the user's today, "7d" today and the six days before it."""
    days = _DAYS[time_range]
    if days is None:
        return None
    return clock.start_of(clock.local_date(now, zone) - timedelta(days=days - 1), zone)


def score(weighed: Weighed, similarity: float, now: datetime) -> dict[ScorePart, float]:
    """The parts of a memory's score; ``similarity`` 0..1."""
    recalled = 0.0
    if weighed.recall_count > 0:
        touched = weighed.touched or now
        days = max(0.0, (now - touched) / timedelta(days=1))
        fade = math.exp(-days / max(1.5 * weighed.recall_count, 1.0))
        recalled = min(RECALL * weighed.recall_count, MOST_OF_RECALLS) * fade
    return {
        "importance": IMPORTANCE * 10.0 * weighed.importance,
        "recall": recalled,
        "emotion": EMOTION * weighed.emotion,
        "similarity": SIMILARITY * max(0.0, min(1.0, similarity)),
    }


def search(
    cx: Connection, question: Parsed, asked: Asked, filters: Filters, limit: int, now: datetime,
    values: Mapping[str, Any],
) -> list[ScoredHit]:  # fmt: skip
    """The ``limit`` best of the candidates of words and meaning; without a question, of the newest memories."""
    alike = likeness(cx, question, asked, filters, values)
    if not question.terms:
        alike = dict.fromkeys((row.memory_id for row in searches.plain(cx, filters, _CANDIDATES)), 0.0)
    weighed = searches.weighed(cx, alike)
    parts = {one: score(weighed[one], alike[one], now) for one in alike}
    totals = {one: sum(found.values()) for one, found in parts.items()}
    best = sorted(totals, key=lambda one: (-totals[one], -one))[:limit]
    rows = memories.get_many(cx, best)
    return [ScoredHit(rows[one], totals[one], parts[one]) for one in best]


def likeness(
    cx: Connection, question: Parsed, asked: Asked, filters: Filters, values: Mapping[str, Any]
) -> dict[int, float]:
    """How well each candidate answers, 0..1: words and meaning joined as recall joins them."""
    words = dict(lexical.search(cx, question.expression, _CANDIDATES, filters))
    near: list[int] = []
    floor = 0.0
    usable = asked.space is not None and asked.vector is not None and bool(question.terms)
    if usable and asked.space is not None and asked.vector is not None:
        subset = memories.count(cx, filters)
        near, floor = document.nearest(cx, asked.space, asked.vector, filters, subset, _CANDIDATES, ())
    ids = np.fromiter(dict.fromkeys([*words, *near]), dtype=np.int64)
    if not len(ids):
        return {}
    raw = np.array([words.get(int(one), np.nan) for one in ids])
    cosines = np.full(len(ids), np.nan)
    if near and asked.space is not None and asked.vector is not None:
        cosines = document.cosines(cx, asked.space, asked.vector, ids, filters, ())
    told, meant = fusion.convex(raw, cosines, floor, float(values["recall.lexical_share"]))
    return dict(zip(ids.tolist(), (told + meant).tolist(), strict=True))
