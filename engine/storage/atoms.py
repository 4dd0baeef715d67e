"""Rows of atoms: single facts with a lifetime. The only SQL that writes this table; mentions and entries are read.

An atom's words are in the entries of the memories that mention it. Must not decide what an atom becomes
(``forgetting/atoms.py``) nor whether two facts are one (``ingest/atoms.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

import apsw

from engine import clock
from engine.errors import NotFound
from engine.storage.selection import id_array, where
from engine.types import Atom, AtomStatus, AtomType, Filters, MemoryStatus

_COLUMNS = (
    "type", "status", "status_at", "conversation_id", "persona_id", "importance", "confidence", "event_time",
    "created_at", "last_accessed_at", "last_reinforced_at", "reinforcement_count", "ttl_days", "expires_at",
)  # fmt: skip
_INSERT = (
    f"INSERT INTO atoms ({', '.join(_COLUMNS)}) VALUES ({', '.join(f':{name}' for name in _COLUMNS)}) RETURNING id"
)
_GET = (
    f"SELECT a.id, {', '.join(f'a.{name}' for name in _COLUMNS)} FROM carray(?) AS c CROSS JOIN atoms AS a "
    "ON a.id = c.value"
)
_TELLINGS = (
    "SELECT n.atom_id, n.memory_id, e.text FROM (SELECT DISTINCT value FROM carray(?)) AS c "
    "CROSS JOIN mentions AS n ON n.atom_id = c.value CROSS JOIN entries AS e ON e.id = n.entry_id"
)
_IN_ORDER = "ORDER BY n.atom_id, n.memory_id, n.entry_id"


@dataclass(frozen=True, slots=True)
class Due:
    """An atom whose time has come, and what it is now."""

    id: int
    status: AtomStatus
    status_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Candidate:
    """An active atom that a new fact may repeat. ``text``: the entry that matched."""

    atom_id: int
    text: str


def insert(cx: apsw.Connection, values: Mapping[str, Any]) -> int:
    """Store a new atom; returns its id. ``values``: every field of an ``Atom`` but id, text and memory_ids."""
    return int(cx.execute(_INSERT, {name: _encoded(values[name]) for name in _COLUMNS}).get)


def get_many(cx: apsw.Connection, ids: Iterable[int], filters: Filters | None = None) -> dict[int, Atom]:
    """The atoms of ``ids`` that exist. With ``filters`` only memories that pass count: for ``memory_ids``, for the
    text, and an atom that none of them mentions is left out.
    """
    wanted = id_array(ids)
    if not wanted:
        return {}
    said: dict[int, dict[int, str]] = {}
    for atom_id, memory_id, text in _tellings(cx, wanted, filters):
        said.setdefault(atom_id, {}).setdefault(memory_id, text)
    rows: list[Any] = cx.execute(_GET, (apsw.carray(wanted),)).fetchall()
    return {row[0]: _atom(row, said.get(row[0], {})) for row in rows if filters is None or row[0] in said}


def of_memory(cx: apsw.Connection, memory_id: int) -> tuple[Atom, ...]:
    """The atoms that a memory mentions, by id."""
    return tuple(atom for _, atom in sorted(get_many(cx, ids_of(cx, [memory_id])).items()))


def ids_of(cx: apsw.Connection, memory_ids: Iterable[int]) -> list[int]:
    """The atoms that any of these memories mentions, ascending."""
    wanted = id_array(memory_ids)
    if not wanted:
        return []
    rows = cx.execute(
        "SELECT DISTINCT n.atom_id FROM carray(?) AS c CROSS JOIN mentions AS n ON n.memory_id = c.value "
        "WHERE n.atom_id IS NOT NULL ORDER BY n.atom_id",
        (apsw.carray(wanted),),
    )
    return [row[0] for row in rows]


def told_by(cx: apsw.Connection, memory_id: int) -> dict[str, int | None]:
    """The facts that a memory mentions: text → atom, None where it has none of the memory's scope."""
    rows: list[Any] = cx.execute(
        "SELECT e.text, a.id FROM mentions AS n CROSS JOIN entries AS e ON e.id = n.entry_id "
        "CROSS JOIN nodes AS d ON d.id = e.node_id AND d.type = 'fact' CROSS JOIN memories AS m ON m.id = n.memory_id "
        "LEFT JOIN atoms AS a ON a.id = n.atom_id AND a.conversation_id IS m.conversation_id "
        "AND a.persona_id IS m.persona_id WHERE n.memory_id = ? ORDER BY n.entry_id",
        (memory_id,),
    ).fetchall()
    return dict(rows)


def texts_of(cx: apsw.Connection, atom_id: int) -> tuple[str, ...]:
    """Every wording of an atom, that of the lowest memory id first."""
    return tuple(dict.fromkeys(text for _, _, text in _tellings(cx, id_array([atom_id]), None)))


