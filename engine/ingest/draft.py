"""From what a caller offers to what can be stored: checked, cleaned, completed. Pure: no storage, no embedding.

Bad input is refused with the field's name and a reason; nothing of good input is dropped.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ulid import ULID

from engine.clock import Clock, local_day
from engine.config import Values
from engine.errors import InvalidArgument
from engine.ingest.layers import layer_of
from engine.text import normalise, passages, terms, tokens
from engine.types import EDITABLE, LAYERS, SENSITIVITIES, STATUSES, Draft

SUMMARY_TOKENS = 60
_TEXT_FIELDS = ("title", "summary", "compressed", "category", "mood", "sentiment", "source_agent", "source_client",
                "source_text", "conversation_id", "session_id", "persona_id")  # fmt: skip
_LIST_FIELDS = ("tags", "topics", "participants", "key_facts", "external_ids")
_RANGES = {"importance": (0.0, 1.0), "emotion_intensity": (0.0, 10.0), "valence": (-1.0, 1.0)}
_CHOICES: dict[str, tuple[str, ...]] = {"layer": LAYERS, "sensitivity": SENSITIVITIES, "status": STATUSES}
_SWITCHES = ("pinned", "protected", "resolved")
# What the words of a memory are found by.
LEXICAL_FIELDS = ("title", "content", "tags", "topics", "participants", "key_facts")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A draft that is ready to be stored: ``values`` for ``storage.memories.insert``, its passages and terms."""

    values: Mapping[str, Any]
    passages: tuple[passages.Passage, ...]
    lexical: str


def prepare(draft: Draft, values: Values, clock: Clock) -> Prepared:
    """Check and complete ``draft``. Errors: ``InvalidArgument`` naming the field."""
    now = clock.now()
    given = {field.name: getattr(draft, field.name) for field in dataclasses.fields(draft)}
    if draft.content is None:
        raise InvalidArgument(field="content", reason="not_text")
    # None means "not given" in a draft; the few fields that may stay None are completed below.
    row = check({key: value for key, value in given.items() if value is not None}, values, draft=True)
    content = str(row["content"])
    row.setdefault("importance", values["memory.default_importance"])
    row.setdefault("layer", layer_of(content, str(row["category"])))
    row.setdefault("event_time", None)
    for key in ("conversation_id", "session_id", "persona_id"):
        row.setdefault(key, None)
    if row["conversation_id"] and not row["session_id"]:
        # A conversation's session is the user's day on which it was held.
        row["session_id"] = local_day(row["event_time"] or now, clock).isoformat()
    if not row["summary"]:
        row["summary"] = summary_of(content)
    row.update(derived(content))
    row.update(uid=str(ULID.from_datetime(now)), status="active", protected=False, resolved=False)
    row.update(created_at=now, updated_at=now)
    return Prepared(row, tuple(passages.split(content)), lexical_row(row))


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


def check(given: Mapping[str, Any], values: Values, *, draft: bool = False) -> dict[str, Any]:
    """Check fields of a memory; returns them cleaned. ``draft`` allows the fields only a writer may give.

    Errors: ``InvalidArgument``(field, reason, allowed?).
    """
    clean: dict[str, Any] = {}
    for key, value in given.items():
        if not draft and key not in EDITABLE:
            raise InvalidArgument(field=key, reason="not_editable")
        clean[key] = _checked(key, value, values)
    return clean


def _checked(key: str, value: Any, values: Values) -> Any:
    if key == "content":
        return _content(value, int(values["memory.max_characters"]))
    if key in _TEXT_FIELDS:
        # No conversation, session or persona is None; an empty name would be a scope that no question reaches.
        return (value and _text(key, value)) or None if key.endswith("_id") else _text(key, value)
    if key in _LIST_FIELDS:
        return _list(key, value)
    if key in _RANGES:
        return _number(key, value)
    if key in _CHOICES:
        if value not in _CHOICES[key]:
            raise InvalidArgument(field=key, reason="not_a_choice", allowed=list(_CHOICES[key]))
        return value
    if key in _SWITCHES:
        if not isinstance(value, bool):
            raise InvalidArgument(field=key, reason="not_a_switch", allowed=["true", "false"])
        return value
    if key == "event_time":
        return _moment(key, value)
    if key == "extra":
        return _extra(value)
    raise InvalidArgument(field=key, reason="unknown_field")


def _content(value: Any, limit: int) -> str:
    text = _text("content", value)
    if not text.strip():
        raise InvalidArgument(field="content", reason="empty")
    if len(text) > limit:
        raise InvalidArgument(field="content", reason="too_long", limit=limit, length=len(text))
    return text


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidArgument(field=key, reason="not_text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        # A lone surrogate is no character; storing a stand-in would lose it silently.
        raise InvalidArgument(field=key, reason="not_unicode") from None
    return value


def _list(key: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidArgument(field=key, reason="not_a_list")
    seen: dict[str, None] = {}
    for item in value:
        text = _text(key, item).strip()
        if text:
            seen.setdefault(text)
    return tuple(seen)


def _number(key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidArgument(field=key, reason="not_a_number")
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidArgument(field=key, reason="not_a_number")
    low, high = _RANGES[key]
    if not low <= value <= high:
        raise InvalidArgument(field=key, reason="out_of_range", allowed=[low, high])
    return float(value)


def _moment(key: str, value: Any) -> datetime | None:
    if value is None:
        return None
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise InvalidArgument(field=key, reason="not_a_moment")
    if not 2 <= value.year <= 9998:
        # The calendar's first and last year: another zone's time may lie outside it.
        raise InvalidArgument(field=key, reason="not_a_moment")
    return value.astimezone(UTC)


def _extra(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidArgument(field="extra", reason="not_an_object")
    try:
        text = json.dumps(dict(value), ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")
        # As it will be read again: no tuple, no number as a key, nothing that the caller can change afterwards.
        return dict(json.loads(text))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArgument(field="extra", reason="not_json") from error
