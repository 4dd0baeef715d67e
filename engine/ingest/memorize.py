"""memorize: THE write path. One transaction holds the memory and all that is derived from it, journal and history.

A text that is known reinforces what is there; one that says the same in other words is merged into it; a newer state
or fact replaces the older, which stays and can be brought back. Vectors were made before, outside any lock; where they
are missing the journal says so and the background makes them. Must not embed, wait or notify; ``service.py`` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from engine.forgetting.reinforcement import reinforce
from engine.index import lexical
from engine.index.space import VectorSpace
from engine.ingest import atoms, context_passages, derive, likeness
from engine.ingest.context import Context
from engine.ingest.draft import Prepared, classified, derived, lexical_row, summary_of
from engine.ingest.duplicates import Judge, Near, Verdict
from engine.storage import columns, history, journal, memories, passages, vectors
from engine.storage.database import Connection
from engine.storage.memories import require
from engine.text import passages as splitting
from engine.types import SENSITIVITIES, Actor, Memory, Outcome

# What a repeated telling can add to the memory that is there already.
_GROWING = (
    "tags", "topics", "participants", "key_facts", "external_ids", "entities", "related", "effective_methods",
    "modalities", "sources",
)  # fmt: skip
# What it can fill in where the memory has nothing yet.
_FILLING = (
    "title", "compressed", "category", "mood", "sentiment", "source_agent", "source_text", "event_time", "valid_from",
    "valid_to", "context", "persona_summary", "why", "trigger", "trigger_name", "trigger_text", "topic_path",
)  # fmt: skip
_OBJECTS = ("extra", "tone", "residual", "created_context", "updated_context")
# The history field that holds, for an undo, the draft that went into another memory.
TOLD = "told"
_ANOTHER_DAY = timedelta(days=1)
BY_RULE = Actor("rule", "change")


@dataclass(frozen=True, slots=True)
class Stored:
    """What a write did: the memory as it stands, the passages whose vectors came with it, and what is gone.

    ``woken``: it was at rest.
    """

    outcome: Outcome
    memory: Memory
    history_ids: tuple[int, ...]
    new_passages: tuple[int, ...] = ()
    gone_passages: tuple[int, ...] = ()
    gone_entries: tuple[int, ...] = ()
    replaced: tuple[int, ...] = field(default_factory=tuple)
    vector_pending: bool = False
    woken: bool = False


@dataclass(frozen=True, slots=True)
class Ready:
    """A prepared draft on its way to the writer, with the vectors ``made`` in ``space`` and what a look found."""

    prepared: Prepared
    made: Sequence[np.ndarray] | None
    space: VectorSpace | None
    near: Near
    actor: Actor
    # Written with the memory, whose id it gets; see ``engine/access.py``.
    also: Callable[[Connection, Context, int], None] | None = None


def take(cx: Connection, ready: Ready, judge: Judge, context: Context) -> Stored:
    """Store a draft as what it is to what is known by now, within the caller's transaction."""
    same = find_same(cx, ready.prepared.values)
    if same is not None:
        return reinforce_same(cx, same, _as_decided(cx, same, ready.prepared), context)
    return store(
        cx, ready.prepared.with_surprise(ready.near.surprise), ready.made, judge.verdict(cx, ready.near), context
    )


def _as_decided(cx: Connection, memory_id: int, prepared: Prepared) -> Mapping[str, Any]:
    """The row of a draft that repeats a memory. Where a person decided how sensitive that is, a secret that was
    noticed in the same text again does not overrule it.
    """
    row = prepared.values
    if row["sensitivity"] == prepared.told_sensitivity or not history.decided_by_people(cx, memory_id, "sensitivity"):
        return row
    return {**row, "sensitivity": prepared.told_sensitivity}


def store(
    cx: Connection, prepared: Prepared, made: Sequence[np.ndarray] | None, verdict: Verdict, context: Context
) -> Stored:
    """Store ``prepared`` within the caller's transaction; ``made``: one unit vector [dim] a passage, or None."""
    if verdict.kind == "same":
        return _merge(cx, verdict.memories[0], prepared, made, context)
    if verdict.kind == "update":
        stored = insert(cx, prepared.in_place_of(verdict.memories), made, context)
        return _supersede(cx, verdict.memories, stored, context)
    return insert(cx, prepared, made, context)


def find_same(cx: Connection, row: Mapping[str, Any]) -> int | None:
    """The memory that says exactly this in this scope; what happened on another day is another memory."""
    digest = (row.get("digest_level", 0), row.get("digest_period", ""))
    found = memories.find_same(cx, row["content_key"], row["conversation_id"], row["persona_id"], digest=digest)
    told = row["event_time"]
    for memory_id, known in found:
        if told is None or known is None or abs(told - known) < _ANOTHER_DAY:
            return memory_id
    return None


