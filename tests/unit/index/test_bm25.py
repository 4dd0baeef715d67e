"""BM25 over a set: FTS5's numbers where they must be, and the properties that ranking stands on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.index import bm25, lexical
from engine.storage.database import Database
from engine.text import terms

TEXTS = (
    "the ferry to the island",
    "the island the island the island",
    "ferry ferry island harbour lighthouse keeper",
    "the bakery sells bread",
    "岛上的面包店 island",
)


@pytest.fixture
def database(data_dir: Path) -> Iterator[Database]:
    made = Database.open(data_dir)
    with made.transaction() as cx:
        for memory_id, text in enumerate(TEXTS, 1):
            lexical.put(cx, memory_id, terms.fts_row(text))
    yield made
    made.close()


def test_where_the_set_is_the_store_and_all_match_the_numbers_are_those_of_fts5(database: Database) -> None:
    expression = terms.fts_query(["the", "island", "ferry", "面"])
    with database.reader() as cx:
        everywhere = dict(lexical.search(cx, expression, 10, None))
        within = dict(lexical.search_within(cx, expression, range(1, 6), 10))
    assert len(everywhere) == len(TEXTS)
    assert within == pytest.approx(everywhere, abs=1e-9)


def test_the_order_of_a_set_is_its_own(database: Database) -> None:
    expression = terms.fts_query(["island", "bakery"])
    with database.reader() as cx:
        found = lexical.search_within(cx, expression, [2, 3, 4], 10)
        assert lexical.search_within(cx, expression, [], 10) == []
        assert lexical.search_within(cx, "", [1], 10) == []
        assert lexical.search_within(cx, terms.fts_query(["nowhere"]), [1, 2], 10) == []
        assert len(lexical.search_within(cx, expression, [2, 3, 4], 2)) == 2
    assert found[0][0] == 4, "the rarer word among these three wins"
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_nothing_found_is_nothing_scored() -> None:
    assert bm25.scores(np.zeros((0, 3)), np.zeros(0), 5).shape == (0,)


def test_one_memory_alone_is_scored_above_nothing() -> None:
    (score,) = bm25.scores(np.array([[1.0]]), np.array([4.0]), 1)
    assert 0.0 < score < 1e-4


counts = st.integers(1, 12).flatmap(
    lambda rows: arrays(np.float64, (rows, 3), elements=st.integers(0, 9).map(float)).filter(
        lambda table: bool((table.sum(axis=1) > 0).all())
    )
)


@given(counts, st.integers(0, 50))
def test_scores_are_finite_and_never_negative_and_more_of_a_term_never_hurts(table: np.ndarray, others: int) -> None:
    lengths = table.sum(axis=1) + 5.0
    size = len(table) + others
    before = bm25.scores(table, lengths, size)
    assert np.isfinite(before).all() and (before > 0).all()
    more = table.copy()
    at = int(np.flatnonzero(more[0])[0])
    more[0, at] += 1.0
    assert bm25.scores(more, lengths, size)[0] >= before[0]


@given(counts, st.integers(1, 50))
def test_of_two_that_hold_the_same_the_shorter_is_not_worse(table: np.ndarray, longer: int) -> None:
    twice = np.vstack([table, table[:1]])
    lengths = np.append(table.sum(axis=1) + 5.0, table[0].sum() + 5.0 + longer)
    found = bm25.scores(twice, lengths, len(twice) + 3)
    assert found[0] >= found[-1]
