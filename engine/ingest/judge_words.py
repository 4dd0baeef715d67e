"""A text as the sequence of its telling words: synonyms in one form, each with what is denied of it and its clause.

The lexicon is ``resources/text/synonyms-*.txt``; what it does not know stays a word (scripts with spaces) or a
stretch of characters (without). Must not decide anything about two texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from engine.ingest.judge_lexicon import (
    CALLED,
    CHINESE,
    LEADING,
    LONGEST,
    LOOSE_FIRST,
    LOOSE_LAST,
    LOOSE_PREPOSITIONS,
    NOT_LEADING,
    SURNAMES,
    TRUE_PAIRS,
    cached_stem,
    english_entry,
)
from engine.ingest.judge_lexicon import stem as stem
from engine.ingest.judge_numbers import FIRST_PLACE, LAST_PLACE, Figures, figures
from engine.ingest.judge_units import CLASSIFIERS, listed
from engine.text.normalise import UNSPACED, fold
from engine.text.segmentation import Segmenter

NOTHING: Final = "!nothing"  # what a denial denies that stands alone
_NEGATIONS_EN: Final = listed("not no never none nobody nothing neither nor without hardly cannot")
_SIDES: Final = listed("the your my his her on turn to from far is are and or top bottom upper lower")
_NEGATIONS_ZH: Final = ("没有", "从不", "从未", "绝不", "并非", "不", "没", "无", "未", "别", "非", "勿", "莫")
# Words that only look like a denial.
_WHOLE_ZH: Final = listed(
    "不错 不仅 不但 不只 不断 不久 不管 不论 不如 不好意思 对不起 了不起 非常 非洲 无线 无锡 无人机 无论 "
    "未来 别人 别墅 特别 分别 区别 级别 性别 告别 莫斯科 沉没 没错 没关系 并且 不锈钢 不动产 差不多 无糖 "
    "无花果 未必 别的 不得不 不同 不一样 不得了 不少"
)
_TOKEN: Final = re.compile(
    rf"(?P<figure>[{FIRST_PLACE}-{LAST_PLACE}])"
    rf"|(?P<run>[{UNSPACED}]+)"
    rf"|(?P<word>'s\b|[^\W\d_{UNSPACED}]+(?:['._/@+#&_-]+[^\W\d_{UNSPACED}]+)*(?:\+\+|\#)?)"
    r"|(?P<border>[,.;:!?，。；：！？\n()\[\]【】（）])"
    r"|(?P<symbol>[^\w\s\x00-\x7f])"
)
_CONTRACTIONS: Final = ((re.compile(r"\b(?:can't|cannot)\b"), "can not"), (re.compile(r"\bwon't\b"), "will not"),
                        (re.compile(r"n't\b"), " not"), (re.compile(r"'(?:re|ve|ll|d|m)\b"), ""),
                        (re.compile(r"'s\b|s'(?=\s)"), " 's"), (re.compile(r"\b(mr|mrs|ms|dr|st|prof)\."), r"\1"),
                        (re.compile(r"\b(i|we|he|she|it|they|you|that|there) 's\b"), r"\1 is"))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """``key``: the word's one form with its class mark; ``weight`` 0 for what says little; ``clause`` from 0.

    ``kind``: "word", "han" (characters outside the lexicon), "figure" or "sign" (possessive, negation).
    """

    key: str
    kind: str
    weight: float
    clause: int
    denied: bool = False
    surface: str = ""


@dataclass(frozen=True, slots=True)
class Wording:
    """The tokens of a text, its figures, and the ends of its clauses (the sign that closes each)."""

    tokens: tuple[Token, ...]
    figures: Figures
    ends: tuple[str, ...]
    folded: str


_LONGEST_ZH: Final = max(map(len, CHINESE))
_NO_WEIGHT: Final = "~=^>?"
_HAN: Final = re.compile("[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")


def _weight(key: str, length: int) -> float:
    return 0.0 if key[0] in _NO_WEIGHT else max(1.0, min(length / 2, 2.0))


class _Builder:
    """Collects tokens; a denial waits for the next word that says something."""

    def __init__(self) -> None:
        self.tokens: list[Token] = []
        self.ends: list[str] = []
        self.clause = 0
        self.pending = False
        self.filled = False

    def add(self, key: str, kind: str, weight: float, surface: str, opposite: bool = False) -> None:
        denied = opposite
        if weight > 0 and self.pending:
            denied, self.pending = not denied, False
        self.tokens.append(Token(key, kind, weight, self.clause, denied, surface))
        self.filled = True

    def deny(self, surface: str) -> None:
        self.tokens.append(Token("!", "sign", 0.0, self.clause, False, surface))
        self.pending = not self.pending

    def border(self, sign: str) -> None:
        self._settle()
        if self.filled:
            self.ends.append(sign)
            self.clause += 1
            self.filled = False
        elif self.ends and sign in "?？":
            self.ends[-1] = sign

    def joint(self, following: list[str]) -> None:
        """ "sold the Volvo and drives a Tesla": a clause of its own, when both sides say something."""
        told = sum(t.weight > 0 for t in self.tokens if t.clause == self.clause)
        if told > 2 and len(following) > 2:
            self.border(",")

    def _settle(self) -> None:
        """A denial with nothing after it in its clause denies what stands before it."""
        if not self.pending:
            return
        self.pending = False
        at = next((i for i in range(len(self.tokens) - 1, 0, -1) if self.tokens[i].key == "!"), 0)
        here = 0 < at < len(self.tokens) - 1 and self.tokens[at].clause == self.tokens[at - 1].clause == self.clause
        if here and self.tokens[at - 1].weight == 0:  # "来不了": the verb before it says little
            self.tokens.append(Token(NOTHING, "sign", 0.0, self.clause, True, ""))
            return
        for position in range(len(self.tokens) - 1, -1, -1):
            token = self.tokens[position]
            if token.clause != self.clause:
                break
            if token.weight > 0:
                self.tokens[position] = Token(
                    token.key, token.kind, token.weight, token.clause, not token.denied, token.surface
                )
                return
        self.tokens.append(Token(NOTHING, "sign", 0.0, self.clause, True, ""))

    def end(self) -> None:
        self.border(".")


def wording(text: str, segmenter: Segmenter) -> Wording:
    """The telling words of ``text``. Never raises."""
    folded = fold(text)
    read = figures(folded)
    rest = read.rest
    if not rest.isascii() or "'" in rest or "." in rest or "cannot" in rest:
        for pattern, replacement in _CONTRACTIONS:
            rest = pattern.sub(replacement, rest)
    builder = _Builder()
    words: list[str] = []

    def flush() -> None:
        _english(words, builder)
        words.clear()

    for match in _TOKEN.finditer(rest):
        kind = match.lastgroup
        if kind == "word":
            words.append(match["word"])
            continue
        flush()
        if kind == "figure":
            builder.add(read.placed[ord(match["figure"]) - ord(FIRST_PLACE)], "figure", 2.0, match["figure"])
        elif kind == "run":
            _chinese(match["run"], builder, segmenter)
        elif kind == "border":
            sign = match["border"]
            if sign in ":：":
                builder.add("=", "sign", 0.0, sign)
            else:
                builder.border(sign)
        else:
            builder.add(match["symbol"], "word", 0.5, match["symbol"])
    flush()
    builder.end()
    _rates(builder.tokens)
    return Wording(tuple(builder.tokens), read, tuple(builder.ends), folded)


_RATES: Final = {"1day": "everyday", "7day": "everyweek", "1month": "everymonth", "1year": "everyyear"}


def _rates(tokens: list[Token]) -> None:
    """ "一天喝两杯" is two cups every day."""
    for at, token in enumerate(tokens):
        if token.key in _RATES and token.kind == "figure":
            after = [t for t in tokens[at + 1 : at + 5] if t.clause == token.clause]
            if any(t.kind == "figure" or t.key == "once" for t in after):
                tokens[at] = Token(_RATES[token.key], "word", token.weight, token.clause, token.denied, token.surface)


def _english(words: list[str], builder: _Builder) -> None:
    position = 0
    stems = [cached_stem(word) for word in words]
    while position < len(words):
        if words[position] == "'s":
            builder.add("'s", "sign", 0.0, "'s")
            position += 1
            continue
        longest = max(LONGEST.get(words[position], 1), LONGEST.get(stems[position], 1))
        for length in range(min(longest, len(words) - position), 0, -1):
            end = position + length
            found = english_entry(" ".join(words[position:end]), " ".join(stems[position:end]))
            if found is not None:
                key, opposite = found
                if key.startswith(("v.", "<")) and position and words[position - 1] in ("and", "but"):
                    builder.joint(words[position:])
                surface = " ".join(words[position:end])
                builder.add(key, "word", _weight(key, 4), surface, opposite)
                if length > 1 and not opposite and words[position] in _NEGATIONS_EN and key[0] == ">":
                    builder.pending = not builder.pending  # "no longer": a change, and a denial
                break
        else:
            length = 1
            if words[position] == "left" and 0 < position == len(words) - 1 and words[position - 1] not in _SIDES:
                builder.add("<leave", "word", 2.0, "left")
            elif words[position] in _NEGATIONS_EN:
                builder.deny(words[position])
            else:
                builder.add(stems[position], "word", 2.0, words[position])
        position += length


def _chinese(run: str, builder: _Builder, segmenter: Segmenter) -> None:
    last = 0
    for match in _HAN.finditer(run):
        if last < match.start():
            _unknown(run[last : match.start()], builder)
        _han(_cut(match[0], segmenter), builder)
        last = match.end()
    if last < len(run):
        _unknown(run[last:], builder)


def _cut(run: str, segmenter: Segmenter) -> list[str]:
    """The words of a stretch of Han; names like "小王" in one piece, a denial apart from what it denies."""
    words: list[str] = []
    last = 0
    for match in (*CALLED.finditer(run), None):
        for word in segmenter.words(run[last : match.start() if match else len(run)]):
            word_parts = _loose(word)
            if len(word_parts) > 1:
                words.extend(word_parts)
                continue
            negation = next((n for n in _NEGATIONS_ZH if word.startswith(n) and len(word) > len(n)), None)
            if word in CHINESE or not _WHOLE_ZH.isdisjoint((word, word[:2], word[:3])):
                words.append(word)
            elif negation is not None:
                words.extend((negation, *_apart(word[len(negation) :])))
            else:
                words.extend(_apart(word))
        if match:
            words.append(match[0])
            last = match.end()
    return [part for at, word in enumerate(words) for part in _lives(word, words[at + 1 : at + 2])]


def _lives(word: str, following: list[str]) -> tuple[str, ...]:
    """A name that the dictionary's guess has joined to where somebody lives ("赵秀兰住" + "在")."""
    joined = len(word) > 2 and word[-1] == "住" and word[0] in SURNAMES and word not in CHINESE
    return (word[:-1], "住") if joined and following and following[0].startswith("在") else (word,)


