"""Who or what a sentence is about, which of its attributes it tells, and the value: for attributes with one value.

Lives in, works at, phone, price, port, owner, favourite, schedule …: what can have only one value at a time, so that a
newer telling replaces an older one. Must not find an attribute where many values can stand side by side.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.ingest.judge_units import listed
from engine.ingest.judge_words import Token

# What kind of value makes a sentence a statement of the attribute: "my boss is nice" does not say who it is.
_FIGURE: Final = listed(
    "price rent max min limit size timeout interval salary budget port version phone extension age height weight "
    "plate deadline schedule headcount birthday size_of_shoe blood dose goal ttl grade"
)
_NAME: Final = listed("role boss owner doctor familydoctor teacher provider employer name email url insurance gym")
_PEOPLE: Final = listed("boss owner doctor familydoctor teacher role")
# A figure beside one of these inside a sentence is its value: "the server listens on port 8000".
_INSIDE: Final = listed("port extension timeout limit max min ttl interval dose version")
_FREQUENCY: Final = listed("everyday everyweek everymonth everyyear daily weekly monthly yearly nightly morning")
# Between subject and predicate, and part of neither.
_ADVERBS: Final = _FREQUENCY | {"often", "sometimes", "rarely", "never", "only", "before", "after", "later"}
_PRONOUNS: Final = frozenset({"i", "we", "you", "they", "he", "she"})
_TIMES: Final = frozenset({"schedule", "deadline", "birthday"})
_PARTICIPLE: Final = re.compile(
    r"(?:[a-z]{2}ed|^(?:shown|set|made|kept|held|written|given|taken|known|found|built|run|hidden|sent))$"
)
_NO_PLACES: Final = listed(
    "一个 一间 一套 一栋 公寓 房子 宿舍 楼上 楼下 楼 别墅 附近 对面 隔壁 旁边 小区 同一 一起 with by alone "
    "near next flat"
)
_NO_EMPLOYERS: Final = listed("家 家里 远程 外面 外地 晚上 白天 线上")
_MOVES: Final = frozenset(("搬到", "搬去", "搬进", "搬至", "迁到", "搬回", "moved to", "relocated", "relocated to"))
_JOBS: Final = frozenset(("跳槽到", "入职", "入职了", "joined", "started at", "started working", "hired by"))
_WHERE: Final = listed("in on at under behind inside near next 在")
_AMOUNTS: Final = listed("price rent salary budget")
# "the model it uses" is the model; but "work phone" is another phone.
_EMPTY_VERBS: Final = listed(
    "v.use v.buy v.drive v.keep v.pay v.earn v.cost v.live v.eat v.drink v.wear v.read v.see v.play v.manage v.run "
    "v.like v.prefer v.need"
)
_RANKS: Final = frozenset({"promoted to", "升为", "升任", "晋升为", "晋升", "提拔为", "提为"})
_BEGINS: Final = frozenset({"v.begin", "v.place", "v.meet"})
_REACHED: Final = frozenset({"turned", "turns", "turning"})
_DOES: Final = frozenset(("做", "当", "担任", "任"))
_SCHOOLS: Final = frozenset(("转学到", "升入", "考上", "transferred to", "changed schools"))
_LED_BY: Final = frozenset("由归")
SLOT_VERBS: Final = frozenset(
    {
        "v.live",
        "v.work",
        "v.earn",
        "v.cost",
        "v.weigh",
        "v.sleep",
        "v.wake",
        "v.school",
        "v.expire",
        "v.attend_school",
        "v.job",
    }
)
_FIGURE_VERBS: Final = frozenset({"v.earn", "v.cost", "v.weigh", "v.sleep", "v.wake", "v.expire"})
_MEASURES: Final = ("year", "cm", "g")
_THIRD: Final = frozenset({"he", "she", "they", "it", "him", "her", "them", "他", "她", "它", "他们", "她们"})
_LONGEST_VALUE: Final = 12.0


@dataclass(frozen=True, slots=True)
class Statement:
    """One clause: ``topic`` before its anchor (weighed tokens), ``value`` after. ``anchor`` "" where there is none."""

    topic: tuple[Token, ...]
    anchor: str
    value: tuple[Token, ...]
    clause: int
    third: bool
    past: bool

    @property
    def about(self) -> frozenset[str]:
        """The forms of the topic's words."""
        return frozenset(token.key for token in self.topic)


