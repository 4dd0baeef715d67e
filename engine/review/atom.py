"""Single facts that could not be stored as they should (S0): a yes tries again, as the hourly round does."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Final

from engine.access import Access, Done
from engine.errors import NotFound
from engine.ingest import atoms as fact_atoms
from engine.ingest.context import Context
from engine.policy import hidden
from engine.review import decisions
from engine.review.kind import Decision, Offer, refused
from engine.storage import atoms
from engine.storage.database import Connection
from engine.types import Actor, Reviewed, ReviewItem

KIND: Final = "atom"
# More are not looked at: the hourly round mends the oldest.
_MOST: Final = 500


class Atoms:
    """Ids "atom:7"."""

    name = KIND

    def __init__(self, access: Access) -> None:
        self._access = access

    def list(self, limit: int, include_sensitive: bool) -> Future[Offer]:
        """The flagged ones, those that were tried longest ago first."""
        secret = hidden(self._access.settings.current, include_sensitive)
        return self._access.read(lambda cx: _list(cx, limit, secret))

    def approve(self, key: str, actor: Actor, decision: Decision) -> Future[Reviewed]:
        """Try again: outcome "repaired" or "failed"."""
        decision.refuse_but()
        return self._access.write(actor, lambda cx, context: _again(cx, key, context))

    def dismiss(self, key: str, actor: Actor) -> Future[Reviewed]:
        """Not possible: a flag is no proposal."""
        return refused()

    def restore(self, key: str, actor: Actor) -> Future[Reviewed]:
        """Not possible."""
        return refused()


def _list(cx: Connection, limit: int, secret: Sequence[str]) -> Offer:
    items: list[ReviewItem] = []
    total = left_out = 0
    found = atoms.get_many(cx, atoms.broken(cx, _MOST))
    for atom in sorted(found.values(), key=lambda one: (one.status_at, one.id)):
        said = decisions.present(cx, atom.memory_ids)
        if any(memory.sensitivity in secret for memory in said):
            left_out += 1
            continue
        total += 1
        if len(items) < limit:
            detail = {"text": atom.text, "type": atom.type}
            items.append(ReviewItem(f"{KIND}:{atom.id}", KIND, said, detail, atom.created_at, ("approve",)))
    return Offer(tuple(items), total, left_out)


def _again(cx: Connection, key: str, context: Context) -> Done[Reviewed]:
    item_id = f"{KIND}:{key}"
    asked = int(key) if key.isascii() and key.isdigit() and len(key) <= 18 else 0
    atom = atoms.get_many(cx, [asked]).get(asked)
    if atom is None or atom.status != "needs_repair":
        raise NotFound(kind="review", id=item_id)
    mended = fact_atoms.mend(cx, asked, context.now, context.zone)
    said = decisions.present(cx, atom.memory_ids)
    reviewed = Reviewed(item_id, "repaired" if mended else "failed", said)
    return Done(reviewed, "review_approved", updated=tuple(memory.id for memory in said))
