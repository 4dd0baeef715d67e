"""Memories, their vitality and their tags: write, read, list, count.

With ``vitality.py`` (what a day of forgetting does) the only SQL that writes these tables.

Every function works on the caller's connection and transaction. Must not touch words, passages, journal or
history (the write path does), nor check values (``ingest/draft.py`` does).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import apsw

from engine import clock
from engine.errors import NotFound
from engine.storage import columns, cursors, digests
from engine.storage.selection import id_array, tag_key, where
from engine.types import FINDABLE, SENSITIVITIES, Filters, Listing, Memory, Page, Sensitivity, Sort

_COLUMNS = (*columns.MEMORY, *columns.DERIVED)
_INSERT = (
    f"INSERT INTO memories ({', '.join(_COLUMNS)}, details, occurred_at) "
    f"VALUES ({', '.join(f':{name}' for name in _COLUMNS)}, :details, coalesce(:event_time, :created_at)) RETURNING id"
)
_INSERT_VITALITY = (
    "INSERT INTO vitality (memory_id, strength, last_accessed_at, access_count, recall_count) VALUES (?, ?, ?, ?, ?)"
)
_JOINED = "memories AS m JOIN vitality AS v ON v.memory_id = m.id"
_GET_MANY = (
    f"SELECT {columns.SELECTED} FROM carray(?) AS c "
    "CROSS JOIN memories AS m ON m.id = c.value CROSS JOIN vitality AS v ON v.memory_id = m.id"
)
# What is to be told of anew: a memory that nobody finds must not swallow it.
_GONE = ("trashed", "superseded", "expired", "pending")
_OPTIONAL = frozenset({"superseded_by", "surprise", "valid_from", "valid_to"})


def insert(cx: apsw.Connection, draft_values: Mapping[str, Any]) -> int:
    """Store a new memory; returns its id.

    ``draft_values``: every field of a Memory but ``id``, plus ``content_key`` and ``script``. The vitality
    fields may be missing: strength starts equal to importance, nothing was accessed yet. So may what only some
    memories have (``columns.DETAILS``, ``related``, ``superseded_by``, ``surprise``).
    """
    row = {name: columns.encode(name, draft_values.get(name) if name in _OPTIONAL else draft_values[name])
           for name in _COLUMNS}  # fmt: skip
    row["details"] = columns.details_json(draft_values)
    memory_id = int(cx.execute(_INSERT, row).get)
    vitality = (
        memory_id,
        float(draft_values.get("strength", draft_values["importance"])),
        columns.encode("last_accessed_at", draft_values.get("last_accessed_at")),
        float(draft_values.get("access_count", 0.0)),
        int(draft_values.get("recall_count", 0)),
    )
    cx.execute(_INSERT_VITALITY, vitality)
    _add_tags(cx, memory_id, draft_values["tags"])
    _add_links(cx, memory_id, draft_values.get("related", ()))
    if draft_values.get("digest_level"):
        digests.follow(cx, memory_id)
    return memory_id


def fields_of(memory: Memory) -> dict[str, Any]:
    """A memory's own fields as a mapping (shallow; slots have no ``__dict__``)."""
    return {name: getattr(memory, name) for name in Memory.__dataclass_fields__}


def require(cx: apsw.Connection, memory_id: int) -> Memory:
    """The memory, or ``NotFound``."""
    memory = get(cx, memory_id)
    if memory is None:
        raise NotFound(kind="memory", id=memory_id)
    return memory


def get(cx: apsw.Connection, memory_id: int) -> Memory | None:
    """The memory, whatever its status, or None."""
    return get_many(cx, (memory_id,)).get(memory_id)


def get_many(cx: apsw.Connection, ids: Iterable[int]) -> dict[int, Memory]:
    """The memories of ``ids`` that exist, in one query; repeats count once."""
    wanted = id_array(ids)
    if not wanted:
        return {}
    rows = cx.execute(_GET_MANY, (apsw.carray(wanted),))
    return {row[0]: columns.memory_from(row) for row in rows}


def update(cx: apsw.Connection, memory_id: int, values: Mapping[str, Any]) -> None:
    """Set fields of a Memory, vitality ones and ``content_key``/``script`` included; an empty mapping changes nothing.

    Errors: ``NotFound``; ``ValueError`` for what is no field or may never change (id).
    """
    own_names = columns.MEMORY.keys() | columns.DERIVED.keys()
    unknown = values.keys() - own_names - columns.VITALITY.keys() - columns.DETAILS.keys() - {"related"}
    if unknown:
        raise ValueError(f"not columns of a memory: {sorted(unknown)}")
    row = {name: columns.encode(name, values[name]) for name in values if name not in columns.DETAILS}
    row["memory_id"] = memory_id
    own = [f"{name} = :{name}" for name in values if name in own_names]
    own += _detail_assignments(values, row)
    vital = [f"{name} = :{name}" for name in values if name in columns.VITALITY]
    if values.keys() & {"event_time", "created_at"}:
        event_time, created_at = (f":{name}" if name in values else name for name in ("event_time", "created_at"))
        own.append(f"occurred_at = coalesce({event_time}, {created_at})")
    for table, key, assignments in (("memories", "id", own), ("vitality", "memory_id", vital)):
        if assignments:
            cx.execute(f"UPDATE {table} SET {', '.join(assignments)} WHERE {key} = :memory_id", row)
            if not cx.changes():
                raise NotFound(kind="memory", id=memory_id)
    if "tags" in values:
        cx.execute("DELETE FROM memory_tags WHERE memory_id = ?", (memory_id,))
        _add_tags(cx, memory_id, values["tags"])
    if "related" in values:
        cx.execute("DELETE FROM links WHERE memory_id = ?", (memory_id,))
        _add_links(cx, memory_id, values["related"])
    if values.keys() & digests.FIELDS:
        digests.follow(cx, memory_id)


