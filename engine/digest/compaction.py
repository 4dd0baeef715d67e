"""What waits to be digested, what a digest is to be made of, and how the levels stand (S4); over a connection.

A period waits once it is over, as long as enough of it is told by no digest; a missed one waits until somebody digests
it. A digest that was made before its period ended counts for what it tells only: enough that came afterwards waits
again. Must not write, and knows no words for people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any, Final

from engine.clock import from_text, local_date, start_of, to_text
from engine.digest import levels
from engine.digest.levels import Period
from engine.errors import InvalidArgument
from engine.policy import hidden
from engine.storage import digests, memories
from engine.storage.database import Connection
from engine.text import tokens
from engine.types import DIGEST_LEVELS, DigestDue, DigestLevel, DigestLinks, DigestSources, DigestStatus, PeriodDue

MOST_SOURCES: Final = 200  # S4
# Of what waits at one level so many are named; the others are counted.
NAMED: Final = 10
_DAY: Final = timedelta(days=1)


def due(
    cx: Connection, values: Mapping[str, Any], now: datetime, zone: tzinfo, *, include_sensitive: bool = False
) -> tuple[DigestDue, ...]:
    """What waits, level by level; a level where nothing waits is left out. ``values``: the parameters in force."""
    unseen = hidden(values, include_sensitive)
    found: list[DigestDue] = []
    for level in DIGEST_LEVELS:
        waiting, count = _waiting(cx, level, values, local_date(now, zone), zone, unseen)
        if waiting:
            named = tuple(PeriodDue(one.text, count(one)) for one in waiting[:NAMED])
            latest = named[-1] if len(waiting) == len(named) else PeriodDue(waiting[-1].text, count(waiting[-1]))
            found.append(DigestDue(level, len(waiting), named, latest))
    return tuple(found)


def due_count(cx: Connection, values: Mapping[str, Any], now: datetime, zone: tzinfo) -> int:
    """How many periods wait, over all levels."""
    unseen, today = hidden(values, False), local_date(now, zone)
    return sum(len(_waiting(cx, level, values, today, zone, unseen)[0]) for level in DIGEST_LEVELS)


def sources(
    cx: Connection, level: DigestLevel, period: str | None, values: Mapping[str, Any], now: datetime, zone: tzinfo, *,
    include_sensitive: bool = False, budget: int | None = None,
) -> DigestSources:  # fmt: skip
    """What a digest of ``period`` is to be made of; None: of the one that has waited longest, else of the last one.

    Where there are more than ``MOST_SOURCES``, or than ``budget`` tokens of text allow, the important ones are kept.
    Errors: ``InvalidArgument`` for a period that is none or has not begun, or a budget below 1.
    """
    if budget is not None and (isinstance(budget, bool) or not isinstance(budget, int)):
        raise InvalidArgument(field="budget", reason="not_whole")
    if budget is not None and budget < 1:
        raise InvalidArgument(field="budget", reason="out_of_range", allowed=[1, None])
    unseen = hidden(values, include_sensitive)
    today = local_date(now, zone)
    if period is None:
        waiting, _ = _waiting(cx, level, values, today, zone, unseen)
        chosen = waiting[0] if waiting else levels.before(levels.period_of(level, today))
    else:
        chosen = begun(level, period, today)
    offered, left_out = _offered(cx, chosen, zone, unseen)
    ids = _foremost(offered)
    rows = memories.get_many(cx, ids)
    shown = [rows[one] for one in ids]
    if budget is not None:
        affordable = set(_affordable({row.id: (row.importance, tokens.estimate(row.content)) for row in shown}, budget))
        shown = [row for row in shown if row.id in affordable]
    return DigestSources(
        level, chosen.text, chosen.first, chosen.last, tuple(shown), len(offered), left_out,
        tuple(digests.current(cx, level, chosen.text)), f"digest_{levels.NAMES[level]}",
    )  # fmt: skip


def begun(level: DigestLevel, period: str, today: date) -> Period:
    """The period that is named. Errors: ``InvalidArgument`` for what names none, or one that lies ahead."""
    named = levels.parse(level, period)
    if named.first > today:
        raise InvalidArgument(field="period", reason="not_begun")
    return named


def of(cx: Connection, memory_id: int, values: Mapping[str, Any], *, include_sensitive: bool = False) -> DigestLinks:
    """The digests that tell a memory and, where it is one itself, its sources. Errors: ``NotFound``."""
    unseen = hidden(values, include_sensitive)
    memories.require(cx, memory_id)
    telling = digests.telling(cx, memory_id)
    told = digests.sources_of(cx, memory_id)
    rows = {key: row for key, row in memories.get_many(cx, (*telling, *told)).items() if row.status != "trashed"}
    secret = {key for key, row in rows.items() if row.sensitivity in unseen}
    seen = {key: row for key, row in rows.items() if key not in secret}
    return DigestLinks(
        memory_id,
        tuple(seen[one] for one in telling if one in seen),
        tuple(seen[one] for one in told if one in seen),
        len(secret),
    )


def status(cx: Connection, values: Mapping[str, Any], now: datetime, zone: tzinfo) -> tuple[DigestStatus, ...]:
    """How each level stands: its newest digest, what waits, and the period that is running."""
    unseen, today = hidden(values, False), local_date(now, zone)
    found: list[DigestStatus] = []
    for level in DIGEST_LEVELS:
        made = [(period.first, one) for one in digests.made(cx, level) if (period := levels.known(level, one.period))]
        last = max(made)[1] if made else None
        running = levels.period_of(level, today)
        waiting, _ = _waiting(cx, level, values, today, zone, unseen)
        found.append(
            DigestStatus(
                level, last.memory_id if last else None, last.period if last else None, len(waiting), running.text,
                levels.bounds(running, zone)[1],
            )
        )  # fmt: skip
    return tuple(found)


def _waiting(
    cx: Connection, level: DigestLevel, values: Mapping[str, Any], today: date, zone: tzinfo, unseen: Sequence[str]
) -> tuple[list[Period], Callable[[Period], int]]:
    """(the periods that wait, the oldest first; how many sources one of them has)."""
    least = int(values[f"digest.{levels.NAMES[level]}_least"])
    if level == 1:
        days = [levels.period_of(1, day) for day in _days_waiting(cx, least, today, zone, unseen)]
        return days, lambda one: digests.count_told(cx, *levels.bounds(one, zone), unseen)
    told = Counter[Period]()
    for _, text in digests.undigested(cx, level - 1, unseen):
        below = levels.known(levels.level_of(level - 1), text)
        upper = below.upper if below is not None else None
        if upper is not None and upper.last < today:
            told[upper] += 1
    done = _digested(cx, level, zone) if told else set()
    waiting = [one for one, number in told.items() if number >= least and one.first not in done]
    return sorted(waiting, key=lambda one: one.first), told.__getitem__


def _days_waiting(cx: Connection, least: int, today: date, zone: tzinfo, unseen: Sequence[str]) -> list[date]:
    """The days before ``today`` on which enough was told that no digest tells."""
    done = _digested(cx, 1, zone)
    days: list[date] = []
    for text in digests.days_told(cx, start_of(today, zone)):
        day = date.fromisoformat(text)
        # A day of UTC lies in two of the user's, or in one.
        begin = local_date(datetime.combine(day, time.min, UTC), zone)
        end = local_date(datetime.combine(day, time.max, UTC), zone)
        for one in (begin, end):
            if (not days or one > days[-1]) and one < today:
                days.append(one)
    days = [day for day in days if day not in done]
    # Most days follow each other: the end of one is the beginning of the next.
    begins = {
        day: to_text(start_of(day, zone)) for day in dict.fromkeys(one for day in days for one in (day, day + _DAY))
    }
    ranges = [(begins[day], begins[day + _DAY]) for day in days]
    return [days[place] for place in digests.enough_told(cx, ranges, least, unseen)] if ranges else []


def _digested(cx: Connection, level: DigestLevel, zone: tzinfo) -> set[date]:
    """The first days of the periods whose digest was made after their end."""
    done: set[date] = set()
    for one in digests.made(cx, level):
        period = levels.known(level, one.period)
        if period is None:
            continue
        if local_date(from_text(one.at), zone) > period.last:
            done.add(period.first)
    return done


def _offered(
    cx: Connection, period: Period, zone: tzinfo, unseen: Sequence[str]
) -> tuple[list[tuple[int, float]], int]:
    """((id, importance) of all that a digest of ``period`` can be made of, in the order of time; how many are hidden).

    Of a day, what was told on it; of a longer period, the digests of the level below, never of its own.
    """
    if period.level == 1:
        return digests.told(cx, *levels.bounds(period, zone), unseen)
    level = levels.level_of(period.level - 1)
    below = [(one.memory_id, levels.known(level, one.period)) for one in digests.made(cx, level)]
    parts = sorted((part.first, key) for key, part in below if part is not None and part.upper == period)
    rows = memories.get_many(cx, (key for _, key in parts))
    shown = [(key, rows[key].importance) for _, key in parts if rows[key].sensitivity not in unseen]
    return shown, len(parts) - len(shown)


def _foremost(offered: Sequence[tuple[int, float]]) -> list[int]:
    """The ``MOST_SOURCES`` most important ones, in the order they came in."""
    ranked = sorted(range(len(offered)), key=lambda at: (-offered[at][1], at))
    return [offered[at][0] for at in sorted(ranked[:MOST_SOURCES])]


def _affordable(costs: Mapping[int, tuple[float, int]], budget: int) -> list[int]:
    """Those of ``costs`` (id → (importance, tokens)) that ``budget`` pays for, the important ones first."""
    kept: list[int] = []
    for key, (_, cost) in sorted(costs.items(), key=lambda one: -one[1][0]):
        if cost <= budget:
            kept.append(key)
            budget -= cost
    return kept
