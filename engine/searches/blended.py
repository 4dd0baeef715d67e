"""Search by words, tags and meaning at once (S2): three rankings, joined by reciprocal rank with weights.

A memory is found by words only where it holds some, by a tag only where the question names one, by meaning alone only
where it may answer at all: nothing is an answer, too. Must not reinforce what it finds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from engine.access import Asked
from engine.index import lexical
from engine.retrieval import confidence, document
from engine.retrieval.document import Candidates
from engine.retrieval.query import Parsed
from engine.searches import snippets
from engine.storage import memories, searches
from engine.storage.database import Connection
from engine.storage.selection import tag_key
from engine.text import terms
from engine.text.normalise import CJK, normalise
from engine.types import Filters, Route, RouteRank, SearchFound, SearchHit

# S2's weights and constant.
WEIGHTS: Final[Mapping[Route, float]] = {"literal": 1.2, "tag": 1.5, "vector": 1.0}
RRF_K: Final = 60
NEAREST: Final = 20
MOST_HITS: Final = 50
# The other routes rank so many.
_RANKED: Final = 100
# A tag may have so many words or Chinese characters; so much of a question is read for tags.
_LONGEST_TAG: Final = 12
_READ: Final = 200
_UNIT: Final = re.compile(rf"{CJK.pattern}|[^\W_]+|[^\w\s]|_")


def search(
    cx: Connection, question: Parsed, asked: Asked, limit: int, room: int, filters: Filters, values: Mapping[str, Any]
) -> SearchFound:
    """The ``limit`` best memories; snippets of at most ``room`` characters. ``asked``: what the question means."""
    words = snippets.words_of(question.text)
    found: dict[Route, list[int]] = {
        "literal": literal(cx, question.text, words, filters),
        "tag": [one for one, _ in searches.tagged(cx, tags_in(question.text), filters, _RANKED)],
        "vector": by_meaning(cx, question, asked, filters, values),
    }
    ranked = fused(found)[:limit]
    rows = memories.get_many(cx, [one for one, _, _ in ranked])
    looked_for = [question.text, *words]
    hits = [
        SearchHit(rows[one], snippets.snippet(cx, rows[one].content, looked_for, room), score, routes)
        for one, score, routes in ranked
    ]
    return SearchFound(tuple(hits), asked.degraded)


def fused(found: Mapping[Route, list[int]]) -> list[tuple[int, float, tuple[RouteRank, ...]]]:
    """(memory, score, routes), best first: weight / (60 + rank) from each route, the newer of equal ones first."""
    routes: dict[int, list[RouteRank]] = {}
    for route, ids in found.items():
        for rank, one in enumerate(ids, 1):
            routes.setdefault(one, []).append(RouteRank(route, rank, WEIGHTS[route] / (RRF_K + rank)))
    scored = [(one, sum(route.share for route in ways), tuple(ways)) for one, ways in routes.items()]
    return sorted(scored, key=lambda item: (-item[1], -item[0]))


def literal(cx: Connection, text: str, words: list[str], filters: Filters) -> list[int]:
    """Memories that hold the question as it is, then those with the larger part of its words, then by BM25."""
    expression = terms.fts_query(words)
    found = lexical.search(cx, expression, _RANKED, filters)
    if not found:
        return []
    ids = np.array([one for one, _ in found], dtype=np.int64)
    held = lexical.presence(cx, expression, ids).sum(axis=1)
    phrase, rows = normalise(text), memories.get_many(cx, ids.tolist())
    whole = {one for one, memory in rows.items() if phrase and phrase in normalise(memory.content)}
    parts = dict(zip(ids.tolist(), held.tolist(), strict=True))
    return [one for one, _ in sorted(found, key=lambda hit: (hit[0] not in whole, -parts[hit[0]], -hit[1], hit[0]))]


def tags_in(text: str) -> list[str]:
    """Whatever in ``text`` may be the name of a tag, as tags are compared; words stay whole, no blank is one."""
    flat = tag_key(text[:_READ])
    units = [match.span() for match in _UNIT.finditer(flat)]
    found = [tag_key(text)]
    for at, (start, _) in enumerate(units):
        found += [flat[start:end] for _, end in units[at : at + _LONGEST_TAG]]
    return [one for one in dict.fromkeys(found) if one]


def by_meaning(
    cx: Connection, question: Parsed, asked: Asked, filters: Filters, values: Mapping[str, Any]
) -> list[int]:
    """The 20 nearest memories; none where even the nearest most probably does not answer."""
    if asked.space is None or asked.vector is None or not question.terms:
        return []
    subset = memories.count(cx, filters)
    near, floor = document.nearest(cx, asked.space, asked.vector, filters, subset, NEAREST, ())
    if not near:
        return []
    ids = np.array(near, dtype=np.int64)
    words = dict(lexical.search(cx, question.expression, _RANKED, filters))
    raw = np.array([words.get(one, np.nan) for one in near])
    cosines = document.cosines(cx, asked.space, asked.vector, ids, filters, ())
    found = Candidates(ids, raw, cosines, floor, np.zeros(len(ids), dtype=np.bool_), ())
    first = memories.get(cx, near[0])
    sure = confidence.judge(
        cx, question, found, first, asked.space.embedder.identity, float(values["recall.abstain_below"])
    )
    return [] if sure.certainty == "nothing" else near


def by_tag(cx: Connection, tag: str, filters: Filters, limit: int) -> list[int]:
    """The newest memories that carry exactly this tag; case and width do not count."""
    return [one for one, _ in searches.tagged(cx, [tag_key(tag)], filters, limit)]
