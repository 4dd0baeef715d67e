"""The values that cross the engine's border: frozen, typed, free of behaviour.

Everything above the engine (GUI, MCP, CLI) speaks in these. They hold no connection, no lock and no
prose for people. Lists are tuples, times are aware datetimes in UTC, scores are floats in 0..1 unless
said otherwise. Must not import any other engine module.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Layer = Literal["fact", "state", "event", "decision"]
MemoryStatus = Literal["active", "pending", "dormant", "archived", "superseded", "expired", "trashed"]
Sensitivity = Literal["normal", "medium", "high"]
Outcome = Literal["stored", "reinforced"]
Form = Literal["full", "compressed", "summary", "cut"]
Sort = Literal["newest", "oldest", "importance", "strength", "updated", "title"]

LAYERS: tuple[Layer, ...] = ("fact", "state", "event", "decision")
STATUSES: tuple[MemoryStatus, ...] = (
    "active", "pending", "dormant", "archived", "superseded", "expired", "trashed",
)  # fmt: skip
SENSITIVITIES: tuple[Sensitivity, ...] = ("normal", "medium", "high")
# What a plain recall or list may show: everything but what was replaced, has run out or lies in the trash.
FINDABLE: tuple[MemoryStatus, ...] = ("active", "dormant", "archived")
ALL_SCOPES = "all"


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
    # Ids under which other systems know this text; kept through reinforcement and merging.
    external_ids: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory as stored. ``importance`` is as it was given, ``strength`` is what decays and scores."""

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
    external_ids: tuple[str, ...]
    extra: Mapping[str, Any]
    created_at: datetime
    updated_at: datetime
    last_accessed_at: datetime | None
    access_count: float
    recall_count: int

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
        "event_time", "extra",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Filters:
    """Which memories a read may see. Empty tuples and None filter nothing.

    ``scope``: None = user-wide memories only; a conversation id = that conversation's and the user-wide ones;
    ``ALL_SCOPES`` = everything. ``tags``: a memory must carry all of them (case-insensitive).
    ``since``/``until``: half-open range [since, until) over ``Memory.occurred_at``.
    """

    scope: str | None = None
    persona_id: str | None = None
    layers: tuple[Layer, ...] = ()
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    statuses: tuple[MemoryStatus, ...] = FINDABLE
    sensitivities: tuple[Sensitivity, ...] = ()
    clients: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    pinned: bool | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """A question to the recall engine. ``k`` 1..50 hits; ``budget`` in tokens over all hit texts, None = no limit.

    ``overrides`` are parameter values for this one recall (previews, benchmarks); ``reinforce`` False leaves
    no trace (the GUI looks without warming). ``near_misses``: how many held-back candidates to report.
    """

    text: str
    k: int = 5
    filters: Filters = field(default_factory=Filters)
    include_sensitive: bool = False
    explain: bool = False
    budget: int | None = 1500
    near_misses: int = 0
    reinforce: bool = True
    overrides: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Channel:
    """One way a memory was found: ``rank`` from 1, ``raw`` the channel's own value, ``share`` of the final score."""

    name: Literal["lexical", "vector"]
    rank: int
    raw: float
    share: float


@dataclass(frozen=True, slots=True)
class Factor:
    """Something that moved a score: ``name`` is a slug ("importance", "recency", "diversity"), ``value`` added."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a memory was recalled: channel shares and factors add up to ``Hit.score``."""

    channels: tuple[Channel, ...]
    factors: tuple[Factor, ...]
    matched_terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """A recalled memory: ``text`` is the ``form`` of it that fitted the budget."""

    memory: Memory
    text: str
    form: Form
    score: float
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A candidate that was held back; ``reason`` is "rank", "diversity", "sensitivity" or "budget"."""

    memory_id: int
    title: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Recollection:
    """The answer to a Query.

    ``degraded`` holds slugs of what was missing: "embedder_unavailable", "vectors_incomplete",
    "lexical_rebuilding". ``omitted`` counts hits that found no room in the budget, ``hidden`` the sensitive ones.
    """

    hits: tuple[Hit, ...]
    near_misses: tuple[NearMiss, ...] = ()
    degraded: tuple[str, ...] = ()
    tokens: int = 0
    omitted: int = 0
    hidden: int = 0
    cached: bool = False
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of memories without a query. ``cursor`` continues where the page before ended."""

    filters: Filters = field(default_factory=Filters)
    sort: Sort = "newest"
    limit: int = 20
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """``next_cursor`` is None on the last page; ``total`` counts all that the filters let through."""

    memories: tuple[Memory, ...]
    next_cursor: str | None
    total: int


@dataclass(frozen=True, slots=True)
class Changes:
    """What a write touched; views and caches decide from it whether to refresh. ``epoch`` grows with each."""

    action: str
    actor: Actor
    created: tuple[int, ...] = ()
    updated: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    history_ids: tuple[int, ...] = ()
    epoch: int = 0


@dataclass(frozen=True, slots=True)
class Remembered:
    """The truthful outcome of a memorize. ``vector_pending``: its meaning is not searchable yet, its words are."""

    outcome: Outcome
    memory: Memory
    changes: Changes
    vector_pending: bool = False


@dataclass(frozen=True, slots=True)
class Edited:
    """The memory as it stands after an edit. ``fields``: those that really changed; none when all was so already."""

    memory: Memory
    fields: tuple[str, ...]
    changes: Changes


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One change: ``before``/``after`` hold the changed fields only, as a Memory has them; None = did not exist."""

    id: int
    at: datetime
    actor: Actor
    action: str
    memory_id: int
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    undone: bool = False


@dataclass(frozen=True, slots=True)
class VectorStatus:
    """State of the vector side. ``identity`` "" = no embedder; ``state`` "ready", "filling" or "unavailable"."""

    identity: str
    dimension: int
    state: Literal["ready", "filling", "unavailable"]
    stored: int
    wanted: int
    loaded: bool


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """Counts and health for the status tool, the CLI and the tray."""

    data_directory: str
    schema: int
    counts: Mapping[str, int]  # by status
    by_layer: Mapping[str, int]
    lexical_rows: int
    vectors: VectorStatus
    journal_open: int
    journal_failed: int
    database_bytes: int
    paused: bool
    trouble: tuple[str, ...] = ()
