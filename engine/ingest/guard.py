"""What two tellings of one fact can never differ in: numbers, dates, names and what is denied.

Must not weigh likeness: it only says whether the exact parts of two texts clash, or one has more than the other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from engine.ingest.judge_lexicon import CALLED, SURNAMES
from engine.ingest.judge_numbers import Number
from engine.ingest.judge_units import listed
from engine.ingest.judge_words import NOTHING, Token, Wording, wording
from engine.text.normalise import fold
from engine.text.segmentation import Segmenter

Slug = Literal["number", "date", "name", "negation"]

_CAPITALISED: Final = re.compile(r"(?<![\w'’])[A-ZÀ-Þ][\w’'-]*\w")
_IDENTIFIER: Final = re.compile(r"\b[A-Za-z]\w*(?:[._/-]\w+)+\b|\b[a-z]+[A-Z]\w*\b|\b\w+_\w+\b")
_QUOTED: Final = re.compile(r"《([^》]{1,40})》|「([^」]{1,40})」|“([^”]{1,60})”|\"([^\"]{1,60})\"")
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?:;\n。！？：；])\s*[\"'“‘(\[]*$")
_AFTER_TITLE: Final = re.compile(r"\b(?:[Mm]rs?|[Mm]s|[Dd]r|[Ss]t|[Pp]rof)\.\s*$")
_TITLES: Final = listed(
    "总 主任 医生 大夫 老师 经理 教授 院长 校长 先生 女士 工 哥 姐 阿姨 叔叔 律师 博士 师傅 局长 处长 教练"
)
# Capitalised by rule of spelling, not because they name somebody.
_NO_NAMES: Final = listed(
    "i user users the a an my our your his her its their we he she it they you this that there these those "
    "in on at to for from with and but or if when while after before since because as is are was were do "
    "does did not no mr mrs ms dr st monday tuesday wednesday thursday friday saturday sunday january "
    "february march april may june july august september october november december today tomorrow yesterday "
    "last next every please use always never"
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The exact parts of a text. ``denied``: one form of each word that is denied; ``words``: all its words' forms."""

    numbers: tuple[Number, ...]
    dates: tuple[str, ...]
    names: frozenset[str]
    denied: tuple[str, ...]
    words: frozenset[str]
    counted: frozenset[tuple[str, str]]
    singles: frozenset[str]
    folded: str


def evidence(text: str, segmenter: Segmenter) -> Evidence:
    """The evidence of ``text``. Never raises."""
    return evidence_of(text, wording(text, segmenter))


def evidence_of(text: str, read: Wording) -> Evidence:
    """The evidence of a text whose wording is known."""
    return Evidence(
        numbers=read.figures.numbers,
        dates=read.figures.dates,
        names=frozenset(_names(text, read.tokens)),
        denied=tuple(token.key for token in read.tokens if token.denied),
        words=frozenset(token.key for token in read.tokens),
        counted=read.figures.counted,
        singles=read.figures.singles,
        folded=read.folded,
    )


def differs(a: Evidence, b: Evidence) -> Slug | None:
    """What tells ``a`` and ``b`` apart, be it a clash or an addition; None when both have the same exact parts."""
    return clash(a, b) or addition(a, b)


def clash(a: Evidence, b: Evidence) -> Slug | None:
    """What ``a`` and ``b`` say differently of the same thing. Symmetric."""
    more_a, more_b = numbers_apart(a.numbers, b.numbers)
    dates_a, dates_b = dates_apart(a.dates, b.dates)
    if (more_a and more_b) or _counts_clash(a, b) or _counts_clash(b, a):
        return "number"
    if dates_a and dates_b:
        return "date"
    if (more_a or dates_a) and (more_b or dates_b):
        return "number"
    denied_a, denied_b = denials_apart(a.denied, b.denied)
    if (
        (denied_a and denied_b)
        or any(d in b.words or d == NOTHING for d in denied_a)
        or any(d in a.words or d == NOTHING for d in denied_b)
    ):
        return "negation"
    if unmatched(a, b) and unmatched(b, a):
        return "name"
    return None


def addition(a: Evidence, b: Evidence) -> Slug | None:
    """What only one of ``a`` and ``b`` has. Symmetric."""
    if any(numbers_apart(a.numbers, b.numbers)):
        return "number"
    if any(dates_apart(a.dates, b.dates)):
        return "date"
    if any(denials_apart(a.denied, b.denied)):
        return "negation"
    return "name" if unmatched(a, b) or unmatched(b, a) else None


