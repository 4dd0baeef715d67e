"""What time will do and has done to memories: preview, forecast, status. Free of behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal

from engine.types.memory import MemoryStatus

Rest = Literal["dormant", "archived"]
# Why time does nothing to a memory; "layer": it fades, but its layer does not go to sleep. "resting": in the trash,
# replaced, expired or pending; "flashbulb": it moved the user too much; "undecided": a decision still open.
Exemption = Literal["off", "resting", "pinned", "protected", "flashbulb", "undecided", "layer"]


@dataclass(frozen=True, slots=True)
class Fall:
    """On ``day`` (local) this memory will be put to rest."""

    memory_id: int
    day: date
    status: Rest


@dataclass(frozen=True, slots=True)
class StrengthPoint:
    """One memory after the run of ``day`` (local); strength 0..1."""

    day: date
    strength: float
    status: MemoryStatus


@dataclass(frozen=True, slots=True)
class ForgettingPreview:
    """What the runs of the next days would do if nothing were told, recalled or changed meanwhile.

    ``days`` that would be run, overdue ones included; ``changed``: memories that would be weaker; ``dormant`` and
    ``archived`` count where memories would end; ``falls``: the first of these, in time order; ``before``, ``after``:
    how many of the findable memories have a strength in each tenth of 0..1, the weakest first.
    """

    days: tuple[date, ...] = ()
    changed: int = 0
    dormant: int = 0
    archived: int = 0
    falls: tuple[Fall, ...] = ()
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Forecast:
    """The curve of one memory that nobody touches: as it is after the last run, then after each coming one.

    ``sleeps_on``, ``archived_on``: the first day on which it would be, None: not within the days asked for, or it is
    already. ``exempt``: every reason why time spares it, none: it fades.
    """

    memory_id: int
    points: tuple[StrengthPoint, ...]
    sleeps_on: date | None = None
    archived_on: date | None = None
    exempt: tuple[Exemption, ...] = ()


@dataclass(frozen=True, slots=True)
class ForgettingStatus:
    """How forgetting stands. ``last_day``: the newest local day that was run; ``ran_at``: when a run last did anything.

    ``next_at``: when the next run is due, in the user's zone (a moment that is past: overdue; None: off, or the clock
    is in doubt). ``counts``: active, dormant and archived memories; ``exempt``: findable memories by reason, one may
    have several; ``asleep_within``: days → memories that fall asleep or into the archive by then if left alone.
    ``clock_in_doubt``: the clock jumped ``jump_days`` (negative: back), and nothing fades until it is believed.
    """

    enabled: bool
    last_day: date | None
    ran_at: datetime | None
    next_at: datetime | None
    counts: Mapping[Literal["active", "dormant", "archived"], int] = field(default_factory=dict)
    exempt: Mapping[Exemption, int] = field(default_factory=dict)
    asleep_within: Mapping[int, int] = field(default_factory=dict)
    clock_in_doubt: bool = False
    jump_days: int = 0


@dataclass(frozen=True, slots=True)
class Rescued:
    """Which memories were woken, ascending, and the history rows with which each can be taken back."""

    ids: tuple[int, ...]
    history_ids: tuple[int, ...]
