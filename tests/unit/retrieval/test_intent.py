"""What kind of question it is, and what that moves between the routes (S0)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.retrieval.intent import Intent, asks_for_the_past, intents, shift

DATA = Path(__file__).parents[2] / "data" / "intents"
ALL: tuple[Intent, ...] = ("relationship", "temporal", "factual")


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(("part", "floor"), [("dev", 0.96), ("held", 0.95)])
def test_labelled_questions_are_told_apart(language: str, part: str, floor: float) -> None:
    lines = (DATA / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["part"] == part]
    wrong = [row["question"] for row in rows if intents(row["question"]) != frozenset(row["intents"])]
    assert len(lines) >= 120
    assert len(wrong) <= (1 - floor) * len(rows), wrong


@pytest.mark.parametrize(
    "trap",
    [
        "the whole wholesale invoice",
        "user-friendly partnership",
        "谁知道呢，先列出来",
        "鬼知道放哪了",
        "发过几条朋友圈",
        "没关系，给我清单",
        "最近的地铁站",
        "whenever it rains",
        "what do I take when I travel",
        "这家店怎么样",
        'the song "Who Are You"',
        "《为什么是我》看到第几页",
        "WHO guideline",
    ],
)
def test_letters_inside_other_words_are_no_intent(trap: str) -> None:
    assert not intents(trap)


@pytest.mark.parametrize(
    ("asked", "document", "graph"),
    [
        ((), 0.65, 0.35),
        (("relationship",), 0.45, 0.55),
        (("temporal",), 0.55, 0.45),
        (("factual",), 0.80, 0.20),
        (("relationship", "temporal"), 0.35, 0.65),
        (("temporal", "factual"), 0.70, 0.30),
    ],
)
def test_s0_intents_shift_the_weights(asked: tuple[Intent, ...], document: float, graph: float) -> None:
    assert shift(frozenset(asked), 0.65, 0.35) == pytest.approx((document, graph))


def test_s0_factual_is_ignored_beside_a_relationship() -> None:
    assert shift({"relationship", "factual"}, 0.65, 0.35) == shift({"relationship"}, 0.65, 0.35)


def test_s0_weights_are_clamped_and_renormalised() -> None:
    assert shift({"factual"}, 0.95, 0.05) == pytest.approx((0.9, 0.1))
    assert shift({"relationship", "temporal"}, 0.3, 0.7) == pytest.approx((0.15, 0.85))
    assert shift({"factual"}, 0.8, 0.4) == pytest.approx((0.9 / 1.15, 0.25 / 1.15))


@given(st.sets(st.sampled_from(ALL)), st.floats(0, 1), st.floats(0, 1))
def test_shifted_weights_are_weights(asked: set[Intent], document: float, graph: float) -> None:
    moved = shift(asked, document, graph)
    assert sum(moved) == pytest.approx(1.0)
    assert all(0.1 <= one <= 0.9 for one in moved)


@pytest.mark.parametrize(
    "text",
    [
        "我们以前住在哪里",
        "站会以前几点开？",
        "房贷利率原来是多少",
        "他之前的公司",
        "她最早在哪上班",
        "Where did we use to live?",
        "Where did Mum live before?",
        "Who was my previous manager?",
        "my old job title",
        "What does Kim no longer eat?",
        "What does he not drink any more?",
    ],
)
def test_what_was_is_asked_for(text: str) -> None:
    assert asks_for_the_past(text)


@pytest.mark.parametrize(
    "text",
    [
        "睡觉之前要吃什么药",
        "三天之前买了什么",
        "发布之前谁来检查",
        "多久以前买的车",
        "原来如此",
        "现在住在哪里",
        "before the trip",
        "Where do we live now?",
        "What am I used to doing?",
        "my old friend Chris",
        "what did I do last week",
    ],
)
def test_what_is_or_comes_before_something_is_no_past_state(text: str) -> None:
    assert not asks_for_the_past(text)
