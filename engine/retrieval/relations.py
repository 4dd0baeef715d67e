"""Questions to the graph: who is meant, what surrounds an entity, how two are connected, what a memory mentions.

Bounded: an entity is looked at through its newest memories, and a question through a fixed number of them, so that
one that everything mentions costs no more than others. Only memories that pass the filters count. Must not write.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from engine.errors import InvalidArgument, NotFound
from engine.index import entries
from engine.ingest.entities import canonicalise, resolve
from engine.storage import graph, relations, selection
from engine.storage.database import Connection
from engine.storage.relations import Reader, Seen
from engine.text import terms
from engine.types import (
    ENTITY_TYPES,
    ConnectingPath,
    Entity,
    EntityType,
    Filters,
    Neighbourhood,
    Relation,
    RelationKind,
)

MOST_HOPS: Final = 3
MOST_PATH_HOPS: Final = 6
MOST_ENTITIES: Final = 500
# ``Entity.memories`` counts up to here: each costs a look-up.
COUNTED: Final = 200
PER_ENTITY: Final = 500
_PER_NEIGHBOURHOOD: Final = 600
_PER_PATH: Final = 6_000
# The outermost entities of a neighbourhood are read this far, and all together so far, to relate them to each other.
_AT_THE_RIM: Final = 20
_RIM: Final = 200
_EVIDENCE: Final = 10
_LONGEST_NAME: Final = 400
_Key = TypeVar("_Key", bound=Hashable)
# Confidence of a relation (S0): with the facts' atoms nine tenths of theirs, without, these.
_OF_ATOM: Final = 0.9
_UNKNOWN: Final[dict[RelationKind, float]] = {"describes": 0.82, "mentioned_in": 0.88, "co_occurs_with": 0.70}


def entities_named(
    cx: Connection, text: str, filters: Filters, limit: int = 10, types: Sequence[EntityType] = ()
) -> list[Entity]:
    """The entities that ``text`` may mean: those of exactly this name or alias first, then by their words.

    Errors: ``InvalidArgument`` for field "limit".
    """
    _check("limit", limit, MOST_ENTITIES)
    text = text[:_LONGEST_NAME].encode("utf-8", "replace").decode("utf-8")
    exact: list[int | None] = []
    for kind in types or ENTITY_TYPES:
        canonical = canonicalise(kind, text)
        exact.append(graph.find(cx, kind, resolve(cx, kind, canonical)) if canonical else None)
    expression = terms.fts_query(terms.query_terms(text))
    # Several spellings may lead to one entity.
    hits = entries.search(cx, expression, limit * 4, filters, types)
    nodes = [one for one in exact if one is not None] + relations.nodes_of_entries(cx, (hit[0] for hit in hits))
    found = Reader(cx, filters).entities(list(dict.fromkeys(nodes))[: limit + len(exact)], COUNTED)
    return list(found.values())[:limit]


def most_mentioned(cx: Connection, filters: Filters, limit: int, types: Sequence[EntityType] = ()) -> list[Entity]:
    """Whom and what most memories mention, people and topics unless ``types`` says otherwise.

    Errors: ``InvalidArgument`` for field "limit".
    """
    _check("limit", limit, MOST_ENTITIES)
    nodes = relations.most_mentioned(cx, types or ("topic", "person"), limit, filters)
    return list(Reader(cx, filters).entities(nodes, most=COUNTED).values())


def of_memory(cx: Connection, memory_id: int, filters: Filters) -> list[Entity]:
    """What this memory mentions, people and topics before facts; [] where it does not pass ``filters``."""
    if not selection.restrict(cx, (memory_id,), filters):
        return []
    reader = Reader(cx, filters)
    seen = sorted(reader.mentions_in((memory_id,)), key=lambda one: one.type == "fact")
    return list(reader.entities((one.node_id for one in seen), COUNTED).values())


def neighbourhood(cx: Connection, node_id: int, hops: int, limit: int, filters: Filters) -> Neighbourhood:
    """What surrounds the entity within ``hops`` (1..3), at most ``limit`` entities: nearer ones first, then those that
    share more memories, people and topics before facts.

    Weights count the memories looked at: all, but no more than the newest 500 of an entity.
    Errors: ``NotFound``; ``InvalidArgument`` for field "hops" or "limit".
    """
    _check("hops", hops, MOST_HOPS)
    _check("limit", limit, MOST_ENTITIES)
    reader = Reader(cx, filters)
    _require(reader, node_id)
    look = _Look(reader, _PER_NEIGHBOURHOOD)
    chosen, frontier, seen = [node_id], [node_id], {node_id}
    for _ in range(hops):
        found: dict[int, _Link] = {}
        for one in frontier:
            for other, link in look.links(one).items():
                found.setdefault(other, _Link(link.type)).add(link)
        for known in chosen:
            found.pop(known, None)
        best = sorted(found, key=lambda other: found[other].order(other))
        frontier = best[: limit + 1 - len(chosen)]
        chosen += frontier
        seen.update(best)
    look.read(frontier, _AT_THE_RIM, _RIM)
    told = reader.entities(chosen, COUNTED)
    around = tuple(told[one] for one in chosen[1:])
    return Neighbourhood(told[node_id], around, tuple(look.among(told)), len(seen) - len(chosen))


def path(cx: Connection, from_id: int, to_id: int, hops: int, filters: Filters) -> ConnectingPath:
    """A shortest way of at most ``hops`` (1..6) relations; of several the one through fewer facts, then through more
    shared memories. It leads through a fact only where several memories say it.

    Errors: ``NotFound``; ``InvalidArgument`` for field "hops".
    """
    _check("hops", hops, MOST_PATH_HOPS)
    reader = Reader(cx, filters)
    for end in (from_id, to_id):
        _require(reader, end)
    look = _Look(reader, _PER_PATH)
    start, goal = _Side(look, from_id), _Side(look, to_id)
    met = [from_id] if from_id == to_id else []
    for _ in range(hops):
        if met or not (start.frontier and goal.frontier):
            break
        side, other = (start, goal) if len(start.frontier) <= len(goal.frontier) else (goal, start)
        met = [one for one in side.advance() if one in other.reached and side.passable(one, other.origin)]
    if not met:
        return ConnectingPath((), ())
    middle = min(met, key=lambda one: (_facts(start, goal, one), -start.weight(one) - goal.weight(one), one))
    head, tail = start.way(middle), goal.way(middle)
    nodes = [*reversed([middle, *(node for node, _ in head)]), *(node for node, _ in tail)]
    links = [*reversed([link for _, link in head]), *(link for _, link in tail)]
    told = reader.entities(nodes, COUNTED)
    ways = zip(nodes, nodes[1:], links, strict=False)
    return ConnectingPath(
        tuple(told[one] for one in nodes), tuple(link.relation(told[one], told[other]) for one, other, link in ways)
    )


@dataclass(slots=True)
class _Link:
    """One entity as seen from another: its type, the memories that mention both (newest first), the best confidence."""

    type: EntityType
    memories: dict[int, None] = field(default_factory=dict)
    confidence: float = 0.0

    def add(self, other: _Link) -> None:
        self.memories |= other.memories
        self.confidence = max(self.confidence, other.confidence)

    def order(self, node_id: int) -> tuple[int, bool, float, int]:
        return -len(self.memories), self.type == "fact", -self.confidence, node_id

    def relation(self, one: Entity, other: Entity) -> Relation:
        if one.type == "fact" and other.type != "fact":
            one, other = other, one
        newest = tuple(sorted(self.memories, reverse=True)[:_EVIDENCE])
        kind = _kind(one.type, other.type)
        return Relation(one, other, kind, len(self.memories), round(self.confidence, 6), newest)


class _Look:
    """What one question has read so far, and how many more memories it may read."""

    def __init__(self, reader: Reader, budget: int) -> None:
        self._reader = reader
        self._budget = budget
        self._said: dict[int, dict[int, Seen]] = {}  # memory -> entity -> its best mention
        self._links: dict[int, dict[int, _Link]] = {}

    def links(self, node_id: int) -> dict[int, _Link]:
        """The entities that the newest memories of this one mention as well."""
        if node_id in self._links:
            return self._links[node_id]
        found: dict[int, _Link] = {}
        for memory_id in self._memories(node_id, PER_ENTITY):
            said = self._said[memory_id]
            own = said.get(node_id)
            if own is None:  # a fact whose life is over here
                continue
            for other_id, other in said.items():
                if other_id != node_id:
                    _count(found, other_id, memory_id, own, other)
        self._links[node_id] = found
        return found

    def read(self, nodes: Iterable[int], most: int, budget: int) -> None:
        """Read the newest memories of each of these entities, within a budget of its own."""
        self._budget = budget
        for node_id in nodes:
            self._memories(node_id, most)

    def among(self, told: Mapping[int, Entity]) -> list[Relation]:
        """The relations between these entities in all memories read, the strongest first."""
        found: dict[tuple[int, int], _Link] = {}
        for memory_id, said in self._said.items():
            here = sorted(told.keys() & said.keys())
            for at, one in enumerate(here):
                for other in here[at + 1 :]:
                    _count(found, (one, other), memory_id, said[one], said[other])
        made = [link.relation(told[one], told[other]) for (one, other), link in found.items()]
        return sorted(made, key=lambda one: (-one.weight, -one.confidence, one.source.id, one.target.id))

    def _memories(self, node_id: int, most: int) -> list[int]:
        allowed = min(most, self._budget)
        memories = self._reader.memories_of(node_id, allowed) if allowed > 0 else []
        new = [one for one in memories if one not in self._said]
        self._budget -= len(new)
        self._said.update((one, {}) for one in new)
        for seen in self._reader.mentions_in(new):
            said = self._said[seen.memory_id]
            before = said.get(seen.node_id)
            if before is None or (seen.confidence or 0.0) > (before.confidence or 0.0):
                said[seen.node_id] = seen
        return memories


@dataclass(frozen=True, slots=True)
class _Step:
    """How an entity was reached: facts and shared memories on the way, from where, by what."""

    facts: int
    weight: int
    previous: int
    link: _Link | None


class _Side:
    """One end of a path and what is known around it, level by level."""

    def __init__(self, look: _Look, origin: int) -> None:
        self._look = look
        self.origin = origin
        self.reached: dict[int, _Step] = {origin: _Step(0, 0, origin, None)}
        self.frontier = [origin]

    def advance(self) -> list[int]:
        """Go one level further; returns what is new."""
        found: dict[int, _Step] = {}
        for one in sorted(self.frontier, key=lambda one: (self.reached[one].facts, -self.reached[one].weight, one)):
            if not self.passable(one, self.origin):
                continue
            step = self.reached[one]
            facts = step.facts + (one != self.origin and self.is_fact(one))
            for other, link in self._look.links(one).items():
                better = _Step(facts, step.weight + len(link.memories), one, link)
                known = found.get(other)
                if other not in self.reached and (known is None or _order(better) < _order(known)):
                    found[other] = better
        self.reached.update(found)
        self.frontier = list(found)
        return self.frontier

    def weight(self, node_id: int) -> int:
        return self.reached[node_id].weight

    def is_fact(self, node_id: int) -> bool:
        link = self.reached[node_id].link
        return link is not None and link.type == "fact"

    def passable(self, node_id: int, end: int) -> bool:
        """Whether a way may lead on from here: from an end always, through a fact only if several memories say it."""
        if node_id in (self.origin, end) or not self.is_fact(node_id):
            return True
        links = self._look.links(node_id).values()
        return len(set().union(*(link.memories for link in links))) > 1

    def way(self, node_id: int) -> list[tuple[int, _Link]]:
        """(entity, link to it) from ``node_id`` (left out) back to the origin."""
        found: list[tuple[int, _Link]] = []
        while (step := self.reached[node_id]).link is not None:
            found.append((step.previous, step.link))
            node_id = step.previous
        return found


def _order(step: _Step) -> tuple[int, int, int]:
    return step.facts, -step.weight, step.previous


def _facts(start: _Side, goal: _Side, middle: int) -> int:
    """How many facts lie on the way through ``middle``, its ends not counted."""
    between = middle not in (start.origin, goal.origin) and start.is_fact(middle)
    return start.reached[middle].facts + goal.reached[middle].facts + between


def _count(found: dict[_Key, _Link], key: _Key, memory_id: int, one: Seen, other: Seen) -> None:
    """One more memory that mentions both."""
    link = found.get(key)
    if link is None:
        link = found[key] = _Link(other.type)
    link.memories[memory_id] = None
    confidence = _confidence(one, other)
    if confidence > link.confidence:
        link.confidence = confidence


def _kind(one: EntityType, other: EntityType) -> RelationKind:
    if one == other == "fact":
        return "mentioned_in"
    return "describes" if "fact" in (one, other) else "co_occurs_with"


def _confidence(one: Seen, other: Seen) -> float:
    """S0: nine tenths of the atoms' confidence (the lower of two), or what holds where no atom is known."""
    if one.type != "fact" != other.type:
        return _UNKNOWN["co_occurs_with"]
    known = [seen.confidence for seen in (one, other) if seen.confidence is not None]
    return _OF_ATOM * min(known) if known else _UNKNOWN[_kind(one.type, other.type)]


def _require(reader: Reader, node_id: int) -> None:
    known = bool(selection.id_array((node_id,))) and reader.memories_of(node_id, 1)
    if not known:
        raise NotFound(kind="entity", id=node_id)


def _check(name: str, value: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidArgument(field=name, reason="not_a_number")
    if not 1 <= value <= high:
        raise InvalidArgument(field=name, reason="out_of_range", allowed=[1, high])
