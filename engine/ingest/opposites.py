"""Small words that say little in a question and yet tell facts apart: who it is about, on or off, before or after.

Pure. Words that carry weight of their own (likes, hates) are the lexicon's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

Sides = frozenset[tuple[int, int]]

_GROUPS: Final = (
    ("我 我们 咱们 用户 i me my mine we us our ours user", "你 您 你们 you your yours", "他 he him his",
     "她 she her hers", "他们 她们 they them their theirs"),
    ("on", "off"), ("up", "down"), ("in", "out"), ("before 之前 以前", "after 之后 以后"), ("来", "去"), ("上", "下"),
    ("里", "外"), ("open opened", "closed shut"), ("left 左边 左侧", "right 右边 右侧"), ("true", "false"),
    ("yes", "no"), ("enabled", "disabled"), ("above", "below"),
)  # fmt: skip
_SIDES: Final = {
    word: (group, side)
    for group, sides in enumerate(_GROUPS)
    for side, words in enumerate(sides)
    for word in words.split()
}
_LATIN: Final = re.compile("[a-z]+")


def sides_of(folded: str, words: Iterable[str]) -> Sides:
    """(group, side) of each such word in a folded text and among its Chinese ``words``."""
    return frozenset(_SIDES[word] for word in {*_LATIN.findall(folded), *words} & _SIDES.keys())


def opposed(a: Sides, b: Sides, groups_from: int = 0) -> bool:
    """Whether there is a group of which each has a side, and no side in common. ``groups_from`` 1: not the persons."""
    for group in {one[0] for one in a} & {one[0] for one in b}:
        if group >= groups_from and not {one for one in a if one[0] == group} & {one for one in b if one[0] == group}:
            return True
    return False
