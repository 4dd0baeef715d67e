"""Laws of the graph: whatever is told, told anew, removed, merged, named, split and undone, it is what building it from
the memories and the aliases gives; and what nothing mentions is gone.
"""

from __future__ import annotations

import dataclasses
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import HupoError
from engine.index import entries
from engine.ingest import aliasing
from engine.ingest.aliasing import AliasChange
from engine.ingest.entities import canonicalise
from engine.ingest.extract import people_and_topics
from engine.ingest.facts import Fact
from engine.ingest.graph import build
from engine.ingest.readings import Readings
from engine.storage import aliases, graph, memories
from engine.storage.database import Connection, Database
from engine.text import terms
from engine.text.segmentation import Segmenter
from engine.types import Alias, EntityType, Memory

NOW = datetime(2026, 5, 13, 2, tzinfo=UTC)
SEGMENTER = Segmenter(None)
READINGS = Readings(SEGMENTER)
# Names of few people in several spellings, so that most changes meet each other.
PEOPLE = ("王伟", "王偉老师", "小王", "Alice", "ALICE's", "Dr. Alice", "Zog", "user")
TOPICS = ("茶", "Tea", "TEA", "tea.", "C++", "!")
CONTENTS = (
    "x",
    "Alice and Bob met 李雷 at noon",
    "小王：在吗\nZog: yes\n小王：好",
    "他们讨论了区块链论坛和人工智能的未来发展",
)
FACTS = ("Alice drinks tea", "alice  drinks TEA", "王伟住在北京", "Tea")
MEMORIES = 4

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
Triple = tuple[int, EntityType, str, str, bool]


@contextmanager
def opened() -> Iterator[Connection]:
    directory = Path(tempfile.mkdtemp(prefix="hupo-"))
    database = Database.open(directory)
    try:
        with database.transaction(durable=False) as cx:
            yield cx
    finally:
        database.close()
        shutil.rmtree(directory)


def blank(cx: Connection) -> list[Memory]:
    """Memories to be told something: of these only the id plays a part, the rest is in the telling."""
    row: dict[str, Any] = dict.fromkeys((field.name for field in dataclasses.fields(Memory)), "")
    row |= dict.fromkeys(("tags", "topics", "participants", "key_facts", "external_ids", "related"), ())
    row |= dict.fromkeys(("conversation_id", "session_id", "persona_id", "position", "event_time"), None)
    row |= dict.fromkeys(("valid_from", "valid_to", "surprise", "superseded_by", "last_accessed_at"), None)
    row |= dict.fromkeys(("pinned", "protected", "resolved"), False) | {"content_key": "", "script": "", "extra": {}}
    row |= {"layer": "fact", "sensitivity": "normal", "status": "active", "created_at": NOW, "updated_at": NOW}
    row |= dict.fromkeys(("importance", "strength", "emotion_intensity", "valence", "access_count"), 0.0)
    for name in ("recall_count", "digest_level", *memories.columns.DETAILS):
        row.pop(name, None)
    ids = [memories.insert(cx, row | {"uid": str(number), "recall_count": 0}) for number in range(MEMORIES)]
    return list(memories.get_many(cx, ids).values())


@st.composite
def tellings(draw: st.DrawFn) -> dict[str, Any]:
    def some(words: tuple[str, ...], most: int) -> tuple[str, ...]:
        return tuple(draw(st.lists(st.sampled_from(words) | texts, max_size=most)))

    return {
        "content": draw(st.sampled_from(CONTENTS) | texts), "participants": some(PEOPLE, 4), "topics": some(TOPICS, 3),
        "entities": some((*PEOPLE, *TOPICS), 1), "key_facts": some(FACTS, 3),
    }  # fmt: skip


numbers = st.integers(0, 11)
some_numbers = st.lists(numbers, min_size=1, max_size=2)
names = st.sampled_from(PEOPLE) | texts
tell_one = st.tuples(st.just("tell"), st.integers(0, MEMORIES - 1), tellings())
changes = st.one_of(
    st.tuples(st.just("merge"), some_numbers, numbers),
    st.tuples(st.just("merge"), some_numbers, numbers),
    st.tuples(st.just("part"), numbers, some_numbers),
    st.tuples(st.just("part"), numbers, some_numbers),
    st.tuples(st.just("split"), numbers, some_numbers),
    st.tuples(st.just("split"), numbers, some_numbers),
    st.tuples(st.just("rename"), numbers, st.sampled_from(("Chief", "王伟")) | texts),
    st.tuples(st.just("alias"), names, names),
    st.tuples(st.just("drop"), numbers),
    st.tuples(st.just("undo"), st.integers(0, 3)),
    st.tuples(st.just("remove"), st.lists(st.integers(0, MEMORIES - 1), max_size=2)),
    tell_one,
)
plans = st.builds(
    lambda begin, rest: begin + rest, st.lists(tell_one, min_size=3, max_size=4), st.lists(changes, max_size=12)
)


