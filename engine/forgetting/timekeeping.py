"""Which days forgetting believes: a clock that jumps must neither age what only seems old, nor stop time for years.

The rule. A clock within ``forgetting.longest_catch_up`` days (60) of the newest day that was run is believed: missed
days are caught up, and one set back waits until its days are new. A clock further off, ahead or back, is in doubt:
no day is run and no fact expires until it was seen in use (something told, changed or recalled) on three days, or a
person says that it is right. Then what was truly missed is caught up, but never a day that was run before; set back,
counting goes on from there. A dead clock battery is mended long before that: assistants reach nobody with a wrong
year. If the clock comes back by itself, nothing has happened.

Stamps that a wrong clock left ahead of now count as the moment at which the clock was right again. Must not decay
anything.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo
from typing import Any, Final

from engine import clock, schedule
from engine.forgetting.rules import Rules
from engine.schedule import Day, Due
from engine.storage import settings, vitality
from engine.storage.database import Connection

# The date of the newest day that was run.
DAY_KEY: Final = "forgetting.day"
CLOCK_KEY: Final = "forgetting.clock"
LIVED_DAYS: Final = 3
_DAY: Final = timedelta(days=1)
Use = Callable[[], int]


@dataclass(frozen=True, slots=True)
class Doubt:
    """``seen``: the newest day that the doubted clock showed; ``lived``: days of it with use; ``use``: as counted."""

    seen: date
    lived: int
    use: int


@dataclass(frozen=True, slots=True)
class Belief:
    """``last``: the newest day that was run, or None; ``reached``: a later one that had been run before the clock was
    set back; ``set_at``: when the clock was last right again.
    """

    last: date | None
    reached: date | None = None
    doubt: Doubt | None = None
    set_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Passing:
    """A day that is run at ``now``, with what was believed then of stamps ahead of it."""

    day: Day
    now: datetime
    set_at: datetime | None


def look(belief: Belief, now: datetime, zone: tzinfo, rules: Rules, use: Use) -> tuple[Belief, Due]:
    """(What is believed from now on, the days to run). ``use``() counts what people and assistants have done so far."""
    newest, last = schedule.latest_day(now, rules.at, zone), belief.last
    if last is None:
        return Belief(newest), Due((), newest)
    if not _far(newest, last, rules):
        due = schedule.due(last, now, rules.at, zone)
        reached = belief.reached if belief.reached and belief.reached > due.latest else None
        return Belief(due.latest, reached, None, now if belief.doubt else belief.set_at), due
    doubt = _lived(belief.doubt, newest, rules, use)
    if doubt.lived < LIVED_DAYS:
        return replace(belief, doubt=doubt), Due((), last)
    reached = max(last, belief.reached or last)
    due = schedule.due(reached, now, rules.at, zone)
    return Belief(newest, reached if reached > newest else None, None, now), replace(due, latest=newest)


def ahead(belief: Belief, now: datetime, zone: tzinfo, rules: Rules, count: int, use: int) -> tuple[Passing, ...]:
    """What runs at ``now`` and on each of the next ``count`` days would pass, if nothing is done meanwhile."""
    found: list[Passing] = []
    today = schedule.latest_day(now, rules.at, zone)
    for moment in (now, *(day.moment for day in schedule.upcoming(today, count, rules.at, zone))):
        belief, due = look(belief, moment, zone, rules, lambda: use)
        found += (Passing(day, moment, belief.set_at) for day in due.days)
    return tuple(found)


def jump(belief: Belief, now: datetime, zone: tzinfo, rules: Rules) -> int:
    """By how many days a clock that is in doubt is ahead (negative: back); 0 = it is believed."""
    newest = schedule.latest_day(now, rules.at, zone)
    return (newest - belief.last).days if belief.last and _far(newest, belief.last, rules) else 0


def last_day(cx: Connection, now: datetime, zone: tzinfo, rules: Rules) -> date:
    """The newest day that was run; where none was, the one that a first run at ``now`` would note."""
    return load(cx).last or schedule.latest_day(now, rules.at, zone)


def in_doubt(cx: Connection, now: datetime, zone: tzinfo, rules: Rules) -> bool:
    """Whether nothing may be taken for old at ``now``. Cheap."""
    return jump(load(cx), now, zone, rules) != 0


def trusted(belief: Belief, now: datetime, zone: tzinfo, rules: Rules) -> Belief:
    """A person says that the clock is right: the next look believes it."""
    if not jump(belief, now, zone, rules):
        return belief
    return replace(belief, doubt=Doubt(schedule.latest_day(now, rules.at, zone), LIVED_DAYS, 0))


def load(cx: Connection) -> Belief:
    """What is believed; what can not be read was never noted."""
    kept: dict[str, Any] = {}
    try:
        kept = dict(json.loads(settings.get(cx, CLOCK_KEY) or "{}"))
        doubt = kept.get("doubt")
        return Belief(
            _date(settings.get(cx, DAY_KEY)),
            _date(kept.get("reached")),
            None if doubt is None else Doubt(date.fromisoformat(doubt[0]), int(doubt[1]), int(doubt[2])),
            clock.from_text(kept["set_at"]) if "set_at" in kept else None,
        )
    except (ValueError, TypeError, LookupError):
        return Belief(_date(settings.get(cx, DAY_KEY)))


def keep(cx: Connection, before: Belief, belief: Belief) -> None:
    """Note what is believed now; nothing is written where it was so ``before``."""
    if belief.last is not None and belief.last != before.last:
        settings.put(cx, DAY_KEY, belief.last.isoformat())
    if replace(belief, last=None) == replace(before, last=None):
        return
    rest: dict[str, Any] = {}
    if belief.reached is not None:
        rest["reached"] = belief.reached.isoformat()
    if belief.doubt is not None:
        rest["doubt"] = [belief.doubt.seen.isoformat(), belief.doubt.lived, belief.doubt.use]
    if belief.set_at is not None:
        rest["set_at"] = clock.to_text(belief.set_at)
    settings.put(cx, CLOCK_KEY, json.dumps(rest))


def use_of(cx: Connection) -> Use:
    """Counts when asked, for it looks at every memory."""
    return lambda: vitality.use(cx)


def _far(newest: date, last: date, rules: Rules) -> bool:
    return abs((newest - last).days) > rules.longest_catch_up


def _lived(doubt: Doubt | None, newest: date, rules: Rules, use: Use) -> Doubt:
    """One more look at a clock in doubt: a day counts once it is over and something was done since it was seen."""
    if doubt is None or newest < doubt.seen - _DAY or _far(newest, doubt.seen, rules):
        return Doubt(newest, 0, use())
    if newest <= doubt.seen:
        return doubt
    done = use()
    return Doubt(newest, doubt.lived + (done != doubt.use), done)


def _date(text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        return None
