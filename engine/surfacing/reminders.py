"""What is due: plans and dated memories of today and the next days, each once. Reads only.

A plan that several memories tell is spoken for by the newest of them; what is trashed, replaced, resolved or called off
is not due.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from engine.clock import local_date, start_of
from engine.ingest.classify import called_off
from engine.ingest.draft import classified
from engine.storage import memories, surfacing
from engine.storage.database import Connection
from engine.surfacing.daily import later
from engine.text.dates import even
from engine.types import Filters, Memory, Reminder, Reminders, Sensitivity

LONGEST_HORIZON = 366


@dataclass(frozen=True, slots=True)
class _Due:
    at: datetime
    memory_id: int
    atom_id: int | None = None
    text: str = ""
    settled: bool = False


def upcoming(
    cx: Connection, filters: Filters, now: datetime, zone: tzinfo, days: int, *,
    hidden: Collection[Sensitivity], limit: int | None = None,
) -> Reminders:  # fmt: skip
    """What is due from the beginning of today until the end of the day ``days`` (≥ 0) after it, in ``zone``.

    What was due earlier today is in it. Only active memories count, whatever the statuses of ``filters``; those of
    ``hidden`` sensitivities are counted, not shown.
    """
    return with_secrets(cx, filters, now, zone, days, hidden=hidden, limit=limit)[0]


def with_secrets(
    cx: Connection, filters: Filters, now: datetime, zone: tzinfo, days: int, *,
    hidden: Collection[Sensitivity], limit: int | None,
) -> tuple[Reminders, set[int]]:  # fmt: skip
    """As :func:`upcoming`, with the memories that were hidden."""
    seen = replace(filters, statuses=("active",))
    today = local_date(now, zone)
    since = start_of(today, zone)
    until = start_of(later(today, min(max(days, 0), LONGEST_HORIZON) + 1), zone)
    plans, secret = _plans(surfacing.planned(cx, seen, since, until), hidden)
    own: dict[int, datetime] = {}
    for row in surfacing.dated(cx, seen, since, until, now):
        if row.sensitivity in hidden:
            secret.add(row.memory_id)
        else:
            own[row.memory_id] = row.due
    for memory in memories.get_many(cx, own).values():
        if _is_off(memory, own[memory.id], zone):
            del own[memory.id]
    due = sorted(_each_once(plans, own, zone), key=lambda one: (one.at, one.memory_id, one.atom_id or 0))
    shown = due[:limit]
    rows = memories.get_many(cx, [one.memory_id for one in shown])
    items = [_reminder(one, rows[one.memory_id], (local_date(one.at, zone) - today).days) for one in shown]
    return Reminders(tuple(items), len(due), len(secret)), secret


def _is_off(memory: Memory, due: datetime, zone: tzinfo) -> bool:
    """Whether a memory tells that what its date stands for will not be."""
    if called_off.off(even(memory.content)) is None:
        return False
    told = [one for _, one in classified(memory.content, memory.key_facts, memory.created_at, zone)]
    return any(one.gone is not None and one.gone.since <= due < one.gone.until for one in told)


def one_line(memory: Memory) -> str:
    """A memory in one line."""
    return " ".join((memory.summary or memory.content).split())


def _plans(
    rows: Iterable[surfacing.Planned], hidden: Collection[Sensitivity]
) -> tuple[dict[int, list[_Due]], set[int]]:
    """(atom → its tellings, the one that speaks for it last; the sensitive memories that alone tell a plan)."""
    plans: dict[int, list[_Due]] = {}
    secret: dict[int, set[int]] = {}
    for row in rows:
        if row.sensitivity not in hidden:
            telling = _Due(row.due, row.memory_id, row.atom_id, row.text, bool(row.resolved))
            plans.setdefault(row.atom_id, []).append(telling)
        elif not row.resolved:
            secret.setdefault(row.atom_id, set()).add(row.memory_id)
    return plans, {one for atom_id, ids in secret.items() if atom_id not in plans for one in ids}


def _each_once(plans: dict[int, list[_Due]], own: dict[int, datetime], zone: tzinfo) -> list[_Due]:
    """A memory and its plan are one: the plan has the words, the memory may know the hour of the same day."""
    found: list[_Due] = []
    told: set[int] = set()
    for tellings in plans.values():
        last = tellings[-1]
        told.update(one.memory_id for one in tellings)
        if last.settled:
            continue
        exact = own.get(last.memory_id)
        day = local_date(last.at, zone)
        if exact is not None and local_date(exact, zone) == day and last.at == start_of(day, zone):
            last = replace(last, at=exact)
        found.append(last)
    return found + [_Due(at, memory_id) for memory_id, at in own.items() if memory_id not in told]


def _reminder(one: _Due, memory: Memory, days: int) -> Reminder:
    return Reminder(one.at, days, " ".join(one.text.split()) or one_line(memory), memory, one.atom_id)
