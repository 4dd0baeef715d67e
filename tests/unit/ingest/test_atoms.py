"""Facts of a memory become atoms: kept, told again, or new; what can not be stored never takes its memory with it."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import apsw
import pytest

from engine.forgetting import atoms as lifecycle
from engine.ingest import atoms
from engine.ingest.classify import Classified
from engine.ingest.entities import canonicalise
from engine.ingest.facts import Fact
from engine.ingest.readings import Readings
from engine.storage import atoms as rows
from engine.storage import graph, memories
from engine.storage.database import Database
from engine.text.segmentation import Segmenter
from engine.types import Atom, AtomType, Memory

NOW = datetime(2026, 5, 13, 2, 0, tzinfo=UTC)
ZONE = ZoneInfo("Asia/Shanghai")
DAY = timedelta(days=1)

# (told first, told again), by people who mean the same …
SAME = (
    ("小明喜欢喝龙井茶", "小明很喜欢喝龙井茶"),
    ("她在北京大学读研究生", "她正在北京大学读研究生"),
    ("王芳的生日是五月三日", "王芳的生日在五月三日"),
    ("项目使用 Python 和 SQLite", "项目用的是 Python 和 SQLite"),
    ("他讨厌吃香菜", "他很讨厌吃香菜"),
    ("會議室在三樓", "会议室在三楼"),
    ("小明的妈妈是医生", "小明妈妈是一名医生"),
    ("用户偏好深色主题", "用户更偏好深色主题的编辑器"),
    ("The user likes green tea", "User really likes green tea"),
    ("Ann works at Google in Zurich", "Ann is working at Google in Zurich"),
    ("Carol is Dave's sister", "Carol is the sister of Dave"),
    ("The project uses Postgres for storage", "The project is using Postgres for storage"),
    ("Eve enjoys hiking in the mountains", "Eve loves hiking in mountains"),
    ("User's favourite colour is blue", "The user's favorite color is blue"),
    ("The team writes tests in pytest", "The team writes unit tests in pytest"),
    ("Ann's wedding is on 20 May", "Ann's wedding is on 20 May 2026"),
)
# … and by people who do not, although most words are the same.
DIFFERENT = (
    ("用户喜欢喝绿茶", "用户喜欢喝红茶"),
    ("用户吃辣", "用户不吃辣"),
    ("小红是张伟的同学", "小红是张伟的同事"),
    ("小明是小红的老师", "小红是小明的老师"),
    ("我妈妈喜欢喝茶", "我喜欢喝茶"),
    ("我喜欢喝茶", "他喜欢喝茶"),
    ("小明会来", "小明会去"),
    ("服务部署在测试环境的服务器上", "服务部署在生产环境的服务器上"),
    ("我的生日是五月三日", "我的生日是五月四日"),
    ("The user likes green tea", "The user likes black tea"),
    ("The server runs on port 8080", "The server runs on port 8081"),
    ("Ann works at Google in Zurich", "Ann works at Google in London"),
    ("Tom is Bob's boss", "Bob is Tom's boss"),
    ("The boss of Tom is Bob", "The boss of Bob is Tom"),
    ("The server runs in the cellar", "The server runs in the cellar on 8080"),
    ("The user likes tea", "The user likes tea with honey, lemon and fresh mint"),
    ("My sister likes tea", "I like tea"),
    ("He likes tea", "She likes tea"),
    ("The switch is on", "The switch is off"),
    ("I like tea with milk", "I like tea without milk"),
)


@pytest.fixture
def db(data_dir: Path) -> Iterator[Database]:
    database = Database.open(data_dir)
    yield database
    database.close()


@pytest.fixture(scope="module")
def segmenter() -> Segmenter:
    return Segmenter(None)


class Shelf:
    """Memories and their facts in one transaction, stored as the write path does it."""

    def __init__(self, cx: Any, segmenter: Segmenter) -> None:
        self.cx = cx
        self.readings = Readings(segmenter)

    def memory(self, **given: Any) -> Memory:
        number = int(self.cx.execute("SELECT count(*) FROM memories").get)
        row: dict[str, Any] = dict.fromkeys(
            ("title", "compressed", "category", "mood", "sentiment", "source_agent", "source_client", "source_text"), ""
        )
        row |= dict.fromkeys(("conversation_id", "session_id", "persona_id", "position", "event_time"))
        row |= dict.fromkeys(("tags", "topics", "participants", "key_facts", "external_ids"), ())
        row |= dict.fromkeys(("pinned", "protected", "resolved"), False)
        row |= {
            "uid": str(number), "content": str(number), "summary": "", "layer": "event", "importance": 0.5,
            "emotion_intensity": 0.0, "valence": 0.0, "sensitivity": "normal", "status": "active", "extra": {},
            "created_at": NOW, "updated_at": NOW, "content_key": str(number), "script": "latin",
        }  # fmt: skip
        memory = memories.get(self.cx, memories.insert(self.cx, row | given))
        assert memory is not None
        return memory

    def settle(
        self, memory: Memory, texts: Sequence[str], now: datetime = NOW, kind: AtomType = "factual", **given: Any
    ) -> list[int | None]:
        known = Classified(type=kind, confidence=lifecycle.KINDS[kind].confidence, event_time=None)
        facts = [(Fact(text=text, given=True), replace(known, **given)) for text in texts]
        settled = atoms.settle(self.cx, memory, facts, now, ZONE, self.readings)
        assert [fact for fact, _ in settled] == [fact for fact, _ in facts]
        said = [
            graph.Mentioned("fact", canonicalise("fact", fact.text), fact.text, True, atom_id)
            for fact, atom_id in settled
        ]
        rows.delete(self.cx, graph.put(self.cx, memory.id, said).atoms_gone)
        return [atom_id for _, atom_id in settled]

    def say(self, *texts: str, now: datetime = NOW, kind: AtomType = "factual", **given: Any) -> list[int | None]:
        return self.settle(self.memory(**given), texts, now, kind)

    def atom(self, atom_id: int | None) -> Atom:
        assert atom_id is not None
        return rows.get_many(self.cx, [atom_id])[atom_id]


@pytest.fixture
def shelf(db: Database, segmenter: Segmenter) -> Iterator[Shelf]:
    with db.transaction() as cx:
        yield Shelf(cx, segmenter)


def test_a_new_fact_is_a_new_atom_with_the_life_of_its_type(shelf: Shelf) -> None:
    memory = shelf.memory(conversation_id="c1", persona_id="p", importance=1.0)
    atom = shelf.atom(shelf.settle(memory, ["小明喜欢喝龙井茶"], kind="preference")[0])
    assert (atom.type, atom.status, atom.confidence, atom.importance) == ("preference", "active", 0.82, 1.0)
    assert (atom.conversation_id, atom.persona_id, atom.memory_ids) == ("c1", "p", (memory.id,))
    assert (atom.created_at, atom.ttl_days, atom.expires_at) == (NOW, 90.0, NOW + 90 * DAY)
    assert (atom.reinforcement_count, atom.last_reinforced_at, atom.text) == (0, None, "小明喜欢喝龙井茶")


def test_a_plan_runs_to_two_days_after_its_local_day(shelf: Shelf) -> None:
    event = datetime(2026, 5, 20, 17, 0, tzinfo=UTC)
    atom = shelf.atom(shelf.settle(shelf.memory(), ["去杭州"], kind="planned", event_time=event)[0])
    assert atom.event_time == event and atom.expires_at == datetime(2026, 5, 23, 16, 0, tzinfo=UTC)


@pytest.mark.parametrize(("first", "again"), [*SAME, *((b, a) for a, b in SAME)])
def test_a_fact_told_again_in_other_words_reinforces_its_atom(shelf: Shelf, first: str, again: str) -> None:
    """S0: Jaccard of segmented bags from 0.6 counts one more, and the time to live begins anew."""
    (one,) = shelf.say(first)
    (two,) = shelf.say(again, now=NOW + 10 * DAY, importance=0.9)
    atom = shelf.atom(one)
    assert two == one and atom.memory_ids == (1, 2) and atom.text == first
    assert (atom.reinforcement_count, atom.last_reinforced_at) == (1, NOW + 10 * DAY)
    assert (atom.importance, atom.confidence) == (0.9, pytest.approx(0.78))
    assert atom.expires_at == NOW + 10 * DAY + 180 * 1.4 * 1.5 * DAY


@pytest.mark.parametrize(("first", "other"), [*DIFFERENT, *((b, a) for a, b in DIFFERENT)])
def test_another_fact_in_nearly_the_same_words_is_another_atom(shelf: Shelf, first: str, other: str) -> None:
    (one,) = shelf.say(first)
    (two,) = shelf.say(other)
    assert two != one and shelf.atom(one).reinforcement_count == 0


def test_the_new_confidence_is_mixed_in(shelf: Shelf) -> None:
    """S0: 0.7·old + 0.3·new."""
    (one,) = shelf.say("Ann keeps bees in Ghent")
    shelf.settle(shelf.memory(), ["Ann keeps bees in Ghent"], confidence=0.6)
    assert shelf.atom(one).confidence == pytest.approx(0.7 * 0.78 + 0.3 * 0.6)


def test_only_active_atoms_of_the_same_scope_are_told_again(shelf: Shelf) -> None:
    text = "Ann keeps bees in Ghent"
    scopes = ({}, {"conversation_id": "c1"}, {"persona_id": "p"}, {"conversation_id": "c1", "persona_id": "p"})
    ids = [shelf.say(text, **scope)[0] for scope in scopes]
    assert len(set(ids)) == 4
    assert [shelf.say("Ann really keeps bees in Ghent", **scope)[0] for scope in scopes] == ids
    for status in ("dormant", "superseded", "expired", "forgotten", "purged", "needs_repair"):
        rows.update(shelf.cx, ids[0] or 0, {"status": status})
        (new,) = shelf.say(text)
        assert new not in ids
        ids.append(new)
        rows.update(shelf.cx, new or 0, {"status": "purged"})


def test_no_chain_of_tellings_leads_to_a_contradiction(shelf: Shelf) -> None:
    (one,) = shelf.say("Ann's wedding is on 20 May 2026")
    assert shelf.say("Ann's wedding is on 20 May") == [one]
    (two,) = shelf.say("Ann's wedding is on 20 May 2027")
    assert two != one


def test_two_facts_of_one_memory_are_two_atoms_unless_their_text_is_the_same(shelf: Shelf) -> None:
    memory = shelf.memory()
    ids = shelf.settle(memory, ["小明喜欢喝龙井茶", "小明很喜欢喝龙井茶", "小明喜欢喝龙井茶", "小明喜欢喝 龍井茶"])
    assert len(set(ids)) == 2 and ids[0] == ids[2] == ids[3]
    assert shelf.atom(ids[0]).reinforcement_count == 0
    # Both are known; a third telling belongs to one of them, and the other is not taken as well.
    again = shelf.say("小明喜欢喝龙井茶", "小明非常喜欢喝龙井茶")
    assert again[0] == ids[0] and again[1] == ids[1]


def test_an_atom_that_one_fact_of_a_memory_has_is_not_taken_by_another_with_its_very_words(shelf: Shelf) -> None:
    (one,) = shelf.say("Ann keeps bees in Ghent")
    assert shelf.say("Ann really keeps bees in Ghent") == [one]
    first, second = shelf.say("Ann really keeps bees in Ghent", "Ann keeps bees in Ghent")
    assert first == one and second != one


def test_an_edit_keeps_the_atoms_of_what_stays_and_reinforces_nothing(shelf: Shelf) -> None:
    memory = shelf.memory()
    stays, changes, goes = shelf.settle(memory, ["会议室在三楼", "Ann keeps bees in Ghent", "小明喜欢喝龙井茶"])
    later = NOW + DAY
    after = shelf.settle(memory, ["会议室在三楼", "Ann really keeps bees in Ghent", "Bob sells cars"], later)
    assert after[:2] == [stays, changes] and after[2] not in (stays, changes, goes)
    assert shelf.atom(stays).reinforcement_count == shelf.atom(changes).reinforcement_count == 0
    assert rows.get_many(shelf.cx, [goes or 0]) == {}
    assert shelf.settle(memory, ["会议室在三楼", "Ann really keeps bees in Ghent", "Bob sells cars"], later) == after


def test_a_memory_that_is_not_active_has_atoms_that_are_not(shelf: Shelf) -> None:
    found = [shelf.atom(shelf.say(f"Ann's cat is number {n}", status=status)[0]).status for n, status in enumerate(
        ("active", "archived", "superseded", "trashed")
    )]  # fmt: skip
    assert found == ["active", "dormant", "superseded", "dormant"]


def test_what_can_not_be_stored_is_flagged_and_the_rest_goes_on(shelf: Shelf, caplog: pytest.LogCaptureFixture) -> None:
    shelf.cx.execute(
        "CREATE TEMP TRIGGER refuse AFTER INSERT ON main.atoms WHEN new.type = 'planned' "
        "BEGIN SELECT raise(FAIL, 'no plans'); END"
    )
    memory = shelf.memory()
    with caplog.at_level(logging.WARNING, logger="hupo.atoms"):
        (bad,) = shelf.settle(memory, ["下周三去杭州"], kind="planned")
        (good,) = shelf.say("会议室在三楼")
    atom = shelf.atom(bad)
    assert (atom.status, atom.type, atom.text, atom.memory_ids) == ("needs_repair", "unknown", "下周三去杭州", (1,))
    assert shelf.atom(good).status == "active"
    assert rows.count_by_status(shelf.cx) == {"active": 1, "needs_repair": 1}, "no half of what failed stays"
    assert "no plans" not in caplog.text and "杭州" not in caplog.text and "ConstraintError" in caplog.text
    # Tried again in vain, it stays flagged; once the trouble is over it becomes what it is.
    shelf.cx.execute(
        "CREATE TEMP TRIGGER again BEFORE UPDATE ON main.atoms WHEN new.type <> 'unknown' "
        "BEGIN SELECT raise(ABORT, 'no plans'); END"
    )
    (other,) = shelf.settle(shelf.memory(), ["下周四去苏州"], kind="planned")
    assert atoms.repair(shelf.cx, 1, NOW + DAY, ZONE) == atoms.Repaired(0, 1)
    assert shelf.atom(bad).status == "needs_repair"
    assert rows.broken(shelf.cx, 1) == [other], "one that stays broken does not keep the others from their turn"
    shelf.cx.execute("DROP TRIGGER again; DROP TRIGGER refuse")
    assert atoms.repair(shelf.cx, 10, NOW + DAY, ZONE) == atoms.Repaired(2, 0)
    mended = shelf.atom(bad)
    assert (mended.status, mended.type) == ("active", "planned")
    assert mended.event_time is not None and mended.event_time.astimezone(ZONE).date().isoformat() == "2026-05-20"
    assert atoms.repair(shelf.cx, 10, NOW, ZONE) == atoms.Repaired(0, 0)


def test_where_not_even_the_flag_can_be_kept_the_fact_stays_without_an_atom(shelf: Shelf) -> None:
    shelf.cx.execute("CREATE TEMP TRIGGER refuse BEFORE INSERT ON main.atoms BEGIN SELECT raise(ABORT, 'none'); END")
    memory = shelf.memory()
    assert shelf.settle(memory, ["会议室在三楼"]) == [None]
    assert rows.told_by(shelf.cx, memory.id) == {"会议室在三楼": None}
    shelf.cx.execute("DROP TRIGGER refuse")
    assert shelf.atom(shelf.settle(memory, ["会议室在三楼"])[0]).status == "active"


def test_a_failure_that_took_the_transaction_is_not_hidden(db: Database, segmenter: Segmenter) -> None:
    with pytest.raises(apsw.SQLError, match="no transaction"), db.transaction() as cx:
        memory = Shelf(cx, segmenter).memory()
        cx.execute("CREATE TEMP TRIGGER refuse BEFORE INSERT ON main.atoms BEGIN SELECT raise(ROLLBACK, 'all'); END")
        fact = Fact(text="会议室在三楼", given=True), Classified(type="factual", confidence=0.78, event_time=None)
        with pytest.raises(apsw.Error):
            atoms.settle(cx, memory, [fact], NOW, ZONE, Readings(segmenter))


def test_values_of_any_kind_are_kept_or_flagged(shelf: Shelf) -> None:
    naive = datetime(2026, 5, 20)
    (flagged,) = shelf.settle(shelf.memory(), ["Ann goes to Ghent"], kind="episodic", event_time=naive)
    assert shelf.atom(flagged).status == "needs_repair"
    odd = ("", " ", "…", "\ud800", "a\x00b", "茶" * 5000, "🍵", "the of", "สวัสดีครับ", "1 2 3", '"AND" OR (', "\ue000")
    for text in odd:
        known = Classified(type="unknown", confidence=0.6, event_time=None)
        fact = Fact(text=text, given=True)
        ((_, new),) = atoms.settle(shelf.cx, shelf.memory(), [(fact, known)], NOW, ZONE, shelf.readings)
        assert shelf.atom(new).status == "active", text


def test_the_same_memory_told_again_reinforces_and_wakes_its_atoms(shelf: Shelf) -> None:
    now = NOW + 400 * DAY
    memory = shelf.memory()
    ids = shelf.settle(memory, ["Ann has a cat", "Bob has a cow", "红茶", "小王在上海"])
    _, asleep, over, replaced = ids
    for atom_id, status in ((asleep, "dormant"), (over, "expired"), (replaced, "superseded")):
        rows.update(shelf.cx, atom_id or 0, {"status": status})
    atoms.retold(shelf.cx, memory.id, now)
    found = [shelf.atom(atom_id) for atom_id in ids]
    assert [atom.status for atom in found] == ["active", "active", "active", "superseded"]
    assert [atom.reinforcement_count for atom in found] == [1, 1, 1, 0]
    assert all(atom.expires_at == now + 270 * DAY for atom in found[:3])
    assert [atom.id for atom in rows.of_memory(shelf.cx, memory.id)] == ids


@pytest.mark.parametrize("status", ["forgotten", "purged"])
def test_what_was_forgotten_begins_a_new_life_when_it_is_told_again(shelf: Shelf, status: str) -> None:
    first, second = shelf.memory(), shelf.memory()
    (shared,) = shelf.settle(first, ["Ann has a cat"], kind="preference")
    assert shelf.settle(second, ["Ann has a cat"]) == [shared]
    rows.update(shelf.cx, shared or 0, {"status": status, "reinforcement_count": 7})
    graph.reindex(shelf.cx, rows.entries_of(shelf.cx, [shared or 0]))
    assert rows.entries_with(shelf.cx, '"cat"', 9) == []
    now = NOW + 300 * DAY
    atoms.retold(shelf.cx, first.id, now)
    (new,) = rows.of_memory(shelf.cx, first.id)
    assert new.id != shared and (new.type, new.status, new.reinforcement_count) == ("preference", "active", 0)
    assert (new.created_at, new.expires_at, new.text) == (now, now + 60 * DAY, "Ann has a cat")
    assert len(rows.entries_with(shelf.cx, '"cat"', 9)) == 1
    assert shelf.atom(shared).memory_ids == (second.id,) and shelf.atom(shared).status == status
    atoms.retold(shelf.cx, second.id, now)
    assert rows.get_many(shelf.cx, [shared or 0]) == {}, "the tombstone of a fact that lives anew says nothing"


def test_a_recall_freshens_and_wakes(shelf: Shelf) -> None:
    memory, other = shelf.memory(), shelf.memory()
    ids = shelf.settle(memory, ["Ann has a cat", "Bob has a cow", "红茶", "小王在上海"])
    _, asleep, over, gone = ids
    (untouched,) = shelf.settle(other, ["Eve has a dog"])
    for atom_id, status in ((asleep, "dormant"), (over, "expired"), (gone, "forgotten")):
        rows.update(shelf.cx, atom_id or 0, {"status": status})
    now = NOW + 200 * DAY
    assert atoms.recalled(shelf.cx, [memory.id], now) == (asleep, over)
    found = [shelf.atom(atom_id) for atom_id in ids]
    assert [atom.status for atom in found] == ["active", "active", "active", "forgotten"]
    assert [atom.last_accessed_at for atom in found] == [now, now, now, None]
    assert [atom.reinforcement_count for atom in found] == [0] * 4
    assert found[2].expires_at == now + 180 * DAY
    assert shelf.atom(untouched).last_accessed_at is None
    assert atoms.recalled(shelf.cx, [], now) == ()


def test_a_fact_is_found_among_many_that_share_its_frequent_words(shelf: Shelf) -> None:
    (one,) = shelf.say("小明每天喝杭州的茶")
    names = [chr(0x4E00 + 7 * number) + chr(0x5E00 + number) for number in range(300)]
    for start in range(0, 300, 10):
        shelf.say(*(f"小明每天喝{name}的茶" for name in names[start : start + 10]))
    (two,) = shelf.say("小明每天都喝杭州的茶")
    assert two == one
