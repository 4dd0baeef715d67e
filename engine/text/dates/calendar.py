"""What the words of a date mean together: partial specifications, how they join, and the span of time they give.

The scanners of the languages make ``Spec`` values, ``joined`` puts neighbours together ("Friday" + "next week" +
"3 pm"), ``span_of`` resolves the result in the user's local days. Weeks begin on Monday. Must not read words.
"""

from __future__ import annotations

import calendar
from dataclasses import dataclass, fields, replace
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any, Final, Literal

Grain = Literal["time", "day", "week", "month", "season", "year", "range"]
# "told": as "past", and today counts: how people tell of what happened.
Lean = Literal["past", "future", "nearest", "told"]
Edge = Literal["start", "middle", "end"]
Unit = Literal["minute", "hour", "day", "week", "month", "year"]
Span = tuple[datetime, datetime, Grain]

# A day away from the calendar's own ends, so that any zone's offset fits.
FIRST: Final = date(2, 1, 1)
LAST: Final = date(9998, 12, 31)
MIDNIGHT: Final = time()
DAY: Final = timedelta(days=1)

# Parts of a day in hours from its midnight; the night runs into the next day.
EARLY: Final = (0, 6)
MORNING: Final = (5, 12)
NOON: Final = (11, 14)
AFTERNOON: Final = (12, 18)
DUSK: Final = (17, 20)
NIGHT: Final = (18, 30)
AM: Final = (0, 12)
PM: Final = (12, 24)
EXACT: Final = (0, 24)


@dataclass(frozen=True, slots=True)
class Now:
    """The moment in the user's naive local time, and where a date that may lie on either side is looked for."""

    moment: datetime
    zone: tzinfo
    lean: Lean

    @property
    def today(self) -> date:
        return self.moment.date()


@dataclass(frozen=True, slots=True)
class Spec:
    """What the words at [start, end) say; None = nothing about it.

    ``week`` counts calendar weeks from this one, ``weekday`` 1 = Monday … 7 (8 = the weekend), ``season`` 0 =
    spring, ``hours`` a part of the day, ``fixed`` a span that needs no other field. ``weak`` words are a date only
    beside others. ``approach`` is the lean that the words themselves name.
    """

    start: int
    end: int
    year: int | None = None
    month: int | None = None
    day: int | None = None
    last_day: int | None = None
    week: int | None = None
    weekday: int | None = None
    season: int | None = None
    edge: Edge | None = None
    hours: tuple[int, int] | None = None
    hour: int | None = None
    minute: int | None = None
    fixed: Span | None = None
    opens: bool = False
    weak: bool = False
    approach: Lean | None = None

    @property
    def is_hour(self) -> bool:
        """Whether it says nothing but a time of day."""
        return {name for name in _SAID if getattr(self, name) is not None} <= _TIMES


_SAID: Final = tuple(f.name for f in fields(Spec) if f.name not in ("start", "end", "weak", "opens", "approach"))
_TIMES: Final = frozenset({"hours", "hour", "minute"})
# Which fields make sense in one date; the time of day goes with a day, a weekday or nothing.
_TOGETHER: Final = tuple(
    frozenset(names.split()) | _TIMES for names in ("year month day", "week weekday", "day weekday year month")
) + tuple(
    frozenset(names.split()) for names in ("year month day last_day", "year month edge", "year season", "week edge")
)


def joined(left: Spec, right: Spec) -> Spec | None:
    """Both as one, where they complete each other; None where they say the same or contradict."""
    a, b = _said(left), _said(right)
    if "hours" in a and "hours" in b and ("hour" in a) != ("hour" in b):
        # "In the evening at 8 pm": the word for the part of the day says more.
        (a if "hour" in a else b).pop("hours")
    both = a | b
    if right.opens or a.keys() & b.keys() or not any(both.keys() <= names for names in _TOGETHER):
        return None
    if both.keys() & _TIMES and not (both.keys() & {"day", "weekday"} or both.keys() <= _TIMES):
        return None
    fields: dict[str, Any] = dict.fromkeys(_TIMES) | both
    return replace(
        left, end=right.end, weak=left.weak and right.weak, approach=left.approach or right.approach,
        **fields,
    )  # fmt: skip


def _said(spec: Spec) -> dict[str, Any]:
    return {name: value for name in _SAID if (value := getattr(spec, name)) is not None}


def span_of(spec: Spec, now: Now) -> Span | None:
    """The local half-open span of ``spec``; None where there is no such date."""
    try:
        span = spec.fixed or _dates(spec, now)
        if span is not None and span[2] == "day" and (spec.hours or spec.hour is not None):
            span = _timed(span[0], spec)
        if span is not None and spec.opens:
            span = (span[0], max(now.moment, span[0]), "range")
    except (ValueError, OverflowError):
        return None
    return span if span is not None and span[0] < span[1] else None


