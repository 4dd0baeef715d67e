"""What ``memorize`` takes, and what it and its neighbours answer when memories merge, replace others or come back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from app.mcp import arguments, replies
from app.mcp.profiles import Call, Reply, core
from engine import Service
from engine.clock import MovableClock
from engine.errors import InvalidArgument
from engine.types import Actor, Memory

WAIT = 20.0
CLIENT = Actor("client", "assistant")
TOOLS = {one.name: one for one in core.TOOLS}
SAME = [
    ("我喜欢喝冰美式咖啡", "我喜欢喝冰美式咖啡，尤其是夏天"),
    ("The user likes to drink iced americano", "The user likes to drink iced americano, especially in summer"),
]
UPDATE = [("小林住在北京", "小林现在住在上海"), ("Alice works at Acme", "Alice now works at Globex")]


class Assistant:
    """The tools as the server calls them; what they answer must fit the schema that clients hold against it."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.language: Any = "en"

    def call(self, tool: str, **given: Any) -> Reply:
        found = TOOLS[tool]
        values, extra = arguments.read(given, found.arguments, UTC, open_ended=found.open_ended)
        call = Call(self.service, CLIENT, UTC, self.language, "1", extra)
        reply = asyncio.run(found.handler(call, values))  # type: ignore[arg-type]
        Draft202012Validator(dict(found.output)).validate(reply.data)
        return reply

    def ok(self, tool: str, **given: Any) -> Mapping[str, Any]:
        return self.call(tool, **given).data

    def text(self, tool: str, **given: Any) -> str:
        return self.call(tool, **given).text

    def texts(self, query: str) -> list[str]:
        return [one["text"] for one in self.ok("recall", query=query)["memories"]]

    def memory(self, memory_id: int) -> Memory:
        return self.service.get(memory_id).result(WAIT)


@pytest.fixture
def assistant(service: Service) -> Assistant:
    """Of a service that judges by words alone, so that the test's embedder has no say."""
    service.settings.set("memory.vector_wait_ms", 0)
    return Assistant(service)


@pytest.mark.parametrize(("old", "new"), SAME)
def test_what_was_merged_is_told_and_can_be_parted(assistant: Assistant, old: str, new: str) -> None:
    first = assistant.ok("memorize", content=old)
    again = assistant.ok("memorize", content=new, tags=["again"])
    assert (again["outcome"], again["id"], again["merged_with"]) == ("merged", first["id"], first["id"])
    assert again["text"] == new
    assert not {"replaced", "old_texts"} & again.keys()
    undone = assistant.ok("edit_memory", id=first["id"], undo=True)
    listed = assistant.ok("list_memories", sort="oldest")["memories"]
    assert [(one["id"], one["snippet"]) for one in listed] == [(first["id"], old), (undone["created"][0], new)]


def test_the_words_of_a_merge_quote_what_is_kept(assistant: Assistant) -> None:
    assistant.ok("memorize", content=SAME[1][0])
    first, quoted = assistant.text("memorize", content=SAME[1][1]).splitlines()
    assert first.startswith("Merged into memory 1 (")
    assert quoted == f"> {SAME[1][1]}"
    assert "is a memory of its own now: 2." in assistant.text("edit_memory", id=1, undo=True)


@pytest.mark.parametrize(("old", "new"), UPDATE)
def test_what_was_replaced_is_told_and_can_be_brought_back(
    assistant: Assistant, clock: MovableClock, old: str, new: str
) -> None:
    first = assistant.ok("memorize", content=old)
    clock.advance(timedelta(days=2))
    later = assistant.ok("memorize", content=new)
    assert (later["outcome"], later["replaced"], later["old_texts"]) == ("superseded", [first["id"]], [old])
    assert later["id"] != first["id"]
    assert assistant.texts(old) == [new]

    (ended,) = assistant.ok("list_memories", status="superseded")["memories"]
    assert (ended["id"], ended["superseded_by"]) == (first["id"], later["id"])
    assert ended["valid_to"].startswith("2026-05-03")
    (holds,) = assistant.ok("list_memories")["memories"]
    assert (holds["id"], holds["valid_from"]) == (later["id"], ended["valid_to"])
    assert f" superseded by [{later['id']}] until 2026-05-03T" in assistant.text("list_memories", status="superseded")

    assistant.ok("edit_memory", id=first["id"], status="active")
    assert sorted(assistant.texts(old)) == sorted([old, new])
    assert all("superseded_by" not in one for one in assistant.ok("list_memories")["memories"])


def test_the_words_of_an_update_say_what_was_and_how_to_get_it_back(assistant: Assistant) -> None:
    assistant.ok("memorize", content=UPDATE[0][0])
    first, head, quoted = assistant.text("memorize", content=UPDATE[0][1]).splitlines()
    assert first.startswith("Stored as memory 2 (")
    assert 'status="active"' in first and "undo=true" in first
    assert (head, quoted) == ("[1]", f"> {UPDATE[0][0]}")
    assistant.language = "zh"
    assert assistant.text("memorize", content="小林现在住在广州").startswith("已存为记忆 3（")


