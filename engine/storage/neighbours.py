"""The turns beside a turn: memories next to each other within one conversation's session. Reads only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

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
# Where two share a place (one was moved there), the older. SQLite takes the other columns from the row of min().
_BEFORE = """
SELECT m.id, min(n.id), n.content, m.content
FROM carray(?) AS c
CROSS JOIN memories AS m ON m.id = c.value
CROSS JOIN memories AS n ON n.conversation_id = m.conversation_id AND n.session_id IS m.session_id
    AND n.position = m.position - 1
WHERE n.status <> 'trashed' GROUP BY m.id
"""
_AFTER = """
SELECT n.id
FROM carray(?) AS c
CROSS JOIN memories AS m ON m.id = c.value
CROSS JOIN memories AS n ON n.conversation_id = m.conversation_id AND n.session_id IS m.session_id
    AND n.position = m.position + 1
"""


class Before(NamedTuple):
    """The memory before another: its id and text, and the text that follows it."""

    id: int
    content: str
    followed_by: str


def of(cx: apsw.Connection, ids: Iterable[int]) -> list[tuple[int, int, int]]:
    """(memory, neighbour, −1 for the turn before or 1 for the one after); memories of no conversation have none."""
    wanted = id_array(ids)
    if not wanted:
        return []
    rows: list[Any] = cx.execute(_SQL, (apsw.carray(wanted),)).fetchall()
    return rows


def before(cx: apsw.Connection, ids: Iterable[int]) -> dict[int, Before]:
    """By memory, the one before it that is not in the trash; whoever has none is left out."""
    wanted = id_array(ids)
    if not wanted:
        return {}
    return {row[0]: Before(*row[1:]) for row in cx.execute(_BEFORE, (apsw.carray(wanted),))}


def after(cx: apsw.Connection, ids: Iterable[int]) -> list[int]:
    """The memories right after these, whatever their status."""
    wanted = id_array(ids)
    if not wanted:
        return []
    return [row[0] for row in cx.execute(_AFTER, (apsw.carray(wanted),))]


def placed(cx: apsw.Connection, above: int, limit: int) -> list[int]:
    """The ids above ``above``, ascending, of memories that are not the first of their session."""
    sql = "SELECT id FROM memories WHERE id > ? AND position > 0 ORDER BY id LIMIT ?"
    return [row[0] for row in cx.execute(sql, (above, limit))]
