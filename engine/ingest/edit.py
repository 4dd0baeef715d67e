"""Changes to a memory that exists: edit, trash, restore, erase, and the undo of any of them.

Each runs in the caller's transaction and keeps rows, passages, words, journal and history equal. An edited
text loses its vectors at once (they would lie) and gets new ones from the background. Must not embed or notify.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.errors import Conflict, InvalidArgument, NotFound, Protected
from engine.index import lexical
from engine.ingest.draft import LEXICAL_FIELDS, derived, lexical_row, summary_of
from engine.ingest.memorize import fields_of, require
from engine.storage import history, journal, memories, passages
from engine.storage.database import Connection
from engine.text import passages as splitting
from engine.types import Actor, Memory


@dataclass(frozen=True, slots=True)
class Edited:
    """The memory as it now stands, its history row (None: nothing was different), which of the asked-for fields
    changed, and the passages that are gone."""

    memory: Memory
    history_id: int | None
    fields: tuple[str, ...] = ()
    gone_passages: tuple[int, ...] = ()


def apply(
    cx: Connection,
    memory_id: int,
    values: Mapping[str, Any],
    actor: Actor,
    now: datetime,
    *,
    action: str = "edited",
    undoes: int | None = None,
    embeds: bool = True,
) -> Edited:
    """Set checked ``values`` (see ``draft.check``). ``embeds``: vectors will be made for a new text.

    Errors: ``NotFound``; ``Protected`` when a client or rule touches a protected memory.
    """
    before = require(cx, memory_id)
    refuse_protected(before, actor)
    changed = {key: value for key, value in values.items() if getattr(before, key) != value}
    if not changed:
        return Edited(before, None)
    row = dict(changed)
    if "content" in changed:
        row.update(derived(changed["content"]))
        if "summary" not in changed and before.summary == summary_of(before.content):
            # The line was made from the old text, so it follows the new one.
            row["summary"] = changed["summary"] = summary_of(changed["content"])
    memories.update(cx, memory_id, {**row, "updated_at": now})
    after = require(cx, memory_id)
    gone = _replace_passages(cx, after, now, embeds) if "content" in changed else ()
    if "status" in changed:
        _follow_status(cx, before, after, now, embeds)
    if any(key in changed for key in LEXICAL_FIELDS):
        lexical.put(cx, memory_id, lexical_row(fields_of(after)))
    previous = {key: getattr(before, key) for key in changed}
    history_id = history.record(cx, now, actor, action, memory_id, previous, changed, undoes=undoes)
    return Edited(after, history_id, tuple(key for key in changed if key in values), gone)


def refuse_protected(memory: Memory, actor: Actor) -> None:
    """People may change a protected memory in the windows and by command; tools and rules may not."""
    if memory.protected and actor.kind in ("client", "rule"):
        raise Protected(id=memory.id)


def restore(cx: Connection, memory_id: int, actor: Actor, now: datetime, *, embeds: bool = True) -> Edited:
    """Out of the trash, back to the status it had before. Not in the trash: nothing happens."""
    memory = require(cx, memory_id)
    if memory.status != "trashed":
        return Edited(memory, None)
    previous = "active"
    for entry in history.of(cx, memory_id, 50):
        if entry.after and entry.after.get("status") == "trashed" and entry.before:
            previous = str(entry.before.get("status", "active"))
            break
    return apply(cx, memory_id, {"status": previous}, actor, now, action="restored", embeds=embeds)


def erase(cx: Connection, ids: Sequence[int], actor: Actor, now: datetime) -> tuple[int, ...]:
    """Remove memories for good, their text in history included; returns the passages that went with them.

    A history row stays that says who erased which id and when, without content.
    """
    ids = tuple(dict.fromkeys(ids))
    found = memories.get_many(cx, ids)
    for memory_id in ids:
        if memory_id not in found:
            raise NotFound(kind="memory", id=memory_id)
        refuse_protected(found[memory_id], actor)
    gone = tuple(passage_id for passage_id, *_ in passages.of(cx, ids))
    lexical.remove(cx, ids)
    history.forget(cx, ids)
    memories.delete(cx, ids)
    for memory_id in ids:
        history.record(cx, now, actor, "erased", memory_id, None, None)
    return gone


def undo(cx: Connection, history_id: int, actor: Actor, now: datetime, *, embeds: bool = True) -> Edited:
    """Take one change back; undoing an undo does it again, and the change first undone is in force again.

    Errors: ``NotFound``; ``Conflict`` with reason "erased", "nothing_to_undo", "already_undone" or "changed_since".
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
    if not back:
        raise Conflict(reason="nothing_to_undo", id=history_id)
    now_there = fields_of(memory)
    if entry.action != "created" and any(now_there[key] != value for key, value in (entry.after or {}).items()):
        raise Conflict(reason="changed_since", id=history_id)
    edited = apply(cx, entry.memory_id, back, actor, now, action="undone", undoes=history_id, embeds=embeds)
    if edited.history_id is None:
        raise Conflict(reason="nothing_to_undo", id=history_id)
    history.mark_undone(cx, history_id)
    return edited


def latest_change(cx: Connection, memory_id: int) -> int:
    """The history id of the last change of a memory that can still be undone. Errors: ``Conflict``."""
    entry = history.last_in_force(cx, memory_id)
    if entry is None:
        raise Conflict(reason="nothing_to_undo", id=memory_id)
    return entry.id


def _follow_status(cx: Connection, before: Memory, after: Memory, now: datetime, embeds: bool) -> None:
    """What lies in the trash owes no vector; what comes back may lack one (made late, or the model has changed)."""
    if after.status == "trashed":
        journal.advance(cx, [after.id], "done", now)
    elif before.status == "trashed" and embeds:
        journal.open(cx, "restore", after.id, "committed", now)


def _replace_passages(cx: Connection, memory: Memory, now: datetime, embeds: bool) -> tuple[int, ...]:
    gone = tuple(passage_id for passage_id, *_ in passages.of(cx, [memory.id]))
    passages.delete_of(cx, [memory.id])
    parts = splitting.split(memory.content)
    if not parts:
        raise InvalidArgument(field="content", reason="empty")
    passages.put(cx, memory.id, [(part.start, part.end) for part in parts])
    journal.open(cx, "edit", memory.id, "committed" if embeds else "done", now)
    return gone
