"""What people are shown of forgetting: preview, forecast and status, over a snapshot and with the run's own functions.

Reads only. Numbers of its own it has none: days, strengths, falls and exemptions are those of ``decay`` and
``Course``.
"""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo
from typing import Final, Literal, cast

from engine import schedule
from engine.config import Values
from engine.forgetting import decay, timekeeping
from engine.forgetting.course import Course
from engine.forgetting.rules import Rules
from engine.storage import history, memories, vitality
from engine.storage.database import Connection
from engine.types import FINDABLE, Forecast, ForgettingPreview, ForgettingStatus, MemoryStatus

# Within how many days from now the status tells who falls asleep.
HORIZONS: Final = (7, 30)


def preview(cx: Connection, now: datetime, zone: tzinfo, values: Values, days: int, limit: int) -> ForgettingPreview:
    """What runs now and on each of the next ``days`` days would do; names the first ``limit`` that fall."""
    seen = decay.dry_run(cx, now, zone, values, days)
    ended = list(seen.ended.values())
    return ForgettingPreview(
        seen.days, seen.changed, ended.count("dormant"), ended.count("archived"), seen.falls[:limit], seen.before,
        seen.after,
    )  # fmt: skip


def forecast(cx: Connection, memory_id: int, now: datetime, zone: tzinfo, values: Values, days: int) -> Forecast:
    """The curve of one memory. Errors: ``NotFound``."""
    memory = memories.require(cx, memory_id)
    points = decay.forecast(cx, memory, days, now, zone, values)
    exempt = Course([vitality.row_of(memory)], Rules.of(values)).exempt
    reached: dict[MemoryStatus, int] = {}
    for at, point in enumerate(points):
        reached.setdefault(point.status, at)
    sleeps, archived = (points[reached[rest]].day if reached.get(rest) else None for rest in ("dormant", "archived"))
    return Forecast(memory_id, points, sleeps, archived, tuple(why for why, mask in exempt.items() if mask[0]))


def status(cx: Connection, now: datetime, zone: tzinfo, values: Values) -> ForgettingStatus:
    """How forgetting stands at ``now``."""
    rules, belief = Rules.of(values), timekeeping.load(cx)
    seen = decay.dry_run(cx, now, zone, values, max(HORIZONS))
    by_status = memories.count_by_status(cx)
    ran = history.newest(cx, decay.NO_MEMORY, decay.ACTION)
    today = schedule.latest_day(now, rules.at, zone)
    ends = {days: today + timedelta(days=days) for days in HORIZONS}
    jump = timekeeping.jump(belief, now, zone, rules)
    next_at = schedule.moment_of(seen.days[0], rules.at, zone) if seen.days and rules.enabled else None
    return ForgettingStatus(
        enabled=rules.enabled,
        last_day=belief.last,
        ran_at=None if ran is None else ran.at,
        next_at=None if next_at is None else next_at.astimezone(zone),
        counts={cast(Literal["active", "dormant", "archived"], one): by_status.get(one, 0) for one in FINDABLE},
        exempt=seen.exempt,
        asleep_within={
            days: len({fall.memory_id for fall in seen.falls if fall.day <= end}) for days, end in ends.items()
        },
        clock_in_doubt=jump != 0,
        jump_days=jump,
    )
