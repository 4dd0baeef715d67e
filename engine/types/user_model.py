"""What is known of the user: traits, and what speaks for them. Free of behaviour."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from engine.types.memory import Sensitivity


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a trait, in a sentence; ``memory_id``: the memory that says it, where one does."""

    id: int
    text: str
    memory_id: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Trait:
    """Something lasting about the user. ``weight``: how much speaks for it, one for each piece of evidence (S1).

    ``evidence``: the newest first, not always all of it; ``evidence_total`` counts all that may be shown.
    ``strengthened_at``: when the newest evidence came, or the trait where there is none.
    """

    id: int
    trait: str
    weight: float
    sensitivity: Sensitivity
    created_at: datetime
    strengthened_at: datetime
    evidence: tuple[Evidence, ...] = ()
    evidence_total: int = 0


@dataclass(frozen=True, slots=True)
class UserTraits:
    """Traits, the strongest first. ``total`` counts those beyond the limit, too, ``hidden`` the sensitive ones."""

    items: tuple[Trait, ...]
    total: int
    hidden: int = 0


@dataclass(frozen=True, slots=True)
class TraitChange:
    """What a change did. ``traits``: as they stand now without their evidence, none of those that are gone.

    ``history_id``: what takes it back, None where nothing was different; ``counted``: the evidence was new.
    """

    traits: tuple[Trait, ...]
    history_id: int | None
    counted: bool = False
