"""Search among single facts: by their words, and by what their lifetime leaves of them (S0's search_atoms).

Reads only. Must not wake or reinforce what it finds.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from engine.forgetting.atoms import factor
from engine.storage import atoms
from engine.storage.database import Connection
from engine.text import terms
from engine.types import AtomHit, AtomQuery

_MOST_HITS: Final = 50
# Read so many atoms at a time; a score can not exceed the share of the best BM25, so the rest is seldom needed.
_BATCH: Final = 64


def search(cx: Connection, query: AtomQuery, now: datetime) -> tuple[AtomHit, ...]:
    """The ``query.k`` best live atoms, by score, ties by id. An atom's text and memories are those that the filters
    let pass. Any text is a question; one without a word finds nothing.
    """
    expression = terms.fts_query(terms.query_terms(query.text))
    found = atoms.matches(cx, expression, query.filters, query.types, now)
    k = max(1, min(query.k, _MOST_HITS))
    if not found:
        return ()
    best_match = found[0][1]
    scores: list[float] = []  # the k best so far, the least of them first
    hits: list[AtomHit] = []
    for batch in _batches(found):
        if len(scores) == k and _share(batch[0][1], best_match) < scores[0]:
            break
        known = atoms.get_many(cx, (atom_id for atom_id, _ in batch), query.filters)
        for atom_id, match in batch:
            left = factor(known[atom_id], now)
            hit = AtomHit(known[atom_id], _share(match, best_match) * left, left)
            hits.append(hit)
            heapq.heappush(scores, hit.score)
            if len(scores) > k:
                heapq.heappop(scores)
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.atom.id))[:k])


def _batches(found: list[tuple[int, float]]) -> Iterator[list[tuple[int, float]]]:
    rest = iter(found)
    while batch := list(itertools.islice(rest, _BATCH)):
        yield batch


def _share(match: float, best: float) -> float:
    """A match as a share of the best; all are equal where words that everybody uses give no match any weight."""
    return match / best if best > 0 else 1.0
