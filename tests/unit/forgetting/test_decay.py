"""Runs over real rows: what they change, note and tell, what they leave, and that the preview is the run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, fields
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.config import BY_KEY, Values
from engine.forgetting import decay, timekeeping
from engine.forgetting.rules import Rules
from engine.storage import history, journal, memories, settings, vitality
from engine.storage.database import Connection, Database
from engine.types import Fall, Memory, StrengthPoint

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def _values(**given: Any) -> Values:
    return {f"forgetting.{name}": value for name, value in (asdict(Rules()) | given).items()}


VALUES = _values()


@pytest.fixture
def db(data_dir: Path) -> Iterator[Database]:
    """A store whose first run has noted the 1st of March."""
    database = Database.open(data_dir)
    with database.transaction() as cx:
        decay.run(cx, START, UTC, VALUES)
    yield database
    database.close()


def _memory(cx: Connection, **given: Any) -> int:
    """A fact of importance 0.5 unless given: it fades, but does not sleep."""
    number = memories.newest(cx) + 1
    row: dict[str, Any] = dict.fromkeys(
        ("title", "compressed", "category", "mood", "sentiment", "source_agent", "source_client", "source_text"), ""
    )
    row |= dict.fromkeys(("conversation_id", "session_id", "persona_id", "position", "event_time"))
    row |= dict.fromkeys(("tags", "topics", "participants", "key_facts", "external_ids"), ())
    row |= dict.fromkeys(("pinned", "protected", "resolved"), False)
    row |= {
        "uid": str(number), "content": str(number), "summary": "", "layer": "fact", "importance": 0.5,
        "emotion_intensity": 0.0, "valence": 0.0, "sensitivity": "normal", "status": "active", "extra": {},
        "created_at": START, "updated_at": START, "content_key": str(number), "script": "latin",
    }  # fmt: skip
    return memories.insert(cx, row | given)


def _run(db: Database, days: float, values: Values = VALUES) -> decay.Run:
    with db.transaction(durable=False) as cx:
        return decay.run(cx, START + days * DAY, UTC, values)


def _get(db: Database, memory_id: int) -> Memory:
    with db.reader() as cx:
        return memories.require(cx, memory_id)


def _forecast(db: Database, memory_id: int, days: int, values: Values) -> tuple[StrengthPoint, ...]:
    with db.reader() as cx:
        return decay.forecast(cx, memories.require(cx, memory_id), days, START, UTC, values)


def _told(db: Database) -> list[Any]:
    with db.reader() as cx:
        return [entry.after for entry in history.latest(cx, 50)[0]]


def _journal(db: Database) -> list[Any]:
    with db.reader() as cx:
        return cx.execute("SELECT op, memory_id, stage FROM journal").fetchall()


def test_the_rules_are_the_parameters() -> None:
    """What the table of parameters gives when nobody set anything is what the seeds say."""
    for field in fields(Rules):
        assert BY_KEY[f"forgetting.{field.name}"].default == field.default, field.name


def test_the_first_run_only_notes_the_day(data_dir: Path) -> None:
    database = Database.open(data_dir)
    with database.transaction() as cx:
        one = _memory(cx, layer="event", created_at=START - 300 * DAY, updated_at=START - 300 * DAY)
        assert decay.is_due(cx, START, UTC, VALUES)
        assert decay.run(cx, START, UTC, VALUES) == decay.Run()
        assert settings.get(cx, timekeeping.DAY_KEY) == "2026-03-01"
        assert not decay.is_due(cx, START, UTC, VALUES)
    memory = _get(database, one)
    assert (memory.strength, memory.status, _told(database), _journal(database)) == (0.5, "active", [], [])
    database.close()


@pytest.mark.parametrize(
    ("given", "strength"),
    [
        ({}, 0.5 * 0.99),
        ({"emotion_intensity": 5.0}, 0.5 * (1 - 0.01 * 0.75)),
        ({"last_accessed_at": START, "access_count": 4.0}, 0.5 * (1 - 0.01 * 0.6)),
        ({"last_accessed_at": START - 40 * DAY, "access_count": 4.0}, 0.5 * 0.99),
        ({"last_accessed_at": START, "access_count": 99.0}, 0.5 * (1 - 0.01 * 0.3)),
        ({"strength": 0.0501}, 0.05),
        ({"strength": 0.02}, 0.02),
        ({"layer": "decision", "resolved": True}, 0.5 * 0.99),
        ({"status": "dormant"}, 0.5 * 0.99),
        ({"status": "archived"}, 0.5 * 0.99),
        ({"status": "trashed"}, 0.5),
        ({"status": "superseded"}, 0.5),
        ({"status": "pending"}, 0.5),
        ({"layer": "decision"}, 0.5),
        ({"pinned": True}, 0.5),
        ({"protected": True}, 0.5),
        ({"emotion_intensity": 8.0}, 0.5),
    ],
)
def test_a_day_takes_what_the_rules_say(db: Database, given: dict[str, Any], strength: float) -> None:
    with db.transaction() as cx:
        one = _memory(cx, **given)
    _run(db, 1)
    assert _get(db, one).strength == pytest.approx(strength, abs=1e-12)


def test_use_is_forgotten_by_half_a_day(db: Database) -> None:
    """Of pinned memories too; but what lies in the trash comes out as it went in."""
    with db.transaction() as cx:
        ids = [
            _memory(cx, access_count=8.0, last_accessed_at=START, **given)
            for given in ({}, {"pinned": True}, {"status": "trashed"})
        ]
    _run(db, 3)
    assert [_get(db, one).access_count for one in ids] == [1.0, 1.0, 8.0]


def test_unused_events_sleep_by_importance_and_the_rest_does_not(db: Database) -> None:
    with db.transaction() as cx:
        low, medium, high = (_memory(cx, layer="event", importance=one) for one in (0.4, 0.6, 0.7))
        for given in (
            {"layer": "fact"}, {"layer": "state"}, {"layer": "decision", "resolved": True}, {"pinned": True},
            {"protected": True}, {"emotion_intensity": 8.0}, {"event_time": START + 90 * DAY},
            {"status": "superseded"}, {"status": "trashed"},
        ):  # fmt: skip
            _memory(cx, **({"layer": "event", "importance": 0.1} | given))
    slept = {}
    for days in range(1, 32):
        for one in _run(db, days).dormant:
            slept[one] = days
    # Made at noon: the run at five past midnight finds the days full on the morning after.
    assert slept == {low: 8, medium: 15, high: 31}


def test_whatever_uses_a_memory_keeps_it_awake(db: Database) -> None:
    with db.transaction() as cx:
        recalled = _memory(cx, layer="event", importance=0.1, last_accessed_at=START + 5 * DAY)
        edited = _memory(cx, layer="event", importance=0.1, updated_at=START + 5 * DAY)
        left = _memory(cx, layer="event", importance=0.1)
    assert _run(db, 10).dormant == (left,)
    assert _run(db, 13).dormant == (recalled, edited)


def test_the_layers_that_sleep_are_the_users(db: Database) -> None:
    values = _values(sleep_event=False, sleep_fact=True)
    with db.transaction() as cx:
        _memory(cx, layer="event")
        fact = _memory(cx, layer="fact")
    assert _run(db, 40, values).dormant == (fact,)


def test_the_archive_is_off_until_wanted(db: Database) -> None:
    with db.transaction() as cx:
        weak, asleep = _memory(cx, importance=0.31), _memory(cx, importance=0.31, status="dormant")
        _memory(cx, importance=0.31, pinned=True)
        _memory(cx, importance=0.9)
    assert _run(db, 29).archived == ()
    run = _run(db, 40, _values(archive=True))
    assert run.archived == (weak, asleep) and run.dormant == ()
    assert [_get(db, one).status for one in (weak, asleep)] == ["archived", "archived"]
    with db.reader() as cx:
        assert cx.execute("SELECT count(*) FROM memories").get == 4


def test_what_could_sleep_and_be_archived_is_archived_only(db: Database) -> None:
    with db.transaction() as cx:
        one = _memory(cx, layer="event", importance=0.7, strength=0.1)
    run = _run(db, 40, _values(archive=True, sleep_high_days=35.0, archive_days=35.0))
    assert (run.dormant, run.archived, _get(db, one).status) == ((), (one,), "archived")


def test_what_was_woken_is_not_archived_the_next_night(db: Database) -> None:
    with db.transaction() as cx:
        _memory(cx, strength=0.1, last_accessed_at=START + 39 * DAY)
    assert _run(db, 40, _values(archive=True)).archived == ()


def test_a_run_tells_of_itself_once(db: Database) -> None:
    """One journal row and one history row, whatever the number of memories and days."""
    with db.transaction() as cx:
        ids = [_memory(cx, layer="event", importance=0.1) for _ in range(3)]
        _memory(cx, pinned=True)
    run = _run(db, 20)
    assert run.days == tuple(date(2026, 3, 1) + number * DAY for number in range(1, 21))
    assert (run.changed, run.dormant, run.archived, run.skipped) == (3, tuple(ids), (), 0)
    assert _told(db) == [
        {
            "day": "2026-03-21", "days": 20, "changed": 3, "dormant": 3, "archived": 0, "dormant_ids": ids,
            "archived_ids": [], "skipped": 0,
        }
    ]  # fmt: skip
    assert _journal(db) == [("decay", 0, "done")]
    assert _run(db, 20) == decay.Run()
    assert len(_told(db)) == 1
    with db.reader() as cx:
        entry = history.get(cx, run.history_id or 0)
    assert entry is not None and (entry.action, entry.memory_id, entry.actor.kind) == ("decayed", 0, "rule")


def test_thousands_are_told_as_a_number(db: Database) -> None:
    with db.transaction() as cx:
        for _ in range(1_003):
            _memory(cx, layer="event", importance=0.1)
    assert len(_run(db, 8).dormant) == 1_003
    assert (_told(db)[0]["dormant"], len(_told(db)[0]["dormant_ids"])) == (1_003, 1_000)


def test_what_is_rolled_back_never_was(db: Database) -> None:
    """A crash neither skips a day nor runs it twice: day, rows, statuses and numbers go together."""
    with db.transaction() as cx:
        one = _memory(cx, layer="event", importance=0.1)
    with pytest.raises(KeyboardInterrupt), db.transaction() as cx:
        decay.run(cx, START + 8 * DAY, UTC, VALUES)
        raise KeyboardInterrupt
    assert (_get(db, one).strength, _get(db, one).status, _told(db), _journal(db)) == (0.1, "active", [], [])
    assert len(_run(db, 8).days) == 8
    assert _get(db, one).strength == pytest.approx(0.1 * 0.99**8)


def test_switched_off_nothing_fades_and_nothing_is_owed(db: Database) -> None:
    with db.transaction() as cx:
        one = _memory(cx, layer="event", importance=0.1)
    off = _values(enabled=False)
    assert _run(db, 60, off) == decay.Run() and _told(db) == []
    with db.reader() as cx:
        assert decay.dry_run(cx, START + 60 * DAY, UTC, off, 30, [one]).falls == ()
    assert {point.strength for point in _forecast(db, one, 90, off)} == {0.1}
    assert len(_run(db, 61).days) == 1


def test_a_day_touches_only_what_was_there(db: Database) -> None:
    """Caught up late, the missed days do nothing to what was made after them."""
    with db.transaction() as cx:
        young = _memory(cx, created_at=START + 4 * DAY, updated_at=START + 4 * DAY)
    _run(db, 5)
    assert _get(db, young).strength == 0.5 * 0.99


def test_a_day_nobody_can_read_is_noted_anew(db: Database) -> None:
    with db.transaction() as cx:
        settings.put(cx, timekeeping.DAY_KEY, "tomorrow")
    assert _run(db, 3) == decay.Run()
    with db.reader() as cx:
        assert settings.get(cx, timekeeping.DAY_KEY) == "2026-03-04"


def test_the_preview_is_the_run(db: Database) -> None:
    """What is overdue and what is to come, who sleeps when, and what strength is left."""
    values = _values(archive=True)
    with db.transaction() as cx:
        event = _memory(cx, layer="event", importance=0.6, access_count=3.0, last_accessed_at=START)
        weak = _memory(cx, importance=0.32, emotion_intensity=2.0)
        pinned = _memory(cx, layer="event", pinned=True)
    with db.reader() as cx:
        seen = decay.dry_run(cx, START + 10 * DAY, UTC, values, 30, [event, weak, pinned, 99])
    assert len(seen.days) == 40 and seen.days[-1] == date(2026, 4, 10)
    assert seen.falls == (
        Fall(event, date(2026, 3, 16), "dormant"),
        Fall(weak, date(2026, 4, 1), "archived"),
    )
    run = _run(db, 40, values)
    assert (run.dormant, run.archived) == ((event,), (weak,))
    after = {one: _get(db, one) for one in (event, weak, pinned)}
    assert seen.strengths == {one: memory.strength for one, memory in after.items()}
    assert seen.statuses == {one: memory.status for one, memory in after.items()}


def test_a_preview_with_the_clock_set_back_awaits_the_days_that_are_new(db: Database) -> None:
    with db.transaction() as cx:
        one = _memory(cx)
        settings.put(cx, timekeeping.DAY_KEY, "2026-03-06")
    with db.reader() as cx:
        assert decay.dry_run(cx, START, UTC, VALUES, 5, [one]).strengths == {one: 0.5}
        assert decay.dry_run(cx, START, UTC, VALUES, 7, [one]).days == (date(2026, 3, 7), date(2026, 3, 8))


def test_the_curve_is_what_happens(db: Database) -> None:
    values = _values(archive=True, archive_below=0.5)
    with db.transaction() as cx:
        one = _memory(
            cx, layer="event", importance=0.6, emotion_intensity=3.0, access_count=5.0, last_accessed_at=START
        )
    curve = _forecast(db, one, 35, values)
    assert curve[0] == StrengthPoint(date(2026, 3, 1), 0.6, "active")
    for days, point in enumerate(curve[1:], 1):
        _run(db, days, values)
        memory = _get(db, one)
        assert (point.strength, point.status) == (memory.strength, memory.status)
    assert [point.status for point in curve].count("dormant") == 16 and curve[-1].status == "archived"


def test_half_a_second_counts_in_row_and_curve_alike(db: Database) -> None:
    """Seven days less half a second are no seven days."""
    with db.transaction() as cx:
        used = datetime(2026, 3, 2, 0, 5, 0, 500_000, tzinfo=UTC)
        one = _memory(cx, layer="event", importance=0.1, updated_at=used)
    curve = _forecast(db, one, 10, VALUES)
    assert [point.status for point in curve].index("dormant") == 9
    assert (_run(db, 8).dormant, _run(db, 9).dormant) == ((), (one,))


def test_portions_hold_every_memory_once(db: Database) -> None:
    """Whatever their size, and whatever ids are missing; what nobody can find is left out."""
    with db.transaction() as cx:
        ids = [_memory(cx) for _ in range(7)]
        memories.delete(cx, ids[2:4])
        memories.update(cx, ids[5], {"status": "trashed"})
        whole = [ids[0], ids[1], ids[4], ids[6]]
        for size in range(1, 6):
            assert [row[0] for rows in vitality.portions(cx, size) for row in rows] == whole
        rows = next(iter(vitality.portions(cx)))
        assert rows == [vitality.row_of(memories.require(cx, one)) for one in whole]


@pytest.mark.parametrize("status", ["trashed", "superseded", "expired", "pending"])
def test_the_curve_of_what_rests_is_flat(db: Database, status: str) -> None:
    with db.transaction() as cx:
        one = _memory(cx, status=status)
    assert {(point.strength, point.status) for point in _forecast(db, one, 9, VALUES)} == {(0.5, status)}


def test_the_journal_is_settled(db: Database) -> None:
    """A run owes nothing that a restart would have to finish."""
    _run(db, 2)
    with db.reader() as cx:
        assert journal.counts(cx) == (0, 0)