def _loose(word: str) -> tuple[str, ...]:
    """A guess of the dictionary that joined a word of grammar to its neighbour ("单要", "后要", "猫叫", "车停")."""
    if word in CHINESE or word in TRUE_PAIRS or word[:2] in TRUE_PAIRS:
        return (word,)
    if len(word) in (2, 3) and word[0] in LOOSE_PREPOSITIONS:
        return (word[0], word[1:])
    if len(word) != 2:
        return (word,)
    first, last = word[0], word[1]
    return (first, last) if first in LOOSE_FIRST or last in LOOSE_LAST else (word,)


def _apart(word: str) -> list[str]:
    """Pronouns and auxiliaries that the dictionary's guess has joined to what follows ("我换", "爱写")."""
    parts: list[str] = []
    while len(word) > 1 and word[0] in LEADING and word not in CHINESE and word[:2] not in NOT_LEADING:
        parts.append(word[0])
        word = word[1:]
    if len(word) > 1 and word[0] in "改换" and word not in CHINESE and word[1:] in CHINESE:
        return [*parts, word[0], word[1:]]
    if len(word) in (2, 3) and word not in CHINESE and word[1:] in CHINESE and CHINESE.get(word[0], "v")[0][0] == "~":
        return [*parts, word[0], word[1:]]
    if len(word) == 3 and word[0] in CHINESE and word[1:] in CHINESE:
        return [*parts, word[0], word[1:]]
    if len(word) > 2 and word[-1] in "有在是":
        return [*parts, word[:-1], word[-1]]
    return [*parts, word]


