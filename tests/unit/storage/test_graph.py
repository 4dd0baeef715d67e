"""The graph's rows: mentions replaced and removed, what falls away with them, and the words of entries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import apsw
import pytest

from engine.index import entries
from engine.storage import aliases, graph, memories
from engine.storage.database import Database
from engine.storage.graph import Mentioned, Touched
from engine.storage.relations import Reader
from engine.text import terms
from engine.types import ALL_SCOPES, Alias, Filters

EVERYTHING = Filters(scope=ALL_SCOPES, statuses=())
ALICE = Mentioned("person", "alice", "Alice")
TEA = Mentioned("topic", "tea", "Tea")
FACT = Mentioned("fact", "key", "Alice drinks green tea")

Remember = Callable[..., list[int]]


@pytest.fixture
def remember(values: Callable[..., dict[str, Any]]) -> Remember:
    """Store so many memories; returns their ids."""

    def make(cx: apsw.Connection, count: int, **given: Any) -> list[int]:
        return [memories.insert(cx, values(**given)) for _ in range(count)]

    return make


def add_atom(cx: apsw.Connection, status: str = "active", confidence: float = 0.8) -> int:
    sql = (
        "INSERT INTO atoms (type, status, status_at, importance, confidence, created_at, reinforcement_count, "
        "ttl_days, expires_at) VALUES ('factual', ?, '2026', .5, ?, '2026', 0, 1, '2026') RETURNING id"
    )
    return int(cx.execute(sql, (status, confidence)).get)


def counts(cx: apsw.Connection) -> tuple[int, ...]:
    tables = ("nodes", "entries", "mentions", "entries_lexical_docsize")
    return tuple(int(cx.execute(f"SELECT count(*) FROM {table}").get) for table in tables)


def found(cx: apsw.Connection, text: str, filters: Filters | None = None) -> list[int]:
    expression = terms.fts_query(terms.query_terms(text))
    return sorted(one for one, _ in entries.search(cx, expression, 50, filters))


def entry(cx: apsw.Connection, row: Mentioned) -> int:
    node_id = graph.find(cx, row.type, row.canonical)
    assert node_id is not None
    return next(one for one, text in graph.entries_of(cx, node_id) if text == row.text)


def test_mentions_are_stored_and_found_by_their_words(db: Database, remember: Remember) -> None:
    with db.transaction() as cx:
        (memory,) = remember(cx, 1)
        touched = graph.put(cx, memory, [ALICE, TEA, FACT])
        assert graph.mentions_of(cx, memory) == [ALICE, TEA, FACT]
        assert touched == Touched(tuple(entry(cx, row) for row in (ALICE, TEA, FACT)))
        assert found(cx, "alice") == sorted(entry(cx, row) for row in (ALICE, FACT))
        assert entries.count(cx) == 3


def test_equal_rows_keep_their_entries(db: Database, remember: Remember) -> None:
    with db.transaction() as cx:
        (memory,) = remember(cx, 1)
        graph.put(cx, memory, [ALICE, TEA])
        before = entry(cx, ALICE), entry(cx, TEA)
        touched = graph.put(cx, memory, [TEA, ALICE, Mentioned("person", "alice", "ALICE")])
        assert (entry(cx, ALICE), entry(cx, TEA)) == before
        assert touched == Touched((entry(cx, Mentioned("person", "alice", "ALICE")),))
        assert graph.put(cx, memory, [TEA, ALICE, Mentioned("person", "alice", "ALICE")]) == Touched()


def test_what_nothing_mentions_any_more_is_gone(db: Database, remember: Remember) -> None:
    with db.transaction() as cx:
        first, second = remember(cx, 2)
        graph.put(cx, first, [ALICE, TEA])
        graph.put(cx, second, [ALICE])
        tea = entry(cx, TEA)
        assert graph.put(cx, first, [ALICE]) == Touched((), (tea,))
        assert graph.find(cx, "topic", "tea") is None and found(cx, "tea") == []
        assert graph.remove(cx, [first]) == Touched()
        alice = entry(cx, ALICE)
        assert graph.remove(cx, [second, second]) == Touched((), (alice,))
        assert counts(cx) == (0, 0, 0, 0)
        assert graph.remove(cx, []) == Touched() == graph.remove(cx, [first, 12345])


def test_rows_of_one_entry_are_one_mention(db: Database, remember: Remember) -> None:
    with db.transaction() as cx:
        (memory,) = remember(cx, 1)
        atom = add_atom(cx)
        read = Mentioned("fact", "key", "Tea", given=False)
        graph.put(cx, memory, [read, Mentioned("fact", "key", "Tea", True, atom)])
        assert graph.mentions_of(cx, memory) == [Mentioned("fact", "key", "Tea", True, atom)]
        graph.put(cx, memory, [read])
        assert graph.mentions_of(cx, memory) == [read]


def test_atoms_that_lose_their_last_mention_are_named(db: Database, remember: Remember) -> None:
    with db.transaction() as cx:
        first, second = remember(cx, 2)
        shared, own, later = add_atom(cx), add_atom(cx), add_atom(cx)
        fact = Mentioned("fact", "own", "Own", True, own)
        graph.put(cx, first, [Mentioned("fact", "key", "Tea", True, shared), fact])
        graph.put(cx, second, [Mentioned("fact", "key", "tea", True, shared)])
        assert graph.put(cx, first, [fact]).atoms_gone == ()
        # Another life for the same fact, in the same entry.
        assert graph.put(cx, first, [Mentioned("fact", "own", "Own", True, later)]).atoms_gone == (own,)
        # The life moves to another entry: it is not gone.
        assert graph.put(cx, first, [Mentioned("fact", "other", "Other", True, later)]).atoms_gone == ()
        assert graph.remove(cx, [first, second]).atoms_gone == (shared, later)


@pytest.mark.parametrize("status", ["forgotten", "purged"])
def test_a_fact_is_found_while_one_of_its_lives_lasts(db: Database, remember: Remember, status: str) -> None:
    with db.transaction() as cx:
        first, second, third = remember(cx, 3)
        dead, alive = add_atom(cx, status), add_atom(cx, "expired")
        graph.put(cx, first, [Mentioned("fact", "key", "Green tea", True, dead)])
        assert found(cx, "green") == [] and counts(cx) == (1, 1, 1, 0)
        graph.put(cx, second, [Mentioned("fact", "key", "Green tea", True, alive)])
        assert len(found(cx, "green")) == 1
        graph.remove(cx, [second])
        assert found(cx, "green") == []
        graph.put(cx, third, [Mentioned("fact", "key", "Green tea", False, None)])
        assert len(found(cx, "green")) == 1
        graph.put(cx, third, [Mentioned("fact", "key", "Green tea", False, dead)])
        assert found(cx, "green") == []
        cx.execute("UPDATE atoms SET status = 'active' WHERE id = ?", (dead,))
        graph.reindex(cx, graph.entry_ids(cx))
        assert len(found(cx, "green")) == 1
        cx.execute("UPDATE atoms SET status = ? WHERE id = ?", (status, dead))
        graph.reindex(cx, graph.entry_ids(cx))
        assert found(cx, "green") == []


def test_indexing_anew_gives_the_same_words(db: Database, remember: Remember) -> None:
    with db.transaction() as cx:
        (memory,) = remember(cx, 1)
        graph.put(cx, memory, [ALICE, TEA, FACT])
        before = found(cx, "alice tea")
        entries.clear(cx)
        assert found(cx, "alice tea") == [] and entries.count(cx) == 0
        graph.reindex(cx, graph.entry_ids(cx))
        assert found(cx, "alice tea") == before
        entries.put(cx, 999, "ghost")
        graph.reindex(cx, [999])
        assert found(cx, "ghost") == []


def test_the_name_of_an_alias_is_searched(db: Database, remember: Remember) -> None:
    with db.transaction() as cx:
        (memory,) = remember(cx, 1)
        aliases.put(cx, [Alias("person", "lizzy", "elizabeth", "Elizabeth Bennet")])
        graph.put(cx, memory, [Mentioned("person", "elizabeth", "Lizzy"), Mentioned("topic", "elizabeth", "Town")])
        assert found(cx, "bennet") == [entry(cx, Mentioned("person", "elizabeth", "Lizzy"))]


def test_a_filter_costs_no_entry(db: Database, remember: Remember) -> None:
    """Many entries of others rank as well; the one that may be seen is found all the same."""
    with db.transaction() as cx:
        for number, memory in enumerate(remember(cx, 60, conversation_id="c")):
            graph.put(cx, memory, [Mentioned("fact", f"key{number}", f"tea {number}")])
        (own,) = remember(cx, 1)
        graph.put(cx, own, [Mentioned("fact", "own", "a long story in which tea comes up once"), TEA])
        expression = terms.fts_query(["tea"])
        seen = [one for one, _ in entries.search(cx, expression, 2, Filters())]
        assert sorted(seen) == sorted(entry(cx, row) for row in graph.mentions_of(cx, own))
        only = entries.search(cx, expression, 5, Filters(), ("topic",))
        assert [one for one, _ in only] == [entry(cx, TEA)]
        assert len(entries.search(cx, expression, 100, Filters(scope="c"))) == 62
        assert entries.search(cx, "", 5, Filters()) == [] == entries.search(cx, expression, 0)


def test_a_vector_goes_with_its_entry(db: Database, remember: Remember) -> None:
    with db.transaction() as cx:
        (memory,) = remember(cx, 1)
        graph.put(cx, memory, [FACT])
        identity = cx.execute("INSERT INTO identities (identity, dimension) VALUES ('e', 1) RETURNING id").get
        cx.execute("INSERT INTO fact_vectors VALUES (?, ?, x'0000')", (identity, entry(cx, FACT)))
        graph.put(cx, memory, [TEA])
        assert cx.execute("SELECT count(*) FROM fact_vectors").get == 0


def test_removal_forgets_what_held_only_in_that_memory(db: Database, remember: Remember) -> None:
    with db.transaction() as cx:
        first, second = remember(cx, 2)
        kept = [Alias("person", "al", "alice", "Alice"), Alias("person", "alice", "alice#2", "Alice (2)", second)]
        aliases.put(cx, [*kept, Alias("person", "alice", "alice#2", "Alice (2)", first)])
        graph.remove(cx, [first])
        assert sorted(aliases.everything(cx), key=repr) == sorted(kept, key=repr)


def test_aliases_go_with_the_last_who_bears_the_name(db: Database, remember: Remember) -> None:
    with db.transaction() as cx:
        first, second = remember(cx, 2)
        rows = [Alias("person", "al", "alice", "Alice"), Alias("person", "bo", "bob", "Bob")]
        aliases.put(cx, rows)
        graph.put(cx, first, [Mentioned("person", "alice", "Alice")])
        graph.put(cx, second, [Mentioned("person", "alice", "Al")])
        named = aliases.of_memories(cx, [first])
        assert named == [("person", "alice")]
        graph.remove(cx, [first])
        assert aliases.drop_unborne(cx, named) == []
        graph.remove(cx, [second])
        assert set(aliases.drop_unborne(cx, named)) == {("person", "alice"), ("person", "al")}
        assert aliases.everything(cx) == [rows[1]], "a name that nobody bore yet is the user's own word"


def test_a_memory_says_what_an_alias_means_in_it(db: Database) -> None:
    with db.transaction() as cx:
        assert aliases.resolve(cx, "person", "al") == "al"
        aliases.put(cx, [Alias("person", "al", "albert", "Albert"), Alias("person", "al", "alice", "Alice", 7)])
        assert aliases.resolve(cx, "person", "al") == "albert" == aliases.resolve(cx, "person", "al", 8)
        assert aliases.resolve(cx, "person", "al", 7) == "alice"
        assert aliases.resolve(cx, "topic", "al", 7) == "al"
        assert aliases.name_of(cx, "person", "albert") == "Albert" and aliases.name_of(cx, "person", "al") is None


def test_a_write_does_not_walk_what_everything_mentions(db: Database, remember: Remember) -> None:
    """The work of a write is the same whether an entity has ten mentions or two thousand."""
    with db.transaction() as cx:
        ids = remember(cx, 2_000)

        def steps(memory: int) -> int:
            before = cx.total_changes()
            done = 0

            def tick() -> bool:
                nonlocal done
                done += 1
                return False

            cx.set_progress_handler(tick, 1)
            graph.put(cx, memory, [ALICE])
            graph.put(cx, memory, [])
            cx.set_progress_handler(None)
            assert cx.total_changes() > before
            return done

        for memory in ids[:10]:
            graph.put(cx, memory, [ALICE])
        few = steps(ids[-1])
        for memory in ids[10:-1]:
            graph.put(cx, memory, [ALICE])
        assert steps(ids[-1]) < few * 1.5 + 50


def test_an_entity_is_seen_through_the_memories_that_pass(db: Database, remember: Remember) -> None:
    with db.transaction() as cx:
        (first,) = remember(cx, 1, conversation_id="c")
        others = remember(cx, 3)
        graph.put(cx, first, [Mentioned("person", "alice", "ALICE")])
        for memory in others:
            graph.put(cx, memory, [ALICE])
        node = graph.find(cx, "person", "alice")
        assert node is not None
        whole = Reader(cx, EVERYTHING).entities([node])[node]
        assert (whole.key, whole.name, whole.memories, whole.spellings) == (
            "person:alice",
            "ALICE",
            4,
            ("ALICE", "Alice"),
        )
        seen = Reader(cx, Filters()).entities([node, node, 99])[node]
        assert (seen.name, seen.memories, seen.spellings) == ("Alice", 3, ("Alice",))
        assert Reader(cx, Filters()).entities([node], 2)[node].memories == 2
        assert Reader(cx, Filters(scope="other", pinned=True)).entities([node]) == {}
        assert Reader(cx, Filters()).memories_of(node, 2) == sorted(others, reverse=True)[:2]
        assert Reader(cx, EVERYTHING).memories_of(node, 10) == [*sorted(others, reverse=True), first]


def test_old_memories_are_found_below_many_that_do_not_pass(db: Database, remember: Remember) -> None:
    with db.transaction() as cx:
        old = remember(cx, 3)
        hidden = remember(cx, 1_500, conversation_id="c")
        for number, memory in enumerate(old + hidden):
            graph.put(cx, memory, [Mentioned("person", "alice", f"Alice {number % 2}")])
        node = graph.find(cx, "person", "alice")
        assert node is not None
        assert Reader(cx, Filters()).memories_of(node, 2) == [old[2], old[1]]
        assert Reader(cx, Filters()).memories_of(node, 9) == old[::-1]
