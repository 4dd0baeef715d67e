"""Maximal marginal relevance over bags."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engine.retrieval.diversify import jaccard, select
from engine.text import terms


def test_a_repeat_gives_way_to_something_else() -> None:
    texts = ["我喜欢在西湖边喝龙井茶", "我喜欢在西湖边喝龙井茶。", "妈妈下周三去青岛"]
    bags = [terms.bag(text) for text in texts]
    chosen = [at for at, _ in select([0.9, 0.89, 0.7], bags, 2, 0.7)]
    assert chosen == [0, 2]


def test_lambda_one_keeps_the_order_of_scores() -> None:
    bag = frozenset({"a"})
    assert [at for at, _ in select([0.2, 0.9, 0.5], [bag, bag, bag], 3, 1.0)] == [1, 2, 0]


def test_jaccard_of_empty_bags_is_zero() -> None:
    assert jaccard(frozenset(), frozenset()) == 0.0


@given(
    st.lists(st.tuples(st.floats(0.0, 1.0), st.frozensets(st.sampled_from("abcdef"))), max_size=10),
    st.integers(1, 10),
    st.floats(0.1, 1.0),
)
def test_what_is_shown_never_rises_and_nothing_is_chosen_twice(
    pool: list[tuple[float, frozenset[str]]], k: int, weight: float
) -> None:
    scores, bags = [score for score, _ in pool], [bag for _, bag in pool]
    chosen = select(scores, bags, k, weight)
    assert len(chosen) == min(k, len(pool)) == len({at for at, _ in chosen})
    shown = [scores[at] - penalty for at, penalty in chosen]
    assert all(left >= right - 1e-9 for left, right in pairwise(shown))
    assert all(penalty >= 0.0 for _, penalty in chosen)
