"""Filters as SQL over the table ``memories``: who may be seen, in one place for lists, counts and search.

Must not rank, sort or fetch. No condition here ever costs recall: search asks ``restrict`` about all it found.
"""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Iterable, Sequence
from typing import Any

import apsw

from engine import clock
from engine.types import ALL_SCOPES, Filters, Sensitivity

_INT64 = 1 << 63
# Half of all memories or more carry these, so that an index on status would only mislead the planner.
_USUAL_STATUS = "active"


def tag_key(tag: str) -> str:
    """A tag as it is compared: width and case do not count, nor does white space around it."""
    return unicodedata.normalize("NFKC", tag).strip().casefold()


def id_array(ids: Iterable[int]) -> array[int]:
    """``ids`` as an array to bind with ``apsw.carray`` (which takes no empty one); what no id can be is left out."""
    return array("q", (number for number in ids if -_INT64 <= number < _INT64))


def where(filters: Filters, alias: str = "m") -> tuple[str, list[Any]]:
    """(condition, its parameters) over table ``memories`` under the name ``alias``; "1" where nothing is filtered.

    ``scope`` None = user-wide memories only, a conversation = its own and the user-wide, "all" = every one;
    ``persona_id`` None or "all" filters nothing, a persona = its own and those of no persona.
    """
    parts: list[str] = []
    values: list[Any] = []

    def any_of(column: str, allowed: Sequence[str], plus: str = "") -> None:
        if allowed:
            parts.append(f"{plus}{alias}.{column} IN ({', '.join('?' * len(allowed))})")
            values.extend(allowed)

    # A unary + keeps the planner from an index that would not narrow anything (it has no statistics).
    any_of("status", filters.statuses, "+" if _USUAL_STATUS in filters.statuses else "")
    if filters.scope is None:
        parts.append(f"+{alias}.conversation_id IS NULL")
    elif filters.scope != ALL_SCOPES:
        parts.append(f"(+{alias}.conversation_id IS NULL OR +{alias}.conversation_id = ?)")
        values.append(filters.scope)
    if filters.persona_id not in (None, ALL_SCOPES):
        parts.append(f"({alias}.persona_id IS NULL OR {alias}.persona_id = ?)")
        values.append(filters.persona_id)
    any_of("layer", filters.layers)
    any_of("category", filters.categories)
    any_of("sensitivity", filters.sensitivities)
    any_of("source_client", filters.clients)
    for key in dict.fromkeys(tag_key(tag) for tag in filters.tags):
        parts.append(f"{alias}.id IN (SELECT memory_id FROM memory_tags WHERE tag = ?)")
        values.append(key)
    if filters.since is not None:
        parts.append(f"{alias}.occurred_at >= ?")
        values.append(clock.to_text(filters.since))
    if filters.until is not None:
        parts.append(f"{alias}.occurred_at < ?")
        values.append(clock.to_text(filters.until))
    if filters.pinned is not None:
        parts.append(f"{alias}.pinned = ?")
        values.append(int(filters.pinned))
    return " AND ".join(parts) or "1", values


def restrict(cx: apsw.Connection, ids: Iterable[int], filters: Filters) -> set[int]:
    """Which of ``ids`` exist and pass ``filters``."""
    wanted = id_array(ids)
    if not wanted:
        return set()
    condition, values = where(filters)
    # CROSS JOIN fixes the order: look up the few ids, never walk the memories that pass.
    sql = f"SELECT m.id FROM carray(?) AS c CROSS JOIN memories AS m ON m.id = c.value WHERE {condition}"
    return {row[0] for row in cx.execute(sql, (apsw.carray(wanted), *values))}


def of_sensitivity(cx: apsw.Connection, ids: Iterable[int], levels: Sequence[Sensitivity]) -> set[int]:
    """Which of ``ids`` are of one of these ``levels``."""
    wanted = id_array(ids)
    if not wanted or not levels:
        return set()
    sql = (
        "SELECT m.id FROM carray(?) AS c CROSS JOIN memories AS m ON m.id = c.value "
        f"WHERE m.sensitivity IN ({', '.join('?' * len(levels))})"
    )
    return {row[0] for row in cx.execute(sql, (apsw.carray(wanted), *levels))}
