"""Passages keep their meaning, vectors their key; what is missing is known exactly."""

from __future__ import annotations

import numpy as np
import pytest

from engine.errors import InvalidArgument
from engine.storage import memories, passages, vectors
from engine.types import Filters


def _unit(*numbers: float) -> np.ndarray:
    vector = np.array(numbers, dtype=np.float32)
    return vector / np.linalg.norm(vector)


@pytest.fixture
def stored(db, values) -> tuple[list[int], list[int]]:
    """(memory ids, passage ids): three memories, the second with two passages."""
    with db.transaction() as cx:
        ids = [memories.insert(cx, values()) for _ in range(3)]
        made = [passages.put(cx, ids[0], [(0, 4)]), passages.put(cx, ids[1], [(0, 5), (5, 9)])]
        made.append(passages.put(cx, ids[2], [(0, 1)]))
    return ids, [one for each in made for one in each]


def test_passages_of_memories_and_memories_of_passages(db, stored) -> None:
    ids, parts = stored
    with db.reader() as cx:
        assert passages.of(cx, [ids[1], ids[0]]) == [
            (parts[0], ids[0], 0, 4),
            (parts[1], ids[1], 0, 5),
            (parts[2], ids[1], 5, 9),
        ]
        assert passages.of(cx, []) == []
        assert passages.memory_of(cx, [parts[2], 999, parts[0]]) == {parts[2]: ids[1], parts[0]: ids[0]}
        assert passages.memory_of(cx, []) == {}


def test_passages_behind_a_filter(db, stored) -> None:
    ids, parts = stored
    with db.transaction() as cx:
        memories.update(cx, ids[0], {"status": "trashed"})
        memories.update(cx, ids[1], {"tags": ("Tea",)})
        tea = {parts[1]: (ids[1], None), parts[2]: (ids[1], None)}
        assert passages.selected(cx, Filters()) == tea | {parts[3]: (ids[2], None)}
        assert passages.selected(cx, Filters(tags=("tea",))) == tea
        assert passages.selected(cx, Filters(pinned=True)) == {}


def test_an_edit_makes_new_ids_and_takes_the_old_vectors_along(db, stored) -> None:
    ids, parts = stored
    with db.transaction() as cx:
        identity = vectors.identity_id(cx, "model", 3)
        vectors.put(cx, identity, [(part, _unit(1, 0, 0)) for part in parts])
        passages.delete_of(cx, [ids[2]])
        again = passages.put(cx, ids[2], [(0, 2)])
        assert again[0] > max(parts)
        assert vectors.count(cx, identity) == 3
        assert vectors.missing(cx, identity, 10) == [(again[0], ids[2])]


def test_the_text_of_a_passage_is_its_slice_of_the_memory(db, values) -> None:
    content = "茶 🍵 tea\x00 and milk"  # neither bytes nor what follows a zero byte may shift or cut it
    with db.transaction() as cx:
        memory_id = memories.insert(cx, values(content))
        first, second = passages.put(cx, memory_id, [(0, 3), (4, len(content))])
        assert vectors.texts(cx, [second, first, 999]) == {first: "茶 🍵", second: "tea\x00 and milk"}
        assert vectors.texts(cx, []) == {}


def test_vectors_come_back_as_float16_by_key(db, stored) -> None:
    _, parts = stored
    made = {part: _unit(part, 2, 3) for part in parts}
    with db.transaction() as cx:
        identity = vectors.identity_id(cx, "model", 3)
        assert vectors.put(cx, identity, reversed(list(made.items()))) == parts[::-1]
    with db.reader() as cx:
        keys, matrix = vectors.load(cx, identity)
        assert keys.dtype == np.int64 and matrix.dtype == np.float16
        assert keys.tolist() == parts == vectors.keys(cx, identity).tolist()
        np.testing.assert_array_equal(matrix, np.stack([made[part] for part in parts]).astype(np.float16))
        keys, matrix = vectors.of(cx, identity, [parts[2], 999, parts[0], parts[0]])
        assert keys.tolist() == [parts[0], parts[2]]
        np.testing.assert_array_equal(matrix[1], made[parts[2]].astype(np.float16))
        keys, matrix = vectors.of(cx, identity, [])
        assert keys.shape == (0,) and matrix.shape == (0, 3)


def test_more_vectors_than_one_block(db, values) -> None:
    with db.transaction(durable=False) as cx:
        memory_id = memories.insert(cx, values())
        parts = passages.put(cx, memory_id, [(0, 1)] * 5000)
        identity = vectors.identity_id(cx, "model", 2)
        vectors.put(cx, identity, [(part, _unit(part, 1)) for part in parts])
        keys, matrix = vectors.load(cx, identity)
    assert keys.tolist() == parts
    np.testing.assert_array_equal(matrix[4999], _unit(parts[4999], 1).astype(np.float16))


@pytest.mark.parametrize(
    ("vector", "reason"),
    [
        ([1, 0], "dimension"),
        ([1, 0, 0, 0], "dimension"),
        ([[1, 0, 0]], "dimension"),
        ([np.nan, 0, 1], "not_finite"),
        ([np.inf, 0, 1], "not_finite"),
        ([1e9, 0, 1], "not_finite"),
        ([0, 0, 0], "zero"),
        ([1e-12, 0, 0], "zero"),
    ],
)
def test_what_is_no_vector_is_refused(db, stored, vector, reason: str) -> None:
    with pytest.raises(InvalidArgument) as caught, db.transaction() as cx:
        identity = vectors.identity_id(cx, "model", 3)
        vectors.put(cx, identity, [(stored[1][0], np.array(vector, dtype=np.float32))])
    assert (caught.value.fields["field"], caught.value.fields["reason"]) == ("vector", reason)


