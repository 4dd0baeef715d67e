"""From a memory to the graph: what it mentions, whom that means by the aliases, and which lives its facts keep."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.ingest.facts import Fact
from engine.ingest.graph import MOST_FACTS, build
from engine.ingest.readings import Readings
from engine.storage import aliases, graph, memories
from engine.storage.database import Connection, Database
from engine.storage.graph import Touched
from engine.text.normalise import content_key
from engine.text.segmentation import Segmenter
from engine.types import Alias, Memory

NOW = datetime(2026, 5, 13, 2, tzinfo=UTC)


@pytest.fixture
def cx(data_dir: Path) -> Iterator[Connection]:
    database = Database.open(data_dir)
    with database.transaction() as connection:
        yield connection
    database.close()


@pytest.fixture(scope="module")
def readings() -> Readings:
    return Readings(Segmenter(None))


def remember(cx: Connection, content: str, **given: Any) -> Memory:
    texts = ("title", "summary", "compressed", "category", "mood", "sentiment", "source_agent", "source_client",
             "source_text", "content_key", "script")  # fmt: skip
    lists = ("tags", "topics", "participants", "key_facts", "external_ids")
    number = int(cx.execute("SELECT coalesce(max(id), 0) + 1 FROM memories").get)
    row = (
        dict.fromkeys(texts, "") | dict.fromkeys(lists, ()) | dict.fromkeys(("pinned", "protected", "resolved"), False)
    )
    row |= dict.fromkeys(("conversation_id", "session_id", "persona_id", "position", "event_time"), None)
    row |= {"uid": f"uid-{number}", "content": content, "layer": "fact", "importance": 0.5, "emotion_intensity": 0.0}
    row |= {
        "valence": 0.0,
        "sensitivity": "normal",
        "status": "active",
        "extra": {},
        "created_at": NOW,
        "updated_at": NOW,
    }
    memory = memories.get(cx, memories.insert(cx, row | given))
    assert memory is not None
    return memory


def add_atom(cx: Connection) -> int:
    sql = (
        "INSERT INTO atoms (type, status, status_at, importance, confidence, created_at, reinforcement_count, "
        "ttl_days, expires_at) VALUES ('factual', 'active', '2026', .5, .8, '2026', 0, 1, '2026') RETURNING id"
    )
    return int(cx.execute(sql).get)


def said(cx: Connection, memory: Memory) -> set[tuple[str, str, str, bool]]:
    return {(row.type, row.canonical, row.text, row.given) for row in graph.mentions_of(cx, memory.id)}


def test_a_memory_mentions_people_topics_and_facts(cx: Connection, readings: Readings) -> None:
    memory = remember(cx, "Alice and 王伟 had tea", topics=("Green Tea",), participants=("Dr. Smith",))
    build(cx, memory, [(Fact("They had tea", True), None), (Fact("  ", True), None)], readings)
    assert said(cx, memory) == {
        ("fact", content_key("They had tea"), "They had tea", True),
        ("person", "smith", "Dr. Smith", True),
        ("person", "alice", "Alice", False),
        ("person", "王伟", "王伟", False),
        ("topic", "green tea", "Green Tea", True),
    }
    assert build(cx, memory, [(Fact("They had tea", True), None)], readings) == Touched()


def test_aliases_say_who_is_meant(cx: Connection, readings: Readings) -> None:
    first = remember(cx, "x", participants=("小王",), topics=("小王",))
    second = remember(cx, "x", participants=("小王",))
    aliases.put(cx, [Alias("person", "小王", "王伟", "王伟"), Alias("person", "小王", "王芳", "王芳", second.id)])
    for memory in (first, second):
        build(cx, memory, [], readings)
    assert said(cx, first) == {("person", "王伟", "小王", True), ("topic", "小王", "小王", True)}
    assert said(cx, second) == {("person", "王芳", "小王", True)}


def test_a_fact_keeps_its_life_when_none_is_named(cx: Connection, readings: Readings) -> None:
    memory, atom, other = remember(cx, "x"), add_atom(cx), add_atom(cx)
    build(cx, memory, [(Fact("I like tea", True), atom)], readings)
    assert build(cx, memory, [(Fact("I like tea", True), None)], readings) == Touched()
    assert [row.atom_id for row in graph.mentions_of(cx, memory.id)] == [atom]
    touched = build(cx, memory, [(Fact("I like tea", True), other)], readings)
    assert touched.atoms_gone == (atom,)
    assert build(cx, memory, [], readings).atoms_gone == (other,)


def test_facts_are_distinct_and_capped(cx: Connection, readings: Readings) -> None:
    memory = remember(cx, "x")
    many = [(Fact("fact 0", True), None), *((Fact(f"Fact {number}", False), None) for number in range(20))]
    build(cx, memory, many, readings)
    rows = graph.mentions_of(cx, memory.id)
    assert [row.text for row in rows] == ["fact 0", *(f"Fact {number}" for number in range(1, MOST_FACTS))]


def test_an_edit_leaves_nothing_of_what_was_said(cx: Connection, readings: Readings) -> None:
    memory = remember(cx, "Alice left", topics=("Boats",))
    build(cx, memory, [], readings)
    memories.update(cx, memory.id, {"content": "Bob stayed", "topics": ()})
    edited = memories.get(cx, memory.id)
    assert edited is not None
    build(cx, edited, [], readings)
    assert said(cx, memory) == {("person", "bob", "Bob", False)}
    assert graph.find(cx, "person", "alice") is None is graph.find(cx, "topic", "boats")
