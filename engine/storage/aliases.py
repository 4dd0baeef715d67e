"""Aliases: which name means whom, by the user's word. Canonical rows; the graph follows from them.

Every row of one target carries the same name (whoever writes them keeps it so), so that any of them names the entity.
A target is never an alias of something else. Must not touch the graph (``ingest/aliasing.py`` makes it follow).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import apsw

from engine.storage.selection import id_array
from engine.types import Alias, EntityType

_COLUMNS = "type, canonical, target, name, memory_id"


def resolve(cx: apsw.Connection, kind: EntityType, canonical: str, memory_id: int = 0) -> str:
    """The entity that ``canonical`` means in this memory: its own alias, else the one for everywhere, else itself."""
    found: str | None = cx.execute(
        "SELECT target FROM aliases WHERE type = ? AND canonical = ? AND memory_id IN (0, ?) "
        "ORDER BY memory_id DESC LIMIT 1",
        (kind, canonical, memory_id),
    ).get
    return canonical if found is None else found


def name_of(cx: apsw.Connection, kind: EntityType, target: str) -> str | None:
    """The name that a user gave the entity, or None."""
    found: str | None = cx.execute("SELECT name FROM aliases WHERE type = ? AND target = ? LIMIT 1", (kind, target)).get
    return found


def everything(cx: apsw.Connection) -> list[Alias]:
    """All aliases, by type, target and canonical."""
    return _read(cx, "1 ORDER BY type, target, canonical, memory_id")


def of_canonical(cx: apsw.Connection, kind: EntityType, canonical: str) -> list[Alias]:
    """What this name means: everywhere first, then in single memories."""
    return _read(cx, "type = ? AND canonical = ? ORDER BY memory_id", (kind, canonical))


def of_target(cx: apsw.Connection, kind: EntityType, target: str) -> list[Alias]:
    """The names that mean this entity."""
    return _read(cx, "type = ? AND target = ? ORDER BY memory_id, canonical", (kind, target))


def of_memories(cx: apsw.Connection, memory_ids: Iterable[int]) -> list[tuple[str, str]]:
    """(type, canonical) of the people and topics that these memories mention."""
    wanted = id_array(memory_ids)
    if not wanted:
        return []
    rows: list[Any] = cx.execute(
        "SELECT DISTINCT n.type, n.canonical FROM mentions AS m JOIN entries AS e ON e.id = m.entry_id "
        "JOIN nodes AS n ON n.id = e.node_id WHERE m.memory_id IN (SELECT value FROM carray(?)) AND n.type <> 'fact'",
        (apsw.carray(wanted),),
    ).fetchall()
    return rows


def drop_unborne(cx: apsw.Connection, names: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Delete the aliases of those of ``names`` that no memory mentions any more: after an erase. Returns their names,
    those that meant them included."""
    gone: list[tuple[str, str]] = []
    for kind, canonical in names:
        if cx.execute("SELECT 1 FROM nodes WHERE type = ? AND canonical = ?", (kind, canonical)).get is not None:
            continue
        rows: list[Any] = cx.execute(
            "DELETE FROM aliases WHERE type = ?1 AND ?2 IN (canonical, target) RETURNING canonical", (kind, canonical)
        ).fetchall()
        gone += [(kind, canonical), *((kind, row[0]) for row in rows)]
    return list(dict.fromkeys(gone))


def put(cx: apsw.Connection, rows: Iterable[Alias]) -> None:
    """Write rows, each in place of the one with its type, canonical and memory."""
    cx.executemany(
        f"INSERT OR REPLACE INTO aliases ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)",
        [(row.type, row.canonical, row.target, row.name, row.memory_id) for row in rows],
    )


def delete(cx: apsw.Connection, rows: Iterable[Alias]) -> None:
    """Delete the rows with these types, canonicals and memories."""
    cx.executemany(
        "DELETE FROM aliases WHERE type = ? AND canonical = ? AND memory_id = ?",
        [(row.type, row.canonical, row.memory_id) for row in rows],
    )


def forget(cx: apsw.Connection, memory_ids: Iterable[int]) -> None:
    """Delete what holds only within these memories: they are about to go."""
    wanted = id_array(one for one in memory_ids if one != 0)
    if wanted:
        cx.execute("DELETE FROM aliases WHERE memory_id IN (SELECT value FROM carray(?))", (apsw.carray(wanted),))


def _read(cx: apsw.Connection, condition: str, values: tuple[Any, ...] = ()) -> list[Alias]:
    return [Alias(*row) for row in cx.execute(f"SELECT {_COLUMNS} FROM aliases WHERE {condition}", values)]
