"""Cuts a memory's text into passages, each short enough for one vector.

A short text is one passage; a dialogue is a passage a turn; a long text is cut at paragraphs, then lines,
sentences, clauses and words. Passages are slices of the original, in order, without overlap, and together hold
every character that is not blank. Must not change a character, nor know embedders or storage.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from engine.text.tokens import estimate, fit

LONGEST: Final = 510
TARGET: Final = 400
MOST: Final = 400
SHORT_TURN: Final = 8
SPEAKER_LINES: Final = 3
TOGETHER: Final = 300

# "Name: …", "名字：…", "[12:03] Name: …"; a letter first, so that times and addresses are no speakers.
_SPEAKER: Final = re.compile(
    r"^[^\S\n]*(?:[\[(（【][^\])）】\n]{1,40}[\])）】][^\S\n]*)?(?!https?:)[^\W\d_][^:：\n]{0,30}[:：](?!//)(?=[^\S\n]*\S)",
    re.M,
)
_STAMP: Final = re.compile(r"^\s*[\[(（【][^\])）】\n]{1,40}[\])）】]")
# From coarse to fine; each is tried where the one before left something too long.
_BORDERS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"\n[^\S\n]*\n\s*",
        r"\n",
        r"(?<=[。！？…])(?![。！？…”’」』）)])|(?<=[。！？…][”’」』）)])|(?<=[.!?])[\"')\]]?\s+",
        r"(?<=[，、；：])|(?<=[,;:])\s+",
        r"\s+",
    )
)

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Passage:
    """``text`` is ``content[start:end]`` of the text it was cut from (positions in characters)."""

    start: int
    end: int
    text: str


def split(content: str) -> list[Passage]:
    """The passages of ``content``; [] for a blank text.

    Each has at most 510 tokens by ``tokens.estimate`` (400 where borders allow), but there are never more than
    400 of them: a text beyond that gets longer ones.
    """
    whole = _trim(content, 0, len(content))
    if whole is None:
        return []
    if len(_SPEAKER.findall(content)) >= SPEAKER_LINES:
        spans = [span for turn in _turns(content) for span in _fitting(content, turn)]
    else:
        spans = _fitting(content, whole)
    return [Passage(start, end, content[start:end]) for start, end in _at_most(spans)]


def is_turn(content: str) -> bool:
    """Whether ``content`` begins as a turn of a conversation does: "Name: …"."""
    return _SPEAKER.match(content) is not None


def speaker(content: str) -> str:
    """Who speaks in ``content``, as it is written there; "" where it is no turn."""
    begin = _SPEAKER.match(content)
    return _STAMP.sub("", begin[0]).rstrip(":：").strip() if begin else ""


def goes_with(before: str, content: str) -> bool:
    """Whether a turn is to be understood together with the turn before it: two single turns, short enough for one
    vector that still tells what each of them says.
    """
    if not (is_turn(before) and is_turn(content)):
        return False
    if any(len(_SPEAKER.findall(text)) >= SPEAKER_LINES for text in (before, content)):
        return False
    return estimate(before) + estimate(content) <= TOGETHER


def closing(content: str) -> str | None:
    """The last two lines of a conversation of three lines or more, which say what it has come to; None for anything
    else.
    """
    lines = [line for line in content.splitlines() if line.strip()]
    if len(lines) < SPEAKER_LINES or len(_SPEAKER.findall(content)) < SPEAKER_LINES:
        return None
    return "\n".join(lines[-2:])


def _trim(content: str, start: int, end: int) -> Span | None:
    """The span without blanks at its ends; None when nothing is left."""
    piece = content[start:end]
    left = len(piece) - len(piece.lstrip())
    return (start + left, start + len(piece.rstrip())) if left < len(piece) else None


def _fitting(content: str, span: Span) -> list[Span]:
    """The span itself when it is short enough, else its pieces, packed up to the target."""
    if estimate(content[span[0] : span[1]]) <= LONGEST:
        return [span]
    return _pack(content, list(_pieces(content, span, 0)))


def _pieces(content: str, span: Span, level: int) -> Iterator[Span]:
    """Cuts at the borders of ``level`` and finer ones until each piece is within the target."""
    start, end = span
    if estimate(content[start:end]) <= TARGET:
        yield span
        return
    if level == len(_BORDERS):
        while start < end:
            step = max(1, fit(content[start:end], TARGET))
            yield start, start + step
            start += step
        return
    position = start
    for match in (*_BORDERS[level].finditer(content, start, end), None):
        piece = _trim(content, position, match.start() if match else end)
        if piece is not None:
            yield from _pieces(content, piece, level + 1)
        position = match.end() if match else end


def _pack(content: str, pieces: list[Span]) -> list[Span]:
    """Neighbours together as long as they stay within the target; a short rest joins the last one."""
    packed: list[Span] = []
    used = 0
    for start, end in pieces:
        size = estimate(content[start:end])
        gap = estimate(content[packed[-1][1] : start]) if packed else 0
        limit = LONGEST if end == pieces[-1][1] and size <= TARGET // 8 else TARGET
        if packed and used + gap + size <= limit:
            packed[-1] = (packed[-1][0], end)
            used += gap + size
        else:
            packed.append((start, end))
            used = size
    return packed


def _turns(content: str) -> Iterator[Span]:
    """Each speaker's line with the lines that follow it; a very short turn goes with the next of its block.

    Eight tokens ("好的", "yes, sure") say too little for a vector of their own.
    """
    starts = [match.start() for match in _SPEAKER.finditer(content)]
    waiting: Span | None = None
    for start, end in zip([0, *starts], [*starts, len(content)], strict=True):
        turn = _trim(content, start, end)
        if turn is None:
            continue
        if waiting is not None:
            if _BORDERS[0].search(content, waiting[1], turn[0]):
                yield waiting
            else:
                turn = (waiting[0], turn[1])
            waiting = None
        if estimate(content[turn[0] : turn[1]]) <= SHORT_TURN:
            waiting = turn
        else:
            yield turn
    if waiting is not None:
        yield waiting


def _at_most(spans: list[Span]) -> list[Span]:
    """Not more than ``MOST`` spans: equal numbers of neighbours become one."""
    each = -(-len(spans) // MOST)
    return [(group[0][0], group[-1][1]) for group in (spans[i : i + each] for i in range(0, len(spans), each))]
