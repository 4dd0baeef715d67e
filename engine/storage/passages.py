"""Passages: which slices of a memory's content have a vector of their own.

A passage's id means one text for ever: an edit deletes and inserts anew, and ids are never reused. Must not cut
texts (``engine/text/passages.py`` does) nor hold them (offsets into the memory's content are enough).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import apsw

from engine.storage.selection import id_array, where
from engine.types import Filters


def put(cx: apsw.Connection, memory_id: int, slices: Sequence[tuple[int, int]]) -> list[int]:
    """Add passages [start, end) in characters; returns their new ids in the same order."""
    sql = "INSERT INTO passages (memory_id, start_offset, end_offset) VALUES (?, ?, ?) RETURNING id"
    return [int(cx.execute(sql, (memory_id, start, end)).get) for start, end in slices]


def of(cx: apsw.Connection, memory_ids: Iterable[int]) -> list[tuple[int, int, int, int]]:
    """(passage id, memory id, start, end) of all passages of these memories, by passage id."""
    wanted = id_array(memory_ids)
    if not wanted:
        return []
    sql = (
        "SELECT id, memory_id, start_offset, end_offset FROM passages "
        "WHERE memory_id IN (SELECT value FROM carray(?)) ORDER BY id"
    )
    rows: list[Any] = cx.execute(sql, (apsw.carray(wanted),)).fetchall()
    return rows


def memory_of(cx: apsw.Connection, passage_ids: Iterable[int]) -> dict[int, int]:
    """The memory of each passage; a passage that is gone is left out."""
    wanted = id_array(passage_ids)
    if not wanted:
        return {}
    sql = "SELECT p.id, p.memory_id FROM carray(?) AS c CROSS JOIN passages AS p ON p.id = c.value"
    rows: list[Any] = cx.execute(sql, (apsw.carray(wanted),)).fetchall()
    return dict(rows)


def selected(cx: apsw.Connection, filters: Filters) -> dict[int, int]:
    """The passages of all memories that pass ``filters``, each with its memory: what a vector search may return."""
    condition, values = where(filters)
    sql = (
        f"SELECT p.id, p.memory_id FROM memories AS m CROSS JOIN passages AS p ON p.memory_id = m.id WHERE {condition}"
    )
    rows: list[Any] = cx.execute(sql, values).fetchall()
    return dict(rows)


def delete_of(cx: apsw.Connection, memory_ids: Iterable[int]) -> None:
    """Delete all passages of these memories, their vectors with them."""
    wanted = id_array(memory_ids)
    if wanted:
        cx.execute("DELETE FROM passages WHERE memory_id IN (SELECT value FROM carray(?))", (apsw.carray(wanted),))
