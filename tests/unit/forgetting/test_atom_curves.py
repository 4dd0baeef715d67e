"""How long a fact lasts and what is left of it: the formulas of S0's atoms, and their edges."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from engine.forgetting import atoms
from engine.types import ATOM_TYPES, Atom, AtomType

NOW = datetime(2026, 5, 13, 2, 0, tzinfo=UTC)
SHANGHAI = ZoneInfo("Asia/Shanghai")
DAY = timedelta(days=1)


def _atom(kind: AtomType = "factual", ttl: float = 10.0) -> Atom:
    return Atom(
        id=1, text="", type=kind, memory_ids=(1,), conversation_id=None, persona_id=None, importance=0.5,
        confidence=0.8, event_time=None, status="active", status_at=NOW, created_at=NOW, last_accessed_at=None,
        last_reinforced_at=None, reinforcement_count=0, ttl_days=ttl, expires_at=NOW + ttl * DAY,
    )  # fmt: skip


def test_the_six_kinds_are_those_of_s0() -> None:
    """S0: base days, decay and confidence of each type."""
    assert {name: (kind.ttl_days, kind.decay, kind.confidence) for name, kind in atoms.KINDS.items()} == {
        "planned": (2, "step", 0.85),
        "preference": (60, "exponential", 0.82),
        "relational": (90, "linear", 0.80),
        "factual": (180, "exponential", 0.78),
        "episodic": (7, "exponential", 0.75),
        "unknown": (30, "exponential", 0.60),
    }
    assert tuple(atoms.KINDS) == ATOM_TYPES


@pytest.mark.parametrize(
    ("kind", "importance", "count", "days"),
    [("factual", 0.5, 0, 180.0), ("factual", 0.0, 0, 90.0), ("preference", 1.0, 2, 180.0), ("episodic", 0.7, 1, 12.6)],
)
def test_the_time_to_live_grows_with_importance_and_retelling(
    kind: AtomType, importance: float, count: int, days: float
) -> None:
    """S0: base × (0.5 + importance) × (1 + 0.5 × reinforcement_count)."""
    assert atoms.ttl_days(kind, importance, count) == pytest.approx(days)


def test_an_exponential_curve_falls_to_a_third_by_its_ttl() -> None:
    """S0: exp(−age/ttl) while it has not run out, else 0."""
    atom = _atom("preference")
    assert atoms.factor(atom, NOW) == 1.0
    assert atoms.factor(atom, NOW + 5 * DAY) == pytest.approx(math.exp(-0.5))
    assert atoms.factor(atom, NOW + 10 * DAY) == 0.0


def test_a_linear_curve_reaches_nothing_at_its_ttl() -> None:
    """S0: max(0, 1 − age/ttl)."""
    atom = _atom("relational")
    assert atoms.factor(atom, NOW + 4 * DAY) == pytest.approx(0.6)
    assert atoms.factor(replace(atom, expires_at=NOW + 90 * DAY), NOW + 11 * DAY) == 0.0


def test_a_plan_counts_in_full_until_it_has_run_out() -> None:
    """S0: step, 1 until expires_at, 0 after the deadline."""
    atom = _atom("planned")
    assert atoms.factor(atom, NOW + 10 * DAY - timedelta(microseconds=1)) == 1.0
    assert atoms.factor(atom, NOW + 10 * DAY) == 0.0


def test_age_counts_from_the_last_that_happened_to_it() -> None:
    """S0: the later of creation, access and reinforcement; a clock set back makes no atom younger than new."""
    atom = replace(_atom(), last_accessed_at=NOW + 4 * DAY)
    assert atoms.factor(atom, NOW + 5 * DAY) == pytest.approx(math.exp(-0.1))
    assert atoms.factor(replace(atom, last_reinforced_at=NOW + 5 * DAY), NOW + 5 * DAY) == 1.0
    assert atoms.factor(atom, NOW) == 1.0


def test_only_the_living_and_sleeping_count() -> None:
    """S0: 0 once expired."""
    left = {status: atoms.factor(replace(_atom(), status=status), NOW) for status in (
        "active", "dormant", "superseded", "expired", "forgotten", "purged", "needs_repair",
    )}  # fmt: skip
    assert {status for status, factor in left.items() if factor} == {"active", "dormant"}
    assert atoms.factor(replace(_atom(), ttl_days=0.0), NOW) == 0.0


def test_without_a_date_the_formula_says_when_it_ends() -> None:
    """S0: expires_at = begin + ttl; the date of what is no plan changes nothing."""
    life = atoms.lifetime("factual", 0.5, 0, NOW, NOW + 400 * DAY, SHANGHAI)
    assert life == atoms.Lifetime(180.0, NOW + 180 * DAY)
    assert atoms.lifetime("planned", 0.5, 0, NOW, None, SHANGHAI) == atoms.Lifetime(2.0, NOW + 2 * DAY)


def test_a_dated_plan_lasts_two_days_beyond_the_end_of_its_local_day() -> None:
    """S0: days until the event + 2, to the end of that day for the user."""
    event = datetime(2026, 5, 20, 17, 30, tzinfo=UTC)  # 01:30 on the 21st in Shanghai
    life = atoms.lifetime("planned", 0.5, 0, NOW, event, SHANGHAI)
    assert life.expires_at == datetime(2026, 5, 23, 16, 0, tzinfo=UTC)  # midnight after the 23rd there
    assert life.ttl_days == pytest.approx((life.expires_at - NOW) / DAY)
    assert atoms.lifetime("planned", 0.5, 0, NOW, event, UTC).expires_at == datetime(2026, 5, 23, tzinfo=UTC)


def test_a_local_day_is_as_long_as_the_clocks_make_it() -> None:
    """The end of a day is midnight on the wall, also where clocks were set forward in between."""
    berlin = ZoneInfo("Europe/Berlin")
    life = atoms.lifetime("planned", 0.5, 0, NOW, datetime(2026, 10, 24, 10, 0, tzinfo=UTC), berlin)
    assert life.expires_at.astimezone(berlin) == datetime(2026, 10, 27, 0, 0, tzinfo=berlin)


def test_a_plan_of_the_past_has_two_days_left() -> None:
    """S0: a past event counts 0 days to go; yesterday's still lasts to the end of its own two days."""
    assert atoms.lifetime("planned", 0.5, 0, NOW, NOW - 300 * DAY, SHANGHAI) == atoms.Lifetime(2.0, NOW + 2 * DAY)
    same_day = atoms.lifetime("planned", 0.5, 0, NOW, NOW - timedelta(hours=1), SHANGHAI)
    assert same_day.expires_at == datetime(2026, 5, 15, 16, 0, tzinfo=UTC)


