"""A seeded synthetic life, zh and en mixed, of any length: for scale and speed, never for judging quality.

Sentences are put together from the lists below with realistic lengths and repetition (a few people, places and
subjects return all the time, like in a life). The same seed gives the same texts on every machine.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

_PEOPLE = ("Anna", "Ben", "Chen Li", "Dora", "Emil", "Farah", "小林", "王芳", "老周", "阿杰", "妈妈", "李老师")
_PLACES_EN = ("the harbour", "Lyon", "the office", "the climbing hall", "grandma's house", "Kyoto", "the library")
_PLACES_ZH = ("公司", "图书馆", "外婆家", "青岛", "健身房", "学校门口", "西湖边")
_THINGS_EN = ("budget draft", "blue bicycle", "piano lesson", "sourdough starter", "visa form", "garden fence",
              "marathon plan", "router config", "birthday cake", "train ticket", "photo album", "novel outline")  # fmt: skip
_THINGS_ZH = ("预算草稿", "自行车", "钢琴课", "签证材料", "路由器配置", "生日蛋糕", "火车票", "相册", "小说大纲", "体检报告",
              "装修方案", "猫粮")  # fmt: skip
_EN = (
    "{p} told me about the {t} while we were at {w}, and we agreed to look at it again on day {n}.",
    "I moved the {t} to {w} because {p} needed it for item {n} of the list.",
    "{p} prefers the {t} over everything else and keeps {n} notes about it at {w}.",
    "Reminder: bring the {t} to {w}, {p} is waiting since {n} o'clock. It took longer than planned and nobody minded.",
    "We decided against the {t}; {p} will write to {w} about invoice {n}.",
)
_ZH = (
    "{p}在{w}跟我说了{t}的事，我们约好第{n}天再看一次。",
    "因为{p}要用，我把{t}拿到了{w}，清单上是第{n}项。",
    "{p}最喜欢{t}，在{w}记了{n}条笔记。",
    "提醒：把{t}带到{w}，{p}从{n}点就在等了，比计划的久一些，不过大家都不介意。",
    "我们决定不要{t}了，{p}会给{w}写信说明编号{n}的发票。",
)


def texts(count: int, seed: int = 7) -> Iterator[str]:
    """``count`` texts of 30–160 characters, about half in each language."""
    dice = random.Random(seed)
    for _ in range(count):
        yield _sentence(dice, dice.random() < 0.5, dice.randrange(1, 40_000))


_FACTS = (
    "{p} keeps key {n} in the {t}.",
    "The code of the {t} at {w} is {n}.",
    "{p} paid {n} euros for the {t}.",
    "{p}把{n}号钥匙放在{t}里。",
    "{w}的{t}编号是{n}。",
    "{p}买{t}花了{n}块。",
)


def facts(count: int, seed: int = 7) -> Iterator[str]:
    """``count`` texts of one short fact each, 10–70 characters, about half in each language."""
    dice = random.Random(seed)
    for _ in range(count):
        frame = dice.choice(_FACTS)
        chinese = frame.isascii() is False
        things, places = (_THINGS_ZH, _PLACES_ZH) if chinese else (_THINGS_EN, _PLACES_EN)
        person, number = dice.choice(_PEOPLE), dice.randrange(1, 1_000_000)
        yield frame.format(p=person, t=dice.choice(things), w=dice.choice(places), n=number)


def questions(count: int, seed: int = 11) -> list[str]:
    """``count`` distinct questions about such texts."""
    dice = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        person, number = dice.choice(_PEOPLE), dice.randrange(1, 40_000)
        if dice.random() < 0.5:
            found.setdefault(
                f"What did {person} do with the {dice.choice(_THINGS_EN)} at {dice.choice(_PLACES_EN)}, {number}?"
            )
        else:
            found.setdefault(f"{person}在{dice.choice(_PLACES_ZH)}的{dice.choice(_THINGS_ZH)}怎么样了，{number}？")
    return list(found)


def _sentence(dice: random.Random, chinese: bool, number: int) -> str:
    frame, things, places = (_ZH, _THINGS_ZH, _PLACES_ZH) if chinese else (_EN, _THINGS_EN, _PLACES_EN)
    return dice.choice(frame).format(p=dice.choice(_PEOPLE), t=dice.choice(things), w=dice.choice(places), n=number)
