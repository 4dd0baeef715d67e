"""Words for a model: every error code has its sentence in both languages, and results have the protocol's shape."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_types import INVALID_PARAMS

from app.mcp import replies
from app.mcp.words import EXTRAS, KINDS, LABELS, REASONS, SENTENCES, SUCCESSES
from engine.errors import InvalidArgument, NotFound, Paused, all_codes


def test_every_code_has_words() -> None:
    assert all_codes() | replies.APP_CODES == replies.known_codes()


@pytest.mark.parametrize("table", [SENTENCES, SUCCESSES, REASONS, KINDS, EXTRAS, LABELS])
def test_both_languages_name_the_same_places(table: Any) -> None:
    for slug, words in table.items():
        assert set(words) == {"en", "zh"}, slug
        assert words["en"].count("{") == words["zh"].count("{"), slug
        assert not any("一" <= one <= "鿿" for one in words["en"]), slug


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("code", sorted(replies.known_codes()))
def test_a_sentence_needs_no_field(code: str, language: Any) -> None:
    text = replies.sentence(code, {}, language)
    assert text
    assert "{" not in text


def test_an_error_becomes_a_failed_result() -> None:
    result = replies.tool_error(NotFound(kind="memory", id=7))
    assert result.is_error is True
    assert result.structured_content == {"code": "not_found", "fields": {"kind": "memory", "id": 7}}
    assert result.content[0].text == "There is no memory 7."  # type: ignore[union-attr]
    assert replies.tool_error(Paused(), "zh").content[0].text.startswith("用户暂停了记忆")  # type: ignore[union-attr]


def test_a_bad_argument_becomes_invalid_params() -> None:
    error = replies.argument_error(InvalidArgument(field="k", reason="out_of_range", allowed=[1, 50]))
    assert error.code == INVALID_PARAMS
    assert error.message == "k: is out of range; allowed: 1 to 50"
    assert error.data == {"field": "k", "reason": "out_of_range", "allowed": [1, 50]}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"field": "tag", "reason": "unknown_argument", "nearest": "tags", "allowed": ["tags"]},
         "tag: no such argument; did you mean tags?"),
        ({"field": "layer", "reason": "not_a_choice", "allowed": ["fact", "event"]},
         "layer: is not one of the known values; allowed: fact, event"),
        ({"field": "content", "reason": "too_long", "limit": 10, "length": 12}, "content: is too long; at most 10"),
        ({"field": "budget", "reason": "out_of_range", "allowed": [1, None]}, "budget: is out of range; at least 1"),
        ({"field": "x", "reason": "never_heard_of"}, "x: never heard of"),
    ],
)  # fmt: skip
def test_what_is_allowed_is_said(fields: dict[str, object], expected: str) -> None:
    assert replies.sentence("invalid_argument", fields) == expected


def test_fields_of_any_kind_become_json() -> None:
    result = replies.failed("disk_error", {"path": object(), "detail": "x"})
    assert isinstance(result.structured_content, dict)
    assert isinstance(result.structured_content["fields"]["path"], str)
