"""Which sentences of a memory become facts, and how a text is cut into sentences."""

from __future__ import annotations

import time

import pytest

from engine.ingest.facts import MOST, Fact, facts_of
from engine.text.sentences import sentences, without_code


def texts(content: str, key_facts: tuple[str, ...] = ()) -> list[str]:
    return [fact.text for fact in facts_of(content, key_facts)]


def test_given_facts_are_taken_as_they_are() -> None:
    given = (" Anna likes tea ", "", "Why?", "ok")
    assert facts_of("Something else. And more of it.", given) == tuple(
        Fact(text, True) for text in (" Anna likes tea ", "Why?", "ok")
    )


def test_at_most_eight_and_each_once() -> None:
    assert texts("", tuple(f"fact {n}" for n in range(20))) == [f"fact {n}" for n in range(8)]
    assert texts("", ("Likes tea", "likes  TEA", "ｌｉｋｅｓ tea", "likes coffee")) == ["Likes tea", "likes coffee"]
    assert len(texts("\n".join(f"Room {n} seats four people." for n in range(20)))) == MOST


def test_only_blank_facts_are_none() -> None:
    assert facts_of("Anna likes green tea.", ("", "  \n")) == (Fact("Anna likes green tea.", False),)


@pytest.mark.parametrize(
    "content", ["我喜欢喝茶", "Anna likes tea", "ok", "为什么？", "User: 我喜欢爵士乐", " 昨天去了北京。 "]
)
def test_one_sentence_is_its_own_fact(content: str) -> None:
    assert facts_of(content, ()) == (Fact(content.strip(), False),)


def test_what_is_not_worth_an_atom_is_left_out() -> None:
    content = (
        "你好！我是李雷。我住在杭州西湖区。明天天气怎么样？好的。\n"
        "Hello there! I work as a nurse in Leeds. What do you do? Thanks.\n"
        "```python\nprint('I live in code blocks')\n```\n" + "word " * 900 + "\n昨天把驾照考下来了"
    )
    assert texts(content) == ["我是李雷。", "我住在杭州西湖区。", "I work as a nurse in Leeds.", "昨天把驾照考下来了"]


def test_lists_and_spoken_lines() -> None:
    content = (
        "# My week\n- 周一要去看牙医\n2. Buy a new bike pump\n* [ ] call the landlord\n"
        "Anna: I moved to Bonn last year\n小王：我喜欢爬山"
    )
    assert texts(content) == [
        "周一要去看牙医", "Buy a new bike pump", "call the landlord",
        "Anna: I moved to Bonn last year", "小王：我喜欢爬山",
    ]  # fmt: skip


@pytest.mark.parametrize("content", ["", " \n\t", "```\ncode\n```", "字" * 201, "。。。", "- \n- "])
def test_nothing_worth_a_fact(content: str) -> None:
    assert [text for text in texts(content) if text.strip("。")] == []


def test_long_documents_are_read_in_part_and_quickly() -> None:
    started = time.process_time()
    assert len(texts("The room on floor nine seats ten people. " * 50_000)) == 1
    assert texts("？" * 50_000 + "我住在杭州西湖区") == []
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("一。二！三？四；五", ["一。", "二！", "三？", "四；", "五"]),
        ("他说：“走吧。”然后走了。", ["他说：“走吧。”", "然后走了。"]),
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Dr. Lee owns 2.5 acres at a.b.org, i.e. in St. Ives. He sold it.",
         ["Dr. Lee owns 2.5 acres at a.b.org, i.e. in St. Ives.", "He sold it."]),
        ("wait... what", ["wait...", "what"]),
        ("a=b?c&d!e is one", ["a=b?c&d!e is one"]),
        ("- one\n\n 2) two\n（3）三", ["one", "two", "三"]),
        ("3.5 metres\n-5 degrees", ["3.5 metres", "-5 degrees"]),
        ("  \n ", []),
    ],
)  # fmt: skip
def test_sentences(text: str, cut: list[str]) -> None:
    assert list(sentences(text)) == cut


def test_code_goes() -> None:
    assert without_code("a\n```py\nx\n```\nb\n~~~\nopen to the end").split() == ["a", "b"]
    assert without_code("inline `code` stays") == "inline `code` stays"
