"""What belongs to a memory without being in it: its facts, whom it mentions, and the memories it is tied to.

Pure values and words; imports no Qt. Must not fetch anything (``loader.py`` does).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.types import Atom, Entity, Memory

# A digest may be made from hundreds; more links than this are counted, not shown.
MOST_LINKS = 30


@dataclass(frozen=True, slots=True)
class Around:
    """As far as it is known of the memory ``memory_id``; ``linked`` holds the memories of :func:`links`.

    ``replaced``: what it has replaced, the oldest first.
    """

    memory_id: int
    facts: tuple[Atom, ...] = ()
    entities: tuple[Entity, ...] = ()
    replaced: tuple[Memory, ...] = ()
    linked: Mapping[int, Memory] = field(default_factory=dict)


def links(memory: Memory) -> tuple[int, ...]:
    """The ids of the memories whose names are shown with ``memory``."""
    after = () if memory.superseded_by is None else (memory.superseded_by,)
    return tuple(dict.fromkeys((*after, *memory.related[:MOST_LINKS], *memory.sources[:MOST_LINKS])))


def names(memory: Memory, around: Around) -> list[tuple[str, str]]:
    """(type, name) of the people and topics of a memory: as the graph knows them, and what the graph left out."""
    found: list[tuple[str, str]] = []
    for kind, own in (("person", memory.participants), ("topic", memory.topics)):
        known = [one for one in around.entities if one.type == kind]
        found += [(kind, one.name) for one in known]
        # The graph keeps the first few of a memory; with no more than it has, the rest are its names in other words.
        if len(own) > len(known):
            covered = {plain(name) for one in known for name in (one.name, *one.spellings)}
            found += [(kind, name) for name in own if plain(name) not in covered]
    return list(dict.fromkeys(found))


def told_facts(memory: Memory, around: Around) -> tuple[Atom, ...]:
    """The facts worth a line of their own: none where the only one is the memory's own text."""
    alone = len(around.facts) == 1 and plain(around.facts[0].text) == plain(memory.content)
    return () if alone else around.facts


def plain(text: str) -> str:
    """``text`` without what does not change what it says: white space, case, the stop at its end."""
    return " ".join(text.split()).rstrip(" .。!！").casefold()
