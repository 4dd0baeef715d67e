"""The topics as somebody may see them: which are shown at all, what they count, and whether a summary is out of date.

A topic shows its name only where a memory that may be shown is filed at or below it, whatever its status: one that
only highly sensitive memories use stays unseen, and so does one of another conversation. An empty topic is shown to
who may see everything. A summary has a sensitivity of its own. Must not search.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from engine import clock, policy
from engine.digest.topic_tree import Tree
from engine.digest.topics import tree_of
from engine.errors import NotFound
from engine.storage import memories, topic_members
from engine.storage.database import Connection
from engine.storage.topic_members import Count
from engine.storage.topics import TOP
from engine.types import ALL_SCOPES, Filters, Memory, Sensitivity, TopicNode

_NOTHING = Count(0, 0, None, None)


@dataclass(frozen=True, slots=True)
class View:
    """One look at the topics. ``seen``: what counts, None = nothing does; ``shown``: the topics that may be shown;
    ``own`` and ``total`` by topic: of itself, and with all below it.
    """

    tree: Tree
    hidden: tuple[Sensitivity, ...]
    seen: Filters | None
    shown: frozenset[int]
    own: Mapping[int, Count]
    total: Mapping[int, Count]
    aliases: Mapping[int, tuple[str, ...]]
    children: Mapping[int, list[int]]
    stale_before: str


def look(cx: Connection, filters: Filters, include_sensitive: bool, values: Mapping[str, Any], now: datetime) -> View:
    """The topics as the parameters ``values`` let them be seen; memories that pass ``filters`` count."""
    tree = tree_of(cx)
    hidden = policy.hidden(values, include_sensitive)
    allowed = policy.shown(values, include_sensitive, filters.sensitivities)
    seen = None if allowed is None else replace(filters, sensitivities=allowed)
    own: dict[int, Count] = {}
    if seen is not None:
        named = policy.shown(values, include_sensitive) or ()
        everyone = Filters(scope=filters.scope, persona_id=filters.persona_id, statuses=(), sensitivities=named)
        own = topic_members.counts(cx, everyone, seen)
    total: dict[int, Count] = dict(own)
    for row in sorted(tree.all_live(), key=lambda one: -one.level):
        parent = tree.parent(row.id)
        if parent != TOP and row.id in total:
            total[parent] = total.get(parent, _NOTHING).plus(total[row.id])
    everything = not hidden and filters.scope == ALL_SCOPES and filters.persona_id in (None, ALL_SCOPES)
    shown = frozenset(row.id for row in tree.all_live() if everything or total.get(row.id, _NOTHING).shown)
    stale_before = clock.to_text(now - timedelta(days=float(values["digest.topic_stale_days"])))
    return View(tree, hidden, seen, shown, own, total, tree.aliases(), tree.children(), stale_before)


def require(view: View, topic_id: int) -> int:
    """The topic, if it may be shown. Errors: ``NotFound``."""
    if topic_id not in view.shown:
        raise NotFound(kind="topic", id=topic_id)
    return topic_id


def tree_nodes(view: View) -> tuple[TopicNode, ...]:
    """All topics that may be shown, each before those below it, in the order of their names."""
    found: list[TopicNode] = []
    todo = list(reversed(view.children.get(TOP, ())))
    while todo:
        topic_id = todo.pop()
        if topic_id in view.shown:
            found.append(node(view, topic_id))
            todo += reversed(view.children.get(topic_id, ()))
    return tuple(found)


def node(view: View, topic_id: int) -> TopicNode:
    """A topic as it may be shown."""
    row = view.tree.topics[topic_id]
    way = view.tree.way(topic_id)
    own, total = view.own.get(topic_id, _NOTHING), view.total.get(topic_id, _NOTHING)
    told = row.summary and row.summary_sensitivity not in view.hidden
    since = row.summarised_at if told else None
    return TopicNode(
        id=topic_id,
        level=len(way),
        parent_id=view.tree.parent(topic_id),
        name=row.name,
        path=tuple(view.tree.topics[one].name for one in way),
        path_ids=tuple(way),
        aliases=view.aliases.get(topic_id, ()),
        own=own.passing,
        below=total.passing - own.passing,
        summary=row.summary if told else "",
        summary_sensitivity=row.summary_sensitivity if told else "normal",
        summarised_at=None if since is None else clock.from_text(since),
        stale=since is not None and _stale(since, total, view.stale_before),
    )


def newest(cx: Connection, view: View, topic_id: int, limit: int, *, below: bool = True) -> tuple[Memory, ...]:
    """The newest memories that count, under the topic and, with ``below``, what is below it."""
    if view.seen is None:
        return ()
    ids = topic_members.newest(cx, view.tree.below(topic_id) if below else (topic_id,), view.seen, limit)
    return _memories(cx, ids)


def way_of_memory(cx: Connection, view: View, memory_id: int) -> tuple[TopicNode, ...]:
    """From T1 down to where a memory is filed; () where it is in no topic, or in none that may be shown."""
    topic_id = topic_members.topics_of(cx, (memory_id,)).get(memory_id)
    if topic_id is None or topic_id not in view.shown:
        return ()
    return tuple(node(view, one) for one in view.tree.way(topic_id))


def _memories(cx: Connection, ids: Iterable[int]) -> tuple[Memory, ...]:
    wanted = list(ids)
    found = memories.get_many(cx, wanted)
    return tuple(found[one] for one in wanted)


def _stale(since: str, total: Count, stale_before: str) -> bool:
    """S4: old, and memories came since; or a newer digest of the topic is there."""
    return (total.newest is not None and total.newest > since and since <= stale_before) or (
        total.digested is not None and total.digested > since
    )
