"""What waits for a person or an assistant to say yes or no to, in one list. Free of behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from engine.types.memory import Memory

ReviewAction = Literal["approve", "dismiss", "restore"]


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One thing to decide. ``id`` = "kind:key" names it outside ("cluster:7", "lookalike:12-40", "atom:7").

    ``memories``: those it is about, the newest first. ``detail`` by kind: cluster {"words"}; lookalike {"verdict":
    "same" or "update", "old", "new"}; atom {"text", "type"}; candidate {"candidate"}; topic {"topic_id", "path",
    "why"}. ``actions``: the decisions that it knows.
    """

    id: str
    kind: str
    memories: tuple[Memory, ...]
    detail: Mapping[str, Any]
    created_at: datetime
    actions: tuple[ReviewAction, ...] = ("approve", "dismiss")


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """The first items, one of each kind in turn; ``total`` by kind counts all that may be shown, ``hidden`` the
    sensitive ones that were left out."""

    items: tuple[ReviewItem, ...]
    total: Mapping[str, int] = field(default_factory=dict)
    hidden: int = 0


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What a decision did: ``outcome`` "consolidated", "merged", "superseded", "repaired", "failed", "stored",
    "reinforced", "filed", "dismissed" or "restored"; ``memories`` as they stand; ``history_ids`` of what was done."""

    id: str
    outcome: str
    memories: tuple[Memory, ...] = ()
    history_ids: tuple[int, ...] = ()