class World:
    """A database under test, and a naive record of what its memories say."""

    def __init__(self, cx: Connection) -> None:
        self.cx = cx
        self.blank = blank(cx)
        self.told: dict[int, Memory] = {}
        self.changes: list[AliasChange] = []

    def do(self, name: str, *arguments: Any) -> None:
        getattr(self, f"do_{name}")(*arguments)

    def do_tell(self, at: int, fields: dict[str, Any]) -> None:
        memory = dataclasses.replace(self.blank[at], **fields)
        self.told[memory.id] = memory
        before = set(graph.entry_ids(self.cx))
        touched = tell(self.cx, memory)
        after = set(graph.entry_ids(self.cx))
        assert (set(touched.entries), set(touched.gone)) == (after - before, before - after)
        assert tell(self.cx, memory) == graph.Touched()

    def do_remove(self, places: list[int]) -> None:
        ids = [self.blank[at].id for at in places]
        before = set(graph.entry_ids(self.cx))
        touched = graph.remove(self.cx, ids)
        assert set(touched.gone) == before - set(graph.entry_ids(self.cx)) and touched.entries == ()
        for memory_id in ids:
            self.told.pop(memory_id, None)
        assert not any(row.memory_id in ids for row in aliases.everything(self.cx))

    def do_merge(self, places: list[int], into: int) -> None:
        nodes = self.nodes()
        if not nodes:
            return
        goal = nodes[into % len(nodes)]
        near = [one for one in nodes if one[1] == goal[1]]
        others = [near[place % len(near)] for place in places]
        before = state(self.cx)
        if self.change(lambda: aliasing.merge(self.cx, [one[0] for one in others], goal[0])):
            merged = {one[2] for one in others}
            assert state(self.cx) == {
                (memory, kind, goal[2] if kind == goal[1] and canonical in merged else canonical, text, given)
                for memory, kind, canonical, text, given in before
            }

    def do_rename(self, place: int, name: str) -> None:
        before = state(self.cx)
        if nodes := self.nodes():
            self.change(lambda: aliasing.rename(self.cx, nodes[place % len(nodes)][0], name))
        assert state(self.cx) == before

    def do_part(self, place: int, places: list[int]) -> None:
        """Some memories mean another one by the name: they do so together, and nobody else does."""
        if not (nodes := self.nodes()):
            return
        node_id, kind, canonical = nodes[place % len(nodes)]
        before = {one for one in state(self.cx) if one[1:3] == (kind, canonical)}
        ids = sorted({one[0] for one in before})
        ids = [ids[place % len(ids)] for place in places]
        if self.change(lambda: aliasing.split(self.cx, node_id, memory_ids=ids)):
            rest = {one for one in before if one[0] not in ids}
            assert {one for one in state(self.cx) if one[1:3] == (kind, canonical)} == rest

    def do_split(self, place: int, places: list[int]) -> None:
        """Some of its names mean another one."""
        several = [one for one in self.nodes() if len(self.called(one)) > 1]
        if not several:
            return
        node_id, kind, canonical = several[place % len(several)]
        called = self.called((node_id, kind, canonical))
        chosen = [called[place % len(called)] for place in places]
        before = {one for one in state(self.cx) if one[1:3] == (kind, canonical)}
        if self.change(lambda: aliasing.split(self.cx, node_id, canonicals=chosen)):
            stays = canonical in chosen  # its own name does
            rest = {one for one in before if (canonicalise(kind, one[3]) in chosen) == stays}
            assert {one for one in state(self.cx) if one[1:3] == (kind, canonical)} == rest

    def do_alias(self, text: str, target: str) -> None:
        self.change(lambda: aliasing.set_alias(self.cx, "person", text, target))

    def do_drop(self, place: int) -> None:
        if rows := aliases.everything(self.cx):
            row = rows[place % len(rows)]
            self.change(lambda: aliasing.drop_alias(self.cx, row.type, row.canonical, row.memory_id))

    def do_undo(self, back: int) -> None:
        if back < len(self.changes):
            old = self.changes[-1 - back]
            self.change(lambda: aliasing.apply(self.cx, old.after, old.before))

    def change(self, act: Callable[[], AliasChange]) -> bool:
        """Do it, take it back, do it again: each time the graph and the aliases are as they were then."""
        before = whole(self.cx)
        try:
            change = act()
        except HupoError:
            assert whole(self.cx) == before
            return False
        after = whole(self.cx)
        back = aliasing.apply(self.cx, change.after, change.before)
        assert whole(self.cx) == before
        aliasing.apply(self.cx, back.after, back.before)
        assert whole(self.cx) == after
        self.changes.append(change)
        return True

    def called(self, node: tuple[int, EntityType, str]) -> list[str]:
        return sorted({canonicalise(node[1], text) for _, text in graph.entries_of(self.cx, node[0])})

    def nodes(self) -> list[tuple[int, EntityType, str]]:
        return self.cx.execute("SELECT id, type, canonical FROM nodes ORDER BY type, canonical").fetchall()


