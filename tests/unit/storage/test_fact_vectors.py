"""Vectors of facts: owed by what a writer gave, and by nothing else; kept apart from those of passages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import apsw
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.storage import memories, passages, vectors
from engine.storage.vectors import FACTS, PASSAGES
from engine.text.normalise import content_key


def _unit(*numbers: float) -> np.ndarray:
    vector = np.array(numbers, dtype=np.float32)
    return vector / np.linalg.norm(vector)


def entry(cx: apsw.Connection, text: str, kind: str = "fact") -> int:
    """The id of a new entry of a node of its own."""
    node = cx.execute("INSERT INTO nodes (type, canonical) VALUES (?, ?) RETURNING id", (kind, text)).get
    return int(cx.execute("INSERT INTO entries (node_id, text) VALUES (?, ?) RETURNING id", (node, text)).get)


def mention(cx: apsw.Connection, memory_id: int, *entries: int, given: int = 1) -> None:
    for entry_id in entries:
        cx.execute("INSERT OR REPLACE INTO mentions VALUES (?, ?, NULL, ?)", (memory_id, entry_id, given))


@pytest.fixture
def told(db, values) -> tuple[list[int], list[int]]:
    """(memory ids, entry ids): facts a, b, c; the first memory gives a and b, the second b; nobody gives c."""
    with db.transaction() as cx:
        ids = [memories.insert(cx, values()) for _ in range(2)]
        facts = [entry(cx, text) for text in ("a", "b", "c")]
        mention(cx, ids[0], facts[0], facts[1])
        mention(cx, ids[1], facts[1])
        mention(cx, ids[0], facts[2], given=0)
        # Names are not facts, whoever gives them; ids lie between and above those of facts.
        mention(cx, ids[0], entry(cx, "tea", "topic"), entry(cx, "Lin", "person"))
    return ids, facts


def test_a_fact_that_somebody_gave_wants_a_vector_and_nothing_else_does(db, told) -> None:
    ids, (a, b, c) = told
    with db.transaction() as cx:
        identity = vectors.identity_id(cx, "model", 2)
        assert vectors.missing(cx, identity, 10, family=FACTS) == [(b, ids[1]), (a, ids[0])]
        assert vectors.missing(cx, identity, 1, family=FACTS) == [(b, ids[1])]
        assert vectors.missing(cx, identity, 10, b, FACTS) == [(a, ids[0])]
        assert (vectors.wanted(cx, identity, FACTS), vectors.wanted(cx, None, FACTS)) == (2, 2)
        mention(cx, ids[1], c)
        assert vectors.missing(cx, identity, 1, family=FACTS) == [(c, ids[1])]
        assert vectors.wanted(cx, identity, FACTS) == 3
        assert vectors.texts(cx, [c, a, 999], FACTS) == {a: "a", c: "c"}


def test_what_only_the_trash_gives_wants_none_and_keeps_what_it_has(db, told) -> None:
    ids, (a, b, _) = told
    with db.transaction() as cx:
        identity = vectors.identity_id(cx, "model", 2)
        memories.update(cx, ids[0], {"status": "trashed"})
        assert vectors.missing(cx, identity, 10, family=FACTS) == [(b, ids[1])]
        assert vectors.wanted(cx, identity, FACTS) == vectors.wanted(cx, None, FACTS) == 1
        assert vectors.put(cx, identity, [(a, _unit(1, 0)), (b, _unit(0, 1))], FACTS) == [a, b]
        memories.update(cx, ids[1], {"status": "trashed"})
        assert vectors.missing(cx, identity, 10, family=FACTS) == []
        assert vectors.count(cx, identity, FACTS) == vectors.wanted(cx, identity, FACTS) == 2
        assert vectors.wanted(cx, None, FACTS) == 0


def test_vectors_of_facts_come_back_by_entry_and_are_no_passages(db, told) -> None:
    ids, (a, b, c) = told
    with db.transaction() as cx:
        identity = vectors.identity_id(cx, "model", 2)
        (passage,) = passages.put(cx, ids[0], [(0, 3)])
        assert passage == a, "the same number names two things"
        vectors.put(cx, identity, [(passage, _unit(1, 1))])
        assert vectors.put(cx, identity, [(b, _unit(0, 1)), (a, _unit(1, 0)), (999, _unit(1, 0))], FACTS) == [b, a]
        assert vectors.put(cx, identity, [(a, _unit(0, 1))], FACTS) == [a]
        keys, matrix = vectors.load(cx, identity, FACTS)
        assert keys.tolist() == [a, b] == vectors.keys(cx, identity, FACTS).tolist()
        np.testing.assert_array_equal(matrix, [[1, 0], [0, 1]])
        keys, matrix = vectors.of(cx, identity, [b, c, b], FACTS)
        assert (keys.tolist(), matrix.tolist()) == ([b], [[0, 1]])
        assert vectors.without(cx, identity, [a, b, c, 999], FACTS) == {c}
        assert (vectors.count(cx, identity), vectors.count(cx, identity, FACTS)) == (1, 2)
        assert vectors.keys(cx, identity).tolist() == [passage]


def test_a_memory_is_complete_when_every_fact_it_gives_has_its_vector(db, told) -> None:
    ids, (a, b, _) = told
    with db.transaction() as cx:
        identity = vectors.identity_id(cx, "model", 2)
        vectors.put(cx, identity, [(b, _unit(0, 1))], FACTS)
        assert vectors.complete(cx, identity, ids, FACTS) == [ids[1]]
        vectors.put(cx, identity, [(a, _unit(0, 1))], FACTS)
        assert vectors.complete(cx, identity, [*ids, 999], FACTS) == ids
        assert vectors.complete(cx, identity, [], FACTS) == []


def test_an_entry_takes_its_vector_along_and_so_does_an_identity(db, told) -> None:
    ids, (a, b, _) = told
    with db.transaction() as cx:
        first, second = vectors.identity_id(cx, "model", 2), vectors.identity_id(cx, "next", 2)
        for identity in (first, second):
            vectors.put(cx, identity, [(a, _unit(1, 0)), (b, _unit(0, 1))], FACTS)
        cx.execute("DELETE FROM mentions WHERE entry_id = ?", (a,))
        cx.execute("DELETE FROM entries WHERE id = ?", (a,))
        assert vectors.keys(cx, first, FACTS).tolist() == [b]
        vectors.drop_identity(cx, first)
        assert cx.execute("SELECT count(*), max(identity_id) FROM fact_vectors").fetchall() == [(1, second)]
        assert vectors.missing(cx, vectors.identity_id(cx, "new", 2), 10, family=FACTS) == [(b, ids[1])]


def test_a_text_that_is_a_whole_memory_has_a_known_vector(db, values) -> None:
    texts = ["我住在杭州。", "My cat is called Momo", "a memory\nof two passages", "without a vector"]
    with db.transaction() as cx:
        identity, other = vectors.identity_id(cx, "model", 2), vectors.identity_id(cx, "other", 2)
        ids = [memories.insert(cx, values(f"{text} ", content_key=content_key(text))) for text in texts]
        whole = [passages.put(cx, ids[at], [(0, len(texts[at]))])[0] for at in (0, 1)]
        parts = passages.put(cx, ids[2], [(0, 8), (9, 24)])
        vectors.put(cx, identity, [(whole[0], _unit(1, 0)), (whole[1], _unit(0, 1))])
        vectors.put(cx, identity, [(part, _unit(1, 1)) for part in parts])
        passages.put(cx, ids[3], [(0, len(texts[3]))])
        found = vectors.known(cx, identity, [*texts, "MY CAT is called Momo", "", "\x00", "never said"])
        assert {text: vector.tolist() for text, vector in found.items()} == {texts[0]: [1, 0], texts[1]: [0, 1]}
        assert vectors.known(cx, other, texts) == {}


def test_looking_for_what_is_missing_asks_for_mentions_last(db) -> None:
    with db.reader() as cx:
        plan = [row[3] for row in cx.execute("EXPLAIN QUERY PLAN " + FACTS.missing, (1, 9, 9)).fetchall()]
        count = cx.execute("EXPLAIN QUERY PLAN SELECT count(*) FROM fact_vectors WHERE identity_id = 1").fetchall()
    assert [line.split()[1] for line in plan[:3]] == ["e", "v", "n"] and not any("TEMP B-TREE" in line for line in plan)
    assert "COVERING INDEX sqlite_autoindex_fact_vectors" in plan[1]
    assert "COVERING INDEX" in count[0][3]


STEPS = st.lists(
    st.tuples(st.sampled_from(["give", "read", "unsay", "trash", "restore", "vector"]), st.integers(0, 2),
              st.integers(0, 3)), max_size=40)  # fmt: skip


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_missing_facts_are_exactly_those_a_plain_model_misses(
    db, values: Callable[..., dict[str, Any]], steps: Sequence[tuple[str, int, int]]
) -> None:
    given_by: dict[int, set[int]] = {}
    trashed: set[int] = set()
    have: set[int] = set()
    with db.transaction() as cx:
        for table in ("mentions", "fact_vectors", "entries", "nodes", "memories", "identities"):
            cx.execute(f"DELETE FROM {table}")
        identity = vectors.identity_id(cx, "model", 2)
        ids = [memories.insert(cx, values()) for _ in range(3)]
        facts = [entry(cx, str(number), "fact" if number < 3 else "topic") for number in range(4)]
        for step, who, which in steps:
            memory_id, fact = ids[who], facts[which]
            tellers = given_by.setdefault(fact, set())
            if step in ("give", "read"):
                mention(cx, memory_id, fact, given=int(step == "give"))
                (tellers.add if step == "give" else tellers.discard)(memory_id)
            elif step == "unsay":
                cx.execute("DELETE FROM mentions WHERE memory_id = ? AND entry_id = ?", (memory_id, fact))
                tellers.discard(memory_id)
            elif step == "vector":
                have |= set(vectors.put(cx, identity, [(fact, _unit(1, 0))], FACTS)) if which < 3 else set()
            else:
                memories.update(cx, memory_id, {"status": "trashed" if step == "trash" else "active"})
                (trashed.add if step == "trash" else trashed.discard)(memory_id)
            wanting = {one: max(by - trashed) for one, by in given_by.items() if by - trashed and one != facts[3]}
            lacking = sorted(((one, by) for one, by in wanting.items() if one not in have), reverse=True)
            assert vectors.missing(cx, identity, 10, family=FACTS) == lacking
            assert vectors.wanted(cx, identity, FACTS) == len(have) + len(lacking)
            assert vectors.wanted(cx, None, FACTS) == len(wanting)
            owing = {by for one, tellers in given_by.items() if one not in {*have, facts[3]} for by in tellers}
            assert vectors.complete(cx, identity, ids, FACTS) == [one for one in ids if one not in owing]
        assert vectors.keys(cx, identity, PASSAGES).tolist() == []