def insert(cx: Connection, prepared: Prepared, made: Sequence[np.ndarray] | None, context: Context) -> Stored:
    """A memory of its own."""
    row = dict(prepared.values)
    row["position"] = None
    if row["conversation_id"] is not None:
        row["position"] = memories.next_position(cx, row["conversation_id"], row["session_id"])
    memory_id = memories.insert(cx, row)
    passage_ids = passages.put(cx, memory_id, [(part.start, part.end) for part in prepared.passages])
    lexical.put(cx, memory_id, prepared.lexical)
    memory = require(cx, memory_id)
    derive.follow(cx, memory, prepared.facts, context)
    kept = _put_vectors(cx, passage_ids, made, context)
    pending = context.space_id is not None and not kept
    journal.open(cx, "memorize", memory_id, "committed" if pending else "done", context.now)
    # Not the text: it is in the memory, and once that is edited, in the edit's ``before``.
    history_id = history.record(cx, context.now, context.actor, "created", memory_id, None, {})
    if memory.position:
        context_passages.follow(cx, [memory_id], context)
    return Stored("stored", memory, (history_id,), kept, vector_pending=pending)


def reinforce_same(cx: Connection, memory_id: int, row: Mapping[str, Any], context: Context) -> Stored:
    """The same was said again: what is new in it is added, nothing of the old is lost, and it grows stronger."""
    before = require(cx, memory_id)
    grown = _grown(before, row)
    atoms.retold(cx, memory_id, context.now)
    gone = _grow(cx, before, grown, context)
    reinforce(cx, [memory_id], context.now, recalled=False)
    journal.open(cx, "reinforce", memory_id, "done", context.now)
    previous = {key: getattr(before, key) for key in grown}
    # A telling that brought anything is kept whole: what it says otherwise is in history at least.
    after = {**grown, TOLD: columns.dump(row)} if _differs(before, row) else grown
    history_id = history.record(cx, context.now, context.actor, "reinforced", memory_id, previous, after)
    return Stored("reinforced", require(cx, memory_id), (history_id,), gone_entries=gone, woken="status" in grown)


def untold(cx: Connection, told: str, context: Context) -> Stored:
    """A draft that had been merged becomes a memory of its own after all. ``told``: the text that history kept."""
    row = columns.load(told)
    content = str(row["content"])
    found = classified(content, row["key_facts"], row["created_at"], context.zone)
    parts = tuple(splitting.split(content))
    return insert(cx, Prepared(row, parts, lexical_row(row), found), None, context)


def _merge(
    cx: Connection, before: Memory, prepared: Prepared, made: Sequence[np.ndarray] | None, context: Context
) -> Stored:
    """Near-same: the memory keeps its place and says all of both; the draft as it came stays in history."""
    row = prepared.values
    grown = _grown(before, row)
    text = likeness.joined(before.content, str(row["content"]), context.readings.segmenter)
    if text != before.content:
        grown["content"] = text
        if before.summary == summary_of(before.content):
            grown["summary"] = summary_of(text)
    atoms.retold(cx, before.id, context.now)
    gone_entries = _grow(cx, before, grown, context)
    gone: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()
    pending = False
    if "content" in grown:
        same_text = text == row["content"]
        gone, kept, pending = replace_passages(cx, require(cx, before.id), made if same_text else None, context)
    reinforce(cx, [before.id], context.now, recalled=False)
    journal.open(cx, "merge", before.id, "committed" if pending else "done", context.now)
    previous = {key: getattr(before, key) for key in grown}
    after = {**grown, TOLD: columns.dump(row)}
    history_id = history.record(cx, context.now, context.actor, "merged", before.id, previous, after)
    memory = require(cx, before.id)
    return Stored("merged", memory, (history_id,), kept, gone, gone_entries, vector_pending=pending)


def _supersede(cx: Connection, replaced: Sequence[Memory], stored: Stored, context: Context) -> Stored:
    """The older states end where the new one begins; they stay, out of a plain recall, and can be brought back."""
    new = stored.memory
    history_ids = [*stored.history_ids, *supersede(cx, replaced, new, BY_RULE, context)]
    if new.valid_from is None:
        memories.update(cx, new.id, {"valid_from": begins(new, context.now)})
    ids = tuple(old.id for old in replaced)
    return replace(
        stored, outcome="superseded", memory=require(cx, new.id), history_ids=tuple(history_ids), replaced=ids
    )


def begins(new: Memory, now: datetime) -> datetime:
    """From when on a memory holds."""
    return new.valid_from or (new.event_time if new.event_time and new.event_time <= now else new.created_at)