def _detail_assignments(values: Mapping[str, Any], row: dict[str, Any]) -> list[str]:
    """The assignment of ``details`` for the detail fields among ``values``; its parameters go into ``row``."""
    expression = "details"
    for at, (path, text) in enumerate(columns.detail_changes(values)):
        if text is None:
            expression = f"json_remove({expression}, '{path}')"
        else:
            row[f"detail{at}"] = text
            expression = f"json_set({expression}, '{path}', json(:detail{at}))"
    return [] if expression == "details" else [f"details = {expression}"]


def replaced_by(cx: apsw.Connection, memory_id: int) -> list[int]:
    """The memories that ``memory_id`` replaced, ascending, whatever their status."""
    rows: list[Any] = cx.execute("SELECT id FROM memories WHERE superseded_by = ? ORDER BY id", (memory_id,)).fetchall()
    return [row[0] for row in rows]


def delete(cx: apsw.Connection, ids: Iterable[int]) -> None:
    """Erase memories with their vitality, tags, passages, vectors and journal. Words and history are not touched."""
    wanted = id_array(ids)
    if wanted:
        cx.execute("DELETE FROM memories WHERE id IN (SELECT value FROM carray(?))", (apsw.carray(wanted),))


def reinforce(cx: apsw.Connection, ids: Iterable[int], at: datetime, *, recalled: bool) -> None:
    """Count one use of each memory at ``at``; ``recalled`` tells a recall from a repeated telling."""
    wanted = id_array(ids)
    if wanted:
        cx.execute(
            "UPDATE vitality SET last_accessed_at = ?, access_count = access_count + 1, "
            "recall_count = recall_count + ? WHERE memory_id IN (SELECT value FROM carray(?))",
            (clock.to_text(at), int(recalled), apsw.carray(wanted)),
        )


def find_same(
    cx: apsw.Connection, content_key: str, conversation_id: str | None, persona_id: str | None, limit: int = 50,
    digest: tuple[int, str] = (0, ""),
) -> list[tuple[int, datetime | None]]:  # fmt: skip
    """(id, when it happened) of the memories of exactly this scope that say the same, the oldest first; not those in
    the trash, superseded, expired or pending.

    ``digest``: (level, period); two periods of which the same is to be said have a digest each.
    """
    rows = cx.execute(
        "SELECT m.id, m.event_time FROM memories AS m LEFT JOIN digests AS d ON d.memory_id = m.id "
        "WHERE m.content_key = ? AND +m.conversation_id IS ? AND m.persona_id IS ? "
        "AND coalesce(d.level, 0) = ? AND (d.level IS NULL OR d.period = ?) "
        f"AND +m.status NOT IN ({', '.join('?' * len(_GONE))}) ORDER BY m.id LIMIT ?",
        (content_key, conversation_id, persona_id, *digest, *_GONE, limit),
    )
    return [(memory_id, None if moment is None else clock.from_text(moment)) for memory_id, moment in rows]


def id_of_uid(cx: apsw.Connection, uid: str) -> int | None:
    """The memory of this ULID, whatever its status, or None."""
    found: int | None = cx.execute("SELECT id FROM memories WHERE uid = ?", (uid,)).get
    return found


def newest(cx: apsw.Connection) -> int:
    """The highest id there is; 0 in an empty store."""
    return int(cx.execute("SELECT coalesce(max(id), 0) FROM memories").get)


def newer(cx: apsw.Connection, memory_id: int, limit: int) -> list[int]:
    """The ids above ``memory_id``, the newest first."""
    rows: list[Any] = cx.execute(
        "SELECT id FROM memories WHERE id > ? ORDER BY id DESC LIMIT ?", (memory_id, limit)
    ).fetchall()
    return [row[0] for row in rows]


def next_position(cx: apsw.Connection, conversation_id: str, session_id: str | None) -> int:
    """The place of the next memory within (conversation, session); the first is 0."""
    return int(
        cx.execute(
            "SELECT coalesce(max(position) + 1, 0) FROM memories WHERE conversation_id = ? AND session_id IS ?",
            (conversation_id, session_id),
        ).get
    )


