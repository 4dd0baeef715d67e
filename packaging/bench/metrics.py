"""Retrieval metrics over ranked lists with binary relevance. Pure; values are shares in 0..1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set

CUT = 10


def judge(ranked: Sequence[Set[str]], relevant: Set[str]) -> dict[str, float]:
    """Recall at 1, 5, 10, reciprocal rank and nDCG at 10 of one query.

    ``ranked``: for each hit the ids that its memory answers for (several where texts were merged).
    """
    found: set[str] = set()
    recall: dict[int, float] = {}
    gain, reciprocal = 0.0, 0.0
    for place, ids in enumerate(ranked[:CUT], 1):
        new = (ids & relevant) - found
        if new:
            found |= new
            gain += 1.0 / math.log2(place + 1)
            reciprocal = reciprocal or 1.0 / place
        recall[place] = len(found) / len(relevant)
    best = sum(1.0 / math.log2(place + 1) for place in range(1, min(len(relevant), CUT) + 1))

    def at(k: int) -> float:
        return recall.get(min(k, len(recall)), 0.0)

    return {"R@1": at(1), "R@5": at(5), "R@10": at(10), "MRR@10": reciprocal, "nDCG@10": gain / best}


def mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each metric in percent, rounded to one decimal, and ``n``."""
    if not rows:
        return {"n": 0}
    return {"n": len(rows)} | {key: round(100 * sum(row[key] for row in rows) / len(rows), 1) for key in rows[0]}


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` of the sorted ``values`` lie (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, math.ceil(share * len(ordered)) - 1))]
