"""What a write did, what history knows of it, and how the store is. Free of behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from engine.types.memory import Actor, Memory

Outcome = Literal["stored", "reinforced", "merged", "superseded"]


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
    """The truthful outcome of a memorize. ``vector_pending``: its meaning is not searchable yet, its words are.

    "stored": a memory of its own; "reinforced": it was there; "merged": it went into ``memory``, which says all of
    both now; "superseded": stored, and it replaces the memories ``replaced``, which are kept but no longer recalled.
    ``secrets``: the kinds of secrets noticed in it, which were marked or masked as ``privacy.secrets`` says.
    """

    outcome: Outcome
    memory: Memory
    changes: Changes
    vector_pending: bool = False
    replaced: tuple[int, ...] = ()
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Edited:
    """The memory as it stands after an edit. ``fields``: those that really changed; none when all was so already.

    ``secrets``: as in ``Remembered``.
    """

    memory: Memory
    fields: tuple[str, ...]
    changes: Changes
    secrets: tuple[str, ...] = ()


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