def _dates(spec: Spec, now: Now) -> Span | None:
    lean = spec.approach or now.lean
    if spec.day is not None:
        return _day(spec, now, lean)
    if spec.weekday is not None:
        span = _weekday(spec.weekday, spec.week, now.today, lean)
        early = lean == "told" and spec.week is None and spec.hour is not None and span[2] == "day"
        if early and _timed(span[0], spec)[0] > now.moment:
            span = day_span(shifted(span[0].date(), days=-7))  # that hour of today is yet to come
        return span
    if spec.week is not None:
        return _edged(week_of(shifted(now.today, weeks=spec.week)), spec.edge)
    if spec.season is not None:
        return _nearest([season_of(year, spec.season) for year in _years(spec, now)], now, lean)
    if spec.month is not None:
        spans = [month_of(year, spec.month) for year in _years(spec, now)]
        return _edged(_nearest(spans, now, lean), spec.edge)
    if spec.year is not None:
        return _edged(year_of(spec.year), spec.edge)
    return day_span(now.today) if spec.hours or spec.hour is not None else None


def _years(spec: Spec, now: Now) -> tuple[int, ...]:
    if spec.year is not None:
        return (spec.year,)
    year = min(max(now.today.year, FIRST.year + 1), LAST.year - 2)
    return (year - 1, year, year + 1)


def _day(spec: Spec, now: Now, lean: Lean) -> Span | None:
    """A day with or without its month and year; the 29th of February looks further for its year."""
    assert spec.day is not None
    if spec.month is None:
        months = [_month_away(now.today, step) for step in (-2, -1, 0, 1, 2)]
        if spec.year is not None:
            return None
    elif spec.month == 2 and spec.day == 29 and spec.year is None:
        months = [(year, 2) for year in range(max(now.today.year - 8, 2), min(now.today.year + 9, LAST.year))]
    else:
        months = [(year, spec.month) for year in _years(spec, now)]
    days = [date(y, m, spec.day) for y, m in months if FIRST.year <= y <= LAST.year and spec.day <= _length(y, m)]
    if spec.weekday is not None:
        # "Friday, 22 May" tells its year; a wrong weekday tells nothing.
        days = [day for day in days if day.isoweekday() == spec.weekday] or days
    span = _nearest([day_span(day) for day in days], now, lean)
    if span is None or spec.last_day is None or spec.last_day <= spec.day:
        return span
    return (span[0], span[1] + (spec.last_day - spec.day) * DAY, "range")


def _weekday(weekday: int, week: int | None, today: date, lean: Lean) -> Span:
    """In a named week, or the one ahead, behind or nearest; today's own name means today to the nearest and in
    what is told."""
    if weekday == 8:
        offset = week or 0
        if week is None and lean in ("past", "told") and today.isoweekday() < 6:
            offset = -1
        monday = monday_of(shifted(today, weeks=offset))
        return (at(shifted(monday, days=5)), at(shifted(monday, days=7)), "range")
    if week is not None:
        return day_span(shifted(monday_of(shifted(today, weeks=week)), days=weekday - 1))
    ahead = (weekday - today.isoweekday()) % 7
    if lean == "future":
        ahead = ahead or 7
    elif lean == "past" or ahead > (0 if lean == "told" else 3):
        ahead -= 7
    return day_span(shifted(today, days=ahead))


def _nearest(spans: list[Span], now: Now, lean: Lean) -> Span | None:
    """The one that ``lean`` asks for; what holds today counts as both past and future."""
    today, tomorrow = at(now.today), at(shifted(now.today, days=1))
    if len(spans) > 1:
        if lean in ("past", "told"):
            spans = [span for span in spans if span[0] < tomorrow][-1:]
        elif lean == "future":
            spans = [span for span in spans if span[1] > today][:1]
    return min(spans, key=lambda span: max(today - span[0], span[0] - today) if not _holds(span, today) else DAY * 0,
               default=None)  # fmt: skip


def _holds(span: Span, moment: datetime) -> bool:
    return span[0] <= moment < span[1]


def _edged(span: Span | None, edge: Edge | None) -> Span | None:
    """The first, middle or last part of a week (2 days), month (10) or year (2 months)."""
    if span is None or edge is None:
        return span
    since, until, grain = span
    if grain == "year":
        first = {"start": 1, "middle": 6, "end": 11}[edge]
        return (since.replace(month=first), month_of(since.year, first + 1)[1], "range")
    length = 2 if grain == "week" else 10
    first = {"start": 0, "middle": length, "end": (until - since).days - length}[edge]
    begin = since + timedelta(days=first)
    return (begin, until if edge == "end" else begin + timedelta(days=length), "range")


def _timed(day: datetime, spec: Spec) -> Span:
    """A clock time lasts a minute, or an hour where no minute is named."""
    if spec.hour is None:
        assert spec.hours is not None
        return (day + timedelta(hours=spec.hours[0]), day + timedelta(hours=spec.hours[1]), "time")
    since = day + timedelta(hours=_hour(spec.hour, spec.hours), minutes=spec.minute or 0)
    return (since, since + (timedelta(hours=1) if spec.minute is None else timedelta(minutes=1)), "time")


