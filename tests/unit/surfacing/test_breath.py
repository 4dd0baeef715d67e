"""The breath: S2's order of the profile, its recent events, S1's unsettled memory, and one hard budget over all."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import Settings
from engine.errors import InvalidArgument
from engine.storage.database import Database
from engine.surfacing.breath import breathe
from engine.surfacing.daily import chance
from engine.text import tokens
from engine.types import STATUSES, Breath, BreathQuery

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 5, 1, 2, tzinfo=UTC)


def _breath(store: Any, values: dict[str, Any], now: datetime = NOW, **request: Any) -> Breath:
    with store.read() as cx:
        return breathe(cx, BreathQuery(**request), values, now, SHANGHAI)


def _ids(lines: Any) -> list[int]:
    return [line.memory.id for line in lines]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"tags": ("用户信息",)}, {"tags": ("关系",)}),  # 10 > 9
        ({"tags": ("关系",)}, {"tags": ("习惯",)}),  # 9 > 8
        ({"tags": ("约定",)}, {"tags": ("技术", "求职")}),  # 8 > 3 + 3
        ({"tags": ("技术", "求职")}, {"content": "长" * 5000}),  # 6 > 5, however long
        ({"content": "长" * 400}, {"tags": ("技术",)}),  # 4 > 3
        ({"tags": ("习惯", "约定")}, {"tags": ("用户信息", "求职")}),  # 16 > 13
        ({"tags": ("User Info",)}, {"tags": ("relationship",)}),
        ({"tags": ("Habits",)}, {"tags": ("tech", "job search")}),
        ({"tags": ("promise", "求职")}, {"tags": ("关系", "關係", "relation")}),  # spellings of one count once
        ({"pinned": True}, {"tags": ("用户信息", "关系", "习惯")}),
    ],
)
def test_the_profile_is_in_s2s_order(
    store: Any, parameters: dict[str, Any], better: dict[str, Any], worse: dict[str, Any]
) -> None:
    first = store.add(layer="fact", **better)
    second = store.add(layer="fact", **worse)
    assert _ids(_breath(store, parameters).facts) == [first, second]


def test_equal_facts_and_all_states_are_newest_first(store: Any, parameters: dict[str, Any]) -> None:
    facts = [store.add("same", layer="fact") for _ in range(3)]
    states = [store.add("now", layer="state") for _ in range(3)]
    pinned = store.add("old", layer="state", pinned=True, created_at=datetime(2020, 1, 1, tzinfo=UTC))
    found = _breath(store, parameters)
    assert _ids(found.facts) == facts[::-1]
    assert _ids(found.states) == [pinned, *states[::-1]]
    ahead = store.add("training for June", layer="state", event_time=NOW + timedelta(days=40),
                      created_at=datetime(2026, 2, 1, tzinfo=UTC))  # fmt: skip
    assert _ids(_breath(store, parameters).states) == [pinned, *states[::-1], ahead]


def test_only_what_is_active_and_holds(store: Any, parameters: dict[str, Any]) -> None:
    for layer in ("fact", "state", "event"):
        for status in STATUSES:
            if status != "active":
                store.add(layer=layer, status=status)
    over = store.add(layer="state", valid_to=NOW)
    store.add(layer="fact", valid_from=NOW + timedelta(days=1))
    assert _breath(store, parameters) == Breath(date(2026, 5, 1), more=dict.fromkeys(
        ("facts", "states", "events", "reminders"), 0))  # fmt: skip
    store.set(over, superseded_by=over)  # replaced, and brought back by hand since
    assert _ids(_breath(store, parameters).states) == [over]


def test_decisions_are_no_part_of_it(store: Any, parameters: dict[str, Any]) -> None:
    store.add(layer="decision")
    found = _breath(store, parameters)
    assert not (found.facts or found.states or found.events)


def test_recent_events_share_no_topic_and_are_no_noise(store: Any, parameters: dict[str, Any]) -> None:
    """S2: newest first, one for each tag, without 技术 开发 日志 …"""
    old = store.add(tags=("music",))
    plain = store.add()
    store.add(tags=("Sailing", "sea"))
    newest = store.add(tags=("ｓａｉｌｉｎｇ",), topics=("關係",))
    for noise in ("技术", "開發", "日志", "Log"):
        store.add(tags=("unlike", noise))
    store.add(topics=("关系",), created_at=datetime(2026, 1, 1, tzinfo=UTC))
    assert _ids(_breath(store, parameters).events) == [newest, plain, old]
    assert _ids(_breath(store, parameters, recent=1).events) == [newest]
    assert _breath(store, parameters, recent=0).events == ()


def test_an_event_ahead_counts_from_when_it_was_told(store: Any, parameters: dict[str, Any]) -> None:
    store.add("next month", event_time=NOW + timedelta(days=30), created_at=NOW - timedelta(days=60))
    lately = [store.add(created_at=NOW - timedelta(days=days)) for days in (3, 2, 1)]
    told = store.add("in summer", event_time=NOW + timedelta(days=60), created_at=NOW - timedelta(hours=1))
    assert _ids(_breath(store, parameters).events) == [told, lately[2], lately[1]]


def test_what_is_due_is_said_once(store: Any, parameters: dict[str, Any]) -> None:
    soon = NOW + timedelta(hours=3)
    event, fact = store.add("the dentist", event_time=soon), store.add("the flat", layer="fact", event_time=soon)
    longer = store.add("He is Ann's brother. He comes tomorrow.", layer="fact")
    store.plan(NOW + timedelta(days=1), {longer: "He comes tomorrow."})
    found = _breath(store, parameters)
    assert _ids(found.reminders) == [event, fact, longer] and found.events == ()
    assert _ids(found.facts) == [longer]  # the reminder says but a part of it
    assert found.more["facts"] == 0


def test_many_reminders_are_counted(store: Any, parameters: dict[str, Any]) -> None:
    for hours in range(1, 10):
        store.add(event_time=NOW + timedelta(hours=hours))
    found = _breath(store, parameters | {"surfacing.reminders": 4})
    assert len(found.reminders) == 4 and found.more["reminders"] == 5


def test_scopes_and_personas_as_in_recall(store: Any, parameters: dict[str, Any]) -> None:
    for layer in ("fact", "state", "event"):
        for scope in (None, "c1", "c2"):
            for persona in (None, "p", "q"):
                store.add(layer=layer, conversation_id=scope, persona_id=persona)
    found = _breath(store, parameters, scope="c1", persona_id="p", recent=50)
    for lines in (found.facts, found.states, found.events):
        seen = {(line.memory.conversation_id, line.memory.persona_id) for line in lines}
        assert seen == {(None, None), (None, "p"), ("c1", None), ("c1", "p")}
    assert {line.memory.conversation_id for line in _breath(store, parameters).facts} == {None}


def test_sensitive_ones_are_counted_not_shown(store: Any, parameters: dict[str, Any]) -> None:
    for layer in ("fact", "state", "event"):
        store.add(layer=layer, sensitivity="high")
        store.add(layer=layer, sensitivity="medium")
    store.add("due", sensitivity="high", event_time=NOW + timedelta(hours=1))
    found = _breath(store, parameters)
    shown = (*found.facts, *found.states, *found.events, *found.reminders)
    assert [line.memory.sensitivity for line in shown] == ["medium"] * 3 and found.hidden == 4
    everything = _breath(store, parameters, include_sensitive=True)
    assert everything.hidden == 0 and len(everything.facts) == len(everything.states) == 2
    assert len(everything.reminders) == 1


def test_a_secret_event_does_not_hide_others_of_its_topic(store: Any, parameters: dict[str, Any]) -> None:
    shown = store.add(tags=("health",))
    store.add(tags=("health",), sensitivity="high")
    assert _ids(_breath(store, parameters).events) == [shown]


def _moved(store: Any, **given: Any) -> int:
    return int(store.add(**{"layer": "decision", "emotion_intensity": 6.0} | given))


def test_something_unsettled_comes_up_on_a_share_of_days(store: Any, parameters: dict[str, Any]) -> None:
    """S1: 30 % of the time, an unresolved memory with an emotion of 6 or more."""
    moving = _moved(store)
    values = parameters | {"surfacing.rumination_share": 0.3}
    days = [NOW + timedelta(days=one) for one in range(60)]
    found = [_breath(store, values, day).unresolved for day in days]
    assert [one is not None for one in found] == [
        chance(day.astimezone(SHANGHAI).date(), "unresolved") < 0.3 for day in days
    ]
    assert {one.memory.id for one in found if one} == {moving} and None in found
    assert [_breath(store, values, day + timedelta(hours=13)).unresolved for day in days] == found
    assert _breath(store, parameters).unresolved is None


def test_only_the_unresolved_that_move_and_may_be_seen(store: Any, parameters: dict[str, Any]) -> None:
    always = parameters | {"surfacing.rumination_share": 1.0}
    _moved(store, emotion_intensity=5.9)
    _moved(store, resolved=True)
    _moved(store, status="dormant")
    _moved(store, conversation_id="c1")
    secret = _moved(store, sensitivity="high")
    assert _breath(store, always).unresolved is None
    shown = _breath(store, always, include_sensitive=True).unresolved
    assert shown is not None and shown.memory.id == secret


def test_the_most_pressing_take_turns(store: Any, parameters: dict[str, Any]) -> None:
    """Ordered by S1's surface score: emotion, importance, use, and the mood of the moment."""
    always = parameters | {"surfacing.rumination_share": 1.0}
    _moved(store, valence=1.0)
    three = {
        _moved(store, emotion_intensity=9.0), _moved(store, importance=1.0), _moved(store, access_count=10.0),
    }  # fmt: skip
    sad = _moved(store, valence=-1.0)
    days = [NOW + timedelta(days=one) for one in range(40)]

    def seen(**request: Any) -> set[int]:
        found = [_breath(store, always, day, **request).unresolved for day in days]
        return {one.memory.id for one in found if one is not None}

    assert seen() == three
    assert sad in seen(valence=-1.0)