@dataclass(frozen=True, slots=True)
class Slot:
    """An attribute with one value: ``identity`` says whose and which, ``value`` its words' forms."""

    identity: tuple[str, frozenset[str]]
    value: frozenset[str]
    clause: int
    dated: bool
    figure: bool = False
    shared: bool = False  # others may have it beside: who looks after a thing


def statement(clause: Sequence[Token], before: Statement | None = None) -> Statement:
    """The parts of one clause; a clause without a subject goes on about that of ``before``."""
    position = _anchor(clause)
    topic = tuple(
        t for t in clause[:position] if t.weight > 0 and not t.key.startswith("relative") and t.key not in _ADVERBS
    )
    rest = clause[position:]
    third = not topic and any(t.surface in _THIRD for t in clause[:position])
    if rest and rest[0].key[0] == "=":  # "has moved to": the change is what is told
        rest = next((rest[i:] for i in range(1, min(4, len(rest))) if rest[i].key == ">change" and not any(
            t.weight for t in rest[1:i])), rest)  # fmt: skip
    anchor = rest[0] if rest else None
    if not topic and before is not None and (third or not any(t.key[0] == "~" for t in clause[:position])):
        topic, third = before.topic, before.third
    is_mark = anchor is not None and anchor.weight == 0
    return Statement(
        topic=topic,
        anchor=anchor.key if anchor is not None else "",
        value=tuple(t for t in (rest[1:] if is_mark else rest) if t.weight > 0),
        clause=clause[0].clause if clause else 0,
        third=third,
        past=anchor is not None and anchor.surface in ("was", "were", "had"),
    )


def _anchor(clause: Sequence[Token]) -> int:
    """Where the predicate begins: a copula, a change, a state, a verb or a figure after the first word."""
    first = next((i for i, t in enumerate(clause) if t.key[0] in "=>" and i > 0), None)
    if first is not None and any(t.key[0] in "&*" for t in clause[:first]):
        return first
    for position, token in enumerate(clause):
        if (
            (token.key[0] in "=>%^?" or (token.key == "!" and position))
            or token.key.startswith(("v.", "<"))
            or (token.kind == "figure" and position > 0)
        ):
            if token.key[0] == "^" and position + 1 < len(clause):
                continue
            if not position and token.key[0] in "^?":
                continue
            if token.key.startswith("relative") and any(
                t.key[0] in "=>" or t.key[:2] == "v." for t in clause[position:]
            ):
                continue
            return position
    return first if first is not None else _verb(clause)


def _verb(clause: Sequence[Token]) -> int:
    """Where an English verb that the lexicon does not know must be: after a pronoun, or the first -s or -ed."""
    if len(clause) > 1 and clause[0].surface in _PRONOUNS:
        return 1
    weighed = 0
    for position, token in enumerate(clause):
        if weighed and token.surface.isascii() and token.surface.endswith(("s", "ed")) and token.surface != "'s":
            return position
        weighed += token.weight > 0
    return len(clause)


def statements(clauses: Sequence[Sequence[Token]]) -> tuple[Statement, ...]:
    """The statements of a text, clause by clause."""
    found: list[Statement] = []
    for clause in clauses:
        found.append(statement(clause, found[-1] if found else None))
    return tuple(found)


def slots(told: Sequence[Statement], clauses: Sequence[Sequence[Token]], names: frozenset[str]) -> tuple[Slot, ...]:
    """The attributes with one value that a text tells."""
    found: list[Slot] = []
    for one, clause in zip(told, clauses, strict=True):
        if one.past:
            continue
        slot = (
            _by_owner(one, clause, names)
            or _by_noun(one, clause, told, names)
            or _by_verb(one, clause, names)
            or _by_measure(one, clause)
            or _by_figure(one, clause)
        )
        if slot is not None:
            found.append(slot)
    return tuple(found)


def attribute(key: str) -> str:
    """The name of an attribute's class: "price" for "*price.fee"; "" for any other word."""
    return key[1:].partition(".")[0] if key[:1] in ("&", "*") else ""


