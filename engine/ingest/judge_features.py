"""What of a text is compared with another: its tokens, statements, attributes, exact parts and how it is meant.

Made once a text, so that a new one can be held against many stored ones. Must not compare.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from engine.ingest import guard
from engine.ingest.judge_units import listed
from engine.ingest.judge_words import Token, Wording, clauses, wording
from engine.ingest.opposites import Sides, sides_of
from engine.ingest.slots import Slot, Statement, slots, statements
from engine.text.normalise import normalise
from engine.text.segmentation import Segmenter

LONGEST: Final = 2000  # characters; longer texts are the same only when they are equal
_QUESTION_ZH: Final = re.compile(r"(.)[不没]\1|[吗嘛]\s*[?？]?$|[?？]\s*$")
_QUESTION_EN: Final = re.compile(r"[?？]\s*[\"'”’)]*\s*$")
_ENDED: Final = re.compile(r"了\s*(?:$|[,，。；;!！])")
_STILL: Final = re.compile(r"还[没未在是]|尚未|\bstill\b|\bnot\b.*\byet\b|\bbut not\b")
# An instruction ("please answer briefly") and the wish for it ("the user wants brief answers") are one.
_ORDER: Final = re.compile(
    r"^(?:please|always|never|do not|don't|use|answer|reply|call|keep|write|make|avoid|give|include|remember|address|"
    r"just|be|format|speak|explain)\b|^(?:the |my )?(?:answers|replies|responses)\b|请|尽量|务必|记得|别|不要|一律|"
    r"回答|回复"
)
_WISH: Final = re.compile(
    r"^(?:the )?(?:user|i)\b.{0,20}\b(?:wants?|would like|asks?|asked|expects?|prefers?)\b"
    r"|^(?:用户|我)?(?:不?希望|想要|要求|想让|更?喜欢)"
)
_MAY: Final = listed("may can could might 可以 能 能够 可 allowed")
_MUST: Final = ("must", "have to", "has to", "need to", "needs to", "ought", "should", "必须", "务必", "须", "应", "得")
_IF: Final = re.compile(r"\b(?:if|unless|in case|as long as)\b|如果|要是|假如|除非|只要")
_WHEN: Final = re.compile(r"[岁年月天](?:的时候|那年|那天|时(?!间))|\bat the age of\b|\bwhen \w+ was\b")


@dataclass(frozen=True, slots=True)
class Features:
    """What of a text is compared. Made once a text by ``features``; ``exact``: only equality counts for it."""

    text: str
    normalised: str
    exact: bool
    tokens: tuple[Token, ...]
    clauses: tuple[tuple[Token, ...], ...]
    statements: tuple[Statement, ...]
    slots: tuple[Slot, ...]
    evidence: guard.Evidence
    flags: frozenset[str]
    reporters: frozenset[str]
    figures: frozenset[str]
    pairs: frozenset[str]
    sides: Sides
    weight: float


def features(text: str, segmenter: Segmenter) -> Features:
    """The features of ``text``: about 0.3 ms a sentence. Never raises."""
    return features_from(text, wording(text if len(text) <= LONGEST else "", segmenter))


def features_from(text: str, read: Wording) -> Features:
    """The features of ``text`` as it was ``read``."""
    exact = len(text) > LONGEST
    wish, order = bool(_WISH.search(read.folded)), bool(_ORDER.search(read.folded))
    if wish or order:
        read = replace(read, tokens=tuple(replace(t, key="v.use") if t.key == "v.need" else t for t in read.tokens))
    parts = tuple(tuple(clause) for clause in clauses(read))
    told = statements(parts)
    flags, reporters = _flags(read.folded, parts)
    flags |= frozenset(name for name, is_so in (("wish", wish), ("order", order)) if is_so)
    exact_parts = guard.evidence_of(text if not exact else "", read)
    forms = {t.key for t in read.tokens if t.kind == "figure"}
    return Features(
        text=text,
        normalised=normalise(text),
        exact=exact,
        tokens=read.tokens,
        clauses=parts,
        statements=told,
        slots=slots(told, parts, exact_parts.names),
        evidence=exact_parts,
        flags=flags,
        reporters=reporters,
        figures=frozenset(forms | {n.raw for n in read.figures.numbers}),
        pairs=frozenset(a + b for a, b in itertools.pairwise(read.folded)),
        sides=sides_of(read.folded, (t.surface for t in read.tokens)),
        weight=sum(t.weight for t in read.tokens),
    )


def _flags(folded: str, parts: Sequence[Sequence[Token]]) -> tuple[frozenset[str], frozenset[str]]:
    """(how the text is meant, who is said to have said it)."""
    flags: set[str] = set()
    reporters: set[str] = set()
    if _QUESTION_EN.search(folded) or _QUESTION_ZH.search(folded):
        flags.add("question")
    for clause in parts:
        for position, token in enumerate(clause):
            if token.key == "?report":
                before = [t.key for t in clause[:position] if t.weight > 0]
                if before and (position + 1 < len(clause) or clause is not parts[-1]):
                    reporters.update(before)
            elif token.key[0] == "<":
                flags.add("leave")
            elif token.surface in _MAY or token.key == "v.allow":
                flags.add("may")
            elif token.surface in _MUST:
                flags.add("must")
            elif token.key == "v.need" and token.surface.startswith("want"):
                flags.add("need")
            elif token.key == "~will" or token.key.startswith("relative+"):
                flags.add("future")
            elif token.key[0] == "?" or token.key[0] in ">^":
                flags.add(token.key[1:])
    if _IF.search(folded):
        flags.add("if")
    if _ENDED.search(folded):
        flags.add("ended")
    if _WHEN.search(folded):
        flags.add("when")
    if _STILL.search(folded):
        flags.add("still")
    return frozenset(flags), frozenset(reporters)


def residue(a: Features, b: Features) -> list[Token]:
    """The telling tokens of ``a`` that ``b`` does not hold."""
    return [token for token in a.tokens if token.weight > 0 and missing(token, b) > 0]


def missing(token: Token, b: Features) -> float:
    """How much of the token's weight ``b`` lacks."""
    if token.key in b.evidence.words:
        return 0.0
    if token.kind == "figure":
        return 0.0 if token.key in b.figures or _bare(token.key) in b.figures else token.weight
    if token.kind != "han":
        return token.weight
    text = token.surface
    if len(text) == 1:
        return 0.0 if any(text in t.surface for t in b.tokens if t.kind == "han") else 1.0
    if text in b.evidence.folded:
        return 0.0
    return float(
        sum(text[max(0, i - 1) : i + 1] not in b.pairs and text[i : i + 2] not in b.pairs for i in range(len(text)))
    )


def _bare(key: str) -> str:
    return re.sub(r"[^\d.]+$", "", key)


def is_name(token: Token, a: Features) -> bool:
    """Whether the token names somebody or something."""
    return token.key[0] == "@" or token.surface in a.evidence.names
