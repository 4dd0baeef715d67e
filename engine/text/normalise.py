"""One form for texts that mean the same: for matching and for recognising repeats, never for showing.

``fold`` evens out characters and keeps the white space (terms are cut at it); ``normalise`` evens out the
white space too. Must not drop digits, signs or punctuation: "1.5" is not "15", "-5" is not "5".
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Final, Literal

from engine.text.resources import read_words

Script = Literal["han", "latin", "other"]

# Scripts written without spaces that a reader cuts into words himself: Han with its marks, kana, bopomofo,
# Hangul (spaced, but its words carry endings), Thai, Lao, Myanmar, Khmer. For a regex character class.
UNSPACED: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1050-\u108f\u1100-\u11ff\u1780-\u17d3"
    "\u3005-\u3007\u3021-\u3029\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7fb\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
CJK: Final = re.compile(
    "[\u1100-\u11ff\u3005-\u3007\u3021-\u3029\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u318e\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7fb\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)
_LATIN_WORD: Final = re.compile("[A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff\uff21-\uff3a\uff41-\uff5a]+")
# Characters nobody sees: lone surrogates (can not be stored), soft hyphen, joiners and directions, variation
# selectors, tags. They go before anything else, so that what stood around them can compose.
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
# NFKC would make 102 of 10² and 11/2 of 1½; these keep the border between the two numbers.
_RAISED: Final = re.compile("[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]+|[\u00bc-\u00be\u2150-\u215e\u2189]")
_CJK_WORD_LENGTH: Final = 1.6
# Spaces that separate nothing: beside Han or kana a space or a line break is layout, not a border.
_LAYOUT_SPACE: Final = re.compile(
    r"(?<=[\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff])\s+"
    r"|\s+(?=[\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff])"
)


def _plain_letters() -> dict[int, str | None]:
    """Latin letters with a mark → without; the marks themselves → nothing."""
    table: dict[int, str | None] = dict.fromkeys(range(0x300, 0x370))
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        base = "".join(c for c in unicodedata.normalize("NFKD", chr(code)) if not unicodedata.combining(c))
        if base.isascii() and base.isalpha():
            table[code] = base.lower()
    return table


def _table() -> dict[int, str | None]:
    """What one pass of ``str.translate`` changes after NFKC and case folding."""
    table = _plain_letters()
    table.update({ord(a): b for a, b in zip("øłđħıŧæœ", ("o", "l", "d", "h", "i", "t", "ae", "oe"), strict=True)})
    table.update({ord(c): "'" for c in "\u2018\u2019\u02bc\u00b4\u02b9"})
    table.update({ord(c): "-" for c in "\u2010\u2011\u2012\u2212"})
    table[0x2044] = "/"
    table.update({ord(pair[0]): pair[1] for pair in read_words("traditional.txt")})
    return table


_TABLE: Final = _table()


def _apart(match: re.Match[str]) -> str:
    """Superscript digits as ``^2``, a fraction set off by a space."""
    raised = unicodedata.normalize("NFKC", match[0])
    return f"^{raised}" if raised.isdigit() else f" {raised}"


def fold(text: str) -> str:
    """``text`` with case, width, compatibility forms, Latin diacritics and traditional characters evened out.

    White space is kept. Idempotent; never raises; lone surrogates and invisible characters are dropped.
    """
    if text.isascii():
        return text.lower()
    text = _RAISED.sub(_apart, _INVISIBLE.sub("", text))
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFKC", folded.translate(_TABLE))


def normalise(text: str) -> str:
    """``fold`` with every run of white space as one space, and none at the ends or beside Han and kana."""
    return " ".join(_LAYOUT_SPACE.sub("", fold(text)).split())


def content_key(text: str) -> str:
    """Hex digest (32 characters) of ``normalise(text)``: equal means the same text."""
    return hashlib.blake2b(normalise(text).encode("utf-8"), digest_size=16).hexdigest()


def script_of(text: str) -> Script:
    """The script that most of ``text`` is in; "han" stands for Han, kana and Hangul together.

    CJK characters are weighed against Latin words by how many of them make a word.
    """
    characters = len(CJK.findall(text))
    words = _LATIN_WORD.findall(text)
    known = characters + sum(map(len, words))
    if not known or sum(map(str.isalpha, text)) > 2 * known:
        return "other"
    return "han" if characters / _CJK_WORD_LENGTH >= len(words) else "latin"
