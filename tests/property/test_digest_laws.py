"""Laws of what waits to be digested: it is what a plain list of days says, whatever was told, digested and undone."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.clock import local_date, start_of
from engine.config import Settings
from engine.digest import compaction
from engine.storage import digests, memories
from engine.storage.database import Connection, Database

FIRST = date(2026, 2, 20)
NOW = datetime(2026, 4, 3, 12, tzinfo=UTC)
ZONES = tuple(map(ZoneInfo, ("Asia/Shanghai", "America/New_York", "Pacific/Kiritimati", "UTC")))
VALUES = {**Settings().current, "digest.daily_least": 2, "digest.weekly_least": 2, "digest.monthly_least": 1}
STATUSES = ("active", "active", "active", "superseded", "trashed", "pending", "dormant")

# Minutes after FIRST, so that many fall near midnight and into the same days.
moments = st.builds(
    lambda day, minute: datetime(2026, 2, 20, tzinfo=UTC) + timedelta(days=day, minutes=minute),
    st.integers(0, 45), st.sampled_from((0, 1, 239, 240, 299, 300, 720, 959, 960, 1439)),
)  # fmt: skip
tellings = st.lists(
    st.tuples(moments, st.sampled_from(STATUSES), st.sampled_from(("normal", "normal", "high")), st.booleans()),
    max_size=40,
)
days = st.integers(0, 41).map(lambda number: FIRST + timedelta(days=number))


class _Over(Exception):
    """Ends an example: nothing of it is kept for the next one."""


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    directory = Path(tempfile.mkdtemp(prefix="hupo-"))
    opened = Database.open(directory)
    yield opened
    opened.close()
    shutil.rmtree(directory, ignore_errors=True)


@contextmanager
def _store(database: Database) -> Iterator[Connection]:
    with suppress(_Over), database.transaction() as cx:
        yield cx
        raise _Over


def _put(cx: Connection, number: int, at: datetime, **given: Any) -> int:
    row: dict[str, Any] = {
        "uid": f"uid-{number}", "title": "", "content": f"memory {number}", "compressed": "", "summary": "",
        "layer": "event", "category": "", "importance": 0.5, "emotion_intensity": 0.0, "valence": 0.0, "mood": "",
        "sentiment": "", "tags": (), "topics": (), "participants": (), "key_facts": (), "sensitivity": "normal",
        "status": "active", "pinned": False, "protected": False, "resolved": False, "conversation_id": None,
        "session_id": None, "persona_id": None, "source_agent": "", "source_client": "", "source_text": "",
        "event_time": None, "external_ids": (), "extra": {}, "created_at": at, "updated_at": at, "position": None,
        "content_key": f"key-{number}", "script": "latin",
    }  # fmt: skip
    return memories.insert(cx, row | given)


def _waiting(cx: Connection, zone: ZoneInfo, level: int) -> list[str]:
    unseen = ("high",)
    found, _ = compaction._waiting(cx, level, VALUES, local_date(NOW, zone), zone, unseen)  # type: ignore[arg-type]
    return [one.text for one in found]


def _digest(cx: Connection, number: int, level: int, period: str, zone: ZoneInfo, at: datetime = NOW) -> int:
    found = compaction.sources(cx, level, period, VALUES, NOW, zone)  # type: ignore[arg-type]
    ids = tuple(one.id for one in found.sources)
    return _put(cx, number, at, category="digest", digest_level=level, digest_period=period, sources=ids)


@settings(max_examples=60)
@given(tellings, st.lists(days, max_size=5, unique=True), st.sampled_from(ZONES))
def test_what_waits_is_what_a_plain_list_of_days_says(
    database: Database, told: Any, digested: list[date], zone: ZoneInfo
) -> None:
    with _store(database) as cx:
        by_day: dict[date, list[int]] = {}
        for number, (at, status, sensitivity, in_talk) in enumerate(told):
            scope = "talk" if in_talk and number % 3 == 0 else None
            memory_id = _put(cx, number, at, status=status, sensitivity=sensitivity, conversation_id=scope)
            if status not in ("trashed", "pending") and sensitivity != "high" and scope is None:
                by_day.setdefault(local_date(at, zone), []).append(memory_id)
        for number, day in enumerate(digested):
            _digest(cx, 1000 + number, 1, day.isoformat(), zone)
        today = local_date(NOW, zone)
        model = [
            day.isoformat()
            for day, ids in sorted(by_day.items())
            if day < today and len(ids) >= 2 and day not in digested
        ]
        assert _waiting(cx, zone, 1) == model
        for day, ids in by_day.items():
            shown = compaction.sources(cx, 1, day.isoformat(), VALUES, NOW, zone).sources if day <= today else ()
            assert day > today or {one.id for one in shown} == set(ids)


@settings(max_examples=30)
@given(tellings, st.sampled_from(ZONES), st.data())
def test_saving_what_waits_ends_its_waiting_and_undoing_it_begins_it_again(
    database: Database, told: Any, zone: ZoneInfo, data: Any
) -> None:
    with _store(database) as cx:
        for number, (at, status, _, _) in enumerate(told):
            _put(cx, number, at, status=status)
        number = 1000
        for level in (1, 2, 3):
            while waiting := _waiting(cx, zone, level):
                assert not {one.period for one in digests.made(cx, level)} & set(waiting)
                period = data.draw(st.sampled_from(waiting))
                number += 1
                digest = _digest(cx, number, level, period, zone)
                others = [one for one in waiting if one != period]
                assert _waiting(cx, zone, level) == others, "each other one waits until it is saved"
                if data.draw(st.booleans()):
                    memories.update(cx, digest, {"status": "trashed"})
                    assert _waiting(cx, zone, level) == waiting
                    memories.update(cx, digest, {"status": "active"})
        grown = cx.execute("SELECT * FROM digest_sources ORDER BY 1, 2").fetchall()
        digests.rebuild(cx)
        assert cx.execute("SELECT * FROM digest_sources ORDER BY 1, 2").fetchall() == grown


@settings(max_examples=30)
@given(days, st.integers(-30, 30), st.sampled_from(ZONES))
def test_a_digest_from_before_the_end_is_not_the_last_word(
    database: Database, day: date, hours: int, zone: ZoneInfo
) -> None:
    end = start_of(day + timedelta(days=1), zone)
    with _store(database) as cx:
        for number in range(2):
            _put(cx, number, end - timedelta(minutes=9 - number))
        _put(cx, 10, end + timedelta(hours=hours), category="digest", digest_level=1, digest_period=day.isoformat())
        over = day < local_date(NOW, zone)
        assert _waiting(cx, zone, 1) == ([day.isoformat()] if over and hours < 0 else [])
