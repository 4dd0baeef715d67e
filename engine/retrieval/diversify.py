"""Maximal marginal relevance (Carbonell & Goldstein 1998; S0's λ = 0.7) over bags of terms. Pure.

The bags are segmented (CJK bigrams and Latin words), because bags split at white space do nothing in Chinese.
"""

from __future__ import annotations

from collections.abc import Sequence


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    """Shared terms over all terms, 0 for two empty bags."""
    if not left or not right:
        return 0.0
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared)


def select(scores: Sequence[float], bags: Sequence[frozenset[str]], k: int, weight: float) -> list[tuple[int, float]]:
    """Choose ``k`` positions one by one; returns (position, penalty ≥ 0) in order of choice.

    ``weight`` is λ in (0, 1]: 1 ignores diversity. Ordering by λ·score − (1 − λ)·likeness is ordering by
    score − likeness·(1 − λ)/λ; the penalty is that last term, so that score − penalty never rises along the choice.
    """
    left = list(range(len(scores)))
    likeness = [0.0] * len(scores)
    price = (1.0 - weight) / weight
    chosen: list[tuple[int, float]] = []
    while left and len(chosen) < k:
        best = max(left, key=lambda at: (scores[at] - price * likeness[at], -at))
        chosen.append((best, price * likeness[best]))
        left.remove(best)
        if price > 0.0:
            for at in left:
                likeness[at] = max(likeness[at], jaccard(bags[at], bags[best]))
    return chosen
