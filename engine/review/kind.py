"""What a kind of thing to decide looks like to the one list. Holds the protocol and nothing that knows a kind.

A new kind is a module with a class of this shape and its place in the tuple that ``service.py`` hands to the façade.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol

from engine.errors import InvalidArgument
from engine.types import Actor, Reviewed, ReviewItem


@dataclass(frozen=True, slots=True)
class Offer:
    """What a kind has to decide: the first items, best first; ``total`` of those that may be shown, ``hidden`` of the
    others."""

    items: tuple[ReviewItem, ...] = ()
    total: int = 0
    hidden: int = 0


@dataclass(frozen=True, slots=True)
class Decision:
    """What comes with a yes: a ``text``, ``changes`` to what will be stored, ``archive``: what it was made of."""

    text: str | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    archive: bool = False

    def refuse_but(self, *used: str) -> None:
        """Errors: ``InvalidArgument`` (reason "not_for_this_item") for what this kind has no use for."""
        for name in ("text", "changes", "archive"):
            if name not in used and getattr(self, name):
                raise InvalidArgument(field=name, reason="not_for_this_item")


class Kind(Protocol):
    """Errors of the three decisions: ``NotFound`` (kind "review"), ``InvalidArgument``, ``Conflict``, ``Protected``,
    ``Paused``, storage errors. ``key``: the item's id behind "kind:"."""

    @property
    def name(self) -> str:
        """The part of an item's id before the colon."""

    def list(self, limit: int, include_sensitive: bool) -> Future[Offer]:
        """What waits."""

    def approve(self, key: str, actor: Actor, decision: Decision) -> Future[Reviewed]:
        """Yes."""

    def dismiss(self, key: str, actor: Actor) -> Future[Reviewed]:
        """No: it is not offered again."""

    def restore(self, key: str, actor: Actor) -> Future[Reviewed]:
        """Neither, again: a no is forgotten, a yes taken back."""


def refused() -> Future[Reviewed]:
    """The answer to a decision that a kind does not know."""
    future: Future[Reviewed] = Future()
    future.set_exception(InvalidArgument(field="action", reason="not_for_this_item"))
    return future
