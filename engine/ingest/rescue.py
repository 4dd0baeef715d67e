"""Waking memories by a person's or client's wish: those that time has put to rest are active again, as if just used.

Works in the caller's transaction; each leaves a history row with which it can be taken back. Waking by recall is
``forgetting/reinforcement.py``'s. Must not touch what was replaced, trashed or expired.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.ingest import atoms
from engine.ingest import edit as editing
from engine.ingest.context import Context
from engine.storage.database import Connection
from engine.storage.memories import require

ACTION = "rescued"
_RESTS = ("dormant", "archived")


def rescue(cx: Connection, ids: Sequence[int], context: Context) -> list[editing.Edited]:
    """Wake the dormant and archived ones among ``ids``, their facts included; the others stay as they are.

    Errors: ``NotFound``; ``Protected`` when a client or rule touches a protected memory. Then none is woken.
    """
    done: list[editing.Edited] = []
    for memory_id in sorted(set(ids)):
        if require(cx, memory_id).status in _RESTS:
            values = {"status": "active", "last_accessed_at": context.now}
            done.append(editing.apply(cx, memory_id, values, context, action=ACTION))
    atoms.recalled(cx, [one.memory.id for one in done], context.now)
    return done
