"""The recall cache: epoch, time and size."""

from __future__ import annotations

from engine.retrieval.cache import CAPACITY, RecallCache
from engine.types import Recollection

ANSWER = Recollection(())


def test_a_change_of_the_store_makes_answers_stale() -> None:
    cache = RecallCache()
    cache.put("q", 1, 45.0, ANSWER)
    assert cache.get("q", 1, 45.0) is ANSWER
    assert cache.get("q", 2, 45.0) is None


def test_zero_seconds_turns_it_off() -> None:
    cache = RecallCache()
    cache.put("q", 1, 0.0, ANSWER)
    assert cache.get("q", 1, 0.0) is None


def test_the_least_recently_used_goes_first() -> None:
    cache = RecallCache()
    for at in range(CAPACITY):
        cache.put(at, 1, 45.0, ANSWER)
    assert cache.get(0, 1, 45.0) is ANSWER
    cache.put("one more", 1, 45.0, ANSWER)
    assert cache.get(0, 1, 45.0) is ANSWER
    assert cache.get(1, 1, 45.0) is None
