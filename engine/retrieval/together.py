"""Both routes as one score (S0): each by its own best, in the proportion of their weights, and a bonus for what both
found. Pure numpy; knows nothing of memories. Must not score a route.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.retrieval.fusion import Scores


@dataclass(frozen=True, slots=True)
class Joined:
    """What a joined score is made of: the document route's own score × ``scale``, ``graph`` [n] and ``both`` [n]."""

    scale: float
    graph: Scores
    both: Scores


@dataclass(frozen=True, slots=True)
class Routed:
    """What the graph route says of all candidates: ``scores`` [n], NaN where it found nothing; its ``share`` 0..1 of
    the whole; the ``bonus`` for what is among the ``first`` of the document route too.
    """

    scores: Scores
    share: float
    bonus: float
    first: int


def join(document: Scores, graph: Routed) -> Joined | None:
    """Join both routes' scores [n]; None where the graph found nothing, which leaves the document route as it is.

    The bonus counts as far as the sum does not exceed 1.
    """
    share = graph.share
    found = np.nan_to_num(graph.scores, nan=0.0)
    top = float(found.max(initial=0.0))
    if top <= 0.0:
        return None
    best = float(np.nan_to_num(document, nan=0.0).max(initial=0.0))
    scale = (1.0 - share) / best if best > 0.0 else 0.0
    part = share * found / top
    in_both = (found > 0.0) & _among_first(document, graph.first)
    return Joined(scale, part, np.where(in_both, np.clip(1.0 - scale * document - part, 0.0, graph.bonus), 0.0))


def _among_first(document: Scores, first: int) -> NDArray[np.bool_]:
    """Which [n] score no less than the ``first``-best; what scores nothing is not among them."""
    kept = document[document > 0.0]
    if not len(kept):
        return np.zeros(len(document), dtype=np.bool_)
    least = np.partition(kept, -first)[-first] if len(kept) > first else kept.min()
    among: NDArray[np.bool_] = document >= least
    return among
