"""What the surfacing tests share: a store that is filled by a word, and the parameters in force."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.config import Settings
from engine.storage import atoms, graph, memories
from engine.storage.database import Connection, Database

START = datetime(2026, 3, 1, 8, 30, tzinfo=UTC)


class Store:
    """A real database. Each memory is a minute younger than the one before, unless told otherwise."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._numbers = itertools.count(1)

    def add(self, content: str = "", **given: Any) -> int:
        number = next(self._numbers)
        at = given.pop("created_at", START + timedelta(minutes=number))
        row: dict[str, Any] = {
            "uid": f"uid-{number}", "title": "", "content": content or f"memory {number}", "compressed": "",
            "summary": content or f"memory {number}", "layer": "event", "category": "", "importance": 0.5,
            "emotion_intensity": 0.0, "valence": 0.0, "mood": "", "sentiment": "", "tags": (), "topics": (),
            "participants": (), "key_facts": (), "sensitivity": "normal", "status": "active", "pinned": False,
            "protected": False, "resolved": False, "conversation_id": None, "session_id": None, "persona_id": None,
            "position": None, "source_agent": "", "source_client": "", "source_text": "", "event_time": None,
            "external_ids": (), "extra": {}, "created_at": at, "updated_at": at, "content_key": f"key-{number}",
            "script": "latin",
        }  # fmt: skip
        with self._database.transaction() as cx:
            return memories.insert(cx, row | given)

    def plan(self, due: datetime, told: dict[int, str], **given: Any) -> int:
        """A planned fact that memories tell: memory → its words."""
        row: dict[str, Any] = {
            "type": "planned", "status": "active", "status_at": START, "conversation_id": None, "persona_id": None,
            "importance": 0.5, "confidence": 0.85, "event_time": due, "created_at": START, "last_accessed_at": None,
            "last_reinforced_at": None, "reinforcement_count": 0, "ttl_days": 2.0, "expires_at": due,
        }  # fmt: skip
        with self._database.transaction() as cx:
            atom_id = atoms.insert(cx, row | given)
            for memory_id, text in told.items():
                known = graph.mentions_of(cx, memory_id)
                graph.put(cx, memory_id, [*known, graph.Mentioned("fact", text, text, True, atom_id)])
            return atom_id

    def set(self, memory_id: int, **values: Any) -> None:
        with self._database.transaction() as cx:
            memories.update(cx, memory_id, values)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        with self._database.reader() as cx:
            yield cx


@pytest.fixture
def open_store(tmp_path: Path) -> Iterator[Callable[[], Store]]:
    """Opens empty stores, each of its own."""
    opened: list[Database] = []

    def opener() -> Store:
        directory = tmp_path / f"store {len(opened)}"
        directory.mkdir()
        opened.append(Database.open(directory, busy_seconds=0.5))
        return Store(opened[-1])

    yield opener
    for database in opened:
        database.close()


@pytest.fixture
def store(open_store: Callable[[], Store]) -> Store:
    return open_store()


@pytest.fixture(scope="session")
def make_store() -> Callable[[Database], Store]:
    """For laws, which open a database for each example."""
    return Store


@pytest.fixture
def parameters() -> dict[str, Any]:
    """The defaults, but nothing unsettled and no hint at digests comes up unless a test wants it."""
    return {**Settings().current, "surfacing.rumination_share": 0.0, "digest.hints": False}