def test_what_presses_is_said_once(store: Any, parameters: dict[str, Any]) -> None:
    always = parameters | {"surfacing.rumination_share": 1.0}
    fact = _moved(store, layer="fact")
    found = _breath(store, always)
    assert found.unresolved is not None and found.unresolved.memory.id == fact and found.facts == ()
    event = _moved(store, layer="event", emotion_intensity=9.0)
    found = _breath(store, always)
    assert _ids(found.events) == [event] and found.unresolved.memory.id == fact  # type: ignore[union-attr]


def test_many_facts_leave_room_for_states_and_events(store: Any, parameters: dict[str, Any]) -> None:
    """S2's cap of 14 left no room once there were 14 facts."""
    for _ in range(60):
        store.add("f" * 120, layer="fact")
    for _ in range(5):
        store.add("s" * 40, layer="state")
    for _ in range(3):
        store.add("e" * 40)
    found = _breath(store, parameters)
    assert (len(found.states), len(found.events)) == (5, 3)
    assert len(found.facts) > 14 and len(found.facts) + found.more["facts"] == 60


def test_long_events_leave_half_of_the_budget_to_others_that_need_it(store: Any, parameters: dict[str, Any]) -> None:
    for layer, count in (("event", 6), ("fact", 6), ("state", 6)):
        for _ in range(count):
            store.add(layer[0] * 240, layer=layer)

    def spent(lines: Any) -> int:
        return sum(tokens.estimate(line.text) for line in lines)

    found = _breath(store, parameters, budget=200, recent=6)
    assert len(found.events) == 6 and spent(found.events) <= 100
    assert spent(found.facts) == spent(found.states) == 50
    assert spent(_breath(store, parameters, budget=2000, recent=6).events) == 6 * 60


