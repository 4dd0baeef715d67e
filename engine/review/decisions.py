"""A decision on a stored suggestion and the way back: what a yes did is kept as history ids, and undone one by one.

Works in the caller's transaction. Must not know what a kind does with a yes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.access import Done
from engine.errors import Conflict, NotFound
from engine.ingest import edit as editing
from engine.ingest.context import Context
from engine.storage import history, memories, suggestions
from engine.storage.database import Connection
from engine.storage.suggestions import Suggestion
from engine.types import Memory, Reviewed

DISMISSED = "review_dismissed"
RESTORED = "review_restored"


def waiting(found: Suggestion | None, item_id: str) -> Suggestion:
    """``found``, if it can be decided on. Errors: ``NotFound``, ``Conflict`` ("not_pending")."""
    if found is None:
        raise NotFound(kind="review", id=item_id)
    if found.state != "open":
        raise Conflict(reason="not_pending", id=item_id)
    return found


def dismiss(cx: Connection, found: Suggestion | None, item_id: str, context: Context) -> Done[Reviewed]:
    """No. One that was dismissed stays so. Errors: as :func:`waiting`."""
    if found is None or found.state != "dismissed":
        suggestions.decide(cx, waiting(found, item_id).id, "dismissed", context.now)
    return Done(Reviewed(item_id, "dismissed"), DISMISSED)


def restore(cx: Connection, found: Suggestion | None, item_id: str, context: Context) -> Done[Reviewed]:
    """Undecided again. What a yes did is taken back, the latest first; what was taken back meanwhile is left alone.

    Errors: ``NotFound``; ``Conflict``, ``Protected`` as an undo has them, and then nothing is changed.
    """
    if found is None:
        raise NotFound(kind="review", id=item_id)
    done: list[editing.Edited] = []
    for history_id in reversed(found.detail.get("history", ())):
        entry = history.get(cx, history_id)
        if entry is not None and not entry.undone and memories.get(cx, entry.memory_id) is not None:
            done.append(editing.undo(cx, history_id, context))
    detail = {name: value for name, value in found.detail.items() if name not in ("history", "memory")}
    suggestions.decide(cx, found.id, "open", context.now, detail)
    rows = [(one.memory.id, one.history_id) for one in done if one.history_id is not None]
    rows += [pair for one in done for pair in one.also]
    ids = tuple(dict.fromkeys(memory_id for memory_id, _ in rows))
    history_ids = tuple(history_id for _, history_id in rows)
    return Done(
        Reviewed(item_id, "restored", tuple(memories.get_many(cx, ids).values()), history_ids),
        RESTORED,
        updated=ids,
        history_ids=history_ids,
        gone_passages=tuple(passage for one in done for passage in one.gone_passages),
        gone_entries=tuple(entry for one in done for entry in one.gone_entries),
    )


def approved(cx: Connection, found: Suggestion, history_ids: Iterable[int], context: Context, **more: Any) -> None:
    """Yes; what was done can be taken back by ``history_ids``."""
    detail: Mapping[str, Any] = {**found.detail, "history": list(history_ids), **more}
    suggestions.decide(cx, found.id, "approved", context.now, detail)


def present(cx: Connection, memory_ids: Iterable[int]) -> tuple[Memory, ...]:
    """The memories, the newest first."""
    return tuple(
        sorted(memories.get_many(cx, memory_ids).values(), key=lambda one: (one.created_at, one.id), reverse=True)
    )
