"""Time as the engine sees it: an aware UTC "now" and the user's local days.

Everything that needs the present asks a Clock that was handed to it, so that tests and the recall
benchmark can move time. Must not be bypassed by ``datetime.now()`` elsewhere in the engine.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Protocol


class Clock(Protocol):
    """The present moment and the zone in which the user's days begin and end."""

    def now(self) -> datetime:
        """The present as an aware datetime in UTC."""
        ...

    def zone(self) -> tzinfo:
        """The user's time zone."""
        ...


class SystemClock:
    """The machine's clock and zone."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def zone(self) -> tzinfo:
        return _LocalZone()


class _LocalZone(tzinfo):
    """The machine's zone with its own offset at each moment: winter days are winter days in summer, too."""

    def utcoffset(self, moment: datetime | None) -> timedelta:
        return _offset(datetime.now() if moment is None else moment.replace(tzinfo=None))

    def dst(self, moment: datetime | None) -> timedelta | None:
        return None  # which part of the offset is summer time is not known

    def tzname(self, moment: datetime | None) -> str | None:
        return datetime.now().astimezone().tzname() if moment is None else None

    def fromutc(self, moment: datetime) -> datetime:
        bare = moment.replace(tzinfo=None)
        try:
            local = bare.replace(tzinfo=UTC).astimezone()
        except (OSError, OverflowError, ValueError):
            return (bare + _offset(bare)).replace(tzinfo=self)
        return local.replace(tzinfo=self)


def _offset(wall: datetime) -> timedelta:
    """The machine's offset at a naive local time; beyond what its system can tell, the present one."""
    try:
        offset = wall.astimezone().utcoffset()
    except (OSError, OverflowError, ValueError):
        offset = datetime.now().astimezone().utcoffset()
    assert offset is not None
    return offset


class MovableClock:
    """A clock that stands still until it is moved (tests, benchmarks, simulations)."""

    def __init__(self, start: datetime, zone: tzinfo = UTC) -> None:
        self._now = require_aware(start).astimezone(UTC)
        self._zone = zone

    def now(self) -> datetime:
        return self._now

    def zone(self) -> tzinfo:
        return self._zone

    def move_to(self, moment: datetime) -> None:
        """Jump to ``moment`` (aware), forward or backward."""
        self._now = require_aware(moment).astimezone(UTC)

    def advance(self, step: timedelta) -> None:
        """Move by ``step``."""
        self._now += step


def require_aware(moment: datetime) -> datetime:
    """``moment`` itself; ``ValueError`` when it has no offset, for such a time means nothing in storage."""
    if moment.tzinfo is None:
        raise ValueError("a moment needs a UTC offset")
    return moment


def local_day(moment: datetime, clock: Clock) -> date:
    """The calendar day on which ``moment`` falls for the user."""
    return moment.astimezone(clock.zone()).date()


def local_date(moment: datetime, zone: tzinfo) -> date:
    """The user's day of ``moment``; at the calendar's own ends, that of UTC."""
    try:
        return moment.astimezone(zone).date()
    except OverflowError:
        return moment.date()


def start_of(day: date, zone: tzinfo) -> datetime:
    """The moment (UTC) at which ``day`` begins in ``zone``, also where its clocks are moved at midnight."""
    try:
        return datetime.combine(day, time.min, zone).astimezone(UTC)
    except OverflowError:
        return datetime.combine(day, time.min, UTC)


def to_text(moment: datetime) -> str:
    """Fixed-width UTC text with offset, so that text order is time order: ``2026-11-30T08:59:10.123456+00:00``."""
    return require_aware(moment).astimezone(UTC).isoformat(timespec="microseconds")


def from_text(text: str) -> datetime:
    """The inverse of :func:`to_text`; any ISO 8601 text with an offset is read. Errors: ``ValueError``."""
    return require_aware(datetime.fromisoformat(text)).astimezone(UTC)
