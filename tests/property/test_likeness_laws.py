"""Laws of the judge of repeats and updates, for any text."""

from __future__ import annotations

import re

from hypothesis import assume, example, given
from hypothesis import strategies as st

from engine.ingest.guard import clash, differs, evidence
from engine.ingest.judge_features import features, residue
from engine.ingest.likeness import joined, judge, side, specific
from engine.text.normalise import normalise
from engine.text.segmentation import Segmenter
from engine.text.terms import index_terms

SEGMENTER = Segmenter(None)
WORDS = st.sampled_from(
    ["The user", "likes", "lives in", "Rome", "moved to", "no longer", "not", "is", "two cats", "on 6 May", "8:30 pm",
     "my sister's", "version 2.10.1", "port 8080", "tea", "changed to", "now", "user_id", "father-in-law", "?", ".",
     ",", "用户", "住在", "北京", "搬到", "不", "没有", "喜欢", "三只猫", "5月6日", "晚上八点", "我", "的", "妹妹",
     "电话是", "改成", "了", "13800138000", "《活法》", "，", "。", "：", "一个", "三千五百元", "C++", "\n", "🎉", "²",
     "ไทย", "끝말", "é", "０９"]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(st.characters(), max_size=60),
    st.lists(WORDS, max_size=12).flatmap(lambda parts: st.sampled_from(["", " "]).map(lambda glue: glue.join(parts))),
)
COSINES = st.one_of(st.none(), st.floats(-1, 1))


def verdict(old: str, new: str, cosine: float | None) -> str:
    return judge(side(old, "fact", SEGMENTER), side(new, "fact", SEGMENTER), cosine).kind


@given(TEXTS, COSINES)
def test_a_text_is_the_same_as_itself(text: str, cosine: float | None) -> None:
    assert verdict(text, text, cosine) == "same"
    assert differs(evidence(text, SEGMENTER), evidence(text, SEGMENTER)) is None


@given(TEXTS, TEXTS, COSINES)
@example("The user likes Rome 3", "not 3 Rome", None)
def test_same_is_symmetric(old: str, new: str, cosine: float | None) -> None:
    assert (verdict(old, new, cosine) == "same") == (verdict(new, old, cosine) == "same")
    assert clash(evidence(old, SEGMENTER), evidence(new, SEGMENTER)) == clash(
        evidence(new, SEGMENTER), evidence(old, SEGMENTER)
    )


@given(TEXTS, st.integers(0, 30), st.integers(1, 9), COSINES)
@example("5月6日 7月6日", 0, 2, 1.0)
@example("12月", 0, 8, None)
@example("1 2", 0, 1, None)
def test_another_digit_is_never_the_same(text: str, which: int, by: int, cosine: float | None) -> None:
    digits = [match.start() for match in re.finditer("[0-9]", text)]
    assume(digits)
    at = digits[which % len(digits)]
    other = text[:at] + str((int(text[at]) + by) % 10) + text[at + 1 :]
    assert verdict(text, other, cosine) != "same"
    assert verdict(other, text, cosine) != "same"


@given(st.lists(WORDS, min_size=1, max_size=8), st.integers(0, 8), COSINES)
def test_a_denial_put_in_is_never_the_same(parts: list[str], at: int, cosine: float | None) -> None:
    text = " ".join(parts)
    for denial in ("not", "不"):
        denied = " ".join((*parts[:at], denial, *parts[at:]))
        assert verdict(text, denied, cosine) != "same"
        assert verdict(denied, text, cosine) != "same"


@given(TEXTS, TEXTS)
def test_joining_loses_nothing(old: str, new: str) -> None:
    assume(normalise(old) != normalise(new))
    both = features(joined(old, new, SEGMENTER), SEGMENTER)
    for text in (old, new):
        assert residue(features(text, SEGMENTER), both) == []


@given(TEXTS, st.integers(0, 20))
def test_specific_terms_are_terms_of_the_text(text: str, limit: int) -> None:
    found = specific(text, limit)
    assert len(found) <= limit and len(set(found)) == len(found)
    assert set(found) <= set(index_terms(text))


FRAMES = st.sampled_from(
    ["worker {} item {}", "{} owes {} forty euros", "{} is taller than {}", "move it from {} to {}", "{}教{}开车",
     "{}借给{}三千元", "{}在{}前面", "第{}组输给第{}组", "put {} before {}", "{} met {} in the park", "{}比{}高"]
)  # fmt: skip
FILLINGS = st.sampled_from(["Ann", "Bob", "Carla", "小王", "小李", "张伟", "7", "12", "0", "1", "409"])


@given(FRAMES, FILLINGS, FILLINGS, COSINES)
def test_what_changes_places_is_never_the_same(frame: str, one: str, other: str, cosine: float | None) -> None:
    assume(one != other)
    assert verdict(frame.format(one, other), frame.format(other, one), cosine) != "same"
