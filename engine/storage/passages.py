"""Passages: which texts of a memory have a vector: slices of its own, and a turn with the turn before it.

A passage's id means one text for ever: an edit deletes and inserts anew, and ids are never reused. "Own" passages are
slices of the memory's content; a context passage is the whole content after that of another memory, and a memory has
at most one. Must not cut texts (``engine/text/passages.py`` does), decide which turns go together
(``engine/ingest/context_passages.py`` does), nor hold texts (offsets and ids are enough).
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
    """(passage id, memory id, start, end) of all own passages of these memories, by passage id."""
    wanted = id_array(memory_ids)
    if not wanted:
        return []
    sql = (
        "SELECT id, memory_id, start_offset, end_offset FROM passages "
        "WHERE memory_id IN (SELECT value FROM carray(?)) AND previous_id IS NULL ORDER BY id"
    )
    rows: list[Any] = cx.execute(sql, (apsw.carray(wanted),)).fetchall()
    return rows


def put_context(cx: apsw.Connection, memory_id: int, previous_id: int) -> int:
    """Add the passage of a memory with the memory before it; returns its id."""
    sql = "INSERT INTO passages (memory_id, start_offset, end_offset, previous_id) VALUES (?, 0, 0, ?) RETURNING id"
    return int(cx.execute(sql, (memory_id, previous_id)).get)


def contexts_of(cx: apsw.Connection, memory_ids: Iterable[int]) -> list[tuple[int, int, int]]:
    """(passage id, memory id, the memory before it) of the context passages of these memories."""
    return _contexts(cx, memory_ids, "memory_id")


def contexts_with(cx: apsw.Connection, memory_ids: Iterable[int]) -> list[tuple[int, int, int]]:
    """As :func:`contexts_of`, of those that begin with the text of one of these memories."""
    return _contexts(cx, memory_ids, "previous_id")


def _contexts(cx: apsw.Connection, memory_ids: Iterable[int], column: str) -> list[tuple[int, int, int]]:
    wanted = id_array(dict.fromkeys(memory_ids))
    if not wanted:
        return []
    sql = (
        "SELECT p.id, p.memory_id, p.previous_id FROM carray(?) AS c "
        f"CROSS JOIN passages AS p ON p.{column} = c.value WHERE p.previous_id IS NOT NULL"
    )
    rows: list[Any] = cx.execute(sql, (apsw.carray(wanted),)).fetchall()
    return rows


def memory_of(cx: apsw.Connection, passage_ids: Iterable[int]) -> dict[int, int]:
    """The memory of each own passage; context passages, and those that are gone, are left out."""
    return {key: owner for key, (owner, before) in owners(cx, passage_ids).items() if before is None}


def owners(cx: apsw.Connection, passage_ids: Iterable[int]) -> dict[int, tuple[int, int | None]]:
    """(memory, the memory before it or None) of each passage; a passage that is gone is left out."""
    wanted = id_array(passage_ids)
    if not wanted:
        return {}
    sql = "SELECT p.id, p.memory_id, p.previous_id FROM carray(?) AS c CROSS JOIN passages AS p ON p.id = c.value"
    return {key: (owner, before) for key, owner, before in cx.execute(sql, (apsw.carray(wanted),))}


def selected(cx: apsw.Connection, filters: Filters) -> dict[int, tuple[int, int | None]]:
    """The passages of all memories that pass ``filters``, as :func:`owners`: what a vector search may return.

    The memory before may be one that does not pass.
    """
    condition, values = where(filters)
    sql = (
        "SELECT p.id, p.memory_id, p.previous_id FROM memories AS m "
        f"CROSS JOIN passages AS p ON p.memory_id = m.id WHERE {condition}"
    )
    return {key: (owner, before) for key, owner, before in cx.execute(sql, values)}


def delete_of(cx: apsw.Connection, memory_ids: Iterable[int]) -> None:
    """Delete all passages that hold text of these memories, their vectors with them."""
    wanted = id_array(memory_ids)
    for column in ("memory_id", "previous_id") if wanted else ():
        cx.execute(f"DELETE FROM passages WHERE {column} IN (SELECT value FROM carray(?))", (apsw.carray(wanted),))


def delete(cx: apsw.Connection, passage_ids: Iterable[int]) -> None:
    """Delete these passages, their vectors with them."""
    wanted = id_array(passage_ids)
    if wanted:
        cx.execute("DELETE FROM passages WHERE id IN (SELECT value FROM carray(?))", (apsw.carray(wanted),))
