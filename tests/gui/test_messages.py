"""Every error code has words in both languages, and they never leave a hole or show a memory."""

from __future__ import annotations

import ast
import inspect
from types import ModuleType

import pytest

from engine import errors
from engine.digest import candidates
from engine.ingest import aliasing, fields
from engine.surfacing import user_model
from gui import messages
from gui.texts import LANGUAGES, Texts

_REFUSALS = ("invalid_argument", "conflict")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", sorted(messages.codes()))
def test_every_code_has_words_even_without_fields(code: str, language: str) -> None:
    texts = Texts(language)  # type: ignore[arg-type]
    assert f"error.{code}.title" in texts and f"error.{code}.text" in texts
    message = messages.of_code(code, {}, texts)
    assert message.title and message.sentence
    assert "{" not in message.title + message.line


@pytest.mark.parametrize("language", LANGUAGES)
def test_fields_are_told(language: str) -> None:
    texts = Texts(language)  # type: ignore[arg-type]
    line = messages.describe(errors.StoreLocked(path="/data/hupo", pid=4711), texts).line
    assert "/data/hupo" in line and "4711" in line
    line = messages.describe(
        errors.InvalidArgument(field="importance", reason="out_of_range", allowed=[0, 1]), texts
    ).line
    assert texts("field.importance") in line and "0 – 1" in line
    line = messages.describe(errors.InvalidArgument(field="content", reason="too_long", limit=200_000), texts).line
    assert "200,000" in line


def test_an_unknown_reason_and_an_unknown_code_still_say_something() -> None:
    texts = Texts("en")
    assert messages.describe(errors.Conflict(reason="never_heard_of", id=3), texts).sentence
    assert "brand_new" in messages.of_code("brand_new", {}, texts).sentence
    assert "brand_new" in messages.condition("brand_new", texts)


def test_a_bug_is_called_one_and_does_not_quote_the_error() -> None:
    message = messages.describe(ValueError("secret memory text"), Texts("en"))
    assert "secret" not in message.title + message.line


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_that_memories_and_names_are_refused_for_has_words(language: str) -> None:
    texts = Texts(language)  # type: ignore[arg-type]
    found = {slug for module in (fields, aliasing, candidates, user_model) for slug in _reasons(module)}
    assert {"not_editable", "mixed_types"} <= found
    missing = [slug for slug in found if not any(f"error.{kind}.reason.{slug}" in texts for kind in _REFUSALS)]
    assert missing == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "reason", ["not_configured", "unauthorized", "rate_limited", "timeout", "refused", "server", "bad_answer"]
)
def test_why_no_summary_can_be_written_is_told(language: str, reason: str) -> None:
    texts = Texts(language)  # type: ignore[arg-type]
    line = messages.describe(errors.ChatUnavailable(reason=reason, retry_after=None), texts).line
    assert texts(f"error.chat_unavailable.reason.{reason}") in line and texts("error.value.no_reason") not in line


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ("memory", "记忆"),
        ("history", "改动"),
        ("entity", "人物"),
        ("alias", "别名"),
        ("trait", "特征"),
        ("candidate", "待定"),
    ],
)
def test_what_is_not_found_has_a_name(kind: str, word: str) -> None:
    assert word in messages.describe(errors.NotFound(kind=kind, id=7), Texts("zh")).sentence
    english = messages.describe(errors.NotFound(kind=kind, id=7), Texts("en")).sentence
    assert "7" in english and "entity" not in english


def _reasons(module: ModuleType) -> set[str]:
    """Every slug that stands behind ``reason=`` in the source of ``module``."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.keyword) and node.arg == "reason":
            parts = [part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant)]
            found |= {value for value in parts if isinstance(value, str)}
    return found


@pytest.mark.parametrize("slug", ["embedder_unavailable", "vectors_incomplete", "lexical_rebuilding", "journal_failed"])
def test_conditions_have_words(slug: str) -> None:
    for language in LANGUAGES:
        assert messages.condition(slug, Texts(language)) == Texts(language)(f"condition.{slug}")
