"""The verbs of what comes up unasked: over one open store, and as futures (``Service.surfacing``).

Knows no threads: the service lends its readers. Nothing here writes.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from datetime import datetime
from typing import Protocol, TypeVar

from engine import policy
from engine.clock import Clock
from engine.config import Settings
from engine.errors import InvalidArgument
from engine.retrieval.query import check_filters
from engine.storage.database import Database
from engine.surfacing import breath, reminders, slip
from engine.types import Breath, BreathQuery, Filters, Memory, Reminders

T = TypeVar("T")
_USER_WIDE = Filters()


class Reader(Protocol):
    """Runs a function on a reader thread."""

    def __call__(self, work: Callable[[], T], /) -> Future[T]: ...


class Surfacing:
    """Over ``database``, with the parameters in force and the user's clock."""

    def __init__(self, database: Database, settings: Settings, clock: Clock) -> None:
        self._database = database
        self._settings = settings
        self._clock = clock

    def breathe(self, request: BreathQuery) -> Breath:
        """What to have in mind. Errors: ``InvalidArgument``."""
        with self._database.reader() as cx:
            return breath.breathe(cx, request, self._settings.current, self._clock.now(), self._clock.zone())

    def slip(self, filters: Filters, include_sensitive: bool) -> Memory | None:
        """Today's slip, or None. Errors: ``InvalidArgument`` for a bad filter."""
        check_filters(filters)
        hidden = policy.hidden(self._settings.current, include_sensitive)
        with self._database.reader() as cx:
            return slip.todays_slip(cx, filters, self._clock.now(), self._clock.zone(), hidden)

    def reminders(self, filters: Filters, days: int | None, include_sensitive: bool, limit: int | None) -> Reminders:
        """What is due; ``days`` None = as the parameter says. Errors: ``InvalidArgument``."""
        check_filters(filters)
        horizon = int(self._settings["surfacing.reminder_days"]) if days is None else days
        for field, value in (("days", horizon), ("limit", 0 if limit is None else limit)):
            if not isinstance(value, int) or isinstance(value, bool):
                raise InvalidArgument(field=field, reason="not_a_number")
        if not 0 <= horizon <= reminders.LONGEST_HORIZON:
            raise InvalidArgument(field="days", reason="out_of_range", allowed=[0, reminders.LONGEST_HORIZON])
        if limit is not None and limit < 0:
            raise InvalidArgument(field="limit", reason="out_of_range", allowed=[0, None])
        now: datetime = self._clock.now()
        hidden = policy.hidden(self._settings.current, include_sensitive)
        with self._database.reader() as cx:
            return reminders.upcoming(cx, filters, now, self._clock.zone(), horizon, hidden=hidden, limit=limit)


class SurfacingService:
    """The same verbs as futures; ``read`` is the service's. Errors: as those of :class:`Surfacing`."""

    def __init__(self, surfacing: Surfacing, read: Reader) -> None:
        self._surfacing = surfacing
        self._read = read

    def breathe(self, request: BreathQuery | None = None) -> Future[Breath]:
        """What an assistant should have in mind when a conversation begins."""
        return self._read(lambda: self._surfacing.breathe(request or BreathQuery()))

    def slip(self, filters: Filters = _USER_WIDE, *, include_sensitive: bool = False) -> Future[Memory | None]:
        """Today's slip: one old memory, the same all day and on every device."""
        return self._read(lambda: self._surfacing.slip(filters, include_sensitive))

    def reminders(
        self, filters: Filters = _USER_WIDE, *, days: int | None = None, include_sensitive: bool = False,
        limit: int | None = None,
    ) -> Future[Reminders]:  # fmt: skip
        """What is due from the beginning of today, the soonest first."""
        return self._read(lambda: self._surfacing.reminders(filters, days, include_sensitive, limit))
