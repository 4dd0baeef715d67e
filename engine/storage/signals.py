"""The few columns that weigh a candidate in recall, read for many memories in one query. Reads only."""

from __future__ import annotations

from dataclasses import dataclass

import apsw
import numpy as np
from numpy.typing import NDArray

from engine.storage.selection import id_array

_SQL = """
SELECT m.id, v.strength, m.sensitivity, unixepoch(max(m.created_at, coalesce(v.last_accessed_at, '')), 'subsec')
FROM carray(?) AS c CROSS JOIN memories AS m ON m.id = c.value CROSS JOIN vitality AS v ON v.memory_id = m.id
"""


@dataclass(frozen=True, slots=True)
class Signals:
    """Aligned with the ids that were asked for. A memory that is gone has a ``strength`` of NaN.

    ``touched``: the later of creation and last access, in seconds since the epoch.
    """

    strength: NDArray[np.float64]
    touched: NDArray[np.float64]
    sensitivity: NDArray[np.object_]


def of(cx: apsw.Connection, ids: NDArray[np.int64]) -> Signals:
    """The signals of distinct ``ids`` [n]."""
    size = len(ids)
    found = Signals(np.full(size, np.nan), np.zeros(size), np.full(size, "", dtype=object))
    wanted = id_array(ids.tolist())
    if not wanted:
        return found
    place = {memory_id: at for at, memory_id in enumerate(wanted)}
    for memory_id, strength, sensitivity, touched in cx.execute(_SQL, (apsw.carray(wanted),)):
        at = place[memory_id]
        found.strength[at], found.sensitivity[at], found.touched[at] = strength, sensitivity, touched
    return found