def tell(cx: Connection, memory: Memory) -> graph.Touched:
    return build(cx, memory, [(Fact(text, True), None) for text in memory.key_facts], READINGS)


def state(cx: Connection) -> set[Triple]:
    return {
        (memory, row.type, row.canonical, row.text, row.given)
        for memory in range(1, MEMORIES + 1)
        for row in graph.mentions_of(cx, memory)
    }


def whole(cx: Connection) -> tuple[set[Triple], set[Alias], dict[str, set[tuple[str, str, str]]]]:
    """Mentions, aliases, and what some words find."""
    found = {}
    for word in ("alice", "王伟", "chief", "zog", "tea", "2"):
        hits = entries.search(cx, terms.fts_query(terms.query_terms(word)), 500)
        found[word] = {spelled(cx, entry_id) for entry_id, _ in hits}
    return state(cx), set(aliases.everything(cx)), found


def spelled(cx: Connection, entry_id: int) -> tuple[str, str, str]:
    sql = "SELECT n.type, n.canonical, e.text FROM entries AS e JOIN nodes AS n ON n.id = e.node_id WHERE e.id = ?"
    row: Any = cx.execute(sql, (entry_id,)).fetchone()
    return row[0], row[1], row[2]


def expected(told: dict[int, Memory], rows: list[Alias]) -> set[Triple]:
    """What the memories say, by the plainest reading of the aliases."""
    meant = {(row.type, row.canonical, row.memory_id): row.target for row in rows}
    found: set[Triple] = set()
    for memory in told.values():
        for one in people_and_topics(memory, SEGMENTER):
            canonical = canonicalise(one.type, one.text)
            everywhere = meant.get((one.type, canonical, 0), canonical)
            found.add(
                (memory.id, one.type, meant.get((one.type, canonical, memory.id), everywhere), one.text, one.given)
            )
        facts: dict[str, str] = {}
        for text in memory.key_facts:
            facts.setdefault(canonicalise("fact", text), text)
        found |= {(memory.id, "fact", key, text, True) for key, text in facts.items() if key}
    return found


def check(world: World) -> None:
    cx = world.cx
    rows = aliases.everything(cx)
    assert state(cx) == expected(world.told, rows)
    everywhere = {(row.type, row.canonical): row.target for row in rows if row.memory_id == 0}
    assert all(everywhere.get((row.type, row.target), row.target) == row.target for row in rows), "a chain"
    assert len({(row.type, row.target, row.name) for row in rows}) == len({(row.type, row.target) for row in rows})
    counts = "SELECT count(*) FROM entries WHERE id NOT IN (SELECT entry_id FROM mentions)"
    assert cx.execute(counts).get == 0
    assert cx.execute("SELECT count(*) FROM nodes WHERE id NOT IN (SELECT node_id FROM entries)").get == 0
    indexed = [row[0] for row in cx.execute("SELECT id FROM entries_lexical_docsize ORDER BY id")]
    assert indexed == graph.entry_ids(cx)


@settings(max_examples=60)
@given(plans)
def test_the_graph_is_what_building_it_anew_gives(plan: list[tuple[Any, ...]]) -> None:
    with opened() as cx:
        world = World(cx)
        for command in plan:
            world.do(*command)
            check(world)
        with opened() as fresh:
            blank(fresh)
            aliases.put(fresh, aliases.everything(cx))
            for memory in reversed(world.told.values()):
                tell(fresh, memory)
            assert whole(fresh) == whole(cx)
        graph.remove(cx, [memory.id for memory in world.blank])
        tables = ("nodes", "entries", "mentions", "fact_vectors", "entries_lexical_docsize")
        assert [cx.execute(f"SELECT count(*) FROM {table}").get for table in tables] == [0] * 5


@given(st.sampled_from(["topic", "person"]), texts | st.text(max_size=20))
def test_a_form_is_its_own_form(kind: EntityType, text: str) -> None:
    """And only a text that shows nothing has none."""
    form = canonicalise(kind, text)
    assert canonicalise(kind, form) == form
    assert bool(form) == bool(canonicalise("fact", text))
    form.encode("utf-8")


@given(tellings())
def test_any_memory_can_be_read(fields: dict[str, Any]) -> None:
    with opened() as cx:
        memory = dataclasses.replace(blank(cx)[0], **fields)
        found = people_and_topics(memory, SEGMENTER)
        assert len({(one.type, canonicalise(one.type, one.text)) for one in found}) == len(found)
        assert all(canonicalise(one.type, one.text) for one in found)
