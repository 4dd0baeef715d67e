"""Laws of the tokenizer: equal to a plain Viterbi search over the same pieces, indifferent to how a text is written."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.embedding.tokenizer import Tokenizer

MODEL = Path(__file__).resolve().parents[2] / "resources" / "models" / "e5-small" / "tokenizer.model"
SPACE = "▁"
UNKNOWN = 3


class Reference:
    """The search written down plainly: best sum of scores; an unknown character costs ten more than the worst piece."""

    def __init__(self, model: bytes) -> None:
        self.processor = sentencepiece.SentencePieceProcessor(model_proto=model)
        scores = {
            self.processor.id_to_piece(i): (i, self.processor.get_score(i))
            for i in range(4, self.processor.get_piece_size())
        }
        self.pieces = scores
        self.longest = max(map(len, scores))
        self.unknown = min(score for _, score in scores.values()) - 10

    def encode(self, text: str) -> list[int]:
        words = self.processor.normalize(unicodedata.normalize("NFC", text)).strip(SPACE)
        return [i for word in words.split(SPACE) if word for i in self.word(SPACE + word)]

    def word(self, text: str) -> list[int]:
        best: list[tuple[float, int, int]] = [(0.0, 0, 0)] + [(-1e30, 0, 0)] * len(text)
        for start in range(len(text)):
            base = best[start][0]
            for end in range(start + 1, min(len(text), start + self.longest) + 1):
                found = self.pieces.get(text[start:end])
                if found is not None and base + found[1] > best[end][0]:
                    best[end] = (base + found[1], found[0], start)
            if text[start] not in self.pieces and base + self.unknown > best[start + 1][0]:
                best[start + 1] = (base + self.unknown, UNKNOWN, start)
        ids: list[int] = []
        at = len(text)
        while at:
            _, token, at = best[at]
            if not (token == UNKNOWN and ids and ids[-1] == UNKNOWN):
                ids.append(token)
        return ids[::-1]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer(MODEL.read_bytes())


@pytest.fixture(scope="module")
def reference() -> Reference:
    return Reference(MODEL.read_bytes())


WORDS = [
    "我的猫叫豆豆", "设备清单", "API配置", "C盘", "cdm-xxc", "Hello", "don't", "ubuntu 20.04", "https://a.b/c?d=e",
    "今日は", "カタカナ", "끝말잇기", "Привет", "Καλημέρα", "😀🎉", "👨‍👩‍👧", "ＡＢＣ１２３", "①㎏ﬁ", "مرحبا", "สวัสดี",
    "★★★", "<s>", "<unk>", "e\u0301", "か\u3099", "\u200b", "\ufeff", "\x00", "\t\n", "…", "𝒜", "▁",
]  # fmt: skip
characters = st.characters(exclude_categories=("Cs",))
texts = st.lists(st.one_of(st.sampled_from(WORDS), st.text(characters, max_size=8), st.just(" ")), max_size=24).map(
    "".join
)


def score(reference: Reference, ids: list[int]) -> float:
    return sum(reference.unknown if i == UNKNOWN else reference.processor.get_score(i) for i in ids)


@given(texts)
@settings(max_examples=400)
def test_ids_are_those_of_the_best_path(tokenizer: Tokenizer, reference: Reference, text: str) -> None:
    found, expected = tokenizer.encode(text), reference.encode(text)
    # Two paths of the same score are equally right; single precision decides between them.
    assert found == expected or score(reference, found) == pytest.approx(score(reference, expected), abs=1e-2)


@given(texts)
def test_every_id_is_a_row_of_the_word_table_and_no_special_token(tokenizer: Tokenizer, text: str) -> None:
    assert all(UNKNOWN <= i < len(tokenizer) for i in tokenizer.encode(text))


@given(texts)
def test_composed_and_decomposed_forms_are_the_same_text(tokenizer: Tokenizer, text: str) -> None:
    decomposed, composed = (unicodedata.normalize(form, text) for form in ("NFD", "NFC"))
    assert tokenizer.encode(decomposed) == tokenizer.encode(composed)


@given(texts, texts)
def test_spaces_divide_and_their_number_does_not_matter(tokenizer: Tokenizer, left: str, right: str) -> None:
    apart = tokenizer.encode(left) + tokenizer.encode(right)
    # A mark that begins the right half would join the space before it.
    if not right or not unicodedata.combining(right[0]):
        assert tokenizer.encode(f"  {left} \n\t {right} ") == apart


# Not st.text(): it leaves surrogates out whatever alphabet it is given.
@given(st.lists(st.one_of(characters, st.integers(0xD800, 0xDFFF).map(chr)), max_size=40).map("".join))
def test_any_string_is_accepted_half_surrogate_pairs_too(tokenizer: Tokenizer, text: str) -> None:
    assert isinstance(tokenizer.encode(text), list)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("我的猫叫豆豆", ["▁", "我的", "猫", "叫", "豆", "豆"]),
        ("ＡＰＩ配置", ["▁API", "配置"]),
        ("Hello world", ["▁Hello", "▁world"]),
        ("e\u0301te\u0301", ["▁été"]),
        ("끝말잇기", ["▁끝", "말", "잇", "기"]),
        ("<s>", ["▁<", "s", ">"]),
        ("", []),
    ],
)
def test_examples(tokenizer: Tokenizer, reference: Reference, text: str, pieces: list[str]) -> None:
    assert [reference.processor.id_to_piece(i) for i in tokenizer.encode(text)] == pieces
