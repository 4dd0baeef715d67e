"""Both routes as one score: what each is worth, the bonus, and that a silent graph changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.retrieval.together import Routed, join

NAN = float("nan")


def routed(scores: list[float], share: float = 0.35, bonus: float = 0.08, first: int = 2) -> Routed:
    return Routed(np.array(scores), share, bonus, first)


def test_each_route_counts_by_its_own_best() -> None:
    joined = join(np.array([0.4, 0.2, 0.1]), routed([NAN, 0.02, 0.01], bonus=0.0))
    assert joined is not None
    document = joined.scale * np.array([0.4, 0.2, 0.1])
    assert document == pytest.approx([0.65, 0.325, 0.1625])
    assert joined.graph == pytest.approx([0.0, 0.35, 0.175])


def test_the_bonus_is_for_what_both_found_and_ends_at_one() -> None:
    # The last is known to the document route as well, but not among its first.
    joined = join(np.array([0.5, 0.45, 0.4]), routed([1.0, NAN, 1.0]))
    assert joined is not None
    assert joined.both == pytest.approx([0.0, 0.0, 0.0])  # the first has all there is
    joined = join(np.array([0.5, 0.45, 0.4]), routed([0.5, 0.5, 1.0]))
    assert joined is not None
    assert joined.both == pytest.approx([0.08, 0.08, 0.0])


@pytest.mark.parametrize("silent", [[NAN, NAN], [0.0, NAN]])
def test_a_graph_that_found_nothing_leaves_the_document_route_alone(silent: list[float]) -> None:
    assert join(np.array([0.3, 0.2]), routed(silent)) is None


def test_the_graph_answers_alone_where_the_text_found_nothing() -> None:
    joined = join(np.array([0.0, 0.0]), routed([0.2, 0.4], bonus=0.5))
    assert joined is not None
    assert joined.graph == pytest.approx([0.175, 0.35]) and not joined.both.any()


SCORES = st.lists(st.tuples(st.floats(0, 1), st.one_of(st.just(NAN), st.floats(0, 1))), min_size=1, max_size=12)


@given(SCORES, st.floats(0.01, 0.85), st.floats(0, 0.5), st.integers(1, 5), st.randoms())
def test_the_whole_stays_within_one_and_does_not_depend_on_the_order(
    pairs: list[tuple[float, float]], share: float, bonus: float, first: int, random: object
) -> None:
    order = list(range(len(pairs)))
    random.shuffle(order)  # type: ignore[attr-defined]

    def whole(at: list[int]) -> np.ndarray:
        document = np.array([pairs[one][0] for one in at])
        joined = join(document, Routed(np.array([pairs[one][1] for one in at]), share, bonus, first))
        return document if joined is None else joined.scale * document + joined.graph + joined.both

    total = whole(list(range(len(pairs))))
    assert (total >= 0).all() and (total <= 1 + 1e-9).all()
    assert whole(order) == pytest.approx(total[order])
