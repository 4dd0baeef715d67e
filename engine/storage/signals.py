"""The few columns that weigh a candidate in recall, read for many memories in one query. Reads only."""

from __future__ import annotations

from dataclasses import dataclass

import apsw
import numpy as np
from numpy.typing import NDArray

from engine.storage.selection import id_array

_SQL = """
SELECT m.id, v.strength, unixepoch(max(m.created_at, coalesce(v.last_accessed_at, '')), 'subsec')
FROM carray(?) AS c CROSS JOIN memories AS m ON m.id = c.value CROSS JOIN vitality AS v ON v.memory_id = m.id
"""
_MOMENTS = """
SELECT m.id, unixepoch(m.occurred_at, 'subsec'), unixepoch(m.created_at, 'subsec')
FROM carray(?) AS c CROSS JOIN memories AS m ON m.id = c.value
"""


@dataclass(frozen=True, slots=True)
class Signals:
    """Aligned with the ids that were asked for. A memory that is gone has a ``strength`` of NaN.

    ``touched``: the later of creation and last access, in seconds since the epoch.
    """

    strength: NDArray[np.float64]
    touched: NDArray[np.float64]


def moments(cx: apsw.Connection, ids: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """When what each of ``ids`` [n] tells happened and when it was told, in seconds since the epoch; NaN if gone."""
    happened, told = np.full(len(ids), np.nan), np.full(len(ids), np.nan)
    wanted = id_array(ids.tolist())
    if wanted:
        place = {memory_id: at for at, memory_id in enumerate(wanted)}
        for memory_id, *pair in cx.execute(_MOMENTS, (apsw.carray(wanted),)):
            happened[place[memory_id]], told[place[memory_id]] = pair
    return happened, told


def superseded(cx: apsw.Connection, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of ``ids`` [n] another memory has replaced."""
    wanted = id_array(ids.tolist())
    if not wanted:
        return np.zeros(len(ids), dtype=np.bool_)
    sql = "SELECT m.id FROM carray(?) AS c CROSS JOIN memories AS m ON m.id = c.value WHERE m.status = 'superseded'"
    return np.isin(ids, [row[0] for row in cx.execute(sql, (apsw.carray(wanted),))])


def of(cx: apsw.Connection, ids: NDArray[np.int64]) -> Signals:
    """The signals of distinct ``ids`` [n]."""
    size = len(ids)
    found = Signals(np.full(size, np.nan), np.zeros(size))
    wanted = id_array(ids.tolist())
    if not wanted:
        return found
    place = {memory_id: at for at, memory_id in enumerate(wanted)}
    for memory_id, strength, touched in cx.execute(_SQL, (apsw.carray(wanted),)):
        at = place[memory_id]
        found.strength[at], found.touched[at] = strength, touched
    return found
