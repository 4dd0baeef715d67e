"""How sure an answer is: the calibrated probability that its first hit answers the question.

A bare cosine tells nothing with e5, so the first hit is held against the other candidates of the same question: how far
it leads by meaning, how much more of the question's telling words it has, whether names, numbers or the kind of thing
that was asked for are missing in it. A logistic regression weighs these signs (``confidence_model.py``, made by
``bench confidence --train``). Looks only at candidates, which are memories that may be seen. Must not change an order.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.index import lexical
from engine.retrieval.confidence_model import EMBEDDER, MEANING, WORDS, Weights
from engine.retrieval.document import Candidates
from engine.retrieval.query import Parsed
from engine.storage.database import Connection
from engine.text import terms
from engine.text.normalise import fold
from engine.types import Certainty, Memory, Sign

# From here on the first hit is taken for the answer: four in five of them were right.
SURE: Final = 0.6
# The cosine that the candidates of one question have on average under that model, and how far they spread.
BACKGROUND: Final = 0.80
SPREAD: Final = 0.02
# The first hit is held against the mean of so many of the others.
_FOLLOWING: Final = 4
# Words of a pasted text beyond its beginning say little and cost much.
_MOST_TERMS: Final = 48
# With fewer candidates the cosines of another model than the one that was measured can not be told apart.
_LEAST_FOR_ANOTHER: Final = 8
_LEAST_SPREAD: Final = 1e-4
_MANY: Final = 100

_NAMED: Final = re.compile(r"(?<![\w.])(?:[A-Z][\w’-]+|\w*\d[\w:.-]*\w|\d)", re.ASCII)
_BEGINS: Final = re.compile(r"(?:^|[.?!:\"“。？！])\s*$")
_POSSESSIVE: Final = re.compile(r"['’]s?$")
_ASKS_WHEN: Final = re.compile(
    r"什么时候|啥时候|何时|哪一?[天年月]|几[月号点]|(?:星期|礼拜|周)几|哪个(?:月|星期|周)"
    r"|\bwhen\b|\b(?:what|which) (?:time|date|day|week|month|year)\b",
    re.IGNORECASE,
)
_MOMENT: Final = re.compile(
    r"\d{1,2}[:：]\d\d|\d{4}|\d+\s*(?:[月日号点年]|(?:am|pm|st|nd|rd|th)\b)|周[一二三四五六日末]|星期|礼拜|[早晚]上|[上中下]午"
    r"|[今昨明]天|[今去前明]年|[春夏秋冬]"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)(?:[a-z]{3,6})?\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|\b(?:today|yesterday|tomorrow|morning|evening|afternoon|noon|midnight|week|month|year|spring|summer|autumn|winter|ago)",
    re.IGNORECASE,
)
_ASKS_NUMBER: Final = re.compile(
    r"多少|几[^乎]|多[大久长高重远]|号码|密码|编号|尾号"
    r"|\bhow (?:many|much|old|long|often|far|big|tall|large|high)\b|\bwhat (?:number|code|price|size|age|percentage)\b"
    r"|\bphone number\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"\d|[一二三四五六七八九十百千万两半]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|"
    r"forty|fifty|hundred|half|dozen)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Confidence:
    """``value`` 0..1, the same in a word, and what it is made of."""

    value: float
    certainty: Certainty
    signs: tuple[Sign, ...] = ()


NONE: Final = Confidence(0.0, "nothing")


def judge(
    cx: Connection, question: Parsed, found: Candidates, first: Memory | None, embedder: str, abstain_below: float
) -> Confidence:
    """How sure it is that ``first``, one of ``found``, answers. ``embedder``: whose cosines they are, "" for none."""
    if first is None:
        return NONE
    top = int(np.flatnonzero(found.ids == first.id)[0])
    raw = {"han": float(question.script == "han")}
    raw |= _by_words(cx, question, found, top) | _by_text(question.text, first)
    meaning = _by_meaning(_comparable(found.cosine, embedder), top)
    weights = MEANING if meaning else WORDS
    return weigh(raw | meaning, weights, abstain_below)


def weigh(raw: dict[str, float], weights: Weights, abstain_below: float) -> Confidence:
    """The probability by ``weights``; each sign's ``weight`` and the bias add up to its log-odds."""
    signs = [Sign("usual", 1.0, weights.bias)]
    signs += [Sign(name, raw[name], (raw[name] - mean) * slope) for name, mean, slope in weights.terms]
    odds = max(-30.0, min(30.0, sum(sign.weight for sign in signs)))
    value = 1.0 / (1.0 + math.exp(-odds))
    certainty: Certainty = "nothing" if value < abstain_below else "sure" if value >= SURE else "unsure"
    return Confidence(value, certainty, tuple(signs))


