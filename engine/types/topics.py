"""The topic hierarchy T1 to T4 that memories are filed under (S4). Free of behaviour.

Not the graph's topics: those are words that memories mention, these are places that a memory is put to.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from engine.types.memory import Memory, Sensitivity

# T1, the broadest, to T4.
LONGEST_TOPIC_PATH = 4
LONGEST_TOPIC_NAME = 200

# How a topic was found: asked for by its id, by (the beginning of) its name or an alias, since the question names it,
# by what its memories mean; "listed": nothing was asked.
TopicMatch = Literal["id", "name", "alias", "named_in", "meaning", "listed"]


@dataclass(frozen=True, slots=True)
class TopicNode:
    """One topic. ``path``: names from T1 to its own, ``path_ids`` their ids; ``level`` 1..4; ``parent_id`` 0: none.

    ``own`` and ``below``: memories that pass the filters, filed under it, and under what is below it. ``summary``: the
    centroid summary, "" where there is none or it may not be shown; ``stale``: it should be written anew.
    """

    id: int
    level: int
    parent_id: int
    name: str
    path: tuple[str, ...]
    path_ids: tuple[int, ...]
    aliases: tuple[str, ...]
    own: int
    below: int
    summary: str = ""
    summary_sensitivity: Sensitivity = "normal"
    summarised_at: datetime | None = None
    stale: bool = False


@dataclass(frozen=True, slots=True)
class TopicHit:
    """A topic that answers a question. ``score`` falls from hit to hit; of "meaning" it is a cosine, else 1 or more.

    ``newest``: some memories at or below it, the newest first; ``children``: the topics directly below it, if asked.
    """

    topic: TopicNode
    match: TopicMatch
    score: float
    newest: tuple[Memory, ...] = ()
    children: tuple[TopicNode, ...] = ()


@dataclass(frozen=True, slots=True)
class TopicFound:
    """The answer to a look-up. ``degraded``: slugs of what was missing, as in ``Recollection``."""

    hits: tuple[TopicHit, ...]
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TopicChange:
    """What a decision about topics did. ``history_id`` takes it back; None: all was so already.

    ``memories``: those that are filed under another topic now.
    """

    topic_id: int
    history_id: int | None
    memories: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TopicSuggestion:
    """A memory without a path that may belong to a topic. ``why``: the people and topics that it shares with
    ``support`` memories there, as it spells them.
    """

    memory_id: int
    topic_id: int
    why: tuple[str, ...]
    support: int
