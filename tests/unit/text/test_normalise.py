"""Normalising: what counts as the same text and what must not; which script a text is in."""

from __future__ import annotations

import unicodedata

import pytest

from engine.text.normalise import content_key, normalise, script_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Café au lait", unicodedata.normalize("NFD", "café  AU\nlait ")),
        ("ＡＰＩ配置，１２３", "api配置,123"),
        ("繁體中文的設備清單", "繁体中文的设备清单"),
        ("她說:「麼」", "她说:「么」"),
        ("今天 玩\n成语接龙", "今天玩成语接龙"),
        ("3 月 5 日", "3月5日"),
        ("don’t", "DON'T"),
        ("Straße", "STRASSE"),
        ("ｶﾞｷﾞ", "ガギ"),
        ("a\u200bb\ufeff", "ab"),
        ("❤\ufe0f", "❤"),
    ],
)
def test_same_text(one: str, other: str) -> None:
    assert content_key(one) == content_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.5", "15"),
        ("-5 度", "5 度"),
        ("−5", "5"),
        ("10²", "102"),
        ("1½", "11/2"),
        ("x₁", "x"),
        ("1 5", "15"),
        ("我喜欢猫", "我不喜欢猫"),
        ("I like it", "I don't like it"),
        ("好?", "好!"),
        ("a b", "ab"),
        ("가 나", "가나"),
        ("👍", "👎"),
        ("が", "か"),
        ("", "."),
    ],
)
def test_different_texts(one: str, other: str) -> None:
    assert content_key(one) != content_key(other)


def test_the_form_itself() -> None:
    assert normalise("  Ｃａｆé\t—  設備 １２ ") == "cafe —设备12"
    assert normalise("\ud800a\u202eb") == "ab"
    assert normalise("") == ""


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("今天玩成语接龙", "han"),
        ("今日は成語しりとり", "han"),
        ("오늘 게임을 했다", "han"),
        ("部署 kubernetes 集群的步骤", "han"),
        ("I visited 北京 last summer with friends", "latin"),
        ("Ærøskøbing", "latin"),
        ("Привет, как дела", "other"),
        ("12:30 ★ …", "other"),
        ("", "other"),
    ],
)
def test_script(text: str, script: str) -> None:
    assert script_of(text) == script