def _han(words: list[str], builder: _Builder) -> None:
    position = 0
    while position < len(words):
        for length in range(min(4, len(words) - position), 0, -1):
            piece = "".join(words[position : position + length])
            if piece in _WHOLE_ZH:
                builder.add(CHINESE[piece][0] if piece in CHINESE else piece, "word", 1.0, piece)
                break
            if piece in CHINESE:
                key, opposite = CHINESE[piece]
                if key == "^now" and piece == "以后" and builder.tokens and builder.tokens[-1].kind == "figure":
                    key = "later"  # "九点以后" is no "from now on"
                builder.add(key, "word", _weight(key, 2 * len(piece)), piece, opposite)
                if piece == "不再":
                    builder.pending = not builder.pending
                break
            if piece in _NEGATIONS_ZH:
                builder.deny(piece)
                break
        else:
            length = 1
            _unknown(words[position], builder)
        position += length


def _unknown(word: str, builder: _Builder) -> None:
    """A word outside the lexicon; a long one is searched for words of the lexicon."""
    position = start = 0
    while len(word) > 2 and position < len(word):
        size = next((n for n in range(min(_LONGEST_ZH, len(word) - position), 1, -1)
                     if word[position : position + n] in CHINESE), 0)  # fmt: skip
        if not size:
            position += 1
            continue
        if start < position:
            _rest(word[start:position], builder)
        key, opposite = CHINESE[word[position : position + size]]
        builder.add(key, "word", _weight(key, 2 * size), word[position : position + size], opposite)
        position += size
        start = position
    if len(word) == 1 and word in CLASSIFIERS:
        builder.add("~", "word", 0.0, word)
    elif start < len(word):
        _rest(word[start:], builder)


def _rest(piece: str, builder: _Builder) -> None:
    """What stands beside a word of the lexicon within a longer one."""
    if len(piece) == 1 and piece in CHINESE:
        key, opposite = CHINESE[piece]
        builder.add(key, "word", _weight(key, 2), piece, opposite)
    else:
        builder.add(piece, "han", float(len(piece)), piece)


def clauses(read: Wording) -> Iterator[list[Token]]:
    """The tokens clause by clause."""
    current: list[Token] = []
    for token in read.tokens:
        if current and token.clause != current[-1].clause:
            yield current
            current = []
        current.append(token)
    if current:
        yield current
