"""Passages: where texts are cut."""

from __future__ import annotations

import pytest

from engine.text.passages import LONGEST, MOST, TARGET, TOGETHER, closing, goes_with, split
from engine.text.tokens import estimate


def texts(content: str) -> list[str]:
    return [passage.text for passage in split(content)]


def test_short_text_is_one_passage() -> None:
    assert texts("  喜欢\n琥珀 \n") == ["喜欢\n琥珀"]
    assert split(" \n\t") == [] and split("") == []
    (only,) = split("\n ab ")
    assert (only.start, only.end) == (2, 4)


def test_long_text_is_cut_at_paragraphs_then_sentences() -> None:
    paragraph = "这一句有十二个字组成的。" * 20
    content = "\n\n".join([paragraph] * 4)
    assert [estimate(text) for text in texts(content)] == [225] * 4
    assert texts(content)[0] == paragraph
    sentences = texts("It is a sentence of some words. " * 100)
    assert all(text.endswith("words.") and estimate(text) <= TARGET for text in sentences) and len(sentences) > 1


def test_closing_quotes_stay_with_their_sentence() -> None:
    for text in texts("他说：“今天天气很好，我们出去走走吧。”" * 40):
        assert text.endswith("”")


def test_unbreakable_text_is_cut_hard() -> None:
    parts = texts("x" * 10_000)
    assert "".join(parts) == "x" * 10_000 and max(map(estimate, parts)) <= LONGEST
    assert max(map(estimate, texts("字" * 3000))) <= LONGEST


def test_a_short_rest_is_no_passage_of_its_own() -> None:
    assert min(estimate(text) for text in texts("这一句有十二个字组成的。" * 67)) > 20


def test_dialogue_is_a_passage_a_turn() -> None:
    turns = [
        "Caroline: I went to the support group yesterday and it was powerful.",
        "Melanie: That is wonderful, tell me more about the people you met there!",
        "Caroline: They were kind.\nWe talked for hours about all kinds of things, really.",
    ]
    assert texts("\n".join(turns)) == turns
    chinese = [
        "小明：昨天我去了杭州的西湖，风景很好。",
        "小红：那你有没有尝一尝当地的龙井茶？",
        "小明：尝了，还给你带了一盒回来。",
    ]
    assert texts("\n".join(chinese)) == chinese


def test_very_short_turns_go_with_the_next_one() -> None:
    content = (
        "A: ok\nB: 我下周要去上海参加一个会议，为期三天。\nA: hm\n\nB: 会后想去外滩和豫园看看，你要一起来吗？\nA: 好"
    )
    assert texts(content) == [
        "A: ok\nB: 我下周要去上海参加一个会议，为期三天。",
        "A: hm",
        "B: 会后想去外滩和豫园看看，你要一起来吗？",
        "A: 好",
    ]


def test_what_stands_before_the_first_speaker_is_kept() -> None:
    content = "Notes of the meeting on the new office building\n" + "\n".join(
        f"Speaker {name}: we should look at the price once more before we sign" for name in "ABC"
    )
    assert texts(content)[0].startswith("Notes") and len(split(content)) == 4


def test_times_and_addresses_are_no_speakers() -> None:
    content = (
        "12:30 lunch with the whole team downtown\nhttps://example.org/a\n14:00 the meeting\nhttp://x.org\n15:00 tea"
    )
    assert len(split(content)) == 1


def test_key_value_lines_are_not_torn_apart() -> None:
    assert len(split("Name: Bo\nAge: 30\nCity: Rome")) == 1


def test_a_huge_text_gets_longer_passages() -> None:
    parts = split("这一句有十二个字组成的。" * 20_000)
    assert len(parts) <= MOST and sum(len(part.text) for part in parts) == 240_000
    assert len(split("\n".join(f"小明：第{number}句话，要说的事情其实还有很多。" for number in range(1000)))) <= MOST


@pytest.mark.parametrize(
    ("before", "after"),
    [("Anna: where did you leave the key", "Ben: under the mat"), ("小林：你上周去了哪里", "[12:03] 小王：去了杭州")],
)
def test_two_single_turns_that_are_short_go_together(before: str, after: str) -> None:
    assert goes_with(before, after)
    assert not goes_with(before, "a note that nobody spoke") and not goes_with("没有人说的一句话", after)
    dialogue = "\n".join([before, after, before])
    assert not goes_with(dialogue, after) and not goes_with(before, dialogue)
    longest = before + "好" * (TOGETHER - estimate(before) - estimate(after))
    assert goes_with(longest, after) and not goes_with(longest + "好好好", after)


def test_what_a_conversation_has_come_to_is_its_last_two_lines() -> None:
    assert closing("Anna: rain again\n\nBen: take the boat\nAnna: which one\n") == "Ben: take the boat\nAnna: which one"
    assert closing("小林：又下雨了\n小王：坐船吧\n小林：哪一条\n小王：红的") == "小林：哪一条\n小王：红的"
    for no in ("Anna: rain again\nBen: take the boat", "what did Anna say", "一行\n两行\n三行\n四行", ""):
        assert closing(no) is None
