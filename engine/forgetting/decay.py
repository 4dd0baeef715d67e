"""Forgetting day by day: the run that keeps count of its days, its preview, and the curve of one memory.

All three walk the same ``Course``, so what is foretold is what happens. Nothing is deleted, no text is touched. Works
in the caller's transaction; a run that was missed is caught up, one that was rolled back never was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from types import MappingProxyType
from typing import Any, Final, cast

from engine import schedule
from engine.config import Values
from engine.forgetting import atoms
from engine.forgetting.course import Course, Rest
from engine.forgetting.rules import Rules
from engine.schedule import Day
from engine.storage import history, journal, settings, vitality
from engine.storage.database import Connection
from engine.types import Actor, Memory, MemoryStatus

ACTION: Final = "decayed"
BY_TIME: Final = Actor("rule", "forgetting")
# A run is of no single memory.
NO_MEMORY: Final = 0
# The date of the newest day that was run.
DAY_KEY: Final = "forgetting.day"
# More ids than this are told as a number only.
MOST_LISTED: Final = 1_000
MOST_FORETOLD: Final = 3_650


@dataclass(frozen=True, slots=True)
class Run:
    """What a run did. ``days`` it ran; ``changed``: memories whose strength moved; ``dormant``, ``archived``: put to
    rest, ascending, by where they ended; ``skipped``: days that were not believed; ``history_id``: None without days.
    """

    days: tuple[date, ...] = ()
    changed: int = 0
    dormant: tuple[int, ...] = ()
    archived: tuple[int, ...] = ()
    skipped: int = 0
    history_id: int | None = None


@dataclass(frozen=True, slots=True)
class Falls:
    """On ``day`` this memory will be put to rest."""

    memory_id: int
    day: date
    status: Rest


@dataclass(frozen=True, slots=True)
class Forecast:
    """What will happen in ``days`` if nothing is told, recalled or changed: ``falls`` in time order, and the
    ``strengths`` and ``statuses`` at the end of those memories that were asked for.
    """

    days: tuple[date, ...] = ()
    falls: tuple[Falls, ...] = ()
    strengths: Mapping[int, float] = field(default_factory=dict)
    statuses: Mapping[int, MemoryStatus] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Point:
    """One memory after a day's run."""

    day: date
    strength: float
    status: MemoryStatus


def is_due(cx: Connection, now: datetime, zone: tzinfo, values: Values) -> bool:
    """Whether :func:`run` would write anything. Cheap, for a reader."""
    last = _last(cx)
    return schedule.due(last, now, Rules.of(values).at, zone).latest != last


def run(cx: Connection, now: datetime, zone: tzinfo, values: Values) -> Run:
    """Run every day that has come since the last one; n days at once are n runs (S0's decay, S1's dormancy).

    The first run of a store, and each while forgetting is off, only notes the day. Else one journal and one history
    row tell of it: after = {day, days, changed, dormant, archived, dormant_ids, archived_ids, skipped}.
    """
    rules = Rules.of(values)
    last = _last(cx)
    due = schedule.due(last, now, rules.at, zone)
    if due.latest != last:
        settings.put(cx, DAY_KEY, due.latest.isoformat())
    if not due.days or not rules.enabled:
        return Run()
    changed, fallen = _pass(cx, due.days, rules)
    _put_to_rest(cx, due.days, fallen)
    ended: dict[int, Rest] = {memory_id: status for _, status, memory_id in sorted(fallen)}
    dormant, archived = (tuple(sorted(one for one in ended if ended[one] == rest)) for rest in ("dormant", "archived"))
    after = {
        "day": due.latest.isoformat(), "days": len(due.days), "changed": changed, "dormant": len(dormant),
        "archived": len(archived), "dormant_ids": dormant[:MOST_LISTED], "archived_ids": archived[:MOST_LISTED],
        "skipped": due.skipped,
    }  # fmt: skip
    journal.open(cx, "decay", NO_MEMORY, "done", now)
    history_id = history.record(cx, now, BY_TIME, ACTION, NO_MEMORY, {}, after)
    return Run(tuple(day.date for day in due.days), changed, dormant, archived, due.skipped, history_id)


