"""What waits for somebody's word before it is remembered. Free of behaviour."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from engine.types.changes import Remembered
from engine.types.memory import Actor, Draft, Sensitivity

CandidateState = Literal["pending", "dropped", "approved", "dismissed"]
CANDIDATE_STATES: tuple[CandidateState, ...] = ("pending", "dropped", "approved", "dismissed")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A draft that was offered, and what became of it: no memory, so nothing but a list of candidates finds it.

    ``draft`` is as it was given, ``importance`` and ``sensitivity`` as it would be stored; ``decided_at``: since when
    it is no longer pending; ``memory_id``: the memory that an approved one became or went into.
    """

    id: int
    state: CandidateState
    draft: Draft
    importance: float
    sensitivity: Sensitivity
    session_id: str | None
    actor: Actor
    created_at: datetime
    decided_at: datetime | None = None
    memory_id: int | None = None


@dataclass(frozen=True, slots=True)
class CandidatePage:
    """Candidates of one state, the most important first. ``total`` counts those beyond the limit, too.

    ``hidden``: how many sensitive ones were left out; ``total`` does not count them.
    """

    items: tuple[Candidate, ...]
    total: int
    hidden: int = 0


@dataclass(frozen=True, slots=True)
class Offered:
    """What became of what was offered (S4): important enough to be saved at once, to be asked about, or dropped.

    ``known``: offered before in the same session, as they stand now; nothing new was made of them.
    """

    saved: tuple[Remembered, ...] = ()
    pending: tuple[Candidate, ...] = ()
    dropped: tuple[Candidate, ...] = ()
    known: tuple[Candidate, ...] = ()