def test_a_vector_never_changes_under_its_key_and_a_passage_that_is_gone_gets_none(db, stored) -> None:
    parts = stored[1]
    with db.transaction() as cx:
        identity = vectors.identity_id(cx, "model", 2)
        assert vectors.put(cx, identity, [(parts[0], _unit(1, 0)), (999, _unit(1, 0))]) == [parts[0]]
        assert vectors.put(cx, identity, [(parts[0], _unit(0, 1))]) == [parts[0]]
        np.testing.assert_array_equal(vectors.load(cx, identity)[1], [[1, 0]])


def test_identities_are_kept_apart(db, stored) -> None:
    parts = stored[1]
    with db.transaction() as cx:
        first, wider = vectors.identity_id(cx, "model", 2), vectors.identity_id(cx, "model", 3)
        assert vectors.identity_id(cx, "model", 2) == first != wider
        assert vectors.identities(cx) == [(first, "model", 2), (wider, "model", 3)]
        vectors.put(cx, first, [(parts[0], _unit(1, 0))])
        vectors.put(cx, wider, [(parts[0], _unit(1, 0, 0)), (parts[1], _unit(1, 0, 0))])
        assert (vectors.count(cx, first), vectors.count(cx, wider)) == (1, 2)
        vectors.drop_identity(cx, wider)
        assert vectors.identities(cx) == [(first, "model", 2)]
        assert vectors.count(cx, first) == 1
        assert vectors.identity_id(cx, "next", 3) > wider
        with pytest.raises(ValueError, match="no identity"):
            vectors.put(cx, wider, [(parts[0], _unit(1, 0, 0))])
        for identity, dimension, field in [("", 3, "identity"), ("model", 0, "dimension")]:
            with pytest.raises(InvalidArgument) as caught:
                vectors.identity_id(cx, identity, dimension)
            assert caught.value.fields["field"] == field


def test_what_is_missing_newest_first_and_not_for_the_trash(db, stored) -> None:
    ids, parts = stored
    with db.transaction() as cx:
        identity = vectors.identity_id(cx, "model", 2)
        assert [row[0] for row in vectors.missing(cx, identity, 10)] == parts[::-1]
        assert [row[0] for row in vectors.missing(cx, identity, 2)] == parts[:1:-1]
        assert (vectors.count(cx, identity), vectors.wanted(cx, identity), vectors.wanted(cx)) == (0, 4, 4)

        vectors.put(cx, identity, [(parts[0], _unit(1, 0)), (parts[1], _unit(1, 0))])
        memories.update(cx, ids[2], {"status": "trashed"})
        assert vectors.missing(cx, identity, 10) == [(parts[2], ids[1])]
        assert (vectors.count(cx, identity), vectors.wanted(cx, identity)) == (2, 3)
        assert vectors.without(cx, identity, [*parts, 999]) == {parts[2], parts[3]}
        assert vectors.complete(cx, identity, [*ids, 999]) == [ids[0]]

        # One that was thrown away keeps its vector, and is counted on both sides.
        memories.update(cx, ids[0], {"status": "trashed"})
        vectors.put(cx, identity, [(parts[2], _unit(1, 0))])
        assert vectors.missing(cx, identity, 10) == []
        assert vectors.count(cx, identity) == vectors.wanted(cx, identity) == 3
        assert vectors.complete(cx, identity, ids) == [ids[0], ids[1]]
        assert vectors.without(cx, identity, []) == set()
        assert vectors.complete(cx, identity, []) == []


def test_counting_reads_no_vector(db) -> None:
    with db.reader() as cx:
        plan = cx.execute("EXPLAIN QUERY PLAN SELECT count(*) FROM vectors WHERE identity_id = 1").fetchall()
    assert "COVERING INDEX" in plan[0][3]


@pytest.mark.parametrize("gone", ["the turn before", "the turn itself"])
def test_a_passage_in_context_goes_with_either_of_its_memories(db, values, gone: str) -> None:
    with db.transaction() as cx:
        before, after = (memories.insert(cx, values(text)) for text in ("Anna: tea \x00?", "小王：要🍵"))
        (own,) = passages.put(cx, after, [(0, 5)])
        both = passages.put_context(cx, after, before)
        identity = vectors.identity_id(cx, "model", 3)
        vectors.put(cx, identity, [(own, _unit(1, 0, 0)), (both, _unit(0, 1, 0))])
        assert vectors.texts(cx, [both, own]) == {own: "小王：要🍵", both: "Anna: tea \x00?\n小王：要🍵"}
        assert passages.of(cx, [after]) == [(own, after, 0, 5)]
        assert passages.memory_of(cx, [own, both]) == {own: after}
        assert passages.contexts_of(cx, [after]) == passages.contexts_with(cx, [before]) == [(both, after, before)]
        assert passages.selected(cx, Filters())[both] == (after, before)
        memories.delete(cx, [before if gone == "the turn before" else after])
        left = [own] if gone == "the turn before" else []
        assert vectors.keys(cx, identity).tolist() == left
        assert sorted(passages.owners(cx, [own, both])) == left
