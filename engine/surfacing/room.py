"""How the lines of a breath share a hard token budget: some keep their places, others take what is left. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.text import tokens

# No line is longer: a breath is a list of summaries.
LINE_TOKENS = 60
# Fewer tokens of a text say nothing; only a kept place is ever shown with less.
LEAST_TOKENS = 8


@dataclass(frozen=True, slots=True)
class Fitted:
    """Texts that fitted, the first ones of those offered, and what they cost with what stands beside them."""

    texts: tuple[str, ...] = ()
    tokens: int = 0


def cost(text: str, beside: int) -> int:
    """Tokens of a line with ``text`` (uncut) and ``beside`` tokens around it."""
    return max(1, min(tokens.estimate(text), LINE_TOKENS)) + beside


def shares(wanted: Sequence[int], room: int) -> list[int]:
    """Water-filling: everybody gets the same share of ``room``, and what the modest leave goes to the others."""
    given = [0] * len(wanted)
    waiting = sorted(range(len(wanted)), key=lambda at: wanted[at])
    while waiting:
        at = waiting.pop(0)
        given[at] = min(wanted[at], max(room, 0) // (len(waiting) + 1))
        room -= given[at]
    return given


def keep_places(texts: Sequence[str], room: int, beside: int) -> Fitted:
    """All of ``texts``, cut as far as ``room`` asks for; the last are left out only where not a token each is left."""
    kept = texts[: max(room, 0) // (beside + 1)]
    cut = [
        tokens.cut(text, given - beside)
        for text, given in zip(kept, shares([cost(text, beside) for text in kept], room), strict=True)
    ]
    return Fitted(tuple(cut), sum(cost(text, beside) for text in cut))


def take(texts: Sequence[str], room: int, beside: int) -> Fitted:
    """As many of ``texts`` as fit into ``room``, the first ones; the last of them is cut where that says enough."""
    taken: list[str] = []
    spent = 0
    for text in texts:
        left = room - spent - beside
        if left < min(max(1, tokens.estimate(text)), LEAST_TOKENS):
            break
        taken.append(tokens.cut(text, min(left, LINE_TOKENS)))
        spent += cost(taken[-1], beside)
    return Fitted(tuple(taken), spent)
