"""The word index: ranking, filters without loss, rows that come and go."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.index import lexical
from engine.storage import memories
from engine.storage.database import Database
from engine.text import terms
from engine.types import ALL_SCOPES, Filters

START = datetime(2026, 3, 1, tzinfo=UTC)
TEXTS = (
    "小明喜欢喝龙井茶，不喜欢咖啡。",
    "We decided to use SQLite for the database.",
    "昨天和小红去了杭州西湖边喝茶",
    "Ann's birthday is on 5 May; she likes green tea.",
    "項目使用 Python 3.11 和 SQLite 數據庫",
    "The café in Zürich serves espresso ☕",
)


@pytest.fixture
def db(data_dir: Path) -> Iterator[Database]:
    database = Database.open(data_dir)
    yield database
    database.close()


def _store(cx, number: int, text: str, **given: Any) -> int:
    now = START + timedelta(minutes=number)
    row: dict[str, Any] = dict.fromkeys(
        ("title", "compressed", "category", "mood", "sentiment", "source_agent", "source_client", "source_text"), ""
    )
    row |= dict.fromkeys(("conversation_id", "session_id", "persona_id", "position", "event_time"))
    row |= dict.fromkeys(("tags", "topics", "participants", "key_facts", "external_ids"), ())
    row |= dict.fromkeys(("pinned", "protected", "resolved"), False)
    row |= {
        "uid": str(number), "content": text, "summary": text, "layer": "event", "importance": 0.5,
        "emotion_intensity": 0.0, "valence": 0.0, "sensitivity": "normal", "status": "active", "extra": {},
        "created_at": now, "updated_at": now, "content_key": text, "script": "han",
    }  # fmt: skip
    memory_id = memories.insert(cx, row | given)
    lexical.put(cx, memory_id, terms.fts_row(text))
    return memory_id


def _ask(text: str) -> str:
    return terms.fts_query(terms.query_terms(text))


@pytest.fixture
def shelf(db: Database) -> list[int]:
    with db.transaction() as cx:
        return [_store(cx, number, text) for number, text in enumerate(TEXTS)]


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("小明喝什么茶", 0), ("龍井", 0), ("which database did we decide on", 1), ("sqlite database", 1),
        ("西湖", 2), ("小红", 2), ("Ann birthday", 3), ("数据库 Python", 4), ("cafe zurich", 5), ("☕", 5),
    ],
)  # fmt: skip
def test_words_of_both_languages_find_their_memory(db: Database, shelf: list[int], question: str, best: int) -> None:
    with db.reader() as cx:
        found = lexical.search(cx, _ask(question), 3, Filters())
        assert found[0][0] == shelf[best]
        scores = [score for _, score in found]
        assert scores == sorted(scores, reverse=True)
        assert all(score >= 0 for score in scores)
        assert found == lexical.search(cx, _ask(question), 3, None)


def test_nothing_asked_nothing_found(db: Database, shelf: list[int]) -> None:
    with db.reader() as cx:
        assert lexical.search(cx, "", 5, Filters()) == []
        assert lexical.search(cx, _ask("tea"), 0, Filters()) == []
        assert lexical.search(cx, _ask("zeppelin"), 5, Filters()) == []


@pytest.mark.parametrize(
    "hostile", ['"', "tea AND", "NEAR(a b)", "terms:tea", "* -x ^", "a OR OR b", "'; DROP", "\x00"]
)
def test_query_syntax_in_a_question_is_only_text(db: Database, shelf: list[int], hostile: str) -> None:
    with db.reader() as cx:
        lexical.search(cx, _ask(hostile), 5, Filters())
        assert shelf[3] in dict(lexical.search(cx, _ask(hostile + " tea birthday"), 5, Filters()))


def test_a_word_that_everybody_says_scores_no_less_than_zero(db: Database) -> None:
    with db.transaction() as cx:
        for number in range(8):
            _store(cx, number, f"tea word{number}")
        found = lexical.search(cx, _ask("tea"), 20, Filters())
    assert len(found) == 8
    assert all(0 <= score < 0.001 for _, score in found)


def test_within_a_set_only_its_own_statistics_count(db: Database) -> None:
    with db.transaction() as cx:
        # "place" is everywhere in the store, but in the set it tells one memory from the others.
        for number in range(50):
            _store(cx, number, f"place place place {number}")
        told = ("the place is Rome", "who was it", "Rome", "what was that", "nobody knows")
        inside = [_store(cx, 60 + number, text) for number, text in enumerate(told)]
        everything = dict(lexical.search(cx, _ask("place Rome"), 99, None))
        alone = lexical.search_within(cx, _ask("place Rome"), inside, 9)
    assert [one for one, _ in alone] == [inside[0], inside[2]]
    assert alone[0][1] > 1.5 * alone[1][1]
    assert everything[inside[0]] < 1.1 * everything[inside[2]]


def test_within_the_whole_store_it_is_the_same_ranking(db: Database, shelf: list[int]) -> None:
    with db.reader() as cx:
        for question in ("喝茶 tea SQLite", "小明 杭州", "birthday"):
            whole = lexical.search(cx, _ask(question), 9, None)
            assert [one for one, _ in lexical.search_within(cx, _ask(question), shelf, 9)] == [one for one, _ in whole]
        assert lexical.search_within(cx, "", shelf, 9) == []
        assert lexical.search_within(cx, _ask("tea"), [], 9) == []
        assert lexical.search_within(cx, _ask("tea"), [999], 9) == []


def test_putting_again_replaces_and_removing_forgets(db: Database, shelf: list[int]) -> None:
    with db.transaction() as cx:
        lexical.put(cx, shelf[0], terms.fts_row("完全不同"))
        assert lexical.count(cx) == len(TEXTS)
        assert shelf[0] not in dict(lexical.search(cx, _ask("龙井"), 9, None))
        assert lexical.search(cx, _ask("完全不同"), 9, None)[0][0] == shelf[0]
        lexical.remove(cx, [shelf[0], 999])
        lexical.remove(cx, [])
        assert lexical.count(cx) == len(TEXTS) - 1
        assert lexical.search(cx, _ask("完全不同"), 9, None) == []
        lexical.clear(cx)
        assert lexical.count(cx) == 0
        assert lexical.search(cx, _ask("tea"), 9, None) == []


def test_scores_do_not_depend_on_how_the_index_came_to_be(db: Database, shelf: list[int]) -> None:
    with db.transaction() as cx:
        fresh = lexical.search(cx, _ask("tea 喝茶 sqlite"), 9, None)
        for _ in range(20):
            for memory_id, text in zip(shelf, TEXTS, strict=True):
                lexical.put(cx, memory_id, terms.fts_row(text))
            lexical.put(cx, 999, "tea tea")
            lexical.remove(cx, [999])
        assert lexical.search(cx, _ask("tea 喝茶 sqlite"), 9, None) == fresh


def test_a_rare_filter_loses_nothing_behind_many_better_matches(db: Database) -> None:
    with db.transaction() as cx:
        for number in range(300):
            _store(cx, number, "tea tea tea", conversation_id="busy")
        wanted = [_store(cx, 300 + number, f"tea and much else about {number} other things") for number in range(3)]
        secret = _store(cx, 400, "tea once", sensitivity="high", status="archived", tags=("Rare",))
        found = lexical.search(cx, _ask("tea"), 5, Filters())
        assert {one for one, _ in found} == {*wanted, secret}
        everything = dict(lexical.search(cx, _ask("tea"), 999, None))
        assert dict(found) == {one: everything[one] for one in (*wanted, secret)}
        assert [one for one, _ in lexical.search(cx, _ask("tea"), 5, Filters(tags=("rare",)))] == [secret]
        assert len(lexical.search(cx, _ask("tea"), 5, Filters(scope=ALL_SCOPES))) == 5
        assert lexical.search(cx, _ask("tea"), 5, Filters(pinned=True)) == []


def test_a_search_leaves_no_snapshot_behind(db: Database, shelf: list[int]) -> None:
    with db.reader() as cx:
        lexical.search(cx, _ask("tea"), 1, Filters())
        lexical.search(cx, _ask("tea"), 1, None)
    with db.reader() as again:
        assert again is cx  # a connection with a half-read cursor would not have come back to the pool
    db.checkpoint()
