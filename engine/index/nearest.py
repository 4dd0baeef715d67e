"""The memories whose own text is nearest to a vector.

A turn that has a passage together with the turn before it is not like a text because that one is. Reads only; recall,
which wants to hear both, asks the index itself (``retrieval/document.py``).
"""

from __future__ import annotations

from typing import Final

import apsw
import numpy as np
from numpy.typing import NDArray

from engine.index.vector import VectorIndex
from engine.storage import passages

_GROWTH: Final = 4


def own(cx: apsw.Connection, index: VectorIndex, vector: NDArray[np.floating], most: int) -> list[tuple[int, float]]:
    """(memory, cosine) of the ``most`` own passages nearest to ``vector`` [dimension], the best first."""
    wanted = most
    while True:
        keys, cosines = index.nearest(vector, wanted)
        owner = passages.memory_of(cx, keys.tolist())
        found = [
            (owner[key], cosine) for key, cosine in zip(keys.tolist(), cosines.tolist(), strict=True) if key in owner
        ]
        if len(found) >= most or len(keys) < wanted:
            return found[:most]
        wanted *= _GROWTH