def only(a: Evidence, b: Evidence) -> bool:
    """Whether ``a`` has an exact part that ``b`` lacks."""
    return bool(
        numbers_apart(a.numbers, b.numbers)[0] or dates_apart(a.dates, b.dates)[0]
        or denials_apart(a.denied, b.denied)[0] or unmatched(a, b) or (a.singles - b.singles and b.counted)
    )  # fmt: skip


def denials_apart(a: Sequence[str], b: Sequence[str]) -> tuple[list[str], list[str]]:
    """What only one of the two denies: "neither tea nor milk" may be told as "no tea, and no milk"."""
    left, right = multiset_apart(a, b)
    return ([d for d in left if d == NOTHING or d not in b], [d for d in right if d == NOTHING or d not in a])


def multiset_apart(a: Iterable[str], b: Iterable[str]) -> tuple[list[str], list[str]]:
    if a == b:
        return [], []
    left, right = Counter(a), Counter(b)
    return list((left - right).elements()), list((right - left).elements())


def numbers_apart(a: Sequence[Number], b: Sequence[Number]) -> tuple[list[Number], list[Number]]:
    """What is left of each after equal numbers are paired; a number without a unit pairs with any unit."""
    if a == b:
        return [], []
    left = list(a)
    right: list[Number] = []
    for number in b:
        for position, other in enumerate(left):
            if (number.value, number.unit) == (other.value, other.unit):
                del left[position]
                break
        else:
            right.append(number)
    rest: list[Number] = []
    for number in right:
        for position, other in enumerate(left):
            if number.raw == other.raw and (not number.unit or not other.unit):
                del left[position]
                break
        else:
            rest.append(number)
    return left, rest


def dates_apart(a: Iterable[str], b: Iterable[str]) -> tuple[list[str], list[str]]:
    """Like the numbers; a date without a year pairs with the same day of a year."""
    left, right = multiset_apart(a, b)
    for date in list(right):
        match = next((other for other in left if _agree(date, other)), None)
        if match is not None:
            left.remove(match)
            right.remove(date)
    return left, right


def _agree(a: str, b: str) -> bool:
    """Whether two dates name the same day as far as both go ("*" stands for a part that is not told)."""
    one, two = a.split("-"), b.split("-")
    if len(one) != 3 or len(two) != 3 or one[1:] != two[1:]:
        return False
    return "*" in (one[0], two[0])


def _counts_clash(a: Evidence, b: Evidence) -> bool:
    """One of a thing here, several of it there ("一只猫", "两只猫")."""
    counted = {thing for value, thing in a.counted if thing and value != "1"}
    return bool((counted & b.singles) - {thing for _, thing in b.counted} - a.singles) and not any(
        number.raw == other.raw for number in a.numbers for other in b.numbers
    )


def unmatched(a: Evidence, b: Evidence) -> list[str]:
    return [name for name in a.names if name not in b.folded]


def _names(text: str, tokens: Sequence[Token]) -> Iterable[str]:
    """Folded names: capitalised words, identifiers, quotations, Chinese words that begin with a surname."""
    kin = {token.surface for token in tokens if token.key[0] == "@"}
    for match in _CAPITALISED.finditer(text):
        word = fold(match[0]).replace("'s", "")
        if word in _NO_NAMES or word in kin or (match[0].isupper() and len(text) > 12 and text.isupper()):
            continue
        before = text[max(0, match.start() - 6) : match.start()]
        if not _SENTENCE_START.search(before) or _AFTER_TITLE.search(before) or _opens_as_name(text, match):
            yield word
    for match in _IDENTIFIER.finditer(text):
        yield fold(match[0])
    for match in _QUOTED.finditer(text):
        yield fold(next(group for group in match.groups() if group is not None))
    for position, token in enumerate(tokens):
        after = tokens[position + 1] if position + 1 < len(tokens) else None
        if token.kind == "han" and token.surface in SURNAMES and after is not None and after.surface in _TITLES:
            yield token.surface
        if (
            token.kind == "han"
            and 2 <= len(token.surface) <= 3
            and token.surface[-1] not in "子色的们头里上下"
            and (token.surface[0] in SURNAMES or CALLED.fullmatch(token.surface))
        ):
            yield token.surface


def _opens_as_name(text: str, match: re.Match[str]) -> bool:
    """A sentence that opens with a name goes on with what names are followed by."""
    after = re.match(
        r"(?:['’]s\b|\s+(?:is|was|has|had|and|will|can|[a-z]{2,}(?:s|ed))\b|\s+[A-Z]\w)", text[match.end() :]
    )
    return after is not None or match[0].endswith(("'s", "’s"))
