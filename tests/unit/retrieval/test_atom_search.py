"""Search among facts: words and what their lifetime leaves, filters without loss, any text a question."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.forgetting.atoms import factor
from engine.retrieval.atoms import search
from engine.storage import atoms, graph, memories
from engine.storage.database import Database
from engine.types import ALL_SCOPES, AtomHit, AtomQuery, AtomType, Filters

NOW = datetime(2026, 3, 1, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def db(data_dir: Path) -> Iterator[Database]:
    database = Database.open(data_dir)
    yield database
    database.close()


def _say(
    cx: Any, text: str, atom_id: int | None = None, *, age: float = 0, kind: AtomType = "factual", **given: Any
) -> int:
    """A memory that says ``text``, of a new atom unless one is given; returns the atom."""
    number = int(cx.execute("SELECT count(*) FROM memories").get)
    row: dict[str, Any] = dict.fromkeys(
        ("title", "compressed", "category", "mood", "sentiment", "source_agent", "source_client", "source_text"), ""
    )
    row |= dict.fromkeys(("conversation_id", "session_id", "persona_id", "position", "event_time"))
    row |= dict.fromkeys(("tags", "topics", "participants", "key_facts", "external_ids"), ())
    row |= dict.fromkeys(("pinned", "protected", "resolved"), False)
    row |= {
        "uid": str(number), "content": text, "summary": "", "layer": "event", "importance": 0.5,
        "emotion_intensity": 0.0, "valence": 0.0, "sensitivity": "normal", "status": "active", "extra": {},
        "created_at": NOW, "updated_at": NOW, "content_key": str(number), "script": "latin",
    }  # fmt: skip
    memory_id = memories.insert(cx, row | given)
    if atom_id is None:
        begun = NOW - age * DAY
        atom_id = atoms.insert(cx, {
            "type": kind, "status": "active", "status_at": begun, "conversation_id": None, "persona_id": None,
            "importance": 0.5, "confidence": 0.8, "event_time": None, "created_at": begun, "last_accessed_at": None,
            "last_reinforced_at": None, "reinforcement_count": 0, "ttl_days": 100.0, "expires_at": begun + 100 * DAY,
        })  # fmt: skip
    graph.put(
        cx, memory_id, [graph.Mentioned("fact", text, text, True, atom_id), graph.Mentioned("topic", "茶", "茶 tea")]
    )
    return atom_id


def _find(db: Database, text: str, **given: Any) -> list[int]:
    return [hit.atom.id for hit in _hits(db, text, **given)]


def _hits(db: Database, text: str, **given: Any) -> tuple[AtomHit, ...]:
    with db.reader() as cx:
        return search(cx, AtomQuery(text, **given), NOW)


def test_facts_are_found_by_their_words_in_both_languages(db: Database) -> None:
    with db.transaction() as cx:
        tea = _say(cx, "小明喜欢喝龙井茶")
        desk = _say(cx, "Ann keeps the red folder on her desk")
        _say(cx, "会议在三楼")
    assert _find(db, "谁喜欢龙井") == [tea]
    assert _find(db, "where is Ann's folder?") == [desk]
    hit = _hits(db, "龙井茶")[0]
    assert (hit.atom.text, hit.score, hit.factor) == ("小明喜欢喝龙井茶", 1.0, 1.0)


def test_the_score_is_the_share_of_the_best_match_times_what_is_left(db: Database) -> None:
    """S0: text match times the TTL factor."""
    with db.transaction() as cx:
        faded = _say(cx, "green tea", age=90)
        fresh = _say(cx, "green tea and a lot of other things that Ann bought on the market", age=1)
    hits = _hits(db, "green tea")
    assert [hit.atom.id for hit in hits] == [fresh, faded]
    assert hits[1].score == pytest.approx(factor(hits[1].atom, NOW)) and hits[1].factor == hits[1].score
    assert 0 < hits[0].score < hits[0].factor <= 1


def test_an_atom_is_one_hit_by_its_best_words(db: Database) -> None:
    with db.transaction() as cx:
        atom_id = _say(cx, "tea")
        _say(cx, "tea, green as grass, from Hangzhou", atom_id)
        _say(cx, "tea", atom_id)
    (hit,) = _hits(db, "tea")
    assert (hit.atom.memory_ids, hit.score) == ((1, 2, 3), 1.0)


def test_equal_scores_go_by_id(db: Database) -> None:
    with db.transaction() as cx:
        ids = [_say(cx, f"tea number {number}") for number in range(5)]
    assert _find(db, "tea", k=3) == ids[:3]


def test_only_live_atoms_are_found(db: Database) -> None:
    with db.transaction() as cx:
        ids = [_say(cx, f"tea {number}") for number in range(5)]
        over = _say(cx, "tea over", age=100)
        for atom_id, status in zip(ids, ("dormant", "superseded", "expired", "needs_repair"), strict=False):
            atoms.update(cx, atom_id, {"status": status})
    assert _find(db, "tea", k=50) == [ids[4]] and over not in _find(db, "over")


def test_no_hit_is_lost_to_a_filter_and_no_hidden_word_shown(db: Database) -> None:
    with db.transaction() as cx:
        for number in range(300):
            _say(cx, f"green tea {number}", conversation_id="elsewhere")
        mine = _say(cx, "somewhere in the long talk Ann mentioned tea once", conversation_id="c1")
        shared = _say(cx, "secret tea", status="trashed")
        _say(cx, "the open tea", shared)
    assert _find(db, "green tea", filters=Filters(scope="c1")) == [shared, mine]
    assert _find(db, "secret") == []
    (hit,) = _hits(db, "tea")
    assert (hit.atom.text, hit.atom.memory_ids) == ("the open tea", (303,))
    assert len(_find(db, "green tea", k=50, filters=Filters(scope=ALL_SCOPES))) == 50


def test_types_narrow(db: Database) -> None:
    with db.transaction() as cx:
        _say(cx, "tea one")
        liked = _say(cx, "tea two", kind="preference")
        planned = _say(cx, "tea three", kind="planned")
    assert _find(db, "tea", types=("preference",)) == [liked]
    assert _find(db, "tea", types=("planned", "preference")) == [liked, planned]


def test_the_best_are_the_best_of_all_however_many_match(db: Database) -> None:
    """Reading stops early only where nothing better can follow."""
    with db.transaction() as cx:
        for number in range(200):
            _say(cx, "tea" + " word" * (number % 7), age=(number * 37) % 99)
    every = _hits(db, "tea", k=50)
    with db.reader() as cx:
        match = dict(atoms.matches(cx, '"tea"', Filters(), (), NOW))
        known = atoms.get_many(cx, match)
    best = max(match.values())
    plain = sorted((-match[one] / best * factor(known[one], NOW), one) for one in match)[:50]
    assert [(-hit.score, hit.atom.id) for hit in every] == plain
    assert [hit.atom.id for hit in _hits(db, "tea", k=3)] == [one for _, one in plain[:3]]


@pytest.mark.parametrize(
    "text", ["", "   ", "…！？", '"', "AND OR NOT", "tea* NEAR(", "a\x00b", "\ud800", "茶" * 3000, "🍵"]
)
def test_any_text_is_a_question(db: Database, text: str) -> None:
    with db.transaction() as cx:
        _say(cx, "茶 🍵")
    assert len(_hits(db, text)) <= 1
    assert _hits(db, text, k=0) == _hits(db, text, k=1)
