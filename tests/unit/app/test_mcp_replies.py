"""Words for a model: every error code has its sentence in both languages, and results have the protocol's shape."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_types import INVALID_PARAMS

from app.mcp import replies
from app.mcp.labels import INSTRUCTIONS, LABELS
from app.mcp.words import EXTRAS, KINDS, REASONS, SECRETS, SENTENCES, SUCCESSES
from engine.digest.levels import NAMES
from engine.errors import ChatUnavailable, InvalidArgument, NotFound, Paused, all_codes

ENGINE = Path(__file__).resolve().parents[3] / "engine"
# Whatever these raise may come from what a client sent; other parts raise for the settings or for bugs.
ASKED = (
    "ingest", "retrieval", "digest", "review", "surfacing", "storage/cursors.py", "graph.py", "engine.py", "llm.py",
)  # fmt: skip


def test_every_code_has_words() -> None:
    assert all_codes() | replies.APP_CODES == replies.known_codes()


@pytest.mark.parametrize("table", [SENTENCES, SUCCESSES, REASONS, KINDS, SECRETS, EXTRAS, LABELS, INSTRUCTIONS])
def test_both_languages_name_the_same_places(table: Any) -> None:
    for slug, words in table.items():
        assert set(words) == {"en", "zh"}, slug
        assert words["en"].count("{") == words["zh"].count("{"), slug
        assert not any("一" <= one <= "鿿" for one in words["en"]), slug


def _raised(name: str, field: str) -> Iterator[str]:
    """The constants that the engine gives as ``field`` of its error ``name``."""
    for part in ASKED:
        for path in [ENGINE / part] if part.endswith(".py") else sorted((ENGINE / part).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                    told = [part for one in node.keywords if one.arg == field for part in ast.walk(one.value)]
                    yield from (
                        part.value for part in told if isinstance(part, ast.Constant) and type(part.value) is str
                    )


@pytest.mark.parametrize("name", ["InvalidArgument", "Conflict", "ChatUnavailable"])
def test_every_reason_that_a_client_may_cause_has_words(name: str) -> None:
    assert sorted(set(_raised(name, "reason")) - REASONS.keys()) == []
    assert "not_text" in set(_raised("InvalidArgument", "reason")), "the search finds nothing any more"


def test_every_level_of_digests_has_its_words() -> None:
    assert {f"digest_{name}" for name in NAMES.values()} == INSTRUCTIONS.keys()
    assert {f"digests_due_{level}" for level in NAMES} <= LABELS.keys()


def test_wrong_ids_are_named() -> None:
    error = InvalidArgument(field="sources", reason="no_such_memory", ids=[3, 5])
    assert replies.sentence(error.code, error.fields) == "sources: there is no such memory: 3, 5"


def test_every_kind_of_thing_has_a_name() -> None:
    assert sorted(set(_raised("NotFound", "kind")) - KINDS.keys()) == []


def test_the_reasons_of_a_missing_chat_model_have_words() -> None:
    told = str(ChatUnavailable.__doc__).partition("(slug:")[2].partition(")")[0]
    slugs = [part.strip().strip('"') for part in told.split(",")]
    assert "not_configured" in slugs
    assert sorted(set(slugs) - REASONS.keys()) == []
    text = replies.sentence("chat_unavailable", {"reason": "not_configured", "retry_after": None})
    assert text.startswith("No summary can be written now: no chat model is set up.")


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
        ({"field": "importance", "reason": "out_of_range", "allowed": [0, 1]},
         "importance: is out of range; allowed: 0 to 1"),
        ({"field": "x", "reason": "never_heard_of"}, "x: never heard of"),
    ],
)  # fmt: skip
def test_what_is_allowed_is_said(fields: dict[str, object], expected: str) -> None:
    assert replies.sentence("invalid_argument", fields) == expected


def test_fields_of_any_kind_become_json() -> None:
    result = replies.failed("disk_error", {"path": object(), "detail": "x"})
    assert isinstance(result.structured_content, dict)
    assert isinstance(result.structured_content["fields"]["path"], str)
