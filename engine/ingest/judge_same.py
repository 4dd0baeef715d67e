"""Whether two texts tell the same: one holds every telling word of the other, and nothing speaks against it.

Must not accept two words for alike that the lexicon does not know as such.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from engine.ingest import guard
from engine.ingest.judge_features import Features, is_name
from engine.ingest.judge_order import out_of_order
from engine.ingest.judge_units import listed
from engine.ingest.judge_words import Token
from engine.ingest.slots import Statement

# A text that is meant otherwise is another telling, whatever its words.
_MOODS: Final = frozenset({"question", "hypo", "past", "plan", "need", "when", "change", "cancel", "leave"})
# Told by one side only, these turn what is told.
_TURNING: Final = listed(
    "only outside below above left right behind front before after later opposite beside between upstairs downstairs "
    "q.some q.most rarely sometimes never once twice back"
)
_PART: Final = frozenset({"q.some", "q.most"})
_FEW: Final = 3
_LISTS: Final = listed("and or 和 与 及 以及 跟 或")
# Words for one thing that are told by a verb or by a noun.
_KIN: Final = frozenset(
    {("car", "v.drive"), ("&birthday", "v.begin"), ("&address", "v.live"), ("&job", "v.work"), ("&salary", "v.earn"),
     ("&weight", "v.weigh"), ("v.cost", "*price.cost"), ("v.manage", "&owner"), ("v.sleep", "*schedule.bedtime"),
     ("v.learn", "student"), ("v.teach", "teacher"), ("v.teach", "*teacher.teacher"), ("v.smoke", "smoke_n"),
     ("v.phone", "phone"), ("v.meet", "meeting"), ("v.use", "v.run"), ("v.job", "v.work"),
     ("v.pay", "v.cost")}
)  # fmt: skip


def not_same(
    a: Features, b: Features, rest_a: Sequence[Token], rest_b: Sequence[Token], clash: guard.Slug | None, most: float
) -> str | None:
    """Why the two are not the same telling; None when they are.

    ``most``: what an addition may weigh at most, as a multiple of what is told already.
    """
    if clash is not None:
        return clash
    if _meant_otherwise(a, b):
        return "mood"
    if rest_a and rest_b:
        if not _akin(rest_a, rest_b):
            return "words"
        rest_a = rest_b = ()
    rest = [*rest_a, *rest_b]
    if any(t.key[0] == "%" for t in rest):
        return "state"
    smaller, larger = (a, b) if not rest_a else (b, a)
    if min(a.weight, b.weight) < 2:
        return "short"
    if sum(t.weight for t in rest) > most * smaller.weight:
        return "addition"
    if rest and "if" in a.flags ^ b.flags:
        return "mood"
    if rest and (a.flags ^ b.flags) & {"now", "done"}:
        return "changed"
    return _bad_addition(smaller, larger, rest) or ("order" if out_of_order(a, b) else None)


def _bad_addition(smaller: Features, larger: Features, rest: Sequence[Token]) -> str | None:
    """Why what only ``larger`` tells is more than an addition."""
    rest = [t for t in rest if not _is_light(t, smaller)]
    aside = _added_clause(rest, larger)
    told = sum(t.weight > 0 for t in smaller.tokens)
    if rest and (told < 2 or (told < _FEW and (not aside or any(t.kind == "figure" for t in rest)))):
        return "short"
    if _topic_grows(larger, rest) or (_persons(smaller) != _persons(larger) and not _wholly_added(rest, larger)):
        return "subject"
    topics = {id(t) for one in larger.statements[:1] for t in one.topic}
    named = [t for t in rest if is_name(t, larger)]
    if any(id(t) in topics for t in named) or (named and not _added_clause(named, larger)):
        return "name"
    if _longer_list(larger, rest):
        return "list"
    if any(t.kind == "figure" for t in rest) and not _added_clause([t for t in rest if t.kind == "figure"], larger):
        return "figure"
    return (
        "turn"
        if not aside
        and any(t.key in _TURNING and (t.surface.isascii() or t.surface[0] not in smaller.text) for t in rest)
        else None
    )


def _wholly_added(rest: Sequence[Token], larger: Features) -> bool:
    """Whether every person that ``rest`` brings stands in a clause that is new as a whole."""
    extra = set(map(id, rest))
    return all(
        all(id(t) in extra for t in clause if t.weight > 0)
        for clause in larger.clauses
        if any(id(t) in extra and t.key[0] == "@" for t in clause)
    )


def _longer_list(larger: Features, rest: Sequence[Token]) -> bool:
    """ "has two cats and a dog": one thing more of the kind, which is no remark on what is told."""
    extra = set(map(id, rest))
    for clause in larger.clauses:
        for at, token in enumerate(clause):
            before = [
                t for t in clause[max(0, at - 2) : at] if t.surface not in ("a", "an", "the") and t.surface[0] != "一"
            ]
            if id(token) in extra and before and before[-1].surface in _LISTS:
                following = [t for t in clause[at:] if t.weight > 0]
                return not any(t.key.startswith("v.") for t in following) and all(id(t) in extra for t in following)
    return False


def _is_light(token: Token, smaller: Features) -> bool:
    """A verb that says no more than the other text's "is" or "has": "works as a nurse", "eats oats for breakfast"."""
    if token.key == "v.job" or token.surface.endswith(" as"):
        return True
    forms = smaller.evidence.words
    if token.key == "v.play" and "v.learn" in forms:
        return True
    return ("=has" in forms and token.key in ("v.eat", "v.drink", "v.own")) or (
        "=at" in forms and token.key == "v.keep"
    )