def list_ids(cx: apsw.Connection, filters: Filters, sort: Sort) -> list[int]:
    """The ids of all memories that pass ``filters``, in order."""
    order = cursors.ORDERS[sort]
    condition, values = where(filters)
    sql = f"SELECT m.id FROM {_source(sort)} WHERE {condition} ORDER BY {order.clause}"
    return [row[0] for row in cx.execute(sql, values)]


def page(cx: apsw.Connection, listing: Listing) -> Page:
    """One page of a list. Rows that come or go between pages never make it skip or repeat another.

    Errors: ``InvalidArgument`` for field "cursor" (malformed, or of another sort).
    """
    order = cursors.ORDERS[listing.sort]
    condition, values = where(listing.filters)
    total = count(cx, listing.filters)
    if listing.cursor is not None:
        after = cursors.read(listing.cursor, listing.sort)
        condition = f"{condition} AND {order.after}"
        values.extend(after)
    rows: list[Any] = cx.execute(
        f"SELECT m.id, {order.key} FROM {_source(listing.sort)} WHERE {condition} ORDER BY {order.clause} LIMIT ?",
        (*values, listing.limit + 1),
    ).fetchall()
    shown = rows[: listing.limit]
    found = get_many(cx, (row[0] for row in shown))
    more = len(rows) > len(shown) > 0
    next_cursor = cursors.write(listing.sort, shown[-1][1], shown[-1][0]) if more else None
    return Page(tuple(found[row[0]] for row in shown), next_cursor, total)


def count(cx: apsw.Connection, filters: Filters) -> int:
    """How many memories pass ``filters``."""
    condition, values = where(filters)
    return int(cx.execute(f"SELECT count(*) FROM memories AS m WHERE {condition}", values).get)


def count_sensitive(cx: apsw.Connection, filters: Filters, levels: Iterable[Sensitivity]) -> int:
    """How many memories of these ``levels`` pass ``filters``; with an index where few are, as it is for "high"."""
    condition, values = where(filters)
    # A literal, for only that lets SQLite take the partial index.
    sql = "SELECT count(*) FROM memories AS m WHERE m.sensitivity = '{level}' AND {condition}"
    known = [one for one in SENSITIVITIES if one in set(levels)]
    return sum(int(cx.execute(sql.format(level=one, condition=condition), values).get) for one in known)


def count_by_status(cx: apsw.Connection) -> dict[str, int]:
    """Memories by status; a status nobody has is missing."""
    rows: list[Any] = cx.execute("SELECT status, count(*) FROM memories GROUP BY status").fetchall()
    return dict(rows)


def count_by_layer(cx: apsw.Connection) -> dict[str, int]:
    """Findable memories by layer; a layer nobody has is missing."""
    return _counted(cx, "layer")


def facets(cx: apsw.Connection) -> dict[str, dict[str, int]]:
    """What the findable memories can be filtered by: "layers", "categories", "tags", "conversations", "clients".

    Each maps a value to the number of memories, the most frequent first; empty values are left out.
    Tags that differ only in case or width are one, shown in one of their spellings.
    """
    tags: list[Any] = cx.execute(
        "SELECT min(t.label), count(*) AS n FROM memory_tags AS t CROSS JOIN memories AS m ON m.id = t.memory_id "
        f"WHERE {_FINDABLE} GROUP BY t.tag ORDER BY n DESC, t.tag",
        FINDABLE,
    ).fetchall()
    return {
        "layers": _counted(cx, "layer"),
        "categories": _counted(cx, "category"),
        "tags": dict(tags),
        "conversations": _counted(cx, "conversation_id"),
        "clients": _counted(cx, "source_client"),
    }


_FINDABLE = f"+m.status IN ({', '.join('?' * len(FINDABLE))})"


def _counted(cx: apsw.Connection, column: str) -> dict[str, int]:
    rows: list[Any] = cx.execute(
        f"SELECT m.{column} AS name, count(*) AS n FROM memories AS m WHERE {_FINDABLE} AND name <> '' "
        "GROUP BY name ORDER BY n DESC, name",
        FINDABLE,
    ).fetchall()
    return dict(rows)


def _source(sort: Sort) -> str:
    return _JOINED if sort == "strength" else "memories AS m"


def _add_links(cx: apsw.Connection, memory_id: int, related: Iterable[int]) -> None:
    """Links to memories that exist; a link to itself or to nothing says nothing."""
    wanted = id_array(one for one in related if one != memory_id)
    if wanted:
        cx.execute(
            "INSERT OR IGNORE INTO links (memory_id, related_id) "
            "SELECT ?, m.id FROM carray(?) AS c CROSS JOIN memories AS m ON m.id = c.value",
            (memory_id, apsw.carray(wanted)),
        )


def _add_tags(cx: apsw.Connection, memory_id: int, tags: Iterable[str]) -> None:
    labels: dict[str, str] = {}
    for tag in tags:
        labels.setdefault(tag_key(tag), tag)
    cx.executemany(
        "INSERT INTO memory_tags (memory_id, tag, label) VALUES (?, ?, ?)",
        [(memory_id, key, label) for key, label in labels.items() if key],
    )