def test_told_again_an_atom_gains_and_a_plan_ends_no_earlier() -> None:
    """S0: count + 1, confidence 0.7·old + 0.3·new, time to live anew, with the larger importance."""
    later = NOW + 3 * DAY
    values = atoms.reinforced(_atom("preference"), 0.6, 0.9, later)
    assert values["reinforcement_count"] == 1 and values["importance"] == 0.9
    assert values["confidence"] == pytest.approx(0.74)
    assert values["ttl_days"] == pytest.approx(60 * 1.4 * 1.5)
    assert values["expires_at"] == later + timedelta(days=values["ttl_days"])
    assert values["last_reinforced_at"] == later and "status" not in values
    plan = replace(_atom("planned"), event_time=NOW + 7 * DAY, expires_at=NOW + 10 * DAY)
    assert atoms.reinforced(plan, 0.85, 0.5, later)["expires_at"] == NOW + 10 * DAY
    assert atoms.reinforced(plan, 0.85, 0.5, NOW + 9 * DAY)["expires_at"] == NOW + 11 * DAY


@pytest.mark.parametrize("moment", [datetime(9998, 12, 31, 23, tzinfo=UTC), datetime(2, 1, 1, tzinfo=UTC), NOW])
@pytest.mark.parametrize("kind", ATOM_TYPES)
def test_no_size_of_number_or_date_is_too_much(kind: AtomType, moment: datetime) -> None:
    """Beyond the calendar a lifetime ends with it."""
    for event in (None, datetime(9998, 12, 31, 23, tzinfo=UTC), datetime(1, 1, 1, tzinfo=UTC)):
        life = atoms.lifetime(kind, 1.0, 10**6, moment, event, ZoneInfo("Pacific/Kiritimati"))
        assert moment <= life.expires_at <= atoms.LATEST
        assert math.isfinite(life.ttl_days)
    assert atoms.ttl_days(kind, math.nan, -1) == atoms.ttl_days(kind, 0.0, 0)
    assert atoms.ttl_days(kind, math.inf, 0) == atoms.ttl_days(kind, 1.0, 0)
