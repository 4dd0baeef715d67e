"""The times that a question speaks of: spans in which what it asks for happened or was told, each with a certainty.

"Last May", 上周三, "in spring 2025"; not "when did …", "before the trip", nor a time of day without its day. Pure; the
words are read by ``engine/text/dates``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.text import dates
from engine.text.dates import DateMention, even

# How much a span of up to so many days tells about what is asked for.
_CERTAINTY: Final = ((2.0, 1.0), (10.0, 0.9), (45.0, 0.7), (100.0, 0.5), (float("inf"), 0.3))
# What happened is told the day after, too: "yesterday we …". Such a telling counts this much.
_AFTERWARDS: Final = timedelta(days=1)
_TOLD_LATER: Final = 0.5
_MOST: Final = 4

_QUOTED: Final = re.compile(r"“[^”]*”|\"[^\"]*\"|「[^」]*」|『[^』]*』|《[^》]*》|`[^`]*`")
_BORDER_BEFORE: Final = re.compile(r"\b(?:before|after|until|till|by|than|not)(?: the)? $")
_BORDER_AFTER: Final = re.compile(r"\s*(?:之前|以前|之后|以后|前|后|起|为止|截止)(?!天|半)")
_BEFORE_LAST: Final = re.compile(r" before last\b")
_OF_A_DAY: Final = re.compile(
    r"[今昨前明后当]|周|星期|礼拜|天前|号|日|刚|小时|分钟|today|tonight|yesterday|tomorrow|day|ago|past|last|this|hour|minute|\d[-/.]\d"
)
_PAST: Final = re.compile(
    r"\b(?:did|was|were|had|went|came|ago|last)\b|\w{3,}ed\b|[了过](?!年|节)|的时候|那[次天时]|当时|去年|上[周月个]|昨|前天"
)
_FUTURE: Final = re.compile(
    r"\b(?:will|'ll|going|shall|next|coming|upcoming|plan(?:s|ned|ning)?|due|must|turn)\b|打算|计划|[要会该]|即将|下[周月个]|安排"
)


@dataclass(frozen=True, slots=True)
class Period:
    """The span [since, until) in UTC; ``certainty`` 0..1: how much being in it says."""

    since: datetime
    until: datetime
    certainty: float


def periods(text: str, now: datetime, zone: tzinfo) -> tuple[Period, ...]:
    """The spans of time that ``text`` asks about, seen from ``now`` in the days of ``zone``; at most four."""
    bare = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), text)
    flat = even(bare)
    past, future = bool(_PAST.search(flat)), bool(_FUTURE.search(flat))
    behind = dates.mentions(bare, now, zone, "past")
    # Only a date without a year or a week of its own lies elsewhere when it is looked for ahead.
    ahead = dates.mentions(bare, now, zone, "future") if behind and (future or not past) else ()
    found = [*(() if future and not past else behind), *ahead]
    spans = dict.fromkeys((one.since, one.until) for one in found if _is_asked(one, flat, now, zone))
    return tuple(Period(since, until, _certainty(until - since)) for since, until in list(spans)[:_MOST])


def _is_asked(mention: DateMention, flat: str, now: datetime, zone: tzinfo) -> bool:
    if _BORDER_BEFORE.search(flat, max(0, mention.start - 12), mention.start):
        return False
    if _BORDER_AFTER.match(flat, mention.end) or _BEFORE_LAST.match(flat, mention.end):
        return False
    said = flat[mention.start : mention.end]
    # A time of day alone ("at 8", 晚上) is every day's, not today's.
    return mention.grain != "time" or bool(_OF_A_DAY.search(said))


def _certainty(length: timedelta) -> float:
    days = length / timedelta(days=1)
    return next(certainty for most, certainty in _CERTAINTY if days <= most)


def fits(asked: tuple[Period, ...], happened: NDArray[np.float64], told: NDArray[np.float64]) -> NDArray[np.float64]:
    """How well each memory fits one of the spans, 0..1. ``happened``, ``told`` [n]: seconds since the epoch."""
    best = np.zeros(len(happened))
    for one in asked:
        since, until = one.since.timestamp(), one.until.timestamp()
        inside = (happened >= since) & (happened < until)
        inside_told = (told >= since) & (told < until)
        # Where it is not said when it happened, it may have been the day before it was told.
        after = (happened == told) & (told >= until) & (told < until + _AFTERWARDS.total_seconds())
        later = inside_told | after
        best = np.maximum(best, one.certainty * np.where(inside, 1.0, np.where(later, _TOLD_LATER, 0.0)))
    return best
