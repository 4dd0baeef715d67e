"""How sure an answer is: what speaks for the first hit and against it, for any store, model and language."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.clock import MovableClock
from engine.retrieval import confidence
from engine.retrieval.confidence_model import EMBEDDER, MEANING, WORDS, Weights
from tests.unit.retrieval.test_recall_pipeline import Store

TOY = Weights(-0.5, (("lead", 0.02, 30.0), ("words", 2.0, 0.4)))
numbers = st.floats(-1e6, 1e6)


@pytest.fixture
def store(data_dir: Path) -> Iterator[Store]:
    made = Store(data_dir, MovableClock(datetime(2026, 5, 1, 12, tzinfo=UTC)))
    yield made
    made.database.close()


def sign(store: Store, name: str, text: str) -> float:
    return next(one.raw for one in store.ask(text).signs if one.name == name)


@given(numbers, numbers, st.floats(0, 1))
def test_signs_add_up_to_the_log_odds_and_the_word_follows(lead: float, words: float, below: float) -> None:
    found = confidence.weigh({"lead": lead, "words": words}, TOY, below)
    assert 0.0 <= found.value <= 1.0
    if 1e-9 < found.value < 1 - 1e-9:
        assert sum(one.weight for one in found.signs) == pytest.approx(
            math.log(found.value / (1 - found.value)), abs=1e-6
        )
    wanted = "nothing" if found.value < below else "sure" if found.value >= confidence.SURE else "unsure"
    assert found.certainty == wanted


def test_the_fitted_weights_are_about_the_signs_that_there_are_and_point_the_right_way(store: Store) -> None:
    for at in range(12):
        store.add(f"number {at} about gardens and roses")
    store.add("the ferry to the island leaves at nine")
    names = [one.name for one in store.ask("when does the ferry leave").signs]
    assert names == ["usual", *(name for name, _, _ in MEANING.terms)]
    by_words = [one.name for one in store.ask("when does the ferry leave", {"recall.fusion": "lexical"}).signs]
    assert by_words == ["usual", *(name for name, _, _ in WORDS.terms)]
    slopes = {name: slope for name, _, slope in MEANING.terms}
    assert slopes["lead"] > 0 and slopes["nearness"] > 0 and slopes["words_lead"] > 0
    assert all(slope < 0 for weights in (MEANING, WORDS) for name, _, slope in weights.terms if "missing" in name)


@pytest.mark.parametrize(
    ("told", "there", "absent"),
    [
        (
            ("the ferry to Aegina leaves at nine", "Anna is allergic to nuts", "the piano lesson is on Tuesday"),
            "when does the ferry to Aegina leave",
            "who repaired the blue bicycle of grandfather",
        ),
        (
            ("去青岛的轮渡早上九点开", "安娜对坚果过敏", "钢琴课在星期二"),
            "去青岛的轮渡几点开",
            "爷爷的蓝色自行车是谁修好的",
        ),
    ],
)
@pytest.mark.parametrize(("mode", "many"), [("convex", 0), ("lexical", 0), ("lexical", 40)])
def test_what_is_there_is_surer_than_what_is_not(
    store: Store, told: tuple[str, ...], there: str, absent: str, many: int, mode: str
) -> None:
    for one in told:
        store.add(one)
    for at in range(many):
        store.add(f"第 {at} 条笔记：花园里的玫瑰" if ord(there[0]) > 127 else f"note {at}: roses in the garden")
    sure, unsure = (store.ask(text, {"recall.fusion": mode}).confidence for text in (there, absent))
    assert sure > unsure + 0.1
    assert sure > 0.35


def test_one_memory_is_enough_to_judge_and_none_is_nothing(store: Store) -> None:
    nothing = store.ask("the ferry")
    assert (nothing.confidence, nothing.certainty, nothing.signs) == (0.0, "nothing", ())
    store.add("the ferry leaves at nine")
    answer = store.ask("the ferry")
    assert answer.hits and 0.0 < answer.confidence < 1.0
    assert store.ask("!?").certainty == "nothing"
    store.add("roses in the garden")
    assert sign(store, "candidates", "the ferry") == pytest.approx(math.log(2))


def test_what_the_question_names_and_the_hit_lacks(store: Store) -> None:
    store.add("Anna lives in Lyon with her cat")
    assert sign(store, "missing_names", "where does Anna live") == 0.0
    assert sign(store, "missing_names", "where does Dora live") == 1.0
    assert sign(store, "missing_names", "where does Anna live, and Dora?") == 0.5
    assert sign(store, "missing_names", "Where did they live in 2019") == 1.0
    assert sign(store, "missing_kind", "when did Anna move") == 1.0
    assert sign(store, "missing_kind", "how many cats has Anna") == 1.0
    assert sign(store, "missing_kind", "where is Anna") == 0.0


def test_the_kind_of_answer_in_chinese(store: Store) -> None:
    store.add("豆豆的疫苗约在周三下午")
    assert sign(store, "missing_kind", "豆豆什么时候打疫苗") == 0.0
    store.add("小林搬去青岛了")
    assert sign(store, "missing_kind", "小林哪天搬去青岛的") == 1.0
    assert sign(store, "missing_kind", "小林搬去青岛花了多少钱") == 1.0
    assert sign(store, "missing_kind", "小林搬去哪里了") == 0.0


def test_another_model_counts_by_how_it_spreads_or_not_at_all() -> None:
    cosines = np.random.default_rng(3).normal(0.4, 0.1, 30)
    one = confidence._comparable(cosines, "other/model")
    assert one == pytest.approx(confidence._comparable(cosines * 0.3 + 0.5, "other/model"))
    assert float(one.mean()) == pytest.approx(confidence.BACKGROUND)
    assert np.isnan(confidence._comparable(cosines[:5], "other/model")).all()
    assert np.isnan(confidence._comparable(np.full(20, 0.7), "other/model")).all()
    assert confidence._comparable(cosines, EMBEDDER) is cosines


def test_the_order_is_the_same_however_much_is_asked_for(store: Store) -> None:
    for one in ("the ferry leaves at nine", "the ferry leaves at ten", "roses in the garden"):
        store.add(one)
    answers = [store.ask("when does the ferry leave", {"recall.abstain_below": below}) for below in (0.0, 1.0)]
    assert answers[0].hits == answers[1].hits
    assert [one.certainty for one in answers][1] == "nothing" != answers[0].certainty
    assert answers[0].confidence == answers[1].confidence


def test_a_hidden_memory_changes_nothing(store: Store) -> None:
    for one in ("the safe stands in the cellar", "the cellar is cold", "roses in the garden"):
        store.add(one)
    before = store.ask("the code of the safe, 4711")
    store.add("the code of the safe is 4711", sensitivity="high")
    after = store.ask("the code of the safe, 4711")
    assert after.hidden == 1 and [hit.memory.id for hit in after.hits] == [hit.memory.id for hit in before.hits]
    assert after.confidence == pytest.approx(before.confidence, abs=1e-12)


def test_a_pasted_text_is_judged_too(store: Store) -> None:
    store.add("the ferry leaves at nine")
    pasted = " ".join(f"word{at} ferry" for at in range(3_000))
    assert 0.0 <= store.ask(pasted).confidence <= 1.0
