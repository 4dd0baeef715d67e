"""Fusion: examples with their numbers, and laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.retrieval import fusion

NAN = math.nan


def test_convex_adds_the_two_channels_by_their_shares() -> None:
    words, meaning = fusion.convex(np.array([10.0, 5.0, NAN]), np.array([0.8, 0.9, 0.7]), 0.7, 0.4)
    assert words == pytest.approx([0.4, 0.2, 0.0])
    assert meaning == pytest.approx([0.3, 0.6, 0.0])


def test_a_silent_channel_leaves_the_whole_to_the_other() -> None:
    silent = np.array([NAN, NAN])
    words, meaning = fusion.convex(np.array([4.0, 2.0]), silent, 0.0, 0.4)
    assert words == pytest.approx([1.0, 0.5]) and meaning == pytest.approx([0.0, 0.0])
    words, meaning = fusion.convex(silent, np.array([0.9, 0.8]), 0.7, 0.4)
    assert meaning == pytest.approx([1.0, 0.5]) and words == pytest.approx([0.0, 0.0])


def test_one_candidate_alone_is_fully_relevant() -> None:
    words, meaning = fusion.convex(np.array([3.0]), np.array([0.85]), 0.85, 0.4)
    assert float(words[0] + meaning[0]) == pytest.approx(1.0)


def test_reciprocal_rank_is_one_for_the_first_of_both() -> None:
    words, meaning = fusion.reciprocal_rank(np.array([9.0, 1.0, NAN]), np.array([0.9, 0.8, 0.85]), 60)
    assert float(words[0] + meaning[0]) == pytest.approx(1.0)
    assert words[2] == 0.0
    assert meaning[2] > meaning[1]


def test_pooled_takes_the_best_three_passages() -> None:
    cosines = np.array([0.9, 0.5, 0.7, 0.1, 0.6, NAN], dtype=np.float32)
    owners = np.array([0, 0, 0, 0, 1, 2])
    pooled = fusion.pooled(cosines, owners, 3)
    assert pooled[0] == pytest.approx((0.9 + 0.35 + 0.125) / 1.75)
    assert pooled[1] == pytest.approx(0.6)
    assert math.isnan(pooled[2])


_RAW = st.lists(st.one_of(st.just(NAN), st.floats(0.0, 50.0)), min_size=1, max_size=12)


@given(_RAW, st.randoms())
def test_fusion_does_not_depend_on_the_order_of_candidates(raw: list[float], dice: object) -> None:
    lexical = np.array(raw)
    cosine = np.array([NAN if math.isnan(x) and at % 2 else (at % 7) / 10 for at, x in enumerate(raw)])
    order = list(range(len(raw)))
    dice.shuffle(order)  # type: ignore[attr-defined]
    there = np.add(*fusion.convex(lexical, cosine, 0.0, 0.4))[order]
    back = np.add(*fusion.convex(lexical[order], cosine[order], 0.0, 0.4))
    assert there == pytest.approx(back)


@given(_RAW)
def test_scores_stay_in_their_range_and_keep_the_channels_order(raw: list[float]) -> None:
    lexical = np.array(raw)
    silent = np.full(len(raw), NAN)
    words, _ = fusion.convex(lexical, silent, 0.0, 0.4)
    assert ((words >= 0.0) & (words <= 1.0)).all()
    for left in range(len(raw)):
        for right in range(len(raw)):
            if lexical[left] > lexical[right]:
                assert words[left] >= words[right]
