"""What a topic means: the mean of its memories' vectors, kept in memory and read anew only where it changed.

Each topic carries a count that grows when something is filed, leaves, is trashed or gets a vector; only topics whose
count is another are read, and of each at most its last 2,000 memories. Kept apart by sensitivity, so that what is
hidden does not lead to its topic. Vectors of two embedders never meet.

With 500 topics and 20,000 memories of 384 dimensions the first look-up reads everything (0.8 s of processor time),
later ones what changed since (0.02 s); counting what is filed costs each look-up another 0.04 s.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.digest.topic_tree import Tree
from engine.storage import topic_members, vectors
from engine.storage.database import Connection
from engine.storage.topics import TOP, TopicRow
from engine.types import SENSITIVITIES, Sensitivity

Sums = NDArray[np.float32]  # [sensitivities, dimension]
MOST_MEMBERS: Final = 2_000


class Centroids:
    """Safe on any thread; belongs to one store."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._identity = 0
        self._kept: dict[int, tuple[int, Sums]] = {}

    def own(self, cx: Connection, identity: int, topics: Iterable[TopicRow]) -> dict[int, Sums]:
        """By topic, the sums of its own memories' unit vectors, a row for each sensitivity; those without any are left
        out.
        """
        with self._lock:
            if identity != self._identity:
                self._identity, self._kept = identity, {}
            kept: dict[int, tuple[int, Sums]] = {}
            for row in topics:
                known = self._kept.get(row.id)
                fresh = known is not None and known[0] == row.touched
                kept[row.id] = known if known and fresh else (row.touched, _sums(cx, identity, row.id))
            self._kept = kept
            return {topic_id: sums for topic_id, (_, sums) in kept.items() if sums.any()}


def cosines(
    tree: Tree, own: Mapping[int, Sums], hidden: Sequence[Sensitivity], asked: NDArray[np.floating]
) -> dict[int, float]:
    """How near each topic, with all below it, is to the unit vector ``asked`` [dimension]; -1..1."""
    seen = [at for at, one in enumerate(SENSITIVITIES) if one not in hidden]
    total: dict[int, NDArray[np.float32]] = {}
    for row in sorted(tree.all_live(), key=lambda one: -one.level):
        if row.id in own:
            total[row.id] = total.get(row.id, 0) + own[row.id][seen].sum(axis=0)
        parent = tree.parent(row.id)
        if row.id in total and parent != TOP:
            total[parent] = total.get(parent, 0) + total[row.id]
    found: dict[int, float] = {}
    for topic_id, vector in total.items():
        length = float(np.linalg.norm(vector))
        if length > 0:
            found[topic_id] = float(vector @ asked) / length
    return found


def _sums(cx: Connection, identity: int, topic_id: int) -> Sums:
    """Each memory counts once, however many passages it has."""
    parts = topic_members.passages_of(cx, topic_id, MOST_MEMBERS)
    keys, matrix = vectors.of(cx, identity, (passage for passage, _, _ in parts))
    sums = np.zeros((len(SENSITIVITIES), matrix.shape[1]), dtype=np.float32)
    owner = {passage: memory for passage, memory, _ in parts}
    level = {memory: SENSITIVITIES.index(sensitivity) for _, memory, sensitivity in parts}
    memories, places = np.unique([owner[int(key)] for key in keys], return_inverse=True)
    means = np.zeros((len(memories), matrix.shape[1]), dtype=np.float32)
    np.add.at(means, places, matrix.astype(np.float32))
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    np.divide(means, lengths, out=means, where=lengths > 0)
    np.add.at(sums, [level[int(memory)] for memory in memories], means)
    return sums