def entries_of(cx: apsw.Connection, ids: Iterable[int]) -> list[int]:
    """The entries that hold the words of these atoms, ascending."""
    wanted = id_array(ids)
    if not wanted:
        return []
    sql = "SELECT DISTINCT n.entry_id FROM carray(?) AS c CROSS JOIN mentions AS n ON n.atom_id = c.value ORDER BY 1"
    return [row[0] for row in cx.execute(sql, (apsw.carray(wanted),))]


def update(cx: apsw.Connection, atom_id: int, values: Mapping[str, Any]) -> None:
    """Set fields of an ``Atom``; an empty mapping changes nothing. Errors: ``NotFound``, ``ValueError``."""
    unknown = values.keys() - set(_COLUMNS)
    if unknown:
        raise ValueError(f"not columns of an atom: {sorted(unknown)}")
    if not values:
        return
    row = {name: _encoded(value) for name, value in values.items()}
    cx.execute(
        f"UPDATE atoms SET {', '.join(f'{name} = :{name}' for name in row)} WHERE id = :id", row | {"id": atom_id}
    )
    if not cx.changes():
        raise NotFound(kind="atom", id=atom_id)


def set_status(cx: apsw.Connection, changes: Iterable[tuple[int, AtomStatus, datetime]]) -> None:
    """Move atoms: (id, status, since when)."""
    rows = [(status, clock.to_text(at), atom_id) for atom_id, status, at in changes]
    cx.executemany("UPDATE atoms SET status = ?, status_at = ? WHERE id = ?", rows)


def touch(cx: apsw.Connection, ids: Iterable[int], at: datetime) -> None:
    """Note that these atoms were recalled; forgotten and purged ones were not."""
    wanted = id_array(ids)
    if wanted:
        moment = clock.to_text(at)
        cx.execute(
            "UPDATE atoms SET last_accessed_at = ? WHERE id IN (SELECT value FROM carray(?)) "
            "AND status NOT IN ('forgotten', 'purged') AND coalesce(last_accessed_at, '') < ?",
            (moment, apsw.carray(wanted), moment),
        )


def delete(cx: apsw.Connection, ids: Iterable[int]) -> None:
    """Remove atoms that nothing mentions any more; one that something does mention is a bug and fails."""
    wanted = id_array(ids)
    if wanted:
        cx.execute("DELETE FROM atoms WHERE id IN (SELECT value FROM carray(?))", (apsw.carray(wanted),))


def due(
    cx: apsw.Connection, now: datetime, expired_before: datetime, forgotten_before: datetime, limit: int
) -> list[Due]:
    """Atoms whose state has run out, at most ``limit``: alive and past their time, expired and forgotten ones that
    have been so since before the moments given.
    """
    rows: list[Any] = cx.execute(
        "SELECT id, status, status_at, expires_at FROM atoms WHERE status IN ('active', 'dormant') "
        "AND expires_at <= ? ORDER BY expires_at, id LIMIT ?",
        (clock.to_text(now), limit),
    ).fetchall()
    ended, forgotten = clock.to_text(expired_before), clock.to_text(forgotten_before)
    if len(rows) < limit:
        rows += cx.execute(
            "SELECT id, status, status_at, expires_at FROM atoms WHERE status IN ('expired', 'forgotten') "
            "AND status_at <= ? AND status_at <= CASE status WHEN 'expired' THEN ? ELSE ? END "
            "ORDER BY status_at, id LIMIT ?",
            (max(ended, forgotten), ended, forgotten, limit - len(rows)),
        ).fetchall()
    return [
        Due(atom_id, cast(AtomStatus, status), clock.from_text(since), clock.from_text(expires))
        for atom_id, status, since, expires in rows
    ]


def statuses_behind(cx: apsw.Connection, memory_ids: Iterable[int]) -> dict[int, frozenset[MemoryStatus]]:
    """For each atom of these memories: the statuses of all memories that mention it."""
    wanted = id_array(memory_ids)
    if not wanted:
        return {}
    found: dict[int, set[MemoryStatus]] = {}
    for atom_id, status in cx.execute(
        "SELECT DISTINCT n.atom_id, m.status FROM carray(?) AS c CROSS JOIN mentions AS x ON x.memory_id = c.value "
        "CROSS JOIN mentions AS n ON n.atom_id = x.atom_id CROSS JOIN memories AS m ON m.id = n.memory_id",
        (apsw.carray(wanted),),
    ):
        found.setdefault(atom_id, set()).add(cast(MemoryStatus, status))
    return {atom_id: frozenset(statuses) for atom_id, statuses in sorted(found.items())}


def entries_with(cx: apsw.Connection, expression: str, most: int) -> list[int]:
    """Up to ``most`` entries that match the FTS5 ``expression``, the newest first."""
    if not expression:
        return []
    sql = "SELECT rowid FROM entries_lexical WHERE entries_lexical MATCH ? ORDER BY rowid DESC LIMIT ?"
    return [row[0] for row in cx.execute(sql, (expression, most))]


