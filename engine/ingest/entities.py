"""Who is meant: one form for the many ways to write a topic, a person or a fact, and what the user decided about it.

``canonicalise`` is pure and says what a text alone can say; ``resolve`` follows the aliases. Must not write, nor read
names out of running text (``extract.py`` does).
"""

from __future__ import annotations

import re
from typing import Final

from engine.storage import aliases
from engine.storage.database import Connection
from engine.text.normalise import content_key, normalise
from engine.text.resources import read_words
from engine.types import EntityType

_PAIRS: Final = {
    '"': '"', "'": "'", "(": ")", "[": "]", "{": "}", "<": ">", "«": "»", "“": "”", "「": "」", "『": "』",
    "《": "》", "〈": "〉", "【": "】", "`": "`", "*": "*", "_": "_", "~": "~",
}  # fmt: skip
_QUOTES: Final = "\"'“”„‟‹›«»`"
# What stands around a name without being part of it. No "+" or "-", no "#" behind, no "." before: C++, -5, C#, .NET.
_BEFORE: Final = _QUOTES + ",;:!?。，；：！？、…·•*~#@"
_AFTER: Final = _QUOTES + ".,;:!?。，；：！？、…·•*~"
_HAN: Final = "\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
_ONLY_HAN: Final = re.compile(f"[{_HAN}]+")
_POSSESSIVE: Final = re.compile(r"(?<=\w)'s?$")
_NICKNAME: Final = "小老阿"
_LONGEST_GIVEN: Final = 2

_TITLES_EN: Final = frozenset(read_words("honorifics-en.txt"))
# The longest first: 总经理 before 经理.
_TITLES_ZH: Final = tuple(sorted(read_words("honorifics-zh.txt"), key=len, reverse=True))
# One character is a title only after a bare surname: 王总, 李姐.
_SHORT_TITLES: Final = "总哥姐叔姨嫂董工导"
_SURNAMES: Final = frozenset(word for word in read_words("surnames-zh.txt") if not word.endswith("?"))
_RARE_SURNAMES: Final = frozenset(word[:-1] for word in read_words("surnames-zh.txt") if word.endswith("?"))
_GIVEN: Final = frozenset("".join(read_words("given-characters-zh.txt")))
_NOT_NAMES: Final = frozenset(read_words("not-names-zh.txt"))
_FOREIGN: Final = frozenset(read_words("foreign-names-zh.txt"))
_NOBODY: Final = frozenset(word.replace("_", " ") for word in read_words("nobody.txt"))


def canonicalise(kind: EntityType, text: str) -> str:
    """The one form of an entity's name: folded, without quotes around it and, of a person, titles and possessives.

    Of a fact, the key of its text. "" for a text that is blank, else never: what is all title or all marks stays.
    Idempotent but for facts.
    """
    folded = normalise(text)
    if kind == "fact":
        return content_key(folded) if folded else ""
    bare = folded
    while True:
        stripped = _marks_off(bare)
        if kind == "person":
            stripped = _titles_off(_possessive_off(stripped))
        if not stripped or stripped == bare:
            return bare
        bare = stripped


def resolve(cx: Connection, kind: EntityType, canonical: str, memory_id: int = 0) -> str:
    """Whom ``canonical`` means in this memory (0 = anywhere), by the user's aliases."""
    return canonical if kind == "fact" else aliases.resolve(cx, kind, canonical, memory_id)


def is_nobody(canonical: str) -> bool:
    """Whether this person is no third one: "I", "the user", 我, 用户, "assistant"."""
    return canonical in _NOBODY


def is_surname(text: str, *, surely: bool = False) -> bool:
    """``text``, folded, is a Chinese surname; ``surely``: and no everyday word."""
    return text in _SURNAMES or (not surely and text in _RARE_SURNAMES)


def is_chinese_name(text: str, *, cued: bool = False) -> bool:
    """``text``, folded, has the shape of a full Chinese name: a surname and one or two characters as names have them.

    ``cued``: something beside it says that a name stands here, so that surnames that are everyday words count too.
    """
    if text in _FOREIGN:
        return True
    surname = text[:2] if text[:2] in _SURNAMES else text[:1]
    given = text[len(surname) :]
    # 李子, 叶子, 孙子: of a name, 子 is never all of the given part.
    if text in _NOT_NAMES or given == "子" or not 1 <= len(given) <= _LONGEST_GIVEN or not _GIVEN.issuperset(given):
        return False
    return surname in _SURNAMES or (surname in _RARE_SURNAMES and (cued or len(given) == _LONGEST_GIVEN))


def is_nickname(text: str) -> bool:
    """小王, 老李, 阿强: a prefix and a surname or a single character of a name."""
    if len(text) != 2 or text in _NOT_NAMES:
        return False
    return text[0] in _NICKNAME and (text[1] in _SURNAMES or (text[0] == "阿" and text[1] in _GIVEN))


def title_of(text: str) -> str:
    """The title that ``text``, folded, ends in after a Chinese name; "" for none."""
    for title in _TITLES_ZH if text.endswith(_TITLES_ZH) else ():
        if text.endswith(title) and _is_called(text.removesuffix(title)):
            return title
    if text[-1:] in _SHORT_TITLES and is_surname(text[:-1]):
        return text[-1:]
    return ""


def _is_called(name: str) -> bool:
    """Whether a title may follow: 王老师 and 王伟老师 name somebody, 语文老师 and 老师 do not."""
    if not name or is_nobody(name):
        return False
    if not _ONLY_HAN.fullmatch(name):
        return name[0].isalpha() and not _ONLY_HAN.match(name[-1])
    surname = name[:2] if name[:2] in _SURNAMES else name[:1]
    sure = surname in _SURNAMES and len(name) <= len(surname) + _LONGEST_GIVEN and name not in _NOT_NAMES
    return sure or is_surname(name) or is_nickname(name) or is_chinese_name(name, cued=True)


def _titles_off(name: str) -> str:
    words = name.split()
    while len(words) > 1 and words[0].strip(".,") in _TITLES_EN:
        del words[0]
    while len(words) > 1 and words[-1].strip(".,") in _TITLES_EN:
        del words[-1]
        words[-1] = words[-1].rstrip(",") or words[-1]
    bare = " ".join(words)
    title = title_of(bare)
    return bare.removesuffix(title).rstrip() if title else bare


def _possessive_off(name: str) -> str:
    if name.endswith("的") and len(name) > 2:
        return name[:-1]
    return _POSSESSIVE.sub("", name)


def _marks_off(name: str) -> str:
    while len(name) > 2 and _PAIRS.get(name[0]) == name[-1]:
        name = name[1:-1].strip()
    return name.rstrip(_AFTER).lstrip(_BEFORE).strip()
