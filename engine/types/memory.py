"""A memory, what is offered to become one, and who acts. Free of behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Layer = Literal["fact", "state", "event", "decision"]
MemoryStatus = Literal["active", "pending", "dormant", "archived", "superseded", "expired", "trashed"]
Sensitivity = Literal["normal", "medium", "high"]

LAYERS: tuple[Layer, ...] = ("fact", "state", "event", "decision")
STATUSES: tuple[MemoryStatus, ...] = (
    "active", "pending", "dormant", "archived", "superseded", "expired", "trashed",
)  # fmt: skip
SENSITIVITIES: tuple[Sensitivity, ...] = ("normal", "medium", "high")
# What a plain recall or list may show: everything but what was replaced, has run out or lies in the trash.
FINDABLE: tuple[MemoryStatus, ...] = ("active", "dormant", "archived")


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: ``kind`` is "client", "gui", "cli" or "rule"; ``name`` says which one."""

    kind: Literal["client", "gui", "cli", "rule"]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """What a caller offers to be remembered. Only ``content`` is needed; None means "not given"."""

    content: str
    title: str = ""
    summary: str = ""
    compressed: str = ""
    layer: Layer | None = None
    category: str = ""
    importance: float | None = None
    emotion_intensity: float = 0.0
    valence: float = 0.0
    mood: str = ""
    sentiment: str = ""
    tags: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    key_facts: tuple[str, ...] = ()
    sensitivity: Sensitivity = "normal"
    pinned: bool = False
    conversation_id: str | None = None
    session_id: str | None = None
    persona_id: str | None = None
    source_agent: str = ""
    source_client: str = ""
    source_text: str = ""
    event_time: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    # Ids under which other systems know this text; kept through reinforcement and merging.
    external_ids: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    # What only some memories have.
    related: tuple[int, ...] = ()
    context: str = ""
    persona_summary: str = ""
    entities: tuple[str, ...] = ()
    tone: Mapping[str, Any] = field(default_factory=dict)
    residual: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""
    effective_methods: tuple[str, ...] = ()
    trigger: str = ""
    trigger_name: str = ""
    trigger_text: str = ""
    created_context: Mapping[str, Any] = field(default_factory=dict)
    updated_context: Mapping[str, Any] = field(default_factory=dict)
    modalities: tuple[Mapping[str, Any], ...] = ()
    topic_path: tuple[str, ...] = ()
    digest_level: int = 0
    digest_period: str = ""
    sources: tuple[int, ...] = ()
    # When it was told, where that was not now: "tomorrow" counts from it.
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory as stored. ``importance`` is as it was given, ``strength`` is what decays and scores.

    ``valid_from``/``valid_to``: when a state or fact held; ``superseded_by``: the memory that replaced it;
    ``surprise``: 1 − the best cosine to what was known when it came, 0..1 (S1), None where that was not known.
    ``sources`` and ``related`` are memory ids.
    """

    id: int
    uid: str
    title: str
    content: str
    summary: str
    compressed: str
    layer: Layer
    category: str
    importance: float
    strength: float
    emotion_intensity: float
    valence: float
    mood: str
    sentiment: str
    tags: tuple[str, ...]
    topics: tuple[str, ...]
    participants: tuple[str, ...]
    key_facts: tuple[str, ...]
    sensitivity: Sensitivity
    status: MemoryStatus
    pinned: bool
    protected: bool
    resolved: bool
    conversation_id: str | None
    session_id: str | None
    persona_id: str | None
    position: int | None
    source_agent: str
    source_client: str
    source_text: str
    event_time: datetime | None
    valid_from: datetime | None
    valid_to: datetime | None
    superseded_by: int | None
    surprise: float | None
    external_ids: tuple[str, ...]
    extra: Mapping[str, Any]
    created_at: datetime
    updated_at: datetime
    last_accessed_at: datetime | None
    access_count: float
    recall_count: int
    # What only some memories have.
    related: tuple[int, ...] = ()
    context: str = ""
    persona_summary: str = ""
    entities: tuple[str, ...] = ()
    tone: Mapping[str, Any] = field(default_factory=dict)
    residual: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""
    effective_methods: tuple[str, ...] = ()
    trigger: str = ""
    trigger_name: str = ""
    trigger_text: str = ""
    created_context: Mapping[str, Any] = field(default_factory=dict)
    updated_context: Mapping[str, Any] = field(default_factory=dict)
    modalities: tuple[Mapping[str, Any], ...] = ()
    topic_path: tuple[str, ...] = ()
    digest_level: int = 0
    digest_period: str = ""
    sources: tuple[int, ...] = ()

    @property
    def occurred_at(self) -> datetime:
        """When it is about: the event's time, else when it was stored."""
        return self.event_time or self.created_at


# The fields of a Memory that ``edit`` may change; everything else is derived or belongs to the engine.
EDITABLE: frozenset[str] = frozenset(
    {
        "title", "content", "summary", "compressed", "layer", "category", "importance", "emotion_intensity",
        "valence", "mood", "sentiment", "tags", "topics", "participants", "key_facts", "sensitivity", "status",
        "pinned", "protected", "resolved", "conversation_id", "session_id", "persona_id", "source_agent",
        "event_time", "valid_from", "valid_to", "extra", "related", "context", "persona_summary", "entities", "tone",
        "residual", "why", "effective_methods", "trigger", "trigger_name", "trigger_text", "created_context",
        "updated_context", "modalities", "topic_path", "digest_level", "digest_period", "sources",
    }
)  # fmt: skip