def _hour(hour: int, part: tuple[int, int] | None) -> int:
    """The hour of 24 that ``hour`` is in that part of the day."""
    if part is None:
        # Nobody meets at four in the morning.
        return hour + 12 if 1 <= hour <= 6 else hour
    if part == EXACT or hour > 12:
        return hour
    if part in (NIGHT, DUSK):
        return 24 if hour == 12 else hour if part == NIGHT and hour < 5 else hour + 12
    if part == NOON:
        return hour + 12 if hour < 3 else hour
    if part[0] >= 12:
        return hour if hour == 12 else hour + 12
    return 0 if hour == 12 and part != MORNING else hour


def away(now: Now, count: float, unit: Unit) -> dict[str, Any]:
    """Fields of a Spec for so many units from now (negative = ago): hours give a time, days and weeks a day."""
    if unit in ("minute", "hour"):
        minutes = count * (60 if unit == "hour" else 1)
        since = moved(now.moment, minutes=round(minutes)).replace(second=0, microsecond=0)
        exact = unit == "minute" or count % 1
        return {"fixed": (since, since + timedelta(minutes=1 if exact else 60), "time")}
    if unit == "day" or (unit == "week" and count > 0):
        return day_fields(shifted(now.today, days=round(count * (7 if unit == "week" else 1))))
    if unit == "week" or (abs(count) < 1 and unit == "month"):
        # "Three weeks ago" is hardly ever meant to the day.
        day = shifted(now.today, days=round(count * (7 if unit == "week" else 30)))
        return {"fixed": (at(shifted(day, days=-3)), at(shifted(day, days=4)), "week")}
    day = shifted(now.today, months=round(count * (12 if unit == "year" else 1)))
    if unit == "year" and count % 1 == 0:
        return {"year": day.year}
    return {"year": day.year, "month": day.month}


def stretch(now: Now, count: float, unit: Unit) -> Span:
    """From now on for so many units, or the units up to now where ``count`` is negative."""
    days = {"day": 1.0, "week": 7.0, "month": 30.4375, "year": 365.25, "hour": 1 / 24, "minute": 1 / 1440}[unit]
    other = moved(now.moment, minutes=round(count * days * 1440))
    if unit not in ("hour", "minute"):
        other = at(other.date() + (DAY if count > 0 and other.date() < LAST else 0 * DAY))
    return (min(now.moment, other), max(now.moment, other), "range")


def moved(moment: datetime, *, minutes: int) -> datetime:
    """``moment`` moved, within the calendar."""
    room_back = -((moment - at(FIRST)) // timedelta(minutes=1))
    room_on = (at(LAST) - moment) // timedelta(minutes=1)
    return moment + timedelta(minutes=min(max(minutes, room_back), room_on))


def day_fields(day: date) -> dict[str, Any]:
    return {"year": day.year, "month": day.month, "day": day.day}


def at(day: date) -> datetime:
    """The naive midnight at which ``day`` begins."""
    return datetime.combine(day, MIDNIGHT)


def shifted(day: date, *, days: int = 0, weeks: int = 0, months: int = 0) -> date:
    """``day`` moved, within the calendar; a month's end stays within the month."""
    if months:
        year, month = _month_away(day, months)
        if not FIRST.year <= year <= LAST.year:
            return FIRST if months < 0 else LAST
        day = date(year, month, min(day.day, _length(year, month)))
    number = day.toordinal() + days + 7 * weeks
    return date.fromordinal(min(max(number, FIRST.toordinal()), LAST.toordinal()))


def _month_away(day: date, step: int) -> tuple[int, int]:
    years, month = divmod(day.month - 1 + step, 12)
    return day.year + years, month + 1


def _length(year: int, month: int) -> int:
    return calendar.monthrange(year, month)[1]


def monday_of(day: date) -> date:
    return shifted(day, days=1 - day.isoweekday())


def day_span(day: date) -> Span:
    return (at(day), at(day) + DAY, "day")


def week_of(day: date) -> Span:
    monday = monday_of(day)
    return (at(monday), at(monday) + 7 * DAY, "week")


def month_of(year: int, month: int) -> Span:
    """Errors: ``ValueError`` outside the calendar."""
    first = _within(year, month)
    return (at(first), at(shifted(first, months=1)), "month")


def year_of(year: int) -> Span:
    first = _within(year, 1)
    return (at(first), at(shifted(first, months=12)), "year")


def season_of(year: int, season: int) -> Span:
    """Spring is March to May; winter belongs to the year in which it begins."""
    first = _within(year, 3 + 3 * season)
    return (at(first), at(shifted(first, months=3)), "season")


def season_away(now: Now, season: int, step: int) -> Span:
    """The last one that is over (-1), the next that has not begun (1), this year's (0)."""
    year = min(max(now.today.year, 4), 9990)
    spans = [season_of(one, season) for one in (year - 2, year - 1, year, year + 1)]
    if step < 0:
        return next((span for span in reversed(spans) if span[1] <= now.moment), spans[0])
    if step > 0:
        return next((span for span in spans if span[0] > now.moment), spans[-1])
    return next((span for span in spans if _holds(span, now.moment)), spans[2])


def _within(year: int, month: int) -> date:
    if not FIRST.year <= year < LAST.year:
        raise ValueError("beyond the calendar")
    return date(year, month, 1)
