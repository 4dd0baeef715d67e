"""The verbs of atoms and graph as futures: ``Service.graph``. Each only chooses where it runs; no logic of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Protocol, TypeVar

from engine.graph import Graph
from engine.types import (
    Actor,
    Alias,
    Atom,
    AtomHit,
    AtomQuery,
    Changes,
    ConnectingPath,
    Entity,
    EntityType,
    Filters,
    Neighbourhood,
)

T = TypeVar("T")


class Reader(Protocol):
    """Runs a function on a reader thread."""

    def __call__(self, work: Callable[[], T], /) -> Future[T]: ...


Writer = Callable[[Callable[[], Changes]], Future[Changes]]
_USER_WIDE = Filters()


class GraphService:
    """``read`` and ``write`` are the service's. Errors: as the verbs of ``engine.graph.Graph``."""

    def __init__(self, graph: Graph, read: Reader, write: Writer) -> None:
        self._graph = graph
        self._read = read
        self._write = write

    def entities(
        self, text: str = "", types: Sequence[EntityType] = (), limit: int = 20, filters: Filters = _USER_WIDE
    ) -> Future[tuple[Entity, ...]]:
        """Entities by name, the best first; without a text those that most memories mention."""
        return self._read(lambda: self._graph.entities(text, types, limit, filters))

    def neighbourhood(
        self, entity_id: int, hops: int = 1, limit: int = 20, filters: Filters = _USER_WIDE
    ) -> Future[Neighbourhood]:
        """What surrounds an entity, 1–3 hops."""
        return self._read(lambda: self._graph.neighbourhood(entity_id, hops, limit, filters))

    def path(self, from_id: int, to_id: int, hops: int = 4, filters: Filters = _USER_WIDE) -> Future[ConnectingPath]:
        """A shortest way from one entity to another, with the memories that prove each step."""
        return self._read(lambda: self._graph.path(from_id, to_id, hops, filters))

    def of_memory(self, memory_id: int, filters: Filters | None = None) -> Future[tuple[Entity, ...]]:
        """Whom and what a memory mentions; ``filters``: as which memories spell and count it, None = all."""
        more = () if filters is None else (filters,)
        return self._read(lambda: self._graph.of_memory(memory_id, *more))

    def atoms(self, memory_id: int) -> Future[tuple[Atom, ...]]:
        """The facts that a memory says."""
        return self._read(lambda: self._graph.atoms(memory_id))

    def search_atoms(self, query: AtomQuery) -> Future[tuple[AtomHit, ...]]:
        """Single facts that answer a question."""
        return self._read(lambda: self._graph.search_atoms(query))

    def aliases(self) -> Future[tuple[Alias, ...]]:
        """Every decision about names."""
        return self._read(self._graph.aliases)

    def merge(self, ids: Sequence[int], into: int, actor: Actor) -> Future[Changes]:
        """They are one entity."""
        return self._write(lambda: self._graph.merge(tuple(ids), into, actor))

    def rename(self, entity_id: int, name: str, actor: Actor) -> Future[Changes]:
        """Shown and found under ``name``."""
        return self._write(lambda: self._graph.rename(entity_id, name, actor))

    def split(
        self, entity_id: int, actor: Actor, *, spellings: Sequence[str] = (), memory_ids: Sequence[int] = ()
    ) -> Future[Changes]:
        """Some spellings, or what some memories say, are another entity."""
        return self._write(lambda: self._graph.split(entity_id, spellings, memory_ids, actor))

    def set_alias(self, kind: EntityType, text: str, target: str, actor: Actor) -> Future[Changes]:
        """``text`` means ``target`` from now on."""
        return self._write(lambda: self._graph.set_alias(kind, text, target, actor))

    def drop_alias(self, kind: EntityType, text: str, actor: Actor) -> Future[Changes]:
        """``text`` means itself again."""
        return self._write(lambda: self._graph.drop_alias(kind, text, actor))
