"""Laws of forgetting, whatever the memories, numbers and days: it only weakens, and does what it foretold."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from engine import schedule
from engine.config import Values
from engine.forgetting import curves, decay
from engine.forgetting.reinforcement import reinforce
from engine.forgetting.rules import Rules
from engine.storage import atoms, graph, memories
from engine.storage.database import Connection, Database
from engine.types import LAYERS, STATUSES, Memory

START = datetime(2026, 3, 20, 12, tzinfo=UTC)
DAY = timedelta(days=1)
_EMPTY = dict.fromkeys(("title", "compressed", "category", "mood", "sentiment", "summary"), "") | dict.fromkeys(
    ("source_agent", "source_client", "source_text", "script"), ""
)
_NONE = dict.fromkeys(("conversation_id", "session_id", "persona_id", "position"))
_LISTS = dict.fromkeys(("tags", "topics", "participants", "key_facts", "external_ids"), ())

shares = st.floats(0, 1)
rarely = st.sampled_from([False, False, False, False, True])
ago = (st.floats(0, 10) | st.floats(0, 60)).map(lambda days: START - days * DAY)
around = st.floats(-60, 60).map(lambda days: START + days * DAY)
described = st.fixed_dictionaries(
    {
        "strength": shares, "importance": shares, "emotion_intensity": st.floats(0, 10),
        "access_count": st.floats(0, 30), "last_accessed_at": st.none() | ago, "created_at": ago, "updated_at": ago,
        "event_time": st.none() | around, "layer": st.just("event") | st.sampled_from(LAYERS),
        "status": st.just("active") | st.sampled_from(STATUSES), "pinned": rarely, "protected": rarely,
        "resolved": st.booleans(),
    }
)  # fmt: skip
herds = st.lists(described, min_size=1, max_size=6)
rules = st.builds(
    Rules, rate=st.floats(0, 0.5), access_days=st.floats(0, 90), sleep_event=st.just(True) | st.booleans(),
    sleep_state=st.booleans(), sleep_fact=st.booleans(), sleep_decision=st.booleans(),
    sleep_low_days=st.floats(0, 40), sleep_medium_days=st.floats(0, 40), sleep_high_days=st.floats(0, 40),
    archive=st.booleans(), archive_days=st.floats(0, 40), archive_below=shares,
    hour=st.integers(0, 23), minute=st.integers(0, 59), longest_catch_up=st.just(100),
)  # fmt: skip
zones = st.sampled_from(["UTC", "Asia/Shanghai", "Europe/Berlin", "America/New_York"]).map(ZoneInfo)
spans = st.integers(1, 45)


@contextmanager
def store(herd: Sequence[dict[str, Any]], zone: Any, values: Values) -> Iterator[Database]:
    """A store with these memories, each of which says a fact that all others say and one of its own; day noted."""
    directory = Path(tempfile.mkdtemp(prefix="hupo-"))
    database = Database.open(directory)
    try:
        with database.transaction(durable=False) as cx:
            ids = [_insert(cx, number, one) for number, one in enumerate(herd)]
            shared = _atom(cx)
            for memory_id in ids:
                own = _atom(cx)
                said = [graph.Mentioned("fact", "tea", "tea", True, shared)]
                graph.put(cx, memory_id, [*said, graph.Mentioned("fact", f"f{memory_id}", f"f{memory_id}", True, own)])
            decay.run(cx, START, zone, values)
        yield database
    finally:
        database.close()
        shutil.rmtree(directory)


def _insert(cx: Connection, number: int, given: dict[str, Any]) -> int:
    own = {"uid": str(number), "content": str(number), "content_key": str(number)}
    rest = {"valence": 0.0, "sensitivity": "normal", "extra": {}}
    return memories.insert(cx, {**_EMPTY, **_NONE, **_LISTS, **own, **rest, **given})


def _atom(cx: Connection) -> int:
    row: dict[str, Any] = dict.fromkeys(("conversation_id", "persona_id", "event_time", "last_accessed_at"))
    return atoms.insert(
        cx,
        row | {
            "type": "factual", "status": "active", "status_at": START, "importance": 0.5, "confidence": 0.5,
            "created_at": START, "last_reinforced_at": None, "reinforcement_count": 0, "ttl_days": 400.0,
            "expires_at": START + 400 * DAY,
        },
    )  # fmt: skip


def _values(given: Rules) -> Values:
    return {f"forgetting.{name}": value for name, value in asdict(given).items()}


def _all(database: Database) -> dict[int, Memory]:
    with database.reader() as cx:
        return memories.get_many(cx, range(1, 10))


def _bytes(database: Database) -> list[Any]:
    """Every row of every table."""
    with database.reader() as cx:
        names = [row[0] for row in cx.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
        return [(name, cx.execute(f"SELECT * FROM {name}").fetchall()) for name in names]


def _state(database: Database) -> list[Any]:
    """What a run may change, and nothing that tells how often it ran."""
    left_out = ("history", "journal", "sqlite_sequence")
    return [table for table in _bytes(database) if table[0] not in left_out]


def _run(database: Database, now: datetime, zone: Any, values: Values) -> decay.Run:
    with database.transaction(durable=False) as cx:
        return decay.run(cx, now, zone, values)


def _immune(memory: Memory) -> bool:
    undecided = memory.layer == "decision" and not memory.resolved
    return memory.pinned or memory.protected or memory.emotion_intensity >= 8 or undecided


@settings(max_examples=40)
@given(herds, rules, spans, zones)
def test_time_only_weakens_and_spares_the_immune(herd, given_rules, days, zone):  # type: ignore[no-untyped-def]
    """Never stronger, never below the floor, never gone; the immune keep strength and status, as do those at rest."""
    values = _values(given_rules)
    with store(herd, zone, values) as database:
        before = _all(database)
        _run(database, START + days * DAY, zone, values)
        after = _all(database)
        assert before.keys() == after.keys()
        for memory_id, old in before.items():
            new = after[memory_id]
            assert new.strength <= old.strength and new.strength >= min(old.strength, curves.FLOOR)
            assert new.access_count <= old.access_count and new.updated_at == old.updated_at
            if _immune(old) or old.status not in ("active", "dormant", "archived"):
                assert (new.strength, new.status) == (old.strength, old.status)
            if new.status != old.status:
                assert (old.status, new.status) in {
                    ("active", "dormant"), ("active", "archived"), ("dormant", "archived"),
                }  # fmt: skip
                assert old.event_time is None or old.event_time <= START + days * DAY


@settings(max_examples=40)
@given(herds, rules, spans, zones)
def test_days_caught_up_are_days_run_one_by_one(herd, given_rules, days, zone):  # type: ignore[no-untyped-def]
    """To the last bit, and with the facts as they would be; asleep in between or not."""
    values, states, told = _values(given_rules), [], []
    for steps in ([days], range(1, days + 1), [days // 2, days, days]):
        with store(herd, zone, values) as database:
            fallen, run_days = set[int](), 0
            for step in steps:
                run = _run(database, START + step * DAY, zone, values)
                fallen |= {*run.dormant, *run.archived}
                run_days += len(run.days)
            states.append(_state(database))
            told.append((fallen, run_days))
    assert states[0] == states[1] == states[2]
    assert told[0] == told[1] == told[2] and abs(told[0][1] - days) <= 1


@settings(max_examples=30)
@given(herds, rules, spans, zones)
def test_memories_do_not_matter_to_each_other(herd, given_rules, days, zone):  # type: ignore[no-untyped-def]
    """The other way round, and each alone: the same becomes of each."""
    values = _values(given_rules)

    def fate(some: Sequence[dict[str, Any]]) -> list[Any]:
        with store(some, zone, values) as database:
            _run(database, START + days * DAY, zone, values)
            return [(one.strength, one.access_count, one.status) for one in _all(database).values()]

    together = fate(herd)
    assert fate(herd[::-1]) == together[::-1]
    assert fate(herd[:1]) == together[:1]


@settings(max_examples=40)
@given(herds, rules, st.integers(0, 20), spans, zones)
def test_a_preview_writes_nothing_and_comes_true(herd, given_rules, overdue, days, zone):  # type: ignore[no-untyped-def]
    values, now = _values(given_rules), START + overdue * DAY
    with store(herd, zone, values) as database:
        before = _bytes(database)
        with database.transaction(durable=False) as cx:  # a connection that could write
            seen = decay.dry_run(cx, now, zone, values, days, range(1, 10))
        assert _bytes(database) == before
        old = _all(database)
        then = schedule.moment_of(seen.days[-1], time(given_rules.hour, given_rules.minute), zone)
        run = _run(database, then or now, zone, values)
        after = _all(database)
    assert seen.days == run.days
    ended = {fall.memory_id: fall.status for fall in seen.falls}
    assert sorted(one for one in ended if ended[one] == "dormant") == list(run.dormant)
    assert sorted(one for one in ended if ended[one] == "archived") == list(run.archived)
    assert {one for one in after if after[one].status != old[one].status} == ended.keys()
    for memory_id, strength in seen.strengths.items():
        assert (strength, seen.statuses[memory_id]) == (after[memory_id].strength, after[memory_id].status)


@settings(max_examples=40)
@given(described, rules, spans, zones)
def test_the_curve_shown_is_the_curve_used(one, given_rules, days, zone):  # type: ignore[no-untyped-def]
    values = _values(given_rules)
    with store([one], zone, values) as database:
        with database.reader() as cx:
            curve = decay.forecast(cx, _all(database)[1], days, START, zone, values)
        for point in curve[1:]:
            then = schedule.moment_of(point.day, time(given_rules.hour, given_rules.minute), zone)
            _run(database, then or START, zone, values)
            memory = _all(database)[1]
            assert (point.strength, point.status) == (memory.strength, memory.status)
    assert len(curve) == days + 1


@settings(max_examples=40)
@given(herds, rules, spans, zones)
def test_rows_follow_the_formulas(herd, given_rules, days, zone):  # type: ignore[no-untyped-def]
    """The numbers in the rows are S0's formulas written out by hand, day for day."""
    values = _values(given_rules)
    with store(herd, zone, values) as database:
        before = _all(database)
        run = _run(database, START + days * DAY, zone, values)
        after = _all(database)
    at = time(given_rules.hour, given_rules.minute)
    moments = [datetime.combine(day, at, zone) for day in run.days]
    for memory_id, memory in before.items():
        strength, access = memory.strength, memory.access_count
        if memory.status in ("active", "dormant", "archived"):
            for moment in moments:
                if not _immune(memory):
                    strength = _weaker(memory, strength, access, moment, given_rules)
                access *= 0.5
        assert abs(after[memory_id].strength - strength) < 1e-9
        assert abs(after[memory_id].access_count - access) < 1e-9