@pytest.mark.parametrize("way", ["forget", "erase", "undo"])
def test_what_holds_again_is_named(assistant: Assistant, way: str) -> None:
    first = assistant.ok("memorize", content=UPDATE[1][0])["id"]
    later = assistant.ok("memorize", content=UPDATE[1][1])["id"]
    given = {"forget": {}, "erase": {"erase": True, "confirm": True}, "undo": {"undo": True}}[way]
    reply = assistant.call("edit_memory" if way == "undo" else "forget_memory", id=later, **given)
    assert reply.data["brought_back"] == [first]
    assert reply.data.get("ids", [later]) == [later]
    assert f"What it had replaced holds again: {first}." in reply.text
    assert assistant.texts("Alice") == [UPDATE[1][0]]


def test_what_is_replaced_again_is_named_too(assistant: Assistant) -> None:
    first, later = (assistant.ok("memorize", content=content)["id"] for content in UPDATE[1])
    assistant.ok("forget_memory", id=later)
    back = assistant.call("edit_memory", id=later, undo=True)
    assert (back.data["status"], back.data["replaced"]) == ("active", [first])
    assert f"It replaces again: {first}." in back.text
    both = assistant.ok("forget_memory", ids=[first, later])
    assert (sorted(both["ids"]), both.get("brought_back")) == ([first, later], None)


def test_a_write_does_not_tell_what_a_sensitive_memory_says(assistant: Assistant) -> None:
    def answer(content: str) -> tuple[str, str]:
        reply = assistant.call("memorize", content=content)
        return reply.data["outcome"], json.dumps(reply.data, ensure_ascii=False) + reply.text

    assistant.ok("memorize", content=UPDATE[1][0], sensitivity="high", title="Secret employer", summary="Acme!")
    outcome, shown = answer(UPDATE[1][0])
    assert (outcome, "Secret employer" in shown, "Acme!" in shown) == ("reinforced", False, False)
    outcome, shown = answer(UPDATE[1][1])
    assert (outcome, "Acme" in shown) == ("superseded", False)
    assistant.ok("memorize", content="Anna takes the blue pills, for her heart", sensitivity="high")
    outcome, shown = answer("Anna takes the blue pills")
    assert (outcome, "heart" in shown) == ("merged", False)


def test_what_only_some_memories_have_is_taken_too(assistant: Assistant) -> None:
    first = assistant.ok("memorize", content="the first")["id"]
    fields: dict[str, Any] = {
        "related": [first], "context": "over lunch", "persona_summary": "curious", "entities": ["Anna", "Lisbon"],
        "tone": {"warmth": 0.5}, "residual": {"location": "Lisbon"}, "why": "she asked",
        "effective_methods": ["call, do not write"], "trigger": "return true", "trigger_name": "move",
        "trigger_text": "when Anna moves", "created_context": {"room": 1}, "updated_context": {"room": 2},
        "modalities": [{"uri": "a.png", "kind": "image"}], "topic_path": ["life", "move"], "digest_level": 1,
        "digest_period": "2026-04-30", "sources": [first], "compressed": "Anna moves", "sentiment": "positive",
    }  # fmt: skip
    times = {"valid_from": "2026-05-01", "valid_to": "2026-05-31"}
    stored = assistant.ok("memorize", content="Anna moves to Lisbon", **fields, **times)
    other = assistant.ok("memorize", content="nothing yet")
    assert set(assistant.ok("edit_memory", id=other["id"], **fields, **times)["changed"]) == {*fields, *times}
    for memory_id in (stored["id"], other["id"]):
        memory = assistant.memory(memory_id)
        for name, value in fields.items():
            kept = getattr(memory, name)
            assert (list(kept) if isinstance(kept, tuple) else kept) == value, name
        assert memory.valid_from == datetime(2026, 5, 1, tzinfo=UTC)
        assert memory.valid_to == datetime(2026, 6, 1, tzinfo=UTC), "the day belongs to it"
        assert memory.extra == {}


def test_odd_shapes_of_what_nobody_was_told_are_kept_as_they_came(assistant: Assistant) -> None:
    odd = {"tone": "warm", "sources": ["https://example.org"], "context": {"room": 1}, "modalities": "a picture"}
    lenient = {"residual": '{"food": "noodles"}', "entities": "Anna, Ben", "related": "1"}
    assistant.ok("memorize", content="the first")
    memory = assistant.memory(assistant.ok("memorize", content="odd all the same", **odd, **lenient)["id"])
    assert memory.extra == odd
    assert (memory.residual, memory.entities, memory.related) == ({"food": "noodles"}, ("Anna", "Ben"), (1,))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"importance": 8}, "importance: is out of range; allowed: 0 to 1"),
        ({"valid_from": "last year"}, "valid_from: must be a date or time in ISO 8601"),
        ({"valid_from": "2026-05-02", "valid_to": "2026-04-01"}, "valid_to: must come after the beginning"),
        ({"digest_level": 5}, "digest_level: is out of range; allowed: 0 to 4"),
        ({"conversation_id": {"id": 1}}, "conversation_id: must be text"),
    ],
)
def test_what_can_not_be_meant_is_refused_in_words(assistant: Assistant, given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        assistant.call("memorize", content="x", **given)
    assert replies.argument_error(caught.value).message.startswith(message)
