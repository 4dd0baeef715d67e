"""The user's own words stay in one piece."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.text.segmentation import Segmenter
from engine.text.vocabulary import Vocabulary, listed

MADE_UP = "琪珞珂"  # in no dictionary


def test_a_word_is_learnt_once() -> None:
    segmenter = Segmenter(None)
    vocabulary = Vocabulary(segmenter)
    text = "我在浮槎阁遇见沈苒苒"
    assert "浮槎阁" not in segmenter.words(text)
    assert vocabulary.learn(["浮槎阁", " 浮槎阁 ", "沈苒苒"]) == 2
    assert vocabulary.learn(["浮槎阁"]) == 0
    assert {"浮槎阁", "沈苒苒"} <= set(segmenter.words(text))


@pytest.mark.parametrize("word", ["", " ", "猫", "Bob", "a b", "长" * 17, "两个 词"])
def test_what_needs_no_dictionary_is_left_alone(word: str) -> None:
    assert Vocabulary(Segmenter(None)).learn([word]) == 0


def test_a_file_of_words(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text(f"\ufeff# my words\n{MADE_UP}  # a person\n\nBob\n", encoding="utf-8")
    segmenter = Segmenter(None)
    assert Vocabulary(segmenter).learn_file(path) == 1
    assert MADE_UP in segmenter.words(f"昨天{MADE_UP}来了")


def test_a_file_that_is_none_teaches_nothing(tmp_path: Path) -> None:
    vocabulary = Vocabulary(Segmenter(None))
    assert vocabulary.learn_file(tmp_path / "words.txt") == 0
    assert vocabulary.learn_file(tmp_path) == 0
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00\xd8")
    assert vocabulary.learn_file(tmp_path / "bytes") == 0


def test_a_line_of_words() -> None:
    assert listed(" 浮槎阁，沈苒苒、 琥珀;Bob ,, ") == ["浮槎阁", "沈苒苒", "琥珀", "Bob"]
    assert listed("") == []