def _comparable(cosines: NDArray[np.float64], embedder: str) -> NDArray[np.float64]:
    """Cosines as the measured model would give them: another model's are brought to the same mean and spread."""
    if embedder == EMBEDDER:
        return cosines
    known = cosines[~np.isnan(cosines)]
    if len(known) < _LEAST_FOR_ANOTHER or known.std() < _LEAST_SPREAD:
        return np.full(len(cosines), np.nan)
    scaled: NDArray[np.float64] = (cosines - known.mean()) / known.std() * SPREAD + BACKGROUND
    return scaled


def _by_meaning(cosines: NDArray[np.float64], top: int) -> dict[str, float]:
    """{} where the first hit has no cosine."""
    if np.isnan(cosines[top]):
        return {}
    others = np.delete(cosines, top)
    return {"nearness": float(cosines[top]), "lead": _lead(cosines[top], others[~np.isnan(others)], BACKGROUND)}


def _by_words(cx: Connection, question: Parsed, found: Candidates, top: int) -> dict[str, float]:
    """Words weigh by how rare they are among the candidates."""
    expression = terms.fts_query(question.terms[:_MOST_TERMS])
    has = lexical.presence(cx, expression, found.ids)
    size = len(found.ids)
    telling = np.maximum(np.log((size + 1.0) / (has.sum(axis=0) + 0.5)), 0.0)
    covered = has @ telling
    shares = covered / (float(telling.sum()) or 1.0)
    scores = np.nan_to_num(found.lexical)
    ahead = _lead(scores[top], np.delete(scores, top), 0.0)
    return {
        "words_lead": _lead(shares[top], np.delete(shares, top), 0.0),
        "words": float(covered[top]),
        "score_lead": ahead / (float(scores[top]) + 1.0),
        "candidates": math.log(min(size, _MANY)),
    }


def _by_text(asked: str, first: Memory) -> dict[str, float]:
    content = first.content
    said = fold("\n".join((content, first.title, *first.participants, *first.tags)))
    named = _named(asked)
    missing = [name for name in named if name not in said]
    kind = (_ASKS_WHEN.search(asked) and not _MOMENT.search(content)) or (
        _ASKS_NUMBER.search(asked) and not _NUMBER.search(content)
    )
    return {
        "missing_names": len(missing) / max(len(named), 1),
        "missing_kind": float(bool(kind)),
        "length": math.log1p(len(content.encode("utf-8", "replace"))),
    }


def _named(text: str) -> list[str]:
    """Names and numbers in a question, folded: capitalised words that begin no sentence, and whatever has a digit."""
    found = []
    for match in _NAMED.finditer(text):
        word = _POSSESSIVE.sub("", match[0])
        if any(one.isdigit() for one in word) or not (len(word) < 2 or _BEGINS.search(text[: match.start()])):
            found.append(fold(word))
    return found


def _lead(top: float, others: NDArray[np.float64], usual: float) -> float:
    """How far ``top`` is above the mean of the best others; where there are too few, ``usual`` stands for them."""
    best = np.sort(others)[::-1][:_FOLLOWING]
    return float(top - (best.sum() + usual * (_FOLLOWING - len(best))) / _FOLLOWING)
