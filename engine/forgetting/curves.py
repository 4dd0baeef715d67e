"""How the strength of a memory fades with the days (S0): the formulas, for one memory as for many.

Every function takes numbers or arrays of them, so that one text draws the curve, foretells and decays. Must not know
of rows, days or parameters.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Numbers = float | NDArray[np.float64]
Flags = bool | NDArray[np.bool_]

FLOOR: Final = 0.05
# Each recent recall takes a tenth off the rate, but something is always left of it.
ACCESS_SHARE: Final = 0.1
MOST_ACCESS: Final = 10.0
LEAST_SHARE: Final = 0.3
EMOTION_SHARE: Final = 0.5
MOST_EMOTION: Final = 10.0
# What moved so much is kept as it was ("flashbulb").
FLASHBULB: Final = 8.0
ACCESS_FADE: Final = 0.5


def recent_access(access_count: Numbers, days_since: Numbers, window_days: float) -> Any:
    """The access count if the last access lies within the window, else 0; NaN days = never accessed."""
    return np.where(np.less_equal(days_since, window_days), access_count, 0.0)


def daily_rate(rate: float, recent: Numbers, emotion: Numbers) -> Any:
    """The share of its strength that a memory loses in a day: what is used and what moved fades slower (S0)."""
    use = np.maximum(LEAST_SHARE, 1.0 - ACCESS_SHARE * np.clip(recent, 0.0, MOST_ACCESS))
    return rate * use * (1.0 - EMOTION_SHARE * np.clip(emotion, 0.0, MOST_EMOTION) / MOST_EMOTION)


def weakened(strength: Numbers, rate: Numbers) -> Any:
    """Strength after one day: max(0.05, strength × (1 − rate)); what began below the floor stays where it is."""
    return np.minimum(strength, np.maximum(FLOOR, strength * (1.0 - rate)))


def faded(access_count: Numbers) -> Any:
    """The access count after one day."""
    return access_count * ACCESS_FADE


def flashbulb(emotion: Numbers) -> Any:
    """Whether a memory moved the user so much that it is kept as it was."""
    return np.greater_equal(emotion, FLASHBULB)


def immune(pinned: Flags, protected: Flags, emotion: Numbers, undecided: Flags) -> Any:
    """Whether time does nothing to a memory; ``undecided``: a decision that is not resolved."""
    return np.logical_or(np.logical_or(pinned, protected), np.logical_or(flashbulb(emotion), undecided))
