"""The times that questions speak of, in the user's own days."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.retrieval.times import Period, fits, periods

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 6, 2, 10, tzinfo=SHANGHAI)  # a Tuesday


def days(text: str) -> list[tuple[str, str]]:
    return [
        tuple(one.astimezone(SHANGHAI).strftime("%Y-%m-%d") for one in (found.since, found.until))  # type: ignore[misc]
        for found in periods(text, NOW, SHANGHAI)
    ]


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("上周三公司出了什么乱子？", "2026-05-27", "2026-05-28"),
        ("三天前买了什么？", "2026-05-30", "2026-05-31"),
        ("去年三月我在忙什么？", "2025-03-01", "2025-04-01"),
        ("2025年春天种了什么？", "2025-03-01", "2025-06-01"),
        ("下周轮到谁值班？", "2026-06-08", "2026-06-15"),
        ("前天吃了什么", "2026-05-31", "2026-06-01"),
        ("Who came last Wednesday?", "2026-05-27", "2026-05-28"),
        ("What did I buy three days ago?", "2026-05-30", "2026-05-31"),
        ("What did I do last May?", "2026-05-01", "2026-06-01"),
        ("What did we plant in spring 2025?", "2025-03-01", "2025-06-01"),
        ("What did I do on 3 May?", "2026-05-03", "2026-05-04"),
        ("Where are we going in September?", "2026-09-01", "2026-10-01"),
        ("Which race did I run in September, when it was over?", "2025-09-01", "2025-10-01"),
    ],
)
def test_words_of_time_are_spans(text: str, since: str, until: str) -> None:
    assert days(text) == [(since, until)]


@pytest.mark.parametrize(
    "text",
    [
        "我什么时候搬的家？",
        "哪年认识的老陈？",
        "出发之前要带什么？",
        "爷爷是哪一年去世的",
        "晚上吃什么药",
        "五月之前要交什么？",
        "《昨天》是谁唱的",
        "When did I move?",
        "what must I do before the trip",
        "What time is dinner?",
        "before last Friday",
        "what is due by Monday",
        'Who sang "Yesterday"?',
        "what do I take at night",
        "dinner at 8",
    ],
)
def test_what_asks_for_a_time_or_names_a_border_is_no_span(text: str) -> None:
    assert days(text) == []


def test_a_date_that_may_lie_on_either_side_is_looked_for_on_both() -> None:
    assert days("七月的新疆") == [("2025-07-01", "2025-08-01"), ("2026-07-01", "2026-08-01")]
    assert days("七月要去新疆") == [("2026-07-01", "2026-08-01")]
    assert days("七月去了新疆") == [("2025-07-01", "2025-08-01")]
    assert ("2026-06-06", "2026-06-07") in days("周六的陶艺课还要去吗")


def test_last_night_is_counted_in_the_users_own_hours() -> None:
    (found,) = periods("昨天晚上和谁打了电话", NOW, SHANGHAI)
    assert found.since == datetime(2026, 6, 1, 10, tzinfo=UTC)  # 18:00 in Shanghai


def test_a_longer_span_tells_less() -> None:
    texts = ("昨天写了什么", "上周写了什么", "上个月写了什么", "去年写了什么")
    certainties = [periods(text, NOW, SHANGHAI)[0].certainty for text in texts]
    assert certainties == sorted(certainties, reverse=True)
    assert len(set(certainties)) == 4


def test_what_happened_then_fits_best_and_what_was_told_the_day_after_somewhat() -> None:
    (day,) = periods("What did I do on 3 May?", NOW, SHANGHAI)
    noon = datetime(2026, 5, 3, 12, tzinfo=SHANGHAI).timestamp()
    one_day = 86_400.0
    happened = np.array([noon, noon + one_day, noon - one_day, noon + 2 * one_day])
    assert fits((day,), happened, happened).tolist() == [1.0, 0.5, 0.0, 0.0]
    elsewhere = np.full(4, noon - 40 * one_day)
    assert fits((day,), elsewhere, happened).tolist() == [0.5, 0.0, 0.0, 0.0], "it is known to have happened before"


@given(st.floats(0, 4e9), st.floats(0, 4e9), st.floats(0, 1))
def test_a_fit_is_a_share(happened: float, told: float, certainty: float) -> None:
    span = Period(datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC), certainty)
    assert 0.0 <= fits((span,), np.array([happened]), np.array([told]))[0] <= certainty


@settings(max_examples=40)
@given(st.text(max_size=80), st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)))
def test_any_text_at_any_moment_has_spans_or_none(text: str, moment: datetime) -> None:
    found = periods(text, moment.replace(tzinfo=UTC), SHANGHAI if 1900 < moment.year < 2100 else UTC)
    assert len(found) <= 4
    assert all(one.since < one.until and 0 < one.certainty <= 1 for one in found)
