"""Days and what they decide: midnights in zones that move their clocks, the hash, and a fair chance."""

from __future__ import annotations

import itertools
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.clock import local_date, start_of
from engine.surfacing.daily import chance, fnv1a, later

NAMES = ("Asia/Shanghai", "Europe/Berlin", "America/New_York", "Asia/Beirut", "America/Havana", "Pacific/Apia")
ZONES = tuple(map(ZoneInfo, NAMES))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0xCBF29CE484222325), ("a", 0xAF63DC4C8601EC8C), ("foobar", 0x85944171F73967E8)],
)
def test_the_hash_is_fnv1a_of_64_bits(text: str, expected: int) -> None:
    """Its authors' own test vectors."""
    assert fnv1a(text) == expected
    assert fnv1a(text[3:], fnv1a(text[:3])) == expected


def test_the_day_of_shanghai_begins_at_sixteen_utc() -> None:
    """S2 took UTC's days, and its slip changed at eight in the morning."""
    shanghai = ZoneInfo("Asia/Shanghai")
    assert local_date(datetime(2026, 5, 1, 15, 59, 59, tzinfo=UTC), shanghai) == date(2026, 5, 1)
    assert local_date(datetime(2026, 5, 1, 16, tzinfo=UTC), shanghai) == date(2026, 5, 2)
    assert start_of(date(2026, 5, 2), shanghai) == datetime(2026, 5, 1, 16, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "day", "begins"),
    [
        ("Europe/Berlin", date(2026, 3, 29), datetime(2026, 3, 28, 23, tzinfo=UTC)),
        ("Europe/Berlin", date(2026, 3, 30), datetime(2026, 3, 29, 22, tzinfo=UTC)),
        # There is no 00:00 on this day: it begins at 01:00.
        ("Asia/Beirut", date(2026, 3, 29), datetime(2026, 3, 28, 22, tzinfo=UTC)),
        # 00:00 comes twice: the day begins with the first.
        ("America/Havana", date(2026, 11, 1), datetime(2026, 11, 1, 4, tzinfo=UTC)),
    ],
)
def test_days_begin_where_the_clocks_are_moved(zone: str, day: date, begins: datetime) -> None:
    assert start_of(day, ZoneInfo(zone)) == begins


@given(st.datetimes(datetime(1975, 1, 1), datetime(2037, 1, 1)), st.sampled_from(ZONES))
def test_every_moment_lies_within_its_day(naive: datetime, zone: ZoneInfo) -> None:
    moment = naive.replace(tzinfo=UTC)
    day = local_date(moment, zone)
    assert start_of(day, zone) <= moment < start_of(later(day, 1), zone)


def test_the_ends_of_the_calendar_are_days_too() -> None:
    east, west = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))
    for moment in (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)):
        for zone in (east, west):
            assert start_of(local_date(moment, zone), zone).tzinfo == UTC
    assert later(date.max, 3) == date.max


def test_a_share_of_days_is_that_share_and_does_not_come_in_blocks() -> None:
    days = [date(2026, 1, 1) + timedelta(days=one) for one in range(1000)]
    chosen = [chance(day, "unresolved") < 0.3 for day in days]
    assert 250 < sum(chosen) < 350
    # Independent days follow a chosen one as often as any other (0.3).
    after = [second for first, second in itertools.pairwise(chosen) if first]
    assert 0.2 < sum(after) / len(after) < 0.4
    assert [chance(day, "unresolved") for day in days] != [chance(day, "another") for day in days]
