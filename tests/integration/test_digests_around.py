"""Digests among everything else: recall, lists, the breath, reminders, and the tables made anew."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from engine import Service, Settings
from engine.access import Done
from engine.clock import MovableClock
from engine.types import Actor, BreathQuery, Draft, Filters, Query

WAIT = 20.0
CLIENT = Actor("client", "assistant")
GUI = Actor("gui")
Opener = Callable[..., Service]


@pytest.fixture
def clock() -> MovableClock:
    """Monday 23 February 2026, ten in the morning in Shanghai."""
    return MovableClock(datetime(2026, 2, 23, 2, tzinfo=UTC), ZoneInfo("Asia/Shanghai"))


@pytest.fixture
def service(open_service: Opener) -> Service:
    settings = Settings()
    settings.set("embedding.provider", "none")
    return open_service(settings=settings)


def tell(service: Service, clock: MovableClock) -> list[int]:
    texts = (f"{clock.now():%m-%d} 买的第 {number} 张邮票 stamp" for number in range(3))
    return [service.memorize(Draft(text, category="note"), CLIENT).result(WAIT).memory.id for text in texts]


def save(service: Service, period: str, content: str) -> int:
    return service.digests.save(1, period, content, actor=CLIENT).result(WAIT).memory.id


def due(service: Service) -> list[str]:
    return [each.period for one in service.digests.due().result(WAIT) for each in one.periods]


def next_day(clock: MovableClock) -> None:
    clock.advance(timedelta(days=1))


def test_a_digest_is_recalled_and_listed_as_a_memory(service: Service, clock: MovableClock) -> None:
    boat = service.memorize(Draft("The boat was painted blue"), CLIENT).result(WAIT).memory.id
    next_day(clock)
    digest = save(service, "2026-02-23", "A long Monday: the boat got its coat of blue, 晚上和小林吃了火锅。")
    found = service.recall(Query("boat blue")).result(WAIT)
    assert {one.memory.id for one in found.hits} == {boat, digest}
    only = service.recall(Query("火锅", filters=Filters(categories=("digest",)))).result(WAIT)
    assert [one.memory.id for one in only.hits] == [digest]


def test_a_breath_hints_at_what_waits_within_its_budget(service: Service, clock: MovableClock) -> None:
    for _ in range(2):
        tell(service, clock)
        next_day(clock)
    (hint,) = service.surfacing.breathe().result(WAIT).digests
    assert (hint.level, hint.count, hint.latest.period) == (1, 2, "2026-02-24")
    assert service.surfacing.breathe(BreathQuery(budget=20)).result(WAIT).digests == ()
    assert service.surfacing.breathe(BreathQuery(budget=100)).result(WAIT).tokens <= 100
    service.settings.set("digest.hints", False)
    assert service.surfacing.breathe().result(WAIT).digests == ()


@pytest.mark.parametrize("plan", ["明天下午三点去看牙医。", "I will see the dentist tomorrow at 3 pm."])
def test_a_digest_that_retells_a_plan_makes_no_reminder(service: Service, clock: MovableClock, plan: str) -> None:
    """Its "tomorrow" was the day before's, and the plan is settled where it was told."""
    first = service.memorize(Draft(plan), CLIENT).result(WAIT).memory.id
    next_day(clock)
    save(service, "2026-02-23", plan)
    assert [one.memory.id for one in service.surfacing.reminders().result(WAIT).items] == [first]
    service.edit(first, {"resolved": True}, GUI).result(WAIT)
    assert service.surfacing.reminders().result(WAIT).items == ()


def test_reindexing_makes_the_tables_anew(service: Service, clock: MovableClock) -> None:
    told = tell(service, clock)
    next_day(clock)
    digest = save(service, "2026-02-23", "A day")

    def damage(cx: Any, _: Any) -> Done[None]:
        cx.execute("DELETE FROM digests")
        return Done(None, "damaged")

    service._access.write(GUI, damage).result(WAIT)
    assert due(service) == ["2026-02-23"]
    service.reindex().result(WAIT)
    assert due(service) == []
    assert [one.id for one in service.digests.of(digest).result(WAIT).sources] == told
