"""What a conversation offered to be remembered (S4), as one kind of thing to decide; its own façade does the work."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, Final, TypeVar

from engine.access import then
from engine.digest.candidate_facade import Candidates
from engine.errors import NotFound
from engine.review.kind import Decision, Offer
from engine.types import Actor, Candidate, CandidatePage, Remembered, Reviewed, ReviewItem

T = TypeVar("T")
KIND: Final = "candidate"


class CandidateKind:
    """Ids "candidate:3"."""

    name = KIND

    def __init__(self, candidates: Candidates) -> None:
        self._candidates = candidates

    def list(self, limit: int, include_sensitive: bool) -> Future[Offer]:
        """Those that wait, the most important first."""
        return then(self._candidates.list("pending", limit, include_sensitive), lambda page: _ready(_offer(page)))

    def approve(self, key: str, actor: Actor, decision: Decision) -> Future[Reviewed]:
        """Remember it; ``text`` in place of its content."""
        decision.refuse_but("text", "changes")
        changes: dict[str, Any] = dict(decision.changes)
        if decision.text is not None:
            changes["content"] = decision.text
        done = self._candidates.approve([_number(key)], actor, changes)
        return then(done, lambda stored: _ready(_stored(key, stored)))

    def dismiss(self, key: str, actor: Actor) -> Future[Reviewed]:
        """Not to be remembered."""
        done = self._candidates.dismiss([_number(key)], actor)
        return then(done, lambda _: _ready(Reviewed(f"{KIND}:{key}", "dismissed")))

    def restore(self, key: str, actor: Actor) -> Future[Reviewed]:
        """It waits again, if it is no memory."""
        done = self._candidates.restore([_number(key)], actor)
        return then(done, lambda _: _ready(Reviewed(f"{KIND}:{key}", "restored")))


def _offer(page: CandidatePage) -> Offer:
    return Offer(tuple(_item(one) for one in page.items), page.total, page.hidden)


def _item(one: Candidate) -> ReviewItem:
    return ReviewItem(f"{KIND}:{one.id}", KIND, (), {"candidate": one}, one.created_at)


def _stored(key: str, stored: Sequence[Remembered]) -> Reviewed:
    reviewed = Reviewed(f"{KIND}:{key}", "stored")
    for one in stored:
        outcome = one.outcome
        reviewed = replace(reviewed, outcome=outcome, memories=(one.memory,), history_ids=one.changes.history_ids)
    return reviewed


def _number(key: str) -> int:
    if not (key.isascii() and key.isdigit() and len(key) <= 18):
        raise NotFound(kind="review", id=f"{KIND}:{key}")
    return int(key)


def _ready(value: T) -> Future[T]:
    future: Future[T] = Future()
    future.set_result(value)
    return future
