"""Which script memories are written in, for a search across languages. Reads only; must not judge texts
(``engine/text/normalise.py`` does, when they are stored).
"""

from __future__ import annotations

from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from engine.storage.selection import id_array, where
from engine.types import Filters

# Named, because the planner without statistics would rather walk all rows from the end.
_WRITTEN = "SELECT m.id FROM memories AS m INDEXED BY memories_script WHERE m.script = ? AND {condition}"


def count(cx: apsw.Connection, script: str, filters: Filters, most: int) -> int:
    """How many memories in ``script`` pass ``filters``, counted up to ``most``."""
    condition, values = where(filters)
    sql = f"SELECT count(*) FROM ({_WRITTEN.format(condition=condition)} LIMIT ?)"
    return int(cx.execute(sql, (script, *values, most)).get)


def newest(cx: apsw.Connection, script: str, filters: Filters, most: int) -> list[int]:
    """Up to ``most`` memories in ``script`` that pass ``filters``, newest first."""
    condition, values = where(filters)
    sql = f"{_WRITTEN.format(condition=condition)} ORDER BY m.id DESC LIMIT ?"
    rows: list[Any] = cx.execute(sql, (script, *values, most)).fetchall()
    return [row[0] for row in rows]


def among(cx: apsw.Connection, ids: NDArray[np.int64], script: str) -> NDArray[np.bool_]:
    """Which of ``ids`` [n] are written in ``script``."""
    wanted = id_array(ids.tolist())
    if not wanted:
        return np.zeros(len(ids), dtype=np.bool_)
    sql = "SELECT m.id FROM carray(?) AS c CROSS JOIN memories AS m ON m.id = c.value WHERE m.script = ?"
    return np.isin(ids, [row[0] for row in cx.execute(sql, (apsw.carray(wanted), script))])
