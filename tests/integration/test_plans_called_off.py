"""Plans that are called off or moved: they give way, are due no more, and come back when that is taken back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from engine import Service, Settings
from engine.clock import MovableClock
from engine.types import Actor, Draft, Memory

WAIT = 20.0
CLIENT = Actor("client", "assistant")
WINDOW = Actor("gui", "window")
Opener = Callable[..., Service]


@pytest.fixture
def words(open_service: Opener, clock: MovableClock) -> Service:
    clock.move_to(datetime(2026, 3, 16, 12, tzinfo=clock.zone()))
    settings = Settings()
    settings.set("embedding.provider", "none")
    service = open_service(settings=settings)
    service.idle().result(WAIT)
    return service


def tell(service: Service, text: str, **fields: object) -> Memory:
    return service.memorize(Draft(text, **fields), CLIENT).result(WAIT).memory  # type: ignore[arg-type]


def due(service: Service) -> list[int]:
    return [one.memory.id for one in service.surfacing.reminders(days=30).result(WAIT).items]


def replaced_by(service: Service, memory: Memory) -> int | None:
    return service.get(memory.id).result(WAIT).superseded_by


OFF = [
    ("3月28日要和行舟去泾县看纸坊，已经订了两晚民宿。", "3月28日去泾县的行程取消了，老周要去北京参展。"),
    ("Dara will visit her grandmother in Whitby on 28 March.", "The trip to Whitby on 28 March is cancelled."),
    ("周五下午三点和李雷在老地方开项目会", "周五下午三点和李雷的项目会取消了"),
    ("I have a dentist appointment on Friday at 3 pm", "Friday's dentist appointment was called off"),
]
MOVED = [
    ("3月24日上午九点馆里有消防演练，若岚那组要参加。", "馆里原定3月24日的消防演练改到3月26日上午九点。"),
    ("The fire inspector comes to the Copper Kettle on 24 March at 10:00.",
     "The fire inspection at the Copper Kettle was moved from 24 March to 26 March at 10:00."),
]  # fmt: skip
OTHER = [
    # another day, another place, another person, another hour
    (OFF[0][0], "3月27日去泾县的行程取消了。"),
    (OFF[0][0], "3月28日去宣城的行程取消了。"),
    (OFF[1][0], "The trip to Whitby on 29 March is cancelled."),
    (OFF[1][0], "The trip to York on 28 March is cancelled."),
    (OFF[2][0], "周五下午三点和张伟的项目会取消了"),
    (OFF[3][0], "Friday's dentist appointment at 9 am was called off"),
    # not off, or not surely
    (OFF[0][0], "3月28日去泾县的行程没有取消。"),
    (OFF[0][0], "如果下雨，3月28日去泾县的行程就取消了。"),
    (OFF[1][0], "The trip to Whitby on 28 March is not cancelled."),
    (OFF[1][0], "The trip to Whitby on 28 March might be cancelled."),
]


@pytest.mark.parametrize(("plan", "off"), OFF)
def test_a_plan_that_is_off_gives_way_and_nothing_is_due(words: Service, plan: str, off: str) -> None:
    first = tell(words, plan)
    assert due(words) == [first.id]
    later = tell(words, off)
    assert replaced_by(words, first) == later.id
    assert due(words) == []
    assert later.event_time is None
    words.trash([later.id], CLIENT).result(WAIT)
    assert due(words) == [first.id]
    assert words.get(first.id).result(WAIT).content == plan


@pytest.mark.parametrize(("plan", "moved"), MOVED)
def test_a_plan_that_is_moved_is_due_on_its_new_day(words: Service, clock: MovableClock, plan: str, moved: str) -> None:
    first, later = tell(words, plan), tell(words, moved)
    assert replaced_by(words, first) == later.id
    (one,) = words.surfacing.reminders(days=30).result(WAIT).items
    assert (one.memory.id, one.due.astimezone(clock.zone()).date().isoformat()) == (later.id, "2026-03-26")


@pytest.mark.parametrize(("plan", "other"), OTHER)
def test_another_plan_stays(words: Service, plan: str, other: str) -> None:
    first = tell(words, plan)
    tell(words, other)
    assert replaced_by(words, first) is None
    assert first.id in due(words)


def test_of_two_that_it_may_be_none_gives_way(words: Service) -> None:
    plans = [tell(words, "3月28日上午去泾县看纸坊"), tell(words, "3月28日晚上在泾县和老周吃饭")]
    tell(words, "3月28日泾县的安排取消了")
    assert [replaced_by(words, one) for one in plans] == [None, None]


def test_a_plan_that_tells_more_or_is_pinned_stays(words: Service) -> None:
    more = tell(words, "3月28日去泾县看纸坊。老周的电话在书桌左边的抽屉里。")
    tell(words, OFF[0][1])
    assert replaced_by(words, more) is None
    pinned = tell(words, OFF[1][0], pinned=True)
    tell(words, OFF[1][1])
    assert replaced_by(words, pinned) is None


@pytest.mark.parametrize("text", ["3月18日去泾县的行程取消了。", "The trip to Whitby on 18 March is cancelled."])
def test_what_is_off_is_not_due_though_its_writer_dates_it(words: Service, clock: MovableClock, text: str) -> None:
    day = datetime(2026, 3, 18, 9, tzinfo=clock.zone())
    tell(words, text, event_time=day)
    assert due(words) == []
    kept = tell(words, "3月18日去看牙医", event_time=day + timedelta(hours=1))
    assert due(words) == [kept.id]
