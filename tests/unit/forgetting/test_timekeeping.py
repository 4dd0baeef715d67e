"""Which days are believed: after sleep, journeys, summer time, and with clocks that jump by years."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.forgetting import timekeeping
from engine.forgetting.rules import Rules
from engine.forgetting.timekeeping import Belief, Doubt
from engine.storage import settings
from engine.storage.database import Database

RULES = Rules()
DAY = timedelta(days=1)
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
BEGUN = Belief(date(2026, 5, 1))


class Life:
    """A clock that somebody looks at, and what was run because of it. ``uses``: whether anything is done each day."""

    def __init__(self, belief: Belief = BEGUN, uses: bool = True) -> None:
        self.belief, self.run, self.done, self.uses = belief, list[date](), 0, uses

    def look(self, now: datetime, zone: ZoneInfo | None = None) -> int:
        """How many days are run at ``now``."""
        self.belief, due = timekeeping.look(self.belief, now, zone or UTC, RULES, lambda: self.done)
        self.run += (day.date for day in due.days)
        self.done += self.uses
        return len(due.days)


@pytest.mark.parametrize(("asleep", "days"), [(1, 1), (60, 60), (61, 0), (3_650, 0), (-60, 0), (-365, 0)])
def test_sixty_days_asleep_are_caught_up_and_more_is_doubted(asleep: int, days: int) -> None:
    life = Life()
    assert life.look(NOON + asleep * DAY) == days
    assert (life.belief.doubt is not None) is (abs(asleep) > 60)


def test_ten_years_ahead_and_back_nothing_has_happened() -> None:
    """A dead battery: nothing is run on it, and the days after are run as ever."""
    life = Life()
    for hours in (0, 1, 30):
        assert life.look(NOON + 3_650 * DAY + timedelta(hours=hours)) == 0
    assert life.look(NOON + 2 * DAY) == 2
    assert life.belief.last == date(2026, 5, 3) and life.belief.doubt is None
    assert life.look(NOON + 3 * DAY) == 1


def test_three_days_of_use_make_a_clock_believed() -> None:
    """A machine that lay half a year: on the morning after the third day all is caught up, each day once."""
    life = Life()
    assert [life.look(NOON + (180 + number) * DAY) for number in range(5)] == [0, 0, 0, 183, 1]
    assert len(set(life.run)) == len(life.run) == 184


def test_days_without_use_prove_nothing() -> None:
    life = Life(uses=False)
    assert sum(life.look(NOON + (400 + number) * DAY) for number in range(300)) == 0
    life.done += 1
    assert life.look(NOON + 700 * DAY) == 0 and life.belief.doubt == Doubt(date(2028, 3, 31), 1, 1)


def test_a_doubted_clock_that_jumps_on_begins_anew() -> None:
    life = Life()
    assert [life.look(NOON + days * DAY) for days in (1_000, 1_001, 1_002, 2_000, 2_001, 2_002)] == [0] * 6
    assert life.look(NOON + 2_003 * DAY) > 0


def test_a_year_back_waits_and_then_goes_on_from_there() -> None:
    """Neither frozen for a year nor is any day run again once the clock is right."""
    life = Life()
    back = NOON - 365 * DAY
    assert [life.look(back + number * DAY) for number in range(6)] == [0, 0, 0, 0, 1, 1]
    assert life.belief.reached == date(2026, 5, 1)
    # Mended on the 10th of May 2026: only what lies after the day once reached was not run.
    assert [life.look(NOON + (9 + number) * DAY) for number in range(5)] == [0, 0, 0, 12, 1]
    assert life.run.count(date(2026, 5, 1)) == 0 and len(set(life.run)) == len(life.run)
    assert life.belief.reached is None


def test_a_wrong_year_that_was_believed_does_not_stop_time_once_it_is_mended() -> None:
    life = Life()
    for number in range(5):
        life.look(NOON + (3_650 + number) * DAY)
    assert life.belief.last == date(2036, 5, 2)  # 3654 days are no calendar years
    assert [life.look(NOON + (5 + number) * DAY) for number in range(6)] == [0, 0, 0, 0, 1, 1]


def test_a_person_may_say_that_the_clock_is_right() -> None:
    life, now = Life(uses=False), NOON + 100 * DAY
    assert life.look(now) == 0
    life.belief = timekeeping.trusted(life.belief, now, UTC, RULES)
    assert life.look(now) == 100
    assert timekeeping.trusted(life.belief, now, UTC, RULES) == life.belief


@pytest.mark.parametrize("change", [datetime(2026, 3, 29, 12, tzinfo=UTC), datetime(2026, 10, 25, 12, tzinfo=UTC)])
def test_summer_time_and_journeys_are_no_jumps(change: datetime) -> None:
    """Looked at every hour, also around the world and back: a day a date, no doubt, no date twice."""
    zones = [ZoneInfo(name) for name in ("Europe/Berlin", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin")]
    life = Life(Belief((change - 2 * DAY).date()))
    for hours in range(24 * 5):
        life.look(change - DAY + timedelta(hours=hours), zones[hours // 30])
    assert life.belief.doubt is None and life.belief.set_at is None
    assert len(set(life.run)) == len(life.run) and 4 <= len(life.run) <= 6


def test_a_journey_west_does_not_begin_the_doubt_anew() -> None:
    life, now = Life(), NOON + 90 * DAY
    assert [life.look(now + number * DAY, ZoneInfo("Pacific/Kiritimati")) for number in range(3)] == [0, 0, 0]
    assert life.look(now + 2 * DAY, ZoneInfo("Pacific/Pago_Pago")) == 0
    assert life.look(now + 4 * DAY) == 94


@given(st.lists(st.integers(-5_000, 5_000), max_size=30))
def test_unused_no_jump_runs_a_day_twice_or_more_than_the_longest(jumps: list[int]) -> None:
    life = Life(uses=False)
    for days in jumps:
        assert life.look(NOON + days * DAY) <= RULES.longest_catch_up
    assert life.run == sorted(set(life.run))


@given(st.integers(61, 5_000) | st.integers(-5_000, -61), st.integers(0, 2), st.integers(0, 60))
def test_a_jump_that_is_mended_in_time_leaves_no_trace(far: int, stays: int, later: int) -> None:
    """Used or not, while the wrong clock is not used on three days."""
    life, steady = Life(), Life()
    for number in range(stays + 1):
        life.look(NOON + (far + number) * DAY)
    for days in (later, later + 1):
        assert life.look(NOON + days * DAY) == steady.look(NOON + days * DAY)
    assert replace(life.belief, set_at=None) == steady.belief


@pytest.fixture
def db(data_dir: Path) -> Iterator[Database]:
    database = Database.open(data_dir)
    yield database
    database.close()


def test_what_is_believed_is_kept(db: Database) -> None:
    full = Belief(date(2025, 5, 4), date(2026, 5, 1), Doubt(date(2030, 1, 1), 2, 17), NOON)
    with db.transaction() as cx:
        assert timekeeping.load(cx) == Belief(None)
        for belief in (BEGUN, full, replace(full, doubt=None), BEGUN):
            timekeeping.keep(cx, timekeeping.load(cx), belief)
            assert timekeeping.load(cx) == belief
        for broken in ("{", "[]", '{"doubt": 3}', '{"doubt": ["x", 1, 1]}', '{"set_at": "noon"}', '"x"', "7"):
            settings.put(cx, timekeeping.CLOCK_KEY, broken)
            assert timekeeping.load(cx).last == date(2026, 5, 1), broken
