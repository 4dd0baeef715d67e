"""What the page asks the engine for, and which places of a text are marked."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.types import Channel, Explanation, Factor, Hit, Memory
from gui.browser import presentation
from gui.browser.state import BrowserState, since
from gui.texts import Texts

SHANGHAI = timezone(timedelta(hours=8))
NOW = datetime(2026, 3, 12, 20, 0, tzinfo=UTC)


def test_the_page_shows_the_living_and_the_trash_the_trashed() -> None:
    assert BrowserState().filters(NOW).statuses == ("active", "pending", "dormant", "archived")
    assert BrowserState(place="trash", statuses=("active",)).filters(NOW).statuses == ("trashed",)
    assert BrowserState(statuses=("expired",)).filters(NOW).statuses == ("expired",)


def test_looking_leaves_no_trace_and_hides_nothing() -> None:
    question = BrowserState(text="  tea  ", tags=("x",)).question(NOW)
    assert question.text == "tea" and question.k == 50 and question.filters.tags == ("x",)
    assert not question.reinforce and question.include_sensitive and question.explain and question.budget is None
    assert question.filters.scope == "all"


def test_periods_begin_at_the_users_midnight() -> None:
    # In Shanghai it is 04:00 on the thirteenth.
    assert since("today", NOW, SHANGHAI) == datetime(2026, 3, 13, tzinfo=SHANGHAI)
    assert since("week", NOW, SHANGHAI) == datetime(2026, 3, 7, tzinfo=SHANGHAI)
    assert since("any", NOW, SHANGHAI) is None


def test_filtered_means_more_than_the_place() -> None:
    assert not BrowserState(place="trash", text="tea", sort="title").filtered
    assert BrowserState(period="week").filtered
    kept = BrowserState(place="trash", text="tea", tags=("x",), sort="title").without_filters()
    assert kept == BrowserState(place="trash", text="tea", sort="title")


@pytest.mark.parametrize(
    ("text", "terms", "marked"),
    [
        ("Tea and more tea", ["tea"], ["Tea", "tea"]),
        ("She drinks teas", ["drink", "tea"], ["drinks", "teas"]),
        ("steam", ["tea"], []),
        ("下午喝绿茶", ["下午", "绿茶"], ["下午", "绿茶"]),
        ("北京大学", ["北京", "京大"], ["北京"]),
        ("下午", ["下", "午", "下午"], ["下午"]),
        ("端午", ["午"], ["午"]),
        ("a.b (c)", [".", "("], [".", "("]),
        ("nothing", [], []),
    ],
)
def test_marks(text: str, terms: list[str], marked: list[str]) -> None:
    assert [text[start : start + length] for start, length in presentation.matches(text, terms)] == marked


@given(st.text(max_size=80), st.lists(st.text(max_size=4), max_size=6))
def test_marks_are_sorted_apart_and_inside(text: str, terms: list[str]) -> None:
    end = -1
    for start, length in presentation.matches(text, terms):
        assert start > end and length > 0
        end = start + length
        assert end <= len(text)


def test_a_summary_that_only_repeats_the_text_is_not_shown_for_it(memory: Callable[..., Memory]) -> None:
    long = "The long story of the harbour. " * 40
    assert presentation.body(memory(1, content=long, summary=long[:60] + "…")).startswith("The long story")
    assert presentation.body(memory(1, content=long, summary="Harbour story")) == "Harbour story"
    assert presentation.name(memory(1, content="first\nsecond")) == "first second"


def test_a_huge_memory_is_cut_before_it_is_laid_out(memory: Callable[..., Memory]) -> None:
    assert len(presentation.body(memory(1, content="x " * 100_000))) <= presentation.SHOWN_CHARACTERS


def test_the_muted_line_and_what_a_screen_reader_says(memory: Callable[..., Memory]) -> None:
    texts = Texts("en")
    one = memory(1, content="Tea", tags=("a", "b"), source_client="Cursor", status="archived", pinned=True)
    line = presentation.meta(one, "yesterday", texts)
    assert line == "yesterday · Archived · #a #b · Cursor"
    said = presentation.spoken(one, "yesterday", texts)
    for part in ("Fact", "Tea", "Pinned", "Strength 50 %"):
        assert part in said


def test_shares_add_up_to_the_whole(memory: Callable[..., Memory]) -> None:
    explanation = Explanation(
        (Channel("lexical", 1, 9.0, 0.3), Channel("vector", 2, 0.8, 0.5)),
        (Factor("importance", 0.15), Factor("recency", 0.05), Factor("diversity", -0.2)),
    )
    shares = presentation.shares(Hit(memory(1), "", "full", 0.8, explanation))
    assert dict(shares) == pytest.approx({"lexical": 0.3, "vector": 0.5, "other": 0.2})
    assert presentation.shares(Hit(memory(1), "", "full", 0.8)) == []
