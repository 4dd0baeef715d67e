"""When an unused memory goes to sleep (S1's promise), and when a weak one is archived (S0). Formulas only.

As in ``curves.py`` every function takes one memory's numbers or arrays of many. Waking is ``reinforcement.py``'s.
Must not move anything, and knows no state beyond these two.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from engine.forgetting.curves import Flags, Numbers
from engine.forgetting.rules import Rules

# Up to here importance is low, medium; above it is high.
LOW: Final = 0.4
MEDIUM: Final = 0.6


def sleep_days(importance: Numbers, rules: Rules) -> Any:
    """Days without use until a memory of this importance, as it was given, goes to sleep."""
    above_low = np.where(np.less_equal(importance, MEDIUM), rules.sleep_medium_days, rules.sleep_high_days)
    return np.where(np.less_equal(importance, LOW), rules.sleep_low_days, above_low)


def sleeps(importance: Numbers, unused_days: Numbers, ahead: Flags, rules: Rules) -> Any:
    """Whether time puts it to sleep. ``unused_days``: since it was made, changed, told or recalled, the latest of
    these; ``ahead``: its event is still to come.
    """
    return np.logical_and(np.greater_equal(unused_days, sleep_days(importance, rules)), np.logical_not(ahead))


def archives(strength: Numbers, unused_days: Numbers, ahead: Flags, rules: Rules) -> Any:
    """Whether it is archived: weak, and unused for long, so that one that was woken is not archived the next night."""
    if not rules.archive:
        return np.zeros_like(strength, dtype=bool)
    weak = np.less(strength, rules.archive_below)
    return np.logical_and(np.logical_and(weak, np.greater(unused_days, rules.archive_days)), np.logical_not(ahead))