def dry_run(
    cx: Connection, now: datetime, zone: tzinfo, values: Values, days: int, ids: Iterable[int] = ()
) -> Forecast:
    """What :func:`run` will do within the next ``days`` days (at most ``MOST_FORETOLD``), what is overdue included.

    ``ids``: memories whose strength and status then are wanted; those that can not be found are left out. Writes
    nothing: a reader will do.
    """
    rules = Rules.of(values)
    due = schedule.due(_last(cx), now, rules.at, zone)
    coming = (*due.days, *schedule.upcoming(due.latest, _coming(due.latest, days, now, rules, zone), rules.at, zone))
    wanted = frozenset(ids)
    falls: list[_Fall] = []
    strengths: dict[int, float] = {}
    statuses: dict[int, MemoryStatus] = {}
    for rows in vitality.portions(cx):
        course = Course(rows, rules)
        falls += _walk(course, coming, rules)
        if wanted:
            ended = zip(course.ids.tolist(), course.strength.tolist(), course.status.tolist(), strict=True)
            for memory_id, strength, status in ended:
                if memory_id in wanted:
                    strengths[memory_id], statuses[memory_id] = strength, cast(MemoryStatus, status)
    return Forecast(
        tuple(day.date for day in coming),
        tuple(Falls(memory_id, coming[at].date, status) for at, status, memory_id in sorted(falls, key=_in_time)),
        MappingProxyType(strengths),
        MappingProxyType(statuses),
    )


def forecast(memory: Memory, days: int, now: datetime, zone: tzinfo, values: Values) -> tuple[Point, ...]:
    """The curve of a memory that nobody touches: as it is today, then after each of the next ``days`` runs.

    Takes for granted that no run is overdue at ``now``; at most ``MOST_FORETOLD`` days.
    """
    rules = Rules.of(values)
    course = Course([vitality.row_of(memory)], rules)
    today = schedule.latest_day(now, rules.at, zone)
    points = [Point(today, memory.strength, memory.status)]
    for day in schedule.upcoming(today, min(days, MOST_FORETOLD), rules.at, zone):
        _walk(course, (day,), rules)
        points.append(Point(day.date, float(course.strength[0]), cast(MemoryStatus, str(course.status[0]))))
    return tuple(points)


# (place of the day among those run, where to, memory id)
_Fall = tuple[int, Rest, int]


def _in_time(fall: _Fall) -> tuple[int, int]:
    return fall[0], fall[2]


def _coming(latest: date, days: int, now: datetime, rules: Rules, zone: tzinfo) -> int:
    """How many days after ``latest`` will be run in the next ``days``: fewer where the clock was set back."""
    return min(days, MOST_FORETOLD) - (latest - schedule.latest_day(now, rules.at, zone)).days


def _walk(course: Course, days: Sequence[Day], rules: Rules) -> list[_Fall]:
    """Through these days, unless forgetting is off."""
    falls: list[_Fall] = []
    for at, day in enumerate(days if rules.enabled else ()):
        fallen = course.pass_day(day.moment)
        falls += [(at, "dormant", memory_id) for memory_id in fallen.dormant]
        falls += [(at, "archived", memory_id) for memory_id in fallen.archived]
    return falls


def _pass(cx: Connection, days: Sequence[Day], rules: Rules) -> tuple[int, list[_Fall]]:
    """Take all memories through the days; (how many changed in strength, who is to be put to rest)."""
    changed, falls = 0, list[_Fall]()
    for rows in vitality.portions(cx):
        course = Course(rows, rules)
        strength, access = course.strength, course.access
        falls += _walk(course, days, rules)
        weaker = course.strength != strength
        moved = weaker | (course.access != access)
        changed += int(weaker.sum())
        columns: tuple[Any, ...] = (course.strength[moved], course.access[moved], course.ids[moved])
        vitality.put(cx, zip(*(column.tolist() for column in columns), strict=True))
    return changed, falls


def _put_to_rest(cx: Connection, days: Sequence[Day], falls: Sequence[_Fall]) -> None:
    """Change the statuses, day by day, and let the facts follow those of the memories that say them."""
    of_day: dict[int, dict[Rest, list[int]]] = {}
    for at, status, memory_id in falls:
        of_day.setdefault(at, {}).setdefault(status, []).append(memory_id)
    for at in sorted(of_day):
        for status, ids in of_day[at].items():
            vitality.set_status(cx, ids, status)
        atoms.follow(cx, [one for ids in of_day[at].values() for one in ids], days[at].moment)


def _last(cx: Connection) -> date | None:
    """The newest day that was run; None where nothing (readable) was noted."""
    noted = settings.get(cx, DAY_KEY)
    try:
        return None if noted is None else date.fromisoformat(noted)
    except ValueError:
        return None
