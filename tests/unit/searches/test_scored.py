"""S4's score: its numbers where they had no fault, and what keeps popularity within bounds."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.searches.scored import MOST_OF_RECALLS, score, since
from engine.storage.searches import Weighed

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def test_s4_numbers() -> None:
    parts = score(Weighed(0.8, 2, 4.0, NOW - timedelta(days=6)), 0.5, NOW)
    assert parts == pytest.approx(
        {"importance": 8 * 3.0, "recall": 2 * 2.0 * math.exp(-6 / 3.0), "emotion": 4 * 1.5, "similarity": 7.5}
    )
    assert score(Weighed(0.0, 0, 0.0, None), 7.0, NOW)["similarity"] == 15.0
    assert score(Weighed(0.0, 0, 0.0, None), -1.0, NOW)["similarity"] == 0.0


@given(st.integers(0, 10_000), st.floats(0, 3_650), st.floats(0, 1), st.floats(0, 10))
def test_s4_a_recall_only_adds_fades_and_is_bounded(
    recalls: int, days: float, importance: float, emotion: float
) -> None:
    def total(count: int, age: float) -> float:
        return sum(score(Weighed(importance, count, emotion, NOW - timedelta(days=age)), 0.3, NOW).values())

    never = total(0, 0.0)
    assert never <= total(recalls, days) <= never + MOST_OF_RECALLS + 1e-9
    assert total(recalls, days + 1) <= total(recalls, days) + 1e-9
    assert total(recalls, days) <= total(recalls + 1, days) + 1e-9


def test_s4_ranges_begin_at_local_midnight_also_where_clocks_change() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    now = datetime(2026, 3, 29, 22, 30, tzinfo=UTC)  # half past midnight on the 30th, the day after the change
    assert since("1d", now, berlin) == datetime(2026, 3, 29, 22, tzinfo=UTC)
    assert since("7d", now, berlin) == datetime(2026, 3, 23, 23, tzinfo=UTC)
    assert since("all", now, berlin) is None