def test_a_line_is_one_line_of_the_summary(store: Any, parameters: dict[str, Any]) -> None:
    store.add("whole text", layer="fact", summary="in\nshort  words")
    store.add("no summary", layer="state", summary="")
    found = _breath(store, parameters)
    assert (found.facts[0].text, found.states[0].text) == ("in short words", "no summary")


@pytest.mark.parametrize(
    "request_", [
        {"budget": 0}, {"budget": True}, {"budget": "5"}, {"recent": -1}, {"recent": 51}, {"line_tokens": -1},
        {"line_tokens": None}, {"valence": math.nan}, {"valence": 2}, {"scope": 5}, {"persona_id": "\ud800"},
    ],
)  # fmt: skip
def test_what_is_out_of_bounds_is_refused_by_name(
    store: Any, parameters: dict[str, Any], request_: dict[str, Any]
) -> None:
    with pytest.raises(InvalidArgument) as raised:
        _breath(store, parameters, **request_)
    assert raised.value.fields["field"] == next(iter(request_))


MEMORIES = st.lists(
    st.tuples(
        st.sampled_from(("fact", "state", "event", "due", "moving")),
        st.text(st.sampled_from("ab 字。🙂"), min_size=1, max_size=300),
        st.sampled_from(("normal", "normal", "high")),
    ),
    max_size=25,
)


@settings(max_examples=60)
@given(MEMORIES, st.integers(1, 400), st.integers(0, 5), st.integers(0, 4))
def test_never_above_the_budget_places_are_kept_and_counts_add_up(
    make_store: Callable[[Database], Any], rows: list[tuple[str, str, str]], budget: int, recent: int, beside: int
) -> None:
    values = {**Settings().current, "surfacing.rumination_share": 1.0}
    with TemporaryDirectory() as directory:
        database = Database.open(Path(directory))
        try:
            store = make_store(database)
            for kind, text, sensitivity in rows:
                layer = kind if kind in ("fact", "state", "event") else "decision"
                given_: dict[str, Any] = {"sensitivity": sensitivity, "layer": layer}
                if kind == "due":
                    given_["event_time"] = NOW + timedelta(hours=1)
                if kind == "moving":
                    given_["emotion_intensity"] = 8.0
                store.add(text, **given_)
            found = _breath(store, values, budget=budget, recent=recent, line_tokens=beside)
        finally:
            database.close()
    shown = [kind for kind, _, sensitivity in rows if sensitivity != "high"]
    lines = [*found.facts, *found.states, *found.events, *found.reminders]
    lines += [found.unresolved] if found.unresolved else []
    hints = len(found.digests) * (20 + beside)  # what is kept for a line about digests, in the caller's words
    assert hints <= budget / 3
    assert found.tokens == sum(max(1, tokens.estimate(line.text)) + beside for line in lines) + hints <= budget
    due, events = min(shown.count("due"), 5), min(shown.count("event"), recent)
    if (due + events + 1) * (beside + 1) <= budget:
        assert (len(found.reminders), len(found.events)) == (due, events)
        assert (found.unresolved is not None) == ("moving" in shown)
    assert len(found.facts) + found.more["facts"] == shown.count("fact")
    assert len(found.states) + found.more["states"] == shown.count("state")
    assert len(found.reminders) + found.more["reminders"] == shown.count("due")
    assert len(found.events) + found.more["events"] == events
