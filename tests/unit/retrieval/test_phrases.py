"""What a question names literally, and what in it may be a name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.retrieval.phrases import identifiers, names, quoted


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("哪里写过“不 去了”？", ("不去了",)),
        ("「早睡」和《三体》", ("早睡", "三体")),
        ('Where does it say "Not Today"?', ("not today",)),
        ("What was “the other one” about?", ("the other one",)),
        ("what does `git lg` do", ("git lg",)),
        ("Kate's dog and Theo's cat", ()),
        ("don't say 'maybe later' again", ("maybe later",)),
        ('a "b" c', ()),
    ],
)
def test_quotes(text: str, phrases: tuple[str, ...]) -> None:
    assert quoted(text) == phrases


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("E1042 怎么解决", ("e1042",)),
        ("HLY-4031 and foo_bar.py", ("hly-4031", "foo_bar.py")),
        ("docs/ops/runbook.md 缺什么", ("docs/ops/runbook.md",)),
        ("C:\\Users\\kim\\log.txt", ("c:/users/kim/log.txt",)),
        ("is lru_cache gone", ("lru_cache",)),
        ("gc:track 多少秒过期", ("gc:track",)),
        ("well-known e.g. the 2nd of May at 8pm, 10km and/or 20%", ()),
        ("Where do we live? 我们住哪", ()),
    ],
)
def test_identifiers(text: str, found: tuple[str, ...]) -> None:
    assert identifiers(text) == found


def test_every_part_that_has_the_length_of_a_name_may_be_one() -> None:
    assert {"老李", "李建国", "wei ling", "kate"} <= set(names("老李和李建国 met Wei Ling at Kate's"))
    assert names("的") == names("the") == ()
    assert len(names("山" * 10_000)) <= 3


@given(st.text(max_size=300))
def test_any_text_can_be_asked(text: str) -> None:
    for found in (quoted(text), identifiers(text), names(text)):
        assert len(set(found)) == len(found)
        assert all(len(one) >= 2 for one in found)
