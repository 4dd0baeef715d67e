"""Laws of atoms: their curves, and the states that time brings, whatever the numbers and however often it is looked."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.forgetting import atoms as lifecycle
from engine.storage import atoms
from engine.storage.database import Database
from engine.types import ATOM_TYPES, Atom

START = datetime(2026, 3, 1, tzinfo=UTC)
DAY = timedelta(days=1)
STATUSES = ("active", "dormant", "superseded", "expired", "forgotten", "purged", "needs_repair")
kinds = st.sampled_from(ATOM_TYPES)
shares = st.floats(0, 1)
counts = st.integers(0, 10**6)
moments = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=st.just(UTC))
zones = st.sampled_from(["UTC", "Asia/Shanghai", "Pacific/Kiritimati", "Pacific/Pago_Pago", "America/New_York"]).map(
    ZoneInfo
)
ages = st.floats(0, 400)


@st.composite
def living(draw: st.DrawFn) -> Atom:
    """An atom with whatever may have happened to it."""
    days = st.none() | st.floats(0, 100).map(lambda days: START + days * DAY)
    ttl = draw(st.floats(0.01, 400))
    return Atom(
        id=1, text="", type=draw(kinds), memory_ids=(), conversation_id=None, persona_id=None, importance=draw(shares),
        confidence=draw(shares), event_time=draw(days), status=draw(st.sampled_from(STATUSES)),  # type: ignore[arg-type]
        status_at=START, created_at=START, last_accessed_at=draw(days), last_reinforced_at=draw(days),
        reinforcement_count=draw(counts), ttl_days=ttl, expires_at=START + draw(st.floats(0, 500)) * DAY,
    )  # fmt: skip


@given(kinds, shares, shares, counts, counts)
def test_the_time_to_live_grows_with_importance_and_retelling(kind, a, b, m, n):  # type: ignore[no-untyped-def]
    """S0's formula never gives less for more."""
    low, high = sorted((a, b))
    few, many = sorted((m, n))
    assert 0 < lifecycle.ttl_days(kind, low, few) <= lifecycle.ttl_days(kind, high, many)


@given(living(), ages, ages)
def test_what_is_left_never_grows_with_age(atom: Atom, a: float, b: float) -> None:
    """S0's curves stay within 0..1 and only fall."""
    earlier, later = (lifecycle.factor(atom, START + days * DAY) for days in sorted((a, b)))
    assert 0.0 <= later <= earlier <= 1.0


@given(living(), ages)
def test_use_never_makes_less_of_an_atom(atom: Atom, age: float) -> None:
    """Told again it counts as much as before or more, lasts as long or longer, and keeps a sound confidence."""
    now = START + age * DAY
    again = replace(atom, **lifecycle.reinforced(atom, 0.5, 0.5, now))
    assert lifecycle.factor(again, now) >= lifecycle.factor(atom, now)
    assert 0.0 <= again.confidence <= 1.0 and again.importance >= atom.importance
    assert again.expires_at > now


@given(kinds, shares, counts, moments, st.none() | moments, zones)
def test_a_lifetime_lies_ahead_and_within_the_calendar(kind, importance, count, begun, event, zone):  # type: ignore[no-untyped-def]
    """No number and no date raises; only the end of the calendar cuts a life short."""
    life = lifecycle.lifetime(kind, importance, count, begun, event, zone)
    assert begun < life.expires_at <= lifecycle.LATEST
    if kind == "planned" and event is not None:
        assert life.expires_at > event and life.expires_at >= min(lifecycle.LATEST, begun + 2 * DAY)
        assert begun + life.ttl_days * DAY - life.expires_at < timedelta(seconds=1)


@given(st.sampled_from(STATUSES), st.floats(-50, 0), st.floats(0, 100), ages, ages)
def test_time_brings_the_same_state_in_one_step_or_two(status, since, expires, a, b):  # type: ignore[no-untyped-def]
    """The state at a moment, and since when, does not depend on having been looked at before."""
    first, second = (START + days * DAY for days in sorted((a, b)))
    end = START + expires * DAY
    once = lifecycle.state_at(status, START + since * DAY, end, second)
    between = lifecycle.state_at(status, START + since * DAY, end, first)
    assert lifecycle.state_at(*between, end, second) == once
    assert lifecycle.state_at(*once, end, second) == once


rows = st.lists(st.tuples(st.sampled_from(STATUSES), st.floats(-50, 0), st.floats(-60, 60)), min_size=1, max_size=8)


@settings(max_examples=30)
@given(rows, st.floats(0, 60), st.floats(0, 60), st.integers(1, 4))
def test_sweeps_do_what_one_sweep_does(states, a, b, limit):  # type: ignore[no-untyped-def]
    """Sweeping twice is sweeping once; at t1 and then at t2 is at t2; in small portions is all at once."""
    first, second = (START + days * DAY for days in sorted((a, b)))
    results = []
    for times, size in (((second,), 100), ((first, second, second), 100), ((second,), limit)):
        directory = Path(tempfile.mkdtemp(prefix="hupo-"))
        database = Database.open(directory)
        try:
            with database.transaction(durable=False) as cx:
                for status, since, expires in states:
                    atoms.insert(cx, _row(status, START + since * DAY, START + expires * DAY))
                for now in times:
                    while lifecycle.sweep(cx, now, size).more:
                        pass
                results.append([(one.status, one.status_at) for one in atoms.get_many(cx, range(1, 9)).values()])
                assert not lifecycle.sweep(cx, second).ids
        finally:
            database.close()
            shutil.rmtree(directory)
    assert results[0] == results[1] == results[2]


def _row(status: str, since: datetime, expires: datetime) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(("conversation_id", "persona_id", "event_time", "last_accessed_at"))
    return row | {
        "type": "factual", "status": status, "status_at": since, "importance": 0.5, "confidence": 0.5,
        "created_at": START, "last_reinforced_at": None, "reinforcement_count": 0, "ttl_days": 1.0,
        "expires_at": expires,
    }  # fmt: skip
