"""The graph's rows: which memory mentions which entity, in which spelling. The only SQL that writes them.

A mention leads to an entry (a spelling, or a fact's text), an entry to a node (the entity). Entries without a
mention and nodes without an entry go at once, so that no word of an erased memory stays. No write walks the
mentions of an entity. Must not decide who is meant (``ingest/entities.py``) nor touch atoms.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import apsw

from engine.storage import aliases
from engine.storage.selection import id_array
from engine.text import terms
from engine.types import EntityType

_Key = tuple[EntityType, str, str]

_MENTIONS_OF = """
SELECT n.type, n.canonical, e.text, m.given, m.atom_id, m.entry_id
FROM mentions AS m CROSS JOIN entries AS e ON e.id = m.entry_id CROSS JOIN nodes AS n ON n.id = e.node_id
WHERE m.memory_id = ? ORDER BY m.entry_id
"""
# Topics and people are always found by their words, a fact as long as one of its mentions has a life left.
_LIVES = """
SELECT EXISTS (
    SELECT 1 FROM mentions AS m WHERE m.entry_id = ? AND (
        m.atom_id IS NULL OR (SELECT a.status FROM atoms AS a WHERE a.id = m.atom_id) NOT IN ('forgotten', 'purged')
    )
)
"""
_INSERT = "INSERT INTO mentions (memory_id, entry_id, atom_id, given) VALUES (?, ?, ?, ?)"
_UPDATE = "UPDATE mentions SET given = ?, atom_id = ? WHERE memory_id = ? AND entry_id = ?"
_PUT_TERMS = "INSERT OR REPLACE INTO entries_lexical (rowid, terms) VALUES (?, ?)"


@dataclass(frozen=True, slots=True)
class Mentioned:
    """What a memory says of one entity. ``given``: named by the writer, not read out of the text; ``atom_id``: the
    life of a fact."""

    type: EntityType
    canonical: str
    text: str
    given: bool = True
    atom_id: int | None = None


class _Told(NamedTuple):
    given: bool
    atom_id: int | None
    entry_id: int


@dataclass(frozen=True, slots=True)
class Touched:
    """What a write changed, ascending: new entries, entries that are gone, atoms that nothing mentions any more."""

    entries: tuple[int, ...] = ()
    gone: tuple[int, ...] = ()
    atoms_gone: tuple[int, ...] = ()


def put(cx: apsw.Connection, memory_id: int, rows: Sequence[Mentioned]) -> Touched:
    """Replace this memory's mentions by ``rows``; equal ones stay, with the ids of their entries.

    Rows of equal type, canonical and text are one: given if any is, with the first atom. Deleting the atoms that
    are named gone is the caller's work.
    """
    there = {(row[0], row[1], row[2]): _Told(bool(row[3]), row[4], row[5]) for row in _stored(cx, memory_id)}
    new: list[int] = []
    changed: dict[int, _Key] = {}  # entries whose words may come or go
    atoms: set[int] = set()  # those that lost this mention
    for key, (given, atom_id) in _distinct(rows).items():
        before = there.pop(key, None)
        if before is None:
            entry_id, made = _entry(cx, _node(cx, key[0], key[1]), key[2])
            cx.execute(_INSERT, (memory_id, entry_id, atom_id, given))
            new += [entry_id] if made else []
            if made or key[0] == "fact":
                changed[entry_id] = key
        elif (before.given, before.atom_id) != (given, atom_id):
            cx.execute(_UPDATE, (given, atom_id, memory_id, before.entry_id))
            if before.atom_id != atom_id:
                changed[before.entry_id] = key
                atoms.update(() if before.atom_id is None else (before.atom_id,))
    for key, told in there.items():
        cx.execute("DELETE FROM mentions WHERE memory_id = ? AND entry_id = ?", (memory_id, told.entry_id))
        if key[0] == "fact":
            changed[told.entry_id] = key
        atoms.update(() if told.atom_id is None else (told.atom_id,))
    gone = _sweep(cx, [told.entry_id for told in there.values()])
    for entry_id in changed.keys() - set(gone):
        _speak(cx, entry_id, *changed[entry_id])
    return Touched(tuple(sorted(new)), gone, _unmentioned(cx, atoms))


def remove(cx: apsw.Connection, memory_ids: Iterable[int]) -> Touched:
    """Take out all that these memories mention, and the aliases that hold only in them: before they are deleted."""
    wanted = id_array(memory_ids)
    if not wanted:
        return Touched()
    rows: list[Any] = cx.execute(
        "SELECT m.entry_id, m.atom_id, n.type FROM carray(?) AS c CROSS JOIN mentions AS m ON m.memory_id = c.value "
        "CROSS JOIN entries AS e ON e.id = m.entry_id CROSS JOIN nodes AS n ON n.id = e.node_id",
        (apsw.carray(wanted),),
    ).fetchall()
    cx.execute("DELETE FROM mentions WHERE memory_id IN (SELECT value FROM carray(?))", (apsw.carray(wanted),))
    gone = _sweep(cx, {row[0] for row in rows})
    reindex(cx, sorted({row[0] for row in rows if row[2] == "fact"} - set(gone)))
    aliases.forget(cx, wanted)
    return Touched((), gone, _unmentioned(cx, {row[1] for row in rows if row[1] is not None}))


def mentions_of(cx: apsw.Connection, memory_id: int) -> list[Mentioned]:
    """What this memory mentions, in the order in which the entries came to be."""
    return [
        Mentioned(kind, canonical, text, bool(given), atom_id)
        for kind, canonical, text, given, atom_id, _ in _stored(cx, memory_id)
    ]


def reindex(cx: apsw.Connection, entry_ids: Iterable[int]) -> None:
    """Bring the words of these entries in line with what they say, their entity's name and the life of their atoms.

    Entries that are gone lose their words.
    """
    sql = (
        "SELECT e.id, n.type, n.canonical, e.text FROM carray(?) AS c CROSS JOIN entries AS e ON e.id = c.value "
        "CROSS JOIN nodes AS n ON n.id = e.node_id"
    )
    wanted = id_array(entry_ids)
    rows: list[Any] = cx.execute(sql, (apsw.carray(wanted),)).fetchall() if wanted else []
    _silence(cx, set(wanted).difference(row[0] for row in rows))
    for row in rows:
        _speak(cx, *row)


def node(cx: apsw.Connection, node_id: int) -> tuple[EntityType, str] | None:
    """(type, canonical) of an entity, or None."""
    row: Any = cx.execute("SELECT type, canonical FROM nodes WHERE id = ?", (node_id,)).fetchone()
    return row and (row[0], row[1])


def find(cx: apsw.Connection, kind: EntityType, canonical: str) -> int | None:
    """The id of the entity with exactly this canonical (no alias is followed), or None."""
    found: int | None = cx.execute("SELECT id FROM nodes WHERE type = ? AND canonical = ?", (kind, canonical)).get
    return found


def entries_of(cx: apsw.Connection, node_id: int) -> list[tuple[int, str]]:
    """(entry id, text) of each spelling of an entity, the oldest first."""
    rows: list[Any] = cx.execute("SELECT id, text FROM entries WHERE node_id = ? ORDER BY id", (node_id,)).fetchall()
    return rows


def entry_ids(cx: apsw.Connection) -> list[int]:
    """All entries, ascending: what an index over them is made anew from."""
    return [row[0] for row in cx.execute("SELECT id FROM entries ORDER BY id")]


def spelled_by(cx: apsw.Connection, node_id: int, memory_ids: Iterable[int]) -> list[tuple[int, str]]:
    """(memory id, text) of each mention of the entity by one of these memories."""
    wanted = id_array(memory_ids)
    if not wanted:
        return []
    rows: list[Any] = cx.execute(
        "SELECT m.memory_id, e.text FROM carray(?) AS c CROSS JOIN mentions AS m ON m.memory_id = c.value "
        "CROSS JOIN entries AS e ON e.id = m.entry_id WHERE e.node_id = ? ORDER BY m.memory_id, e.id",
        (apsw.carray(wanted), node_id),
    ).fetchall()
    return rows


class Moved(NamedTuple):
    """The entry that mentions go through now, whether it is new, the memories that moved, the entry that is gone."""

    entry_id: int
    made: bool = False
    memories: tuple[int, ...] = ()
    left: int | None = None


def move(
    cx: apsw.Connection,
    entry_id: int,
    canonical: str,
    *,
    only: Collection[int] | None = None,
    but: Collection[int] = (),
) -> Moved:
    """Let mentions through this entry mean the entity ``canonical`` of the same type: those of the memories ``only``
    (None = all) without those of ``but``. An entry that moves whole keeps its id. The caller indexes anew.
    """
    row: Any = cx.execute(
        "SELECT n.type, e.text, n.id FROM entries AS e CROSS JOIN nodes AS n ON n.id = e.node_id WHERE e.id = ?",
        (entry_id,),
    ).fetchone()
    chosen, values = _chosen(entry_id, only, but)
    memories = tuple(one[0] for one in cx.execute(f"SELECT memory_id FROM mentions WHERE {chosen}", values))
    if row is None or not memories:
        return Moved(entry_id)
    kind, text, old_node = row
    node_id = _node(cx, kind, canonical)
    there = cx.execute("SELECT id FROM entries WHERE node_id = ? AND text = ?", (node_id, text)).get
    if there == entry_id:
        return Moved(entry_id)
    if there is None and only is None and not but:
        cx.execute("UPDATE entries SET node_id = ? WHERE id = ?", (node_id, entry_id))
        _sweep_nodes(cx, [old_node])
        return Moved(entry_id, False, memories)
    target, made = _entry(cx, node_id, text)
    cx.execute(f"UPDATE OR IGNORE mentions SET entry_id = ? WHERE {chosen}", (target, *values))
    cx.execute(f"DELETE FROM mentions WHERE {chosen}", values)
    gone = _sweep(cx, [entry_id])
    return Moved(target, made, memories, entry_id if gone else None)


def _chosen(entry_id: int, only: Collection[int] | None, but: Collection[int]) -> tuple[str, list[Any]]:
    """(condition over mentions, its parameters)."""
    parts = ["entry_id = ?"]
    parameters: list[Any] = [entry_id]
    if only is not None:
        wanted = id_array(only)
        parts.append("memory_id IN (SELECT value FROM carray(?))" if wanted else "0")
        parameters += [apsw.carray(wanted)] if wanted else []
    kept = id_array(but)
    if kept:
        parts.append("memory_id NOT IN (SELECT value FROM carray(?))")
        parameters.append(apsw.carray(kept))
    return " AND ".join(parts), parameters


def _stored(cx: apsw.Connection, memory_id: int) -> list[Any]:
    rows: list[Any] = cx.execute(_MENTIONS_OF, (memory_id,)).fetchall()
    return rows


def _distinct(rows: Sequence[Mentioned]) -> dict[_Key, tuple[bool, int | None]]:
    found: dict[_Key, tuple[bool, int | None]] = {}
    for row in rows:
        key = (row.type, row.canonical, row.text)
        given, atom_id = found.get(key, (False, None))
        found[key] = (given or row.given, row.atom_id if atom_id is None else atom_id)
    return found


def _node(cx: apsw.Connection, kind: EntityType, canonical: str) -> int:
    found = find(cx, kind, canonical)
    if found is None:
        sql = "INSERT INTO nodes (type, canonical) VALUES (?, ?) RETURNING id"
        found = int(cx.execute(sql, (kind, canonical)).get)
    return found


def _entry(cx: apsw.Connection, node_id: int, text: str) -> tuple[int, bool]:
    """(its id, whether it is new)."""
    found = cx.execute("SELECT id FROM entries WHERE node_id = ? AND text = ?", (node_id, text)).get
    if found is not None:
        return int(found), False
    return int(cx.execute("INSERT INTO entries (node_id, text) VALUES (?, ?) RETURNING id", (node_id, text)).get), True


def _sweep(cx: apsw.Connection, entry_ids: Iterable[int]) -> tuple[int, ...]:
    """Delete those of these entries that nothing mentions, with words and vectors, and nodes left without any."""
    asked = id_array(entry_ids)
    if not asked:
        return ()
    rows: list[Any] = cx.execute(
        "SELECT e.id, e.node_id FROM carray(?) AS c CROSS JOIN entries AS e ON e.id = c.value "
        "WHERE NOT EXISTS (SELECT 1 FROM mentions AS m WHERE m.entry_id = e.id)",
        (apsw.carray(asked),),
    ).fetchall()
    empty = id_array(sorted(row[0] for row in rows))
    if empty:
        _silence(cx, empty)
        cx.execute("DELETE FROM entries WHERE id IN (SELECT value FROM carray(?))", (apsw.carray(empty),))
        _sweep_nodes(cx, {row[1] for row in rows})
    return tuple(empty)


def _sweep_nodes(cx: apsw.Connection, node_ids: Iterable[int]) -> None:
    wanted = id_array(node_ids)
    cx.execute(
        "DELETE FROM nodes WHERE id IN (SELECT value FROM carray(?)) "
        "AND NOT EXISTS (SELECT 1 FROM entries AS e WHERE e.node_id = nodes.id)",
        (apsw.carray(wanted),),
    )


def _speak(cx: apsw.Connection, entry_id: int, kind: EntityType, canonical: str, text: str) -> None:
    if kind == "fact" and not cx.execute(_LIVES, (entry_id,)).get:
        _silence(cx, (entry_id,))
        return
    name = aliases.name_of(cx, kind, canonical)
    cx.execute(_PUT_TERMS, (entry_id, terms.fts_row(text if name is None else f"{text}\n{name}")))


def _silence(cx: apsw.Connection, entry_ids: Iterable[int]) -> None:
    wanted = id_array(entry_ids)
    if wanted:
        cx.execute("DELETE FROM entries_lexical WHERE rowid IN (SELECT value FROM carray(?))", (apsw.carray(wanted),))


def _unmentioned(cx: apsw.Connection, atom_ids: Iterable[int]) -> tuple[int, ...]:
    wanted = id_array(sorted(atom_ids))
    if not wanted:
        return ()
    sql = (
        "SELECT c.value FROM carray(?) AS c WHERE NOT EXISTS (SELECT 1 FROM mentions AS m WHERE m.atom_id = c.value) "
        "ORDER BY c.value"
    )
    return tuple(row[0] for row in cx.execute(sql, (apsw.carray(wanted),)))
