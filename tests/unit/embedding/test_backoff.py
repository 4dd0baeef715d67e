"""When a failed server may be asked again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.embedding.backoff import LONGEST_ASKED_SECONDS, LONGEST_SECONDS, Backoff, retry_after_seconds


class Time:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_waits_double_up_to_the_longest_and_success_forgets_them() -> None:
    time = Time()
    backoff = Backoff(time)
    assert backoff.waiting() is None
    waits = []
    for _ in range(12):
        waits.append(backoff.failed("timeout"))
        assert backoff.waiting() == ("timeout", waits[-1])
        time.now += waits[-1]
        assert backoff.waiting() is None
    assert waits[:5] == [1, 2, 4, 8, 16]
    assert waits[-1] == LONGEST_SECONDS
    backoff.failed("timeout")
    backoff.succeeded()
    assert backoff.waiting() is None
    assert backoff.failed("unreachable") == 1


def test_failures_of_one_outage_in_several_threads_count_once() -> None:
    backoff = Backoff(Time())
    assert [backoff.failed("timeout") for _ in range(5)] == [1] * 5


def test_the_server_may_ask_for_more_but_not_for_ever() -> None:
    backoff = Backoff(Time())
    assert backoff.failed("rate_limited", 1_000) == 1_000
    assert Backoff(Time()).failed("rate_limited", 1e9) == LONGEST_ASKED_SECONDS
    assert Backoff(Time()).failed("rate_limited", 0) == 1


@given(st.lists(st.one_of(st.none(), st.floats(0, 1e6)), min_size=1, max_size=40))
def test_a_wait_is_always_positive_and_bounded(asked: list[float | None]) -> None:
    time = Time()
    backoff = Backoff(time)
    for wish in asked:
        seconds = backoff.failed("server_error", wish)
        assert 1 <= seconds <= LONGEST_ASKED_SECONDS
        time.now += seconds


@pytest.mark.parametrize(
    ("header", "seconds"),
    [(None, None), ("", None), ("7", 7), (" 120 ", 120), ("soon", None), ("-3", None), ("٣", None), ("9" * 400, 3600)],
)
def test_retry_after_as_a_number(header: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(header) == seconds


def test_retry_after_as_a_date() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    seconds = retry_after_seconds(later)
    assert seconds is not None
    assert 80 < seconds <= 90
    assert retry_after_seconds("Wed, 21 Oct 2015 07:28:00 GMT") == 0
    assert retry_after_seconds("Wed, 21 Oct 2015 07:28:00 -0000") == 0