def _weaker(memory: Memory, strength: float, access: float, moment: datetime, of: Rules) -> float:
    used = memory.last_accessed_at
    recent = access if used is not None and moment - used <= timedelta(days=of.access_days) else 0.0
    rate = of.rate * max(0.3, 1 - 0.1 * min(recent, 10)) * (1 - 0.5 * memory.emotion_intensity / 10)
    return min(strength, max(0.05, strength * (1 - rate)))


@settings(max_examples=30)
@given(herds, rules, spans)
def test_recall_wakes(herd, given_rules, days):  # type: ignore[no-untyped-def]
    """Whatever time has put to rest is active again once it is recalled, and for a while after."""
    values, now = _values(replace(given_rules, hour=0, minute=5)), START + days * DAY
    with store(herd, UTC, values) as database:
        run = _run(database, now, UTC, values)
        fallen = (*run.dormant, *run.archived)
        with database.transaction(durable=False) as cx:
            assert set(reinforce(cx, fallen, now, recalled=True)) == set(fallen)
        assert {_all(database)[one].status for one in fallen} <= {"active"}
        awake = min(given_rules.sleep_low_days, given_rules.sleep_medium_days, given_rules.sleep_high_days)
        tomorrow = _run(database, now + DAY, UTC, values)
        if min(awake, given_rules.archive_days) >= 1:
            assert not {*tomorrow.dormant, *tomorrow.archived} & set(fallen)


