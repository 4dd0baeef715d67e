"""Token estimates and cuts that read well."""

from __future__ import annotations

import pytest

from engine.text.tokens import cut, estimate


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("琥珀", 2), ("琥珀a", 3), ("가나다", 3), ("かな ok", 3), ("…", 1)],
)
def test_estimate(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens", "short"),
    [
        ("short", 2, "short"),
        ("anything", 0, ""),
        ("anything", -3, ""),
        ("one two three four five", 4, "one two three…"),
        ("第一句话。第二句话很长很长很长。", 6, "第一句话。…"),
        ("一二三四五六七八九十", 5, "一二三四…"),
        ("One. Two. Three is a longer sentence", 3, "One. Two.…"),
        ("unbreakableunbreakable", 3, "unbreakable…"),
    ],
)
def test_cut(text: str, tokens: int, short: str) -> None:
    assert cut(text, tokens) == short


@pytest.mark.parametrize("sequence", ["👨‍👩‍👧‍👦", "👍🏽", "e\u0301\u0302", "❤\ufe0f"])
def test_no_sequence_is_broken(sequence: str) -> None:
    whole = sequence * 12
    for tokens in range(2, estimate(whole)):
        assert set(cut(whole, tokens)[:-1].split(sequence)) == {""}, tokens


def test_a_flag_stays_a_flag() -> None:
    for tokens in range(1, 6):
        assert len(cut("🇨🇳🇯🇵" * 8, tokens)) % 2 == 1  # pairs and the ellipsis
