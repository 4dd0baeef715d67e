"""The few columns that weigh a candidate in recall, read for many memories in one query. Reads only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import apsw

from engine.clock import from_text
from engine.storage.selection import id_array


@dataclass(frozen=True, slots=True)
class Signals:
    """``touched_at`` is the later of creation and last access."""

    strength: float
    touched_at: datetime
    sensitivity: str


def of(cx: apsw.Connection, ids: Iterable[int]) -> dict[int, Signals]:
    """Signals by memory id; ids that do not exist are left out."""
    wanted = id_array(ids)
    if not wanted:
        return {}
    rows = cx.execute(
        "SELECT m.id, v.strength, max(m.created_at, coalesce(v.last_accessed_at, m.created_at)), m.sensitivity "
        "FROM carray(?) AS c CROSS JOIN memories AS m ON m.id = c.value CROSS JOIN vitality AS v ON v.memory_id = m.id",
        (apsw.carray(wanted),),
    )
    return {row[0]: Signals(row[1], from_text(row[2]), row[3]) for row in rows}
