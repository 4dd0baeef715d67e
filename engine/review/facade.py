"""The verbs of what waits for a yes or a no: ``Service.review``. Knows kinds only by their name.

Must not decide anything: every yes and no is its caller's.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from engine.errors import InvalidArgument, NotFound
from engine.review.futures import together
from engine.review.kind import Decision, Kind, Offer
from engine.types import Actor, Reviewed, ReviewItem, ReviewPage

_MOST = 200


class Review:
    """Over ``kinds``, in the order in which their items take turns in a list. Ids: "kind:key"."""

    def __init__(self, kinds: Sequence[Kind]) -> None:
        self._kinds = {kind.name: kind for kind in kinds}

    def list(
        self, kinds: Iterable[str] | None = None, limit: int = 20, include_sensitive: bool = False
    ) -> Future[ReviewPage]:
        """What waits, of ``kinds`` (None = all), at most ``limit`` (1–200).

        Errors: ``InvalidArgument`` for fields "kinds" and "limit".
        """
        asked = list(self._kinds) if kinds is None else list(dict.fromkeys(kinds))
        for name in asked:
            if name not in self._kinds:
                raise InvalidArgument(field="kinds", reason="not_a_choice", allowed=list(self._kinds))
        if isinstance(limit, bool) or not isinstance(limit, int):
            raise InvalidArgument(field="limit", reason="not_a_number")
        if not 1 <= limit <= _MOST:
            raise InvalidArgument(field="limit", reason="out_of_range", allowed=[1, _MOST])
        offers = [self._kinds[name].list(limit, include_sensitive) for name in asked]
        return together(offers, lambda found: _page(asked, found, limit))

    def approve(
        self, item_id: str, actor: Actor, text: str | None = None, changes: Mapping[str, Any] | None = None,
        *, archive: bool = False,
    ) -> Future[Reviewed]:  # fmt: skip
        """Yes. A cluster takes ``text``, the one that stands for all, and ``archive``s its sources on demand; a
        candidate and a cluster take ``changes`` to what is stored.

        Errors: ``NotFound`` (kind "review"), ``InvalidArgument``, ``Conflict`` ("not_pending", "changed_since"),
        ``Protected``, ``Paused``, storage errors.
        """
        kind, key = self._of(item_id)
        return kind.approve(key, actor, Decision(text, dict(changes or {}), archive))

    def dismiss(self, item_id: str, actor: Actor) -> Future[Reviewed]:
        """No: it is not offered again. Errors: as :meth:`approve`."""
        kind, key = self._of(item_id)
        return kind.dismiss(key, actor)

    def restore(self, item_id: str, actor: Actor) -> Future[Reviewed]:
        """Undecided again: a no is forgotten, what a yes did is undone. Errors: as :meth:`approve`."""
        kind, key = self._of(item_id)
        return kind.restore(key, actor)

    def _of(self, item_id: str) -> tuple[Kind, str]:
        name, colon, key = item_id.partition(":")
        if not colon or not key or name not in self._kinds:
            raise NotFound(kind="review", id=item_id)
        return self._kinds[name], key


def _page(names: Sequence[str], offers: Sequence[Offer], limit: int) -> ReviewPage:
    """One of each kind in turn, so that many of one hide none of another."""
    turns: list[ReviewItem] = [
        one for turn in itertools.zip_longest(*(offer.items for offer in offers)) for one in turn if one is not None
    ]
    total = {name: offer.total for name, offer in zip(names, offers, strict=True)}
    return ReviewPage(tuple(turns[:limit]), total, sum(offer.hidden for offer in offers))
