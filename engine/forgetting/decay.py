"""Forgetting day by day: the run that keeps count of its days, its preview, and the curve of one memory.

All three walk the same ``Course`` through the days that ``timekeeping`` believes, so what is foretold is what happens.
Nothing is deleted, no text is touched. Works in the caller's transaction; a run that was missed is caught up, one that
was rolled back never was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from types import MappingProxyType
from typing import Any, Final, cast

import numpy as np

from engine.config import Values
from engine.forgetting import atoms, timekeeping
from engine.forgetting.course import BARS, Course, Fallen
from engine.forgetting.rules import Rules
from engine.forgetting.timekeeping import Passing
from engine.storage import history, journal, vitality
from engine.storage.database import Connection
from engine.types import Actor, Exemption, Fall, Memory, MemoryStatus, Rest, StrengthPoint

ACTION: Final = "decayed"
BY_TIME: Final = Actor("rule", "forgetting")
# A run is of no single memory.
NO_MEMORY: Final = 0
# More ids than this are told as a number only.
MOST_LISTED: Final = 1_000
MOST_FORETOLD: Final = 3_650


@dataclass(frozen=True, slots=True)
class Run:
    """What a run did. ``days`` it ran; ``changed``: memories whose strength moved; ``dormant``, ``archived``: put to
    rest, ascending, by where they ended; ``skipped``: days that were left out; ``history_id``: None without days.
    """

    days: tuple[date, ...] = ()
    changed: int = 0
    dormant: tuple[int, ...] = ()
    archived: tuple[int, ...] = ()
    skipped: int = 0
    history_id: int | None = None

    @property
    def fallen(self) -> tuple[int, ...]:
        """All that it put to rest, ascending."""
        return tuple(sorted((*self.dormant, *self.archived)))


@dataclass(frozen=True, slots=True)
class Outlook:
    """What the coming runs will do: ``days`` run, ``changed``, ``falls`` in time order, histograms of strength before
    and after, how many findable memories each reason spares (``exempt``), and the ``strengths`` and ``statuses`` at
    the end of those memories that were asked for.
    """

    days: tuple[date, ...] = ()
    changed: int = 0
    falls: tuple[Fall, ...] = ()
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    exempt: Mapping[Exemption, int] = field(default_factory=dict)
    strengths: Mapping[int, float] = field(default_factory=dict)
    statuses: Mapping[int, MemoryStatus] = field(default_factory=dict)

    @property
    def ended(self) -> Mapping[int, Rest]:
        """Where each that falls ends."""
        return {fall.memory_id: fall.status for fall in self.falls}


def is_due(cx: Connection, now: datetime, zone: tzinfo, values: Values) -> bool:
    """Whether :func:`run` would write anything. Cheap, for a reader."""
    belief = timekeeping.load(cx)
    return timekeeping.look(belief, now, zone, Rules.of(values), timekeeping.use_of(cx))[0] != belief


def run(cx: Connection, now: datetime, zone: tzinfo, values: Values) -> Run:
    """Run every day that has come since the last one; n days at once are n runs (S0's decay, S1's dormancy).

    The first run of a store, and each while forgetting is off or the clock in doubt, only notes the day. Else one
    journal and one history row tell of it: after = {day, days, changed, dormant, archived, dormant_ids, archived_ids,
    skipped}.
    """
    rules, before = Rules.of(values), timekeeping.load(cx)
    belief, due = timekeeping.look(before, now, zone, rules, timekeeping.use_of(cx))
    timekeeping.keep(cx, before, belief)
    if not due.days or not rules.enabled:
        return Run()
    days = [Passing(day, now, belief.set_at) for day in due.days]
    changed, fallen = _pass(cx, days, rules)
    _put_to_rest(cx, days, fallen)
    ended: dict[int, Rest] = {memory_id: status for _, status, memory_id in sorted(fallen, key=_in_time)}
    dormant, archived = (tuple(sorted(one for one in ended if ended[one] == rest)) for rest in ("dormant", "archived"))
    after = {
        "day": due.latest.isoformat(), "days": len(days), "changed": changed, "dormant": len(dormant),
        "archived": len(archived), "dormant_ids": dormant[:MOST_LISTED], "archived_ids": archived[:MOST_LISTED],
        "skipped": due.skipped,
    }  # fmt: skip
    journal.open(cx, "decay", NO_MEMORY, "done", now)
    history_id = history.record(cx, now, BY_TIME, ACTION, NO_MEMORY, {}, after)
    return Run(tuple(one.day.date for one in days), changed, dormant, archived, due.skipped, history_id)


def dry_run(cx: Connection, now: datetime, zone: tzinfo, values: Values, days: int, ids: Iterable[int] = ()) -> Outlook:
    """What :func:`run` will do now and on each of the next ``days`` days (at most ``MOST_FORETOLD``).

    ``ids``: memories whose strength and status then are wanted; those that can not be found are left out. Writes
    nothing: a reader will do.
    """
    rules, wanted = Rules.of(values), frozenset(ids)
    coming = _coming(cx, now, zone, rules, days)
    changed, before, after = 0, np.zeros(BARS, dtype=np.int64), np.zeros(BARS, dtype=np.int64)
    falls: list[Fallen] = []
    exempt: dict[Exemption, int] = {}
    strengths: dict[int, float] = {}
    statuses: dict[int, MemoryStatus] = {}
    for rows in vitality.portions(cx):
        course = Course(rows, rules)
        strength, before = course.strength, before + course.histogram()
        for why, mask in course.exempt.items():
            exempt[why] = exempt.get(why, 0) + int(mask.sum())
        falls += course.walk(coming)
        changed, after = changed + int((course.strength != strength).sum()), after + course.histogram()
        if wanted:
            ended = zip(course.ids.tolist(), course.strength.tolist(), course.status.tolist(), strict=True)
            for memory_id, strength_then, status in ended:
                if memory_id in wanted:
                    strengths[memory_id], statuses[memory_id] = strength_then, cast(MemoryStatus, status)
    return Outlook(
        tuple(one.day.date for one in coming),
        changed,
        tuple(Fall(memory_id, coming[at].day.date, status) for at, status, memory_id in sorted(falls, key=_in_time)),
        tuple(before.tolist()),
        tuple(after.tolist()),
        MappingProxyType({why: spared for why, spared in exempt.items() if spared}),
        MappingProxyType(strengths),
        MappingProxyType(statuses),
    )


def forecast(
    cx: Connection, memory: Memory, days: int, now: datetime, zone: tzinfo, values: Values
) -> tuple[StrengthPoint, ...]:
    """The curve of a memory that nobody touches: as it is, then after each run now and in the next ``days`` days."""
    rules = Rules.of(values)
    coming = _coming(cx, now, zone, rules, days)
    course = Course([vitality.row_of(memory)], rules)
    before = timekeeping.last_day(cx, now, zone, rules)
    points = [StrengthPoint(before, memory.strength, memory.status)]
    for one in coming:
        course.walk((one,))
        points.append(StrengthPoint(one.day.date, float(course.strength[0]), cast(MemoryStatus, str(course.status[0]))))
    return tuple(points)


def _coming(cx: Connection, now: datetime, zone: tzinfo, rules: Rules, days: int) -> tuple[Passing, ...]:
    belief = timekeeping.load(cx)
    use = timekeeping.use_of(cx)() if timekeeping.jump(belief, now, zone, rules) else 0
    return timekeeping.ahead(belief, now, zone, rules, min(days, MOST_FORETOLD), use)


def _in_time(fall: Fallen) -> tuple[int, int]:
    return fall[0], fall[2]


def _pass(cx: Connection, days: Sequence[Passing], rules: Rules) -> tuple[int, list[Fallen]]:
    """Take all memories through the days; (how many changed in strength, who is to be put to rest)."""
    changed, fallen = 0, list[Fallen]()
    for rows in vitality.portions(cx):
        course = Course(rows, rules)
        strength, access = course.strength, course.access
        fallen += course.walk(days)
        weaker = course.strength != strength
        moved = weaker | (course.access != access)
        changed += int(weaker.sum())
        columns: tuple[Any, ...] = (course.strength[moved], course.access[moved], course.ids[moved])
        vitality.put(cx, zip(*(column.tolist() for column in columns), strict=True))
    return changed, fallen


def _put_to_rest(cx: Connection, days: Sequence[Passing], fallen: Sequence[Fallen]) -> None:
    """Change the statuses, day by day, and let the facts follow those of the memories that say them."""
    of_day: dict[int, dict[Rest, list[int]]] = {}
    for at, status, memory_id in fallen:
        of_day.setdefault(at, {}).setdefault(status, []).append(memory_id)
    for at in sorted(of_day):
        for status, ids in of_day[at].items():
            vitality.set_status(cx, ids, status)
        atoms.follow(cx, [one for ids in of_day[at].values() for one in ids], days[at].day.moment)
