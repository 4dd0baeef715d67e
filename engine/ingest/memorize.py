"""memorize: THE write path. One transaction holds the memory, its passages, vectors, words, journal and history.

The vectors were made before, outside any lock; where they are missing the journal says so and the
background makes them later. Must not embed, wait or notify; ``service.py`` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from engine.errors import NotFound
from engine.forgetting.reinforcement import reinforce
from engine.index import lexical
from engine.ingest.draft import Prepared, lexical_row
from engine.storage import history, journal, memories, passages, vectors
from engine.storage.database import Connection
from engine.types import SENSITIVITIES, Actor, Memory, Outcome

# What a repeated telling can add to the memory that is there already.
_GROWING = ("tags", "topics", "participants", "key_facts", "external_ids")
# What it can fill in where the memory has nothing yet.
_FILLING = ("title", "compressed", "category", "mood", "sentiment", "source_agent", "source_text", "event_time")


@dataclass(frozen=True, slots=True)
class Stored:
    """What a write did: the memory as it stands, and the passages whose vectors came with it."""

    outcome: Outcome
    memory: Memory
    history_id: int
    new_passages: tuple[int, ...] = ()
    vector_pending: bool = False


def store(
    cx: Connection,
    prepared: Prepared,
    made: Sequence[np.ndarray] | None,
    space_id: int | None,
    actor: Actor,
    now: datetime,
) -> Stored:
    """Store ``prepared`` within the caller's transaction.

    ``made``: one unit vector [dim] a passage, or None when they follow later; ``space_id`` names their identity
    (None = no embedder, nothing will follow). The same text in the same scope reinforces what is there.
    """
    row = prepared.values
    same = memories.find_same(cx, row["content_key"], row["conversation_id"], row["persona_id"])
    if same is not None:
        return _reinforce(cx, same, row, actor, now)
    memory_id, passage_ids = _insert(cx, prepared)
    pending = space_id is not None and made is None
    if space_id is not None and made is not None:
        vectors.put(cx, space_id, list(zip(passage_ids, made, strict=True)))
    journal.open(cx, "memorize", memory_id, "committed" if pending else "done", now)
    memory = require(cx, memory_id)
    # Not the text: it is in the memory, and once that is edited, in the edit's ``before``.
    history_id = history.record(cx, now, actor, "created", memory_id, None, {})
    return Stored("stored", memory, history_id, () if pending else tuple(passage_ids), pending)


def require(cx: Connection, memory_id: int) -> Memory:
    """The memory, or ``NotFound``."""
    memory = memories.get(cx, memory_id)
    if memory is None:
        raise NotFound(kind="memory", id=memory_id)
    return memory


def _insert(cx: Connection, prepared: Prepared) -> tuple[int, list[int]]:
    row = dict(prepared.values)
    row["position"] = None
    if row["conversation_id"] is not None:
        row["position"] = memories.next_position(cx, row["conversation_id"], row["session_id"])
    memory_id = memories.insert(cx, row)
    passage_ids = passages.put(cx, memory_id, [(part.start, part.end) for part in prepared.passages])
    lexical.put(cx, memory_id, prepared.lexical)
    return memory_id, passage_ids


def _reinforce(cx: Connection, memory_id: int, row: Mapping[str, Any], actor: Actor, now: datetime) -> Stored:
    """The same was said again: what is new in it is added, nothing of the old is lost, and it grows stronger."""
    before = require(cx, memory_id)
    grown: dict[str, Any] = {}
    if not before.protected:
        for key in _GROWING:
            old = getattr(before, key)
            added = tuple(item for item in row[key] if item not in old)
            if added:
                grown[key] = old + added
        for key in _FILLING:
            if row[key] and not getattr(before, key):
                grown[key] = row[key]
        if row["importance"] > before.importance:
            grown["importance"] = row["importance"]
        if SENSITIVITIES.index(row["sensitivity"]) > SENSITIVITIES.index(before.sensitivity):
            grown["sensitivity"] = row["sensitivity"]
        if row["pinned"] and not before.pinned:
            grown["pinned"] = True
        new_extra = {key: value for key, value in row["extra"].items() if key not in before.extra}
        if new_extra:
            grown["extra"] = {**before.extra, **new_extra}
    if before.status in ("dormant", "archived"):
        grown["status"] = "active"
    if grown:
        memories.update(cx, memory_id, {**grown, "updated_at": now})
    reinforce(cx, [memory_id], now, recalled=False)
    memory = require(cx, memory_id)
    if grown:
        lexical.put(cx, memory_id, lexical_row(fields_of(memory)))
    journal.open(cx, "reinforce", memory_id, "done", now)
    previous = {key: getattr(before, key) for key in grown}
    history_id = history.record(cx, now, actor, "reinforced", memory_id, previous, grown)
    return Stored("reinforced", memory, history_id)


def fields_of(memory: Memory) -> dict[str, Any]:
    """A memory's own fields as a mapping (shallow; slots have no ``__dict__``)."""
    return {name: getattr(memory, name) for name in Memory.__dataclass_fields__}
