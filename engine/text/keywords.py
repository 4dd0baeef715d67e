"""The words that say most about a text, in Chinese and English.

TF-IDF without a table of document frequencies: jieba's has 6 MB and would take 40 MB of memory for a few tags.
A word's length stands in for its rarity, which it follows closely in both languages. Must not call a model.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Final

from engine.text.normalise import fold
from engine.text.resources import read_words
from engine.text.segmentation import Segmenter

_STOP: Final = (
    frozenset(read_words("function-zh.txt"))
    | frozenset(read_words("stop-zh.txt"))
    | frozenset(read_words("stop-en.txt"))
)
_LATIN: Final = re.compile(r"[A-Za-z][\w+#]*(?:[-._/'’][A-Za-z0-9]\w*)*[+#]*")
_CHINESE: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]+")
_POSSESSIVE: Final = re.compile(r"['’]s$")
# A word early in the text is likelier to be what the text is about; the weight falls to half by its end.
_EARLY: Final = 0.5


def keywords(text: str, limit: int, segmenter: Segmenter) -> list[tuple[str, float]]:
    """Up to ``limit`` words (as first written) with weights that fall from 1.0, best first; [] where there are none."""
    if limit < 1:
        return []
    counts: Counter[str] = Counter()
    first: dict[str, tuple[int, str]] = {}
    for word in _candidates(text, segmenter):
        key = fold(word)
        counts[key] += 1
        if key not in first:
            first[key] = (text.find(word), word)
    weights = {
        key: (1 + math.log(count)) * _rarity(key) * (1 - _EARLY * first[key][0] / len(text))
        for key, count in counts.items()
    }
    best = sorted(weights.items(), key=lambda item: (-item[1], first[item[0]][0]))[:limit]
    return [(first[key][1], weight / best[0][1]) for key, weight in best]


def _candidates(text: str, segmenter: Segmenter) -> list[str]:
    """Chinese words of two characters or more and Latin words of three or more, stop words and numbers left out."""
    found: list[str] = []
    for word in segmenter.words(_LATIN.sub(" ", text)) if _CHINESE.search(text) else ():
        if len(word) > 1 and _CHINESE.fullmatch(word) and not _says_nothing(fold(word)):
            found.append(word)
    for match in _LATIN.finditer(text):
        word = _POSSESSIVE.sub("", match[0])
        if len(word) > 2 and fold(word).replace("'", "") not in _STOP:
            found.append(word)
    return found


def _says_nothing(word: str) -> bool:
    return word in _STOP or all(character in _STOP for character in word)


def _rarity(word: str) -> float:
    """Frequent words are short (Zipf): 2 characters of Chinese count as 6 letters, more of either as more."""
    letters = len(word) if word.isascii() else 3 * len(word)
    return math.log(1 + letters)
