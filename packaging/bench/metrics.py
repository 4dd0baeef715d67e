"""Retrieval metrics over ranked lists with binary relevance, and how sure they are. Pure; values are shares in 0..1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

CUT = 10
# What intervals are given for, and how many times the questions are drawn again for one (Efron 1979).
SURE_OF = ("R@10", "nDCG@10")
ROUNDS = 2_000


def judge(
    ranked: Sequence[Set[str]], relevant: Set[str], grades: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Recall at 1, 5, 10, reciprocal rank and nDCG at 10 of one query.

    ``ranked``: for each hit the ids that its memory answers for (several where texts were merged). ``grades``: what an
    answer gains in nDCG (1 where none is named).
    """
    worth = {one: float((grades or {}).get(one, 1.0)) for one in relevant}
    found: set[str] = set()
    recall: dict[int, float] = {}
    gain, reciprocal = 0.0, 0.0
    for place, ids in enumerate(ranked[:CUT], 1):
        new = (ids & relevant) - found
        if new:
            found |= new
            gain += max(worth[one] for one in new) / math.log2(place + 1)
            reciprocal = reciprocal or 1.0 / place
        recall[place] = len(found) / len(relevant)
    ideal = sorted(worth.values(), reverse=True)[:CUT]
    best = sum(value / math.log2(place + 1) for place, value in enumerate(ideal, 1))

    def at(k: int) -> float:
        return recall.get(min(k, len(recall)), 0.0)

    return {"R@1": at(1), "R@5": at(5), "R@10": at(10), "MRR@10": reciprocal, "nDCG@10": gain / best}


def mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each metric in percent, rounded to one decimal, and ``n``."""
    if not rows:
        return {"n": 0}
    return {"n": len(rows)} | {key: round(100 * sum(row[key] for row in rows) / len(rows), 1) for key in rows[0]}


def intervals(rows: Sequence[Mapping[str, float]]) -> dict[str, tuple[float, float]]:
    """The bootstrap 95 % interval of the mean of each of ``SURE_OF``, in percent; {} without rows."""
    return {name: bootstrap([100 * row[name] for row in rows]) for name in SURE_OF if rows}


def against(
    rows: Sequence[Mapping[str, float]], base: Sequence[Mapping[str, float]]
) -> dict[str, tuple[float, float, float]]:
    """How far ``rows`` are from ``base``, question by question: the mean difference of each of ``SURE_OF`` in percent
    and its bootstrap 95 % interval.
    """
    found: dict[str, tuple[float, float, float]] = {}
    for name in SURE_OF if rows else ():
        apart = [100 * (row[name] - other[name]) for row, other in zip(rows, base, strict=True)]
        found[name] = (round(float(np.mean(apart)), 2), *bootstrap(apart))
    return found


def bootstrap(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of the mean of ``values`` [n ≥ 1] by percentiles; the same values give the same interval."""
    low, high = np.percentile(resampled(np.asarray(values, dtype=np.float64)), [2.5, 97.5])
    return round(float(low), 2), round(float(high), 2)


def resampled(values: NDArray[np.float64], seed: int = 7) -> NDArray[np.float64]:
    """The means of ``ROUNDS`` samples of ``values`` [n] drawn with replacement."""
    dice = np.random.default_rng(seed)
    drawn: NDArray[Any] = dice.integers(0, len(values), (ROUNDS, len(values)))
    means: NDArray[np.float64] = values[drawn].mean(axis=1)
    return means


def auc(right: Sequence[bool], values: Sequence[float]) -> float:
    """The chance that a right one has the higher value than a wrong one, ties half; NaN where all are of one kind."""
    good = [value for value, is_right in zip(values, right, strict=True) if is_right]
    bad = [value for value, is_right in zip(values, right, strict=True) if not is_right]
    if not good or not bad:
        return math.nan
    wins = sum((one > other) + 0.5 * (one == other) for one in good for other in bad)
    return wins / (len(good) * len(bad))


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` of the sorted ``values`` lie (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, math.ceil(share * len(ordered)) - 1))]
