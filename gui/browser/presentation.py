"""What of a memory is shown where: headline, body, the muted line, the words to mark. Pure; imports no Qt.

Memory text is passed on as plain text, with white space folded where one line is wanted. Must not invent text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from engine.types import Hit, Memory
from gui.texts import Texts

# No card shows more than this; it keeps laying out a 200,000-character memory as cheap as a short one.
SHOWN_CHARACTERS = 600
_WORD = re.compile(r"[a-z0-9]", re.IGNORECASE)
_EM_DASH = " · "


def folded(text: str) -> str:
    """``text`` as one line, cut to what a card can show."""
    return " ".join(text[: SHOWN_CHARACTERS * 2].split())[:SHOWN_CHARACTERS]


def headline(memory: Memory) -> str:
    """The title, or an empty text where there is none."""
    return folded(memory.title)


def body(memory: Memory) -> str:
    """The summary where it says something of its own, else the beginning of the text."""
    content, summary = folded(memory.content), folded(memory.summary)
    if summary and not content.startswith(summary.rstrip("…").rstrip()):
        return summary
    return content


def name(memory: Memory) -> str:
    """One line that stands for the memory where there is room for no more."""
    return headline(memory) or body(memory)


def meta(memory: Memory, when: str, texts: Texts) -> str:
    """The muted line: when · status if it is not active · topics and tags · client."""
    parts = [when]
    if memory.status not in ("active", "trashed"):
        parts.append(texts(f"status.{memory.status}"))
    labels = list(dict.fromkeys((*memory.topics, *(f"#{tag}" for tag in memory.tags))))
    if labels:
        parts.append("  ".join(labels[:4]))
    if memory.source_client:
        parts.append(memory.source_client)
    return _EM_DASH.join(folded(part) for part in parts)


def spoken(memory: Memory, when: str, texts: Texts) -> str:
    """A whole row as a screen reader says it."""
    signs = [texts(f"sign.{sign}") for sign in ("pinned", "protected", "resolved") if getattr(memory, sign)]
    parts = [texts(f"layer.{memory.layer}"), name(memory), meta(memory, when, texts), *signs]
    parts.append(texts("card.strength", n=round(memory.strength * 100)))
    return ". ".join(parts)


def shares(hit: Hit) -> list[tuple[str, float]]:
    """What brought a hit here: (channel or "other", share of the whole 0..1); empty without an explanation.

    "other" is everything that is not a channel: importance, recency and the like, where it added something.
    """
    if hit.explanation is None:
        return []
    found = [(channel.name, max(0.0, channel.share)) for channel in hit.explanation.channels]
    extra = sum(max(0.0, factor.value) for factor in hit.explanation.factors)
    parts: list[tuple[str, float]] = [*found, ("other", extra)]
    whole = sum(value for _, value in parts)
    return [(part, value / whole) for part, value in parts if value > 0.0] if whole > 0 else []


def why_lines(hit: Hit, texts: Texts) -> list[str]:
    """The same in words, a line each: "By its words 62 %"."""
    return [texts(f"why.{part}", percent=f"{value:.0%}") for part, value in shares(hit)]


def matches(text: str, terms: Iterable[str]) -> list[tuple[int, int]]:
    """(start, length) of each place in ``text`` that one of ``terms`` stands at; sorted, never overlapping.

    A Latin term matches where a word begins (the index stems words), others wherever they stand.
    """
    given = {term for term in terms if term.strip()}
    # Single characters mark too much where longer Chinese terms were found; they stand in only for want of those.
    if any(len(term) > 1 and not _WORD.match(term) for term in given):
        given = {term for term in given if len(term) > 1 or _WORD.match(term)}
    patterns = []
    for term in sorted(given, key=len, reverse=True):
        escaped = re.escape(term)
        patterns.append(rf"\b{escaped}\w*" if len(term) > 2 and _WORD.match(term) else _bounded(term, escaped))
    if not patterns:
        return []
    found = re.finditer("|".join(patterns), text, re.IGNORECASE)
    return _joined([(match.start(), match.end()) for match in found])


def _bounded(term: str, escaped: str) -> str:
    return rf"\b{escaped}\b" if _WORD.match(term) else escaped


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Touching spans made one (neighbouring bigrams mark one phrase)."""
    result: list[tuple[int, int]] = []
    for start, end in spans:
        if start == end:
            continue
        if result and start <= result[-1][0] + result[-1][1]:
            first = result[-1][0]
            result[-1] = (first, max(end, first + result[-1][1]) - first)
        else:
            result.append((start, end - start))
    return result
