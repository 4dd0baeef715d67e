"""The facts of a memory from which atoms are made: those its writer gave, else the sentences that are worth one.

At most eight of a memory (S0). Pure: no storage, no clock, no model; never raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from engine.ingest.classify import says_nothing
from engine.text import tokens
from engine.text.normalise import CJK, content_key
from engine.text.sentences import sentences, without_code

MOST: Final = 8
LONGEST_TOKENS: Final = 200
# Of a long document only the beginning is read.
_READ: Final = 20_000
_FEWEST_CHARACTERS: Final = 4
_FEWEST_WORDS: Final = 3
_WORD: Final = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Fact:
    """One sentence-long fact; ``given`` says that the writer named it himself."""

    text: str
    given: bool


def facts_of(content: str, key_facts: Sequence[str]) -> tuple[Fact, ...]:
    """The key facts as they are, or else the telling sentences of ``content``; each once, at most eight."""
    if any(fact.strip() for fact in key_facts):
        return tuple(Fact(text, True) for text in _first(fact for fact in key_facts if fact.strip()))
    return tuple(Fact(text, False) for text in _first(_telling(_beginning(content))))


def _beginning(content: str) -> str:
    """What is read of a document: not a part of a sentence at its end."""
    if len(content) <= _READ:
        return content
    head = content[:_READ]
    return head[: max(head.rfind(border) for border in ("\n", "。", "！", "？", ". ", "! ", "? ")) + 1]


def _telling(content: str) -> Iterator[str]:
    """The sentences worth an atom; a content that is one sentence is its own fact, whatever it says."""
    found = sentences(without_code(content))
    head = list(islice(found, 2))
    if len(head) == 1:
        if tokens.estimate(head[0]) <= LONGEST_TOKENS:
            yield head[0]
        return
    for sentence in (*head, *found):
        if _is_telling(sentence):
            yield sentence


def _is_telling(sentence: str) -> bool:
    if tokens.estimate(sentence) > LONGEST_TOKENS:
        return False
    characters = len(CJK.findall(sentence))
    if characters < _FEWEST_CHARACTERS and characters + len(_WORD.findall(CJK.sub(" ", sentence))) < _FEWEST_WORDS:
        return False
    return not says_nothing(sentence)


def _first(texts: Iterable[str]) -> Iterator[str]:
    """The first eight that differ by more than case, width and white space."""
    seen: set[str] = set()
    for text in texts:
        key = content_key(text)
        if key not in seen:
            seen.add(key)
            yield text
            if len(seen) == MOST:
                return
