"""Digests of days, weeks, months and years: what waits to be digested, what from, and how it stands (S4)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from engine.types.memory import Memory

# Daily, weekly, monthly, yearly (S4's L1 to L4).
DigestLevel = Literal[1, 2, 3, 4]
DIGEST_LEVELS: tuple[DigestLevel, ...] = (1, 2, 3, 4)


@dataclass(frozen=True, slots=True)
class PeriodDue:
    """A period that is over and waits: ``period`` as "2026-02-23", "2026-W08", "2026-02" or "2026"; ``sources`` counts
    what it would be made of and no digest tells yet.
    """

    period: str
    sources: int


@dataclass(frozen=True, slots=True)
class DigestDue:
    """What waits at one level: ``count`` periods in all, the first of them (oldest first) and the latest."""

    level: DigestLevel
    count: int
    periods: tuple[PeriodDue, ...]
    latest: PeriodDue


@dataclass(frozen=True, slots=True)
class DigestSources:
    """What a digest is to be made of, in the order of time. ``first``/``last``: the user's days of the period.

    ``total`` counts what may be shown, also where the limit or the budget left some out; ``hidden`` the sensitive ones
    beside it; ``already`` holds the digest that there is. ``instruction`` is a slug: what to do with the sources.
    """

    level: DigestLevel
    period: str
    first: date
    last: date
    sources: tuple[Memory, ...]
    total: int
    hidden: int
    already: tuple[int, ...]
    instruction: str


@dataclass(frozen=True, slots=True)
class DigestLinks:
    """Where a memory stands: ``digests`` that tell it, and, for a digest, the ``sources`` that are still there.

    ``hidden`` counts the sensitive ones among both.
    """

    memory_id: int
    digests: tuple[Memory, ...]
    sources: tuple[Memory, ...]
    hidden: int = 0


@dataclass(frozen=True, slots=True)
class DigestStatus:
    """One level: its newest digest (None: there is none), how many periods wait, and the period that is running.

    ``closes_at`` (UTC): when the running ``period`` is over and may wait, too.
    """

    level: DigestLevel
    last_id: int | None
    last_period: str | None
    due: int
    period: str
    closes_at: datetime
