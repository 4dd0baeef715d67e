"""Answers to recent questions (S0: 45 s, 256 entries, epoch). Thread-safe; holds answers only, never connections."""

from __future__ import annotations

import threading
from collections.abc import Hashable

from cachetools import TTLCache

from engine.types import Recollection

CAPACITY = 256


class RecallCache:
    """Least recently used first out; an answer is valid within its epoch and for a limited time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: TTLCache[Hashable, Recollection] = TTLCache(CAPACITY, ttl=0.0)

    def get(self, key: Hashable, epoch: int, seconds: float) -> Recollection | None:
        """The answer made in ``epoch`` less than ``seconds`` ago, or None."""
        with self._lock:
            return self._in_force(seconds).get((epoch, key))

    def put(self, key: Hashable, epoch: int, seconds: float, answer: Recollection) -> None:
        """Keep ``answer`` for ``seconds`` (0 = not at all)."""
        with self._lock:
            if seconds > 0:
                self._in_force(seconds)[(epoch, key)] = answer

    def _in_force(self, seconds: float) -> TTLCache[Hashable, Recollection]:
        if self._answers.ttl != seconds:
            self._answers = TTLCache(CAPACITY, ttl=seconds)
        return self._answers
