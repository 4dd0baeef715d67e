"""Memories by the user's days, without a question: how many on each day, and a timeline of days (S2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta, tzinfo
from itertools import groupby
from typing import Final

from engine import clock
from engine.errors import InvalidArgument
from engine.searches.asking import check_day
from engine.storage import memories, searches
from engine.storage.database import Connection
from engine.types import Filters, Listing, Timeline, TimelineDay

# A little more than a heat map of ten years.
MOST_DAYS: Final = 3_700


def check_span(first: date | None, last: date | None) -> None:
    """Errors: ``InvalidArgument`` for what is no day, or days in the wrong order."""
    for field, day in (("since", first), ("until", last)):
        if day is not None:
            check_day(field, day)
    if first is not None and last is not None and last < first:
        raise InvalidArgument(field="until", reason="out_of_range")


def check_calendar(first: date, last: date) -> None:
    """As :func:`check_span`, and no more than ``MOST_DAYS``."""
    check_day("since", first)
    check_day("until", last)
    check_span(first, last)
    if (last - first).days >= MOST_DAYS:
        farthest = first + timedelta(days=MOST_DAYS - 1)
        raise InvalidArgument(field="until", reason="out_of_range", allowed=[first.isoformat(), farthest.isoformat()])


def within(filters: Filters, first: date | None, last: date | None, zone: tzinfo) -> Filters:
    """``filters`` and, where given, only from the user's day ``first`` through ``last``."""
    since, until = filters.since, filters.until
    if first is not None:
        begin = clock.start_of(first, zone)
        since = begin if since is None else max(since, begin)
    if last is not None:
        end = clock.start_of(last + timedelta(days=1), zone)
        until = end if until is None else min(until, end)
    return replace(filters, since=since, until=until)


def calendar(cx: Connection, days: Sequence[date], filters: Filters, zone: tzinfo) -> dict[date, int]:
    """How many memories each of these ``days`` (consecutive, ascending) has; days without any are left out."""
    if not days:
        return {}
    borders = [clock.start_of(day, zone) for day in (*days, days[-1] + timedelta(days=1))]
    counts = searches.counts_between(cx, borders, filters)
    return {day: count for day, count in zip(days, counts, strict=True) if count}


def timeline(cx: Connection, filters: Filters, limit: int, cursor: str | None, zone: tzinfo) -> Timeline:
    """One page of ``limit`` memories, the newest first, put together by day. Errors: ``InvalidArgument`` (cursor)."""
    page = memories.page(cx, Listing(filters, "newest", limit, cursor))

    def day_of(moment: datetime) -> date:
        return clock.local_date(moment, zone)

    found: list[TimelineDay] = []
    for day, group in groupby(page.memories, key=lambda one: day_of(one.occurred_at)):
        found.append(TimelineDay(day, calendar(cx, [day], filters, zone).get(day, 0), tuple(group)))
    return Timeline(tuple(found), page.next_cursor, page.total)
