"""breathe: what an assistant should have in mind when a conversation begins (S2's breath, S1's rumination).

The profile, the present, a few recent events, what is due, and now and then something unsettled, each in one line
within a hard token budget. Reads only and reinforces nothing. Two equal questions on one day get equal answers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Any, Final

from engine import policy
from engine.clock import local_date
from engine.digest import compaction
from engine.errors import InvalidArgument
from engine.retrieval.query import check_filters
from engine.storage import memories
from engine.storage.database import Connection
from engine.surfacing import reminders, room, sections
from engine.surfacing.reminders import one_line
from engine.types import Breath, BreathLine, BreathQuery, DigestDue, Filters, Memory, Reminders

MOST_RECENT: Final = 50
_MOST_BESIDE: Final = 50
_CHUNK: Final = 32
# What a hint at digests costs in a caller's words, one a level; hints take no more than a part of the budget, and
# no place that is kept.
_HINT_TOKENS: Final = 20
_HINTS_PART: Final = 3


@dataclass(frozen=True, slots=True)
class _Kept:
    """What keeps its place: due things, then events, then the unsettled one."""

    due: Reminders
    events: Sequence[Memory]
    unsettled: Sequence[Memory]
    secret: AbstractSet[int]
    hidden: int

    @property
    def texts(self) -> list[str]:
        memories_of = (*self.events, *self.unsettled)
        return [*(one.text for one in self.due.items), *map(one_line, memories_of)]

    @property
    def said(self) -> set[int]:
        """The memories that are done with; not those of which a reminder says but a part."""
        in_full = {one.memory.id for one in self.due.items if one.text == one_line(one.memory)}
        return in_full | {memory.id for memory in self.unsettled} | self.secret


@dataclass(frozen=True, slots=True)
class _Section:
    """The first of a section's memories, at least as many as can find room, and how many there are in all."""

    rows: Sequence[Memory]
    texts: Sequence[str]
    total: int
    wanted: int


