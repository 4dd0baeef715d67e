"""What use does to a memory: it is told again or recalled, and lasts longer (S0's access reinforcement).

Bounded on purpose: the access count fades with each decay run, and recall scores only ever see recency and
strength, never a raw count, so that popularity can not run away (S4's fault). Must not touch any text.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from engine.storage import memories
from engine.storage.database import Connection

# A sleeping memory that is recalled wakes; what was replaced or thrown away does not.
_WAKES = ("dormant", "archived")


def reinforce(cx: Connection, ids: Sequence[int], now: datetime, *, recalled: bool) -> tuple[int, ...]:
    """Count one use of each memory at ``now`` within the caller's transaction; returns the ids that woke up."""
    memories.reinforce(cx, ids, now, recalled=recalled)
    woken = tuple(memory.id for memory in memories.get_many(cx, ids).values() if memory.status in _WAKES)
    for memory_id in woken:
        memories.update(cx, memory_id, {"status": "active", "updated_at": now})
    return woken
