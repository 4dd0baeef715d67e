"""Which days are due: in any zone and season, after any absence, and with clocks that jump."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import schedule

AT = time(0, 5)
SHANGHAI = ZoneInfo("Asia/Shanghai")
BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")


def _dates(due: schedule.Due) -> list[str]:
    return [day.date.isoformat() for day in due.days]


def test_a_day_is_due_at_its_minute_of_the_users_day() -> None:
    last = date(2026, 5, 1)
    before = datetime(2026, 5, 2, 0, 4, 59, tzinfo=SHANGHAI).astimezone(UTC)
    assert schedule.due(last, before, AT, SHANGHAI) == schedule.Due((), last)
    due = schedule.due(last, before + timedelta(seconds=1), AT, SHANGHAI)
    assert (_dates(due), due.latest) == (["2026-05-02"], date(2026, 5, 2))
    assert due.days[0].moment == datetime(2026, 5, 1, 16, 5, tzinfo=UTC)


def test_the_first_time_only_says_where_to_begin() -> None:
    noon = datetime(2026, 5, 2, 12, tzinfo=UTC)
    assert schedule.due(None, noon, AT, UTC) == schedule.Due((), date(2026, 5, 2))
    early = datetime(2026, 5, 2, 0, 1, tzinfo=UTC)
    assert schedule.due(None, early, AT, UTC) == schedule.Due((), date(2026, 5, 1))


def test_missed_days_come_oldest_first() -> None:
    due = schedule.due(date(2026, 2, 26), datetime(2026, 3, 2, 9, tzinfo=UTC), AT, UTC)
    assert _dates(due) == ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"]


@pytest.mark.parametrize(
    ("zone", "night"),
    [
        (BERLIN, date(2026, 3, 29)),  # 23 hours
        (BERLIN, date(2026, 10, 25)),  # 25 hours
        (NEW_YORK, date(2026, 3, 8)),
        (NEW_YORK, date(2026, 11, 1)),
        (ZoneInfo("Africa/Cairo"), date(2026, 4, 24)),  # 00:00 to 01:00: there is no 00:05
        (ZoneInfo("America/Havana"), date(2026, 11, 1)),  # 00:05 comes twice
        (ZoneInfo("America/Santiago"), date(2026, 9, 6)),
    ],
)
def test_a_day_of_23_or_25_hours_is_one_day(zone: ZoneInfo, night: date) -> None:
    """Looked at every half hour around the change, each date comes exactly once."""
    last, run = night - timedelta(days=2), list[date]()
    now = datetime.combine(last, time(12), zone).astimezone(UTC)
    for _ in range(4 * 48):
        due = schedule.due(last, now, AT, zone)
        run += [day.date for day in due.days]
        assert all(day.moment <= now for day in due.days)
        last, now = due.latest, now + timedelta(minutes=30)
    assert run == [night + timedelta(days=number) for number in range(-1, 3)]


def test_a_clock_that_is_set_back_runs_no_day_again() -> None:
    last = date(2026, 5, 10)
    for day in (1, 5, 10):
        assert schedule.due(last, datetime(2026, 5, day, 9, tzinfo=UTC), AT, UTC) == schedule.Due((), last)
    assert _dates(schedule.due(last, datetime(2026, 5, 11, 9, tzinfo=UTC), AT, UTC)) == ["2026-05-11"]


def test_a_journey_around_the_world_runs_no_day_again() -> None:
    """A day that was run in Kiritimati is not run again in Pago Pago, where it is still to come."""
    now = datetime(2026, 5, 1, 10, 30, tzinfo=UTC)
    east, west = ZoneInfo("Pacific/Kiritimati"), ZoneInfo("Pacific/Pago_Pago")
    last = schedule.due(None, now, AT, east).latest
    assert last == date(2026, 5, 2)
    run = list[date]()
    for hours in range(0, 96, 6):
        due = schedule.due(last, now + timedelta(hours=hours), AT, west)
        run, last = [*run, *(day.date for day in due.days)], due.latest
    assert run == [date(2026, 5, 3), date(2026, 5, 4)]


def test_a_day_that_a_zone_never_had_is_left_out() -> None:
    """Samoa went from the 29th to the 31st of December 2011."""
    apia = ZoneInfo("Pacific/Apia")
    due = schedule.due(date(2011, 12, 28), datetime(2012, 1, 1, 12, tzinfo=apia).astimezone(UTC), AT, apia)
    assert _dates(due) == ["2011-12-29", "2011-12-31", "2012-01-01"]


def test_a_jump_beyond_belief_is_cut_short() -> None:
    now = datetime(2036, 1, 1, 9, tzinfo=UTC)
    due = schedule.due(date(2026, 1, 1), now, AT, UTC)
    assert (len(due.days), due.skipped, due.latest) == (400, 3652 - 400, date(2036, 1, 1))
    assert due.days[-1].date == date(2036, 1, 1)
    assert schedule.due(date(2034, 11, 27), now, AT, UTC).skipped == 0
    assert schedule.due(date(2034, 11, 26), now, AT, UTC).skipped == 1


def test_coming_days_follow_the_given_one() -> None:
    coming = schedule.upcoming(date(2026, 3, 28), 2, AT, BERLIN)
    assert coming == (
        schedule.Day(date(2026, 3, 29), datetime(2026, 3, 28, 23, 5, tzinfo=UTC)),
        schedule.Day(date(2026, 3, 30), datetime(2026, 3, 29, 22, 5, tzinfo=UTC)),
    )
    assert schedule.upcoming(date(2026, 3, 28), 0, AT, BERLIN) == ()
    assert schedule.upcoming(date(2026, 3, 28), -3, AT, BERLIN) == ()


zones = st.sampled_from(["UTC", "Asia/Shanghai", "Europe/Berlin", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
moments = st.datetimes(timezones=st.just(UTC))


@given(st.none() | st.dates(), moments, st.times().map(lambda at: at.replace(second=0, microsecond=0)), zones)
def test_no_date_and_no_zone_raises(last, now, at, name):  # type: ignore[no-untyped-def]
    """To the ends of the calendar; what is due lies after what was run, in order, and has come."""
    zone = ZoneInfo(name)
    due = schedule.due(last, now, at, zone)
    dates = [day.date for day in due.days]
    assert dates == sorted(set(dates)) and len(dates) + due.skipped <= 3_700_000
    assert all((last is None or day.date > last) and day.date <= due.latest for day in due.days)
    assert schedule.due(due.latest, now, at, zone) == schedule.Due((), due.latest)
    schedule.upcoming(due.latest, 5, at, zone)


@given(st.lists(st.tuples(st.integers(-400, 400), zones), min_size=1, max_size=30))
def test_no_day_is_ever_run_twice(jumps: list[tuple[int, str]]) -> None:
    """Whatever the clock and the zone do."""
    now, last, run = datetime(2026, 5, 1, 12, tzinfo=UTC), date(2026, 4, 30), list[date]()
    for hours, name in jumps:
        now += timedelta(hours=hours)
        due = schedule.due(last, now, AT, ZoneInfo(name))
        run += [day.date for day in due.days]
        last = due.latest
    assert run == sorted(set(run))
