"""What is filed under topics, as it is read: counts, the newest, and the passages whose vectors make
a centroid.

Reads only; every look but :func:`counts` is bounded by its caller. Must not rank, nor know what a topic is called.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, cast

import apsw

from engine.storage import cursors, selection
from engine.storage.selection import id_array
from engine.types import SENSITIVITIES, Filters, Sensitivity


class Count(NamedTuple):
    """Of one topic itself: ``shown``, whatever their status; ``passing`` the filters; when the newest of these came,
    and the newest digest among them (texts, None: there is none)."""

    shown: int
    passing: int
    newest: str | None
    digested: str | None

    def plus(self, other: Count) -> Count:
        """Of both together."""
        return Count(
            self.shown + other.shown,
            self.passing + other.passing,
            max(self.newest or "", other.newest or "") or None,
            max(self.digested or "", other.digested or "") or None,
        )


def counts(cx: apsw.Connection, shown: Filters, filters: Filters) -> dict[int, Count]:
    """By topic, what is filed under it and passes ``shown``; reads a narrow part of every filed memory's row."""
    seen, seen_values = selection.where(shown)
    passing, values = selection.where(filters)
    # Grouped by what is asked, so that each question is put to a row once.
    sql = (
        f"SELECT t.topic_id, ({passing}) AS passes, (m.category = 'digest' OR d.memory_id IS NOT NULL) AS digest, "
        "count(*), max(m.created_at) FROM memory_topics AS t CROSS JOIN memories AS m ON m.id = t.memory_id "
        f"LEFT JOIN digests AS d ON d.memory_id = m.id WHERE {seen} GROUP BY t.topic_id, passes, digest"
    )
    found: dict[int, Count] = {}
    for topic_id, passes, digest, number, newest_at in cx.execute(sql, (*values, *seen_values)):
        one = Count(number, number * passes, newest_at if passes else None, newest_at if passes and digest else None)
        found[topic_id] = one if topic_id not in found else found[topic_id].plus(one)
    return found


def newest(cx: apsw.Connection, topic_ids: Iterable[int], filters: Filters, limit: int) -> list[int]:
    """The ids of the newest memories that are filed under these topics and pass ``filters``."""
    wanted = id_array(topic_ids)
    if not wanted:
        return []
    condition, values = selection.where(filters)
    sql = (
        "SELECT m.id FROM memory_topics AS t CROSS JOIN memories AS m ON m.id = t.memory_id "
        f"WHERE t.topic_id IN (SELECT value FROM carray(?)) AND {condition} "
        f"ORDER BY {cursors.ORDERS['newest'].clause} LIMIT ?"
    )
    return [row[0] for row in cx.execute(sql, (apsw.carray(wanted), *values, limit))]


def most_sensitive(cx: apsw.Connection, topic_ids: Iterable[int]) -> Sensitivity:
    """The highest sensitivity of what is filed under these topics and not in the trash."""
    wanted = id_array(topic_ids)
    found: list[Any] = []
    if wanted:
        sql = (
            "SELECT DISTINCT m.sensitivity FROM memory_topics AS t CROSS JOIN memories AS m ON m.id = t.memory_id "
            "WHERE t.topic_id IN (SELECT value FROM carray(?)) AND +m.status <> 'trashed'"
        )
        found = cx.execute(sql, (apsw.carray(wanted),)).fetchall()
    levels = [SENSITIVITIES.index(row[0]) for row in found]
    return SENSITIVITIES[max(levels, default=0)]


def passages_of(cx: apsw.Connection, topic_id: int, most: int) -> list[tuple[int, int, Sensitivity]]:
    """(passage, memory, its sensitivity) of the ``most`` memories filed last under this topic, not in the trash."""
    sql = (
        "SELECT p.id, m.id, m.sensitivity FROM (SELECT memory_id FROM memory_topics WHERE topic_id = ? "
        "ORDER BY memory_id DESC LIMIT ?) AS t CROSS JOIN memories AS m ON m.id = t.memory_id "
        "CROSS JOIN passages AS p ON p.memory_id = m.id AND p.previous_id IS NULL "
        "WHERE +m.status <> 'trashed' ORDER BY p.id"
    )
    rows: list[Any] = cx.execute(sql, (topic_id, most)).fetchall()
    return rows


def unfiled(cx: apsw.Connection, filters: Filters, most: int) -> list[int]:
    """The newest memories that pass ``filters`` and are in no topic, of the last ``most`` ids that are looked at."""
    condition, values = selection.where(filters)
    sql = (
        "SELECT m.id FROM (SELECT id FROM memories ORDER BY id DESC LIMIT ?) AS c CROSS JOIN memories AS m "
        "ON m.id = c.id LEFT JOIN memory_topics AS t ON t.memory_id = m.id "
        f"WHERE t.memory_id IS NULL AND {condition} ORDER BY m.id DESC"
    )
    return [row[0] for row in cx.execute(sql, (most, *values))]


def named_in(cx: apsw.Connection, memory_id: int) -> list[tuple[int, str]]:
    """(node, spelling) of the people and topics that a memory mentions."""
    sql = (
        "SELECT e.node_id, e.text FROM mentions AS t CROSS JOIN entries AS e ON e.id = t.entry_id "
        "CROSS JOIN nodes AS n ON n.id = e.node_id WHERE t.memory_id = ? AND n.type <> 'fact' ORDER BY e.id"
    )
    return [cast(tuple[int, str], row) for row in cx.execute(sql, (memory_id,))]


def topics_of(cx: apsw.Connection, memory_ids: Iterable[int]) -> dict[int, int]:
    """Where each of these memories is filed; those in no topic are left out."""
    wanted = id_array(memory_ids)
    if not wanted:
        return {}
    sql = "SELECT t.memory_id, t.topic_id FROM carray(?) AS c CROSS JOIN memory_topics AS t ON t.memory_id = c.value"
    rows: list[Any] = cx.execute(sql, (apsw.carray(wanted),)).fetchall()
    return dict(rows)
