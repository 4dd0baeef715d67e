"""What the core tools accept and return: argument tables and output schemas, nothing that runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from app.mcp.arguments import Argument, Kind
from engine.types import LAYERS, SENSITIVITIES, STATUSES, Outcome, ReviewAction, Sort

_TEXT: Mapping[str, Any] = {"type": "string"}
_COUNT: Mapping[str, Any] = {"type": "integer"}
_NUMBER: Mapping[str, Any] = {"type": "number"}
_SWITCH: Mapping[str, Any] = {"type": "boolean"}
_OBJECT: Mapping[str, Any] = {"type": "object"}
_TEXTS: Mapping[str, Any] = {"type": "array", "items": _TEXT}
_COUNTS: Mapping[str, Any] = {"type": "array", "items": _COUNT}


def _shape(properties: Mapping[str, Any]) -> dict[str, Any]:
    """An object's schema. Nothing is required: a client may hold an error's {code, fields} against it, too."""
    return {"type": "object", "properties": dict(properties)}


_SCOPE = "a conversation id; default: user-wide"
_FIELDS: tuple[Argument, ...] = (
    Argument("title", "text"),
    Argument("layer", "choice", allowed=LAYERS),
    Argument("category", "text"),
    Argument("importance", "number", minimum=0, maximum=1),
    Argument("tags", "words"),
    Argument("topics", "words"),
    Argument("key_facts", "lines"),
    Argument("participants", "words"),
    Argument("event_time", "moment", "ISO 8601, when it happened or will"),
    Argument("emotion_intensity", "number", minimum=0, maximum=10),
    Argument("valence", "number", minimum=-1, maximum=1),
    Argument("sensitivity", "choice", allowed=SENSITIVITIES),
    Argument("source_agent", "text"),
    Argument("extra", "object"),
)


def _unlisted(kind: Kind, *names: str) -> tuple[Argument, ...]:
    return tuple(Argument(name, kind, listed=False, loose=True) for name in names)


# Fields that only some memories have, and such as clients know from other memory servers: not advertised.
_MORE_FIELDS: tuple[Argument, ...] = (
    *_unlisted("text", "summary", "compressed", "mood", "sentiment", "context", "persona_summary", "why"),
    *_unlisted("text", "trigger", "trigger_name", "trigger_text", "digest_period"),
    *_unlisted("words", "entities", "topic_path"),
    *_unlisted("lines", "effective_methods"),
    *_unlisted("integers", "related", "sources"),
    *_unlisted("object", "tone", "residual", "created_context", "updated_context"),
    *_unlisted("objects", "modalities"),
    Argument("session_id", "text", listed=False),
    Argument("persona_id", "text", listed=False),
    Argument("valid_from", "moment", listed=False),
    Argument("valid_to", "moment", edge="end", listed=False),
    Argument("digest_level", "integer", minimum=0, maximum=4, listed=False),
)

MEMORIZE: tuple[Argument, ...] = (
    Argument("content", "text", required=True),
    *_FIELDS,
    Argument("pinned", "switch"),
    Argument("scope", "text", _SCOPE),
    *_MORE_FIELDS,
    Argument("conversation_id", "text", listed=False),
    Argument("source_text", "text", listed=False, loose=True),
    Argument("external_ids", "words", listed=False, loose=True),
)
MEMORIZE_OUTPUT = _shape(
    {
        "outcome": {"type": "string", "enum": list(get_args(Outcome))},
        "id": _COUNT,
        "uid": _TEXT,
        "title": _TEXT,
        "summary": _TEXT,
        "layer": _TEXT,
        "created_at": _TEXT,
        "vector_pending": _SWITCH,
        "merged_with": _COUNT,
        "text": _TEXT,
        "replaced": _COUNTS,
        "old_texts": _TEXTS,
    },
)

_FILTERS: tuple[Argument, ...] = (
    Argument("layer", "choices", allowed=LAYERS),
    Argument("tags", "words", "all of them"),
    Argument("since", "moment", "ISO 8601 date or time"),
    Argument("until", "moment", "a date includes that day", edge="end"),
    Argument("scope", "text", 'a conversation id (adds the user-wide ones) or "all"; default: user-wide'),
    Argument("include_sensitive", "switch", default=False),
    Argument("category", "words", listed=False),
)
RECALL: tuple[Argument, ...] = (
    Argument("query", "text", required=True),
    Argument("k", "integer", default=5, minimum=1, maximum=50),
    *_FILTERS,
    Argument("explain", "switch", "say why each was found", default=False),
    Argument("budget", "integer", "tokens for the whole answer", default=1500, minimum=100, maximum=20_000),
)
# Both listings may add title, source, scope, pinned, valid_from/valid_to and superseded_by where a memory has them.
_CARD: Mapping[str, Any] = {"id": _COUNT, "when": _TEXT, "layer": _TEXT, "status": _TEXT, "tags": _TEXTS}
RECALL_OUTPUT = _shape(
    {
        "count": _COUNT,
        "memories": {
            "type": "array",
            "items": _shape({**_CARD, "source": _TEXT, "text": _TEXT, "form": _TEXT, "score": _NUMBER, "why": _OBJECT}),
        },
        "confidence": _NUMBER,
        "omitted": _COUNT,
        "hidden": _COUNT,
        "degraded": _TEXTS,
    },
)

LIST: tuple[Argument, ...] = (
    # What the filters mean is said once, in recall.
    *(replace(one, about="") for one in _FILTERS),
    Argument("status", "choices", allowed=STATUSES),
    Argument("sort", "choice", default="newest", allowed=get_args(Sort)),
    Argument("limit", "integer", default=20, minimum=1, maximum=100),
    Argument("cursor", "text", "next_cursor of the page before"),
)
LIST_OUTPUT = _shape(
    {
        "count": _COUNT,
        "total": _COUNT,
        "memories": {
            "type": "array",
            "items": _shape({**_CARD, "snippet": _TEXT}),
        },
        "next_cursor": _TEXT,
    },
)

# The rest of memorize's fields can be edited too; the tool's description says so in fewer tokens.
_OFTEN_EDITED = ("title", "layer", "importance", "tags", "event_time", "sensitivity")
EDIT: tuple[Argument, ...] = (
    Argument("id", "integer", required=True),
    Argument("content", "text"),
    *(one if one.name in _OFTEN_EDITED else replace(one, listed=False) for one in _FIELDS),
    Argument("status", "choice", allowed=STATUSES),
    Argument("scope", "text", 'a conversation id or "user"'),
    Argument("pin", "switch"),
    Argument("resolve", "switch"),
    Argument("undo", "switch", "take back the last change"),
    Argument("pinned", "switch", listed=False),
    Argument("resolved", "switch", listed=False),
    Argument("protected", "switch", listed=False),
    Argument("conversation_id", "text", listed=False),
    Argument("history_id", "integer", listed=False),
    *_MORE_FIELDS,
)
EDIT_OUTPUT = _shape(
    {
        "outcome": {"type": "string", "enum": ["edited", "undone"]},
        "id": _COUNT,
        "changed": _TEXTS,
        "status": _TEXT,
        "pinned": _SWITCH,
        "resolved": _SWITCH,
        "updated_at": _TEXT,
        "history_ids": _COUNTS,
        "brought_back": _COUNTS,
        "replaced": _COUNTS,
        "created": _COUNTS,
    },
)

FORGET: tuple[Argument, ...] = (
    Argument("id", "integer"),
    Argument("ids", "integers", "several at once"),
    Argument("erase", "switch", default=False),
    Argument("confirm", "switch", default=False),
)
FORGET_OUTPUT = _shape(
    {
        "outcome": {"type": "string", "enum": ["trashed", "erased"]},
        "ids": _COUNTS,
        "unchanged": _COUNTS,
        "brought_back": _COUNTS,
        "history_ids": _COUNTS,
    },
)

PATH_HOPS = 6
AROUND_HOPS = 3
RELATIONS: tuple[Argument, ...] = (
    Argument("entity", "text", "a name, in any spelling"),
    Argument("id", "integer", "or a memory"),
    Argument("to", "text", "a second name"),
    Argument("hops", "integer", f"to {AROUND_HOPS}, for a path {PATH_HOPS}", minimum=1, maximum=PATH_HOPS),
    Argument("limit", "integer", default=20, minimum=1, maximum=50),
    Argument("scope", "text", listed=False),
    Argument("conversation_id", "text", listed=False),
    Argument("include_sensitive", "switch", default=False, listed=False),
)
_LIST: Mapping[str, Any] = {"type": "array"}
# entity, entities and also: {name, type, memories}; relations: {from?, to, type, kind, weight, confidence, memories};
# path: {from, to, type, kind, weight, confidence, memory, snippet}. related (memory ids) may be added.
RELATIONS_OUTPUT = _shape(
    {
        "entity": _OBJECT,
        "entities": _LIST,
        "also": _LIST,
        "relations": _LIST,
        "path": _LIST,
        "omitted": _COUNT,
    },
)

BREATH: tuple[Argument, ...] = (
    Argument("budget", "integer", "tokens", minimum=100, maximum=20_000),
    Argument("recent", "integer", "events; default 3", minimum=0, maximum=50),
    Argument("scope", "text", listed=False),
    Argument("conversation_id", "text", listed=False),
    Argument("include_sensitive", "switch", default=False, listed=False),
)
# Each list: {id, text}; reminders also {due, days}. digests: {level, count, latest, periods: {period, sources}}.
BREATH_OUTPUT = _shape(
    {
        "day": _TEXT,
        "facts": _LIST,
        "states": _LIST,
        "events": _LIST,
        "reminders": _LIST,
        "digests": _LIST,
        "more": _OBJECT,
    }
)

# A digest's level is a number, as elsewhere; its name is understood, too.
_LEVELS = (("daily", "day", "日"), ("weekly", "week", "周"), ("monthly", "month", "月"), ("yearly", "year", "年"))
_LEVEL = Argument(
    "level", "integer", "1 daily, 2 weekly, 3 monthly, 4 yearly", minimum=1, maximum=4,
    named={name: level for level, names in enumerate(_LEVELS, 1) for name in (*names, f"{names[-1]}摘要", f"l{level}")},
)  # fmt: skip
_PERIOD = Argument("period", "text", "2026-02-23, 2026-W08, 2026-02 or 2026")
DIGEST: tuple[Argument, ...] = (
    _LEVEL,
    _PERIOD,
    Argument(
        "save",
        "object",
        "the digest you wrote",
        inner=(
            replace(_LEVEL, about=""),
            replace(_PERIOD, about=""),
            Argument("content", "text", required=True),
            Argument("sources", "integers", "ids it was made of", required=True),
            Argument("title", "text"),
            Argument("importance", "number", minimum=0, maximum=1, listed=False),
            Argument("sensitivity", "choice", allowed=SENSITIVITIES, listed=False),
            Argument("source_agent", "text", listed=False),
            *_unlisted("words", "topic_path", "tags", "topics", "participants", "entities"),
            *_unlisted("lines", "key_facts"),
            *_unlisted("object", "extra"),
        ),
    ),
    Argument("budget", "integer", "tokens of sources", minimum=100, maximum=50_000),
    Argument("include_sensitive", "switch", default=False),
)
# due: {level, count, latest, periods: {period, sources}}; sources: {id, when, layer, text, period?, source?, cut?};
# already: {id, text}. What was saved is told as memorize tells it.
DIGEST_OUTPUT = _shape(
    {
        "due": _LIST,
        "level": _COUNT,
        "period": _TEXT,
        "total": _COUNT,
        "sources": _LIST,
        "already": _LIST,
        "omitted": _COUNT,
        "outcome": _TEXT,
        "id": _COUNT,
        "made_of": _COUNTS,
        "replaced": _COUNTS,
    }
)

REVIEW: tuple[Argument, ...] = (
    Argument("action", "choice", default="list", allowed=("list", *get_args(ReviewAction))),
    Argument("id", "text", 'as listed, like "cluster:7"'),
    Argument("text", "text", "approve: your text for a group, or a better one for an offer"),
    Argument(
        "changes",
        "object",
        "approve: memorize's fields to set",
        inner=tuple(
            replace(one, listed=False)
            for one in (Argument("content", "text"), *_FIELDS, Argument("pinned", "switch"), *_MORE_FIELDS)
        ),
    ),
    Argument("archive", "switch", "approve: archive the group's memories"),
    Argument("include_sensitive", "switch", default=False),
    Argument("kinds", "words", listed=False),
    Argument("limit", "integer", default=20, minimum=1, maximum=200, listed=False),
)
# items: {id, kind, memories: {id, text}, and by kind: text, importance, layer, words, verdict, old, new, path, why}.
# total: how many wait, by kind. A decision: outcome, id, memories: {id, status}, history_ids.
REVIEW_OUTPUT = _shape(
    {
        "items": _LIST,
        "total": _OBJECT,
        "omitted": _COUNT,
        "outcome": _TEXT,
        "id": _TEXT,
        "memories": _LIST,
        "history_ids": _COUNTS,
    }
)

STATUS_OUTPUT = _shape(
    {
        "version": _TEXT,
        "counts": _OBJECT,
        "layers": _OBJECT,
        "vectors": _OBJECT,
        "journal": _OBJECT,
        "paused": _SWITCH,
        "trouble": _TEXTS,
    },
)
