"""Levels and periods: which day, week, month and year a day of the user's belongs to, and their names (S4). Pure.

Days are the user's; weeks are those of ISO 8601; a week belongs to the month and the year of its Thursday, so that
every week is in exactly one. Must not read a clock or a store.
"""

from __future__ import annotations

import calendar
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Any, Final

from engine.clock import start_of
from engine.errors import InvalidArgument
from engine.types import DIGEST_LEVELS, DigestLevel

NAMES: Final[Mapping[DigestLevel, str]] = {1: "daily", 2: "weekly", 3: "monthly", 4: "yearly"}
# What a period of each level looks like; told with an error.
EXAMPLES: Final[Mapping[DigestLevel, str]] = {1: "2026-02-23", 2: "2026-W08", 3: "2026-02", 4: "2026"}
_FORMS: Final[Mapping[DigestLevel, re.Pattern[str]]] = {
    1: re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"),
    2: re.compile(r"([0-9]{4})-?W([0-9]{1,2})"),
    3: re.compile(r"([0-9]{4})-([0-9]{1,2})"),
    4: re.compile(r"([0-9]{4})"),
}
_DAY: Final = timedelta(days=1)
# Beside the calendar's first and last year, whose days another zone may not have.
_YEARS: Final = range(2, 9999)


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of the user's days, ``first`` and ``last`` included."""

    level: DigestLevel
    first: date
    last: date

    @property
    def text(self) -> str:
        """The name that is stored: "2026-02-23", "2026-W08", "2026-02" or "2026"."""
        if self.level == 1:
            return self.first.isoformat()
        if self.level == 2:
            year, week, _ = self.first.isocalendar()
            return f"{year:04}-W{week:02}"
        return self.first.isoformat()[: 7 if self.level == 3 else 4]

    @property
    def upper(self) -> Period | None:
        """The period of the level above that this one goes into; None for a year."""
        if self.level == 4:
            return None
        # The fourth day of a week is its Thursday; of a month any day will do.
        return period_of(level_of(self.level + 1), self.first + 3 * _DAY if self.level == 2 else self.first)


def level_of(level: Any) -> DigestLevel:
    """``level`` if it is one of 1 (daily) to 4 (yearly). Errors: ``InvalidArgument``."""
    if isinstance(level, bool) or not isinstance(level, int):
        raise InvalidArgument(field="level", reason="not_whole")
    for known in DIGEST_LEVELS:
        if level == known:
            return known
    raise InvalidArgument(field="level", reason="out_of_range", allowed=[DIGEST_LEVELS[0], DIGEST_LEVELS[-1]])


def period_of(level: DigestLevel, day: date) -> Period:
    """The period of ``level`` in which ``day`` lies: a week from Monday to Sunday, a month or year of the calendar."""
    if level == 1:
        return Period(1, day, day)
    if level == 2:
        monday = day - day.weekday() * _DAY
        return Period(2, monday, monday + 6 * _DAY)
    if level == 3:
        days = calendar.monthrange(day.year, day.month)[1]
        return Period(3, day.replace(day=1), day.replace(day=days))
    return Period(4, date(day.year, 1, 1), date(day.year, 12, 31))


def parse(level: DigestLevel, text: Any) -> Period:
    """The period that ``text`` names; width, case and leading zeros do not matter.

    Errors: ``InvalidArgument`` for field "period", reason "not_a_period", with an example in ``allowed``.
    """
    found = known(level, text) if isinstance(text, str) else None
    if found is None:
        raise InvalidArgument(field="period", reason="not_a_period", allowed=[EXAMPLES[level]])
    return found


@lru_cache(4096)  # a store names the same few thousand periods again and again
def known(level: DigestLevel, text: str) -> Period | None:
    """As :func:`parse`, None for what names no period of this level (stored by hand, or by another program)."""
    form = _FORMS[level].fullmatch(unicodedata.normalize("NFKC", text).strip().upper())
    if form is None:
        return None
    numbers = [int(part) for part in form.groups()]
    if numbers[0] not in _YEARS:
        return None
    try:
        if level == 2:
            return period_of(2, date.fromisocalendar(numbers[0], numbers[1], 1))
        return period_of(level, date(numbers[0], *[*numbers[1:], 1, 1][:2]))
    except ValueError:
        return None


def bounds(period: Period, zone: tzinfo) -> tuple[datetime, datetime]:
    """The moments (UTC) of the period in ``zone``, half-open; a day of summer time has 23 or 25 hours."""
    return start_of(period.first, zone), start_of(period.last + _DAY, zone)


def before(period: Period) -> Period:
    """The period of the same level that ended when this one began."""
    return period_of(period.level, period.first - _DAY)