def _meant_otherwise(a: Features, b: Features) -> bool:
    """Another mood, another speaker, another necessity, or other words of change."""
    moods = (a.flags ^ b.flags) & _MOODS
    if {"wish", "order"} <= a.flags | b.flags and all({"wish", "order"} & f.flags for f in (a, b)):
        moods -= {"need", "plan"}
    if moods or a.reporters != b.reporters:
        return True
    if ("may" in a.flags - b.flags and "must" in b.flags - a.flags) or (
        "may" in b.flags - a.flags and "must" in a.flags - b.flags
    ):
        return True
    amount_a, amount_b = ({t.key for t in f.tokens if t.key.startswith("q.")} for f in (a, b))
    if amount_a != amount_b and ((amount_a and amount_b) or (amount_a | amount_b) & _PART):
        return True
    changes_a, changes_b = ([t.surface for t in f.tokens if t.key[0] == ">"] for f in (a, b))
    return bool(changes_a and changes_b) and not all(
        any(_alike(x, y) for y in other) for one, other in ((changes_a, changes_b), (changes_b, changes_a)) for x in one
    )


def _alike(one: str, other: str) -> bool:
    """Whether two words of change may be the same: a common beginning, or a common character."""
    return one[:4] == other[:4] if one.isascii() else bool(set(one) & set(other) - set("了到成为"))


def _akin(rest_a: Sequence[Token], rest_b: Sequence[Token]) -> bool:
    """Whether what is left of each is one and the same thing, told by a verb here and by a noun there."""
    if len(rest_a) != 1 or len(rest_b) != 1 or rest_a[0].denied != rest_b[0].denied:
        return False
    one, two = rest_a[0], rest_b[0]
    running = [t for t in (one, two) if t.surface.startswith(("run", "runs"))]
    return bool({(one.key, two.key), (two.key, one.key)} & _KIN) or len(running) == 2


def _topic_grows(larger: Features, rest: Sequence[Token]) -> bool:
    """Whether a clause told by both is about something more special in one of them."""
    extra = set(map(id, rest))
    for one, clause in zip(larger.statements, larger.clauses, strict=True):
        telling = [t for t in clause if t.weight > 0]
        shared = [t for t in telling if id(t) not in extra]
        if all(any(t.key == o.key and t.clause != o.clause for o in larger.tokens) for t in shared):
            continue  # it goes on about what another clause tells
        grown = [t for t in _subject(one, clause) if id(t) in extra]
        if 2 * len(shared) >= len(telling) and grown and not _placed(clause, grown, len(shared)):
            return True
    return False


def _placed(clause: Sequence[Token], grown: Sequence[Token], shared: int) -> bool:
    """Whether the subject only grows by where it is: "the red bicycle in the yard"."""
    first = next(i for i, t in enumerate(clause) if t is grown[0])
    before = [t.surface for t in clause[max(0, first - 2) : first]]
    return shared >= _FEW and bool({"in", "on", "at"} & set(before)) and all(t.key[0] != "@" for t in grown)


def _subject(one: Statement, clause: Sequence[Token]) -> list[Token]:
    """The topic; of a clause without a predicate that is known, its first words: those joined by 的 ("妈妈的妈妈")."""
    if one.anchor:
        return [t for t in one.topic if t.clause == one.clause]
    for position, token in enumerate(clause):
        if token.weight > 0 and not (position + 1 < len(clause) and clause[position + 1].surface in ("的", "'s")):
            return [t for t in clause[: position + 1] if t.weight > 0]
    return []


def _added_clause(rest: Sequence[Token], larger: Features) -> bool:
    """Whether all of ``rest`` stands in clauses of its own."""
    extra = set(map(id, rest))
    for clause in larger.clauses:
        telling = [t for t in clause if t.weight > 0]
        mine = [t for t in telling if id(t) in extra]
        if mine and 2 * len(mine) < len(telling):
            return False
    return True


def _persons(a: Features) -> Counter[str]:
    """The people by relation that the text's subjects are made of."""
    found: Counter[str] = Counter()
    for one in a.statements:
        found |= Counter(t.key for t in one.topic if t.key[0] == "@")
    return found
