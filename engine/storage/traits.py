"""The user model's rows: traits, the names that mean them, and their evidence.

A change is written and read as a ``State``: the rows, or some of their fields, by table and key; None = not there.
That is what history keeps of it. Must not decide what a change means (``engine/surfacing/user_model.py`` does).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import apsw

from engine import clock
from engine.storage import history
from engine.storage.selection import id_array
from engine.types import Evidence, Sensitivity, Trait

# table → key (as JSON has it: text) → fields
Row = dict[str, Any] | None
State = dict[str, dict[str, Row]]


class _Table(NamedTuple):
    name: str
    key: str
    fields: tuple[str, ...]


# In the order in which rows can be made; they are removed in the reverse order.
TABLES: Final[Mapping[str, _Table]] = {
    "traits": _Table("traits", "id", ("trait", "sensitivity", "base", "created_at")),
    "names": _Table("trait_names", "canonical", ("trait_id",)),
    "evidence": _Table("trait_evidence", "id", ("trait_id", "text_key", "evidence", "memory_id", "at")),
}
_HIDES = "(SELECT m.sensitivity FROM memories AS m WHERE m.id = e.memory_id) IN (SELECT value FROM carray(?))"


# Changes -----------------------------------------------------------------------------------------------------


def look(cx: apsw.Connection, asked: State) -> State:
    """What is there now in the rows, and of them the fields, that ``asked`` names (None: all fields)."""
    return {
        table: {key: _row(cx, TABLES[table], key, row) for key, row in asked[table].items()}
        for table in TABLES
        if table in asked
    }


def write(cx: apsw.Connection, wanted: State) -> None:
    """Make it so: new rows are given whole, others by the fields that change, None removes a row.

    A trait that still has names or evidence can not be removed; whoever calls sees to these.
    """
    # What goes makes room (evidence is unique within its trait), but a trait goes last and comes first.
    for table in ("evidence", "names"):
        _remove(cx, TABLES[table], wanted.get(table, {}))
    for name, table_ in TABLES.items():
        for key, row in wanted.get(name, {}).items():
            if row is not None:
                _put(cx, table_, key, row)
    _remove(cx, TABLES["traits"], wanted.get("traits", {}))


def next_ids(cx: apsw.Connection) -> tuple[int, int]:
    """The ids that the next trait and the next piece of evidence may take; never one that was in use."""
    rows: list[Any] = cx.execute(
        "SELECT name, seq FROM sqlite_sequence WHERE name IN ('traits', 'trait_evidence')"
    ).fetchall()
    used = dict(rows)
    return used.get("traits", 0) + 1, used.get("trait_evidence", 0) + 1


def _row(cx: apsw.Connection, table: _Table, key: str, asked: Row) -> Row:
    fields = table.fields if asked is None else tuple(asked)
    found: Any = cx.execute(
        f"SELECT {', '.join(fields)} FROM {table.name} WHERE {table.key} = ?", (_key(table, key),)
    ).fetchone()
    return None if found is None else dict(zip(fields, found, strict=True))


def _put(cx: apsw.Connection, table: _Table, key: str, row: Mapping[str, Any]) -> None:
    values = (*row.values(), _key(table, key))
    cx.execute(f"UPDATE {table.name} SET {', '.join(f'{name} = ?' for name in row)} WHERE {table.key} = ?", values)
    if not cx.changes():
        marks = ", ".join("?" * len(values))
        cx.execute(f"INSERT INTO {table.name} ({', '.join((*row, table.key))}) VALUES ({marks})", values)


def _remove(cx: apsw.Connection, table: _Table, rows: Mapping[str, Row]) -> None:
    gone = [(_key(table, key),) for key, row in rows.items() if row is None]
    cx.executemany(f"DELETE FROM {table.name} WHERE {table.key} = ?", gone)


def _key(table: _Table, key: str) -> int | str:
    return int(key) if table.key == "id" else key


# Reading -----------------------------------------------------------------------------------------------------


def named(cx: apsw.Connection, canonical: str) -> int | None:
    """The trait that this form means, or None."""
    found: int | None = cx.execute("SELECT trait_id FROM trait_names WHERE canonical = ?", (canonical,)).get
    return found


def names_of(cx: apsw.Connection, trait_ids: Iterable[int]) -> list[tuple[str, int]]:
    """(canonical, trait) of every form that means one of these traits."""
    rows: list[Any] = cx.execute(
        "SELECT canonical, trait_id FROM trait_names WHERE trait_id IN (SELECT value FROM carray(?)) "
        "ORDER BY canonical",
        (_ids(trait_ids),),
    ).fetchall()
    return rows


def evidence_of(cx: apsw.Connection, trait_ids: Iterable[int]) -> list[tuple[int, int, str, int | None]]:
    """(id, trait, text key, memory) of all evidence of these traits, the oldest first."""
    rows: list[Any] = cx.execute(
        "SELECT id, trait_id, text_key, memory_id FROM trait_evidence WHERE trait_id IN (SELECT value FROM carray(?)) "
        "ORDER BY id",
        (_ids(trait_ids),),
    ).fetchall()
    return rows


def existing(cx: apsw.Connection, trait_ids: Iterable[int]) -> set[int]:
    """Those of these traits that there are."""
    rows = cx.execute("SELECT id FROM traits WHERE id IN (SELECT value FROM carray(?))", (_ids(trait_ids),))
    return {row[0] for row in rows}


def bare(cx: apsw.Connection) -> list[int]:
    """Traits that nothing speaks for any more."""
    rows: list[Any] = cx.execute(
        "SELECT id FROM traits AS t WHERE base <= 0 "
        "AND NOT EXISTS (SELECT 1 FROM trait_evidence AS e WHERE e.trait_id = t.id)"
    ).fetchall()
    return [row[0] for row in rows]


def ranked(cx: apsw.Connection, hidden: Sequence[Sensitivity]) -> tuple[list[int], int]:
    """(the traits that may be shown, the strongest and then the latest first; how many may not).

    A trait all of whose evidence is in memories that are hidden is hidden with them.
    """
    levels = apsw.carray(hidden) if hidden else None
    concealed = f"sum({_HIDES})" if hidden else "0"
    shut = "t.sensitivity IN (SELECT value FROM carray(?))" if hidden else "0"
    sql = (
        f"SELECT t.id, {shut} OR (coalesce(e.concealed, 0) > 0 AND e.concealed = e.pieces) FROM traits AS t "
        f"LEFT JOIN (SELECT trait_id, count(*) AS pieces, max(at) AS latest, {concealed} AS concealed "
        "FROM trait_evidence AS e GROUP BY trait_id) AS e ON e.trait_id = t.id "
        "ORDER BY t.base + coalesce(e.pieces, 0) DESC, coalesce(e.latest, t.created_at) DESC, t.id DESC"
    )
    rows: list[Any] = cx.execute(sql, (levels, levels) if hidden else ()).fetchall()
    return [row[0] for row in rows if not row[1]], sum(bool(row[1]) for row in rows)


def get_many(
    cx: apsw.Connection, trait_ids: Sequence[int], pieces: int, hidden: Sequence[Sensitivity] = ()
) -> tuple[Trait, ...]:
    """These traits in this order, each with its newest ``pieces`` of evidence that may be shown; unknown: left out."""
    found: dict[int, Any] = {
        row[0]: row
        for row in cx.execute(
            "SELECT t.id, t.trait, t.base + (SELECT count(*) FROM trait_evidence AS e WHERE e.trait_id = t.id), "
            "t.sensitivity, t.created_at, "
            "coalesce((SELECT max(at) FROM trait_evidence AS e WHERE e.trait_id = t.id), t.created_at) "
            "FROM traits AS t WHERE t.id IN (SELECT value FROM carray(?))",
            (_ids(trait_ids),),
        )
    }
    return tuple(_trait(cx, found[one], pieces, hidden) for one in trait_ids if one in found)


def _trait(cx: apsw.Connection, row: tuple[Any, ...], pieces: int, hidden: Sequence[Sensitivity]) -> Trait:
    trait_id, trait, weight, sensitivity, created_at, strengthened_at = row
    condition = f"coalesce({_HIDES}, 0) = 0" if hidden else "1"
    levels = (apsw.carray(hidden),) if hidden else ()
    total = cx.execute(
        f"SELECT count(*) FROM trait_evidence AS e WHERE trait_id = ? AND {condition}", (trait_id, *levels)
    ).get
    rows = cx.execute(
        f"SELECT id, evidence, memory_id, at FROM trait_evidence AS e WHERE trait_id = ? AND {condition} "
        "ORDER BY at DESC, id DESC LIMIT ?",
        (trait_id, *levels, pieces),
    )
    evidence = tuple(Evidence(one, text, memory, clock.from_text(at)) for one, text, memory, at in rows)
    return Trait(
        trait_id, trait, weight, sensitivity, clock.from_text(created_at), clock.from_text(strengthened_at), evidence,
        total,
    )  # fmt: skip


# Erasing -----------------------------------------------------------------------------------------------------


def forget(cx: apsw.Connection, memory_ids: Iterable[int]) -> None:
    """Before memories are erased: their evidence goes, a trait that nothing else speaks for goes with it, and history
    loses every word of both.
    """
    wanted = id_array(memory_ids)
    if not wanted:
        return
    rows = cx.execute(
        "DELETE FROM trait_evidence WHERE memory_id IN (SELECT value FROM carray(?)) RETURNING id",
        (apsw.carray(wanted),),
    )
    evidence = {str(row[0]) for row in rows}
    gone = bare(cx)
    names: State = {"names": {name: None for name, _ in names_of(cx, gone)}}
    write(cx, {**names, "traits": {str(one): None for one in gone}})
    _forget_history(cx, set(wanted), evidence, set(gone))


def _forget_history(cx: apsw.Connection, memory_ids: set[int], evidence: set[str], trait_ids: set[int]) -> None:
    told: list[tuple[int, State]] = [
        (one, side) for one, *sides in history.of_area(cx, "traits") for side in sides if isinstance(side, dict)
    ]
    # Evidence may have been told before it was known which memory says it.
    for _, side in told:
        evidence |= {key for key, row in side.get("evidence", {}).items() if row and row.get("memory_id") in memory_ids}
    # A trait may have been forgotten before: what nothing else ever spoke for goes as if it were still there.
    spoke: dict[int, set[str]] = {}
    for _, side in told:
        for key, row in side.get("evidence", {}).items():
            if row and "trait_id" in row:
                spoke.setdefault(row["trait_id"], set()).add(key)
    lost = {one for one, keys in spoke.items() if keys <= evidence}
    trait_ids = trait_ids | (lost - existing(cx, lost))
    traits = {str(one) for one in trait_ids}
    history.blank(
        cx,
        {
            one
            for one, side in told
            if evidence & side.get("evidence", {}).keys()
            or traits & side.get("traits", {}).keys()
            or any(row and row.get("trait_id") in trait_ids for row in side.get("names", {}).values())
        },
    )


def _ids(ids: Iterable[int]) -> Any:
    return apsw.carray(id_array(ids) or id_array((0,)))
