"""Today's slip (S2): the smallest FNV-1a of date + uid among what was stored before midnight; the same all day."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from engine.surfacing.daily import fnv1a
from engine.surfacing.slip import hashes_of, todays_slip
from engine.types import ALL_SCOPES, STATUSES, Filters, Memory

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
USER_WIDE = Filters()


def _slip(store: Any, now: datetime = NOW, zone: Any = SHANGHAI, filters: Filters = USER_WIDE) -> Memory | None:
    with store.read() as cx:
        return todays_slip(cx, filters, now, zone, ("high",))


def _uid(store: Any, *more: Any) -> str | None:
    slip = _slip(store, *more)
    return None if slip is None else slip.uid


@given(st.lists(st.text(max_size=30), max_size=20), st.dates())
def test_many_are_hashed_as_one_is(uids: list[str], day: date) -> None:
    expected = [fnv1a(day.isoformat() + uid) for uid in uids]
    assert [int(one) for one in hashes_of(day, uids)] == expected


def test_an_empty_store_has_none(store: Any) -> None:
    assert _slip(store) is None


def test_it_is_the_smallest_hash_of_date_and_uid(store: Any) -> None:
    for number in range(300):
        store.add(uid=f"{number:026d}")
    expected = min((fnv1a(f"2026-05-01{number:026d}"), f"{number:026d}") for number in range(300))[1]
    assert _uid(store) == expected


def test_the_same_all_day_whatever_is_stored_meanwhile(store: Any) -> None:
    """From midnight to midnight in Shanghai, and another one the day after."""
    for _ in range(40):
        store.add()
    midnight = datetime(2026, 4, 30, 16, tzinfo=UTC)
    first = _uid(store, midnight)
    for hour in range(1, 24):
        for number in range(3):
            at = midnight + timedelta(hours=hour, minutes=number)
            store.add(created_at=at, event_time=midnight - timedelta(days=9))
        assert _uid(store, midnight + timedelta(hours=hour, minutes=59, seconds=59)) == first
    days = {_uid(store, midnight + timedelta(days=one)) for one in range(1, 15)}
    assert len(days) > 5


def test_equal_for_stores_with_the_same_uids_in_other_order(open_store: Callable[[], Any]) -> None:
    one, other = open_store(), open_store()
    uids = [f"01J{number:023d}" for number in range(80)]
    for uid in uids:
        one.add(uid=uid)
    for uid in reversed(uids):
        other.add(uid=uid)
    for day in range(10):
        assert _uid(one, NOW + timedelta(days=day)) == _uid(other, NOW + timedelta(days=day))


def test_what_was_stored_today_waits_for_its_midnight(store: Any) -> None:
    store.add(created_at=datetime(2026, 4, 30, 16, tzinfo=UTC))
    assert _slip(store) is None
    assert _slip(store, zone=UTC) is not None  # still yesterday there
    assert _slip(store, datetime(2026, 5, 1, 16, tzinfo=UTC)) is not None


def test_only_active_memories_that_are_not_sensitive(store: Any) -> None:
    for status in STATUSES:
        if status != "active":
            store.add(status=status)
    store.add(sensitivity="high")
    store.add(conversation_id="c1")
    store.add(persona_id="other")
    assert _slip(store, filters=Filters(persona_id="p", statuses=STATUSES, sensitivities=("high",))) is None
    assert _slip(store, filters=Filters(scope=ALL_SCOPES, persona_id="p")) is not None


def test_a_few_among_many_that_may_not_be_shown_are_found(store: Any) -> None:
    for _ in range(700):
        store.add(status="dormant")
    shown = store.add()
    assert [_slip(store, NOW + timedelta(days=day)).id for day in range(5)] == [shown] * 5  # type: ignore[union-attr]
