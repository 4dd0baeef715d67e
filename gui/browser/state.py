"""What the Memories page is asked to show: place, search text, filters, order. Immutable; imports no Qt.

Must not fetch anything; ``view.py`` asks the service for what ``filters()`` and ``question()`` say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from typing import Any, Literal

from engine.types import ALL_SCOPES, Filters, Layer, MemoryStatus, Sort
from engine.types import Query as Question

Place = Literal["memories", "trash"]
Period = Literal["any", "today", "week", "month", "year"]

PERIODS: tuple[Period, ...] = ("any", "today", "week", "month", "year")
SORTS: tuple[Sort, ...] = ("newest", "oldest", "importance", "strength", "updated", "title")
# What the page shows until someone chooses: all that is alive, and what waits for approval.
SHOWN: tuple[MemoryStatus, ...] = ("active", "pending", "dormant", "archived")
CHOOSABLE: tuple[MemoryStatus, ...] = ("active", "pending", "dormant", "archived", "superseded", "expired")
HITS = 50
NEAR_MISSES = 8


@dataclass(frozen=True, slots=True)
class BrowserState:
    """One way of looking at the store."""

    place: Place = "memories"
    text: str = ""
    layers: tuple[Layer, ...] = ()
    statuses: tuple[MemoryStatus, ...] = ()
    tags: tuple[str, ...] = ()
    clients: tuple[str, ...] = ()
    scope: str = ALL_SCOPES
    period: Period = "any"
    sort: Sort = "newest"

    @property
    def searching(self) -> bool:
        """Whether the recall engine answers rather than the list."""
        return bool(self.text.strip())

    @property
    def filtered(self) -> bool:
        """Whether anything but the place limits what is shown."""
        return replace(self, text="", sort="newest", place="memories") != BrowserState()

    def changed(self, **values: Any) -> BrowserState:
        """A copy with other values."""
        return replace(self, **values)

    def without_filters(self) -> BrowserState:
        """The same place, text and order without filters."""
        return BrowserState(place=self.place, text=self.text, sort=self.sort)

    def filters(self, now: datetime, zone: tzinfo | None = None) -> Filters:
        """For the engine. ``now`` is aware; days begin in ``zone`` (None: the machine's)."""
        statuses = ("trashed",) if self.place == "trash" else self.statuses or SHOWN
        return Filters(
            scope=self.scope,
            layers=self.layers,
            statuses=statuses,
            tags=self.tags,
            clients=self.clients,
            since=since(self.period, now, zone),
        )

    def question(self, now: datetime, zone: tzinfo | None = None) -> Question:
        """For the recall engine. Looking leaves no trace: nothing is warmed by being seen here."""
        return Question(
            text=self.text.strip(),
            k=HITS,
            filters=self.filters(now, zone),
            include_sensitive=True,
            explain=True,
            budget=None,
            near_misses=NEAR_MISSES,
            reinforce=False,
        )


def since(period: Period, now: datetime, zone: tzinfo | None = None) -> datetime | None:
    """The beginning of ``period``: today's midnight, or that many days before it."""
    days: Mapping[str, int] = {"today": 0, "week": 6, "month": 29, "year": 364}
    if period not in days:
        return None
    midnight = now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight - timedelta(days=days[period])
