"""The turns beside a turn: memories next to each other within one conversation's session. Reads only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import apsw

from engine.storage.selection import id_array

_SQL = """
SELECT m.id, n.id, n.position - m.position
FROM carray(?) AS c
CROSS JOIN memories AS m ON m.id = c.value
CROSS JOIN memories AS n ON n.conversation_id = m.conversation_id AND n.session_id IS m.session_id
    AND n.position IN (m.position - 1, m.position + 1)
WHERE n.status <> 'trashed'
"""


def of(cx: apsw.Connection, ids: Iterable[int]) -> list[tuple[int, int, int]]:
    """(memory, neighbour, −1 for the turn before or 1 for the one after); memories of no conversation have none."""
    wanted = id_array(ids)
    if not wanted:
        return []
    rows: list[Any] = cx.execute(_SQL, (apsw.carray(wanted),)).fetchall()
    return rows
