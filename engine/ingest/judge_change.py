"""Whether a new text ends or changes what an old one tells: "now", "moved to", "sold the", "from X to Y".

Must not take what merely happens to the same thing for a change of it. When in doubt: no change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from engine.ingest import guard
from engine.ingest.judge_features import Features, is_name, missing
from engine.ingest.judge_order import HOW_OFTEN
from engine.ingest.judge_units import listed
from engine.ingest.judge_words import Token
from engine.ingest.slots import SLOT_VERBS, Statement, attribute

# Many of these can be so at once.
_MANY: Final = listed(
    "v.like v.speak v.visit v.buy allergic v.play v.learn v.read v.see v.meet v.support v.wear v.own v.raise v.eat "
    "v.drink v.plant v.suffer v.write v.teach v.know v.help v.fear v.sell v.give v.lend v.borrow v.draw v.sing "
    "v.cook v.attend v.contain v.allow v.need"
)
# What was done, not what is so.
DEEDS: Final = listed(
    "v.buy v.sell v.lend v.borrow v.give v.send v.visit v.see v.find v.pay v.ask v.inform v.owe v.bring v.fix"
)
_WHERE: Final = listed("in on at under behind inside next near beside above below outside")
_ARTICLES: Final = listed("a an the my our mr mrs ms dr 的 个 一")
_FROM: Final = frozenset(
    {"from", "从", "由", "instead of", "instead", "replaced", "not", "不再是", "moved from", "switched from"}
)
_SWITCHED: Final = frozenset(
    {"switched to", "switched", "changed to", "migrated to", "换成", "换成了", "改用", "换用", "切换到"}
)
_MOVED: Final = listed("搬到 搬到了 搬去 搬去了 搬进 搬进了 搬至 迁到 迁至 挪到 挪到了") | {"moved to", "relocated to"}
_LIGHT: Final = frozenset({"v.use", "v.keep", "v.drive"})


def changes(
    a: Features, b: Features, rest_a: Sequence[Token], rest_b: Sequence[Token], lasting: bool = False
) -> str | None:
    """An explicit change of the same standing thing. ``lasting``: the old one is kept as a fact or state."""
    if a.reporters != b.reporters or (not rest_b and "cancel" not in b.flags and not b.evidence.denied):
        return None
    if {"plan", "future"} & a.flags and "cancel" not in b.flags:
        return None
    new_flags = b.flags if lasting and _moved_again(a, b) else b.flags - a.flags
    if not new_flags & {"change", "cancel"} or not topics_agree_loosely(a, b):
        return None
    if any(t.key in _MANY and t.key not in b.evidence.words for t in a.tokens):
        return None
    kinds = [{t.kind for t in rest} for rest in (rest_a, rest_b)]
    if "figure" in kinds[0] - kinds[1] and "cancel" not in b.flags and _then(a, rest_a):
        return None  # what was told of then, or of so much
    extra = set(map(id, rest_b))
    telling = {t.key for t in a.tokens if t.weight > 0 and t.key[0] != "@" and not is_name(t, a)}
    for one, clause in zip(b.statements, b.clauses, strict=True):
        if not any(t.key in (">change", ">cancel") for t in clause):
            continue
        if any(t.denied for t in clause) and any(id(t) in extra for t in clause):
            continue  # what is no longer so was not told before
        shared = [t for t in clause if t.weight > 0 and id(t) not in extra and missing(t, a) == 0]
        if all(t.key.startswith("v.") for t in shared) and not _one_name_each(a, b, rest_a, rest_b):
            continue
        keys = {t.key for t in shared}
        if _compound(clause, keys, extra, b) or any(_compound(c, keys, set(map(id, rest_a)), a) for c in a.clauses):
            continue
        if "cancel" not in b.flags and not _open_topic(a, shared, clause):
            continue
        if not any(t.key in telling or (t.kind == "han" and not is_name(t, b)) for t in shared):
            continue
        if any(id(t) in extra for t in one.topic) and ("cancel" not in b.flags or len(shared) < 2):
            continue
        held = a.weight - sum(t.weight for t in rest_a)
        light = sum(t.weight for t in rest_a if t.key in _LIGHT)
        whole = a.statements[0].anchor in ("=", "=at") and bool(a.statements[0].topic)  # what it is about is in both
        return "changed" if whole or 2.5 * held >= a.weight - light else None
    return None


def _moved_again(a: Features, b: Features) -> bool:
    """ "The desk moved to the second floor", "the desk moved to the first floor": where it is, each time."""
    topics = [{t.key for t in f.statements[0].topic} for f in (a, b)]
    moved = [any(t.key == ">change" and t.surface in _MOVED for t in f.clauses[0]) for f in (a, b)]
    return all(moved) and bool(topics[0]) and topics[0] == topics[1] and len(a.clauses) == len(b.clauses) == 1


def _then(a: Features, rest_a: Sequence[Token]) -> bool:
    """Whether what is lost is a day, or a measure that was the point."""
    return any(t.key.startswith("weekday") or t.key == a.statements[0].anchor for t in rest_a if t.kind == "figure")


def _open_topic(a: Features, shared: Sequence[Token], clause: Sequence[Token]) -> bool:
    """Whether more than the subject of ``a`` is told again, or ``a`` tells of its subject what one can change."""
    one = a.statements[0]
    if one.anchor[:1] in ("=", ">", "^", "") or one.anchor[:1].isdigit() or one.anchor.startswith(("weekday", "part")):
        return True
    if one.anchor == "v.use" and any(t.surface in _SWITCHED for t in clause):
        return True
    return any(attribute(t.key) for t in one.topic) or any(t.key not in one.about for t in shared)


def _compound(clause: Sequence[Token], keys: set[str], extra: set[int], f: Features) -> bool:
    """Whether what is shared is only the first word of a thing: "gym" and "gym membership" are two."""
    at = max((i for i, t in enumerate(clause) if t.key in keys and t.weight > 0), default=-1)
    after = clause[at + 1] if 0 <= at < len(clause) - 1 else None
    if after is None or id(after) not in extra or after.kind not in ("word", "han") or is_name(after, f):
        return False
    return after.surface.isascii() == clause[at].surface.isascii() and not after.key.startswith(("v.", "<", "%"))


def _one_name_each(a: Features, b: Features, rest_a: Sequence[Token], rest_b: Sequence[Token]) -> bool:
    """ "We host on AWS", "we moved our hosting to Hetzner"."""
    return (
        0 < len(rest_a) < 3 and 0 < len(rest_b) < 3 and all(is_name(t, a) for t in rest_a)
        and all(is_name(t, b) for t in rest_b)
    )  # fmt: skip


def topics_agree_loosely(a: Features, b: Features) -> bool:
    return all(
        missing(t, b) == 0
        for t in a.statements[0].topic
        if not t.key.startswith("v.") and t.kind != "figure" and t.key not in HOW_OFTEN
    )


def is_other_now(a: Features, b: Features) -> str | None:
    """The same predicate of the same subject, with another value, said to be so now or to have changed."""
    if a.flags & {"now", "change", "done", "plan"} or any(guard.dates_apart(a.evidence.dates, b.evidence.dates)):
        return None
    for one, clause in zip((_by_office(s, a) for s in a.statements), a.clauses, strict=True):
        for two, other in zip((_by_office(s, b) for s in b.statements), b.clauses, strict=True):
            marked = any(t.key in ("^now", ">change") for t in other)
            if not one.topic and any(missing(t, a) for c in b.clauses if c is not other for t in c if t.weight > 0):
                continue
            turned = one not in a.statements or two not in b.statements
            if turned and (one.anchor, two.anchor) != ("=", "="):
                continue
            if marked and _same_predicate(one, two) and _same_kind(one, clause, two, other, a, b):
                return "now"
    return None


def _by_office(one: Statement, f: Features) -> Statement:
    """ "Hugo is our goalkeeper" as "our goalkeeper is Hugo"."""
    if one.anchor != "=" or not one.topic or not one.value or not all(is_name(t, f) for t in one.topic):
        return one
    if any(is_name(t, f) or t.kind == "figure" or t.key[0] in "%<" for t in one.value):
        return one
    return replace(one, topic=one.value, value=one.topic)


def _same_predicate(one: Statement, two: Statement) -> bool:
    """Whether both tell one thing of one subject, and not what can be so many times over."""
    verbs = [{t.key for t in (*s.topic, *s.value) if t.key.startswith("v.")} for s in (one, two)]
    about = [{key for key in s.about if not key.startswith("v.")} for s in (one, two)]
    if verbs[0] != verbs[1] or about[0] != about[1] or verbs[0] & _MANY or one.past or one.third != two.third:
        return False
    if "=has" in (one.anchor, two.anchor) or not (about[0] or verbs[0]):
        return False
    return one.anchor == two.anchor or two.anchor in (">change", "^now") or bool(verbs[0])


def _same_kind(
    one: Statement, clause: Sequence[Token], two: Statement, other: Sequence[Token], a: Features, b: Features
) -> bool:
    """Whether the two values answer the same question: both names, both figures, both places."""
    old = [t for t in one.value if not t.key.startswith("v.")]
    new = [t for t in two.value if not t.key.startswith("v.")]
    if not old or not new or {t.key for t in old} & {t.key for t in new if t.kind == "figure"} or len(new) > 4:
        return False
    if {t.key for t in old} <= {t.key for t in new} or any(t.denied or t.key[0] in "%<" for t in (*old, *new)):
        return False
    if "figure" in (old[0].kind, new[0].kind):
        return old[0].kind == new[0].kind and old[0].key.lstrip("0123456789.") == new[0].key.lstrip("0123456789.")
    if _is_place(clause) and _is_place(other):
        return True
    named = [is_name(values[0], f) or any(is_name(t, f) for t in values[1:2]) for values, f in ((old, a), (new, b))]
    if all(named) and old[0].key in {t.key for t in new}:
        return False
    if all(named) and not (_one_run(clause, old, new) and _one_run(other, new, old)):
        return False
    if all(named):
        return any(not is_name(t, a) for t in one.topic) or bool(
            {t.key for t in one.value} & SLOT_VERBS | {"v.use", "v.drive"} & {t.key for t in one.value}
        )  # fmt: skip
    return not any(named) and any(attribute(t.key) for t in one.topic)


def _one_run(clause: Sequence[Token], mine: Sequence[Token], others: Sequence[Token]) -> bool:
    """Whether only one stretch of words was put for another: "Vim for Python", "VS Code for Java" are two."""
    known = {t.key for t in others}
    places = [i for i, t in enumerate(clause) if any(t is m for m in mine) and t.key not in known]
    return all(t.weight > 0 or t.surface in _ARTICLES for t in clause[places[0] : places[-1] + 1]) if places else True


def _is_place(clause: Sequence[Token]) -> bool:
    """ "is in the shed", "放在车库"."""
    return any(
        t.key == "=at"
        or (t.surface in _WHERE and at and clause[at - 1].key in ("=", "^now", "v.keep", "v.live", ">change"))
        for at, t in enumerate(clause)
    )


def ends(a: Features, b: Features, rest_a: Sequence[Token]) -> str | None:
    """What was so is said to be over: "sold the Volvo", "quit the post office", "戒烟了"."""
    if (
        not ("leave" in b.flags - a.flags or "now" in b.flags - a.flags)
        or a.flags & {"change", "done", "plan"}
        or DEEDS & a.evidence.words
    ):
        return None
    people = [{t.key for t in f.tokens if t.key[0] == "@"} for f in (a, b)]
    if people[0] - people[1]:
        return None
    if not topics_agree_loosely(a, b):
        return "over" if _parted_with(a, b) or _followed(a, b) else None
    telling = [t for t in a.tokens if t.weight > 0]
    held = [t for t in telling if missing(t, b) == 0]
    often = sum(t.kind == "figure" or t.key in HOW_OFTEN for t in telling)
    if len(a.clauses) > 2 or (2 * len(held) < len(telling) - often and not any(_smoking(a, c) for c in b.clauses)):
        return None
    for clause in b.clauses:
        at = next(
            (i for i, t in enumerate(clause)
             if t.key[0] == "<" or (t.key in ("%progress.done", "v.finish") and "now" in b.flags)), None
        )  # fmt: skip
        if at is None or any(t.denied for t in clause):
            continue
        thing = _what_ended(clause, at)
        if (
            any(t.weight > 0 and t.kind != "figure" and missing(t, a) for t in clause[:at])
            or a.reporters != b.reporters
        ):
            continue  # somebody else's
        about = a.statements[0].about
        if any(
            missing(t, a) == 0 and t.key not in about and t.kind != "figure" and t.key[0] != "@" for t in thing
        ) or _smoking(a, clause):
            return "over"
        named = [t for t in (*clause[:at], *thing) if t.weight > 0 and missing(t, a) == 0]
        if named and "now" in b.flags and len(held) > 1:
            return "over"
    return None


def _what_ended(clause: Sequence[Token], at: int) -> list[Token]:
    """What is sold or left: after the verb in English, before or after it in Chinese."""
    end = next(
        (i for i in range(at + 1, len(clause)) if clause[i].key == "^now" or clause[i].surface in ("and", "but")),
        len(clause),
    )
    after = [t for t in clause[at + 1 : end] if t.weight > 0]
    return after if clause[at].surface.isascii() else [*(t for t in clause[:at] if t.weight > 0), *after]


def _parted_with(a: Features, b: Features) -> bool:
    """ "My car is a Skoda Fabia", "I sold the Skoda": the thing is named, though not what it is."""
    one = a.statements[0]
    if one.anchor != "=" or len(a.clauses) > 1 or not all(attribute(t.key) or t.key == "car" for t in one.topic):
        return False
    values = {t.key for t in one.value if t.kind != "figure" and not t.key.startswith("v.")}
    for clause in b.clauses:
        at = next((i for i, t in enumerate(clause) if t.key[0] == "<" and not t.denied), None)
        if at is not None and any(t.key in values for t in (*clause[:at], *_what_ended(clause, at))):
            return True
    return False


def _followed(a: Features, b: Features) -> bool:
    """ "Our CEO is Frank", "Frank stepped down; the CEO is Hanne now"."""
    offices = [{key for key in slot.identity[1] if attribute(key)} for slot in a.slots]
    return any(
        one and one <= other.identity[1] and any(t.key in slot.value for c in b.clauses if any(
            t.key[0] == "<" for t in c) for t in c)
        for slot, one in zip(a.slots, offices, strict=True) for other in b.slots
    )  # fmt: skip


def _smoking(a: Features, clause: Sequence[Token]) -> bool:
    keys = {t.key for t in clause}
    return ("<quitsmoking" in keys and bool({"v.smoke", "smoke_n"} & a.evidence.words)) or (
        "<quitdrinking" in keys and "alcohol" in a.evidence.words
    )


def names_old_value(a: Features, b: Features, rest_a: Sequence[Token], rest_b: Sequence[Token]) -> str | None:
    """The old value is named as such: "from 3 May to 5 May", "Jana instead of Dr Novak", "不再是"."""
    if (
        not b.flags & {"change", "now"}
        or "change" in a.flags
        or sum(t.weight for t in rest_a) > 2
        or _MANY & a.evidence.words
    ):
        return None
    if "plan" in a.flags | b.flags or sum(t.weight > 0 for t in rest_b) > 4:
        return None
    for clause in b.clauses:
        for at, token in enumerate(clause):
            if token.surface not in _FROM or at + 1 == len(clause):
                continue
            old = next((t for t in clause[at + 1 :] if t.weight > 0), None)
            if old is not None and missing(old, a) == 0 and (old.kind == "figure" or is_name(old, b)):
                return "changed"
    return None