def breathe(cx: Connection, request: BreathQuery, values: Mapping[str, Any], now: datetime, zone: tzinfo) -> Breath:
    """Answer ``request`` from the snapshot that ``cx`` sees. ``values``: the parameters in force.

    Due things and events keep their places and are cut where they must; facts and states share the rest, and what
    finds no room is counted. Errors: ``InvalidArgument``.
    """
    filters = checked(request)
    budget = int(values["surfacing.budget"]) if request.budget is None else request.budget
    beside = request.line_tokens
    chosen = _keep(cx, filters, request, values, now, zone)
    least = len(chosen.texts) * (room.LEAST_TOKENS + beside)
    most = min(budget // _HINTS_PART, budget - least) // (_HINT_TOKENS + beside)
    digests = _digests(cx, values, now, zone, request, most)
    hints = len(digests) * (_HINT_TOKENS + beside)
    budget -= hints
    hidden = policy.hidden(values, request.include_sensitive)
    standing = sections.standing(cx, filters, now, hidden=hidden, without=chosen.said)
    facts = _section(cx, standing.facts, budget, beside)
    states = _section(cx, standing.states, budget, beside)
    # Long ones among them leave at least half of the budget to the others, if these need it.
    kept_room = min(budget, max(budget // 2, budget - facts.wanted - states.wanted, least))
    kept = room.keep_places(chosen.texts, kept_room, beside)
    told, present = _share(facts, states, budget - kept.tokens, beside)
    texts = iter(kept.texts)
    due = tuple(replace(one, text=text) for one, text in zip(chosen.due.items, texts, strict=False))
    events = _lines(chosen.events, texts)
    unsettled = _lines(chosen.unsettled, texts)
    return Breath(
        day=local_date(now, zone),
        facts=_lines(facts.rows, iter(told.texts)),
        states=_lines(states.rows, iter(present.texts)),
        events=events,
        reminders=due,
        unresolved=unsettled[0] if unsettled else None,
        digests=digests,
        more={
            "facts": facts.total - len(told.texts),
            "states": states.total - len(present.texts),
            "events": len(chosen.events) - len(events),
            "reminders": chosen.due.total - len(due),
        },
        hidden=chosen.hidden + standing.hidden,
        tokens=kept.tokens + told.tokens + present.tokens + hints,
    )


def checked(request: BreathQuery) -> Filters:
    """Whose memories may come up. Errors: ``InvalidArgument`` naming a field that is out of bounds."""
    for field, value, low, high in (
        ("budget", request.budget, 1, None),
        ("recent", request.recent, 0, MOST_RECENT),
        ("line_tokens", request.line_tokens, 0, _MOST_BESIDE),
    ):
        if value is None and field != "line_tokens":
            continue
        if not isinstance(value, int) or isinstance(value, bool):
            raise InvalidArgument(field=field, reason="not_a_number")
        if value < low or (high is not None and value > high):
            raise InvalidArgument(field=field, reason="out_of_range", allowed=[low, high])
    mood = request.valence
    if mood is not None and (isinstance(mood, bool) or not isinstance(mood, int | float) or not math.isfinite(mood)):
        raise InvalidArgument(field="valence", reason="not_a_number")
    if mood is not None and not -1 <= mood <= 1:
        raise InvalidArgument(field="valence", reason="out_of_range", allowed=[-1, 1])
    filters = Filters(scope=request.scope, persona_id=request.persona_id, statuses=("active",))
    check_filters(filters)
    return filters


def _digests(
    cx: Connection, values: Mapping[str, Any], now: datetime, zone: tzinfo, request: BreathQuery, most: int
) -> tuple[DigestDue, ...]:
    """What waits to be digested, at ``most`` so many levels: days before weeks."""
    if most <= 0 or not values["digest.hints"]:
        return ()
    return compaction.due(cx, values, now, zone, include_sensitive=request.include_sensitive)[:most]


def _keep(
    cx: Connection, filters: Filters, request: BreathQuery, values: Mapping[str, Any], now: datetime, zone: tzinfo
) -> _Kept:
    hidden = policy.hidden(values, request.include_sensitive)
    due, secret = reminders.with_secrets(
        cx, filters, now, zone, int(values["surfacing.reminder_days"]), hidden=hidden,
        limit=int(values["surfacing.reminders"]),
    )  # fmt: skip
    # A sensitive one is hidden, and counted, once.
    said = {one.memory.id for one in due.items} | secret
    count = int(values["surfacing.recent"]) if request.recent is None else request.recent
    recent = sections.recent(cx, filters, now, count, noise=sections.noise_tags(values), said=said, hidden=hidden)
    moving = sections.unresolved(
        cx, filters, values, local_date(now, zone), said=said | set(recent.ids), hidden=hidden,
        valence=request.valence,
    )  # fmt: skip
    pressing = () if moving is None else (moving,)
    rows = memories.get_many(cx, (*recent.ids, *pressing))
    return _Kept(
        due, [rows[one] for one in recent.ids], [rows[one] for one in pressing], secret, len(secret) + recent.hidden
    )


def _section(cx: Connection, ids: Sequence[int], budget: int, beside: int) -> _Section:
    """Read the memories that can find room at most, in order."""
    rows: list[Memory] = []
    texts: list[str] = []
    wanted = 0
    for start in range(0, len(ids), _CHUNK):
        if wanted > budget:
            break
        some = ids[start : start + _CHUNK]
        found = memories.get_many(cx, some)
        rows += (found[one] for one in some)
        texts += (one_line(found[one]) for one in some)
        wanted += sum(room.cost(text, beside) for text in texts[start:])
    return _Section(rows, texts, len(ids), wanted)


def _share(facts: _Section, states: _Section, left: int, beside: int) -> tuple[room.Fitted, room.Fitted]:
    """Half each; what one does not need is the other's."""
    share = room.shares([facts.wanted, states.wanted], left)[0]
    told = room.take(facts.texts, share, beside)
    return told, room.take(states.texts, left - told.tokens, beside)


def _lines(rows: Sequence[Memory], texts: Iterator[str]) -> tuple[BreathLine, ...]:
    """A line each for as many of ``rows`` as there are texts."""
    return tuple(
        BreathLine(memory, text) for memory, text in zip(rows, itertools.islice(texts, len(rows)), strict=False)
    )
