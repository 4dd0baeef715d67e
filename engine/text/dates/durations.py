"""How long something takes, which reads like a date and is none: "doubles in four hours", "四小时内能发到两倍大".

Only where the verb is one of a process that runs by itself or of work that is done: "the train leaves in four hours"
is a date. Must not resolve anything.
"""

from __future__ import annotations

import re
from typing import Final

_THIRD: Final = (
    "doubles|trebles|triples|quadruples|rises|proofs|proves|dries|cures|hardens|sets|bakes|cooks|boils|simmers|heals|"
    "melts|freezes|charges|recharges|grows|ferments|thaws|defrosts|cools|heats|warms|brews|steeps|sprouts|germinates|"
    "ripens|hatches|fills|drains|dissolves|decays|fades|boots|compiles|builds|loads|digests|matures|evaporates"
)
_DONE: Final = (
    "doubled|trebled|tripled|quadrupled|rose|proofed|dried|cured|hardened|baked|cooked|boiled|healed|melted|froze|"
    "charged|recharged|grew|fermented|thawed|defrosted|cooled|heated|warmed|brewed|sprouted|germinated|ripened|hatched|"
    "filled|drained|dissolved|faded|booted|compiled|built|loaded|finished|completed|drove|ran|walked|cycled|read|"
    "wrote|solved|learned|learnt|recovered|painted"
)
_BEFORE: Final = re.compile(
    rf"(?<![a-z])(?:{_THIRD}|{_DONE})(?: (?!(?:and|but|that|then|he|she|we|i|they|it's)\b)[a-z]+){{0,3}} $"
)
_AFTER: Final = re.compile(
    r"[,，]?(?:大概|大约|左右|基本|差不多)?(?:就|才)?(?:可以|能够?|会|可|便|即可?)?(?:自动|完全|自然|慢慢|自己)?"
    r"(?:翻[一两]?[倍番]|发酵|发[到好起]|膨胀|涨到|长到|[晾风烘晒阴吹]干|干透|变干|[煮烧]开|[煮炖烤蒸]熟|充满|[冷放]凉|"
    r"冷却|凝固|固化|硬化|融化|化开|溶解|结冰|愈合|消肿|退烧|见效|起效|发芽|孵化|代谢|挥发|降解)"
)


def behind_process(before: str) -> bool:
    """Whether the English words up to a place where "in four hours" stands tell of a process that takes so long."""
    return _BEFORE.search(before) is not None


def before_process(text: str, end: int) -> bool:
    """Whether what follows "四小时内" in Chinese tells of a process that takes so long."""
    return _AFTER.match(text, end) is not None
