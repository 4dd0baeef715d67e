"""Fitting memories into a hard token budget: long ones are shortened, ids are never lost. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.text import tokens
from engine.types import Form, Memory

# Below this a text says nothing; the hit is then left out and counted.
LEAST_TOKENS = 8


@dataclass(frozen=True, slots=True)
class Fitted:
    """The text that a memory is shown with, its form and its cost in tokens."""

    text: str
    form: Form
    tokens: int


def fit(memories: Sequence[Memory], budget: int | None) -> list[Fitted | None]:
    """A text for each memory, in order, all together within ``budget`` tokens (None = no limit).

    Short memories leave their unused share to long ones; None where no room was left for even a few words.
    """
    costs = [tokens.estimate(memory.content) for memory in memories]
    if budget is None or sum(costs) <= budget:
        return [Fitted(memory.content, "full", cost) for memory, cost in zip(memories, costs, strict=True)]
    kept = len(memories)
    while kept > 1 and budget // kept < LEAST_TOKENS:
        kept -= 1
    allowances = _allowances(costs[:kept], budget)
    fitted: list[Fitted | None] = [
        _shorten(memory, cost, room) for memory, cost, room in zip(memories, costs, allowances, strict=False)
    ]
    return fitted + [None] * (len(memories) - kept)


def _allowances(costs: Sequence[int], budget: int) -> list[int]:
    """Water-filling: everybody gets the same share, and what the short ones leave goes to the long ones."""
    rooms = [0] * len(costs)
    rest, waiting = budget, sorted(range(len(costs)), key=lambda at: costs[at])
    while waiting:
        at = waiting.pop(0)
        rooms[at] = min(costs[at], rest // (len(waiting) + 1))
        rest -= rooms[at]
    return rooms


def _shorten(memory: Memory, cost: int, room: int) -> Fitted | None:
    if cost <= room:
        return Fitted(memory.content, "full", cost)
    for text, form in ((memory.compressed, "compressed"), (memory.summary, "summary")):
        # A form that wastes more than half of the room says less than the beginning of the text itself.
        if text and room // 2 <= tokens.estimate(text) <= room:
            return Fitted(text, form, tokens.estimate(text))  # type: ignore[arg-type]
    if room < LEAST_TOKENS:
        return None
    text = tokens.cut(memory.content, room)
    return Fitted(text, "cut", tokens.estimate(text))
