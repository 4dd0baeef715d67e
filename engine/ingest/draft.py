"""From what a caller offers to what can be stored: checked, cleaned, completed. Pure: no storage, no embedding.

Bad input is refused with the field's name and a reason; nothing of good input is dropped.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, tzinfo
from typing import Any, Final

from ulid import ULID

from engine.clock import Clock, local_day
from engine.config import Values
from engine.errors import InvalidArgument
from engine.ingest import screening
from engine.ingest.classify import Classified, classify
from engine.ingest.facts import Fact, facts_of
from engine.ingest.fields import check
from engine.ingest.layers import layer_of
from engine.text import normalise, passages, terms, tokens
from engine.types import Draft, Layer, Memory, Sensitivity

_EMPTY: Mapping[str, Any] = {name: getattr(Draft(""), name) for name in Draft.__dataclass_fields__}
Facts = Sequence[tuple[Fact, Classified]]
SUMMARY_TOKENS = 60
_LASTING: Final[tuple[Layer, ...]] = ("fact", "state")
# What the words of a memory are found by.
LEXICAL_FIELDS = (
    "title", "content", "tags", "topics", "participants", "key_facts", "entities", "context", "trigger_text",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Prepared:
    """A draft that is ready to be stored: ``values`` for ``storage.memories.insert``, its passages, terms and facts."""

    values: Mapping[str, Any]
    passages: tuple[passages.Passage, ...]
    lexical: str
    facts: Facts = ()
    # The kinds of secrets noticed in it, and how sensitive it is by its writer's word alone.
    secrets: tuple[str, ...] = ()
    told_sensitivity: Sensitivity = "normal"
    # Whether its layer is a guess by rule, not its writer's word.
    layer_by_rule: bool = False

    def with_surprise(self, surprise: float | None) -> Prepared:
        """The same with what only a look at the store can tell: 1 − the best cosine to what is known (S1)."""
        return self if surprise is None else dataclasses.replace(self, values={**self.values, "surprise": surprise})

    def in_place_of(self, replaced: Iterable[Memory]) -> Prepared:
        """The same as what takes the place of others: "has moved to" reads like an event, yet it says how things are
        as lastingly as what it replaces did. A layer that its writer named stays.
        """
        layers = {old.layer for old in replaced if not old.digest_level}
        lasting = next((one for one in _LASTING if one in layers), None)
        if not self.layer_by_rule or self.values["layer"] != "event" or lasting is None:
            return self
        return dataclasses.replace(self, values={**self.values, "layer": lasting})


def prepare(draft: Draft, values: Values, clock: Clock) -> Prepared:
    """Check and complete ``draft``. Errors: ``InvalidArgument`` naming the field."""
    now = clock.now()
    screened = screening.screen(given(draft, values), values)
    row = {**_EMPTY, **screened.values}
    told_sensitivity: Sensitivity = row["sensitivity"]
    row["sensitivity"] = screening.marked(screened.kinds, told_sensitivity, values)
    told = min(row["created_at"] or now, now)
    content = str(row["content"])
    found = classified(content, row["key_facts"], told, clock.zone())
    if row["importance"] is None:
        row["importance"] = values["memory.default_importance"]
    layer_by_rule = row["layer"] is None
    if layer_by_rule:
        row["layer"] = layer_of(content, str(row["category"]), {fact.text: one for fact, one in found})
    if row["conversation_id"] and not row["session_id"]:
        # A conversation's session is the user's day on which it was held.
        row["session_id"] = local_day(row["event_time"] or told, clock).isoformat()
    if not row["summary"]:
        row["summary"] = summary_of(content)
    row.update(derived(content))
    row.update(uid=str(ULID.from_datetime(told if told.year >= 1970 else now)), status="active", protected=False)
    row.update(resolved=False, created_at=told, updated_at=now, last_accessed_at=now if told < now else None)
    if row["event_time"] is None and row["layer"] == "event":
        # "Tomorrow" means something on the day it is said only; what a memory is about is kept as a date.
        row["event_time"] = _told_of(found, told, clock)
    parts = tuple(passages.split(content))
    return Prepared(row, parts, lexical_row(row), found, screened.kinds, told_sensitivity, layer_by_rule)


def given(draft: Draft, values: Values) -> dict[str, Any]:
    """The fields that ``draft`` gives, checked and cleaned. Errors: ``InvalidArgument`` naming the field."""
    if draft.content is None:
        raise InvalidArgument(field="content", reason="not_text")
    # None means "not given" in a draft. What was left out needs no check.
    found = {name: value for name in _EMPTY if (value := getattr(draft, name)) is not None and value != _EMPTY[name]}
    return check({"content": draft.content, **found}, values, draft=True)


def _told_of(found: Facts, now: datetime, clock: Clock) -> datetime | None:
    """The first time that is told of. "Today" alone is when it was said, which is known more exactly; the day of a plan
    that is off is no day on which anything happens.
    """
    told = (one.event_time for _, one in found if one.type == "planned" or one.gone is None)
    moment = next((one for one in told if one), None)
    if moment is None or moment.astimezone(clock.zone()).timetz().replace(tzinfo=None) != time.min:
        return moment
    return None if local_day(moment, clock) == local_day(now, clock) else moment


def classified(content: str, key_facts: Sequence[str], moment: datetime, zone: tzinfo) -> Facts:
    """The facts of a memory, each classified; its date words count from ``moment``."""
    return tuple((fact, classify(fact.text, moment, zone)) for fact in facts_of(content, key_facts))


def derived(content: str) -> dict[str, str]:
    """The columns that follow from the content alone."""
    return {"content_key": normalise.content_key(content), "script": normalise.script_of(content)}


def summary_of(content: str) -> str:
    """One line that stands for ``content`` in a list."""
    return tokens.cut(" ".join(content.split()), SUMMARY_TOKENS)


def lexical_row(row: Mapping[str, Any]) -> str:
    """The prepared terms of a memory (a mapping or the values of a Memory)."""
    parts: list[str] = []
    for key in LEXICAL_FIELDS:
        value = row[key]
        parts.extend([value] if isinstance(value, str) else value)
    return terms.fts_row("\n".join(part for part in parts if part))
