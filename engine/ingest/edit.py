"""Changes to a memory that exists: edit, trash, restore, erase, and the undo of any of them.

Each runs in the caller's transaction and keeps rows, passages, words, atoms, graph, journal and history equal. An
edited text loses its vectors at once (they would lie) and gets new ones from the background. Must not embed or notify.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import Conflict, InvalidArgument, NotFound, Protected
from engine.ingest import context_passages, derive, succession
from engine.ingest.context import Context
from engine.ingest.draft import derived, summary_of
from engine.ingest.memorize import TOLD, replace_passages, untold
from engine.storage import aliases, candidates, columns, digests, history, journal, memories, traits
from engine.storage.database import Connection
from engine.storage.memories import fields_of, require
from engine.types import FINDABLE, Actor, Memory


@dataclass(frozen=True, slots=True)
class Edited:
    """The memory as it now stands and its history row (None: nothing was different).

    ``fields``: which of the asked-for fields changed; ``gone_*``: passages and entries that are gone; ``also``: other
    memories that changed with it, each with its history row; ``created``: a memory that came (back) into being.
    """

    memory: Memory
    history_id: int | None
    fields: tuple[str, ...] = ()
    gone_passages: tuple[int, ...] = ()
    gone_entries: tuple[int, ...] = ()
    also: tuple[tuple[int, int], ...] = ()
    created: int | None = None


@dataclass(frozen=True, slots=True)
class Erased:
    """What went with erased memories, and the memories that came back since what had replaced them is gone."""

    passages: tuple[int, ...]
    entries: tuple[int, ...]
    also: tuple[tuple[int, int], ...]


def apply(
    cx: Connection, memory_id: int, values: Mapping[str, Any], context: Context, *, action: str = "edited",
    undoes: int | None = None,
) -> Edited:  # fmt: skip
    """Set checked ``values`` (see ``fields.check``).

    Errors: ``NotFound``; ``Protected`` when a client or rule touches a protected memory.
    """
    before = require(cx, memory_id)
    refuse_protected(before, context.actor)
    changed = {key: value for key, value in values.items() if getattr(before, key) != value}
    if before.status == "superseded" and changed.get("status") in FINDABLE and "superseded_by" not in values:
        # Brought back: it holds again.
        changed |= {key: None for key in ("superseded_by", "valid_to") if getattr(before, key) is not None}
    if not changed:
        return Edited(before, None)
    row = dict(changed)
    if "content" in changed:
        row.update(derived(changed["content"]))
        if "summary" not in changed and before.summary == summary_of(before.content):
            # The line was made from the old text, so it follows the new one.
            row["summary"] = changed["summary"] = summary_of(changed["content"])
    stood_beside = context_passages.around(cx, [memory_id]) if changed.keys() & context_passages.PLACING else set[int]()
    memories.update(cx, memory_id, {**row, "updated_at": context.now})
    after = require(cx, memory_id)
    if after.valid_from and after.valid_to and after.valid_to < after.valid_from:
        raise InvalidArgument(field="valid_to", reason="ends_before_start")
    if "related" in changed:
        changed["related"] = after.related  # links to nothing are not kept
        if after.related == before.related:
            del changed["related"]
    gone: tuple[int, ...] = ()
    if "content" in changed:
        gone, _, owed = replace_passages(cx, after, None, context)
        journal.open(cx, "edit", memory_id, "committed" if owed else "done", context.now)
    if changed.keys() & context_passages.PLACING:
        gone += context_passages.follow(cx, {memory_id, *stood_beside}, context)
    gone_entries = derive.changed(cx, after, changed.keys(), context)
    also = _follow_status(cx, before, after, context) if "status" in changed else ()
    if changed.keys() & {"status", "digest_level", "digest_period", "conversation_id"}:
        also += _sole_digest(cx, after, context)
    if not changed:
        return Edited(after, None)
    previous = {key: getattr(before, key) for key in changed}
    history_id = history.record(cx, context.now, context.actor, action, memory_id, previous, changed, undoes=undoes)
    return Edited(after, history_id, tuple(key for key in changed if key in values), gone, gone_entries, also)


def refuse_protected(memory: Memory, actor: Actor) -> None:
    """People may change a protected memory in the windows and by command; tools and rules may not."""
    if memory.protected and actor.kind in ("client", "rule"):
        raise Protected(id=memory.id)


def restore(cx: Connection, memory_id: int, context: Context) -> Edited:
    """Out of the trash, back to the status it had before; what nothing replaces any more becomes active.

    Not in the trash: nothing happens.
    """
    memory = require(cx, memory_id)
    if memory.status != "trashed":
        return Edited(memory, None)
    previous = "active"
    for entry in history.of(cx, memory_id, 50):
        if entry.after and entry.after.get("status") == "trashed" and entry.before:
            previous = str(entry.before.get("status", "active"))
            break
    if previous == "superseded" and not succession.held(cx, memory.superseded_by):
        previous = "active"
    return apply(cx, memory_id, {"status": previous}, context, action="restored")


def erase(cx: Connection, ids: Sequence[int], context: Context) -> Erased:
    """Remove memories for good, their text in history included.

    A history row stays that says who erased which id and when, without content.
    """
    ids = tuple(dict.fromkeys(ids))
    found = memories.get_many(cx, ids)
    for memory_id in ids:
        if memory_id not in found:
            raise NotFound(kind="memory", id=memory_id)
        refuse_protected(found[memory_id], context.actor)
    also = succession.leave(cx, found, context)
    named = aliases.of_memories(cx, ids)
    gone, around = context_passages.holding(cx, ids), context_passages.around(cx, ids)
    entries = derive.leave(cx, ids)
    history.forget(cx, ids)
    # A draft that was parted from a merge is still told in the history of the memory it had gone into.
    history.forget_told(cx, [found[memory_id].uid for memory_id in ids])
    candidates.forget(cx, ids)
    traits.forget(cx, ids)
    memories.delete(cx, ids)
    gone += context_passages.follow(cx, around.difference(ids), context)
    # What the user decided about names that nobody bears any more holds those names.
    history.forget_names(cx, aliases.drop_unborne(cx, named))
    for memory_id in ids:
        history.record(cx, context.now, context.actor, "erased", memory_id, None, None)
    return Erased(gone, entries, also)


def undo(cx: Connection, history_id: int, context: Context) -> Edited:
    """Take one change back; undoing an undo does it again, and the change first undone is in force again.

    A merge that is taken back makes the draft a memory of its own. Errors: ``NotFound``; ``Conflict`` with reason
    "erased", "nothing_to_undo", "already_undone" or "changed_since".
    """
    entry = history.get(cx, history_id)
    if entry is None:
        raise NotFound(kind="history", id=history_id)
    if entry.undone:
        raise Conflict(reason="already_undone", id=history_id)
    memory = memories.get(cx, entry.memory_id)
    if memory is None:
        raise Conflict(reason="erased", id=history_id)
    back: dict[str, Any] = {"status": "trashed"} if entry.action == "created" else dict(entry.before or {})
    after = dict(entry.after or {})
    told = after.pop(TOLD, None)
    if entry.action != "merged":
        told = None  # a repeated telling: it was never a memory of its own
    if not back and told is None:
        raise Conflict(reason="nothing_to_undo", id=history_id)
    by = back.get("superseded_by", memory.superseded_by)
    gone = back.get("superseded_by") is not None and memories.get(cx, back["superseded_by"]) is None
    if gone or (back.get("status") == "superseded" and not succession.held(cx, by)):
        raise Conflict(reason="changed_since", id=history_id)  # what it gave way to is gone
    now_there = fields_of(memory)
    if entry.action != "created" and any(now_there[key] != value for key, value in after.items()):
        raise Conflict(reason="changed_since", id=history_id)
    edited = apply(cx, entry.memory_id, back, context, action="undone", undoes=history_id)
    if edited.history_id is None and told is None:
        raise Conflict(reason="nothing_to_undo", id=history_id)
    history.mark_undone(cx, history_id)
    if told is None or memories.id_of_uid(cx, columns.load(told)["uid"]) is not None:
        return edited  # it has been a memory of its own since the first undo
    own = untold(cx, told, context)
    return _with(edited, own.memory.id, own.history_ids[0])


def latest_change(cx: Connection, memory_id: int) -> int:
    """The history id of the last change of a memory that can still be undone. Errors: ``Conflict``."""
    entry = history.last_in_force(cx, memory_id)
    if entry is None:
        raise Conflict(reason="nothing_to_undo", id=memory_id)
    return entry.id


def _with(edited: Edited, created: int, history_id: int) -> Edited:
    return Edited(
        edited.memory, edited.history_id, edited.fields, edited.gone_passages, edited.gone_entries,
        (*edited.also, (created, history_id)), created,
    )  # fmt: skip


def _sole_digest(cx: Connection, memory: Memory, context: Context) -> succession.Moved:
    """A digest that can be found (again) replaces another of its period: there is one at a time."""
    if not memory.digest_level or memory.status not in FINDABLE:
        return ()
    ids = digests.current(cx, memory.digest_level, memory.digest_period, memory.conversation_id)
    others = memories.get_many(cx, (one for one in ids if one != memory.id))
    for old in others.values():
        refuse_protected(old, context.actor)
    return succession.give_way(cx, others, memory.id, context)


def _follow_status(cx: Connection, before: Memory, after: Memory, context: Context) -> succession.Moved:
    """What lies in the trash owes no vector; what comes back may lack one (made late, or the model has changed).

    What a memory replaced holds again while that memory lies in the trash.
    """
    if after.status == "trashed":
        journal.advance(cx, [after.id], "done", context.now)
    elif before.status != "trashed":
        return ()
    elif context.space_id is not None:
        journal.open(cx, "restore", after.id, "committed", context.now)
    return succession.follow(cx, after.id, context)
