"""Where memories without a path may belong: a suggestion, never a move (S4's rule of three, without its theft).

S4 files every memory that shares one entity with three others under their topic, also those that are filed elsewhere.
Here only what is filed nowhere is looked at, a name speaks for a topic only if most of the filed memories that mention
it are there, and somebody has to agree. Reads only; bounded by what it looks at, whatever the size of the store.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from engine.digest.topic_view import View
from engine.storage import topic_members
from engine.storage.database import Connection
from engine.storage.relations import Reader
from engine.types import TopicSuggestion

# S4: three memories of one topic have to agree.
LEAST_SUPPORT: Final = 3
# The newest ids that are looked at for memories in no topic, and of a name the newest memories that mention it.
LOOKED_AT: Final = 300
MENTIONS: Final = 100
# A memory that mentions more than this is about everything.
_NAMES: Final = 20
_MOST: Final = 0.5

# By topic, those of the filed memories that mention a name and are at or below it.
_Votes = dict[int, frozenset[int]]


def suggest(cx: Connection, view: View, limit: int) -> tuple[TopicSuggestion, ...]:
    """For the newest memories in no topic, the most special topic that enough of what they mention speaks for."""
    if view.seen is None:
        return ()
    reader = Reader(cx, view.seen)
    known: dict[int, _Votes] = {}
    found: list[TopicSuggestion] = []
    for memory_id in topic_members.unfiled(cx, view.seen, LOOKED_AT):
        if len(found) == limit:
            break
        support: dict[int, set[int]] = defaultdict(set)
        why: dict[int, dict[str, None]] = defaultdict(dict)
        for node_id, text in topic_members.named_in(cx, memory_id)[:_NAMES]:
            if node_id not in known:
                known[node_id] = _votes(cx, view, reader, node_id)
            for topic_id, voters in known[node_id].items():
                support[topic_id] |= voters
                why[topic_id].setdefault(text)
        chosen = [one for one, voters in support.items() if len(voters) >= LEAST_SUPPORT and one in view.shown]
        if chosen:
            levels = view.tree.topics
            best = max(chosen, key=lambda one: (levels[one].level, len(support[one]), -one))
            found.append(TopicSuggestion(memory_id, best, tuple(why[best]), len(support[best])))
    return tuple(found)


def _votes(cx: Connection, view: View, reader: Reader, node_id: int) -> _Votes:
    """The topics, with those above them, in which more than half of the filed memories are that mention this name."""
    filed = topic_members.topics_of(cx, reader.memories_of(node_id, MENTIONS))
    at: dict[int, set[int]] = defaultdict(set)
    for memory_id, topic_id in filed.items():
        for one in view.tree.way(topic_id):
            at[one].add(memory_id)
    return {topic_id: frozenset(ids) for topic_id, ids in at.items() if len(ids) > _MOST * len(filed)}
