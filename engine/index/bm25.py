"""BM25 over a small set of memories, with that set's own term statistics (Robertson & Zaragoza 2009; k1 1.2, b .75).

FTS5 weighs a term by how rare it is in the whole store; within one conversation that says little, because what is
common everywhere may be just what tells its memories apart. Pure numpy; the numbers are FTS5's where the set is
the store and every memory in it matches (the mean length is that of the matching ones: it is at hand).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

K1 = 1.2
B = 0.75
# What FTS5 gives a term that is in half of the rows or more: next to nothing, but it still breaks ties.
LEAST_IDF = 1e-6


def scores(counts: NDArray[np.float64], lengths: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """BM25 ≥ 0 of each matching memory.

    ``counts`` [m, terms]: how often each term is in it; ``lengths`` [m]: its number of terms; ``size``: memories in
    the set, those without a match included.
    """
    if not len(counts):
        return np.zeros(0)
    having = (counts > 0).sum(axis=0)
    idf = np.maximum(np.log((size - having + 0.5) / (having + 0.5)), LEAST_IDF)
    norm = K1 * (1.0 - B + B * lengths / lengths.mean())
    weighted: NDArray[np.float64] = (counts * (K1 + 1.0) / (counts + norm[:, None])) @ idf
    return weighted