def active_among(
    cx: apsw.Connection, entry_ids: Iterable[int], conversation_id: str | None, persona_id: str | None
) -> list[Candidate]:
    """The active atoms of exactly this scope whose words are in these entries, in the order of the ids given."""
    wanted = id_array(entry_ids)
    if not wanted:
        return []
    # One row an entry, however many memories mention it.
    rows: list[Any] = cx.execute(
        "SELECT e.id, e.text, (SELECT min(a.id) FROM mentions AS n CROSS JOIN atoms AS a ON a.id = n.atom_id "
        "WHERE n.entry_id = e.id AND a.status = 'active' AND a.conversation_id IS ? AND a.persona_id IS ?) AS atom "
        "FROM carray(?) AS c CROSS JOIN entries AS e ON e.id = c.value",
        (conversation_id, persona_id, apsw.carray(wanted)),
    ).fetchall()
    found = {entry_id: Candidate(atom_id, text) for entry_id, text, atom_id in rows if atom_id is not None}
    return [found[entry_id] for entry_id in dict.fromkeys(wanted) if entry_id in found]


def matches(
    cx: apsw.Connection, expression: str, filters: Filters, types: Sequence[AtomType], now: datetime
) -> list[tuple[int, float]]:
    """Every live atom that a memory which passes ``filters`` mentions in matching words: (id, BM25 ≥ 0 of its best
    entry), the best first, ties by id. Filtered before anything is cut off: a filter costs no hit.
    """
    if not expression:
        return []
    condition, values = where(filters)
    kinds = f"AND a.type IN ({', '.join('?' * len(types))}) " if types else ""
    sql = (
        "SELECT n.atom_id, bm25(entries_lexical) FROM entries_lexical "
        "CROSS JOIN mentions AS n ON n.entry_id = entries_lexical.rowid CROSS JOIN atoms AS a ON a.id = n.atom_id "
        "CROSS JOIN memories AS m ON m.id = n.memory_id WHERE entries_lexical MATCH ? AND a.status = 'active' "
        f"AND a.expires_at > ? {kinds}AND {condition}"
    )
    best: dict[int, float] = {}
    for atom_id, score in cx.execute(sql, (expression, clock.to_text(now), *types, *values)):
        best[atom_id] = max(best.get(atom_id, 0.0), -score)
    return sorted(best.items(), key=lambda item: (-item[1], item[0]))


def broken(cx: apsw.Connection, limit: int) -> list[int]:
    """Atoms that could not be stored as they should, those that were tried longest ago first."""
    sql = "SELECT id FROM atoms WHERE status = 'needs_repair' ORDER BY status_at, id LIMIT ?"
    return [row[0] for row in cx.execute(sql, (limit,))]


def count_by_status(cx: apsw.Connection) -> dict[str, int]:
    """Atoms by status; a status nobody has is missing."""
    rows: list[Any] = cx.execute("SELECT status, count(*) FROM atoms GROUP BY status ORDER BY status").fetchall()
    return dict(rows)


def count_by_type(cx: apsw.Connection) -> dict[str, int]:
    """Active atoms by type; a type nobody has is missing."""
    rows: list[Any] = cx.execute(
        "SELECT type, count(*) FROM atoms WHERE status = 'active' GROUP BY type ORDER BY type"
    ).fetchall()
    return dict(rows)


def facets(cx: apsw.Connection) -> dict[str, dict[str, int]]:
    """What atoms can be filtered by: "types" of the active ones, "statuses" of all."""
    return {"types": count_by_type(cx), "statuses": count_by_status(cx)}


def _tellings(cx: apsw.Connection, wanted: Any, filters: Filters | None) -> list[Any]:
    """(atom, memory, text) of each mention of these atoms, in order."""
    if filters is None:
        return cx.execute(f"{_TELLINGS} {_IN_ORDER}", (apsw.carray(wanted),)).fetchall()
    condition, values = where(filters)
    sql = f"{_TELLINGS} CROSS JOIN memories AS m ON m.id = n.memory_id WHERE {condition} {_IN_ORDER}"
    return cx.execute(sql, (apsw.carray(wanted), *values)).fetchall()


def _encoded(value: Any) -> Any:
    return clock.to_text(value) if isinstance(value, datetime) else value


def _moment(text: str | None) -> datetime | None:
    return None if text is None else clock.from_text(text)


def _atom(row: tuple[Any, ...], said: Mapping[int, str]) -> Atom:
    (
        atom_id, kind, status, status_at, conversation_id, persona_id, importance, confidence, event_time, created_at,
        accessed, reinforced, count, ttl, expires_at,
    ) = row  # fmt: skip
    return Atom(
        id=atom_id,
        text=next(iter(said.values()), ""),
        type=cast(AtomType, kind),
        memory_ids=tuple(said),
        conversation_id=conversation_id,
        persona_id=persona_id,
        importance=importance,
        confidence=confidence,
        event_time=_moment(event_time),
        status=cast(AtomStatus, status),
        status_at=clock.from_text(status_at),
        created_at=clock.from_text(created_at),
        last_accessed_at=_moment(accessed),
        last_reinforced_at=_moment(reinforced),
        reinforcement_count=count,
        ttl_days=ttl,
        expires_at=clock.from_text(expires_at),
    )
