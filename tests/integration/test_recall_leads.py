"""What a question points at beside its words, through the real service with words alone: times, phrases, other names,
what was. Each is in the explanation, whose parts add up to the score; none of them filters.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from engine import Service, Settings
from engine.clock import MovableClock
from engine.types import Actor, Draft, Filters, Hit, Query

WAIT = 20.0
CLIENT = Actor("client", "assistant")
WINDOW = Actor("gui", "window")
Opener = Callable[..., Service]
OFF = {f"recall.boost_{name}": 0.0 for name in ("time", "phrase", "name", "past")}


@pytest.fixture
def service(open_service: Opener, clock: MovableClock) -> Service:
    settings = Settings()
    settings.update({"embedding.provider": "none", "recall.reinforce": False, "recall.cache_seconds": 0})
    made = open_service(settings=settings)
    made.idle().result(WAIT)
    return made


def tell(service: Service, text: str, **more: object) -> int:
    return service.memorize(Draft(text, **more), CLIENT).result(WAIT).memory.id  # type: ignore[arg-type]


def ask(service: Service, text: str, off: bool = False, **more: object) -> list[Hit]:
    query = Query(text, k=10, explain=True, overrides=OFF if off else {}, **more)  # type: ignore[arg-type]
    hits = service.recall(query).result(WAIT).hits
    for hit in hits:
        assert hit.explanation is not None
        parts = [one.share for one in hit.explanation.channels] + [one.value for one in hit.explanation.factors]
        assert sum(parts) == pytest.approx(hit.score, abs=1e-12)
        assert hit.score <= 1.0 + 1e-9
    return list(hits)


def order(hits: list[Hit]) -> list[int]:
    return [hit.memory.id for hit in hits]


def factor(hit: Hit, name: str) -> float:
    assert hit.explanation is not None
    return sum(one.value for one in hit.explanation.factors if one.name == name)


@pytest.mark.parametrize(
    ("early", "late", "question"),
    [
        ("和老周吃了火锅，聊得很开心", "和老周又吃了一次火锅，聊得很久", "上个月和老周吃火锅聊了什么"),
        (
            "hotpot with Marc, talked for long",
            "hotpot with Marc again, he paid",
            "What happened at the hotpot with Marc last month?",
        ),
    ],
)
def test_a_memory_of_the_time_asked_for_goes_ahead_and_the_other_stays(
    service: Service, clock: MovableClock, early: str, late: str, question: str
) -> None:
    clock.move_to(datetime(2026, 4, 10, 12, tzinfo=UTC))
    first = tell(service, early)
    clock.move_to(datetime(2026, 5, 20, 12, tzinfo=UTC))
    second = tell(service, late)
    hits = ask(service, question)
    assert order(hits) == [first, second]
    assert factor(hits[0], "time") > 0 == factor(hits[1], "time")
    clock.move_to(datetime(2026, 6, 20, 12, tzinfo=UTC))
    assert order(ask(service, question))[0] == second, "last month is another one now"


def test_the_time_of_an_event_counts_in_the_users_days(open_service: Opener, clock: MovableClock) -> None:
    settings = Settings()
    settings.update({"embedding.provider": "none", "recall.reinforce": False})
    clock._zone = ZoneInfo("Asia/Shanghai")  # the service holds this very clock
    clock.move_to(datetime(2026, 5, 2, 1, tzinfo=UTC))
    service = open_service(settings=settings)
    night = tell(service, "夜里喂了猫", event_time=datetime(2026, 4, 30, 16, 30, tzinfo=UTC))  # 00:30 on 1 May there
    day = tell(service, "白天喂了猫", event_time=datetime(2026, 4, 30, 12, 0, tzinfo=UTC))
    hits = {hit.memory.id: factor(hit, "time") for hit in ask(service, "昨天什么时候喂了猫")}
    assert hits[night] > 0
    assert hits[day] == 0


@pytest.mark.parametrize(
    ("other", "said", "question"),
    [
        ("我去了好几次，就不去海边", "他说：我就不去了", "哪里说过“就不去了”"),
        (
            "today not one of them was in the office",
            "The note on the door says not today",
            'Which note says "not today"?',
        ),
    ],
)
def test_a_quoted_phrase_leads_to_where_it_stands(service: Service, other: str, said: str, question: str) -> None:
    loose, literal = tell(service, other), tell(service, said)
    hits = ask(service, question)
    assert hits[0].memory.id == literal
    assert factor(hits[0], "phrase") > 0
    assert all(factor(hit, "phrase") == 0 for hit in hits if hit.memory.id == loose)


@pytest.mark.parametrize("question", ["E1042 报错怎么处理", "what cures E1042"])
def test_a_rare_identifier_is_a_phrase_and_a_common_one_is_not(service: Service, question: str) -> None:
    cure = tell(service, "E1042: restart the gateway 重启网关")
    tell(service, "E10421 is another thing 另一个报错")
    (hit,) = [hit for hit in ask(service, question) if hit.memory.id == cure]
    assert factor(hit, "phrase") > 0
    for at in range(25):
        tell(service, f"E1042 was seen at site number {at}, room {at * 7}")
    assert all(factor(hit, "phrase") == 0 for hit in ask(service, question))


@pytest.mark.parametrize(
    ("people", "said", "alias", "question"),
    [
        ("李建国", "李建国不吃辣", "砖头哥", "砖头哥有什么忌口"),
        ("Robert Hale", "Robert Hale does not eat pork", "Bobby", "Which food is not for Bobby?"),
    ],
)
def test_another_name_leads_to_whom_it_means(
    service: Service, people: str, said: str, alias: str, question: str
) -> None:
    wanted = tell(service, said, participants=(people,))
    tell(service, "完全是另一回事，谈的是天气")
    assert wanted not in order(ask(service, question, off=True)), "no word of it is in the question"
    service.graph.set_alias("person", alias, people, WINDOW).result(WAIT)
    hits = ask(service, question)
    assert hits[0].memory.id == wanted
    assert factor(hits[0], "name") > 0


def test_a_longer_name_means_no_namesake(service: Service) -> None:
    wanted = tell(service, "Tan Wei paid for lunch", participants=("Tan Wei",))
    namesake = tell(service, "Wu Lei broke a cup", participants=("Wu Lei",))
    service.graph.set_alias("person", "Chris Lim", "Tan Wei", WINDOW).result(WAIT)
    service.graph.set_alias("person", "Chris", "Wu Lei", WINDOW).result(WAIT)
    assert order(ask(service, "Chris Lim")) == [wanted]
    assert order(ask(service, "Chris")) == [namesake]


def test_filters_and_secrets_hold_for_leads(service: Service) -> None:
    mine = tell(service, "Robert Hale sails", participants=("Robert Hale",), conversation_id="one")
    tell(service, "Robert Hale owes money", participants=("Robert Hale",), sensitivity="high")
    service.graph.set_alias("person", "Bobby", "Robert Hale", WINDOW).result(WAIT)
    assert order(ask(service, "Bobby", filters=Filters(scope="two"))) == []
    assert order(ask(service, "Bobby", filters=Filters(scope="one"))) == [mine]
    assert order(ask(service, '"Robert Hale owes money"')) == []


@pytest.mark.parametrize(
    ("old", "new", "past", "present"),
    [
        ("我住在望江苑", "我住在云栖里", "我以前住在哪里？", "我现在住在哪里？"),
        (
            "I live on Seng Poh Road",
            "I live in a shophouse on Joo Chiat Road",
            "Where did I use to live?",
            "Where do I live?",
        ),
    ],
)
def test_what_was_replaced_is_found_where_the_past_is_asked_for(
    service: Service, clock: MovableClock, old: str, new: str, past: str, present: str
) -> None:
    before = tell(service, old, layer="state")
    clock.advance(timedelta(days=100))
    after = tell(service, new, layer="state")
    service.edit(before, {"status": "superseded"}, WINDOW).result(WAIT)
    hits = ask(service, past)
    assert hits[0].memory.id == before
    assert hits[0].memory.status == "superseded", "the hit says what it is"
    assert factor(hits[0], "past") > 0
    assert after in order(hits)
    assert before not in order(ask(service, present))
    assert before not in order(ask(service, past, off=True))
    assert before not in order(ask(service, past, filters=Filters(statuses=("active",)))), "a choice is a choice"
