"""Fitting memories into a token budget: hard, fair, and never without an id."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from engine.retrieval.budget import LEAST_TOKENS, fit
from engine.text import tokens
from engine.types import Memory

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def memory(content: str, summary: str = "", compressed: str = "") -> Memory:
    return Memory(
        id=1, uid="u", title="", content=content, summary=summary, compressed=compressed, layer="event", category="",
        importance=0.5, strength=0.5, emotion_intensity=0.0, valence=0.0, mood="", sentiment="", tags=(), topics=(),
        participants=(), key_facts=(), sensitivity="normal", status="active", pinned=False, protected=False,
        resolved=False, conversation_id=None, session_id=None, persona_id=None, position=None, source_agent="",
        source_client="", source_text="", event_time=None, valid_from=None, valid_to=None, superseded_by=None,
        surprise=None, external_ids=(), extra={}, created_at=NOW, updated_at=NOW,
        last_accessed_at=None, access_count=0.0, recall_count=0,
    )  # fmt: skip


def test_what_fits_stays_whole() -> None:
    fitted = fit([memory("short"), memory("也很短")], 20)
    assert [(one.text, one.form) for one in fitted if one] == [("short", "full"), ("也很短", "full")]


def test_short_ones_leave_their_room_to_long_ones() -> None:
    long = "word " * 400
    first, second = fit([memory("short"), memory(long)], 100)
    assert first and first.form == "full"
    assert second and second.form == "cut" and second.tokens > 80


def test_a_shorter_form_by_its_writer_is_preferred_to_a_cut() -> None:
    fitted = fit([memory("word " * 400, compressed="the gist of it, well put " * 8)], 60)
    assert fitted[0] and fitted[0].form == "compressed"


def test_no_limit_means_everything() -> None:
    (one,) = fit([memory("word " * 9000)], None)
    assert one and one.form == "full"


_TEXTS = st.lists(st.text(st.sampled_from("记忆 ab。.\n🙂"), min_size=1, max_size=400), min_size=1, max_size=12)


@given(_TEXTS, st.integers(1, 300))
def test_the_budget_is_never_exceeded(texts: list[str], budget: int) -> None:
    fitted = fit([memory(text) for text in texts], budget)
    assert len(fitted) == len(texts)
    assert sum(tokens.estimate(one.text) for one in fitted if one) <= budget
    if budget >= LEAST_TOKENS:
        assert fitted[0] is not None
