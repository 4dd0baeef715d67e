"""The course of many memories through the days: one step for run, preview and curve alike.

Each memory goes its way alone, so portions and their order do not matter. Works on arrays in memory; must not read or
write rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.forgetting import curves, dormancy
from engine.forgetting.rules import Rules
from engine.forgetting.timekeeping import Passing
from engine.types import FINDABLE, Exemption, Rest

_DAY: Final = np.timedelta64(1, "D")
# A histogram of strength has a bar for each tenth.
BARS: Final = 10
Moments = NDArray[np.datetime64]
# (place of the day among those passed, where to, memory id)
Fallen = tuple[int, Rest, int]


@dataclass(frozen=True, slots=True)
class _Stamps:
    """``accessed`` is NaT where it never was; ``touched``: the latest of creation, change and access."""

    accessed: Moments
    touched: Moments
    created: Moments


class Course:
    """Memories on their way. ``strength``, ``access`` and ``status`` move with :meth:`walk`, all else is given.

    ``rows``: tuples in the order of ``storage.vitality.Row``. What is neither active, dormant nor archived rests.
    ``exempt``: for each reason, which memories it spares.
    """

    def __init__(self, rows: Sequence[tuple[Any, ...]], rules: Rules) -> None:
        (
            ids, strength, access, accessed, updated, created, event, status, layer, importance, emotion, pinned,
            protected, resolved,
        ) = zip(*rows, strict=True)  # fmt: skip
        self.ids: NDArray[np.int64] = np.array(ids, dtype=np.int64)
        self.strength: NDArray[np.float64] = np.array(strength, dtype=np.float64)
        self.access: NDArray[np.float64] = np.array(access, dtype=np.float64)
        self.status: NDArray[np.str_] = np.array(status, dtype="U10")
        self._rules = rules
        self._given = tuple(map(_moments, (accessed, updated, created)))
        self._stamps = _stamps(*self._given)
        self._event = _moments(event)
        self._importance = np.array(importance, dtype=np.float64)
        self._emotion = np.array(emotion, dtype=np.float64)
        layers = np.array(layer, dtype="U10")
        living = np.isin(self.status, FINDABLE)
        self.exempt: Mapping[Exemption, NDArray[np.bool_]] = {
            "off": np.full(len(rows), not rules.enabled),
            "resting": ~living,
            "pinned": np.array(pinned) != 0,
            "protected": np.array(protected) != 0,
            "flashbulb": curves.flashbulb(self._emotion),
            "undecided": (layers == "decision") & (np.array(resolved) == 0),
            "layer": ~np.isin(layers, sorted(rules.sleeping_layers)),
        }
        spared = curves.immune(self.exempt["pinned"], self.exempt["protected"], self._emotion, self.exempt["undecided"])
        self._living = living
        self._mortal = living & ~spared
        self._sleeper = self._mortal & ~self.exempt["layer"]

    def walk(self, days: Iterable[Passing]) -> list[Fallen]:
        """Through these days, unless forgetting is off; who is put to rest, none twice on one day."""
        fallen: list[Fallen] = []
        for at, passing in enumerate(days if self._rules.enabled else ()):
            self._pass(at, passing, fallen)
        return fallen

    def histogram(self) -> NDArray[np.int64]:
        """How many that can be found have a strength in each tenth of 0..1 [BARS]."""
        counts: NDArray[np.int64] = np.histogram(self.strength[self._living], BARS, (0.0, 1.0))[0]
        return counts

    def _pass(self, place: int, passing: Passing, fallen: list[Fallen]) -> None:
        """The day that is due at its moment. Nothing happens to what was made after it."""
        rules, at = self._rules, _moment(passing.day.moment)
        stamps = self._stamps if passing.set_at is None else self._believed(passing.now, passing.set_at)
        there = stamps.created <= at
        mortal = self._mortal & there
        recent = curves.recent_access(self.access, (at - stamps.accessed) / _DAY, rules.access_days)
        rate = curves.daily_rate(rules.rate, recent, self._emotion)
        self.strength = np.where(mortal, curves.weakened(self.strength, rate), self.strength)
        self.access = np.where(self._living & there, curves.faded(self.access), self.access)
        unused, ahead = (at - stamps.touched) / _DAY, self._event > at
        archived = mortal & (self.status != "archived") & dormancy.archives(self.strength, unused, ahead, rules)
        asleep = self._sleeper & there & (self.status == "active") & ~archived
        asleep &= dormancy.sleeps(self._importance, unused, ahead, rules)
        fallen += [(place, "dormant", memory_id) for memory_id in self.ids[asleep].tolist()]
        fallen += [(place, "archived", memory_id) for memory_id in self.ids[archived].tolist()]
        if asleep.any() or archived.any():
            self.status = np.where(archived, "archived", np.where(asleep, "dormant", self.status))

    def _believed(self, now: datetime, set_at: datetime) -> _Stamps:
        """Stamps ahead of ``now`` are of a clock that was wrong: they count as the moment it was right again."""
        limit, instead = _moment(now), min(_moment(now), _moment(set_at))
        return _stamps(*(np.where(stamps > limit, instead, stamps) for stamps in self._given))


def _stamps(accessed: Moments, updated: Moments, created: Moments) -> _Stamps:
    return _Stamps(accessed, np.fmax(np.fmax(created, updated), accessed), created)


def _moments(texts: Sequence[str]) -> Moments:
    """An empty text becomes "not a time", which is neither before nor after anything."""
    return np.array(texts, dtype="datetime64[us]")


def _moment(moment: datetime) -> np.datetime64:
    return np.datetime64(moment.astimezone(UTC).replace(tzinfo=None), "us")
