"""The topic hierarchy as a value: which topics there are, what names mean, and how two states of it differ.

Pure: made of rows, changed in memory, compared. What a decision does is what it makes of a tree; writing the
difference and filing the memories anew is ``topics.py``'s. Must not know memories.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from engine.errors import InvalidArgument, NotFound
from engine.ingest.filing import canonical_of
from engine.storage.topics import TOP, NameRow, TopicRow
from engine.types import LONGEST_TOPIC_PATH

_Key = tuple[int, str]
# No way up is longer in a sound tree; one that is, is a circle.
_WAY_UP: Final = LONGEST_TOPIC_PATH + 1


class Tree:
    """All topics and names. ``topics`` by id, merged ones included; ``names`` by (place, canonical)."""

    def __init__(self, topics: Iterable[TopicRow], names: Iterable[NameRow]) -> None:
        self.topics = {row.id: row for row in topics}
        self.names = {(row.place_id, row.canonical): row for row in names}

    def copy(self) -> Tree:
        """One that can be changed without changing this."""
        return Tree(self.topics.values(), self.names.values())

    # Looking -------------------------------------------------------------------------------------------------

    def live(self, topic_id: int) -> TopicRow:
        """A topic that was not merged into another. Errors: ``NotFound``."""
        row = self.topics.get(topic_id)
        if row is None or row.merged_into is not None:
            raise NotFound(kind="topic", id=topic_id)
        return row

    def all_live(self) -> list[TopicRow]:
        """The topics that were not merged into others, the oldest first."""
        return [row for row in self.topics.values() if row.merged_into is None]

    def end(self, topic_id: int) -> int:
        """What a topic means after all merges; ``TOP`` means itself."""
        while topic_id != TOP and (into := self.topics[topic_id].merged_into) is not None:
            topic_id = into
        return topic_id

    def parent(self, topic_id: int) -> int:
        """The topic that this one is shown below, or ``TOP``."""
        return self.end(self.topics[topic_id].parent_id)

    def known(self, place: int, canonical: str) -> int | None:
        """What a name means here after all merges, or None: as filing follows it."""
        while True:
            row = self.names.get((place, canonical))
            if row is not None:
                return self.end(row.topic_id)
            into = self.topics[place].merged_into if place != TOP else None
            if into is None:
                return None
            place = into

    def way(self, topic_id: int) -> list[int]:
        """From the top down to the topic. Errors: ``InvalidArgument`` "too_deep" for a way that is too long."""
        found: list[int] = []
        while topic_id != TOP:
            found.append(topic_id)
            if len(found) >= _WAY_UP:
                raise InvalidArgument(field="parent", reason="too_deep", limit=LONGEST_TOPIC_PATH)
            topic_id = self.parent(topic_id)
        return found[::-1]

    def children(self) -> dict[int, list[int]]:
        """The live topics directly below each, in the order of their names."""
        found: dict[int, list[int]] = {}
        for row in sorted(self.all_live(), key=lambda one: (canonical_of(one.name), one.id)):
            found.setdefault(self.parent(row.id), []).append(row.id)
        return found

    def below(self, topic_id: int) -> set[int]:
        """The topic and all live ones below it."""
        children = self.children()
        found, todo = {topic_id}, [topic_id]
        while todo:
            for child in children.get(todo.pop(), ()):
                if child not in found:
                    found.add(child)
                    todo.append(child)
        return found

    def names_of(self, topic_id: int) -> list[NameRow]:
        """Every name that means this topic somewhere, each once, its own first."""
        own = canonical_of(self.topics[topic_id].name)
        found: dict[str, NameRow] = {}
        for row in self.names.values():
            if self.end(row.topic_id) == topic_id:
                found.setdefault(row.canonical, row)
        return sorted(found.values(), key=lambda row: (row.canonical != own, row.canonical))

    def aliases(self) -> dict[int, tuple[str, ...]]:
        """The other names of each topic that has any."""
        found: dict[int, dict[str, str]] = {}
        for row in self.names.values():
            found.setdefault(self.end(row.topic_id), {}).setdefault(row.canonical, row.name)
        own = {row.id: canonical_of(row.name) for row in self.all_live()}
        return {
            topic_id: tuple(name for canonical, name in sorted(named.items()) if canonical != own[topic_id])
            for topic_id, named in found.items()
        }

    def reach(self, topic_ids: Iterable[int]) -> set[int]:
        """Where a path that passes one of these topics may lead: what is named below them, and below that."""
        places: dict[int, list[int]] = {}
        for row in self.names.values():
            places.setdefault(row.place_id, []).append(row.topic_id)
        found = {one for one in topic_ids if one in self.topics}
        todo = list(found)
        while todo:
            one = todo.pop()
            into = self.topics[one].merged_into
            for other in (*places.get(one, ()), *(() if into is None else (into,))):
                if other not in found:
                    found.add(other)
                    todo.append(other)
        return found

    # Changing ------------------------------------------------------------------------------------------------

    def put(self, row: TopicRow) -> None:
        """A topic as it is to be."""
        self.topics[row.id] = row

    def lead(self, place: int, name: str, canonical: str, topic_id: int) -> None:
        """Let a name mean the topic here, unless it means something already."""
        if self.known(place, canonical) is None:
            self.names[place, canonical] = NameRow(place, canonical, topic_id, name)

    def settle(self, topic_id: int, parent: int) -> None:
        """Put a topic below another, known there by all its names that are free."""
        self.put(replace(self.topics[topic_id], parent_id=parent))
        for row in self.names_of(topic_id):
            self.lead(parent, row.name, row.canonical, topic_id)

    def drop(self, topic_id: int) -> None:
        """Take a topic out, with what was merged into it, the names of these, and the names below them."""
        gone = {one for one in self.topics if self.end(one) == topic_id}
        self.names = {
            key: row for key, row in self.names.items() if row.topic_id not in gone and row.place_id not in gone
        }
        self.topics = {one: row for one, row in self.topics.items() if one not in gone}

    def level(self) -> None:
        """Give every topic the level at which it is shown. Errors: ``InvalidArgument`` "too_deep"."""
        for row in self.all_live():
            level = len(self.way(row.id))
            if level != row.level:
                self.put(replace(row, level=level))


def changed_topics(before: Tree, after: Tree) -> Iterator[tuple[TopicRow | None, TopicRow | None]]:
    """The topics that differ, as they were and as they are; None where there is none."""
    for topic_id in sorted(before.topics.keys() | after.topics.keys()):
        old, new = before.topics.get(topic_id), after.topics.get(topic_id)
        if old is None or new is None or old != replace(new, touched=old.touched):
            yield old, new


def changed_names(before: Tree, after: Tree) -> Iterator[tuple[NameRow | None, NameRow | None]]:
    """The names that differ, as :func:`changed_topics`."""
    for key in sorted(before.names.keys() | after.names.keys()):
        old, new = before.names.get(key), after.names.get(key)
        if old != new:
            yield old, new


def moved_through(before: Tree, after: Tree) -> set[int]:
    """The topics under which memories may be filed whose paths mean something else now."""
    turned: set[int] = set()
    for old, new in changed_topics(before, after):
        if old is not None and (new is None or old.merged_into != new.merged_into or _risen(old, new)):
            turned.add(old.id)
    for was, now in changed_names(before, after):
        if was is not None and now is not None and was.topic_id == now.topic_id:
            continue  # only written otherwise
        row = was or now
        if row is not None and (row.place_id == TOP or row.place_id in before.topics):
            known = before.known(row.place_id, row.canonical)
            turned.update(() if known is None else (known,))
            turned.update(() if was is None else (was.topic_id,))
    return before.reach(turned)


def _risen(old: TopicRow, new: TopicRow) -> bool:
    """Whether a path that had to end at this topic goes on below it now."""
    return old.level == LONGEST_TOPIC_PATH > new.level
