"""Profiles: what they hold, how they are joined, and what tools/list costs a model."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from app.mcp import profiles, replies
from app.mcp.profiles import core
from engine.errors import InvalidArgument
from engine.types import EDITABLE, Draft


def _listing() -> list[dict[str, Any]]:
    return [{"in": tool.input_schema(), "out": dict(tool.output)} for tool in core.TOOLS]


def test_the_core_tools_are_these() -> None:
    assert list(profiles.load("core")) == [
        "memorize", "recall", "list_memories", "edit_memory", "forget_memory", "breath", "relations", "digest",
        "review", "memory_status",
    ]  # fmt: skip
    assert profiles.load("") == profiles.load(" core , core ") == profiles.load("core")


def test_an_unknown_profile_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidArgument) as caught:
        profiles.load("core,nonsense")
    assert caught.value.fields == {"field": "profile", "reason": "not_a_choice", "allowed": ["core"]}


def test_a_name_of_two_tools_is_refused() -> None:
    other = replace(core.TOOLS[1], description="another recall")
    with pytest.raises(InvalidArgument) as caught:
        profiles.join({"core": core.TOOLS, "other": (other,)})
    assert caught.value.fields == {
        "field": "profile",
        "reason": "same_tool_name",
        "tool": "recall",
        "profiles": ["core", "other"],
    }


def test_the_same_tool_in_two_profiles_is_one() -> None:
    assert list(profiles.join({"core": core.TOOLS, "small": core.TOOLS[:2]})) == [tool.name for tool in core.TOOLS]


@pytest.mark.parametrize("tool", core.TOOLS, ids=lambda tool: tool.name)
def test_schemas_are_schemas(tool: profiles.Tool) -> None:
    Draft202012Validator.check_schema(tool.input_schema())
    Draft202012Validator.check_schema(dict(tool.output))
    names = [one.name for one in tool.arguments]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("tool", core.TOOLS, ids=lambda tool: tool.name)
def test_an_error_fits_every_output_schema(tool: profiles.Tool) -> None:
    """Clients of the TypeScript SDK hold structured content against the schema also when the call failed."""
    validator = Draft202012Validator(dict(tool.output))
    for code in replies.known_codes():
        validator.validate(replies.failed(code, {"id": 1, "reason": "x"}).structured_content)


def test_defaults_are_what_the_schema_says() -> None:
    for tool in core.TOOLS:
        for name, schema in tool.input_schema()["properties"].items():
            argument = next(one for one in tool.arguments if one.name == name)
            if "default" in schema:
                Draft202012Validator(schema).validate(schema["default"])
                assert argument.read(schema["default"], None) == schema["default"]  # type: ignore[arg-type]


def test_every_editable_field_can_be_edited() -> None:
    tool = next(one for one in core.TOOLS if one.name == "edit_memory")
    assert {one.name for one in tool.arguments} >= EDITABLE


def test_every_field_of_a_draft_can_be_given_and_the_usual_ones_are_advertised() -> None:
    tool = next(one for one in core.TOOLS if one.name == "memorize")
    fields = {field.name for field in dataclasses.fields(Draft)}
    # Who sends it and when is known without being told.
    assert {one.name for one in tool.arguments} - {"scope"} == fields - {"source_client", "created_at"}
    assert list(tool.input_schema()["properties"]) == [
        "content", "title", "layer", "category", "importance", "tags", "topics", "key_facts", "participants",
        "event_time", "emotion_intensity", "valence", "sensitivity", "source_agent", "extra", "pinned", "scope",
    ]  # fmt: skip


def test_a_scope_is_never_loose() -> None:
    """A value that is kept elsewhere instead would put the memory where everybody sees it."""
    tool = next(one for one in core.TOOLS if one.name == "memorize")
    strict = {"scope", "conversation_id", "session_id", "persona_id", "sensitivity", "valid_from", "valid_to"}
    assert not strict & {one.name for one in tool.arguments if one.loose}


def test_descriptions_are_short_and_plain_english() -> None:
    for tool in core.TOOLS:
        assert 20 <= len(tool.description) <= 330, tool.name
        assert tool.description.isascii(), tool.name


def test_reads_do_not_write() -> None:
    assert {tool.name: tool.writes for tool in core.TOOLS if not tool.writes} == {
        "recall": False, "list_memories": False, "breath": False, "relations": False, "memory_status": False,
    }  # fmt: skip
    assert [tool.name for tool in core.TOOLS if tool.destructive] == ["forget_memory"]


def test_schemas_cost_little() -> None:
    assert len(json.dumps(_listing(), separators=(",", ":"))) < 9_000
