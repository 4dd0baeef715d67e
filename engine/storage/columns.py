"""How each field of a Memory is kept in a column and in history: one table of kinds, both ways.

Knows no SQL statements. A new field of ``types.Memory`` is added here and in a migration.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, Literal, cast

from engine import clock
from engine.types import Layer, Memory, MemoryStatus, Sensitivity

Kind = Literal["text", "number", "whole", "flag", "list", "object", "moment"]

# Fields that are kept together in the column ``details``, each only where it says something.
DETAILS: Mapping[str, Kind] = MappingProxyType(
    {
        "context": "text", "persona_summary": "text", "entities": "list", "tone": "object", "residual": "object",
        "why": "text", "effective_methods": "list", "trigger": "text", "trigger_name": "text",
        "trigger_text": "text", "created_context": "object", "updated_context": "object", "modalities": "list",
        "topic_path": "list", "digest_level": "whole", "digest_period": "text", "sources": "list",
    }
)  # fmt: skip


# Columns of the table ``memories`` that hold a field of a Memory.
MEMORY: Mapping[str, Kind] = MappingProxyType(
    {
        "uid": "text", "title": "text", "content": "text", "summary": "text", "compressed": "text", "layer": "text",
        "category": "text", "importance": "number", "emotion_intensity": "number", "valence": "number",
        "mood": "text", "sentiment": "text", "tags": "list", "topics": "list", "participants": "list",
        "key_facts": "list", "sensitivity": "text", "status": "text", "pinned": "flag", "protected": "flag",
        "resolved": "flag", "conversation_id": "text", "session_id": "text", "persona_id": "text",
        "position": "whole", "source_agent": "text", "source_client": "text", "source_text": "text",
        "event_time": "moment", "valid_from": "moment", "valid_to": "moment", "superseded_by": "whole",
        "surprise": "number", "external_ids": "list", "extra": "object", "created_at": "moment",
        "updated_at": "moment",
    }
)  # fmt: skip
# Columns that follow from the content.
DERIVED: Mapping[str, Kind] = MappingProxyType({"content_key": "text", "script": "text"})
# Columns of the table ``vitality``.
VITALITY: Mapping[str, Kind] = MappingProxyType(
    {"strength": "number", "last_accessed_at": "moment", "access_count": "number", "recall_count": "whole"}
)
_KINDS: Mapping[str, Kind] = MappingProxyType({**MEMORY, **DERIVED, **VITALITY, **DETAILS, "related": "list"})

# The columns that ``memory_from`` reads, in its order; m = memories, v = vitality.
_PLAIN = [name for name in Memory.__dataclass_fields__ if name not in DETAILS and name != "related"]
_RELATED = "(SELECT json_group_array(l.related_id ORDER BY l.related_id) FROM links AS l WHERE l.memory_id = m.id)"
SELECTED = ", ".join([*(f"{'v' if name in VITALITY else 'm'}.{name}" for name in _PLAIN), _RELATED, "m.details"])


def encode(name: str, value: Any) -> Any:
    """The column value for field ``name``; None stays None. Errors: ``KeyError`` for a field nobody keeps."""
    kind = _KINDS[name]
    return None if value is None else _ENCODE[kind](value)


def memory_from(row: tuple[Any, ...]) -> Memory:
    """The Memory of a row that was selected with :data:`SELECTED`. Hot: 50 rows a recall."""
    (
        memory_id, uid, title, content, summary, compressed, layer, category, importance, strength, emotion, valence,
        mood, sentiment, tags, topics, participants, key_facts, sensitivity, status, pinned, protected, resolved,
        conversation_id, session_id, persona_id, position, agent, client, source_text, event_time, valid_from, valid_to,
        superseded_by, surprise, external_ids, extra, created_at, updated_at, last_accessed_at, access_count,
        recall_count, related, details,
    ) = row  # fmt: skip
    return Memory(
        memory_id, uid, title, content, summary, compressed, cast(Layer, layer), category, importance, strength,
        emotion, valence, mood, sentiment, _items(tags), _items(topics), _items(participants), _items(key_facts),
        cast(Sensitivity, sensitivity), cast(MemoryStatus, status), bool(pinned), bool(protected), bool(resolved),
        conversation_id, session_id, persona_id, position, agent, client, source_text, _moment(event_time),
        _moment(valid_from), _moment(valid_to), superseded_by, surprise, _items(external_ids), _object(extra),
        clock.from_text(created_at), clock.from_text(updated_at), _moment(last_accessed_at), access_count,
        recall_count, _items(related), **({} if details == "{}" else load(details)),
    )  # fmt: skip


def details_json(values: Mapping[str, Any]) -> str:
    """The column ``details`` for a new memory: those of its fields that say something."""
    return dump({name: values[name] for name in DETAILS if values.get(name)})


def detail_changes(values: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    """(JSON path in ``details``, JSON text or None to remove it) for the detail fields among ``values``."""
    return [
        (f"$.{name}", _json(_jsonable(value)) if value else None) for name, value in values.items() if name in DETAILS
    ]


def dump(values: Mapping[str, Any]) -> str:
    """JSON text of some fields of a Memory, for history; fields that are no Memory's are kept if JSON can."""
    return json.dumps({name: _jsonable(value) for name, value in values.items()}, ensure_ascii=False)


def load(text: str) -> dict[str, Any]:
    """The inverse of :func:`dump`: the fields as a Memory holds them (tuples, moments)."""
    return {name: _restored(name, value) for name, value in json.loads(text).items()}


def _items(text: str) -> tuple[Any, ...]:
    return () if text == "[]" else tuple(json.loads(text))


def _object(text: str) -> Mapping[str, Any]:
    return {} if text == "{}" else json.loads(text)


def _moment(text: str | None) -> datetime | None:
    return None if text is None else clock.from_text(text)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _jsonable(value: Any) -> Any:
    if isinstance(value, datetime):
        return clock.to_text(value)
    if isinstance(value, Mapping):
        return dict(value)
    return value


def _restored(name: str, value: Any) -> Any:
    kind = _KINDS.get(name)
    if value is None or kind is None:
        return value
    if kind == "moment":
        return clock.from_text(value)
    return tuple(value) if kind == "list" else value


_ENCODE: Mapping[Kind, Callable[[Any], Any]] = MappingProxyType(
    {
        "text": str,
        "number": float,
        "whole": int,
        "flag": int,
        "list": lambda value: _json(list(value)),
        "object": lambda value: _json(dict(value)),
        "moment": clock.to_text,
    }
)
