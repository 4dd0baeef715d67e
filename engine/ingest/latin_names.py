"""People in running text of Latin script: capitalised words that are given names, or that a cue says are names.

A month, a day, a place, a firm or the mere start of a sentence is no name. Pure; must not know storage.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from engine.text.normalise import fold
from engine.text.resources import read_words

_LETTER: Final = "A-Za-z\u00c0-\u024f"
_CAPITAL: Final = "A-Z\u00c0-\u00d6\u00d8-\u00de"
_SMALL: Final = "a-z\u00df-\u00f6\u00f8-\u024f"
_WORD: Final = rf"[{_CAPITAL}][{_SMALL}]+(?:[-'’][{_CAPITAL}]?[{_SMALL}]+)*|[{_CAPITAL}]['’][{_CAPITAL}][{_SMALL}]+"
_TOKEN: Final = rf"(?:(?:Mrs?|Ms|Mx|Dr|Prof)\.|{_WORD}|[{_CAPITAL}]\.(?=[ ][{_CAPITAL}]))"
_RUN: Final = re.compile(rf"(?<![{_LETTER}\d_.@/-]){_TOKEN}(?:[ ]{_TOKEN})*(?![{_LETTER}\d_@/])")
_CLITIC: Final = re.compile(r"['’](?:s|ll|d|re|ve|m)$")
_GIVEN: Final = frozenset(name.lower() for name in read_words("given-names-en.txt") if not name.endswith("?"))
_RARELY_GIVEN: Final = frozenset(name[:-1].lower() for name in read_words("given-names-en.txt") if name.endswith("?"))
_NOT_NAMES: Final = frozenset(word.lower() for word in read_words("not-names-en.txt"))
# "Victoria Station", "Alice Springs": what comes before one of these is the name of a place or a firm.
_PLACES: Final = frozenset(word.lower() for word in read_words("place-words-en.txt"))
# "Sir" and "Madam" alone begin letters; the degrees come behind.
_TITLES: Final = frozenset(("mr", "mrs", "ms", "miss", "mx", "dr", "doctor", "prof", "professor", "sir"))
_KIN: Final = "|".join(sorted(map(re.escape, read_words("kin-en.txt")), key=len, reverse=True))
_CUE: Final = re.compile(
    rf"\b(?:my|his|her|our|their|your)\s(?:[\w-]+\s){{0,2}}(?:{_KIN})(?:,|\s(?:named|called))?\s$", re.IGNORECASE
)
_COMPANY: Final = re.compile(
    r"\b(?:with|between|met|meet|meeting|saw|see|called|invited|told|visited|asked)\s$", re.IGNORECASE
)
_AND: Final = re.compile(r"(?:,|,? and| &)\s")
_CUE_LENGTH: Final = 60
_MOST_WORDS: Final = 3


class _Run(NamedTuple):
    """Capitalised words in a row, and the name in them ("" for none)."""

    start: int
    end: int
    words: tuple[str, ...]
    name: str


def people(text: str) -> Iterator[str]:
    """The names of people in ``text``, in order, as written, without possessives; repeats kept."""
    group: list[_Run] = []
    for match in _RUN.finditer(text):
        run = _read(text, match)
        if group and not _AND.fullmatch(text, group[-1].end, run.start):
            yield from _company(text, group)
            group = []
        group.append(run)
    yield from _company(text, group)


def is_name(text: str) -> bool:
    """``text`` as a whole is written like the name of a person: its first word a given name or a title."""
    match = _RUN.fullmatch(text)
    words = _words(text) if match else ()
    if not words or len(words) > _MOST_WORDS or _NOT_NAMES.intersection(map(_bare, words)):
        return False
    return _bare(words[0]) in (_GIVEN | _TITLES if len(words) > 1 else _GIVEN)


def _company(text: str, group: list[_Run]) -> Iterator[str]:
    """Who is named in "A, B and C": the known ones, and beside one of them, after a cue ("with"), all."""
    together = len(group) > 1 and any(run.name for run in group)
    together = together and bool(_COMPANY.search(text[max(0, group[0].start - _CUE_LENGTH) : group[0].start]))
    for run in group:
        if run.name:
            yield run.name
        elif together and len(run.words) < _MOST_WORDS and not _NOT_NAMES.intersection(map(_bare, run.words)):
            yield " ".join(run.words)


def _read(text: str, match: re.Match[str]) -> _Run:
    words = _words(match[0])
    cued = bool(_CUE.search(text[max(0, match.start() - _CUE_LENGTH) : match.start()]))
    return _Run(match.start(), match.end(), words, _name(words, cued))


def _words(run: str) -> tuple[str, ...]:
    return tuple(_CLITIC.sub("", word) for word in run.split(" "))


def _bare(word: str) -> str:
    return fold(word.rstrip("."))


def _name(words: tuple[str, ...], cued: bool) -> str:
    """The first name in a row of capitalised words: title and surname, given name with or without surname."""
    for at, word in enumerate(words):
        plain = _bare(word)
        rest = words[at + 1 : at + _MOST_WORDS]
        surname = _surname(rest)
        if plain in _TITLES and surname:
            family = _surname(rest[len(surname) :]) if _bare(surname[0]) in _GIVEN else ()
            return " ".join((word, *surname, *family))
        told = cued and at == 0 and (plain not in _NOT_NAMES or plain in _RARELY_GIVEN)
        # "Mark Twain" is somebody, "Mark" may begin a sentence, and in "Hope Alice" it does.
        doubtful = plain in _RARELY_GIVEN - _NOT_NAMES and bool(surname) and _bare(surname[0]) not in _GIVEN
        if told or plain in _GIVEN or doubtful:
            return "" if _PLACES.intersection(map(_bare, rest)) else " ".join((word, *surname))
    return ""


def _surname(rest: tuple[str, ...]) -> tuple[str, ...]:
    """What follows a given name as part of it: an initial, one word that is no everyday one."""
    initial = rest[:1] if rest and len(rest[0]) == 2 and rest[0].endswith(".") else ()
    family = rest[len(initial) : len(initial) + 1]
    if not family or _bare(family[0]) in _NOT_NAMES:
        return ()
    return (*initial, *family)
