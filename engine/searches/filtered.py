"""Search with filters and a chosen order (S3): really by relevance, by score or by time, up or down."""

from __future__ import annotations

from typing import Final

from engine.searches import snippets
from engine.searches.asking import check_choice, check_score, check_whole, keywords_of, text_of
from engine.storage import memories, searches
from engine.storage.database import Connection
from engine.text import terms
from engine.types import (
    SEARCH_ORDERS,
    SEARCH_SORTS,
    FilteredFound,
    FilteredHit,
    FilteredSearch,
    Filters,
)

MOST_HITS: Final = 100


def check(asked: FilteredSearch) -> None:
    """Errors: ``InvalidArgument``."""
    text_of(asked.query)
    keywords_of(asked.keywords)
    check_score("min_score", asked.min_score)
    check_score("max_score", asked.max_score)
    check_choice("sort", asked.sort, SEARCH_SORTS)
    check_choice("order", asked.order, SEARCH_ORDERS)
    check_whole("limit", asked.limit, 1, MOST_HITS)


def search(cx: Connection, asked: FilteredSearch, filters: Filters, room: int) -> FilteredFound:
    """What matches, in the order asked for. A question or keywords that hold no word match nothing."""
    query, keywords = text_of(asked.query), keywords_of(asked.keywords)
    words = snippets.words_of(query)
    expression = _expression(words if query else None, keywords)
    if expression is None:
        return FilteredFound((), 0)
    low = 0.0 if asked.min_score is None else float(asked.min_score)
    high = 1.0 if asked.max_score is None else float(asked.max_score)
    found, total = searches.matching(cx, expression, filters, (low, high), asked.sort, asked.order, asked.limit)
    rows = memories.get_many(cx, [one.memory_id for one in found])
    looked_for = [*words, *keywords]
    hits = [
        FilteredHit(
            rows[one.memory_id], snippets.snippet(cx, rows[one.memory_id].content, looked_for, room), one.relevance,
            one.strength,
        )
        for one in found
    ]  # fmt: skip
    return FilteredFound(tuple(hits), total)


def _expression(words: list[str] | None, keywords: tuple[str, ...]) -> str | None:
    """FTS5: any of the words, and one of the keywords with all of its terms; "" = everything, None = nothing."""
    parts: list[str] = []
    if words is not None:
        parts.append(terms.fts_query(words))
    if keywords:
        each = (dict.fromkeys(terms.index_terms(one)) for one in keywords)
        whole = [" AND ".join(terms.fts_query([term]) for term in one) for one in each if one]
        parts.append(" OR ".join(f"({one})" for one in whole))
    if not all(parts):
        return None
    return " AND ".join(f"({part})" for part in parts)
