"""The verbs of candidates as futures: ``Service.candidates``. Each only chooses where it runs, and in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from engine.access import Access, Done, in_turn, then
from engine.digest import candidates as review
from engine.types import Actor, Candidate, CandidatePage, CandidateState, Draft, Offered, Remembered


class Candidates:
    """Over what the service lends. Errors: ``Paused``, ``Closed``, storage errors, and those that are named.

    Changes are announced as "candidates_offered", "candidates_approved", "candidates_dismissed",
    "candidates_restored" and "candidates_cleared"; the ids in them, where there are any, are those of memories.
    """

    def __init__(self, access: Access) -> None:
        self._access = access

    def offer(self, drafts: Sequence[Draft], actor: Actor, session_id: str | None = None) -> Future[Offered]:
        """What a conversation holds that may be worth remembering (S4's session_digest).

        From importance ``review.save_from`` on it is saved, from ``review.ask_from`` on it waits, the rest is dropped
        and kept for ``review.keep_days``. Offered again, the same text of the same session (``session_id``, where the
        draft names none) is told as known. Errors: ``InvalidArgument`` with ``index``; then nothing is kept.
        """
        drafts = tuple(drafts)
        values, clock = self._access.settings.current, self._access.clock
        sifted = self._access.read(lambda cx: review.sift(drafts, session_id, values, clock))
        kept = then(
            sifted, lambda offers: self._access.write(actor, lambda cx, context: review.keep(cx, offers, context))
        )
        return then(kept, lambda done: self._save(done, actor))

    def _save(self, kept: review.Kept, actor: Actor) -> Future[Offered]:
        def told(saved: tuple[Remembered, ...]) -> Future[Offered]:
            sides = (kept.pending, kept.dropped, kept.known)
            return self._access.read(
                lambda cx: Offered(saved, *(tuple(review.required(cx, side).values()) for side in sides))
            )

        return then(in_turn(kept.save, lambda one: self._approve(one, actor, {})), told)

    def list(
        self, state: CandidateState = "pending", limit: int = 20, include_sensitive: bool = False
    ) -> Future[CandidatePage]:
        """The most important of a state first (S4: the first 20). Errors: ``InvalidArgument``."""
        values = self._access.settings.current
        return self._access.read(lambda cx: review.listed(cx, state, limit, include_sensitive, values))

    def approve(
        self, ids: Sequence[int], actor: Actor, changes: Mapping[str, Any] | None = None
    ) -> Future[tuple[Remembered, ...]]:
        """They become memories, one after the other, as memorize makes them; ``changes``: fields of a ``Draft`` to set.

        A memory and its candidate change in one transaction. Repeated, an approved one gives the memory it became
        ("reinforced", although nothing is). Errors: ``InvalidArgument``, ``NotFound``, ``Conflict`` "not_pending":
        then none is approved; a storage error leaves those before it approved.
        """
        values, clock, edits = self._access.settings.current, self._access.clock, dict(changes or {})
        checked = self._access.read(lambda cx: review.check_approval(cx, ids, edits, values, clock))
        return then(checked, lambda wanted: in_turn(wanted, lambda one: self._approve(one, actor, edits)))

    def _approve(self, candidate_id: int, actor: Actor, changes: Mapping[str, Any]) -> Future[Remembered]:
        asked = self._access.read(lambda cx: review.to_approve(cx, candidate_id, changes, actor))
        return then(asked, lambda what: self._memorize(what, candidate_id, actor))

    def _memorize(self, what: Draft | Remembered, candidate_id: int, actor: Actor) -> Future[Remembered]:
        if isinstance(what, Remembered):
            return self._access.read(lambda cx: what)
        stored = self._access.memorize(what, actor, also=review.approved(candidate_id))
        # Listeners heard of the memory; those that show candidates hear of theirs.
        return then(stored, lambda done: self._access.write(actor, lambda cx, _: Done(done, "candidates_approved")))

    def dismiss(self, ids: Sequence[int], actor: Actor) -> Future[tuple[Candidate, ...]]:
        """Not to be remembered; kept for ``review.keep_days``. Errors: ``NotFound``, ``Conflict``: then none is."""
        return self._access.write(actor, lambda cx, context: review.dismiss(cx, tuple(ids), context))

    def restore(self, ids: Sequence[int], actor: Actor) -> Future[tuple[Candidate, ...]]:
        """Dismissed or dropped ones wait again. Errors: ``NotFound``, ``Conflict``: then none does."""
        return self._access.write(actor, lambda cx, context: review.restore(cx, tuple(ids), context))
