"""The states a fact goes through: swept by time, woken by use, following the memories that say it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.forgetting import atoms as lifecycle
from engine.storage import atoms, graph, memories
from engine.storage.database import Database
from engine.text import terms
from engine.types import Atom, AtomStatus

START = datetime(2026, 3, 1, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def db(data_dir: Path) -> Iterator[Database]:
    database = Database.open(data_dir)
    yield database
    database.close()


def _memory(cx: Any, status: str = "active") -> int:
    number = int(cx.execute("SELECT count(*) FROM memories").get)
    row: dict[str, Any] = dict.fromkeys(
        ("title", "compressed", "category", "mood", "sentiment", "source_agent", "source_client", "source_text"), ""
    )
    row |= dict.fromkeys(("conversation_id", "session_id", "persona_id", "position", "event_time"))
    row |= dict.fromkeys(("tags", "topics", "participants", "key_facts", "external_ids"), ())
    row |= dict.fromkeys(("pinned", "protected", "resolved"), False)
    row |= {
        "uid": str(number), "content": str(number), "summary": "", "layer": "event", "importance": 0.5,
        "emotion_intensity": 0.0, "valence": 0.0, "sensitivity": "normal", "status": status, "extra": {},
        "created_at": START, "updated_at": START, "content_key": str(number), "script": "latin",
    }  # fmt: skip
    return memories.insert(cx, row)


def _atom(cx: Any, *statuses: str, text: str = "tea is green", **given: Any) -> int:
    """An atom that a memory of each status says; ten days to live unless given."""
    row: dict[str, Any] = {
        "type": "factual", "status": "active", "status_at": START, "conversation_id": None, "persona_id": None,
        "importance": 0.5, "confidence": 0.78, "event_time": None, "created_at": START, "last_accessed_at": None,
        "last_reinforced_at": None, "reinforcement_count": 0, "ttl_days": 10.0, "expires_at": START + 10 * DAY,
    }  # fmt: skip
    atom_id = atoms.insert(cx, row | given)
    for number, status in enumerate(statuses or ("active",)):
        said = graph.Mentioned("fact", f"{text} {number}", f"{text} {number}", True, atom_id)
        graph.put(cx, _memory(cx, status), [said])
    return atom_id


def _get(cx: Any, atom_id: int) -> Atom:
    return atoms.get_many(cx, [atom_id])[atom_id]


def _state(cx: Any, atom_id: int) -> tuple[AtomStatus, datetime]:
    atom = _get(cx, atom_id)
    return atom.status, atom.status_at


def _indexed(cx: Any) -> int:
    return len(atoms.entries_with(cx, terms.fts_query(["tea"]), 10))


def test_an_atom_expires_is_forgotten_and_leaves_a_tombstone(db: Database) -> None:
    """S0: expired when its time is up, forgotten 7 days later and out of the index, purged 30 days after that."""
    with db.transaction() as cx:
        atom_id = _atom(cx)
        seen = []
        for days in (9.99, 10, 16.99, 17, 46.99, 47):
            lifecycle.sweep(cx, START + days * DAY)
            seen.append((*_state(cx, atom_id), _indexed(cx)))
    assert seen == [
        ("active", START, 1),
        ("expired", START + 10 * DAY, 1),
        ("expired", START + 10 * DAY, 1),
        ("forgotten", START + 17 * DAY, 0),
        ("forgotten", START + 17 * DAY, 0),
        ("purged", START + 47 * DAY, 0),
    ]


def test_after_a_long_absence_one_sweep_does_what_many_would_have(db: Database) -> None:
    """60 days asleep: what would have happened meanwhile has happened, at its own time."""
    with db.transaction() as cx:
        short = _atom(cx, text="tea", expires_at=START + 1 * DAY)
        middle = _atom(cx, "dormant", text="cake", expires_at=START + 40 * DAY)
        long = _atom(cx, text="rice", expires_at=START + 90 * DAY)
        swept = lifecycle.sweep(cx, START + 60 * DAY)
        assert _state(cx, short) == ("purged", START + 38 * DAY)
        assert _state(cx, middle) == ("forgotten", START + 47 * DAY)
        assert _state(cx, long) == ("active", START)
        assert dict(swept.counts) == {"purged": 1, "forgotten": 1}
        assert (swept.ids, swept.more) == ((short, middle), False)
        assert lifecycle.sweep(cx, START + 60 * DAY) == lifecycle.Swept({}, (), False)


def test_the_delays_and_the_size_of_a_sweep_are_the_callers(db: Database) -> None:
    with db.transaction() as cx:
        ids = [_atom(cx, text=f"tea {number}") for number in range(3)]
        first = lifecycle.sweep(cx, START + 13 * DAY, 2, forget_days=1, purge_days=1)
        assert dict(first.counts) == {"purged": 2} and first.more
        second = lifecycle.sweep(cx, START + 13 * DAY, 2, forget_days=1, purge_days=1)
        assert first.ids + second.ids == tuple(ids) and not second.more


def test_words_stay_findable_while_another_life_has_them(db: Database) -> None:
    with db.transaction() as cx:
        _atom(cx)
        _atom(cx, conversation_id="c1", expires_at=START + 100 * DAY)
        lifecycle.sweep(cx, START + 20 * DAY)
        assert _indexed(cx) == 1


def test_waking_gives_time_to_live_only_where_it_had_run_out(db: Database) -> None:
    now = START + 12 * DAY
    with db.transaction() as cx:
        asleep = _atom(cx, text="a", status="dormant", expires_at=START + 20 * DAY)
        expired = _atom(cx, text="b", status="expired")
        others = [_atom(cx, text=status, status=status) for status in ("forgotten", "purged", "superseded")]
        assert lifecycle.wake(cx, [asleep, expired, *others], now) == (asleep, expired)
        assert (_state(cx, asleep), _get(cx, asleep).expires_at) == (("active", now), START + 20 * DAY)
        assert (_state(cx, expired), _get(cx, expired).expires_at) == (("active", now), now + 180 * DAY)
        assert lifecycle.factor(_get(cx, expired), now) > 0
        assert [_get(cx, one).status for one in others] == ["forgotten", "purged", "superseded"]


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        (("active",), "active"),
        (("trashed", "superseded", "active"), "active"),
        (("dormant",), "dormant"),
        (("archived", "superseded"), "dormant"),
        (("superseded",), "superseded"),
        (("expired", "superseded"), "superseded"),
        (("superseded", "trashed"), "superseded"),
        (("trashed",), "dormant"),
        (("pending", "trashed"), "dormant"),
    ],
)
def test_an_atom_is_as_alive_as_the_memories_that_say_it(
    db: Database, statuses: Sequence[str], status: AtomStatus
) -> None:
    now = START + DAY
    with db.transaction() as cx:
        for before in ("active", "dormant", "superseded"):
            atom_id = _atom(cx, *statuses, text=before, status=before)
            moved = lifecycle.follow(cx, _get(cx, atom_id).memory_ids[:1], now)
            assert moved == (() if before == status else (atom_id,))
            assert _state(cx, atom_id) == (status, START if before == status else now)
        for before in ("expired", "forgotten", "purged", "needs_repair"):
            atom_id = _atom(cx, *statuses, text=before, status=before)
            assert lifecycle.follow(cx, _get(cx, atom_id).memory_ids, now) == ()
            assert _state(cx, atom_id) == (before, START)
        assert lifecycle.follow(cx, [], now) == ()


def test_an_atom_whose_time_is_over_does_not_wake_with_its_memory(db: Database) -> None:
    with db.transaction() as cx:
        atom_id = _atom(cx, "active", status="dormant")
        lifecycle.follow(cx, _get(cx, atom_id).memory_ids, START + 30 * DAY)
        assert _state(cx, atom_id) == ("expired", START + 10 * DAY)
