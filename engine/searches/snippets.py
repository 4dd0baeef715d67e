"""Where a memory holds what was asked for, and the stretch of it that shows most of that. Reads no memories."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from engine.index import lexical
from engine.storage.database import Connection
from engine.text import terms
from engine.text.normalise import CJK, fold
from engine.types import Snippet

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# So much of the room stands before the first spot.
_LEAD: Final = 0.25
_BORDER: Final = re.compile(r"[\s,.;:!?，。；：！？、]")


def snippet(cx: Connection, content: str, asked: Iterable[str], room: int) -> Snippet:
    """At most ``room`` characters of ``content`` where most of ``asked`` (terms and phrases) is, with the spots."""
    spots = find(cx, content, asked)
    start, end = _window(content, spots, room)
    inside = tuple((a - start, b - start) for a, b in spots if a >= start and b <= end)
    return Snippet(content[start:end], inside, start > 0, end < len(content))


def find(cx: Connection, text: str, asked: Iterable[str]) -> list[tuple[int, int]]:
    """[start, end) in ``text`` of every match, in order, those that touch joined. Width, case and the forms of English
    words do not count.
    """
    flat, place = _folded(text)
    wanted = list(dict.fromkeys(fold(one) for one in asked if one.strip()))
    unspaced = [one for one in wanted if CJK.search(one) or not _WORD.fullmatch(one)]
    spots = [match.span() for one in unspaced for match in re.finditer(re.escape(one), flat)]
    stems = set(lexical.stems(cx, [one for one in wanted if " " not in one and not CJK.search(one)]))
    words = [match for match in _WORD.finditer(flat) if not CJK.search(match[0])]
    # One stem each: a word with an apostrophe is a single term, too.
    kept = lexical.stems(cx, [match[0].replace("'", "").replace("’", "") for match in words]) if stems else []
    spots += [match.span() for match, stem in zip(words, kept, strict=bool(kept)) if stem in stems]
    return _joined([(place[start], place[end - 1] + 1) for start, end in spots])


def words_of(text: str) -> list[str]:
    """What of a question is looked for one by one: words, pairs of Chinese characters; a lone character as itself."""
    bag = terms.bag(text)
    return [term for term in terms.query_terms(text) if term in bag]


def _folded(text: str) -> tuple[str, list[int]]:
    """``text`` folded, and for each character of that its place in ``text``."""
    flat: list[str] = []
    place: list[int] = []
    for at, character in enumerate(text):
        made = fold(character)
        flat.append(made)
        place += [at] * len(made)
    return "".join(flat), place


def _joined(spots: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(spots):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _window(content: str, spots: Sequence[tuple[int, int]], room: int) -> tuple[int, int]:
    """[start, end): the stretch that holds most of the spots; the first of those that hold as much."""
    if len(content) <= room:
        return 0, len(content)
    best, start = -1, 0
    for first, _ in spots:
        begin = max(0, min(first - int(room * _LEAD), len(content) - room))
        held = sum(b - a for a, b in spots if a >= begin and b <= begin + room)
        if held > best:
            best, start = held, begin
    # Not in the middle of a word, where a border is near.
    border = _BORDER.search(content, start, start + room // 8) if start else None
    first_held = min((a for a, _ in spots if a >= start), default=start)
    if border and border.end() <= first_held:
        start = border.end()
    return start, min(len(content), start + room)
