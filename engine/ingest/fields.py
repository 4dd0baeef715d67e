"""The fields of a memory as they come from outside: checked one by one, cleaned, or refused with the field's name.

Pure. Nothing of good input is dropped. Which fields there are is ``types.Draft`` and ``types.EDITABLE``; must not
complete what is missing (``draft.py`` does).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from engine.config import Values
from engine.errors import InvalidArgument
from engine.text.normalise import normalise
from engine.types import EDITABLE, LAYERS, LONGEST_TOPIC_NAME, LONGEST_TOPIC_PATH, SENSITIVITIES, STATUSES

_TEXTS = (
    "title", "summary", "compressed", "category", "mood", "sentiment", "source_agent", "source_client", "source_text",
    "context", "persona_summary", "why", "trigger", "trigger_name", "trigger_text", "digest_period",
)  # fmt: skip
_NAMES = ("conversation_id", "session_id", "persona_id")
_LISTS = (
    "tags", "topics", "participants", "key_facts", "external_ids", "entities", "effective_methods",
)  # fmt: skip
_OBJECTS = ("extra", "tone", "residual", "created_context", "updated_context")
_IDS = ("related", "sources")
_MOMENTS = ("event_time", "valid_from", "valid_to", "created_at")
_RANGES = {"importance": (0.0, 1.0), "emotion_intensity": (0.0, 10.0), "valence": (-1.0, 1.0)}
_LEVELS = (0, 4)
_CHOICES: dict[str, tuple[str, ...]] = {"layer": LAYERS, "sensitivity": SENSITIVITIES, "status": STATUSES}
_SWITCHES = ("pinned", "protected", "resolved")
_MOST_ID = (1 << 63) - 1


def check(given: Mapping[str, Any], values: Values, *, draft: bool = False) -> dict[str, Any]:
    """Check fields of a memory; returns them cleaned. ``draft`` allows the fields only a writer may give.

    Errors: ``InvalidArgument``(field, reason, allowed?).
    """
    clean: dict[str, Any] = {}
    for key, value in given.items():
        if not draft and key not in EDITABLE:
            raise InvalidArgument(field=key, reason="not_editable")
        clean[key] = _content(value, int(values["memory.max_characters"])) if key == "content" else _checked(key, value)
    begin, end = clean.get("valid_from"), clean.get("valid_to")
    if begin and end and end < begin:
        raise InvalidArgument(field="valid_to", reason="ends_before_start")
    return clean


def _checked(key: str, value: Any) -> Any:
    judge = _JUDGES.get(key)
    if judge is None:
        raise InvalidArgument(field=key, reason="unknown_field")
    return judge(key, value)


def _choice(key: str, value: Any) -> Any:
    if value not in _CHOICES[key]:
        raise InvalidArgument(field=key, reason="not_a_choice", allowed=list(_CHOICES[key]))
    return value


def _switch(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidArgument(field=key, reason="not_a_switch", allowed=["true", "false"])
    return value


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


def _path(key: str, value: Any) -> tuple[str, ...]:
    """Names from T1 down; two levels may have the same name."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidArgument(field=key, reason="not_a_list")
    names = tuple(_text(key, item).strip() for item in value)
    if len(names) > LONGEST_TOPIC_PATH:
        raise InvalidArgument(field=key, reason="too_deep", limit=LONGEST_TOPIC_PATH)
    for name in names:
        if not normalise(name):
            raise InvalidArgument(field=key, reason="blank_part")
        if len(name) > LONGEST_TOPIC_NAME:
            raise InvalidArgument(field=key, reason="too_long", limit=LONGEST_TOPIC_NAME)
    return names


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


def _object(key: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidArgument(field=key, reason="not_an_object")
    try:
        text = json.dumps(dict(value), ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")
        # As it will be read again: no tuple, no number as a key, nothing that the caller can change afterwards.
        return dict(json.loads(text))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArgument(field=key, reason="not_json") from error


def _name(key: str, value: Any) -> str | None:
    # No conversation, session or persona is None; an empty name would be a scope that no question reaches.
    return (value and _text(key, value)) or None


def _ids(key: str, value: Any) -> tuple[int, ...]:
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise InvalidArgument(field=key, reason="not_a_list")
    found: dict[int, None] = {}
    for item in value:
        if isinstance(item, bool) or not isinstance(item, int):
            raise InvalidArgument(field=key, reason="not_whole")
        if not 0 < item <= _MOST_ID:
            raise InvalidArgument(field=key, reason="out_of_range", allowed=[1, _MOST_ID])
        found.setdefault(item)
    return tuple(sorted(found))


def _objects(key: str, value: Any) -> tuple[dict[str, Any], ...]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InvalidArgument(field=key, reason="not_a_list")
    return tuple(_object(key, item) for item in value)


def _level(key: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidArgument(field=key, reason="not_whole")
    if not _LEVELS[0] <= value <= _LEVELS[1]:
        raise InvalidArgument(field=key, reason="out_of_range", allowed=list(_LEVELS))
    return value


_JUDGES: Mapping[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(_TEXTS, _text),
    **dict.fromkeys(_NAMES, _name),
    **dict.fromkeys(_LISTS, _list),
    **dict.fromkeys(_OBJECTS, _object),
    **dict.fromkeys(_IDS, _ids),
    **dict.fromkeys(_MOMENTS, _moment),
    **dict.fromkeys(_RANGES, _number),
    **dict.fromkeys(_CHOICES, _choice),
    **dict.fromkeys(_SWITCHES, _switch),
    "modalities": _objects,
    "topic_path": _path,
    "digest_level": _level,
}
