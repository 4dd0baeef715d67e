"""What a conversation offers to be remembered (S4): by its importance saved, asked about or dropped, and decided later.

Plain functions over a connection. Whatever is offered is kept as a candidate first and becomes a memory from there, so
that nothing is lost between the two. Must not store a memory itself: the one write path does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from engine import policy
from engine.access import Also, Done
from engine.clock import Clock
from engine.config import Values
from engine.errors import Conflict, InvalidArgument, NotFound
from engine.ingest import draft as drafting
from engine.ingest import fields, screening
from engine.ingest.context import Context
from engine.storage import candidates, memories
from engine.storage.database import Connection
from engine.types import CANDIDATE_STATES, Actor, Candidate, CandidatePage, CandidateState, Changes, Draft, Remembered

MOST: Final = 1_000
# Texts of single memories: what is written for one candidate must not be written for another.
_ONE_EACH: Final = ("content", "title", "summary", "compressed", "persona_summary", "source_text")
_ANOTHER_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Offer:
    """A checked draft: its fields as given, as a memory of it would hold them, and what its importance makes of it.

    ``importance``: "saved", "pending" or "dropped".
    """

    given: Mapping[str, Any]
    prepared: Mapping[str, Any]
    fate: str


@dataclass(frozen=True, slots=True)
class Kept:
    """Candidate ids: what was new and waits or was dropped, what is to be saved now, and what was known."""

    pending: tuple[int, ...]
    dropped: tuple[int, ...]
    save: tuple[int, ...]
    known: tuple[int, ...]


def sift(drafts: Sequence[Draft], session_id: str | None, values: Values, clock: Clock) -> tuple[Offer, ...]:
    """Check every draft as memorize would and sort it by importance. Pure, and slow enough to be kept off the writer.

    Errors: ``InvalidArgument`` for "candidates[2].importance", say, with what memorize says of it and ``index``.
    """
    offers: list[Offer] = []
    for index, draft in enumerate(drafts):
        try:
            if session_id is not None and draft.session_id is None:
                draft = replace(draft, session_id=session_id)
            given = screening.screen(drafting.given(draft, values), values).values
            prepared = drafting.prepare(draft, values, clock).values
        except InvalidArgument as error:
            where = {"field": f"candidates[{index}].{error.fields.get('field', '')}", "index": index}
            raise InvalidArgument(**{**error.fields, **where}) from error
        offers.append(Offer(given, prepared, _fate(prepared["importance"], values)))
    return tuple(offers)


def keep(cx: Connection, offers: Sequence[Offer], context: Context) -> Done[Kept]:
    """Keep each offer as a candidate; what was offered before in its session makes no second one.

    A known one that is offered as more important than before moves up, unless somebody has decided on it.
    """
    fates: dict[int, str] = {}
    for offer in offers:
        found = _known(cx, offer)
        if found is None:
            state: CandidateState = "dropped" if offer.fate == "dropped" else "pending"
            one = candidates.insert(cx, offer.given, offer.prepared, state, context.actor, context.now)
            fates[one] = offer.fate
        elif _rises(cx, found, offer.fate):
            candidates.redraft(cx, found.id, offer.given, offer.prepared)
            candidates.decide(cx, [found.id], "pending", context.now)
            fates[found.id] = offer.fate
        else:
            fates.setdefault(found.id, "known")

    def of(fate: str) -> tuple[int, ...]:
        return tuple(one for one, what in fates.items() if what == fate)

    return Done(Kept(of("pending"), of("dropped"), of("saved"), of("known")), "candidates_offered")


def _rises(cx: Connection, known: Candidate, fate: str) -> bool:
    """Whether what is offered anew changes what becomes of it; what somebody dismissed stays so."""
    if fate == "saved" and known.state == "approved":
        memory = memories.get(cx, known.memory_id or 0)
        return memory is None or memory.status == "trashed"  # as memorize would: what is gone is told anew
    return (fate == "saved" and known.state in ("pending", "dropped")) or (
        fate == "pending" and known.state == "dropped"
    )


def listed(cx: Connection, state: str, limit: int, include_sensitive: bool, values: Values) -> CandidatePage:
    """The candidates of a state, the most important first (S4). Errors: ``InvalidArgument`` for "state", "limit"."""
    if state not in CANDIDATE_STATES:
        raise InvalidArgument(field="state", reason="not_a_choice", allowed=list(CANDIDATE_STATES))
    if isinstance(limit, bool) or not isinstance(limit, int):
        raise InvalidArgument(field="limit", reason="not_whole")
    if not 1 <= limit <= MOST:
        raise InvalidArgument(field="limit", reason="out_of_range", allowed=[1, MOST])
    items, total, hidden = candidates.page(cx, state, limit, policy.hidden(values, include_sensitive))
    return CandidatePage(tuple(items), total, hidden)


def check_approval(
    cx: Connection, ids: Sequence[int], changes: Mapping[str, Any], values: Values, clock: Clock
) -> tuple[int, ...]:
    """Before the first of ``ids`` is approved: that all can be. Returns them without repeats.

    Errors: ``NotFound``; ``Conflict`` "not_pending"; ``InvalidArgument`` for a field of ``changes`` (for texts of more
    than one candidate: "one_at_a_time").
    """
    ids = tuple(dict.fromkeys(ids))
    for name in changes:
        if name not in Draft.__dataclass_fields__ or name == "created_at":
            raise InvalidArgument(field=name, reason="not_editable")
        if name in _ONE_EACH and len(ids) > 1:
            raise InvalidArgument(field=name, reason="one_at_a_time")
    clean = fields.check(changes, values, draft=True)
    for candidate in required(cx, ids).values():
        if candidate.state not in ("pending", "approved"):
            raise Conflict(reason="not_pending", id=candidate.id)
        if clean and candidate.state == "pending":
            drafting.prepare(replace(candidate.draft, **clean), values, clock)
    return ids


def to_approve(cx: Connection, candidate_id: int, changes: Mapping[str, Any], actor: Actor) -> Draft | Remembered:
    """The draft that a pending candidate becomes a memory from; of an approved one, the memory that it is.

    Its words count from the day on which they were told. Errors: ``NotFound``; ``Conflict`` "not_pending".
    """
    candidate = required(cx, [candidate_id])[candidate_id]
    if candidate.state == "approved" and candidate.memory_id is not None:
        memory = memories.require(cx, candidate.memory_id)
        return Remembered("reinforced", memory, Changes("candidates_approved", actor))
    if candidate.state != "pending":
        raise Conflict(reason="not_pending", id=candidate_id)
    told = candidate.draft.created_at or candidate.created_at
    return replace(candidate.draft, **{**changes, "created_at": told})


def approved(candidate_id: int) -> Also:
    """What is written with the memory of a candidate, in its transaction: never is one there without the other."""

    def mark(cx: Connection, context: Context, memory_id: int) -> None:
        now = required(cx, [candidate_id])[candidate_id]
        if now.state == "approved" and now.memory_id == memory_id:
            return  # somebody was faster with the same
        if now.state != "pending":
            raise Conflict(reason="not_pending", id=candidate_id)
        candidates.decide(cx, [candidate_id], "approved", context.now, memory_id)

    return mark


def dismiss(cx: Connection, ids: Sequence[int], context: Context) -> Done[tuple[Candidate, ...]]:
    """Not to be remembered; what was dropped or dismissed already stays so. All of ``ids`` or none.

    Errors: ``NotFound``; ``Conflict`` "not_pending" for one that is a memory.
    """
    return _move(cx, ids, "dismissed", ("pending",), "candidates_dismissed", context)


def restore(cx: Connection, ids: Sequence[int], context: Context) -> Done[tuple[Candidate, ...]]:
    """Wait again, what was dismissed or dropped. All of ``ids`` or none. Errors: as :func:`dismiss`."""
    return _move(cx, ids, "pending", ("dismissed", "dropped"), "candidates_restored", context)


def kept_since(now: datetime, values: Values) -> datetime:
    """What was decided before this moment may go."""
    return now - timedelta(days=float(values["review.keep_days"]))


def clear(cx: Connection, before: datetime) -> Done[int]:
    """Remove what was dropped, dismissed or approved before a moment; how many."""
    return Done(candidates.purge(cx, before), "candidates_cleared")


def required(cx: Connection, ids: Sequence[int]) -> dict[int, Candidate]:
    """The candidates of ``ids``, in their order. Errors: ``NotFound``."""
    found = candidates.get_many(cx, ids)
    for one in ids:
        if one not in found:
            raise NotFound(kind="candidate", id=one)
    return {one: found[one] for one in ids}


def _move(
    cx: Connection, ids: Sequence[int], to: CandidateState, out_of: Sequence[CandidateState], action: str,
    context: Context,
) -> Done[tuple[Candidate, ...]]:  # fmt: skip
    ids = tuple(dict.fromkeys(ids))
    found = required(cx, ids).values()
    for one in found:
        if one.state == "approved":
            raise Conflict(reason="not_pending", id=one.id)
    candidates.decide(cx, [one.id for one in found if one.state in out_of], to, context.now)
    return Done(tuple(required(cx, ids).values()), action)


def _fate(importance: float, values: Values) -> str:
    if importance >= values["review.save_from"]:
        return "saved"
    return "pending" if importance >= values["review.ask_from"] else "dropped"


def _known(cx: Connection, offer: Offer) -> Candidate | None:
    """The candidate that says this already, in this session; what happens on another day is another."""
    row, told = offer.prepared, offer.prepared["event_time"]
    found = candidates.alike(
        cx, row["content_key"], row["conversation_id"], offer.given.get("session_id"), row["persona_id"]
    )
    for one, moment in found:
        if told is None or moment is None or abs(told - moment) < _ANOTHER_DAY:
            return candidates.get_many(cx, [one])[one]
    return None
