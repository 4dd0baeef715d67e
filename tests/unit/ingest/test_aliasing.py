"""Merging, renaming and splitting entities, and the alias table: nothing is lost, and each is taken back exactly."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import Conflict, InvalidArgument, NotFound
from engine.index import entries
from engine.ingest import aliasing
from engine.ingest.aliasing import AliasChange
from engine.ingest.entities import canonicalise, resolve
from engine.storage import aliases, graph, relations
from engine.storage.database import Connection, Database
from engine.storage.graph import Mentioned
from engine.storage.relations import Reader
from engine.text import terms
from engine.types import ALL_SCOPES, Alias, EntityType, Filters

EVERYTHING = Filters(scope=ALL_SCOPES, statuses=())


@pytest.fixture
def cx(data_dir: Path) -> Iterator[Connection]:
    database = Database.open(data_dir)
    with database.transaction() as connection:
        # What mentions things here is only an id; the memory's own words play no part.
        row = ", ".join(_SET.get(name, "''") for name in _columns(connection))
        connection.executemany(f"INSERT INTO memories VALUES ({row})", [{"id": number} for number in range(1, 10)])
        yield connection
    database.close()


_SET = {
    "id": ":id", "uid": ":id", "status": "'active'", "conversation_id": "NULL", "persona_id": "NULL",
    "importance": "0", "pinned": "0", "protected": "0", "resolved": "0", "emotion_intensity": "0", "valence": "0",
    "position": "NULL", "event_time": "NULL", "superseded_by": "NULL", "surprise": "NULL",
}  # fmt: skip


def _columns(cx: Connection) -> list[str]:
    return [row[0] for row in cx.execute("SELECT name FROM pragma_table_info('memories')")]


def tell(cx: Connection, memory: int, *texts: str, kind: EntityType = "person") -> None:
    """This memory mentions all that, and nothing else."""
    rows = [Mentioned(kind, resolve(cx, kind, canonicalise(kind, text), memory), text) for text in texts]
    graph.put(cx, memory, rows)


def node(cx: Connection, canonical: str, kind: EntityType = "person") -> int:
    found = graph.find(cx, kind, canonical)
    assert found is not None, canonical
    return found


def state(cx: Connection) -> set[tuple[int, str, str, str]]:
    """Who mentions whom, how."""
    return {
        (memory, row.type, row.canonical, row.text) for memory in range(1, 10) for row in graph.mentions_of(cx, memory)
    }


def who(cx: Connection, memory: int) -> set[str]:
    return {row.canonical for row in graph.mentions_of(cx, memory)}


def name(cx: Connection, canonical: str) -> str:
    return Reader(cx, EVERYTHING).entities([node(cx, canonical)])[node(cx, canonical)].name


def found(cx: Connection, text: str) -> set[str]:
    hits = entries.search(cx, terms.fts_query(terms.query_terms(text)), 50)
    nodes = relations.nodes_of_entries(cx, (hit[0] for hit in hits))
    return {canonical for one in nodes if (there := graph.node(cx, one)) for canonical in there[1:]}


def undone(cx: Connection, change: AliasChange) -> AliasChange:
    return aliasing.apply(cx, change.after, change.before)


def test_merging_keeps_every_spelling(cx: Connection) -> None:
    tell(cx, 1, "小王")
    tell(cx, 2, "王伟", "Wang Wei")
    tell(cx, 3, "小王老师", "李雷")
    before = state(cx)
    change = aliasing.merge(cx, [node(cx, "小王"), node(cx, "wang wei"), node(cx, "王伟")], node(cx, "王伟"))
    assert [who(cx, memory) for memory in (1, 2, 3)] == [{"王伟"}, {"王伟"}, {"王伟", "李雷"}]
    whole = Reader(cx, EVERYTHING).entities([node(cx, "王伟")])[node(cx, "王伟")]
    assert (whole.name, whole.memories) == ("王伟", 3)
    assert set(whole.spellings) == {"小王", "王伟", "Wang Wei", "小王老师"}
    assert graph.find(cx, "person", "小王") is None
    assert found(cx, "小王") == {"王伟"}
    assert change.memories == (1, 2, 3) and change.before == ()
    tell(cx, 4, "小王")
    assert who(cx, 4) == {"王伟"}
    graph.put(cx, 4, [])
    undone(cx, change)
    assert state(cx) == before and aliases.everything(cx) == []


def test_chains_are_flat(cx: Connection) -> None:
    for memory, text in enumerate(("a", "b", "c"), 1):
        tell(cx, memory, text)
    first = aliasing.merge(cx, [node(cx, "a")], node(cx, "b"))
    second = aliasing.merge(cx, [node(cx, "b")], node(cx, "c"))
    assert {(row.canonical, row.target) for row in aliases.everything(cx)} == {("a", "c"), ("b", "c")}
    assert who(cx, 1) == {"c"}
    with pytest.raises(Conflict):
        undone(cx, first)
    undone(cx, second)
    assert [who(cx, memory) for memory in (1, 2, 3)] == [{"b"}, {"b"}, {"c"}]
    undone(cx, first)
    assert [who(cx, memory) for memory in (1, 2, 3)] == [{"a"}, {"b"}, {"c"}]


def test_one_text_under_two_entities(cx: Connection) -> None:
    """Two people of one name: split by memories, named, and merged again."""
    for memory in (1, 2, 3):
        tell(cx, memory, "王伟")
    before = state(cx)
    change = aliasing.split(cx, node(cx, "王伟"), memory_ids=[2, 9])
    assert [who(cx, memory) for memory in (1, 2, 3)] == [{"王伟"}, {"王伟#2"}, {"王伟"}]
    assert name(cx, "王伟#2") == "王伟 (2)" and name(cx, "王伟") == "王伟"
    assert change.after == (Alias("person", "王伟", "王伟#2", "王伟 (2)", 2),) and change.memories == (2,)
    again = aliasing.split(cx, node(cx, "王伟"), memory_ids=[3])
    assert who(cx, 3) == {"王伟#3"} and name(cx, "王伟#3") == "王伟 (3)"
    third = aliasing.split(cx, node(cx, "王伟#2"), memory_ids=[2])
    assert who(cx, 2) == {"王伟#4"} and name(cx, "王伟#4") == "王伟 (4)"
    joined = aliasing.merge(cx, [node(cx, "王伟#4"), node(cx, "王伟#3")], node(cx, "王伟"))
    assert state(cx) == before and len(graph.entries_of(cx, node(cx, "王伟"))) == 1
    for one in (joined, third, again, change):
        undone(cx, one)
    assert state(cx) == before and aliases.everything(cx) == []


def test_splitting_off_a_name(cx: Connection) -> None:
    tell(cx, 1, "小王")
    tell(cx, 2, "王伟")
    tell(cx, 3, "王总伟")
    aliasing.merge(cx, [node(cx, "小王"), node(cx, "王总伟")], node(cx, "王伟"))
    merged = state(cx)
    back = aliasing.split(cx, node(cx, "王伟"), canonicals=["小王"])
    assert [who(cx, memory) for memory in (1, 2, 3)] == [{"小王"}, {"王伟"}, {"王伟"}]
    undone(cx, back)
    assert state(cx) == merged
    both = aliasing.split(cx, node(cx, "王伟"), canonicals=["小王", "王总伟"])
    assert [who(cx, memory) for memory in (1, 2, 3)] == [{"小王"}, {"王伟"}, {"小王"}] and name(cx, "小王") == "小王"
    undone(cx, both)
    own = aliasing.split(cx, node(cx, "王伟"), canonicals=["王伟", "王总伟"])
    assert [who(cx, memory) for memory in (1, 2, 3)] == [{"小王"}, {"王伟"}, {"王伟"}]
    undone(cx, own)
    assert state(cx) == merged


def test_what_single_memories_mean_survives_a_merge(cx: Connection) -> None:
    for memory in (1, 2):
        tell(cx, memory, "王伟")
    tell(cx, 3, "老王")
    aliasing.split(cx, node(cx, "王伟"), memory_ids=[2])
    aliasing.merge(cx, [node(cx, "王伟")], node(cx, "老王"))
    assert [who(cx, memory) for memory in (1, 2, 3)] == [{"老王"}, {"王伟#2"}, {"老王"}]
    parted = aliasing.split(cx, node(cx, "王伟#2"), memory_ids=[2])
    undone(cx, parted)
    aliasing.merge(cx, [node(cx, "王伟#2")], node(cx, "老王"))
    assert who(cx, 2) == {"老王"}


def test_a_new_name_is_shown_and_found(cx: Connection) -> None:
    tell(cx, 1, "小王")
    tell(cx, 2, "王伟")
    change = aliasing.rename(cx, node(cx, "小王"), "  Director\n Wang ")
    assert name(cx, "小王") == "Director Wang" and found(cx, "director") == {"小王"} and who(cx, 1) == {"小王"}
    second = aliasing.rename(cx, node(cx, "小王"), "Chief")
    assert found(cx, "director") == set() and found(cx, "chief") == {"小王"}
    undone(cx, second)
    undone(cx, change)
    assert name(cx, "小王") == "小王" and found(cx, "director") == set() and aliases.everything(cx) == []
    aliasing.rename(cx, node(cx, "王伟"), "Wang Wei")
    aliasing.merge(cx, [node(cx, "小王")], node(cx, "王伟"))
    assert {row.name for row in aliases.everything(cx)} == {"Wang Wei"}
    aliasing.rename(cx, node(cx, "王伟"), "Wei")
    assert {row.name for row in aliases.everything(cx)} == {"Wei"} and name(cx, "王伟") == "Wei"


def test_one_name_for_all_that_mean_one(cx: Connection) -> None:
    tell(cx, 1, "小王")
    tell(cx, 2, "王伟")
    named = aliasing.rename(cx, node(cx, "王伟"), "Wang Wei")
    renamed = aliasing.rename(cx, node(cx, "王伟"), "Wei")
    aliasing.merge(cx, [node(cx, "小王")], node(cx, "王伟"))
    undone(cx, renamed)
    assert {row.name for row in aliases.everything(cx)} == {"Wang Wei"} and found(cx, "小王") == {"王伟"}
    undone(cx, named)
    assert [row.canonical for row in aliases.everything(cx)] == ["小王"]


def test_the_alias_table(cx: Connection) -> None:
    tell(cx, 1, "Lizzy")
    change = aliasing.set_alias(cx, "person", "Lizzy", "Elizabeth")
    assert who(cx, 1) == {"elizabeth"} and name(cx, "elizabeth") == "Elizabeth"
    tell(cx, 2, "Lizzy's")
    assert who(cx, 2) == {"elizabeth"}
    # An alias of an alias means the same one; led to another, all that was led to it comes along.
    aliasing.set_alias(cx, "person", "Liz", "Lizzy")
    tell(cx, 3, "Liz")
    assert who(cx, 3) == {"elizabeth"}
    aliasing.set_alias(cx, "person", "Elizabeth", "Queen")
    assert {row.target for row in aliases.everything(cx)} == {"queen"}
    assert [who(cx, memory) for memory in (1, 2, 3)] == [{"queen"}] * 3
    dropped = aliasing.drop_alias(cx, "person", "LIZZY")
    assert who(cx, 1) == {"lizzy"} and who(cx, 3) == {"queen"}
    undone(cx, dropped)
    assert who(cx, 1) == {"queen"}
    with pytest.raises(Conflict):
        undone(cx, change)


@pytest.mark.parametrize(
    ("field", "reason", "call"),
    [
        ("ids", "empty", lambda cx: aliasing.merge(cx, [node(cx, "a")], node(cx, "a"))),
        ("ids", "mixed_types", lambda cx: aliasing.merge(cx, [node(cx, "t", "topic")], node(cx, "a"))),
        ("ids", "not_for_facts", lambda cx: aliasing.merge(cx, [node(cx, "a")], node(cx, "f", "fact"))),
        ("ids", "not_for_facts", lambda cx: aliasing.merge(cx, [node(cx, "f", "fact")], node(cx, "a"))),
        ("id", "not_for_facts", lambda cx: aliasing.rename(cx, node(cx, "f", "fact"), "x")),
        ("name", "empty", lambda cx: aliasing.rename(cx, node(cx, "a"), " \u200b ")),
        ("name", "too_long", lambda cx: aliasing.rename(cx, node(cx, "a"), "x" * 201)),
        ("name", "not_unicode", lambda cx: aliasing.rename(cx, node(cx, "a"), "\ud800x")),
        ("canonicals", "empty", lambda cx: aliasing.split(cx, node(cx, "a"))),
        ("canonicals", "not_both", lambda cx: aliasing.split(cx, node(cx, "a"), canonicals=["a"], memory_ids=[1])),
        ("canonicals", "not_of_this", lambda cx: aliasing.split(cx, node(cx, "a"), canonicals=["b"])),
        ("canonicals", "nothing_left", lambda cx: aliasing.split(cx, node(cx, "a"), canonicals=["a"])),
        ("memory_ids", "not_of_this", lambda cx: aliasing.split(cx, node(cx, "a"), memory_ids=[5, 1 << 80])),
        ("text", "empty", lambda cx: aliasing.set_alias(cx, "person", "", "a")),
        ("target", "same", lambda cx: aliasing.set_alias(cx, "person", "A", "a's")),
        ("type", "not_for_facts", lambda cx: aliasing.set_alias(cx, "fact", "a", "b")),
        ("type", "not_a_choice", lambda cx: aliasing.drop_alias(cx, "place", "a")),
        ("text", "no_alias", lambda cx: aliasing.drop_alias(cx, "person", "a")),
    ],
)
def test_what_makes_no_sense_is_refused(cx: Connection, field: str, reason: str, call: object) -> None:
    tell(cx, 1, "a")
    graph.put(cx, 2, [Mentioned("topic", "t", "t"), Mentioned("fact", "f", "f")])
    before = state(cx)
    with pytest.raises(InvalidArgument) as caught:
        call(cx)  # type: ignore[operator]
    assert (caught.value.fields["field"], caught.value.fields["reason"]) == (field, reason)
    assert state(cx) == before and aliases.everything(cx) == []


@pytest.mark.parametrize("unknown", [0, -1, 12345, 1 << 80])
def test_an_entity_that_is_not_there(cx: Connection, unknown: int) -> None:
    tell(cx, 1, "a")
    with pytest.raises(NotFound):
        aliasing.merge(cx, [unknown], node(cx, "a"))
    with pytest.raises(NotFound):
        aliasing.rename(cx, unknown, "x")


def test_an_undo_does_not_wake_what_was_erased(cx: Connection) -> None:
    for memory in (1, 2, 3):
        tell(cx, memory, "王伟")
    parted = aliasing.split(cx, node(cx, "王伟"), memory_ids=[1, 2])
    back = undone(cx, parted)
    graph.remove(cx, [2])
    cx.execute("DELETE FROM memories WHERE id = 2")
    undone(cx, back)
    assert [row.memory_id for row in aliases.everything(cx)] == [1]
    assert who(cx, 1) == {"王伟#2"} and who(cx, 3) == {"王伟"}
