"""Terms for the lexical index and for questions to it: the same cutting on both sides.

Scripts without spaces give single characters and pairs; words are lower-case and stemmed by FTS5 itself
(``FTS_TOKENIZE``), so that both sides are stemmed alike; identifiers and numbers stay whole as well as in
parts; a symbol or an emoji is a term. Must not know FTS5 tables, dictionaries or storage, and no input raises.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from engine.text.normalise import UNSPACED, fold
from engine.text.resources import read_words

# The ASCII characters that may stand inside a whole identifier. No quotes, ever.
_JOINERS: Final = "-._/@:+#&=~%?*>"
# FTS5: `ascii` takes every character beyond ASCII as part of a token, so that with these tokenchars it splits
# a prepared row at its spaces and nowhere else; `porter` stems on top. Fits into tokenize="…".
FTS_TOKENIZE: Final = f"porter ascii tokenchars '{_JOINERS}'"
LONGEST_TERM: Final = 96
MOST_QUERY_TERMS: Final = 512

# Vowel signs and points that belong to the letter before them (Hebrew, Arabic, Indic, Tibetan).
_MARKS: Final = (
    "\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u0900-\u0903\u093a-\u094f\u0951-\u0963\u0981-\u0983"
    "\u09bc-\u09e3\u0a01-\u0a03\u0a3c-\u0a51\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bcd"
    "\u0c00-\u0c04\u0c3c-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d4d\u0d81-\u0d83\u0dca-\u0ddf\u0f71-\u0fbc"
)
_PART: Final = rf"(?:[^\W_{UNSPACED}]++[{_MARKS}]*+)++"
_JOIN: Final = r"(?::[/\\]{1,2}|::|->|[-._/@:+&=~%?*'\\])"
_SCAN: Final = re.compile(
    rf"(?P<run>[{UNSPACED}]+)"
    rf"|(?P<word>{_PART}(?P<more>(?:{_JOIN}{_PART})*)(?P<end>(?:\+\+|\#)(?!\w))?)"
    r"|(?P<symbol>[\U0001f1e6-\U0001f1ff]{2}|[^\w\s\x00-\x7f])"
)
_SPLIT: Final = re.compile(r":[/\\]{1,2}|::|->|[-._/@:+&=~%?*\\]")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?:\D|$))")
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_CLITICS: Final = frozenset({"s", "d", "ll", "re", "ve", "m"})


def _stop_terms() -> tuple[frozenset[str], frozenset[str]]:
    """(stop terms, function characters: a pair of two of them is a stop term as well)."""
    function = frozenset(read_words("function-zh.txt"))
    return function.union(read_words("stop-zh.txt"), read_words("stop-en.txt")), function


_STOP, _FUNCTION = _stop_terms()


def _piece(piece: str) -> Iterator[str]:
    """The terms of a part that may hold apostrophes: ``caroline's`` → caroline, ``don't`` → dont, ``o'neil``."""
    if "'" not in piece:
        yield piece[:LONGEST_TERM]
        return
    head, *tail = piece.split("'")
    while tail and tail[-1] in _CLITICS:
        tail.pop()
    yield "".join((head, *tail))[:LONGEST_TERM]
    if tail and tail != ["t"]:
        yield from (part[:LONGEST_TERM] for part in (head, *tail) if len(part) > 2)


def _word(match: re.Match[str]) -> list[str]:
    """The whole of an identifier, when it is more than one word, and its parts."""
    word = match["word"]
    if not match["more"] and not match["end"]:
        return [word[:LONGEST_TERM]]
    end = match["end"] or ""
    pieces = _SPLIT.split(word.removesuffix(end) if end else word)
    terms = []
    if len(pieces) > 1 or end:
        whole = word.replace("'", "").replace("\\", "/")
        if len(whole) <= LONGEST_TERM:
            terms.append(whole)
    for piece in pieces:
        terms.extend(_piece(piece))
    return terms


def _scan(text: str) -> Iterator[tuple[str, list[str]]]:
    """(kind, terms) of each stretch of the text: "run", "word", "border" or "symbol"."""
    folded = _THOUSANDS.sub("", fold(text)) if "," in text or "，" in text else fold(text)
    last, last_end = "", -2
    for match in _SCAN.finditer(folded):
        kind = match.lastgroup
        if match["run"] is not None:
            run = match["run"]
            if last and match.start() - last_end <= 1:
                yield "border", [last + run[0]]
            yield "run", [run]
            last = ""
        elif match["word"] is not None:
            terms = _word(match)
            last, last_end = terms[-1], match.end()
            yield "word", terms
        else:
            symbol = match["symbol"]
            if unicodedata.category(symbol[0])[0] == "S":
                yield kind or "symbol", [symbol]


def _pairs(run: str) -> list[str]:
    return [a + b for a, b in itertools.pairwise(run)]


def index_terms(text: str) -> list[str]:
    """The terms of ``text`` for the lexical index, repeats kept (unstemmed)."""
    terms: list[str] = []
    for kind, found in _scan(text):
        if kind == "run":
            terms.extend(found[0])
            terms.extend(_pairs(found[0]))
        else:
            terms.extend(found)
    return terms


def _is_stop(term: str) -> bool:
    return term in _STOP or (len(term) == 2 and term[0] in _FUNCTION and term[1] in _FUNCTION)


def query_terms(text: str) -> list[str]:
    """The distinct terms of a question in order, stop terms left out unless nothing else would remain.

    At most ``MOST_QUERY_TERMS``; [] for a text without any term (blank, only punctuation).
    """
    terms = list(dict.fromkeys(index_terms(text)))
    telling = [term for term in terms if not _is_stop(term)]
    return (telling or terms)[:MOST_QUERY_TERMS]


def bag(text: str) -> frozenset[str]:
    """A small set for likeness (Jaccard, MMR): pairs of unspaced scripts, words, symbols; no stop terms.

    A lone character counts as itself. Falls back to all terms when only stop terms are there.
    """
    terms: set[str] = set()
    for kind, found in _scan(text):
        if kind == "run":
            terms.update(_pairs(found[0]) or found)
        elif kind != "border":
            terms.update(found)
    return frozenset(term for term in terms if not _is_stop(term)) or frozenset(terms)


def fts_row(text: str) -> str:
    """What goes into the FTS5 column for ``text``: its index terms, a space between each two."""
    return " ".join(index_terms(text))


def fts_query(terms: Iterable[str]) -> str:
    """An FTS5 expression that matches rows with any of ``terms``; "" for none. Each term is quoted."""
    clean = (" ".join(_UNSTORABLE.sub(" ", term).split()).replace('"', '""') for term in terms)
    return " OR ".join(f'"{term}"' for term in clean if term)
