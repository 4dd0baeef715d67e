"""Forgetting over what was really memorized: in the user's days, after long sleep, with clocks that jump, and awake
again by recall.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from engine.clock import MovableClock
from engine.config import Settings, Values
from engine.engine import Engine
from engine.errors import Conflict
from engine.forgetting import decay
from engine.forgetting.rules import Rules
from engine.ingest.memorize import Ready
from engine.storage import history
from engine.storage.database import Database
from engine.types import ALL_SCOPES, Actor, Draft, Filters, Memory, Query, Remembered

ME = Actor("gui", "test")
CLIENT = Actor("client", "test")
DAY = timedelta(days=1)
SHANGHAI = ZoneInfo("Asia/Shanghai")
Opener = Callable[[datetime, tzinfo], Engine]


def _values(**given: Any) -> Values:
    return {f"forgetting.{name}": value for name, value in (asdict(Rules()) | given).items()}


VALUES = _values()


@pytest.fixture
def open_engine(data_dir: Path) -> Iterator[Opener]:
    """An engine of words only, with a clock that is moved by hand; its first run has noted the day."""
    opened: list[Database] = []

    def opener(now: datetime, zone: tzinfo) -> Engine:
        database = Database.open(data_dir)
        opened.append(database)
        engine = Engine(database, Settings(), MovableClock(now, zone))
        engine.embeds = False
        _run(engine)
        return engine

    yield opener
    for database in opened:
        database.close()


def _move(engine: Engine, now: datetime) -> None:
    clock = engine.clock
    assert isinstance(clock, MovableClock)
    clock.move_to(now)


def _run(engine: Engine, values: Values = VALUES) -> decay.Run:
    with engine.database.transaction() as cx:
        run = decay.run(cx, engine.clock.now(), engine.clock.zone(), values)
    engine.refresh()
    return run


def _remember(engine: Engine, content: str, **given: Any) -> int:
    prepared = engine.prepare(Draft(content, **given), ME)
    (done,) = engine.remember_all([Ready(prepared, None, None, engine.look(prepared, None, None), ME)])
    assert isinstance(done, Remembered)
    return done.memory.id


def _recalled(engine: Engine, text: str) -> list[int]:
    ids = [hit.memory.id for hit in engine.recall(Query(text, filters=Filters(scope=ALL_SCOPES))).hits]
    engine.reinforce(ids)
    return ids


def _day(engine: Engine, day: date, hour: int = 9) -> decay.Run:
    zone = engine.clock.zone()
    _move(engine, datetime(day.year, day.month, day.day, hour, tzinfo=zone).astimezone(UTC))
    return _run(engine)


def _get(engine: Engine, memory_id: int) -> Memory:
    return engine.get(memory_id)


def test_the_day_ends_when_the_users_day_ends(open_engine: Opener) -> None:
    """In Shanghai a run is due at 16:05 UTC; half an hour of midnight lies on the right side of it."""
    engine = open_engine(datetime(2026, 5, 1, 23, 30, tzinfo=SHANGHAI).astimezone(UTC), SHANGHAI)
    fact = _remember(engine, "小王对花生过敏", layer="fact", importance=0.8)
    _move(engine, datetime(2026, 5, 2, 0, 4, tzinfo=SHANGHAI))
    assert _run(engine).days == () and _get(engine, fact).strength == 0.8
    _move(engine, datetime(2026, 5, 2, 0, 5, tzinfo=SHANGHAI))
    assert _run(engine).days == (date(2026, 5, 2),)
    assert _get(engine, fact).strength == pytest.approx(0.8 * 0.99)
    _move(engine, datetime(2026, 5, 2, 23, 59, tzinfo=SHANGHAI))
    assert _run(engine).days == ()


@pytest.mark.parametrize(
    ("zone", "change"),
    [
        ("Europe/Berlin", date(2026, 3, 29)),
        ("Europe/Berlin", date(2026, 10, 25)),
        ("America/New_York", date(2026, 3, 8)),
    ],
)
def test_summer_time_costs_no_more_than_any_day(open_engine: Opener, zone: str, change: date) -> None:
    """Over the change, looked at every hour: a run for each date."""
    begin = change - 2 * DAY
    engine = open_engine(datetime(begin.year, begin.month, begin.day, 12, tzinfo=ZoneInfo(zone)), ZoneInfo(zone))
    fact = _remember(engine, "Anna is allergic to peanuts", layer="fact", importance=0.8)
    now, run = engine.clock.now(), list[date]()
    for hours in range(1, 24 * 4):
        _move(engine, now + timedelta(hours=hours))
        run += _run(engine).days
    assert run == [change + number * DAY for number in range(-1, 3)]
    assert _get(engine, fact).strength == pytest.approx(0.8 * 0.99**4)


def test_sixty_days_asleep(open_engine: Opener) -> None:
    """One run catches up; what was curated is all there, unused events sleep, nothing is gone."""
    engine = open_engine(datetime(2026, 5, 1, 9, tzinfo=SHANGHAI).astimezone(UTC), SHANGHAI)
    facts = [_remember(engine, text, layer="fact") for text in ("小王对花生过敏", "Anna lives in Lisbon")]
    pinned = _remember(engine, "妈妈的生日聚会很热闹", layer="event", pinned=True)
    event = _remember(engine, "昨天和老李去爬山了", layer="event", importance=0.5)
    decision = _remember(engine, "We decided to use SQLite because it is one file", layer="decision")
    run = _day(engine, date(2026, 6, 30))
    assert len(run.days) == 60 and run.dormant == (event,) and run.archived == ()
    statuses = {one: _get(engine, one).status for one in (*facts, pinned, event, decision)}
    assert statuses == {**dict.fromkeys((*facts, pinned, decision), "active"), event: "dormant"}
    assert _get(engine, facts[0]).strength == pytest.approx(0.5 * 0.99**60)
    assert [_get(engine, one).strength for one in (pinned, decision)] == [0.5, 0.5]
    assert len(engine.history(0, 10)) == 1


def test_the_curve_shown_at_first_is_lived_through(open_engine: Opener) -> None:
    engine = open_engine(datetime(2026, 5, 1, 9, tzinfo=UTC), UTC)
    event = _remember(engine, "Yesterday we climbed Mount Pico with Anna", layer="event", emotion_intensity=4.0)
    _recalled(engine, "Mount Pico")
    with engine.database.reader() as cx:
        foretold = decay.forecast(cx, _get(engine, event), 60, engine.clock.now(), UTC, VALUES)
    for number in range(1, 61):
        _day(engine, date(2026, 5, 1) + number * DAY)
        memory = _get(engine, event)
        assert (memory.strength, memory.status) == (foretold[number].strength, foretold[number].status)
    assert [point.status for point in foretold].index("dormant") == 15


def test_a_clock_set_back_or_a_journey_runs_no_day_twice(open_engine: Opener) -> None:
    engine = open_engine(datetime(2026, 5, 1, 9, tzinfo=SHANGHAI).astimezone(UTC), SHANGHAI)
    fact = _remember(engine, "小王对花生过敏", layer="fact")
    assert len(_day(engine, date(2026, 5, 11)).days) == 10
    strength = _get(engine, fact).strength
    for day in (3, 7, 11):
        assert _day(engine, date(2026, 5, day)).days == ()
    with engine.database.transaction() as cx:
        west = decay.run(cx, engine.clock.now(), ZoneInfo("America/Los_Angeles"), VALUES)
    assert west.days == () and _get(engine, fact).strength == strength
    assert _day(engine, date(2026, 5, 12)).days == (date(2026, 5, 12),)


def test_another_rate_is_in_force_from_the_next_day(open_engine: Opener) -> None:
    engine = open_engine(datetime(2026, 5, 1, 9, tzinfo=UTC), UTC)
    fact = _remember(engine, "Anna lives in Lisbon", layer="fact")
    _move(engine, datetime(2026, 5, 4, 9, tzinfo=UTC))
    _run(engine, _values(rate=0.1))
    assert _get(engine, fact).strength == pytest.approx(0.5 * 0.9**3)


def test_recall_finds_what_sleeps_and_wakes_it(open_engine: Opener) -> None:
    """Words and facts of a sleeping memory are found; recalled, it is awake with its facts and stays so."""
    engine = open_engine(datetime(2026, 5, 1, 9, tzinfo=UTC), UTC)
    event = _remember(engine, "昨天和老李去爬山了", layer="event", importance=0.3)
    assert _day(engine, date(2026, 5, 9)).dormant == (event,)
    assert {atom.status for atom in engine.graph.atoms(event)} <= {"dormant", "expired", "forgotten"}
    assert _recalled(engine, "老李 爬山") == [event]
    assert _get(engine, event).status == "active"
    assert _day(engine, date(2026, 5, 15)).dormant == ()
    assert _day(engine, date(2026, 5, 17)).dormant == (event,)


def test_told_again_it_stays_awake(open_engine: Opener) -> None:
    engine = open_engine(datetime(2026, 5, 1, 9, tzinfo=UTC), UTC)
    event = _remember(engine, "We climbed Mount Pico with Anna", layer="event", importance=0.3)
    _day(engine, date(2026, 5, 6))
    assert _remember(engine, "We climbed Mount Pico with Anna", layer="event", importance=0.3) == event
    assert _day(engine, date(2026, 5, 12)).dormant == ()


def test_pinned_in_time_it_is_rescued(open_engine: Opener) -> None:
    """The preview names what will sleep; pinned, it does not."""
    engine = open_engine(datetime(2026, 5, 1, 9, tzinfo=UTC), UTC)
    first = _remember(engine, "Yesterday we climbed Mount Pico", layer="event", importance=0.3)
    second = _remember(engine, "昨天和老李去爬山了", layer="event", importance=0.3)
    with engine.database.reader() as cx:
        seen = decay.dry_run(cx, engine.clock.now(), UTC, VALUES, 10)
    assert [(fall.memory_id, fall.day) for fall in seen.falls] == [
        (first, date(2026, 5, 9)),
        (second, date(2026, 5, 9)),
    ]
    engine.edit(first, {"pinned": True}, ME)
    assert _day(engine, date(2026, 5, 11)).dormant == (second,)


def test_an_appointment_ahead_stays_awake_until_it_is_over(open_engine: Opener) -> None:
    engine = open_engine(datetime(2026, 5, 1, 9, tzinfo=UTC), UTC)
    event = _remember(
        engine, "Dentist on 10 June", layer="event", importance=0.3, event_time=datetime(2026, 6, 10, 15, tzinfo=UTC)
    )
    assert _day(engine, date(2026, 6, 10)).dormant == ()
    assert _day(engine, date(2026, 6, 11)).dormant == (event,)


def test_a_fact_sleeps_only_with_all_who_say_it(open_engine: Opener) -> None:
    """Facts that another memory, awake, says as well stay awake."""
    engine = open_engine(datetime(2026, 5, 1, 9, tzinfo=UTC), UTC)
    shared = "Anna lives in Lisbon"
    event = _remember(engine, "We met Anna at the harbour", layer="event", importance=0.3, key_facts=(shared,))
    own = _remember(engine, "Notes on friends", layer="fact", key_facts=(shared,))
    _day(engine, date(2026, 5, 9))
    atoms = {atom.text: atom.status for atom in (*engine.graph.atoms(event), *engine.graph.atoms(own))}
    assert _get(engine, event).status == "dormant" and atoms[shared] == "active"
    engine.trash([own], ME)
    assert {atom.text: atom.status for atom in engine.graph.atoms(event)}[shared] == "dormant"


def test_a_run_is_not_to_be_undone(open_engine: Opener) -> None:
    """It is told in history, but what time did is no change of anybody's to take back."""
    engine = open_engine(datetime(2026, 5, 1, 9, tzinfo=UTC), UTC)
    _remember(engine, "Yesterday we climbed Mount Pico", layer="event", importance=0.3)
    run = _day(engine, date(2026, 5, 9))
    assert run.history_id is not None
    for actor in (ME, CLIENT):
        with pytest.raises(Conflict) as refused:
            engine.undo(run.history_id, actor)
        assert refused.value.fields["reason"] == "nothing_to_undo"
    with engine.database.reader() as cx:
        entry = history.get(cx, run.history_id)
    assert entry is not None and not entry.undone


def test_a_crash_in_the_run_costs_no_day(open_engine: Opener) -> None:
    engine = open_engine(datetime(2026, 5, 1, 9, tzinfo=UTC), UTC)
    event = _remember(engine, "Yesterday we climbed Mount Pico", layer="event", importance=0.3)
    _move(engine, datetime(2026, 5, 9, 9, tzinfo=UTC))
    with pytest.raises(MemoryError), engine.database.transaction() as cx:
        decay.run(cx, engine.clock.now(), UTC, VALUES)
        raise MemoryError
    assert _get(engine, event).status == "active" and engine.history(0, 10) == ()
    run = _run(engine)
    assert len(run.days) == 8 and run.dormant == (event,)
