"""What a question names: what it quotes (“…”, 「…」, 《…》, `…`), identifiers such as E1042 or foo_bar.py, and whatever
may be the name of somebody. Pure; whether a memory holds them is looked up elsewhere.
"""

from __future__ import annotations

import re
from typing import Final

from engine.text.normalise import CJK, fold, normalise
from engine.text.resources import read_words
from engine.text.terms import LONGEST_TERM

MOST_PHRASES: Final = 8
_SHORTEST: Final = 2
_LONGEST: Final = 200
# Names have two to four Chinese characters or one to three words; so far a question is read for them.
_CHARACTERS: Final = (4, 3, 2)
_WORDS: Final = (3, 2, 1)
_READ_FOR_NAMES: Final = 200

_QUOTED: Final = re.compile(
    r"“([^”]+)”|\"([^\"\n]+)\"|「([^」]+)」|『([^』]+)』|《([^》]+)》|〈([^〉]+)〉|«([^»]+)»|`([^`]+)`"
    r"|(?<!\w)‘([^’\n]+)’(?!\w)|(?<!\w)'([^'\n]{2,80})'(?!\w)"
)
# Letters with digits, or parts joined as only machines join them; a hyphen or a full stop alone joins words as well.
_WORD: Final = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z0-9_./\\:+#~@=-]*[A-Za-z0-9_]")
_IDENTIFIER: Final = re.compile(
    r"(?=.*[A-Za-z])(?:.*\d.*|.*[_\\/@=].*|.*[A-Za-z0-9]\.[A-Za-z].*|.*::.*|--[a-z].*|.*[a-z]:[a-z].*|.*[a-z][A-Z].*|[A-Z]{2,}-[A-Z0-9]+)"
)
_RUN: Final = re.compile(f"(?:{CJK.pattern})+|[^\\W\\d_][\\w.'-]*(?: [^\\W\\d_][\\w.'-]*)*")
_POSSESSIVE: Final = re.compile(r"'s?$|[.'-]+$")
_STOP: Final = frozenset((*read_words("stop-en.txt"), *read_words("stop-zh.txt")))
_ORDINAL: Final = re.compile(r"\d+(?:st|nd|rd|th|s|am|pm|km|kg|min|h|d|x|k|m|g|gb|mb)?", re.IGNORECASE)
_ABBREVIATION: Final = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]?|[A-Za-z]+/[A-Za-z]+")


def quoted(text: str) -> tuple[str, ...]:
    """The phrases that ``text`` quotes, as ``normalise`` makes them, each once; those of one character are none."""
    found = (next(part for part in match.groups() if part) for match in _QUOTED.finditer(text))
    phrases = dict.fromkeys(normalise(one) for one in found)
    return tuple(one for one in phrases if _SHORTEST <= len(one) <= _LONGEST)[:MOST_PHRASES]


def identifiers(text: str) -> tuple[str, ...]:
    """The identifiers, paths and codes in ``text`` as the word index keeps them whole, each once."""
    found: dict[str, None] = {}
    for match in _WORD.finditer(text):
        word = match[0].strip("./:-~") if not match[0].startswith("--") else match[0][2:]
        if _ORDINAL.fullmatch(word) or _ABBREVIATION.fullmatch(word) or not _IDENTIFIER.fullmatch(match[0]):
            continue
        whole = fold(word).replace("\\", "/")
        if _SHORTEST <= len(whole) <= LONGEST_TERM:
            found[whole] = None
    return tuple(found)[:MOST_PHRASES]


def names(text: str) -> tuple[str, ...]:
    """Every part of ``text`` that has the length of a name, folded, the longest first; few of them are one."""
    found: dict[str, None] = {}
    for match in _RUN.finditer(" ".join(fold(text[:_READ_FOR_NAMES]).split())):
        run = match[0]
        if CJK.match(run):
            pieces = (run[at : at + size] for size in _CHARACTERS for at in range(len(run) - size + 1))
        else:
            words = run.split(" ")
            pieces = (" ".join(words[at : at + size]) for size in _WORDS for at in range(len(words) - size + 1))
        for piece in pieces:
            name = _POSSESSIVE.sub("", piece)
            if len(name) >= _SHORTEST and name not in _STOP:
                found[name] = None
    return tuple(found)
