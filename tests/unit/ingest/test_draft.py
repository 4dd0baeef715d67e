"""Drafts: what is refused and why, what is completed, and that nothing given is dropped."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from engine.clock import MovableClock
from engine.config import Settings
from engine.errors import InvalidArgument
from engine.ingest import draft as drafting
from engine.ingest import fields
from engine.ingest.layers import layer_of
from engine.types import Draft

SHANGHAI = timezone(timedelta(hours=8))
CLOCK = MovableClock(datetime(2026, 5, 1, 16, 30, tzinfo=UTC), SHANGHAI)


def prepare(draft: Draft) -> drafting.Prepared:
    return drafting.prepare(draft, Settings().current, CLOCK)


@pytest.mark.parametrize(
    ("draft", "field", "reason"),
    [
        (Draft(""), "content", "empty"),
        (Draft(" \n\t"), "content", "empty"),
        (Draft("x" * 200_001), "content", "too_long"),
        (Draft("\ud800 half"), "content", "not_unicode"),
        (Draft("a", importance=1.5), "importance", "out_of_range"),
        (Draft("a", importance=float("nan")), "importance", "not_a_number"),
        (Draft("a", emotion_intensity=11), "emotion_intensity", "out_of_range"),
        (Draft("a", valence=-2), "valence", "out_of_range"),
        (Draft("a", layer="dream"), "layer", "not_a_choice"),  # type: ignore[arg-type]
        (Draft("a", sensitivity="secret"), "sensitivity", "not_a_choice"),  # type: ignore[arg-type]
        (Draft("a", tags="b"), "tags", "not_a_list"),  # type: ignore[arg-type]
        (Draft("a", event_time=datetime(2026, 1, 1)), "event_time", "not_a_moment"),
        (Draft("a", extra={"x": object()}), "extra", "not_json"),
        (Draft("a", extra={"x": float("inf")}), "extra", "not_json"),
    ],
)
def test_bad_input_is_named(draft: Draft, field: str, reason: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        prepare(draft)
    assert caught.value.fields["field"] == field
    assert caught.value.fields["reason"] == reason


def test_what_is_given_is_kept_as_it_is() -> None:
    content = "SESSION:2026-04-16|hook.fire×3|stale→reconnect|JH:重要更动先确认★★★"
    row = prepare(Draft(content, tags=("b", "a", "b", " "), title=" t ", extra={"old": [1, {"ü": None}]})).values
    assert row["content"] == content
    assert row["tags"] == ("b", "a")
    assert row["title"] == " t "
    assert row["extra"] == {"old": [1, {"ü": None}]}


def test_a_conversation_gets_the_users_day_as_its_session() -> None:
    # 16:30 UTC on the first is half past midnight on the second in Shanghai.
    assert prepare(Draft("hi", conversation_id="c")).values["session_id"] == "2026-05-02"
    told = prepare(Draft("hi", conversation_id="c", event_time=datetime(2023, 5, 8, 1, tzinfo=SHANGHAI)))
    assert told.values["session_id"] == "2023-05-08"
    assert told.values["event_time"] == datetime(2023, 5, 7, 17, tzinfo=UTC)
    assert prepare(Draft("hi")).values["session_id"] is None


def test_the_summary_is_one_line() -> None:
    row = prepare(Draft("first line\n\nsecond " + "word " * 200)).values
    assert "\n" not in row["summary"] and row["summary"].startswith("first line second")
    assert len(row["summary"]) < 300


@pytest.mark.parametrize(
    ("text", "layer"),
    [
        ("我喜欢喝不加糖的拿铁", "fact"),
        ("Anna is allergic to peanuts", "fact"),
        ("最近在学西班牙语", "state"),
        ("I am currently between jobs", "state"),
        ("昨天和老周去爬了香山", "event"),
        ("Yesterday I met the man I like", "event"),
        ("因为预算不够，决定先不换车", "decision"),
        ("We decided to use SQLite because it needs no server", "decision"),
        ("The train was full", "event"),
    ],
)
def test_layers_by_rule(text: str, layer: str) -> None:
    assert layer_of(text) == layer


def test_edits_may_not_touch_what_belongs_to_the_engine() -> None:
    with pytest.raises(InvalidArgument) as caught:
        fields.check({"uid": "x"}, Settings().current)
    assert caught.value.fields == {"field": "uid", "reason": "not_editable"}


@pytest.mark.parametrize(
    ("draft", "field", "reason"),
    [
        (Draft(None), "content", "not_text"),  # type: ignore[arg-type]
        (Draft("a", importance=10**400), "importance", "out_of_range"),
        (Draft("a", event_time=datetime.min.replace(tzinfo=SHANGHAI)), "event_time", "not_a_moment"),
        (Draft("a", event_time=datetime.max.replace(tzinfo=UTC), conversation_id="c"), "event_time", "not_a_moment"),
        (Draft("a", extra={"x": 10**5000}), "extra", "not_json"),
    ],
)
def test_what_python_itself_chokes_on_is_named_too(draft: Draft, field: str, reason: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        prepare(draft)
    assert (caught.value.fields["field"], caught.value.fields["reason"]) == (field, reason)


def test_extra_is_a_copy_as_json_gives_it_back() -> None:
    inner = [1, (2, 3)]
    row = prepare(Draft("a", extra={"inner": inner, 4: None})).values  # type: ignore[dict-item]
    inner.append(5)
    assert row["extra"] == {"inner": [1, [2, 3]], "4": None}


def test_no_name_is_no_scope() -> None:
    clean = fields.check({"conversation_id": "", "session_id": None, "persona_id": "p"}, Settings().current)
    assert clean == {"conversation_id": None, "session_id": None, "persona_id": "p"}


def test_date_words_become_the_time_that_an_event_is_about() -> None:
    clock = MovableClock(datetime(2026, 5, 13, 6, tzinfo=UTC), timezone(timedelta(hours=8)))

    def about(text: str, **more: Any) -> datetime | None:
        moment = drafting.prepare(Draft(text, **more), Settings().current, clock).values["event_time"]
        return None if moment is None else moment.astimezone(clock.zone())

    assert about("昨天和小林去爬山了") == datetime(2026, 5, 12, tzinfo=clock.zone())
    assert about("I will see the dentist on Friday at 15:30") == datetime(2026, 5, 15, 15, 30, tzinfo=clock.zone())
    assert about("今天把阳台收拾好了") is None, "when it was said is known better"
    assert about("Lena was born on 3 May 1990") is None, "no event of its own"
    given = datetime(2020, 1, 1, tzinfo=UTC)
    assert about("昨天和小林去爬山了", event_time=given) == given
