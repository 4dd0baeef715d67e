"""The course of many memories through the days: one step for run, preview and curve alike.

Each memory goes its way alone, so portions and their order do not matter. Works on arrays in memory; must not read or
write rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from engine.forgetting import curves, dormancy
from engine.forgetting.rules import Rules
from engine.types import FINDABLE

Rest = Literal["dormant", "archived"]
_DAY: Final = np.timedelta64(1, "D")


@dataclass(frozen=True, slots=True)
class Fallen:
    """Which memories a day put to rest, ascending; none is in both."""

    dormant: tuple[int, ...]
    archived: tuple[int, ...]


class Course:
    """Memories on their way. ``strength``, ``access`` and ``status`` move with :meth:`pass_day`, all else is given.

    ``rows``: tuples in the order of ``storage.vitality.Row``. What is neither active, dormant nor archived rests.
    """

    def __init__(self, rows: Sequence[tuple[Any, ...]], rules: Rules) -> None:
        (
            ids, strength, access, accessed, touched, created, event, status, layer, importance, emotion, pinned,
            protected, resolved,
        ) = zip(*rows, strict=True)  # fmt: skip
        self.ids: NDArray[np.int64] = np.array(ids, dtype=np.int64)
        self.strength: NDArray[np.float64] = np.array(strength, dtype=np.float64)
        self.access: NDArray[np.float64] = np.array(access, dtype=np.float64)
        self.status: NDArray[np.str_] = np.array(status, dtype="U10")
        self._rules = rules
        self._accessed, self._touched, self._created, self._event = map(_moments, (accessed, touched, created, event))
        self._importance = np.array(importance, dtype=np.float64)
        self._emotion = np.array(emotion, dtype=np.float64)
        layers = np.array(layer, dtype="U10")
        undecided = (layers == "decision") & (np.array(resolved) == 0)
        immune = curves.immune(np.array(pinned) != 0, np.array(protected) != 0, self._emotion, undecided)
        self._living = np.isin(self.status, FINDABLE)
        self._mortal = self._living & ~immune
        self._sleeper = self._mortal & np.isin(layers, sorted(rules.sleeping_layers))

    def pass_day(self, moment: datetime) -> Fallen:
        """The day that is due at ``moment``. Nothing happens to what was made after it."""
        rules, at = self._rules, _moment(moment)
        there = self._created <= at
        mortal = self._mortal & there
        recent = curves.recent_access(self.access, (at - self._accessed) / _DAY, rules.access_days)
        rate = curves.daily_rate(rules.rate, recent, self._emotion)
        self.strength = np.where(mortal, curves.weakened(self.strength, rate), self.strength)
        self.access = np.where(self._living & there, curves.faded(self.access), self.access)
        unused, ahead = (at - self._touched) / _DAY, self._event > at
        archived = mortal & (self.status != "archived") & dormancy.archives(self.strength, unused, ahead, rules)
        asleep = self._sleeper & there & (self.status == "active") & ~archived
        asleep &= dormancy.sleeps(self._importance, unused, ahead, rules)
        fallen = Fallen(tuple(self.ids[asleep].tolist()), tuple(self.ids[archived].tolist()))
        if fallen.dormant or fallen.archived:
            self.status = np.where(archived, "archived", np.where(asleep, "dormant", self.status))
        return fallen


def _moments(texts: Sequence[str]) -> NDArray[np.datetime64]:
    """An empty text becomes "not a time", which is neither before nor after anything."""
    return np.array(texts, dtype="datetime64[us]")


def _moment(moment: datetime) -> np.datetime64:
    return np.datetime64(moment.astimezone(UTC).replace(tzinfo=None), "us")
