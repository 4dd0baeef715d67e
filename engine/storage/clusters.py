"""What looking for clusters reads: which memories are to be looked at, whom they mention, a sample of vectors.

Writes only which memories were looked at. Must not judge what belongs together (``engine/digest/clustering.py`` does).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

import apsw
import numpy as np
from numpy.typing import NDArray

from engine import clock
from engine.storage import vectors
from engine.storage.selection import id_array

# A longer text is a document: it speaks of many things.
LONGEST: Final = 2_000
# Alive, old enough, and neither kept as it is by people nor made of others.
_ELIGIBLE: Final = (
    "m.status IN ('active', 'dormant') AND m.created_at <= ? AND m.pinned = 0 AND m.protected = 0 "
    "AND m.category <> 'consolidated' AND length(m.content) <= ? "
    "AND json_extract(m.details, '$.digest_level') IS NULL AND json_extract(m.details, '$.sources') IS NULL"
)


def unseen(cx: apsw.Connection, before: datetime, limit: int) -> list[int]:
    """Memories from ``before`` or earlier that may be consolidated and were not looked at yet, the newest first."""
    rows = cx.execute(
        f"SELECT m.id FROM memories AS m WHERE {_ELIGIBLE} "
        "AND NOT EXISTS (SELECT 1 FROM cluster_seen AS s WHERE s.memory_id = m.id) ORDER BY m.id DESC LIMIT ?",
        (clock.to_text(before), LONGEST, limit),
    )
    return [row[0] for row in rows]


def eligible(cx: apsw.Connection, memory_ids: Iterable[int], before: datetime) -> set[int]:
    """Which of these may be consolidated."""
    wanted = id_array(memory_ids)
    if not wanted:
        return set()
    sql = f"SELECT m.id FROM carray(?) AS c CROSS JOIN memories AS m ON m.id = c.value WHERE {_ELIGIBLE}"
    return {row[0] for row in cx.execute(sql, (apsw.carray(wanted), clock.to_text(before), LONGEST))}


def note_seen(cx: apsw.Connection, memory_ids: Iterable[int]) -> None:
    """These were looked at; those that are gone meanwhile are left out."""
    wanted = id_array(memory_ids)
    if wanted:
        cx.execute(
            "INSERT OR IGNORE INTO cluster_seen (memory_id) "
            "SELECT m.id FROM carray(?) AS c CROSS JOIN memories AS m ON m.id = c.value",
            (apsw.carray(wanted),),
        )


def mentions(cx: apsw.Connection, memory_ids: Iterable[int]) -> dict[int, set[int]]:
    """The people and topics (node ids) that each of these memories mentions."""
    wanted = id_array(memory_ids)
    found: dict[int, set[int]] = {}
    if wanted:
        sql = (
            "SELECT t.memory_id, e.node_id FROM carray(?) AS c CROSS JOIN mentions AS t ON t.memory_id = c.value "
            "CROSS JOIN entries AS e ON e.id = t.entry_id CROSS JOIN nodes AS n ON n.id = e.node_id "
            "WHERE n.type <> 'fact'"
        )
        for memory_id, node_id in cx.execute(sql, (apsw.carray(wanted),)):
            found.setdefault(memory_id, set()).add(node_id)
    return found


def mentioned(cx: apsw.Connection, node_id: int, most: int) -> int:
    """How many mentions an entity has, counted up to ``most``."""
    sql = (
        "SELECT count(*) FROM (SELECT 1 FROM entries AS e CROSS JOIN mentions AS t ON t.entry_id = e.id "
        "WHERE e.node_id = ? LIMIT ?)"
    )
    return int(cx.execute(sql, (node_id, most)).get)


def first_vectors(cx: apsw.Connection, identity: int, memory_ids: Iterable[int]) -> dict[int, NDArray[np.float32]]:
    """The vector of each memory's first passage; one that has none is left out."""
    wanted = id_array(memory_ids)
    if not wanted:
        return {}
    sql = (
        "SELECT min(p.id), p.memory_id FROM carray(?) AS c "
        "CROSS JOIN passages AS p ON p.memory_id = c.value AND p.previous_id IS NULL GROUP BY 2"
    )
    owners: dict[int, int] = dict(cx.execute(sql, (apsw.carray(wanted),)))
    keys, matrix = vectors.of(cx, identity, owners)
    return {owners[int(key)]: row.astype(np.float32) for key, row in zip(keys, matrix, strict=True)}


def sample(cx: apsw.Connection, script: str, limit: int) -> list[int]:
    """Up to ``limit`` living memories in a script, spread over the store and the same each time."""
    rows: list[Any] = cx.execute(
        "SELECT id FROM memories WHERE script = ? AND status IN ('active', 'dormant') "
        "ORDER BY (id * 2654435761) % 4294967291 LIMIT ?",
        (script, limit),
    ).fetchall()
    return [row[0] for row in rows]


def scripts(cx: apsw.Connection, memory_ids: Iterable[int]) -> dict[int, str]:
    """The script that each of these memories is written in."""
    wanted = id_array(memory_ids)
    if not wanted:
        return {}
    sql = "SELECT m.id, m.script FROM carray(?) AS c CROSS JOIN memories AS m ON m.id = c.value"
    return dict(cx.execute(sql, (apsw.carray(wanted),)))
