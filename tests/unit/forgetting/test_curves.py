"""The formulas of fading strength, by hand-made numbers, for one memory and for many."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.forgetting import curves


@pytest.mark.parametrize(
    ("recent", "emotion", "rate"),
    [
        (0, 0, 0.01),  # S0's plain rate
        (1, 0, 0.009),
        (4, 0, 0.006),
        (7, 0, 0.003),
        (10, 0, 0.003),  # never less than three tenths of it
        (1e9, 0, 0.003),
        (0, 5, 0.0075),
        (0, 7.9, 0.00605),
        (0, 10, 0.005),
        (10, 10, 0.0015),
    ],
)
def test_use_and_emotion_slow_the_fading(recent: float, emotion: float, rate: float) -> None:
    """S0: rate' = 0.01 × max(0.3, 1 − 0.1·min(recent, 10)); S0 and S1: emotion takes up to half of it off."""
    assert curves.daily_rate(0.01, recent, emotion) == pytest.approx(rate, rel=1e-12)


@pytest.mark.parametrize(
    ("strength", "rate", "after"), [(1.0, 0.01, 0.99), (0.5, 0.003, 0.4985), (0.0501, 0.01, 0.05), (0.05, 0.5, 0.05)]
)
def test_a_day_takes_its_share_down_to_the_floor(strength: float, rate: float, after: float) -> None:
    """S0: max(0.05, strength × (1 − rate'))."""
    assert float(curves.weakened(strength, rate)) == after


@pytest.mark.parametrize("strength", [0.0, 0.01, 0.049])
def test_decay_raises_nobody_to_the_floor(strength: float) -> None:
    """A memory of no importance starts below the floor; time makes it no stronger."""
    assert float(curves.weakened(strength, 0.01)) == strength


@pytest.mark.parametrize(("days", "counts"), [(0, 3), (29.99, 3), (30, 3), (30.01, 0), (-2, 3), (math.nan, 0)])
def test_only_recent_use_counts(days: float, counts: float) -> None:
    """S0: within 30 days; never used is not recent, and used a moment ahead of a clock that was set back is."""
    assert float(curves.recent_access(3.0, days, 30.0)) == counts


def test_access_fades_by_half() -> None:
    """S0: access counts × 0.5 after each run."""
    assert curves.faded(3.0) == 1.5


@pytest.mark.parametrize(
    ("pinned", "protected", "emotion", "undecided", "immune"),
    [
        (False, False, 7.99, False, False),
        (False, False, 8.0, False, True),
        (True, False, 0.0, False, True),
        (False, True, 0.0, False, True),
        (False, False, 0.0, True, True),
    ],
)
def test_what_time_does_nothing_to(pinned, protected, emotion, undecided, immune):  # type: ignore[no-untyped-def]
    """S0: pinned; S1: emotion of 8 and more ("flashbulb"); protected, and decisions that are open."""
    assert bool(curves.immune(pinned, protected, emotion, undecided)) is immune


def test_many_are_as_one_by_one() -> None:
    """The text that draws one curve is the text that moves all rows: bit for bit."""
    made = np.random.default_rng(7)
    strength, access, days = made.random(500), made.random(500) * 15, made.random(500) * 60
    emotion = made.random(500) * 10
    recent = curves.recent_access(access, days, 30.0)
    together = curves.weakened(strength, curves.daily_rate(0.01, recent, emotion))
    for at in range(500):
        one = curves.recent_access(float(access[at]), float(days[at]), 30.0)
        rate = curves.daily_rate(0.01, one, float(emotion[at]))
        assert float(curves.weakened(float(strength[at]), rate)) == together[at]
