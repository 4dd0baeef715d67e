"""The graph as it is read: what is mentioned together, by the memories that pass the filters. Reads only.

Every look is bounded by its caller: nothing here walks more than the memories asked for, newest first. A fact whose
life is over (forgotten, purged) is not seen. Must not rank or choose ways (``engine/retrieval/relations.py`` does).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import apsw

from engine.storage import aliases, graph, selection
from engine.storage.selection import id_array
from engine.text.normalise import fold
from engine.types import Entity, EntityType, Filters

_CHUNK = 1_000
_SPELLINGS = 20
_SPELLED = """
SELECT e.text, (
    SELECT mt.memory_id FROM mentions AS mt CROSS JOIN memories AS m ON m.id = mt.memory_id
    WHERE mt.entry_id = e.id AND {condition} ORDER BY mt.memory_id LIMIT 1
) AS first
FROM entries AS e WHERE e.node_id = ? ORDER BY first
"""
_COUNTED = """
SELECT count(*) FROM (
    SELECT DISTINCT mt.memory_id FROM entries AS e CROSS JOIN mentions AS mt ON mt.entry_id = e.id
    CROSS JOIN memories AS m ON m.id = mt.memory_id WHERE e.node_id = ? AND {condition}
)
"""
_SEEN = """
SELECT m.memory_id, e.node_id, n.type, (SELECT a.confidence FROM atoms AS a WHERE a.id = m.atom_id)
FROM carray(?) AS c CROSS JOIN mentions AS m ON m.memory_id = c.value
CROSS JOIN entries AS e ON e.id = m.entry_id CROSS JOIN nodes AS n ON n.id = e.node_id
WHERE m.atom_id IS NULL
    OR (SELECT a.status FROM atoms AS a WHERE a.id = m.atom_id) NOT IN ('forgotten', 'purged')
"""


class Seen(NamedTuple):
    """One memory's mention of an entity; ``confidence`` of the fact's atom, None where there is none."""

    memory_id: int
    node_id: int
    type: EntityType
    confidence: float | None


class Reader:
    """Reads the graph for one question, within one snapshot: whether a memory passes ``filters`` is asked once."""

    def __init__(self, cx: apsw.Connection, filters: Filters) -> None:
        self._cx = cx
        self._filters = filters
        self._passes: dict[int, bool] = {}
        condition, self._values = selection.where(filters)
        self._spelled = _SPELLED.format(condition=condition)
        self._counted = _COUNTED.format(condition=condition)

    def memories_of(self, node_id: int, limit: int) -> list[int]:
        """The ``limit`` newest memories (largest ids, descending) that mention the entity and pass."""
        spellings = [entry_id for entry_id, _ in graph.entries_of(self._cx, node_id)]
        found: list[int] = []
        below, size = 1 << 62, limit
        # However few pass: the filters are asked until enough do, or until there is nothing left to ask about.
        while spellings and len(found) < limit:
            chunk = _newest(self._cx, spellings, below, size)
            found += self._passing(chunk)
            if len(chunk) < size:
                break
            below, size = chunk[-1], max(limit, _CHUNK)
        return found[:limit]

    def mentions_in(self, memory_ids: Iterable[int]) -> list[Seen]:
        """Everything that these memories mention, but for facts whose life is over. No filter is asked."""
        wanted = id_array(memory_ids)
        return list(map(Seen._make, self._cx.execute(_SEEN, (apsw.carray(wanted),)))) if wanted else []

    def entities(self, node_ids: Iterable[int], most: int | None = None) -> dict[int, Entity]:
        """The entities by id, in the order asked for; one that no memory which passes mentions is left out.

        Named by its alias, else as its earliest such memory spells it; ``spellings`` the earliest first, at most 20.
        ``most``: count no further than this many memories (None = all; a look-up each).
        """
        found: dict[int, Entity] = {}
        for node_id in dict.fromkeys(node_ids):
            node = graph.node(self._cx, node_id)
            spelled: list[Any] = self._cx.execute(self._spelled, (*self._values, node_id)).fetchall()
            texts = tuple(text for text, first in spelled if first is not None)
            if node is None or not texts:
                continue
            name, canonical = aliases.name_of(self._cx, *node), node[1]
            if self._filters.sensitivities:
                hidden = [text for text, first in spelled if first is None]
                name, canonical = _unbetrayed(name, canonical, texts, hidden)
            if most is None:
                memories = int(self._cx.execute(self._counted, (node_id, *self._values)).get)
            else:
                memories = len(self.memories_of(node_id, most))
            found[node_id] = Entity(
                node_id, f"{node[0]}:{canonical}", node[0], name or texts[0], memories, texts[:_SPELLINGS]
            )
        return found

    def _passing(self, memory_ids: list[int]) -> list[int]:
        unknown = [one for one in memory_ids if one not in self._passes]
        passing = selection.restrict(self._cx, unknown, self._filters)
        self._passes.update((one, one in passing) for one in unknown)
        return [one for one in memory_ids if self._passes[one]]


def _unbetrayed(
    name: str | None, canonical: str, texts: Sequence[str], hidden: Sequence[str]
) -> tuple[str | None, str]:
    """An entity's given name and canonical, but for those that only memories which may not be seen spell so."""
    if name is not None and name in hidden and name not in texts:
        name = None
    folded = [fold(text) for text in texts]
    if canonical not in folded and canonical in map(fold, hidden):
        canonical = folded[0]
    return name, canonical


