"""The life of a fact: how long it lasts, what is left of it, and the states it goes through (S0's atoms).

One set of functions draws the curve, scores a search and moves the rows, so that what is shown is what is used.
Must not read a fact's words, nor decide whether two facts are one (``ingest/atoms.py``). Nothing here deletes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from types import MappingProxyType
from typing import Any, Final

from engine.storage import atoms, graph
from engine.storage.database import Connection
from engine.types import Atom, AtomStatus, AtomType, DecayKind, MemoryStatus

# A plan outlives the day of its event by so many days.
EVENT_DAYS: Final = 2
FORGET_DAYS: Final = 7.0
PURGE_DAYS: Final = 30.0
# No atom lasts longer: a day later another zone's calendar may end.
LATEST: Final = datetime(9999, 12, 29, tzinfo=UTC)
_EARLIEST: Final = datetime(1, 1, 3, tzinfo=UTC)
_ALIVE: Final = ("active", "dormant")
_WAKES: Final = ("dormant", "expired")
# What only time and repair bring an atom out of, not the status of a memory.
_SETTLED: Final = ("expired", "forgotten", "purged", "needs_repair")
_OUT_OF_INDEX: Final = ("forgotten", "purged")
_SECONDS_A_DAY: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class Kind:
    """What a type of atom begins with: ``ttl_days`` before importance and reinforcement, decay, confidence."""

    ttl_days: float
    decay: DecayKind
    confidence: float


KINDS: Final[Mapping[AtomType, Kind]] = MappingProxyType(
    {
        "planned": Kind(2, "step", 0.85),
        "preference": Kind(60, "exponential", 0.82),
        "relational": Kind(90, "linear", 0.80),
        "factual": Kind(180, "exponential", 0.78),
        "episodic": Kind(7, "exponential", 0.75),
        "unknown": Kind(30, "exponential", 0.60),
    }
)


@dataclass(frozen=True, slots=True)
class Lifetime:
    """``expires_at`` is ``ttl_days`` after the atom was made or last reinforced, but never after :data:`LATEST`."""

    ttl_days: float
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep did: how many atoms came into each state, which ones; ``more``: the limit cut it short."""

    counts: Mapping[AtomStatus, int]
    ids: tuple[int, ...]
    more: bool


def ttl_days(kind: AtomType, importance: float, reinforcement_count: int) -> float:
    """Days to live: base × (0.5 + importance) × (1 + 0.5 × count), without a cap (S0)."""
    weight = importance if 0.0 <= importance <= 1.0 else float(importance > 1.0)
    return KINDS[kind].ttl_days * (0.5 + weight) * (1 + 0.5 * max(0, reinforcement_count))


def lifetime(
    kind: AtomType, importance: float, count: int, begun: datetime, event_time: datetime | None, zone: tzinfo
) -> Lifetime:
    """The life of an atom from ``begun``, the later of creation and reinforcement (S0).

    A plan with a date lasts two days beyond the end of that day in ``zone``; one whose day has passed has none to
    go, and two days from ``begun``.
    """
    if kind != "planned" or event_time is None:
        days = ttl_days(kind, importance, count)
        return Lifetime(days, _after(begun, days))
    return _until(begun, max(_end_of_day(event_time, zone, EVENT_DAYS), _after(begun, EVENT_DAYS)))


def renewed(atom: Atom, importance: float, count: int, now: datetime) -> Lifetime:
    """The life of an atom that begins anew at ``now``. A dated plan never ends earlier than it did."""
    if atom.type == "planned" and atom.event_time is not None:
        return _until(now, max(atom.expires_at, _after(now, EVENT_DAYS)))
    days = ttl_days(atom.type, importance, count)
    return Lifetime(days, _after(now, days))


def factor(atom: Atom, now: datetime) -> float:
    """What is left of an atom at ``now``, 0..1; age counts from the later of creation, access and reinforcement.

    exponential exp(−age/ttl), linear max(0, 1 − age/ttl), step 1; 0 once it has run out (S0).
    """
    last = max(filter(None, (atom.created_at, atom.last_accessed_at, atom.last_reinforced_at)))
    seconds = (last.timestamp(), atom.expires_at.timestamp(), now.timestamp())
    return remaining(atom.type, atom.status, atom.ttl_days, *seconds)


def remaining(kind: AtomType, status: AtomStatus, ttl_days: float, touched: float, expires: float, now: float) -> float:
    """As :func:`factor`, of what an atom's row says; moments in seconds since the epoch, ``touched`` the last of its
    life.
    """
    if status not in _ALIVE or now >= expires:
        return 0.0
    decay = KINDS[kind].decay
    if decay == "step":
        return 1.0
    if ttl_days <= 0:
        return 0.0
    share = max(0.0, now - touched) / _SECONDS_A_DAY / ttl_days
    return math.exp(-share) if decay == "exponential" else max(0.0, 1.0 - share)


def state_at(
    status: AtomStatus, status_at: datetime, expires_at: datetime, now: datetime, *,
    forget_days: float = FORGET_DAYS, purge_days: float = PURGE_DAYS,
) -> tuple[AtomStatus, datetime]:  # fmt: skip
    """(status, since when) at ``now`` of an atom that nobody touched meanwhile, however long that was (S0)."""
    if status in _ALIVE and expires_at <= now:
        status, status_at = "expired", expires_at
    if status == "expired" and _after(status_at, forget_days) <= now:
        status, status_at = "forgotten", _after(status_at, forget_days)
    if status == "forgotten" and _after(status_at, purge_days) <= now:
        status, status_at = "purged", _after(status_at, purge_days)
    return status, status_at


