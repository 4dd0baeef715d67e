"""The rows of topics: what tells that a centroid is no longer right, and what an erase takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.storage import memories, passages, topics, vectors
from engine.storage.database import Connection, Database

AT = "2026-03-01T08:30:00.000000Z"
Change = Callable[[Connection, int, int], object]


def _vector(cx: Connection, _: int, passage: int) -> None:
    identity = vectors.identity_id(cx, "test/1", 2)
    vectors.put(cx, identity, [(passage, np.array([1.0, 0.0]))])


CHANGES: dict[str, Change] = {
    "a vector came": _vector,
    "its text is another": lambda cx, memory, _: passages.delete_of(cx, [memory]),
    "trashed": lambda cx, memory, _: memories.update(cx, memory, {"status": "trashed"}),
    "sensitive": lambda cx, memory, _: memories.update(cx, memory, {"sensitivity": "high"}),
    "taken out": lambda cx, memory, _: topics.unfile(cx, [memory]),
    "erased": lambda cx, memory, _: memories.delete(cx, [memory]),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_a_member_touches_its_topic_and_no_other(
    db: Database, values: Callable[..., dict[str, Any]], name: str
) -> None:
    with db.transaction() as cx:
        one, other = (topics.create(cx, topics.TOP, 1, text, text, AT) for text in ("工作", "work"))
        memory, elsewhere, unfiled = (memories.insert(cx, values()) for _ in range(3))
        parts = [passages.put(cx, each, [(0, 5)])[0] for each in (memory, elsewhere, unfiled)]
        topics.file(cx, memory, one)
        topics.file(cx, elsewhere, other)
        before = {row.id: row.touched for row in topics.rows(cx)}
        CHANGES[name](cx, unfiled, parts[2])
        assert {row.id: row.touched for row in topics.rows(cx)} == before
        CHANGES[name](cx, memory, parts[0])
        after = {row.id: row.touched for row in topics.rows(cx)}
    assert after[one] > before[one] and after[other] == before[other]


def test_a_memory_that_changes_its_topic_touches_both_and_staying_touches_none(
    db: Database, values: Callable[..., dict[str, Any]]
) -> None:
    with db.transaction() as cx:
        one, other = (topics.create(cx, topics.TOP, 1, text, text, AT) for text in ("工作", "work"))
        memory = memories.insert(cx, values())
        topics.file(cx, memory, one)
        seen = [{row.id: row.touched for row in topics.rows(cx)}]
        for goal in (one, other):
            topics.file(cx, memory, goal)
            seen.append({row.id: row.touched for row in topics.rows(cx)})
    assert seen[0] == seen[1]
    assert seen[2] == {one: seen[1][one] + 1, other: seen[1][other] + 1}


def test_only_topics_that_nothing_is_left_of_are_dropped(db: Database) -> None:
    with db.transaction() as cx:
        top = topics.create(cx, topics.TOP, 1, "生活", "生活", AT)
        left = topics.create(cx, top, 2, "茶", "茶", AT)
        named = topics.create(cx, top, 2, "Tea", "tea", AT)
        topics.put_names(cx, [topics.NameRow(top, "chai", named, "Chai")])
        assert topics.drop_unborne(cx, [left, named]) == [left]
        topics.delete_names(cx, [topics.NameRow(top, "chai", named, "Chai")])
        assert topics.drop_unborne(cx, [named]) == [named, top]
        assert topics.rows(cx) == [] and topics.names(cx) == []
