"""What comes up unasked, through the real service: what was memorized, the user's day, no trace of having looked."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from engine import Service, Settings
from engine.clock import MovableClock
from engine.errors import InvalidArgument
from engine.types import Actor, BreathQuery, Draft, Filters

WAIT = 20.0
CLIENT = Actor("client", "assistant")
GUI = Actor("gui")
SHANGHAI = ZoneInfo("Asia/Shanghai")
Opener = Callable[..., Service]


@pytest.fixture
def clock() -> MovableClock:
    """Friday, ten in the evening in Shanghai."""
    return MovableClock(datetime(2026, 5, 1, 14, tzinfo=UTC), SHANGHAI)


def _remember(service: Service, content: str, **fields: Any) -> int:
    return service.memorize(Draft(content, **fields), CLIENT).result(WAIT).memory.id


def _texts(lines: Any) -> list[str]:
    return [line.text for line in lines]


def test_what_was_memorized_comes_up_in_its_sections(service: Service) -> None:
    _remember(service, "用户喜欢喝乌龙茶", layer="fact", tags=("习惯",))
    _remember(service, "Her name is Ann", layer="fact", tags=("user info",))
    _remember(service, "最近在准备搬家", layer="state")
    _remember(service, "Visited the botanical garden", layer="event", tags=("outing",))
    found = service.surfacing.breathe().result(WAIT)
    assert _texts(found.facts) == ["Her name is Ann", "用户喜欢喝乌龙茶"]
    assert _texts(found.states) == ["最近在准备搬家"]
    assert _texts(found.events) == ["Visited the botanical garden"]
    assert found.day.isoformat() == "2026-05-01" and found.tokens <= 800


@pytest.mark.parametrize("plan", ["明天下午三点去看牙医。", "I will see the dentist tomorrow at 3 pm."])
def test_a_plan_is_due_until_it_is_resolved(service: Service, clock: MovableClock, plan: str) -> None:
    memory_id = _remember(service, plan)
    three = datetime(2026, 5, 2, 7, tzinfo=UTC)
    (one,) = service.surfacing.breathe().result(WAIT).reminders
    assert (one.due, one.days, one.memory.id) == (three, 1, memory_id)
    clock.move_to(datetime(2026, 5, 1, 16, tzinfo=UTC))  # midnight in Shanghai
    assert [one.days for one in service.surfacing.reminders().result(WAIT).items] == [0]
    clock.move_to(three + timedelta(hours=5))
    assert [one.days for one in service.surfacing.reminders().result(WAIT).items] == [0]
    changes = service.edit(memory_id, {"resolved": True}, GUI).result(WAIT).changes
    assert service.surfacing.reminders().result(WAIT).items == ()
    service.undo(changes.history_ids[0], GUI).result(WAIT)
    assert len(service.surfacing.reminders().result(WAIT).items) == 1
    service.trash([memory_id], GUI).result(WAIT)
    assert service.surfacing.reminders().result(WAIT).items == ()


@pytest.mark.parametrize(
    ("old", "new"), [("小林住在北京", "小林现在住在上海"), ("Alice works at Acme", "Alice now works at Globex")]
)
def test_what_was_replaced_comes_up_no_more(open_service: Opener, old: str, new: str) -> None:
    settings = Settings()
    settings.set("embedding.provider", "none")  # the test's own embedder knows nothing of meaning
    service = open_service(settings=settings)
    _remember(service, old)
    later = service.memorize(Draft(new), CLIENT).result(WAIT)
    assert later.outcome == "superseded"
    found = service.surfacing.breathe(BreathQuery(include_sensitive=True)).result(WAIT)
    assert [line.memory.id for line in (*found.facts, *found.states, *found.events)] == [later.memory.id]


def test_the_slip_changes_at_the_users_midnight_and_is_the_same_after_a_restart(
    open_service: Opener, clock: MovableClock
) -> None:
    service = open_service()
    for number in range(30):
        clock.advance(timedelta(seconds=1))
        _remember(service, f"A page of the diary, number {number}: {number * 37}")
    assert service.surfacing.slip().result(WAIT) is None  # all of them are of today
    clock.move_to(datetime(2026, 5, 1, 16, tzinfo=UTC))
    slip = service.surfacing.slip().result(WAIT)
    assert slip is not None
    _remember(service, "Something of the new day")
    clock.move_to(datetime(2026, 5, 2, 15, 59, tzinfo=UTC))
    service.close()
    service = open_service()
    again = service.surfacing.slip().result(WAIT)
    assert again is not None and again.uid == slip.uid
    service.trash([slip.id], GUI).result(WAIT)
    other = service.surfacing.slip().result(WAIT)
    assert other is not None and other.uid != slip.uid


def test_coming_up_leaves_no_trace(service: Service, data_dir: Path) -> None:
    ids = [_remember(service, f"{layer} to come up", layer=layer) for layer in ("fact", "state", "event")]  # type: ignore[arg-type]
    service.idle().result(WAIT)
    before = service.get_many(ids).result(WAIT)
    heard: list[Any] = []
    leave = service.subscribe(heard.append)
    for _ in range(3):
        service.surfacing.breathe().result(WAIT)
        service.surfacing.slip().result(WAIT)
        service.surfacing.reminders().result(WAIT)
    service.idle().result(WAIT)
    leave()
    assert service.get_many(ids).result(WAIT) == before and heard == []


def test_the_parameters_are_in_force(open_service: Opener) -> None:
    service = open_service(settings=Settings())
    for number in range(6):
        _remember(service, f"Event number {number} of {number * 91}", layer="event")
        _remember(service, f"Fact {number}: " + "long " * 40 + str(number * 77), layer="fact")
    full = service.surfacing.breathe().result(WAIT)
    assert len(full.events) == 3 and full.more["facts"] == 0
    service.settings.set("surfacing.recent", 1)
    service.settings.set("surfacing.budget", 100)
    small = service.surfacing.breathe().result(WAIT)
    assert len(small.events) == 1 and small.more["facts"] > 0 and small.tokens <= 100
    assert len(service.surfacing.breathe(BreathQuery(recent=5)).result(WAIT).events) == 5


def test_what_is_out_of_bounds_is_refused(service: Service) -> None:
    for asked in (
        service.surfacing.breathe(BreathQuery(budget=0)),
        service.surfacing.slip(Filters(scope=5)),  # type: ignore[arg-type]
        service.surfacing.reminders(days=-1),
        service.surfacing.reminders(limit=-1),
        service.surfacing.reminders(days="2"),  # type: ignore[arg-type]
    ):
        with pytest.raises(InvalidArgument):
            asked.result(WAIT)