def nodes_of_entries(cx: apsw.Connection, entry_ids: Iterable[int]) -> list[int]:
    """The entities of these entries, each once, in order."""
    found = (cx.execute("SELECT node_id FROM entries WHERE id = ?", (entry_id,)).get for entry_id in entry_ids)
    return list(dict.fromkeys(one for one in found if one is not None))


def _newest(cx: apsw.Connection, entry_ids: list[int], below: int, limit: int) -> list[int]:
    """The largest ids under ``below`` of memories that mention one of these entries; from the index alone."""
    values: list[Any] = [entry_ids[0], below, limit]
    condition, distinct = "entry_id = ?", ""  # one spelling, as most have: the index is in order
    if len(entry_ids) > 1:
        condition, distinct = "entry_id IN (SELECT value FROM carray(?))", "DISTINCT"
        values[0] = apsw.carray(id_array(entry_ids))
    sql = (
        f"SELECT {distinct} memory_id FROM mentions WHERE {condition} AND memory_id < ? ORDER BY memory_id DESC LIMIT ?"
    )
    return [row[0] for row in cx.execute(sql, values)]


def most_mentioned(cx: apsw.Connection, types: Iterable[EntityType], limit: int, filters: Filters) -> list[int]:
    """The entities of ``types`` that most memories which pass ``filters`` mention; reads every mention of theirs."""
    kinds = list(types)
    condition, values = selection.where(filters)
    sql = (
        "SELECT n.id FROM nodes AS n CROSS JOIN entries AS e ON e.node_id = n.id "
        "CROSS JOIN mentions AS t ON t.entry_id = e.id CROSS JOIN memories AS m ON m.id = t.memory_id "
        f"WHERE n.type IN ({', '.join('?' * len(kinds))}) AND {condition} "
        "GROUP BY n.id ORDER BY count(DISTINCT m.id) DESC, n.id LIMIT ?"
    )
    return [row[0] for row in cx.execute(sql, (*kinds, *values, limit))]


def given_names(cx: apsw.Connection, limit: int) -> list[str]:
    """The spellings that writers gave for people and topics, the oldest first: words of their own to segmentation."""
    sql = (
        "SELECT e.text FROM entries AS e CROSS JOIN nodes AS n ON n.id = e.node_id WHERE n.type <> 'fact' "
        "AND EXISTS (SELECT 1 FROM mentions AS m WHERE m.entry_id = e.id AND m.given = 1) ORDER BY e.id LIMIT ?"
    )
    return [row[0] for row in cx.execute(sql, (limit,))]
