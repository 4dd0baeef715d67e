"""Atoms and the graph: single facts with a lifetime, and the people, topics and facts that memories mention.

Free of behaviour. An edge is not a row: two entities are related by the memories that mention both.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from engine.types.recall import Filters

AtomType = Literal["planned", "preference", "relational", "factual", "episodic", "unknown"]
AtomStatus = Literal["active", "dormant", "superseded", "expired", "forgotten", "purged", "needs_repair"]
DecayKind = Literal["exponential", "linear", "step"]
EntityType = Literal["topic", "person", "fact"]
RelationKind = Literal["describes", "mentioned_in", "co_occurs_with"]

ATOM_TYPES: tuple[AtomType, ...] = ("planned", "preference", "relational", "factual", "episodic", "unknown")
ENTITY_TYPES: tuple[EntityType, ...] = ("topic", "person", "fact")


@dataclass(frozen=True, slots=True)
class Atom:
    """One fact with a shelf life. ``text`` as its earliest memory says it; ``memory_ids`` say it, ascending.

    ``ttl_days`` runs from the later of creation and reinforcement to ``expires_at``.
    """

    id: int
    text: str
    type: AtomType
    memory_ids: tuple[int, ...]
    conversation_id: str | None
    persona_id: str | None
    importance: float
    confidence: float
    event_time: datetime | None
    status: AtomStatus
    status_at: datetime
    created_at: datetime
    last_accessed_at: datetime | None
    last_reinforced_at: datetime | None
    reinforcement_count: int
    ttl_days: float
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class AtomQuery:
    """A question to the atoms. ``filters`` apply to the memories that say them; ``k`` 1..50."""

    text: str
    k: int = 5
    filters: Filters = field(default_factory=Filters)
    types: tuple[AtomType, ...] = ()


@dataclass(frozen=True, slots=True)
class AtomHit:
    """A found atom: ``score`` = its share of the best BM25 (0..1) × ``factor``, what its lifetime leaves of it."""

    atom: Atom
    score: float
    factor: float


@dataclass(frozen=True, slots=True)
class Entity:
    """A node of the graph. ``key`` = "type:canonical" names it outside; ``memories``: how many mention it."""

    id: int
    key: str
    type: EntityType
    name: str
    memories: int
    spellings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """Two entities that memories mention together. ``weight``: in how many; ``confidence`` 0..1: the best of them;
    ``evidence``: the ids of some, the newest first.
    """

    source: Entity
    target: Entity
    kind: RelationKind
    weight: int
    confidence: float
    evidence: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What surrounds an entity within some hops, the strongest first; ``omitted`` counts what the limit left out."""

    centre: Entity
    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    omitted: int = 0


@dataclass(frozen=True, slots=True)
class ConnectingPath:
    """A shortest way between two entities: ``entities`` from one end to the other, one relation between each two.

    Empty when there is none within the hops that were looked at.
    """

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]


@dataclass(frozen=True, slots=True)
class Alias:
    """What a user (or a merge) decided: ``canonical`` of ``type`` means ``target``, shown as ``name``.

    ``memory_id`` 0 = everywhere; else only where that memory mentions it (two people of one name).
    """

    type: EntityType
    canonical: str
    target: str
    name: str
    memory_id: int = 0
