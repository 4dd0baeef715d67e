"""Topics that memories without a path may belong to (S4): a yes files the memory there, and nothing else does.

Which they are is asked anew for each list; only what was decided is kept. Must not look for them (``Topics.suggest``).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Final, Protocol

from engine.access import Access, Done, then
from engine.digest.topics import tree_of
from engine.errors import Conflict, NotFound
from engine.ingest import edit as editing
from engine.ingest.context import Context
from engine.policy import hidden
from engine.review import decisions
from engine.review.kind import Decision, Offer
from engine.storage import memories, suggestions
from engine.storage.database import Connection
from engine.types import Actor, Reviewed, ReviewItem, TopicSuggestion

KIND: Final = "topic"
# Asked for beyond the limit, in place of those that were decided on.
_SPARE: Final = 100


class Suggests(Protocol):
    """What is needed of the topics' façade."""

    def suggest(self, limit: int, *, include_sensitive: bool) -> Future[tuple[TopicSuggestion, ...]]:
        """Memories without a path, each with the topic that it may belong to."""


class TopicKind:
    """Ids "topic:memory-topic"."""

    name = KIND

    def __init__(self, access: Access, topics: Suggests) -> None:
        self._access = access
        self._topics = topics

    def list(self, limit: int, include_sensitive: bool) -> Future[Offer]:
        """What may be filed, as far as it was looked for: ``total`` counts no further."""
        secret = hidden(self._access.settings.current, include_sensitive)
        found = self._topics.suggest(limit + _SPARE, include_sensitive=include_sensitive)
        return then(found, lambda all_: self._access.read(lambda cx: _offer(cx, all_, limit, secret)))

    def approve(self, key: str, actor: Actor, decision: Decision) -> Future[Reviewed]:
        """File it. Errors: ``Conflict`` ("changed_since") where it has a path by now."""
        decision.refuse_but()
        return self._access.write(actor, lambda cx, context: _file(cx, key, context))

    def dismiss(self, key: str, actor: Actor) -> Future[Reviewed]:
        """It does not belong there; never suggested for that topic again."""
        return self._access.write(actor, lambda cx, context: _dismiss(cx, key, context))

    def restore(self, key: str, actor: Actor) -> Future[Reviewed]:
        """Suggested again; filed by a yes, it is taken out."""
        return self._access.write(
            actor, lambda cx, context: decisions.restore(cx, suggestions.get(cx, KIND, key), f"{KIND}:{key}", context)
        )


def _offer(cx: Connection, found: Sequence[TopicSuggestion], limit: int, secret: Sequence[str]) -> Offer:
    there = memories.get_many(cx, (one.memory_id for one in found))
    tree = tree_of(cx)
    decided = {one.key for one in suggestions.about(cx, KIND, there) if one.state != "open"}
    items: list[ReviewItem] = []
    total = left_out = 0
    for one in found:
        key = f"{one.memory_id}-{one.topic_id}"
        memory = there.get(one.memory_id)
        if memory is None or key in decided:
            continue
        if memory.sensitivity in secret:
            left_out += 1
            continue
        total += 1
        path = tuple(tree.topics[step].name for step in tree.way(one.topic_id))
        detail = {"topic_id": one.topic_id, "path": path, "why": one.why}
        items.append(ReviewItem(f"{KIND}:{key}", KIND, (memory,), detail, memory.created_at))
    return Offer(tuple(items[:limit]), total, left_out)


def _file(cx: Connection, key: str, context: Context) -> Done[Reviewed]:
    item_id = f"{KIND}:{key}"
    memory_id, topic_id = _pair(cx, key)
    tree = tree_of(cx)
    tree.live(topic_id)
    if memories.require(cx, memory_id).topic_path:
        raise Conflict(reason="changed_since", id=item_id)
    path = tuple(tree.topics[step].name for step in tree.way(topic_id))
    edited = editing.apply(cx, memory_id, {"topic_path": path}, context)
    rows = () if edited.history_id is None else (edited.history_id,)
    suggestions.offer(cx, KIND, key, [memory_id], {}, context.now)
    decisions.approved(cx, decisions.waiting(suggestions.get(cx, KIND, key), item_id), rows, context)
    reviewed = Reviewed(item_id, "filed", (edited.memory,), rows)
    return Done(reviewed, "review_approved", updated=(memory_id,), history_ids=rows, gone_entries=edited.gone_entries)


def _dismiss(cx: Connection, key: str, context: Context) -> Done[Reviewed]:
    memory_id, _ = _pair(cx, key)
    suggestions.offer(cx, KIND, key, [memory_id], {}, context.now)
    return decisions.dismiss(cx, suggestions.get(cx, KIND, key), f"{KIND}:{key}", context)


def _pair(cx: Connection, key: str) -> tuple[int, int]:
    """(memory, topic). Errors: ``NotFound``."""
    parts = key.split("-")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) <= 18 for part in parts):
        raise NotFound(kind="review", id=f"{KIND}:{key}")
    memory_id, topic_id = map(int, parts)
    if memories.get(cx, memory_id) is None or topic_id not in tree_of(cx).topics:
        raise NotFound(kind="review", id=f"{KIND}:{key}")
    return memory_id, topic_id
