"""Where a memory is filed: its ``topic_path`` followed name by name through the topic hierarchy (S4's T1 to T4).

The one place where a path meets the topics: new memories, edited ones, a rebuild and every decision about topics come
here. The memory's own field stays as it was given; which topic it means is what the names mean now. A name that
nobody knows yet becomes a topic; none is ever made from anything but a path, and none takes a memory that does not
name it. Must not change what names mean (``digest/topics.py`` does).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from engine import clock
from engine.storage import topics
from engine.storage.database import Connection
from engine.text.normalise import normalise
from engine.types import LONGEST_TOPIC_PATH, Memory


def canonical_of(name: str) -> str:
    """The form in which names of topics are compared: case, width, traditional characters and white space do not
    count. Han stays as it is. "" for a blank."""
    return normalise(name)


def follow(cx: Connection, memory: Memory, now: datetime) -> None:
    """File ``memory`` as its path says; without one it is in no topic."""
    refile(cx, [(memory.id, memory.topic_path)], now)


def refile(cx: Connection, paths: Iterable[tuple[int, Sequence[str]]], now: datetime) -> dict[int, int]:
    """File each memory as its path says; returns the topic of each that has one."""
    known: dict[tuple[str, ...], int | None] = {}
    filed: dict[int, int] = {}
    for memory_id, given in paths:
        path = tuple(given)
        if path not in known:
            known[path] = _place(cx, path, clock.to_text(now))
        topic_id = known[path]
        if topic_id is None:
            topics.unfile(cx, (memory_id,))
        else:
            topics.file(cx, memory_id, topic_id)
            filed[memory_id] = topic_id
    return filed


def leave(cx: Connection, memory_ids: Iterable[int]) -> None:
    """Take memories out of the topics before they are erased.

    A topic that nothing is left of goes with them, its name being theirs alone; one that somebody renamed, named
    otherwise, summed up or merged into stays, and so does what was written there.
    """
    gone = topics.drop_unborne(cx, topics.unfile(cx, memory_ids))
    topics.forget_history(cx, gone)


def _place(cx: Connection, path: Sequence[str], at: str) -> int | None:
    """The topic that ``path`` means, made where it is new; None for a path without names.

    A path that has been led elsewhere may be too long from there: it ends at the lowest level.
    """
    place = topics.TOP
    for name in path[:LONGEST_TOPIC_PATH]:
        canonical = canonical_of(name)
        if not canonical:
            continue  # of an older store: such a name is refused by now
        found, end, level = topics.meant(cx, place, canonical), place, 0
        while found is None and end != topics.TOP:
            level, merged_into = topics.standing(cx, end)
            if merged_into is None:
                break
            end = merged_into
            found = topics.meant(cx, end, canonical)
        if found is None:
            if level == LONGEST_TOPIC_PATH:
                break
            found = topics.create(cx, end, level + 1, " ".join(name.split()), canonical, at)
        place = found
    return _end(cx, place) if place != topics.TOP else None


def _end(cx: Connection, topic_id: int) -> int:
    """What a topic means after all merges."""
    merged_into: int | None = topic_id
    while merged_into is not None:
        topic_id = merged_into
        _, merged_into = topics.standing(cx, topic_id)
    return topic_id
