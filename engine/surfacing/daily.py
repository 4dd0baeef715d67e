"""The user's days, and what a day decides: the same on every device, without a dice. Pure."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

# FNV-1a, 64 bits (Fowler, Noll, Vo).
OFFSET: Final = 0xCBF29CE484222325
PRIME: Final = 0x100000001B3
_MASK: Final = (1 << 64) - 1


def fnv1a(text: str, state: int = OFFSET) -> int:
    """The 64-bit FNV-1a hash of ``text`` in UTF-8; ``state`` continues one."""
    for byte in text.encode("utf-8", "replace"):
        state = ((state ^ byte) * PRIME) & _MASK
    return state


def chance(day: date, what: str) -> float:
    """A number in [0, 1) that the day decides, for each ``what`` another."""
    # The day first: what comes last hardly moves the upper bits, and days follow each other in their last digit.
    return fnv1a(day.isoformat() + what) / (_MASK + 1)


def later(day: date, days: int) -> date:
    """``days`` days after ``day``, or the last day there is."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return date.max
