"""Questions to the graph: who is meant, what is around, which way leads from one to another, by visible memories."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import InvalidArgument, NotFound
from engine.ingest import aliasing
from engine.ingest.entities import canonicalise, resolve
from engine.retrieval.relations import entities_named, neighbourhood, of_memory, path
from engine.storage import graph
from engine.storage.database import Connection, Database
from engine.storage.graph import Mentioned
from engine.types import ConnectingPath, EntityType, Filters

VISIBLE = Filters()
_SET = {
    "id": ":id", "uid": ":id", "status": ":status", "conversation_id": ":scope", "persona_id": "NULL",
    "importance": "0", "pinned": "0", "protected": "0", "resolved": "0", "emotion_intensity": "0", "valence": "0",
    "position": "NULL", "event_time": "NULL", "superseded_by": "NULL", "surprise": "NULL",
}  # fmt: skip


@pytest.fixture
def cx(data_dir: Path) -> Iterator[Connection]:
    database = Database.open(data_dir)
    with database.transaction() as connection:
        yield connection
    database.close()


def remember(cx: Connection, count: int = 1, status: str = "active", scope: str | None = None) -> list[int]:
    """Memories of which only the id and who may see them play a part."""
    columns = [row[0] for row in cx.execute("SELECT name FROM pragma_table_info('memories')")]
    first = int(cx.execute("SELECT coalesce(max(id), 0) + 1 FROM memories").get)
    ids = list(range(first, first + count))
    row = ", ".join(_SET.get(name, "''") for name in columns)
    cx.executemany(
        f"INSERT INTO memories VALUES ({row})", [{"id": one, "status": status, "scope": scope} for one in ids]
    )
    return ids


def tell(cx: Connection, *said: str, status: str = "active", scope: str | None = None, atom: int | None = None) -> int:
    """A memory that mentions people ("Ann"), topics ("#tea") and facts ("=ann likes tea")."""
    (memory,) = remember(cx, 1, status, scope)
    rows = []
    for text in said:
        kind: EntityType = {"#": "topic", "=": "fact"}.get(text[0], "person")  # type: ignore[assignment]
        text = text.lstrip("#=")
        canonical = resolve(cx, kind, canonicalise(kind, text), memory)
        rows.append(Mentioned(kind, canonical, text, True, atom if kind == "fact" else None))
    graph.put(cx, memory, rows)
    return memory


def node(cx: Connection, text: str) -> int:
    kind: EntityType = {"#": "topic", "=": "fact"}.get(text[0], "person")  # type: ignore[assignment]
    found = graph.find(cx, kind, canonicalise(kind, text.lstrip("#=")))
    assert found is not None, text
    return found


def add_atom(cx: Connection, confidence: float, status: str = "active") -> int:
    sql = (
        "INSERT INTO atoms (type, status, status_at, importance, confidence, created_at, reinforcement_count, "
        "ttl_days, expires_at) VALUES ('factual', ?, '2026', .5, ?, '2026', 0, 1, '2026') RETURNING id"
    )
    return int(cx.execute(sql, (status, confidence)).get)


def way(found: ConnectingPath) -> list[str]:
    return [one.name for one in found.entities]


def test_who_is_meant(cx: Connection) -> None:
    tell(cx, "Ann", "Ann Lee", "#Ann's boats", "=Ann rows a boat")
    tell(cx, "小王", "#茶")
    aliasing.set_alias(cx, "person", "小王", "王伟")
    named = entities_named(cx, "dr. ann", VISIBLE)
    assert named[0].key == "person:ann" and {one.type for one in named} == {"person", "topic", "fact"}
    assert [one.key for one in entities_named(cx, "ann", VISIBLE, 1)] == ["person:ann"]
    assert {one.type for one in entities_named(cx, "ann", VISIBLE, types=("topic", "fact"))} == {"topic", "fact"}
    assert entities_named(cx, "小王", VISIBLE)[0].key == "person:王伟" == entities_named(cx, "王伟", VISIBLE)[0].key
    assert [entities_named(cx, text, VISIBLE) for text in ("", "  ", "nobody", "\ud800", "\x00", "'\"*")] == [[]] * 6
    with pytest.raises(InvalidArgument):
        entities_named(cx, "ann", VISIBLE, 0)


def test_what_a_memory_mentions(cx: Connection) -> None:
    memory = tell(cx, "=ann likes tea", "Ann", "#tea")
    trashed = tell(cx, "Ann", status="trashed")
    assert [one.name for one in of_memory(cx, memory, VISIBLE)] == ["Ann", "tea", "ann likes tea"]
    assert of_memory(cx, trashed, VISIBLE) == [] == of_memory(cx, 1 << 80, VISIBLE)


def test_what_surrounds_an_entity(cx: Connection) -> None:
    first = tell(cx, "Ann", "Bob", "#tea", "=ann likes tea")
    second = tell(cx, "Ann", "Bob")
    tell(cx, "Bob", "Eve")
    found = neighbourhood(cx, node(cx, "Ann"), 1, 10, VISIBLE)
    assert found.centre.name == "Ann" and found.omitted == 0
    assert [(one.name, one.memories) for one in found.entities] == [("Bob", 3), ("tea", 1), ("ann likes tea", 1)]
    told = {(one.source.name, one.kind, one.target.name): (one.weight, one.evidence) for one in found.relations}
    assert told == {
        ("Ann", "co_occurs_with", "Bob"): (2, (second, first)),
        ("Ann", "co_occurs_with", "tea"): (1, (first,)),
        ("Bob", "co_occurs_with", "tea"): (1, (first,)),
        ("Ann", "describes", "ann likes tea"): (1, (first,)),
        ("Bob", "describes", "ann likes tea"): (1, (first,)),
        ("tea", "describes", "ann likes tea"): (1, (first,)),
    }
    assert [one.name for one in neighbourhood(cx, node(cx, "Ann"), 2, 10, VISIBLE).entities][-1] == "Eve"
    cut = neighbourhood(cx, node(cx, "Ann"), 3, 1, VISIBLE)
    assert [one.name for one in cut.entities] == ["Bob"] and cut.omitted == 3
    assert [one.weight for one in cut.relations] == [2]


def test_relations_at_the_rim_count_their_own_memories(cx: Connection) -> None:
    tell(cx, "Ann", "Bob", "Eve")
    tell(cx, "Bob", "Eve")
    tell(cx, "Bob", "Eve")
    found = neighbourhood(cx, node(cx, "Ann"), 1, 10, VISIBLE)
    assert {(one.source.name, one.target.name): one.weight for one in found.relations}[("Bob", "Eve")] == 3


def test_confidence_comes_from_the_atoms(cx: Connection) -> None:
    tell(cx, "Ann", "Bob", "=one", atom=add_atom(cx, 0.6))
    tell(cx, "Ann", "=one", atom=add_atom(cx, 0.8))
    tell(cx, "Ann", "=two")
    tell(cx, "Ann", "=three", "=four")
    tell(cx, "Ann", "=five", "=six", atom=add_atom(cx, 0.5))
    mixed = remember(cx)[0]
    rows = [Mentioned("fact", text, text, True, add_atom(cx, level)) for text, level in (("weak", 0.4), ("sure", 0.9))]
    graph.put(cx, mixed, [Mentioned("person", "ann", "Ann"), Mentioned("fact", "bare", "bare"), *rows])
    found = neighbourhood(cx, node(cx, "Ann"), 1, 20, VISIBLE).relations
    told = {frozenset((one.source.name, one.target.name)): one.confidence for one in found}
    expected = {"one": 0.72, "two": 0.82, "five": 0.45, "Bob": 0.70}
    assert {other: told[frozenset(("Ann", other))] for other in expected} == expected
    assert told[frozenset(("weak", "sure"))] == 0.36 and told[frozenset(("bare", "sure"))] == 0.81
    assert told[frozenset(("three", "four"))] == 0.88 and told[frozenset(("five", "six"))] == 0.45
    assert {one.kind for one in found if "Ann" not in (one.source.name, one.target.name)} == {
        "describes",
        "mentioned_in",
    }


def test_facts_whose_life_is_over_are_not_seen(cx: Connection) -> None:
    tell(cx, "Ann", "=gone", atom=add_atom(cx, 0.8, "forgotten"))
    tell(cx, "Ann", "=there", atom=add_atom(cx, 0.8, "expired"))
    assert [one.name for one in neighbourhood(cx, node(cx, "Ann"), 1, 9, VISIBLE).entities] == ["there"]


def test_only_visible_memories_count(cx: Connection) -> None:
    tell(cx, "Ann", "Bob")
    tell(cx, "Ann", "Bob", scope="c")
    tell(cx, "Ann", "Eve", scope="c")
    tell(cx, "Ann", "Zoe", status="trashed")
    tell(cx, "Zoe", "Bob", status="trashed")
    seen = neighbourhood(cx, node(cx, "Ann"), 3, 10, VISIBLE)
    assert [(one.name, one.memories) for one in seen.entities] == [("Bob", 1)] and seen.relations[0].weight == 1
    assert seen.centre.memories == 1
    own = neighbourhood(cx, node(cx, "Ann"), 1, 10, Filters(scope="c"))
    assert [(one.name, one.memories) for one in own.entities] == [("Bob", 2), ("Eve", 1)]
    assert path(cx, node(cx, "Ann"), node(cx, "Eve"), 3, Filters(scope="c")).relations[0].weight == 1
    for hidden in ("Eve", "Zoe"):
        with pytest.raises(NotFound):
            neighbourhood(cx, node(cx, hidden), 1, 10, VISIBLE)
        with pytest.raises(NotFound):
            path(cx, node(cx, "Ann"), node(cx, hidden), 6, VISIBLE)


def test_the_shortest_way(cx: Connection) -> None:
    first = tell(cx, "Ann", "Bob")
    second = tell(cx, "Bob", "#tea")
    third = tell(cx, "#tea", "Eve")
    tell(cx, "Ann", "Cat")
    tell(cx, "Lone")
    found = path(cx, node(cx, "Ann"), node(cx, "Eve"), 6, VISIBLE)
    assert way(found) == ["Ann", "Bob", "tea", "Eve"]
    assert [one.evidence for one in found.relations] == [(first,), (second,), (third,)]
    assert way(path(cx, node(cx, "Eve"), node(cx, "Ann"), 3, VISIBLE)) == ["Eve", "tea", "Bob", "Ann"]
    assert way(path(cx, node(cx, "Eve"), node(cx, "Ann"), 2, VISIBLE)) == []
    assert path(cx, node(cx, "Ann"), node(cx, "Lone"), 6, VISIBLE) == ConnectingPath((), ())
    assert way(path(cx, node(cx, "Ann"), node(cx, "Ann"), 1, VISIBLE)) == ["Ann"]
    assert way(path(cx, node(cx, "Ann"), node(cx, "Bob"), 1, VISIBLE)) == ["Ann", "Bob"]
    tell(cx, "Cat", "Eve")
    assert way(path(cx, node(cx, "Ann"), node(cx, "Eve"), 6, VISIBLE)) == ["Ann", "Cat", "Eve"]


def test_of_equal_ways_the_stronger(cx: Connection) -> None:
    for middle, times in (("Bob", 1), ("Cat", 3), ("Dan", 2)):
        for _ in range(times):
            tell(cx, "Ann", middle)
            tell(cx, middle, "Eve")
    found = path(cx, node(cx, "Ann"), node(cx, "Eve"), 4, VISIBLE)
    assert way(found) == ["Ann", "Cat", "Eve"] and [one.weight for one in found.relations] == [3, 3]


def test_people_and_topics_before_facts(cx: Connection) -> None:
    for _ in range(4):
        tell(cx, "Ann", "=the tea is cold")
        tell(cx, "Eve", "=the tea is cold")
    found = path(cx, node(cx, "Ann"), node(cx, "Eve"), 4, VISIBLE)
    assert way(found) == ["Ann", "the tea is cold", "Eve"]
    assert [(one.source.name, one.kind) for one in found.relations] == [("Ann", "describes"), ("Eve", "describes")]
    tell(cx, "Ann", "#tea")
    tell(cx, "#tea", "Eve")
    assert way(path(cx, node(cx, "Ann"), node(cx, "Eve"), 4, VISIBLE)) == ["Ann", "tea", "Eve"]


def test_facts_count_all_along_the_way(cx: Connection) -> None:
    for _ in range(4):
        for one in ("Ann", "Bob"):
            tell(cx, one, "=the tea is cold")
    tell(cx, "Ann", "#boats")
    tell(cx, "#boats", "Bob")
    tell(cx, "Bob", "#lakes")
    tell(cx, "#lakes", "Eve")
    tell(cx, "Eve", "#one", "#two", "#three")  # so that the way is looked for from the other end
    expected = ["Ann", "boats", "Bob", "lakes", "Eve"]
    assert way(path(cx, node(cx, "Ann"), node(cx, "Eve"), 6, VISIBLE)) == expected
    assert way(path(cx, node(cx, "Eve"), node(cx, "Ann"), 6, VISIBLE)) == expected[::-1]


def test_bounds_are_checked(cx: Connection) -> None:
    tell(cx, "Ann")
    ann = node(cx, "Ann")
    for hops, limit in ((0, 1), (4, 1), (1, 0), (1, 501), (True, 1), ("1", 1)):
        with pytest.raises(InvalidArgument):
            neighbourhood(cx, ann, hops, limit, VISIBLE)  # type: ignore[arg-type]
    for hops in (0, 7):
        with pytest.raises(InvalidArgument):
            path(cx, ann, ann, hops, VISIBLE)
    for unknown in (0, -1, 999, 1 << 80):
        with pytest.raises(NotFound):
            neighbourhood(cx, unknown, 1, 1, VISIBLE)


def test_one_that_everything_mentions_costs_little(cx: Connection) -> None:
    """A person in 6,000 memories; alone on a machine, a neighbourhood takes some 30 ms."""
    for number, memory in enumerate(remember(cx, 6_000)):
        rows = [Mentioned("person", "hub", "Hub"), Mentioned("person", f"p{number % 700}", "P")]
        rows += [Mentioned("topic", f"t{number * number % 997}", "T"), Mentioned("fact", f"f{number}", f"f {number}")]
        graph.put(cx, memory, rows)
    tell(cx, "Ann", "#t3")
    begin = time.perf_counter()
    found = neighbourhood(cx, node(cx, "Hub"), 2, 60, VISIBLE)
    middle = time.perf_counter()
    assert way(path(cx, node(cx, "Ann"), node(cx, "Hub"), 6, VISIBLE))[-1] == "Hub"
    end = time.perf_counter()
    assert len(found.entities) == 60 and found.omitted > 100
    assert middle - begin < 0.5 and end - middle < 0.5
