"""Reading a tool's arguments: lenient where the intent is clear, otherwise a refusal that names the field."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.mcp import arguments
from app.mcp.arguments import Argument
from engine.errors import InvalidArgument

SHANGHAI = timezone(timedelta(hours=8))
TAGS = Argument("tags", "words")
FACTS = Argument("key_facts", "lines")
K = Argument("k", "integer", default=5, minimum=1, maximum=50)
LAYER = Argument("layer", "choice", allowed=("fact", "event"))
SINCE = Argument("since", "moment")
UNTIL = Argument("until", "moment", edge="end")
TABLE = (Argument("content", "text", required=True), TAGS, K)


def _refusal(argument: Argument, value: Any) -> dict[str, Any]:
    with pytest.raises(InvalidArgument) as caught:
        argument.read(value, SHANGHAI)
    return caught.value.fields


@pytest.mark.parametrize(
    ("argument", "value", "expected"),
    [
        (TAGS, ["a", "b"], ("a", "b")),
        (TAGS, '["a","b"]', ("a", "b")),
        (TAGS, "a, b，c、d", ("a", "b", "c", "d")),
        (TAGS, "alone", ("alone",)),
        (TAGS, [1, None, " x ", ""], ("1", "x")),
        (TAGS, 2026, ("2026",)),
        (TAGS, "[not json", ("[not json",)),
        (FACTS, "Mia, the cat, is 3", ("Mia, the cat, is 3",)),
        (FACTS, '["a, b"]', ("a, b",)),
        (K, "5", 5),
        (K, 5.0, 5),
        (K, " 7 ", 7),
        (Argument("id", "integer"), 9_007_199_254_740_993, 9_007_199_254_740_993),
        (Argument("id", "integer"), "9007199254740993", 9_007_199_254_740_993),
        (Argument("importance", "number"), "0.5", 0.5),
        (Argument("pin", "switch"), "True", True),
        (Argument("pin", "switch"), 0, False),
        (Argument("ids", "integers"), "[3, 4]", (3, 4)),
        (Argument("ids", "integers"), "3,4,3", (3, 4)),
        (Argument("ids", "integers"), 3, (3,)),
        (LAYER, " Fact ", "fact"),
        (Argument("layer", "choices", allowed=("fact", "event")), ["fact", "Event"], ("fact", "event")),
        (Argument("layer", "choices", allowed=("fact", "event")), "fact", ("fact",)),
        (Argument("extra", "object"), '{"a": [1]}', {"a": [1]}),
        (Argument("modalities", "objects"), [{"uri": "a.png"}, None], ({"uri": "a.png"},)),
        (Argument("modalities", "objects"), '[{"uri": "a.png"}]', ({"uri": "a.png"},)),
        (Argument("modalities", "objects"), {"uri": "a.png"}, ({"uri": "a.png"},)),
        (Argument("title", "text"), 2026, "2026"),
        (Argument("title", "text"), " kept as it is ", " kept as it is "),
    ],
)
def test_clear_intent_is_read(argument: Argument, value: Any, expected: Any) -> None:
    assert argument.read(value, SHANGHAI) == expected


@pytest.mark.parametrize(
    ("argument", "value", "reason"),
    [
        (TAGS, {"a": 1}, "not_a_list"),
        (TAGS, True, "not_a_list"),
        (TAGS, '{"a": 1}', None),
        (K, "five", "not_a_number"),
        (K, True, "not_a_number"),
        (K, 1.5, "not_whole"),
        (K, 0, "out_of_range"),
        (K, 51, "out_of_range"),
        (K, float("inf"), "not_a_number"),
        (Argument("id", "integer"), 2**70, "not_whole"),
        (Argument("importance", "number", minimum=0, maximum=1), 8, "out_of_range"),
        (Argument("importance", "number"), "nan", "not_a_number"),
        (Argument("pin", "switch"), "maybe", "not_a_switch"),
        (Argument("pin", "switch"), 2, "not_a_switch"),
        (LAYER, "memory", "not_a_choice"),
        (LAYER, 1, "not_a_choice"),
        (Argument("extra", "object"), "[1]", "not_an_object"),
        (Argument("extra", "object"), "{", "not_an_object"),
        (Argument("modalities", "objects"), "a.png", "not_a_list"),
        (Argument("modalities", "objects"), 3, "not_a_list"),
        (Argument("title", "text"), ["a"], "not_text"),
        (Argument("title", "text"), True, "not_text"),
        (SINCE, "yesterday-ish", "not_a_moment"),
        (SINCE, 20261130, "not_a_moment"),
        (SINCE, "10:30", "not_a_moment"),
        (SINCE, "0001-01-01", "not_a_moment"),
        (UNTIL, "9999-12-31", "not_a_moment"),
    ],
)
def test_unclear_intent_is_refused_with_the_field(argument: Argument, value: Any, reason: str | None) -> None:
    if reason is None:  # an object's text is one odd tag, not a mistake worth losing the memory for
        assert argument.read(value, SHANGHAI) == (value,)
        return
    fields = _refusal(argument, value)
    assert (fields["field"], fields["reason"]) == (argument.name, reason)


def test_a_bad_item_is_named_with_its_place() -> None:
    assert _refusal(TAGS, ["a", {"b": 1}])["field"] == "tags[1]"
    assert _refusal(Argument("ids", "integers"), [1, "x"])["field"] == "ids[1]"
    assert _refusal(Argument("modalities", "objects"), [{}, "x"])["field"] == "modalities[1]"


def test_a_range_is_told() -> None:
    assert _refusal(K, 99)["allowed"] == [1, 50]


def test_choices_are_told() -> None:
    assert _refusal(LAYER, "memory")["allowed"] == ["fact", "event"]


def test_days_are_the_users_days() -> None:
    assert SINCE.read("2026-11-30", SHANGHAI).astimezone(UTC) == datetime(2026, 11, 29, 16, tzinfo=UTC)
    assert UNTIL.read("2026-11-30", SHANGHAI).astimezone(UTC) == datetime(2026, 11, 30, 16, tzinfo=UTC)


def test_times_keep_their_offset_or_take_the_users() -> None:
    assert SINCE.read("2026-11-30T08:00Z", SHANGHAI) == datetime(2026, 11, 30, 8, tzinfo=UTC)
    assert SINCE.read("2026-11-30T08:00", SHANGHAI) == datetime(2026, 11, 30, 0, tzinfo=UTC)
    assert SINCE.read("2026-11-30 08:00:00+09:00", SHANGHAI) == datetime(2026, 11, 29, 23, tzinfo=UTC)


@given(st.dates(date(2, 1, 3), date(9998, 12, 1)), st.integers(-12 * 60, 14 * 60))
def test_since_and_until_of_one_day_hold_exactly_that_day(day: date, offset: int) -> None:
    zone = timezone(timedelta(minutes=offset))
    since, until = SINCE.read(day.isoformat(), zone), UNTIL.read(day.isoformat(), zone)
    assert until - since == timedelta(days=1)
    assert since.astimezone(zone).date() == day


def test_defaults_fill_in_and_null_counts_as_absent() -> None:
    assert arguments.read({"content": "x", "k": None, "tags": ""}, TABLE, UTC) == (
        {"content": "x", "tags": None, "k": 5},
        {},
    )


def test_a_missing_argument_is_named() -> None:
    with pytest.raises(InvalidArgument) as caught:
        arguments.read(None, TABLE, UTC)
    assert caught.value.fields == {"field": "content", "reason": "missing"}


def test_an_unknown_argument_names_the_nearest() -> None:
    with pytest.raises(InvalidArgument) as caught:
        arguments.read({"content": "x", "tag": "y"}, TABLE, UTC)
    assert caught.value.fields == {
        "field": "tag",
        "reason": "unknown_argument",
        "allowed": ["content", "tags", "k"],
        "nearest": "tags",
    }


def test_an_open_ended_tool_keeps_unknown_arguments() -> None:
    values, unknown = arguments.read({"content": "x", "mood_ring": {"a": 1}}, TABLE, UTC, open_ended=True)
    assert (values["content"], unknown) == ("x", {"mood_ring": {"a": 1}})


def test_a_loose_argument_of_another_shape_is_kept_and_not_refused() -> None:
    table = (*TABLE, Argument("tone", "object", listed=False, loose=True))
    given = {"content": "x", "tone": "warm"}
    values, unknown = arguments.read(given, table, UTC, open_ended=True)
    assert (values["tone"], unknown) == (None, {"tone": "warm"})
    values, unknown = arguments.read({"content": "x", "tone": {"warmth": 1}}, table, UTC, open_ended=True)
    assert (values["tone"], unknown) == ({"warmth": 1}, {})
    with pytest.raises(InvalidArgument):
        arguments.read(given, table, UTC)


@given(st.lists(st.text(st.characters(exclude_categories=("Cs",)), min_size=1).filter(lambda one: one.strip() == one)))
def test_a_json_string_reads_as_its_list(items: list[str]) -> None:
    text = json.dumps(items)
    expected = TAGS.read(items, UTC)
    assert TAGS.read(text, UTC) == expected
    assert FACTS.read(text, UTC) == expected


@given(
    st.sampled_from(get_args(arguments.Kind)),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda deeper: st.lists(deeper) | st.dictionaries(st.text(), deeper),
        max_leaves=5,
    ),
)
def test_anything_is_read_or_refused(kind: Any, value: Any) -> None:
    argument = Argument("field", kind, allowed=("a",))
    try:
        arguments.read({"field": value}, (argument,), SHANGHAI)
    except InvalidArgument as error:
        assert str(error.fields["field"]).startswith("field")


LEVEL = Argument("level", "integer", maximum=4, named={"daily": 1, "日": 1})
SAVE = Argument(
    "save", "object", inner=(LEVEL, Argument("text", "text", required=True), Argument("more", "words", listed=False))
)


@pytest.mark.parametrize(
    "told", [{"level": " Daily ", "text": 5, "more": "a, b"}, '{"level": "日", "text": "5", "more": ["a", "b"]}']
)
def test_the_keys_of_an_object_are_read_as_arguments_are(told: Any) -> None:
    assert SAVE.read(told, UTC) == {"level": 1, "text": "5", "more": ("a", "b")}
    assert SAVE.schema()["required"] == ["text"]
    assert list(SAVE.schema()["properties"]) == ["level", "text"]


@pytest.mark.parametrize(
    ("told", "field", "reason"),
    [
        ({}, "save.text", "missing"),
        ({"text": "x", "level": 5}, "save.level", "out_of_range"),
        ({"text": "x", "level": "hourly"}, "save.level", "not_a_number"),
        ({"text": "x", "levle": 1}, "save.levle", "unknown_argument"),
        ("x", "save", "not_an_object"),
    ],
)
def test_a_wrong_key_of_an_object_is_named_with_its_object(told: Any, field: str, reason: str) -> None:
    refused = _refusal(SAVE, told)
    assert (refused["field"], refused["reason"]) == (field, reason)
