"""Clusters to consolidate (S1): approved with one text, which is stored as a memory of its own with its sources.

Nothing is done to the sources but that they are linked to, unless their archiving is asked for. Must not look for
clusters (``engine/digest/consolidation.py``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import fields, replace
from typing import Any, Final

from engine.access import Access, Done, then
from engine.digest import consolidation
from engine.digest.consolidation import Finder, Wanted
from engine.errors import Conflict, InvalidArgument, NotFound
from engine.ingest import edit as editing
from engine.ingest.context import Context
from engine.policy import hidden
from engine.review import decisions
from engine.review.kind import Decision, Offer
from engine.storage import history, suggestions
from engine.storage.database import Connection
from engine.storage.suggestions import Suggestion
from engine.text.segmentation import Segmenter
from engine.types import SENSITIVITIES, Actor, Draft, Memory, Remembered, Reviewed, ReviewItem

CATEGORY: Final = "consolidated"
# What the maker of the text may say of it; the rest follows from its sources.
_CHANGEABLE: Final = frozenset(one.name for one in fields(Draft)) - {
    "content", "category", "sources", "conversation_id", "session_id", "persona_id", "digest_level", "digest_period",
}  # fmt: skip


class Clusters:
    """Ids "cluster:7"."""

    name = consolidation.KIND

    def __init__(self, access: Access, segmenter: Segmenter) -> None:
        self._access = access
        self._segmenter = segmenter

    def list(self, limit: int, include_sensitive: bool) -> Future[Offer]:
        """The clusters that wait, the newest first."""
        return self._access.read(lambda cx: self._list(cx, limit, include_sensitive))

    def approve(self, key: str, actor: Actor, decision: Decision) -> Future[Reviewed]:
        """Store ``decision.text``. Errors: those of ``memorize``; field "text": "missing", "same" (it is a source)."""
        decision.refuse_but("text", "changes", "archive")
        text = decision.text
        if text is None or not text.strip():
            raise InvalidArgument(field="text", reason="missing")
        ready = self._access.read(lambda cx: self._draft(cx, key, text, decision, actor))
        done = then(ready, lambda draft: self._access.memorize(draft, actor, also=lambda *at: self._note(key, *at)))
        return then(done, lambda stored: self._finish(key, actor, stored, decision.archive))

    def dismiss(self, key: str, actor: Actor) -> Future[Reviewed]:
        """Not this group, nor a variation of it with fewer than two memories that are new."""
        return self._access.write(
            actor, lambda cx, context: decisions.dismiss(cx, _found(cx, key), _item_id(key), context)
        )

    def restore(self, key: str, actor: Actor) -> Future[Reviewed]:
        """Offered again; a text that was stored for it goes into the trash, what was archived comes back."""
        return self._access.write(
            actor, lambda cx, context: decisions.restore(cx, _found(cx, key), _item_id(key), context)
        )

    def _list(self, cx: Connection, limit: int, include_sensitive: bool) -> Offer:
        values, now = self._access.settings.current, self._access.clock.now()
        wanted, secret = Wanted.of(values, now), hidden(values, include_sensitive)
        finder = Finder(None, self._segmenter, wanted)
        items: list[ReviewItem] = []
        total = left_out = 0
        for one in suggestions.of_kind(cx, self.name, "open"):
            there = _living(cx, one)
            if len(there) < wanted.least:
                continue  # some went into the trash or were replaced; they may come back
            if any(memory.sensitivity in secret for memory in there):
                left_out += 1
                continue
            total += 1
            if len(items) < limit:
                words = finder.theme(cx, (memory.id for memory in there))
                items.append(ReviewItem(_item_id(str(one.id)), self.name, there, {"words": words}, one.created_at))
        return Offer(tuple(items), total, left_out)

    def _draft(self, cx: Connection, key: str, text: str, decision: Decision, actor: Actor) -> Draft:
        one = decisions.waiting(_found(cx, key), _item_id(key))
        there = _living(cx, one)
        if len(there) < 2:
            raise Conflict(reason="changed_since", id=_item_id(key))
        if decision.archive:
            for memory in there:
                editing.refuse_protected(memory, actor)
        return _with_changes(_consolidated(text, there), decision.changes)

    def _note(self, key: str, cx: Connection, context: Context, memory_id: int) -> None:
        """In the transaction that stores the text."""
        one = decisions.waiting(_found(cx, key), _item_id(key))
        if memory_id in one.memory_ids:
            raise InvalidArgument(field="text", reason="same")
        latest = history.of(cx, memory_id, 1)
        decisions.approved(cx, one, [entry.id for entry in latest], context, memory=memory_id)

    def _finish(self, key: str, actor: Actor, stored: Remembered, archive: bool) -> Future[Reviewed]:
        if not archive:
            done: Future[Reviewed] = Future()
            done.set_result(Reviewed(_item_id(key), "consolidated", (stored.memory,), stored.changes.history_ids))
            return done
        return self._access.write(actor, lambda cx, context: self._archive(cx, key, stored, context))

    def _archive(self, cx: Connection, key: str, stored: Remembered, context: Context) -> Done[Reviewed]:
        one = _found(cx, key)
        rows: list[int] = []
        ids = [memory.id for memory in _living(cx, one)] if one is not None else []
        for memory_id in ids:
            edited = editing.apply(cx, memory_id, {"status": "archived"}, context, action="archived")
            rows += [] if edited.history_id is None else [edited.history_id]
        if one is not None:
            decisions.approved(cx, one, [*one.detail.get("history", ()), *rows], context)
        history_ids = (*stored.changes.history_ids, *rows)
        memories = (stored.memory, *decisions.present(cx, ids))
        reviewed = Reviewed(_item_id(key), "consolidated", memories, history_ids)
        return Done(reviewed, "review_approved", updated=tuple(ids), history_ids=tuple(rows))


def _item_id(key: str) -> str:
    return f"{Clusters.name}:{key}"


def _found(cx: Connection, key: str) -> Suggestion | None:
    if not (key.isascii() and key.isdigit() and len(key) <= 18):
        raise NotFound(kind="review", id=_item_id(key))
    found = suggestions.by_id(cx, int(key))
    return found if found is not None and found.kind == Clusters.name else None


def _living(cx: Connection, one: Suggestion) -> tuple[Memory, ...]:
    """Those of its memories that are there to be consolidated, the newest first."""
    return tuple(
        memory for memory in decisions.present(cx, one.memory_ids)
        if memory.status in ("active", "dormant") and not (memory.pinned or memory.protected)
    )  # fmt: skip


def _consolidated(text: str, there: Sequence[Memory]) -> Draft:
    """What follows from the sources: their scope, the highest importance and sensitivity, what they share."""
    ids = tuple(memory.id for memory in there)
    layers = {memory.layer for memory in there}
    shared_tags = [tag for tag in there[0].tags if all(tag in memory.tags for memory in there)]
    return Draft(
        text,
        category=CATEGORY,
        layer=layers.pop() if len(layers) == 1 else None,
        importance=max(memory.importance for memory in there),
        sensitivity=max((memory.sensitivity for memory in there), key=SENSITIVITIES.index),
        tags=tuple(shared_tags),
        topics=_told_twice(memory.topics for memory in there),
        participants=_told_twice(memory.participants for memory in there),
        conversation_id=there[0].conversation_id,
        session_id=there[0].session_id if len({memory.session_id for memory in there}) == 1 else None,
        persona_id=there[0].persona_id,
        related=ids,
        sources=ids,
    )


def _told_twice(lists: Any) -> tuple[str, ...]:
    counted: dict[str, int] = {}
    for one in lists:
        for name in dict.fromkeys(one):
            counted[name] = counted.get(name, 0) + 1
    return tuple(name for name, count in counted.items() if count > 1)


def _with_changes(draft: Draft, changes: Mapping[str, Any]) -> Draft:
    for name in changes:
        if name not in _CHANGEABLE:
            raise InvalidArgument(field=name, reason="unknown_field")
    return replace(draft, **changes)
