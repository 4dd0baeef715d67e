"""``breath`` over a real store: sections, ids, budget, what is hidden, and words in both languages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, timedelta
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from app.mcp import arguments, quoting
from app.mcp.profiles import Call, Reply, core
from engine import Service, tokens
from engine.clock import MovableClock
from engine.errors import InvalidArgument
from engine.types import DIGEST_LEVELS, Actor, DigestDue, Draft, PeriodDue

WAIT = 20.0
CLIENT = Actor("client", "assistant")
TOOL = next(one for one in core.TOOLS if one.name == "breath")
Ask = Callable[..., Reply]


@pytest.fixture
def ask(service: Service) -> Ask:
    """Calls the tool as the server does; its data must fit the schema that clients hold against it."""

    def asked(language: Any = "en", **given: Any) -> Reply:
        values, _ = arguments.read(given, TOOL.arguments, UTC)
        reply = asyncio.run(TOOL.handler(Call(service, CLIENT, UTC, language, "1"), values))  # type: ignore[arg-type]
        Draft202012Validator(dict(TOOL.output)).validate(reply.data)
        return reply

    return asked


def remember(service: Service, content: str, **fields: Any) -> int:
    return service.memorize(Draft(content, **fields), CLIENT).result(WAIT).memory.id


def ids(items: Any) -> list[int]:
    return [one["id"] for one in items]


def test_the_breath_of_a_life(service: Service, ask: Ask) -> None:
    assert ask().data.keys() == {"day"}
    assert "Nothing is known yet" in ask().text
    fact = remember(service, "The user's sister is called Mara", layer="fact")
    state = remember(service, "Learning Portuguese at the moment", layer="state")
    event = remember(service, "The boat was painted blue", layer="event")
    remember(service, "The safe holds the Seidlitzcode", layer="fact", sensitivity="high")
    found = ask()
    assert (ids(found.data["facts"]), ids(found.data["states"]), ids(found.data["events"])) == (
        [fact],
        [state],
        [event],
    )
    assert found.data["hidden"] == 1
    assert f"> [{fact}] The user's sister is called Mara" in found.text.splitlines()
    assert "Seidlitzcode" not in found.text + str(found.data)
    assert "Seidlitzcode" in ask(include_sensitive=True).text
    assert "画像：" in ask("zh").text
    assert service.get(fact).result(WAIT).recall_count == 0, "breathing leaves no trace"


def test_a_long_life_fits_a_small_budget(service: Service, ask: Ask) -> None:
    for number in range(40):
        remember(service, f"Shelf {number} of the pantry holds jars of plum jam", layer="fact")
    found = ask(budget=200).data
    assert found["more"]["facts"] + len(found["facts"]) == 40
    assert 0 < len(found["facts"]) < 20
    with pytest.raises(InvalidArgument):
        ask(budget=5)


@pytest.mark.parametrize("text", ["I will see the dentist tomorrow", "明天下午三点去看牙医"])
def test_what_is_coming_up_has_its_day(service: Service, ask: Ask, text: str) -> None:
    memory = remember(service, text)
    found = ask()
    assert [(one["id"], one["days"]) for one in found.data["reminders"]] == [(memory, 1)]
    assert f"> [{memory}] 2026-05-02" in found.text


def test_what_waits_to_be_digested_is_one_line(service: Service, clock: MovableClock, ask: Ask) -> None:
    for day in range(4):
        for number in range(3):
            remember(service, f"Stamp {day}-{number} has a red edge", category="note")
        clock.advance(timedelta(days=1))
    found = ask()
    waiting = [{"period": f"2026-05-0{day}", "sources": 3} for day in (1, 2, 3, 4)]
    assert found.data["digests"] == [{"level": 1, "count": 4, "latest": "2026-05-04", "periods": waiting}]
    assert "Waiting to be digested – days: 4 (latest 2026-05-04). Call digest." in found.text.splitlines()
    assert "待整理成摘要：4 天（最近 2026-05-04）。请调用 digest。" in ask("zh").text.splitlines()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_line_about_digests_costs_no_more_than_is_kept_for_it(language: Any) -> None:
    """Twenty tokens a level in the engine, eight beside them here."""
    due = [DigestDue(level, 4321, (), PeriodDue("2026-12-31", 3)) for level in DIGEST_LEVELS]
    for levels in range(1, 5):
        assert tokens.estimate(quoting.digests_due(due[:levels], language)) <= levels * 28
