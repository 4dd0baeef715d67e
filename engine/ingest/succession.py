"""Who replaced whom, and what holds when one of them goes or comes back.

A memory that was replaced holds again while nothing that replaced it is there. Works in the caller's transaction;
each change leaves a history row. Must not decide what replaces what (``duplicates.py`` does).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.ingest.context import Context
from engine.ingest.memorize import BY_RULE, set_fields
from engine.storage import memories
from engine.storage.database import Connection
from engine.types import Memory

Moved = tuple[tuple[int, int], ...]  # (memory id, history row)


def held(cx: Connection, memory_id: int | None) -> bool:
    """Whether what replaced a memory is there and not in the trash, or what replaced that in turn."""
    seen: set[int] = set()
    while memory_id is not None and memory_id not in seen:
        seen.add(memory_id)
        by = memories.get(cx, memory_id)
        if by is None:
            return False
        if by.status != "trashed":
            return True
        memory_id = by.superseded_by
    return False


def follow(cx: Connection, memory_id: int, context: Context) -> Moved:
    """After ``memory_id`` went into the trash or came out: what it replaced holds again, or no longer."""
    moved: list[tuple[int, int]] = []
    queue, seen = [memory_id], set[int]()
    while queue:
        one = queue.pop()
        seen.add(one)
        for old in memories.get_many(cx, memories.replaced_by(cx, one)).values():
            if old.status == "trashed" and old.id not in seen:
                queue.append(old.id)  # what that one replaced hangs on ``memory_id`` as well
            elif old.status == "superseded" and not held(cx, old.superseded_by):
                moved.append((old.id, set_fields(cx, old, {"status": "active"}, "brought_back", BY_RULE, context)))
            elif old.status == "active" and not old.protected and held(cx, old.superseded_by):
                moved.append((old.id, set_fields(cx, old, {"status": "superseded"}, "superseded", BY_RULE, context)))
    return tuple(moved)


def give_way(cx: Connection, olds: Mapping[int, Memory], memory_id: int, context: Context) -> Moved:
    """``memory_id`` replaces ``olds``, as a new memory would have: they stay, out of a plain recall."""
    return tuple(
        (old.id, set_fields(
            cx, old,
            {"status": "superseded", "superseded_by": memory_id, "valid_to": old.valid_to or context.now},
            "superseded", BY_RULE, context,
        ))
        for old in olds.values()
    )  # fmt: skip


def leave(cx: Connection, gone: Mapping[int, Memory], context: Context) -> Moved:
    """Before ``gone`` are erased: what they replaced is replaced by what replaced them, or holds again."""
    moved: list[tuple[int, int]] = []
    for memory_id in gone:
        by = gone[memory_id].superseded_by
        while by is not None and by in gone:
            by = gone[by].superseded_by
        for old in memories.get_many(cx, memories.replaced_by(cx, memory_id)).values():
            if old.id in gone:
                continue
            values: dict[str, Any] = {"superseded_by": by}
            action = "relinked"
            if not held(cx, by):
                values = {"superseded_by": None, "valid_to": None}
                if old.status == "superseded":
                    values["status"], action = "active", "brought_back"
            moved.append((old.id, set_fields(cx, old, values, action, BY_RULE, context)))
    return tuple(moved)
