"""What comes up unasked: the breath at the start of a conversation, and what is due. Free of behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal

from engine.types.digests import DigestDue
from engine.types.memory import Memory

BreathSection = Literal["facts", "states", "events", "reminders"]


@dataclass(frozen=True, slots=True)
class BreathQuery:
    """Which memories may come up, and how much of them. ``scope`` and ``persona_id`` as in ``Filters``.

    ``budget`` in tokens over all lines and ``recent``, the number of events: None = as the parameters say.
    ``line_tokens``: what the caller spends on a line beside its text (an id, a bullet). ``valence`` −1..1: the mood
    of the moment, where it is known.
    """

    budget: int | None = None
    recent: int | None = None
    scope: str | None = None
    persona_id: str | None = None
    include_sensitive: bool = False
    line_tokens: int = 0
    valence: float | None = None


@dataclass(frozen=True, slots=True)
class BreathLine:
    """A memory in one line: ``text`` is its summary, cut where the budget asks for it."""

    memory: Memory
    text: str


@dataclass(frozen=True, slots=True)
class Reminder:
    """Something ahead. ``due`` as it was said (a day's start where no hour was), ``days`` from today: 0 = today.

    ``memory``: the newest that tells it; ``atom_id``: the planned fact, None where only the memory has a date.
    """

    due: datetime
    days: int
    text: str
    memory: Memory
    atom_id: int | None = None


@dataclass(frozen=True, slots=True)
class Reminders:
    """What is due, the soonest first. ``total`` counts those beyond a limit, too, ``hidden`` the sensitive ones."""

    items: tuple[Reminder, ...]
    total: int
    hidden: int = 0


@dataclass(frozen=True, slots=True)
class Breath:
    """The answer to a BreathQuery; ``day`` is the user's today.

    ``more``: by section, what found no room; ``hidden``: the sensitive ones that would be there; ``tokens`` spent.
    ``unresolved``: now and then, something that moved the user and is not settled. ``digests``: what waits to be
    digested, level by level.
    """

    day: date
    facts: tuple[BreathLine, ...] = ()
    states: tuple[BreathLine, ...] = ()
    events: tuple[BreathLine, ...] = ()
    reminders: tuple[Reminder, ...] = ()
    unresolved: BreathLine | None = None
    digests: tuple[DigestDue, ...] = ()
    more: Mapping[BreathSection, int] = field(default_factory=dict)
    hidden: int = 0
    tokens: int = 0
