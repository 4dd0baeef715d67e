"""When a memory goes to sleep or into the archive, at the edges of each number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.forgetting import dormancy
from engine.forgetting.rules import Rules

RULES = Rules()


@pytest.mark.parametrize(("importance", "days"), [(0.0, 7), (0.4, 7), (0.401, 14), (0.6, 14), (0.601, 30), (1.0, 30)])
def test_the_less_important_sleeps_sooner(importance: float, days: float) -> None:
    """S1's promise: 7, 14, 30 days without use."""
    assert float(dormancy.sleep_days(importance, RULES)) == days
    assert bool(dormancy.sleeps(importance, days, False, RULES))
    assert not dormancy.sleeps(importance, days - 1e-6, False, RULES)


def test_the_days_are_the_users() -> None:
    rules = replace(RULES, sleep_low_days=1.0, sleep_medium_days=2.5, sleep_high_days=100.0)
    assert [float(dormancy.sleep_days(one, rules)) for one in (0.1, 0.5, 0.9)] == [1.0, 2.5, 100.0]


def test_what_lies_ahead_does_not_sleep() -> None:
    assert not dormancy.sleeps(0.1, 365.0, True, RULES)
    assert not dormancy.archives(0.1, 365.0, True, replace(RULES, archive=True))


@pytest.mark.parametrize(
    ("strength", "unused", "archived"),
    [(0.299, 30.01, True), (0.3, 31.0, False), (0.299, 30.0, False), (0.05, 1.0, False)],
)
def test_weak_and_old_is_archived_if_so_wished(strength: float, unused: float, archived: bool) -> None:
    """S0: older than 30 days and weaker than 0.3; off by default."""
    assert bool(dormancy.archives(strength, unused, False, replace(RULES, archive=True))) is archived
    assert not dormancy.archives(strength, unused, False, RULES)


def test_many_are_as_one_by_one() -> None:
    rules = replace(RULES, archive=True)
    made = np.random.default_rng(3)
    importance, unused, ahead = made.random(300), made.random(300) * 60, made.random(300) < 0.2
    sleeps = dormancy.sleeps(importance, unused, ahead, rules)
    archives = dormancy.archives(importance, unused, ahead, rules)
    assert sleeps.any() and archives.any()
    for at in range(300):
        given = float(importance[at]), float(unused[at]), bool(ahead[at])
        assert bool(dormancy.sleeps(*given, rules)) == sleeps[at]
        assert bool(dormancy.archives(*given, rules)) == archives[at]


def test_the_layers_that_sleep() -> None:
    """Events only, unless the user says otherwise."""
    assert RULES.sleeping_layers == {"event"}
    assert replace(RULES, sleep_event=False, sleep_fact=True, sleep_state=True).sleeping_layers == {"fact", "state"}