def sweep(
    cx: Connection, now: datetime, limit: int = 1000, *,
    forget_days: float = FORGET_DAYS, purge_days: float = PURGE_DAYS,
) -> Swept:  # fmt: skip
    """Bring up to ``limit`` atoms to the state they have come to; those that are forgotten leave the index.

    The states and their times do not depend on how often this runs.
    """
    counts: dict[AtomStatus, int] = {}
    changes: list[tuple[int, AtomStatus, datetime]] = []
    left: list[int] = []
    found = atoms.due(cx, now, _before(now, forget_days), _before(now, purge_days), limit)
    for one in found:
        status, since = state_at(
            one.status, one.status_at, one.expires_at, now, forget_days=forget_days, purge_days=purge_days
        )
        if status == one.status:
            continue
        counts[status] = counts.get(status, 0) + 1
        changes.append((one.id, status, since))
        if status in _OUT_OF_INDEX and one.status not in _OUT_OF_INDEX:
            left.append(one.id)
    atoms.set_status(cx, changes)
    if left:
        graph.reindex(cx, atoms.entries_of(cx, left))
    return Swept(MappingProxyType(counts), tuple(sorted(change[0] for change in changes)), len(found) >= limit)


def wake(cx: Connection, ids: Iterable[int], now: datetime) -> tuple[int, ...]:
    """Make the sleeping and the expired among these atoms active again; returns which. Forgotten ones stay so.

    One that had run out gets its time to live anew, or the next sweep would end it at once.
    """
    sleeping = [atom for atom in atoms.get_many(cx, ids).values() if atom.status in _WAKES]
    for atom in sleeping:
        atoms.update(cx, atom.id, {"status": "active", "status_at": now, **_time_again(atom, now)})
    return tuple(sorted(atom.id for atom in sleeping))


def reinforced(atom: Atom, confidence: float, importance: float, now: datetime) -> dict[str, Any]:
    """The fields of an atom that was told again: count + 1, confidence 0.7·old + 0.3·new, time to live anew (S0).

    ``importance``: of the memory that told it; the larger counts. A sleeping or expired atom wakes.
    """
    at = max(now, atom.last_reinforced_at or now)
    larger = max(atom.importance, importance)
    life = renewed(atom, larger, atom.reinforcement_count + 1, at)
    values: dict[str, Any] = {
        "reinforcement_count": atom.reinforcement_count + 1,
        "confidence": 0.7 * atom.confidence + 0.3 * confidence,
        "importance": larger,
        "last_reinforced_at": at,
        "ttl_days": life.ttl_days,
        "expires_at": life.expires_at,
    }
    if atom.status in _WAKES:
        values |= {"status": "active", "status_at": now}
    return values


def follow(cx: Connection, memory_ids: Sequence[int], now: datetime) -> tuple[int, ...]:
    """Bring the atoms of these memories in line with the status of all memories that say them; returns which moved."""
    behind = atoms.statuses_behind(cx, memory_ids)
    changes: list[tuple[int, AtomStatus, datetime]] = []
    for atom in atoms.get_many(cx, behind).values():
        status = status_after(atom.status, behind[atom.id])
        since = now
        if status == "active" and atom.status != "active" and atom.expires_at <= now:
            status, since = "expired", atom.expires_at
        if status != atom.status:
            changes.append((atom.id, status, since))
    atoms.set_status(cx, changes)
    return tuple(sorted(change[0] for change in changes))


def status_after(status: AtomStatus, memories: AbstractSet[MemoryStatus]) -> AtomStatus:
    """The status of an atom that memories of these statuses say; what has run out stays so."""
    if status in _SETTLED or not memories:
        return status
    if "active" in memories:
        return "active"
    if memories & {"dormant", "archived"}:
        return "dormant"
    return "superseded" if memories & {"superseded", "expired"} else "dormant"


def _time_again(atom: Atom, now: datetime) -> dict[str, Any]:
    if atom.expires_at > now:
        return {}
    life = renewed(atom, atom.importance, atom.reinforcement_count, now)
    return {"ttl_days": life.ttl_days, "expires_at": life.expires_at}


def _until(begun: datetime, end: datetime) -> Lifetime:
    return Lifetime((end - begun) / timedelta(days=1), end)


def _end_of_day(moment: datetime, zone: tzinfo, days: int) -> datetime:
    """The end of the local day of ``moment``, ``days`` days later."""
    try:
        day = moment.astimezone(zone).date() + timedelta(days=days + 1)
        return min(LATEST, datetime.combine(day, time.min, zone).astimezone(UTC))
    except OverflowError:
        return _after(moment, days + 1)


def _after(moment: datetime, days: float) -> datetime:
    try:
        return min(LATEST, moment + timedelta(days=days))
    except OverflowError:
        return LATEST


def _before(moment: datetime, days: float) -> datetime:
    try:
        return max(_EARLIEST, moment - timedelta(days=days))
    except OverflowError:
        return _EARLIEST
