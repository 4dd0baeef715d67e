"""Writing, reading and counting single memories."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.errors import NotFound
from engine.storage import columns, journal, memories, passages, vectors
from engine.types import FINDABLE, STATUSES, Memory

NOW = datetime(2026, 5, 4, 12, 0, 0, 250, tzinfo=UTC)
FULL: dict[str, Any] = {
    "title": "标题",
    "content": "今天去了杭州 🍵\x00\n第二行",
    "summary": "杭州",
    "compressed": "去杭州",
    "layer": "decision",
    "category": "diary",
    "importance": 0.8,
    "emotion_intensity": 7.5,
    "valence": -0.25,
    "mood": "calm",
    "sentiment": "positive",
    "tags": ("旅行", "Tea"),
    "topics": ("杭州",),
    "participants": ("小明", "Ann"),
    "key_facts": ("a", "b"),
    "sensitivity": "medium",
    "status": "dormant",
    "pinned": True,
    "protected": True,
    "resolved": True,
    "conversation_id": "c",
    "session_id": "s",
    "persona_id": "p",
    "position": 3,
    "source_agent": "agent",
    "source_client": "client",
    "source_text": "the raw text",
    "event_time": NOW - timedelta(days=3),
    "external_ids": ("D1:3",),
    "extra": {"surprise": [1, {"深": None}], "x": 0.1},
    "valid_from": NOW - timedelta(days=9),
    "valid_to": NOW - timedelta(days=1),
    "superseded_by": 77,
    "surprise": 0.625,
    "context": "在飞机上",
    "persona_summary": "他去了杭州",
    "entities": ("西湖",),
    "tone": {"temp": "暖", "detail": "…"},
    "residual": {"location": "杭州", "n": [1, None]},
    "why": "想散心",
    "effective_methods": ("走路",),
    "trigger": "return true",
    "trigger_name": "t",
    "trigger_text": "杭州",
    "created_context": {"a": 1},
    "updated_context": {"b": {"c": None}},
    "modalities": ({"uri": "x", "kind": "image"},),
    "topic_path": ("生活", "旅行"),
    "digest_level": 2,
    "digest_period": "2026-W08",
    "sources": (1, 2),
    "created_at": NOW,
    "updated_at": NOW + timedelta(seconds=1),
    "strength": 0.4,
    "last_accessed_at": NOW + timedelta(seconds=2),
    "access_count": 2.5,
    "recall_count": 4,
}


def test_every_field_comes_back_as_it_was_stored(db, values) -> None:
    with db.transaction() as cx:
        row = values(**FULL, related=(memories.insert(cx, values()),))
        memory_id = memories.insert(cx, row)
    with db.reader() as cx:
        memory = memories.get(cx, memory_id)
    assert memory is not None
    kept = {name: getattr(memory, name) for name in Memory.__dataclass_fields__}
    expected = {name: value for name, value in row.items() if name not in ("content_key", "script")}
    assert kept == {**expected, "id": memory_id}
    assert memory.occurred_at == FULL["event_time"]


def test_rare_fields_are_changed_one_by_one_and_emptied(db, values) -> None:
    with db.transaction() as cx:
        memory_id = memories.insert(cx, values(**FULL))
        memories.update(cx, memory_id, {"tone": {"a'b": {"c": None}}, "why": "", "sources": (), "title": "neu"})
        memory = memories.get(cx, memory_id)
        assert memory is not None
        assert (memory.tone, memory.why, memory.sources, memory.title) == ({"a'b": {"c": None}}, "", (), "neu")
        assert (memory.residual, memory.digest_level) == (FULL["residual"], 2)
        memories.update(cx, memory_id, {name: type(getattr(memory, name))() for name in columns.DETAILS})
        assert cx.execute("SELECT details FROM memories WHERE id = ?", (memory_id,)).get == "{}"


def test_links_lead_to_memories_that_exist(db, values) -> None:
    with db.transaction() as cx:
        first, second = memories.insert(cx, values()), memories.insert(cx, values())
        third = memories.insert(cx, values(related=(second, first, 99)))
        assert memories.get_many(cx, [third])[third].related == (first, second)
        memories.update(cx, third, {"related": (third, second)})
        assert memories.get_many(cx, [third])[third].related == (second,)
        memories.delete(cx, [second])
        assert memories.get_many(cx, [third])[third].related == ()
        assert cx.execute("SELECT count(*) FROM links").get == 0


def test_what_a_memory_replaced(db, values) -> None:
    with db.transaction() as cx:
        new = memories.insert(cx, values())
        old = [memories.insert(cx, values(superseded_by=new, status="superseded")) for _ in range(2)]
        assert memories.replaced_by(cx, new) == old
        assert memories.replaced_by(cx, old[0]) == []


def test_strength_starts_equal_to_importance_and_nothing_was_accessed(db, values) -> None:
    with db.transaction() as cx:
        memory = memories.get(cx, memories.insert(cx, values(importance=0.7)))
    assert memory is not None
    assert (memory.strength, memory.last_accessed_at, memory.access_count, memory.recall_count) == (0.7, None, 0.0, 0)


def test_a_missing_field_is_a_bug_that_stores_nothing(db, values) -> None:
    row = values()
    del row["mood"]
    with pytest.raises(KeyError, match="mood"), db.transaction() as cx:
        memories.insert(cx, row)
    with db.reader() as cx:
        assert memories.count_by_status(cx) == {}


def test_many_at_once_by_id_whatever_ids_are_asked_for(db, values) -> None:
    with db.transaction() as cx:
        ids = [memories.insert(cx, values()) for _ in range(5)]
    with db.reader() as cx:
        assert list(memories.get_many(cx, [ids[3], 999, ids[0], ids[3], -1, 2**80])) == [ids[3], ids[0]]
        assert memories.get_many(cx, []) == {}
        assert memories.get(cx, 2**80) is None


@pytest.mark.parametrize("name", sorted(FULL))
def test_each_field_can_be_updated_alone(db, values, name: str) -> None:
    with db.transaction() as cx:
        memory_id = memories.insert(cx, values())
        other = memories.insert(cx, values())
        before, other_before = memories.get(cx, memory_id), memories.get(cx, other)
        memories.update(cx, memory_id, {name: FULL[name]})
        after = memories.get(cx, memory_id)
        assert before is not None and after is not None
        changed = {key for key in Memory.__dataclass_fields__ if getattr(before, key) != getattr(after, key)}
        assert changed == {name}
        assert getattr(after, name) == FULL[name]
        assert memories.get(cx, other) == other_before


def test_update_refuses_what_is_not_there_and_what_may_not_change(db, values) -> None:
    with db.transaction() as cx:
        memory_id = memories.insert(cx, values())
        memories.update(cx, memory_id, {})
        with pytest.raises(ValueError, match="id"):
            memories.update(cx, memory_id, {"id": 7})
        with pytest.raises(ValueError, match="title = 1; --"):
            memories.update(cx, memory_id, {"title = 1; --": 7})
        for field in ({"title": "x"}, {"strength": 0.1}, {"tags": ("x",)}):
            with pytest.raises(NotFound) as caught:
                memories.update(cx, 999, field)
            assert caught.value.fields == {"kind": "memory", "id": 999}


def test_delete_takes_all_that_belongs_to_the_memory_and_never_gives_its_id_away(db, values) -> None:
    with db.transaction() as cx:
        kept, gone = memories.insert(cx, values(tags=("a",))), memories.insert(cx, values(tags=("a",)))
        identity = vectors.identity_id(cx, "model", 2)
        for memory_id in (kept, gone):
            vectors.put(cx, identity, [(passages.put(cx, memory_id, [(0, 3)])[0], _unit())])
            journal.open(cx, "memorize", memory_id, "committed", NOW)
        memories.delete(cx, [gone, 999])
        for table in ("vitality", "memory_tags", "passages", "journal"):
            assert [row[0] for row in cx.execute(f"SELECT memory_id FROM {table}")] == [kept], table
        assert vectors.count(cx, identity) == 1
        assert memories.insert(cx, values()) > gone


def _unit():
    import numpy as np

    return np.array([1.0, 0.0], dtype=np.float32)


def test_reinforce_counts_each_memory_once(db, values) -> None:
    with db.transaction() as cx:
        ids = [memories.insert(cx, values()) for _ in range(3)]
        memories.reinforce(cx, [ids[0], ids[0], ids[1], 999], NOW, recalled=True)
        memories.reinforce(cx, [ids[0]], NOW + timedelta(hours=1), recalled=False)
        memories.reinforce(cx, [], NOW, recalled=True)
        found = memories.get_many(cx, ids)
    assert [(one.last_accessed_at, one.access_count, one.recall_count) for one in found.values()] == [
        (NOW + timedelta(hours=1), 2.0, 1),
        (NOW, 1.0, 1),
        (None, 0.0, 0),
    ]


def test_the_same_text_is_found_in_exactly_its_scope(db, values) -> None:
    with db.transaction() as cx:
        wide = memories.insert(cx, values("same"))
        again = memories.insert(cx, values("same"))
        talk = memories.insert(cx, values("same", conversation_id="c"))
        persona = memories.insert(cx, values("same", persona_id="p"))
        assert memories.find_same(cx, "key-same", None, None) == [(wide, None), (again, None)]
        assert memories.find_same(cx, "key-same", "c", None) == [(talk, None)]
        assert memories.find_same(cx, "key-same", None, "p") == [(persona, None)]
        assert memories.find_same(cx, "key-same", "c", "p") == []
        assert memories.find_same(cx, "key-other", None, None) == []


@pytest.mark.parametrize("status", STATUSES)
def test_what_is_gone_from_use_is_not_the_same_memory(db, values, status: str) -> None:
    with db.transaction() as cx:
        memory_id = memories.insert(cx, values("same", status=status))
        found = memories.find_same(cx, "key-same", None, None)
    assert found == ([] if status in ("trashed", "superseded", "expired", "pending") else [(memory_id, None)])


def test_positions_count_within_conversation_and_session(db, values) -> None:
    with db.transaction() as cx:
        assert memories.next_position(cx, "c", "s") == 0
        for session in ("s", "s", None):
            position = memories.next_position(cx, "c", session)
            memories.insert(cx, values(conversation_id="c", session_id=session, position=position))
        assert [memories.next_position(cx, "c", session) for session in ("s", None, "other")] == [2, 1, 0]
        assert memories.next_position(cx, "d", "s") == 0


def test_counts_by_status_and_layer(db, values) -> None:
    with db.transaction() as cx:
        for status in STATUSES:
            memories.insert(cx, values(status=status, layer="fact"))
        memories.insert(cx, values(layer="state"))
        assert memories.count_by_status(cx) == {**dict.fromkeys(STATUSES, 1), "active": 2}
        assert memories.count_by_layer(cx) == {"fact": len(FINDABLE), "state": 1}


def test_facets_count_what_can_be_found_and_join_spellings_of_a_tag(db, values) -> None:
    with db.transaction() as cx:
        memories.insert(cx, values(tags=("Tea", "旅行"), category="diary", source_client="claude", layer="fact"))
        memories.insert(cx, values(tags=("tea", "ＴＥＡ"), category="diary", conversation_id="c"))
        memories.insert(cx, values(tags=("trash",), category="note", status="trashed"))
        found = memories.facets(cx)
    assert found == {
        "layers": {"event": 1, "fact": 1},
        "categories": {"diary": 2},
        "tags": {"Tea": 2, "旅行": 1},
        "conversations": {"c": 1},
        "clients": {"claude": 1},
    }
    assert list(found["tags"]) == ["Tea", "旅行"]
