"""Which of the user's days are due for daily work, and at which moment each begins to be. Pure: days, zones, numbers.

A day counts once whatever the clock or the zone does: what was run is told as a date, and only later dates are due.
Must not read a clock, keep what was run, or know what the work is.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final

# A clock that jumps further ahead is not believed: no absence is longer.
MOST_DAYS: Final = 400
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Day:
    """One local day and the moment (UTC) from which its work is due."""

    date: date
    moment: datetime


@dataclass(frozen=True, slots=True)
class Due:
    """The days to run, the oldest first; ``latest``: the newest day whose time has come, to be kept as run;
    ``skipped``: days left out since there were more than ``MOST_DAYS``.
    """

    days: tuple[Day, ...]
    latest: date
    skipped: int = 0


def moment_of(day: date, at: time, zone: tzinfo) -> datetime | None:
    """When the work of ``day`` is due: ``at`` on the wall (where that is skipped by summer time, as much later).

    None for a day that the zone never had, or whose moment lies outside the calendar.
    """
    try:
        moment = datetime.combine(day, at, zone).astimezone(UTC)
        return moment if moment.astimezone(zone).date() == day else None
    except OverflowError:
        return None


def latest_day(now: datetime, at: time, zone: tzinfo) -> date:
    """The newest local day whose work is due at ``now``: today, or yesterday while it is earlier than ``at``."""
    try:
        today = now.astimezone(zone).date()
    except OverflowError:
        today = now.date()
    moment = moment_of(today, at, zone)
    early = moment is not None and now < moment
    return today - _DAY if early and today > date.min else today


def due(last: date | None, now: datetime, at: time, zone: tzinfo, most: int = MOST_DAYS) -> Due:
    """The days after ``last`` whose time has come at ``now``, the newest ``most`` of them.

    None: nothing was ever run, and nothing is due but to keep ``latest``. A clock that was set back makes nothing
    due until its days are new again; then ``latest`` is ``last``.
    """
    newest = latest_day(now, at, zone)
    if last is None or newest <= last:
        return Due((), newest if last is None else last)
    missed = newest.toordinal() - last.toordinal()
    begin = date.fromordinal(newest.toordinal() - min(missed, most) + 1)
    return Due(_days(begin, min(missed, most), at, zone), newest, missed - min(missed, most))


def upcoming(after: date, count: int, at: time, zone: tzinfo) -> tuple[Day, ...]:
    """The ``count`` days that follow ``after``, as far as the calendar goes."""
    count = min(count, date.max.toordinal() - after.toordinal())
    return _days(after + _DAY, count, at, zone) if count > 0 else ()


def _days(begin: date, count: int, at: time, zone: tzinfo) -> tuple[Day, ...]:
    dates = (date.fromordinal(begin.toordinal() + number) for number in range(count))
    moments = ((one, moment_of(one, at, zone)) for one in dates)
    return tuple(Day(one, moment) for one, moment in moments if moment is not None)
