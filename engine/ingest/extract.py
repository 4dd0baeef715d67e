"""Reads people and topics out of a memory: what its writer named, then what its text plainly says.

Precision before coverage: a name needs a known shape and, where the shape is an everyday word, a cue beside it. Pure.
Must not decide which entity a name means (``entities.py``), nor read facts (``facts.py``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from engine.ingest import entities, latin_names
from engine.ingest.entities import canonicalise, is_nobody
from engine.ingest.nouns import nouns
from engine.text import tokens
from engine.text.keywords import keywords
from engine.text.normalise import fold
from engine.text.resources import read_words
from engine.text.segmentation import Segmenter
from engine.types import EntityType, Memory

MOST_TOPICS: Final = 6
MOST_PEOPLE: Final = 8
# A text this long has named whom it is about; names further down are left alone.
_LONGEST: Final = 6_000
_LONGEST_NAME: Final = 200
_MOST_ENTITIES: Final = 50
# A text of so many tokens has so many subjects of its own.
_SUBJECTS: Final = ((40, 3), (8, 2))
_HAN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")
_LABEL: Final = re.compile(
    r"^[^\S\n]*(?:[\[(（【][^\])）】\n]{1,40}[\])）】][^\S\n]*)?([^\W\d_][^:：\n]{0,30}?)[^\S\n]*[:：](?!//)(?=[^\S\n]*\S)",
    re.M,
)
_LABELS: Final = frozenset(read_words("labels.txt"))
_KIN: Final = frozenset(read_words("kin-zh.txt"))
_NOT_TOPICS: Final = frozenset(read_words("not-topics.txt"))
_DIALOGUE: Final = 3
_SPEAKER_WORDS: Final = 3
_SPEAKER_CHARACTERS: Final = 4
# What the dictionary leaves at the borders of a name that it does not know.
_LEADING: Final = frozenset("和跟与同给找让请叫问见像陪约")
_TRAILING: Final = frozenset("说要去来在也就都是和跟的了把被给对想会能有没不又还让问请叫住做从到")
_NAMING: Final = frozenset(("叫", "名叫", "叫做", "叫作"))
_COUNTING: Final = re.compile(r"[\d一二两三四五六七八九十百几这那每半]$")
_CALLED: Final = re.compile(
    rf"(?:{'|'.join(sorted(_KIN, key=len, reverse=True))})的?(?:名字|小名)?(?:叫做|名叫|叫作|叫)"
    "([\u4e00-\u9fff]{2,3})(?=[，。,.!！？?、；;\\s]|$)"
)


@dataclass(frozen=True, slots=True)
class Named:
    """An entity as a memory names it; ``given``: by its writer, not read out of the text."""

    type: EntityType
    text: str
    given: bool


def people_and_topics(memory: Memory, segmenter: Segmenter) -> list[Named]:
    """People (at most 8), then topics (at most 6), each entity once, what was given first."""
    return named_in(memory.content, memory.participants, memory.topics, memory.entities, segmenter)


def named_in(
    text: str, participants: tuple[str, ...], topics: tuple[str, ...], given: tuple[str, ...], segmenter: Segmenter
) -> list[Named]:
    """:func:`people_and_topics` of a memory with these fields; ``given``: its entities."""
    content = text[:_LONGEST]
    named = given[:_MOST_ENTITIES]
    known = {canonicalise("person", one) for one in participants[:_MOST_ENTITIES]}
    persons = [one for one in named if _is_person(one, known)]
    people = _distinct("person", (*participants, *persons), _people(content, segmenter), MOST_PEOPLE)
    subjects = (*topics, *(one for one in named if one not in persons))
    read = () if any(map(str.strip, subjects)) else _subjects(content, people, segmenter)
    return people + _distinct("topic", subjects, read, MOST_TOPICS)


def _distinct(kind: EntityType, given: Iterable[str], read: Iterable[str], most: int) -> list[Named]:
    found: dict[str, Named] = {}
    for is_given, text in (*((True, one) for one in given), *((False, one) for one in read)):
        if len(found) == most:
            break
        shown = " ".join(text.split())
        canonical = canonicalise(kind, shown) if len(shown) <= _LONGEST_NAME else ""
        if canonical and not (kind == "person" and is_nobody(canonical)):
            found.setdefault(canonical, Named(kind, shown, is_given))
    return list(found.values())


def _is_person(text: str, known: set[str]) -> bool:
    """Whether a named entity of unknown kind is one."""
    folded = fold(text.strip())
    shape = entities.is_chinese_name(folded) or bool(entities.title_of(folded)) or latin_names.is_name(text.strip())
    return canonicalise("person", text) in known or shape


def _people(content: str, segmenter: Segmenter) -> Iterator[str]:
    yield from _speakers(content)
    yield from latin_names.people(content)
    if _HAN.search(content):
        yield from (match[1] for match in _CALLED.finditer(content))
        yield from _chinese(content, segmenter)


def _speakers(content: str) -> Iterator[str]:
    """Who speaks in "Name: text" lines: names, and in a dialogue any label that comes back."""
    counts = Counter(match[1].strip() for match in _LABEL.finditer(content))
    dialogue = sum(counts.values()) >= _DIALOGUE and len(counts) > 1
    for label, count in counts.items():
        folded = fold(label)
        if folded in _LABELS:
            continue
        shape = entities.is_chinese_name(folded, cued=True) or entities.is_nickname(folded)
        if shape or latin_names.is_name(label) or (dialogue and count > 1 and _could_be_name(label)):
            yield label


def _could_be_name(label: str) -> bool:
    if _HAN.search(label):
        return len(label) <= _SPEAKER_CHARACTERS
    words = label.split()
    return len(words) <= _SPEAKER_WORDS and all(word[0].isupper() for word in words)


def _chinese(content: str, segmenter: Segmenter) -> Iterator[str]:
    """Full names, nicknames and surnames with a title among the words of a text."""
    # The dictionary knows simplified characters. Folding most often keeps every place; where not, names come folded.
    folded = fold(content)
    shown = content if len(folded) == len(content) else folded
    position = 0
    before, end = "", -1
    for word in segmenter.words(folded):
        at = folded.find(word, position)
        position = at + len(word)
        if not _HAN.match(word):
            before, end = "", -1
            continue
        adjacent = before if end == at else ""
        found = _name(word, adjacent in _KIN or adjacent in _NAMING)
        start, stop = (at + found[0], at + found[1]) if found else (0, 0)
        begun = at - len(adjacent)
        if not found and adjacent and not _COUNTING.search(folded[max(0, begun - 1) : begun]):
            start, stop = begun, at + _joined(adjacent, word)
        if stop > at:
            yield shown[start:stop]
        before, end = word, position


def _name(word: str, cued: bool) -> tuple[int, int] | None:
    """Where in a word (folded) a name stands: all of it, or between characters that are none of it."""
    if entities.is_chinese_name(word, cued=cued) or entities.is_nickname(word) or _titled(word):
        return 0, len(word)
    start = int(len(word) > 2 and word[0] in _LEADING)
    end = len(word) - int(len(word) > 2 and word[-1] in _TRAILING)
    cut = start > 0 or end < len(word)
    return (start, end) if cut and entities.is_chinese_name(word[start:end]) else None


def _titled(word: str) -> bool:
    title = entities.title_of(word)
    return bool(title) and entities.is_surname(word.removesuffix(title))


def _joined(before: str, word: str) -> int:
    """How many characters of ``word`` finish a name that was cut: 张 + 秀英, 欧阳 + 娜娜, 张 + 经理, 刘子 + 墨.

    0 for none.
    """
    if entities.is_surname(before):
        sure = entities.is_surname(before, surely=True) and len(word) > 1 and entities.is_chinese_name(before + word)
        return len(word) if sure or _titled(before + word) else 0
    begun = before.endswith("子") and entities.is_surname(before[:-1], surely=True)
    lone = len(word) == 1 or _TRAILING.issuperset(word[1:])
    return int(begun and lone and entities.is_chinese_name(before + word[0]))


def _subjects(content: str, people: list[Named], segmenter: Segmenter) -> list[str]:
    """The words that say most about a text that names no topic; none of them a name, a time or a plain verb."""
    size = tokens.estimate(content)
    most = next((subjects for least, subjects in _SUBJECTS if size >= least), 0)
    if not most:
        return []
    names = {part for one in people for part in (fold(one.text), *fold(one.text).split())}
    things = nouns(content, segmenter)
    found = (word for word, _ in keywords(content, most + len(names) + 12, segmenter))
    wanted = (word for word in found if fold(word) in things and fold(word) not in _NOT_TOPICS)
    return [word for word in wanted if fold(word) not in names][:most]
