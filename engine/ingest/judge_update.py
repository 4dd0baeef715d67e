"""Whether a new text replaces an old one: the same attribute with one value, a state, a denial, an explicit change.

Must not replace what can stand beside the new: likes, visits, purchases, events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.ingest import guard
from engine.ingest.judge_change import DEEDS, changes, ends, is_other_now, names_old_value, topics_agree_loosely
from engine.ingest.judge_features import Features, is_name, missing
from engine.ingest.judge_order import HOW_OFTEN
from engine.ingest.judge_units import listed
from engine.ingest.judge_words import NOTHING, Token
from engine.ingest.slots import SLOT_VERBS, Slot
from engine.types import Layer

_AGENTS: Final = frozenset({"doctor", "vet", "&dose", "*doctor.医生"})
_PARTNERS: Final = listed("@girlfriend @boyfriend @wife @husband @fiance @fiancee @partner @fiance(e)")
_MARKS: Final = frozenset({"change", "cancel", "now", "leave"})


def replaces(
    a: Features,
    b: Features,
    layer: Layer,
    dated: bool,
    rest_a: Sequence[Token],
    rest_b: Sequence[Token],
    clash: guard.Slug | None,
) -> str | None:
    """The rule by which ``b`` replaces ``a``; None when it does not.

    ``layer`` of the old side, ``dated``: it is known when it happened. A text is taken for an event by what it says:
    the layer "event" is also what a text gets that no rule places.
    """
    if {"question", "hypo"} & (a.flags | b.flags) or "past" in a.flags or "past" in b.flags:
        return None
    if b.reporters - a.evidence.words or (not rest_b and clash is None and not b.flags & {"change", "cancel"}):
        return None
    if _parted(a, b):
        return "state"
    if not _same_people(a, b):
        return _by_number(a, b, rest_a, rest_b, clash) if _people(a) == _people(b) else None
    marked = bool(b.flags & {"change", "cancel", "leave"})
    if layer == "decision" and not marked:
        return None
    if layer == "event" and dated and not marked:
        return None
    return (
        _by_slot(a, b, rest_a)
        or _by_state(a, b)
        or _by_denial(a, b, rest_a, rest_b, clash)
        or changes(a, b, rest_a, rest_b, layer in ("fact", "state"))
        or _by_number(a, b, rest_a, rest_b, clash)
        or is_other_now(a, b)
        or ends(a, b, rest_a)
        or names_old_value(a, b, rest_a, rest_b)
    )


def _same_people(a: Features, b: Features) -> bool:
    if not a.statements or not b.statements:
        return False
    one, two = ({t.key for t in f.statements[0].topic if t.key[0] == "@"} for f in (a, b))
    return one == two and a.statements[0].third == b.statements[0].third


def _people(f: Features) -> set[str]:
    return {t.key for t in f.tokens if t.key[0] == "@"}


def _by_slot(a: Features, b: Features, rest_a: Sequence[Token]) -> str | None:
    """The same attribute of the same thing has another value."""
    dates = guard.dates_apart(a.evidence.dates, b.evidence.dates)
    for slot in a.slots:
        for other in b.slots:
            if slot.identity != other.identity or slot.value <= other.value or other.value <= slot.value:
                continue
            if (all(dates) and not (slot.dated and other.dated)) or _besides(a, b, slot, other):
                continue
            if (slot.shared or other.shared) and not b.flags & _MARKS:
                continue
            if _other_unit(a, b) and slot.figure and other.figure:
                continue
            left = sum(t.weight for t in rest_a if t.key not in slot.value | slot.identity[1] | SLOT_VERBS)
            if 2 * left <= a.weight - sum(t.weight for t in a.tokens if t.key in slot.value):
                return "value"
    return None


def _other_unit(a: Features, b: Features) -> bool:
    """Only the unit differs: another way to measure, or a slip."""
    raw_a, raw_b = ({n.raw for n in f.evidence.numbers} for f in (a, b))
    return bool(raw_a) and raw_a == raw_b


def _besides(a: Features, b: Features, slot: Slot, other: Slot) -> bool:
    """Whether two figures are told of different things: "9:30 for the web team", "10:00 for the data team"."""
    figures = a.figures | b.figures
    if not slot.figure or not slot.value & figures or not other.value & figures:
        return False
    one, two = slot.value - figures, other.value - figures
    return bool(one - two) and bool(two - one)


def _by_state(a: Features, b: Features) -> str | None:
    """The same subject is in another of the states that exclude each other."""

    def states(f: Features) -> dict[str, str]:
        return {t.key.partition(".")[0]: t.key for t in f.tokens if t.key[0] == "%" and not t.denied}

    one, two = states(a), states(b)
    if all(guard.numbers_apart(a.evidence.numbers, b.evidence.numbers)) and len(a.clauses) == len(b.clauses) == 1:
        return None  # "ticket 88", "ticket 89"
    if not any(group in two and two[group] != state for group, state in one.items()) or "plan" in b.flags:
        return None
    return "state" if _topics_agree(a, b) else None


def _parted(a: Features, b: Features) -> bool:
    """ "Ivan's girlfriend is Mia", "Ivan and Mia broke up": all who were named are named again."""
    if not _PARTNERS & a.evidence.words or not {"%marital.apart", "%marital.divorced"} & b.evidence.words:
        return False
    others = [t for t in a.tokens if t.weight > 0 and t.key not in _PARTNERS]
    return len(others) > 0 and all(missing(t, b) == 0 for t in others)


def _topics_agree(a: Features, b: Features) -> bool:
    """What each first statement is about is told by the other too."""
    return all(missing(t, b) == 0 for t in a.statements[0].topic) and all(
        missing(t, a) == 0 for t in b.statements[0].topic
    )


def _by_denial(
    a: Features, b: Features, rest_a: Sequence[Token], rest_b: Sequence[Token], clash: guard.Slug | None
) -> str | None:
    """What was so is no longer so, or the other way round."""
    if clash != "negation" or (guard.unmatched(b.evidence, a.evidence) and rest_a):
        return None
    if not (b.flags & {"change", "now", "done", "ended", "cancel"} or "still" in a.flags):
        return None
    before, after = guard.denials_apart(a.evidence.denied, b.evidence.denied)
    if NOTHING in (*before, *after) and (rest_a or rest_b):
        return None
    turned, extra = {*before, *after}, set(map(id, rest_b))
    if any(id(t) in extra for clause in b.clauses if any(t.key in turned for t in clause) for t in clause):
        return None  # it is denied of something else
    lost = set(map(id, rest_a))
    if any(
        id(t) in lost and t.kind == "figure" and not t.key.startswith("weekday")
        for clause in a.clauses
        if any(t.key in turned for t in clause)
        for t in clause
    ):
        return None  # it was so only then
    held = a.weight - sum(t.weight for t in rest_a)
    return "denied" if 2 * held >= a.weight and topics_agree_loosely(a, b) else None


def _by_number(
    a: Features, b: Features, rest_a: Sequence[Token], rest_b: Sequence[Token], clash: guard.Slug | None
) -> str | None:
    """The same thing with another number, said to be so now."""
    if clash not in ("number", "date") or any(not (t.kind == "figure" or _counts(t)) for t in rest_a):
        return None
    if not b.flags & {"now", "change"} and not (clash == "number" and "ended" in b.flags - a.flags and not rest_b[1:]):
        return None
    if a.flags & {"change", "done"} or sum(t.kind != "figure" for t in rest_b) > 2:
        return None
    dates = [d for pair in guard.dates_apart(a.evidence.dates, b.evidence.dates) for d in pair]
    if any(not (d.startswith(("weekday", "part")) or ":" in d) for d in dates):
        return None
    pure = all(t.kind == "figure" or _counts(t) for t in rest_b)
    if sum(t.weight > 0 for t in a.tokens) - len(rest_a) < (1 if pure else 2) or DEEDS & a.evidence.words:
        return None
    if _numbered(a, rest_a) or _numbered(b, rest_b) or any(is_name(t, b) for t in rest_b):
        return None
    if any(
        t.kind != "figure" and not _counts(t) and t.key not in _AGENTS and not t.key.startswith("v.") for t in rest_b
    ):
        return None
    units = [{t.key.lstrip("0123456789.") for t in rest if t.kind == "figure"} for rest in (rest_a, rest_b)]
    return "number" if not (all(units) and not units[0] & units[1]) else None


def _numbered(f: Features, rest: Sequence[Token]) -> bool:
    """ "Version 3 is stable": the number is a name."""
    figures = {id(t) for t in rest if t.kind == "figure" and t.key.replace(".", "").isdigit()}
    for clause in f.clauses:
        is_at = next((i for i, t in enumerate(clause) if t.key == "="), None)
        first = next((i for i, t in enumerate(clause) if t.weight > 0), None)
        for i, token in enumerate(clause):
            if id(token) in figures and (
                (is_at is not None and i < is_at)
                or (i and "第" in clause[i - 1].surface)
                or (i == first and "第" in f.text)
            ):
                return True
    return False


def _counts(token: Token) -> bool:
    """How much or how often, or a verb that may be left out beside it: "吃两片", "加到三片"."""
    return token.surface[:1] == "一" or token.key in ("once", "twice", "only", "v.eat") or token.key in HOW_OFTEN
