"""What stands around the hits of a scored recall (S4's macro context): digests in force, topics and their summaries."""

from __future__ import annotations

from collections.abc import Iterable

from engine.digest import topic_view
from engine.digest.topic_view import View
from engine.storage import digests, memories, selection, topic_members
from engine.storage.database import Connection
from engine.types import DIGEST_LEVELS, Filters, MacroContext, Memory, TopicNode

# Of each level the newest that may be seen is looked for among so many.
_LOOKED_AT = 50


def context(cx: Connection, view: View, hit_ids: Iterable[int], filters: Filters) -> MacroContext:
    """``filters``: who may see what, without the limits in time and kind that the question had."""
    return MacroContext(_digests(cx, filters), _topics(cx, view, hit_ids))


def _digests(cx: Connection, filters: Filters) -> tuple[Memory, ...]:
    """Yearly to daily: of each level the one of the latest period."""
    chosen: list[int] = []
    for level in reversed(DIGEST_LEVELS):
        made = sorted(digests.made(cx, level), key=lambda one: (one.period, one.at, one.memory_id), reverse=True)
        ids = [one.memory_id for one in made[:_LOOKED_AT]]
        passing = selection.restrict(cx, ids, filters)
        chosen += [one for one in ids if one in passing][:1]
    rows = memories.get_many(cx, chosen)
    return tuple(rows[one] for one in chosen)


def _topics(cx: Connection, view: View, hit_ids: Iterable[int]) -> tuple[TopicNode, ...]:
    """Each topic once, after those above it, in the order of the hits."""
    ids = list(hit_ids)
    filed = topic_members.topics_of(cx, ids)
    ways = [view.tree.way(filed[one]) for one in ids if one in filed and filed[one] in view.shown]
    return tuple(topic_view.node(view, one) for one in dict.fromkeys(one for way in ways for one in way))
