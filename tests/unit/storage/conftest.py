"""What the storage tests share: an open database, and complete values of a memory to change one by one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.storage.database import Database

START = datetime(2026, 3, 1, 8, 30, tzinfo=UTC)


@pytest.fixture
def db(data_dir: Path) -> Iterator[Database]:
    """An open, empty database."""
    database = Database.open(data_dir, busy_seconds=0.5)
    yield database
    database.close()


@pytest.fixture
def values() -> Callable[..., dict[str, Any]]:
    """Values for ``memories.insert``, each call a minute later, with what is given on top."""
    numbers = itertools.count(1)

    def make(content: str = "", **given: Any) -> dict[str, Any]:
        number = next(numbers)
        now = START + timedelta(minutes=number)
        row: dict[str, Any] = {
            "uid": f"uid-{number}",
            "title": "",
            "content": content or f"memory {number}",
            "summary": content or f"memory {number}",
            "compressed": "",
            "layer": "event",
            "category": "",
            "importance": 0.5,
            "emotion_intensity": 0.0,
            "valence": 0.0,
            "mood": "",
            "sentiment": "",
            "tags": (),
            "topics": (),
            "participants": (),
            "key_facts": (),
            "sensitivity": "normal",
            "status": "active",
            "pinned": False,
            "protected": False,
            "resolved": False,
            "conversation_id": None,
            "session_id": None,
            "persona_id": None,
            "position": None,
            "source_agent": "",
            "source_client": "",
            "source_text": "",
            "event_time": None,
            "external_ids": (),
            "extra": {},
            "created_at": now,
            "updated_at": now,
            "content_key": f"key-{content or number}",
            "script": "latin",
        }
        return row | given

    return make