def _by_noun(one: Statement, clause: Sequence[Token], told: Sequence[Statement], names: frozenset[str]) -> Slot | None:
    attributes = [attribute(t.key) for t in one.topic if attribute(t.key)]
    value = one.value
    if one.anchor and not value and one.clause + 1 < len(told):  # "密码改了，新的是 7719"
        following = told[one.clause + 1] if told[one.clause].clause == one.clause else None
        value = following.value if following is not None and following.anchor else ()
    if attributes and attributes[-1] == "schedule" and len(value) > 1 and value[0].key in _BEGINS:
        value = value[1:]
    if not attributes or not one.anchor or not value or one.anchor in ("=has", "=can"):
        return None
    name = attributes[-1]
    if one.anchor[0] not in "=>" and (value[0].kind != "figure" or name not in _FIGURE):
        return None
    figure = any(t.kind == "figure" for t in value)
    dated = any(t.kind == "figure" and (not t.key[:1].isdigit() or "-" in t.key or ":" in t.key) for t in value)
    if not _fits(name, value, names, figure, dated) or any(t.key == "?report" for t in clause):
        return None
    if one.anchor[0] not in "=>" and len(value) > 1 and name != "schedule":  # "version 2.4 breaks the login"
        return None
    # A name and a description do not answer the same question: "the model is trained here", "the model is Qwen".
    shape = "named" if value[0].surface.isascii() and _named(value, names) else ""
    kind = f"noun.{shape}" if name not in _NAME and name != "favorite" else "noun"
    if name not in _FIGURE and name != "location" and one.value and _is_somewhere(one, clause):
        kind += ".at"
    return Slot((kind, _whose(one, verbs=False)), frozenset(t.key for t in value), one.clause, dated, name in _FIGURE)


def _is_somewhere(one: Statement, clause: Sequence[Token]) -> bool:
    """ "is in the hall", "在走廊": where a thing is, not what it is."""
    first = next((i for i, t in enumerate(clause) if t is one.value[0]), 0)
    return one.anchor == "=at" or any(t.surface in _WHERE for t in clause[max(0, first - 2) : first])


def _fits(name: str, value: Sequence[Token], names: frozenset[str], figure: bool, dated: bool) -> bool:
    """Whether ``value`` can be a value of the attribute: somebody for an owner, a figure for a price, no deed."""
    if name in _FIGURE:
        return figure and (dated or name not in _TIMES) and not (dated and name in _AMOUNTS)
    if name in _PEOPLE and not _named(value, names):
        return False
    if name in ("email", "url") and not any("." in t.key or t.key.endswith("code") for t in value):
        return False
    deeds = [t for t in value if t.key.startswith("v.") or (t.surface.isascii() and _PARTICIPLE.search(t.surface))]
    return not deeds and sum(t.weight for t in value) <= _LONGEST_VALUE


def _named(value: Sequence[Token], names: frozenset[str]) -> bool:
    return any(t.surface in names or t.surface.split("-")[0] in names for t in value)


def _whose(one: Statement, verbs: bool) -> frozenset[str]:
    """Whose attribute a statement tells: its topic without how often and without verbs ("用的模型" is the model)."""
    keys = {t.key for t in one.topic if t.key not in _FREQUENCY and (verbs or t.key not in _EMPTY_VERBS)}
    return frozenset(keys | ({"~third"} if one.third else set()))


def _by_owner(one: Statement, clause: Sequence[Token], names: frozenset[str]) -> Slot | None:
    """Who looks after what: "the parser is owned by Ann", "Ann owns the parser", "解析器由小安负责"."""
    at = next((i for i in range(len(clause) - 1, -1, -1) if clause[i].key in ("v.manage", "v.own")), None)
    if at is None or clause[at].denied:
        return None
    led = next((i for i, t in enumerate(clause) if t.surface in _LED_BY and i), None)
    by = clause[at].surface.endswith(" by") or (at + 1 < len(clause) and clause[at + 1].surface == "by")
    before, after = clause[:at], clause[at + 1 :]
    if led is not None and led < at:
        thing, person = clause[:led], clause[led + 1 : at]
    elif led is not None:
        thing, person = clause[:led], after
    else:
        thing, person = (before, after) if by else (after, before)
    keys, who = ([t for t in part if t.weight > 0] for part in (thing, person))
    if not keys or not who or not (led is not None or _named(who, names) or who[0].surface.title() in names):
        return None
    if not by and led is None and clause[at].key == "v.own":
        return None if not any(t.key == "^now" for t in clause) else Slot(
            ("owner", frozenset(t.key for t in keys)), frozenset(t.key for t in who), one.clause, False, shared=True
        )  # fmt: skip
    whose = frozenset(t.key for t in keys)
    return Slot(("owner", whose), frozenset(t.key for t in who), one.clause, False, shared=not by and led is None)


def _by_figure(one: Statement, clause: Sequence[Token]) -> Slot | None:
    """The figure of an attribute that is told in passing: "listens on port 8000"."""
    for position, token in enumerate(clause[:-1]):
        after = clause[position + 1]
        if attribute(token.key) in _INSIDE and after.kind == "figure" and position + 2 >= len(clause):
            whose = frozenset(t.key for t in clause if t.weight > 0 and t is not after)
            return Slot(("inside", whose), frozenset({after.key}), one.clause, False, True)
    return None


