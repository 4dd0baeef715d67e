"""Is a new telling the same as a stored memory, an update of it, or something else? Rules over words, zh and en.

When in doubt: different. A wrong merge hides somebody's memory, a missed one costs a duplicate. Must not store,
embed or look anything up; the caller brings both sides and, where there is one, the cosine of their vectors.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from engine.ingest import guard
from engine.ingest.judge_features import Features, features, missing, residue
from engine.ingest.judge_same import not_same
from engine.ingest.judge_update import replaces
from engine.ingest.judge_words import Token
from engine.ingest.opposites import opposed
from engine.text import terms
from engine.text.segmentation import Segmenter
from engine.types import Layer

Kind = Literal["same", "update", "different"]
Covers = Literal["old", "new", "both", "neither"]

# e5 passages (258 pairs): same from .914, updates from .868, different up to .994. So meaning can only veto.
SAME_COSINE: Final = 0.88
UPDATE_COSINE: Final = 0.82
# Without meaning an addition may not be longer than what is told already.
_MOST_ADDED: Final = 2.0
_MOST_ADDED_BY_WORDS: Final = 1.0
_SAME_TIME: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two texts with what is known of it."""

    features: Features
    layer: Layer
    event_time: datetime | None = None

    @property
    def text(self) -> str:
        return self.features.text


@dataclass(frozen=True, slots=True)
class Judgement:
    """``covers``: whose text holds all content words of the other; ``reason`` is a slug for the explanation."""

    kind: Kind
    reason: str
    covers: Covers


def side(text: str, layer: Layer, segmenter: Segmenter, event_time: datetime | None = None) -> Side:
    """A side from its text."""
    return Side(features(text, segmenter), layer, event_time)


def judge(old: Side, new: Side, cosine: float | None) -> Judgement:
    """What ``new`` is to ``old``. ``cosine`` of their passage vectors, None where there are none (then stricter).

    Symmetric in "same". Never raises.
    """
    a, b = old.features, new.features
    if a.normalised == b.normalised:
        other_day = _other_time(old, new)
        return Judgement("different", other_day, "both") if other_day else Judgement("same", "equal", "both")
    if a.exact or b.exact:
        return Judgement("different", "long", "neither")
    rest_a, rest_b = residue(a, b), residue(b, a)
    covers = _covers(rest_a, rest_b)
    clash = guard.clash(a.evidence, b.evidence)
    most = _MOST_ADDED_BY_WORDS if cosine is None else _MOST_ADDED
    reason = not_same(a, b, rest_a, rest_b, clash, most) or _other_time(old, new)
    if reason is None and min(_telling(a), _telling(b)) < 2:
        reason = "short"
    if reason is None and opposed(a.sides, b.sides, groups_from=1):
        reason = "opposed"
    if reason is None and (cosine is None or cosine >= SAME_COSINE):
        return Judgement("same", "words" if cosine is None else "words_and_meaning", covers)
    if reason is not None and (cosine is None or cosine >= UPDATE_COSINE):
        dated = old.event_time is not None
        change = replaces(a, b, old.layer, dated, rest_a, rest_b, clash)
        if change is not None and _says_more(a, b):
            return Judgement("different", "more", covers)
        if change is not None and _numbered(a) and _numbered(b) and not b.flags & {"now", "change"}:
            return Judgement("different", "number", covers)
        if change is not None:
            return Judgement("update", change, covers)
    return Judgement("different", reason or "meaning", covers)


def _telling(a: Features) -> int:
    return sum(token.weight > 0 for token in a.tokens)


def _numbered(a: Features) -> bool:
    """Whether a number names the thing ("room number 3") rather than being a value of it ("its number is 3")."""
    return _NAMED_BY_NUMBER.search(a.evidence.folded) is not None


def _says_more(a: Features, b: Features) -> bool:
    """Whether ``a`` tells something beside what ``b`` replaces, which would be lost with it: a clause of which ``b``
    holds nothing ("lives in Berlin and works at Globex"), or a second attribute."""
    if any(key.startswith("&") and key not in b.evidence.words for slot in a.slots for key in slot.value):
        return True
    if len(a.clauses) < 2:
        return False
    for clause in a.clauses:
        telling = [token for token in clause if token.weight > 0]
        states = any(token.key.startswith(("v.", "=")) for token in clause)
        if telling and states and all(missing(token, b) > 0 for token in telling):
            return True
    return False


def _other_time(old: Side, new: Side) -> str | None:
    """Two happenings on different days are two, however alike they are told."""
    if old.layer != "event" or new.layer != "event" or old.event_time is None or new.event_time is None:
        return None
    return "date" if abs(old.event_time - new.event_time) >= _SAME_TIME else None


def _covers(rest_old: Sequence[Token], rest_new: Sequence[Token]) -> Covers:
    if not rest_old:
        return "new" if rest_new else "both"
    return "neither" if rest_new else "old"


_NAMED_BY_NUMBER: Final = re.compile(r"\b(?:number|no\.?|nr\.?|id|issue|ticket|item|chapter)\s*#?\d|#\d")
# Where a sentence ends: after its mark and a space, at a Chinese mark, at the end of a line.
_SENTENCE: Final = re.compile(r"(?<=[。！？；\n])|(?<=[.!?;])(?=\s)")


def joined(old: str, new: str, segmenter: Segmenter) -> str:
    """The text that keeps everything of both tellings: every telling word and figure of either is in it."""
    a, b = features(old, segmenter), features(new, segmenter)
    if a.normalised == b.normalised:
        return old
    if a.exact or b.exact or guard.clash(a.evidence, b.evidence) is not None:
        return f"{old.rstrip()}\n{new.strip()}"
    exact_a, exact_b = guard.only(a.evidence, b.evidence), guard.only(b.evidence, a.evidence)
    rest_a, rest_b = residue(a, b), residue(b, a)
    if not rest_b and not exact_b:
        return old
    if not rest_a and not exact_a:
        return new
    added = [part.strip() for part in _SENTENCE.split(new) if part.strip() and _adds(part, a, segmenter)]
    shorter = "\n".join((old.rstrip(), " ".join(added)))
    kept = features(shorter, segmenter)
    if not added or residue(b, kept) or guard.only(b.evidence, kept.evidence):  # a sentence reads otherwise alone
        return f"{old.rstrip()}\n{new.strip()}"
    return shorter


def _adds(part: str, a: Features, segmenter: Segmenter) -> bool:
    told = features(part, segmenter)
    return bool(residue(told, a)) or guard.only(told.evidence, a.evidence)


def specific(text: str, limit: int = 12) -> tuple[str, ...]:
    """The most telling index terms of ``text``, best first, for a cheap search of candidates.

    Long words and identifiers, then pairs of characters without function characters, then what is left.
    """
    found = terms.query_terms(text)
    telling = {term for term in found if len(term) == 1}

    def worth(term: str) -> tuple[int, int]:
        if term.isascii():
            return (2 * len(term) if len(term) > 2 else 0), len(term)
        return (8 + 2 * sum(c in telling for c in term) if len(term) > 1 else 1), len(term)

    return tuple(sorted(found, key=worth, reverse=True)[:limit])