def supersede(cx: Connection, replaced: Sequence[Memory], new: Memory, actor: Actor, context: Context) -> list[int]:
    """End what ``new`` replaces where it begins; a history row each."""
    begin = begins(new, context.now)
    done: list[int] = []
    for old in replaced:
        values = {"status": "superseded", "superseded_by": new.id, "valid_to": old.valid_to or begin}
        done.append(set_fields(cx, old, values, "superseded", actor, context))
    return done


def merge_stored(cx: Connection, before: Memory, told: Memory, context: Context) -> Stored:
    """As if ``told``, which was stored as a memory of its own, had gone into ``before`` when it came. What becomes of
    ``told`` itself is the caller's work."""
    row = {**memories.fields_of(told), **derived(told.content)}
    return _merge(cx, before, Prepared(row, (), ""), None, context)


def set_fields(
    cx: Connection, memory: Memory, values: Mapping[str, Any], action: str, actor: Actor, context: Context
) -> int:
    """Set fields that no text depends on, with a history row; returns its id. Atoms follow the status."""
    memories.update(cx, memory.id, {**values, "updated_at": context.now})
    if "status" in values:
        derive.follow_status(cx, [memory.id], context)
    previous = {key: getattr(memory, key) for key in values}
    return history.record(cx, context.now, actor, action, memory.id, previous, values)


def replace_passages(
    cx: Connection, memory: Memory, made: Sequence[np.ndarray] | None, context: Context
) -> tuple[tuple[int, ...], tuple[int, ...], bool]:
    """New passages for a new text: (those that are gone, those whose vectors ``made`` holds, whether vectors are owed).

    An old vector would lie, so it goes at once, and with it that of the turn after this one.
    """
    gone, around = context_passages.holding(cx, [memory.id]), context_passages.around(cx, [memory.id])
    passages.delete_of(cx, [memory.id])
    new = passages.put(cx, memory.id, [(part.start, part.end) for part in splitting.split(memory.content)])
    kept = _put_vectors(cx, new, made, context)
    gone += context_passages.follow(cx, around, context)
    return gone, kept, context.space_id is not None and not kept


def _put_vectors(
    cx: Connection, passage_ids: Sequence[int], made: Sequence[np.ndarray] | None, context: Context
) -> tuple[int, ...]:
    """Store the vectors ``made``; the passages that have one now."""
    if not context.space_id or made is None:
        return ()
    vectors.put(cx, context.space_id, list(zip(passage_ids, made, strict=True)))
    return tuple(passage_ids)


def _grown(before: Memory, row: Mapping[str, Any]) -> dict[str, Any]:
    """What a telling adds to a memory: nothing that is there is changed but for the better."""
    grown: dict[str, Any] = {}
    if not before.protected:
        for key in _GROWING:
            old, told = getattr(before, key), row.get(key, ())
            added = tuple(item for item in told if item not in old)
            if added:
                grown[key] = old + added
        for key in _FILLING:
            if row.get(key) and not getattr(before, key):
                grown[key] = row[key]
        for key in _OBJECTS:
            known = getattr(before, key)
            new = {name: value for name, value in row.get(key, {}).items() if name not in known}
            if new:
                grown[key] = {**known, **new}
        for key in ("importance", "emotion_intensity"):
            if row[key] > getattr(before, key):
                grown[key] = row[key]
        if row["valence"] and not before.valence:
            grown["valence"] = row["valence"]
        if SENSITIVITIES.index(row["sensitivity"]) > SENSITIVITIES.index(before.sensitivity):
            grown["sensitivity"] = row["sensitivity"]
        if row["pinned"] and not before.pinned:
            grown["pinned"] = True
    if before.status in ("dormant", "archived"):
        grown["status"] = "active"
    return grown


def _differs(before: Memory, row: Mapping[str, Any]) -> bool:
    """Whether a telling gave something that the memory does not hold."""
    single = (*_FILLING, "emotion_intensity", "valence")
    if any(row.get(key) and row[key] != getattr(before, key) for key in single):
        return True
    return any(row.get(key, {}).keys() and dict(row[key]) != dict(getattr(before, key)) for key in _OBJECTS)


def _grow(cx: Connection, before: Memory, grown: dict[str, Any], context: Context) -> tuple[int, ...]:
    """Write what grew and let words, atoms and graph follow; returns the entries that are gone."""
    if not grown:
        return ()
    row = {**grown, **(derived(grown["content"]) if "content" in grown else {})}
    memories.update(cx, before.id, {**row, "updated_at": context.now})
    memory = require(cx, before.id)
    for key in grown.keys() & {"related"}:
        grown[key] = getattr(memory, key)  # links to nothing are not kept
    return derive.changed(cx, memory, grown.keys(), context)
