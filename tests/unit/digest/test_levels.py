"""Periods: their names both ways, the borders of ISO weeks and of years, and the user's days where clocks are moved."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.digest import levels
from engine.errors import InvalidArgument
from engine.types import DIGEST_LEVELS

NEW_YORK = ZoneInfo("America/New_York")
ZONES = tuple(map(ZoneInfo, ("Asia/Shanghai", "America/New_York", "Pacific/Apia", "America/Havana", "Europe/London")))
days = st.dates(date(2, 1, 8), date(9998, 12, 20))


@pytest.mark.parametrize(
    ("day", "names"),
    [
        (date(2026, 2, 23), ["2026-02-23", "2026-W09", "2026-02", "2026"]),
        # A week of two years belongs to the year of its Thursday, and so does its name.
        (date(2025, 12, 29), ["2025-12-29", "2026-W01", "2025-12", "2025"]),
        (date(2027, 1, 3), ["2027-01-03", "2026-W53", "2027-01", "2027"]),
        (date(2027, 1, 4), ["2027-01-04", "2027-W01", "2027-01", "2027"]),
    ],
)
def test_the_periods_of_a_day(day: date, names: list[str]) -> None:
    assert [levels.period_of(level, day).text for level in DIGEST_LEVELS] == names


@pytest.mark.parametrize(
    ("week", "month"),
    [
        ("2026-W01", "2026-01"),  # from Monday 29 December
        ("2026-W53", "2026-12"),  # until Sunday 3 January
        ("2026-W05", "2026-01"),  # Thursday 29 January
        ("2026-W09", "2026-02"),
    ],
)
def test_a_week_belongs_to_the_month_of_its_thursday(week: str, month: str) -> None:
    upper = levels.parse(2, week).upper
    assert upper is not None and (upper.level, upper.text) == (3, month)


@pytest.mark.parametrize(
    ("level", "given", "text"),
    [
        (1, " ２０２６-2-3 ", "2026-02-03"),
        (2, "2026-w8", "2026-W08"),
        (2, "2026W08", "2026-W08"),
        (3, "2026-2", "2026-02"),
        (4, "2026", "2026"),
    ],
)
def test_a_period_is_read_in_more_than_one_spelling(level: Any, given: str, text: str) -> None:
    assert levels.parse(level, given).text == text


@pytest.mark.parametrize(
    ("level", "wrong"),
    [
        (1, "2026-02-30"), (1, "2026-02"), (1, "yesterday"), (1, "昨天"), (2, "2025-W53"), (2, "2026-W00"),
        (2, "2026-08"), (3, "2026-13"), (3, "2026-W08"), (4, "26"), (4, "0001"), (4, "9999"), (4, 2026), (1, None),
    ],
)  # fmt: skip
def test_what_is_no_period_is_refused_with_an_example(level: Any, wrong: Any) -> None:
    with pytest.raises(InvalidArgument) as caught:
        levels.parse(level, wrong)
    assert caught.value.fields == {"field": "period", "reason": "not_a_period", "allowed": [levels.EXAMPLES[level]]}


@pytest.mark.parametrize("wrong", [0, 5, -1, "daily", True, None, 1.0])
def test_what_is_no_level_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidArgument) as caught:
        levels.level_of(wrong)
    assert caught.value.fields["field"] == "level"


def test_days_of_summer_time_have_the_hours_they_have() -> None:
    spring, autumn = (levels.bounds(levels.parse(1, day), NEW_YORK) for day in ("2026-03-08", "2026-11-01"))
    assert spring == (datetime(2026, 3, 8, 5, tzinfo=UTC), datetime(2026, 3, 9, 4, tzinfo=UTC))
    assert autumn[1] - autumn[0] == timedelta(hours=25)


@given(days)
def test_each_day_is_in_exactly_one_period_of_each_level_and_that_is_known_by_its_name(day: date) -> None:
    for level in DIGEST_LEVELS:
        period = levels.period_of(level, day)
        assert period.first <= day <= period.last
        assert levels.period_of(level, period.first) == period == levels.period_of(level, period.last)
        after = levels.period_of(level, period.last + timedelta(days=1))
        assert levels.before(after) == period and after.first == period.last + timedelta(days=1)
        assert levels.parse(level, period.text) == period
        assert (period.upper is None) == (level == 4)


@given(st.datetimes(datetime(1975, 1, 1), datetime(2037, 1, 1)), st.sampled_from(ZONES), st.sampled_from(DIGEST_LEVELS))
def test_each_moment_is_within_the_bounds_of_its_period(naive: datetime, zone: ZoneInfo, level: Any) -> None:
    moment = naive.replace(tzinfo=UTC)
    period = levels.period_of(level, moment.astimezone(zone).date())
    since, until = levels.bounds(period, zone)
    assert since <= moment < until
    assert levels.bounds(levels.before(period), zone)[1] == since