def _by_verb(one: Statement, clause: Sequence[Token], names: frozenset[str]) -> Slot | None:
    if one.anchor == ">change" and any(t.surface in _MOVES for t in clause) and _place(one.value, clause, names):
        return Slot(("v.live", _whose(one, verbs=True)), frozenset(t.key for t in one.value), one.clause, False)
    for kind, words in (("v.work", _JOBS), ("v.attend_school", _SCHOOLS)):
        if any(t.surface in words for t in clause) and one.value and one.anchor[0] == ">":
            value = frozenset(t.key for t in one.value if t.key[0] != "%")
            return Slot((kind, _whose(one, verbs=False)), value, one.clause, False)
    if one.anchor == ">change" and any(t.surface in _RANKS for t in clause) and one.value:
        whose = _whose(one, verbs=False) | {"&job"}
        return Slot(("noun.", whose), frozenset(t.key for t in one.value), one.clause, False)
    position = next((i for i, t in enumerate(clause) if t.key in SLOT_VERBS or (t.surface in _DOES and i)), None)
    if position is None or not one.anchor or (one.anchor[0] not in "=>^~0123456789" and one.anchor not in SLOT_VERBS):
        return None
    verb = clause[position]
    if one.anchor[0].isdigit() and verb.key not in ("v.sleep", "v.wake"):
        return None
    kind, after = verb.key, clause[position + 1].surface if position + 1 < len(clause) else ""
    told = [t for t in one.value if t.key != verb.key]
    if kind in ("v.job", "v.attend_school") or verb.surface in _DOES:  # "在字节做后端": the place comes first
        at = next((i for i, t in enumerate(clause[:position]) if t.key == "=at"), None)
        if at is None:
            return None
        told = [t for t in clause[at + 1 : position] if t.weight > 0]
        kind = kind if kind == "v.attend_school" else "v.work"
        if not told or verb.denied or not {t.surface for t in told}.isdisjoint(_NO_EMPLOYERS):
            return None
        return Slot((kind, _whose(one, verbs=False)), frozenset(t.key for t in told), one.clause, False)
    if not told or verb.denied or (kind in _FIGURE_VERBS and not any(t.kind == "figure" for t in told)):
        return None
    if kind in ("v.live", "v.school") and not _place(told, clause, names):
        return None
    if kind == "v.work":
        latin = verb.surface.isascii()
        preposition = verb.surface.split()[-1] if " " in verb.surface else after
        if (latin and preposition not in ("at", "for", "as")) or (
            not latin and (one.anchor != "=at" or not {t.surface for t in told}.isdisjoint(_NO_EMPLOYERS))
        ):
            return None
        kind = "v.work.as" if preposition == "as" else "v.work"
    timed = kind in ("v.sleep", "v.wake", "v.expire")
    value = frozenset(t.key for t in told)
    return Slot((kind, _whose(one, verbs=True)), value, one.clause, timed, kind in _FIGURE_VERBS)


def _place(value: Sequence[Token], clause: Sequence[Token], names: frozenset[str]) -> bool:
    """Whether ``value`` names a place: "住在厦门", not "住在一个小公寓里" or "lives alone"."""
    if not value or any(attribute(t.key) for t in value) or any(t.surface in _NO_PLACES for t in clause):
        return False
    if value[0].surface.isascii() and value[0].kind != "figure":
        return _named(value, names)
    return any(t.surface in _MOVES or t.surface.endswith("在") for t in clause)


def _by_measure(one: Statement, clause: Sequence[Token]) -> Slot | None:
    """ "外甥女今年五岁", "Finn is 128 cm tall": nothing but a measure after the subject."""
    figure = [t for t in one.value if t.kind == "figure"]
    if len(figure) == 1 == len(one.value) and any(t.surface in _REACHED for t in clause):
        return Slot(("measure.year", one.about), frozenset({figure[0].key}), one.clause, False)
    others = [t for t in one.value if t.kind != "figure" and not attribute(t.key)]
    unit = next((u for u in _MEASURES if figure and figure[-1].key.endswith(u)), None)
    if unit is None or others or one.third or (one.anchor[:1] not in ("=", ">") and not one.anchor[:1].isdigit()
                                                  and not one.anchor.startswith("relative")):  # fmt: skip
        return None
    return Slot((f"measure.{unit}", one.about), frozenset(t.key for t in one.value), one.clause, False)