def _lasting(database: Database) -> list[Any]:
    """The rows that time works on, and not what is noted of the clock."""
    return [table for table in _state(database) if table[0] != "settings"]


@settings(max_examples=10)
@given(herds, rules, st.integers(0, 45), st.integers(0, 45), zones)
def test_the_order_of_two_runs_does_not_matter(herd, given_rules, one, other, zone):  # type: ignore[no-untyped-def]
    """A clock that was ahead and is set back runs nothing again: the later of two runs is both."""
    states = []
    for steps in ((one, other), (other, one), (max(one, other),)):
        with store(herd, zone, _values(given_rules)) as database:
            for step in steps:
                _run(database, START + step * DAY, zone, _values(given_rules))
            states.append(_state(database))
    assert states[0] == states[1] == states[2]


far = st.integers(101, 5_000) | st.integers(-5_000, -101)


@settings(max_examples=10)
@given(herds, rules, st.lists(far, min_size=1, max_size=5), spans, zones)
def test_a_clock_gone_astray_takes_nothing(herd, given_rules, jumps, days, zone):  # type: ignore[no-untyped-def]
    """Years ahead or back, and again, with nobody using it: once it is right all is as if it had never been wrong."""
    values, states = _values(given_rules), []
    for wrong in (jumps, ()):
        with store(herd, zone, values) as database:
            before = _lasting(database)
            for jump in wrong:
                assert _run(database, START + jump * DAY, zone, values) == decay.Run()
            assert _lasting(database) == before
            _run(database, START + days * DAY, zone, values)
            states.append(_lasting(database))
    assert states[0] == states[1]
