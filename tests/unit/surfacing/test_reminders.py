"""What is due: plans and dated memories of today and the next two days, each once, in the user's days."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from engine.surfacing.reminders import upcoming
from engine.types import STATUSES, Filters, Reminders

SHANGHAI = ZoneInfo("Asia/Shanghai")
BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 5, 1, 2, tzinfo=UTC)  # ten in the morning in Shanghai
MIDNIGHT = datetime(2026, 4, 30, 16, tzinfo=UTC)


def _due(store: Any, now: datetime = NOW, zone: tzinfo = SHANGHAI, days: int = 2, **more: Any) -> Reminders:
    filters = Filters(scope=more.pop("scope", None), persona_id=more.pop("persona_id", None))
    with store.read() as cx:
        return upcoming(cx, filters, now, zone, days, **{"hidden": ("high",), **more})


def _told(found: Reminders) -> list[tuple[str, int]]:
    return [(one.text, one.days) for one in found.items]


def test_from_the_beginning_of_today_to_the_end_of_the_last_day(store: Any) -> None:
    second = timedelta(seconds=1)
    for text, at in (
        ("last night", MIDNIGHT - second),
        ("this morning", MIDNIGHT),
        ("tonight", MIDNIGHT + timedelta(days=1) - second),
        ("tomorrow", MIDNIGHT + timedelta(days=1)),
        ("the day after, late", MIDNIGHT + timedelta(days=3) - second),
        ("too far", MIDNIGHT + timedelta(days=3)),
    ):
        store.add(text, event_time=at)
    expected = [("this morning", 0), ("tonight", 0), ("tomorrow", 1), ("the day after, late", 2)]
    assert _told(_due(store)) == expected
    assert _told(_due(store, days=0)) == expected[:2]


def test_days_are_counted_across_a_change_of_the_clocks(store: Any) -> None:
    """Berlin, the last Sunday of March: 23 hours."""
    store.add("sunday evening", event_time=datetime(2026, 3, 29, 21, 59, tzinfo=UTC))
    store.add("monday, first thing", event_time=datetime(2026, 3, 29, 22, tzinfo=UTC))
    saturday = datetime(2026, 3, 28, 22, 59, tzinfo=UTC)
    assert _told(_due(store, saturday, BERLIN)) == [("sunday evening", 1), ("monday, first thing", 2)]
    assert _told(_due(store, saturday + timedelta(minutes=1), BERLIN)) == [
        ("sunday evening", 0), ("monday, first thing", 1),
    ]  # fmt: skip


def test_a_plan_is_told_in_its_own_words_with_its_day(store: Any) -> None:
    memory = store.add("A long talk. Tomorrow I see the dentist.")
    atom = store.plan(MIDNIGHT + timedelta(days=1), {memory: "Tomorrow I see\nthe dentist."})
    (one,) = _due(store).items
    assert (one.text, one.days, one.memory.id, one.atom_id) == ("Tomorrow I see the dentist.", 1, memory, atom)


def test_a_memory_and_its_plan_are_one_and_the_memory_knows_the_hour(store: Any) -> None:
    tomorrow = MIDNIGHT + timedelta(days=1)
    memory = store.add("明天看牙医", event_time=tomorrow + timedelta(hours=9))
    store.plan(tomorrow, {memory: "明天看牙医"})
    (one,) = _due(store).items
    assert (one.due, one.text) == (tomorrow + timedelta(hours=9), "明天看牙医")
    other = store.add("two things", event_time=tomorrow + timedelta(hours=9))
    store.plan(tomorrow + timedelta(hours=15), {other: "the train"})
    store.plan(tomorrow + timedelta(days=1), {other: "the ferry"})
    assert [one.text for one in _due(store).items] == ["明天看牙医", "the train", "the ferry"]
    assert _due(store).items[1].due == tomorrow + timedelta(hours=15)


def test_the_newest_telling_speaks_for_a_plan(store: Any) -> None:
    first, second = store.add(), store.add()
    store.plan(NOW, {first: "the concert", second: "that concert"})
    (one,) = _due(store).items
    assert (one.text, one.memory.id) == ("that concert", second)
    store.set(first, resolved=True)
    assert len(_due(store).items) == 1
    store.set(second, status="trashed")
    assert _due(store).items == ()
    store.set(first, resolved=False)
    assert _told(_due(store)) == [("the concert", 0)]


def test_a_plan_that_is_settled_does_not_come_back_as_an_older_memory(store: Any) -> None:
    first = store.add(event_time=NOW + timedelta(hours=1))
    second = store.add(resolved=True)
    store.plan(NOW + timedelta(hours=1), {first: "a call", second: "the call"})
    assert _due(store).items == ()


@pytest.mark.parametrize("status", [one for one in STATUSES if one != "active"])
def test_nothing_of_memories_that_are_not_active(store: Any, status: str) -> None:
    memory = store.add(event_time=NOW + timedelta(hours=1), status=status)
    store.plan(NOW, {memory: "a plan"})
    assert _due(store) == Reminders((), 0)


def test_nothing_that_is_resolved_run_out_or_no_plan(store: Any) -> None:
    store.add("done", event_time=NOW + timedelta(hours=1), resolved=True)
    memory = store.add("said")
    for kind, status in (("planned", "superseded"), ("planned", "expired"), ("episodic", "active")):
        store.plan(NOW, {memory: f"{kind} {status}"}, type=kind, status=status)
    assert _due(store).items == ()


def test_what_is_told_after_it_happened_is_no_reminder(store: Any) -> None:
    nine = MIDNIGHT + timedelta(hours=9)
    store.add("breakfast with Bob", event_time=nine, created_at=nine + timedelta(hours=1))
    store.add("breakfast with Ann", event_time=nine, created_at=nine - timedelta(hours=1))
    assert _told(_due(store)) == [("breakfast with Ann", 0)]


def test_scopes_and_personas_as_in_recall(store: Any) -> None:
    for text, scope, persona in (("wide", None, None), ("c1", "c1", None), ("c2", "c2", None), ("p", None, "p")):
        memory = store.add(text, conversation_id=scope, persona_id=persona)
        store.plan(NOW, {memory: text})
        store.add(f"dated {text}", conversation_id=scope, persona_id=persona, event_time=NOW + timedelta(hours=1))
    seen = {one.text for one in _due(store, scope="c1", persona_id="q").items}
    assert seen == {"wide", "dated wide", "c1", "dated c1"}


def test_sensitive_ones_are_counted_not_shown(store: Any) -> None:
    secret = store.add("secret", sensitivity="high", event_time=NOW + timedelta(hours=1))
    store.plan(NOW, {secret: "a secret plan"})
    shared = store.add("open")
    store.plan(NOW, {shared: "an open plan", secret: "its secret wording"})
    found = _due(store)
    assert _told(found) == [("an open plan", 0)] and (found.total, found.hidden) == (1, 1)
    assert len(_due(store, hidden=()).items) == 2


def test_the_soonest_come_first_and_a_limit_still_counts_all(store: Any) -> None:
    for hours in (30, 3, 20, 40):
        store.add(f"in {hours}", event_time=NOW + timedelta(hours=hours))
    found = _due(store, limit=2)
    assert [one.text for one in found.items] == ["in 3", "in 20"] and found.total == 4


@pytest.mark.parametrize("now", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
def test_the_ends_of_the_calendar_do_no_harm(store: Any, now: datetime) -> None:
    store.add(event_time=NOW)
    assert _due(store, now, days=10**9).items == ()
