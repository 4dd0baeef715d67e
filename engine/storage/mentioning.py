"""What recall asks of the graph, for many at once: who mentions an entity, who tells a fact, how facts live.

Reads only. Must not rank, nor know what is left of a life (``forgetting/atoms.py`` does).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import apsw

from engine.storage import selection
from engine.storage.selection import id_array
from engine.types import AtomStatus, AtomType, Filters

_FACTS = """
SELECT t.memory_id, t.entry_id FROM carray(?) AS c CROSS JOIN mentions AS t ON t.memory_id = c.value
CROSS JOIN entries AS e ON e.id = t.entry_id CROSS JOIN nodes AS n ON n.id = e.node_id
WHERE n.type = 'fact' AND t.given = 1
"""
_LIVES = """
SELECT t.memory_id, a.type, a.status, a.confidence, a.ttl_days,
    unixepoch(max(a.created_at, coalesce(a.last_accessed_at, ''), coalesce(a.last_reinforced_at, '')), 'subsec'),
    unixepoch(a.expires_at, 'subsec')
FROM carray(?) AS c CROSS JOIN mentions AS t ON t.memory_id = c.value CROSS JOIN atoms AS a ON a.id = t.atom_id
"""


# Counted no further than to the first that is too many, from the indexes alone.
_RARE = """
SELECT c.value FROM carray(?) AS c WHERE (
    SELECT count(*) FROM (
        SELECT 1 FROM entries AS e CROSS JOIN mentions AS t ON t.entry_id = e.id WHERE e.node_id = c.value LIMIT ?
    )
) < ?
"""


class Life(NamedTuple):
    """The life of one fact of a memory; ``touched`` (the later of creation, access and reinforcement) and ``expires``
    in seconds since the epoch.
    """

    memory_id: int
    type: AtomType
    status: AtomStatus
    confidence: float
    ttl_days: float
    touched: float
    expires: float


def entities_of(cx: apsw.Connection, entry_ids: Iterable[int]) -> dict[int, int]:
    """The entity of each of these entries, by entry."""
    wanted = id_array(entry_ids)
    if not wanted:
        return {}
    sql = "SELECT e.id, e.node_id FROM carray(?) AS c CROSS JOIN entries AS e ON e.id = c.value"
    return dict(cx.execute(sql, (apsw.carray(wanted),)))


def by_rare(
    cx: apsw.Connection, node_ids: Iterable[int], filters: Filters, common: int
) -> tuple[dict[int, list[int]], list[int]]:
    """(the memories that mention each entity and pass ``filters``, the newest first; the entities that ``common``
    mentions or more make too common to be read like this).
    """
    asked = list(dict.fromkeys(node_ids))
    wanted = id_array(asked)
    if not wanted:
        return {}, []
    rare = id_array(row[0] for row in cx.execute(_RARE, (apsw.carray(wanted), common, common)))
    found: dict[int, list[int]] = {node_id: [] for node_id in rare}
    if rare:
        condition, values = selection.where(filters)
        sql = (
            "SELECT DISTINCT e.node_id, t.memory_id FROM carray(?) AS c CROSS JOIN entries AS e ON e.node_id = c.value "
            "CROSS JOIN mentions AS t ON t.entry_id = e.id CROSS JOIN memories AS m ON m.id = t.memory_id "
            f"WHERE {condition} ORDER BY t.memory_id DESC"
        )
        for node_id, memory_id in cx.execute(sql, (apsw.carray(rare), *values)):
            found[node_id].append(memory_id)
    return found, [node_id for node_id in asked if node_id not in found]


def telling(cx: apsw.Connection, entry_ids: Iterable[int], filters: Filters) -> dict[int, list[int]]:
    """The memories that pass ``filters`` by the entry that they mention, ascending."""
    wanted = id_array(entry_ids)
    if not wanted:
        return {}
    condition, values = selection.where(filters)
    sql = (
        "SELECT t.entry_id, t.memory_id FROM carray(?) AS c CROSS JOIN mentions AS t ON t.entry_id = c.value "
        f"CROSS JOIN memories AS m ON m.id = t.memory_id WHERE {condition} ORDER BY t.entry_id, t.memory_id"
    )
    found: dict[int, list[int]] = {}
    for entry_id, memory_id in cx.execute(sql, (apsw.carray(wanted), *values)):
        found.setdefault(entry_id, []).append(memory_id)
    return found


def facts_of(cx: apsw.Connection, memory_ids: Iterable[int]) -> list[tuple[int, int]]:
    """(memory, entry) of each fact that the writers of these memories gave: those that have vectors."""
    wanted = id_array(memory_ids)
    rows: list[Any] = cx.execute(_FACTS, (apsw.carray(wanted),)).fetchall() if wanted else []
    return rows


def lives(cx: apsw.Connection, memory_ids: Iterable[int]) -> list[Life]:
    """The life of each fact that these memories tell."""
    wanted = id_array(memory_ids)
    return list(map(Life._make, cx.execute(_LIVES, (apsw.carray(wanted),)))) if wanted else []
