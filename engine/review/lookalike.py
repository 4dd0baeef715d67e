"""Look-alikes: a memory that was stored before its vector was there, and that says what an older one says, or newer.

``judge_again`` gives the verdict that the write would have given; a yes does what it would have done. Must not do
anything by itself: the memory stays as it is until somebody says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from engine.access import Access, Done
from engine.config import Values
from engine.errors import Conflict
from engine.index.space import VectorSpace
from engine.ingest import edit as editing
from engine.ingest import memorize
from engine.ingest.context import Context
from engine.ingest.draft import Prepared
from engine.ingest.duplicates import Judge
from engine.ingest.readings import Readings
from engine.policy import hidden
from engine.review import decisions
from engine.review.kind import Decision, Offer
from engine.storage import clusters, memories, suggestions
from engine.storage.database import Connection
from engine.storage.suggestions import Suggestion
from engine.text.normalise import content_key
from engine.types import FINDABLE, Actor, Memory, Reviewed, ReviewItem

KIND: Final = "lookalike"


@dataclass(frozen=True, slots=True)
class Found:
    """``new`` is to ``old`` what a write would have found, had it had its vector in time."""

    verdict: Literal["same", "update"]
    old: Memory
    new: Memory


def judge_again(
    cx: Connection, memory_id: int, space: VectorSpace, values: Values, readings: Readings
) -> Sequence[Found]:
    """What a memory repeats or replaces, by words and vectors."""
    new = memories.get(cx, memory_id)
    made = clusters.first_vectors(cx, space.identity_id, [memory_id])
    if new is None or not made or new.status not in FINDABLE or new.protected or new.digest_level:
        return ()
    judge = Judge(Prepared(memories.fields_of(new), (), ""), list(made.values()), space, values, readings, memory_id)
    verdict = judge.verdict(cx, judge.look(cx))
    if verdict.kind == "new":
        return ()
    return tuple(Found(verdict.kind, old, new) for old in verdict.memories)


def keep(cx: Connection, found: Found, at: datetime) -> bool:
    """Offer it, unless this pair was; True where it is new."""
    detail = {"verdict": found.verdict, "old": found.old.id, "new": found.new.id, "texts": _texts(found.old, found.new)}
    ids = (found.old.id, found.new.id)
    return suggestions.offer(cx, KIND, f"{ids[0]}-{ids[1]}", ids, detail, at, least=2) is not None


class Lookalikes:
    """Pairs that wait: ids "lookalike:old-new"."""

    name = KIND

    def __init__(self, access: Access) -> None:
        self._access = access

    def list(self, limit: int, include_sensitive: bool) -> Future[Offer]:
        """The pairs that are still as they were judged, the newest first."""
        secret = hidden(self._access.settings.current, include_sensitive)
        return self._access.read(lambda cx: _list(cx, limit, secret))

    def approve(self, key: str, actor: Actor, decision: Decision) -> Future[Reviewed]:
        """Merge or replace. Errors: ``Conflict`` ("changed_since") where one was changed after it was judged."""
        decision.refuse_but()
        return self._access.write(actor, lambda cx, context: _approve(cx, key, context))

    def dismiss(self, key: str, actor: Actor) -> Future[Reviewed]:
        """They are two; never offered again."""
        return self._access.write(
            actor, lambda cx, context: decisions.dismiss(cx, suggestions.get(cx, KIND, key), _item_id(key), context)
        )

    def restore(self, key: str, actor: Actor) -> Future[Reviewed]:
        """Both as they were before the yes, and the pair is offered again."""
        return self._access.write(
            actor, lambda cx, context: decisions.restore(cx, suggestions.get(cx, KIND, key), _item_id(key), context)
        )


def _list(cx: Connection, limit: int, secret: Sequence[str]) -> Offer:
    items: list[ReviewItem] = []
    total = left_out = 0
    for one in suggestions.of_kind(cx, KIND, "open"):
        pair = _pair(cx, one)
        if pair is None:
            continue
        if any(memory.sensitivity in secret for memory in pair):
            left_out += 1
            continue
        total += 1
        if len(items) < limit:
            detail = {name: one.detail[name] for name in ("verdict", "old", "new")}
            items.append(ReviewItem(_item_id(one.key), KIND, (pair[1], pair[0]), detail, one.created_at))
    return Offer(tuple(items), total, left_out)


def _approve(cx: Connection, key: str, context: Context) -> Done[Reviewed]:
    item_id = _item_id(key)
    one = decisions.waiting(suggestions.get(cx, KIND, key), item_id)
    pair = _pair(cx, one)
    if pair is None:
        raise Conflict(reason="changed_since", id=item_id)
    old, new = pair
    for memory in pair:
        editing.refuse_protected(memory, context.actor)
    gone_passages: tuple[int, ...] = ()
    gone_entries: tuple[int, ...] = ()
    if one.detail["verdict"] == "same":
        stored = memorize.merge_stored(cx, old, new, context)
        edited = editing.apply(cx, new.id, {"status": "trashed"}, context, action="trashed")
        rows = [*stored.history_ids, *([edited.history_id] if edited.history_id is not None else [])]
        rows += [history_id for _, history_id in edited.also]
        gone_passages = (*stored.gone_passages, *edited.gone_passages)
        gone_entries = (*stored.gone_entries, *edited.gone_entries)
        outcome = "merged"
    else:
        rows = memorize.supersede(cx, [old], new, context.actor, context)
        if new.valid_from is None:
            begin = {"valid_from": memorize.begins(new, context.now)}
            rows.append(memorize.set_fields(cx, new, begin, "edited", context.actor, context))
        outcome = "superseded"
    decisions.approved(cx, one, rows, context)
    reviewed = Reviewed(item_id, outcome, decisions.present(cx, (old.id, new.id)), tuple(rows))
    return Done(
        reviewed, "review_approved", updated=(old.id, new.id), history_ids=tuple(rows), gone_passages=gone_passages,
        gone_entries=gone_entries,
    )  # fmt: skip


def _pair(cx: Connection, one: Suggestion) -> tuple[Memory, Memory] | None:
    """(old, new) if both are there and say what they said when they were judged."""
    found = memories.get_many(cx, (one.detail["old"], one.detail["new"]))
    old, new = found.get(one.detail["old"]), found.get(one.detail["new"])
    if old is None or new is None or old.status not in FINDABLE or new.status not in FINDABLE:
        return None
    return (old, new) if _texts(old, new) == one.detail["texts"] else None


def _texts(old: Memory, new: Memory) -> str:
    """A mark of both texts, without a word of them."""
    return content_key(f"{content_key(old.content)} {content_key(new.content)}")


def _item_id(key: str) -> str:
    return f"{KIND}:{key}"
