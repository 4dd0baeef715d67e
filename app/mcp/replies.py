"""The words for a model: a sentence for every error code, and tool results made of them. English and Chinese.

An error that a tool ran into is a result with ``isError``; arguments that can not be read are the protocol error
-32602 with the field's name. Must not hold memory text: fields of errors never do, and nothing else is quoted here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from mcp import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, TextContent

from app.mcp.words import EXTRAS, KINDS, REASONS, SECRETS, SENTENCES, SUCCESSES, Language, Table
from engine.errors import HupoError, InvalidArgument

# Trouble that only this side of the house knows: ``app_*`` and ``restarted`` are said by the shim.
APP_CODES: frozenset[str] = frozenset({"app_closed", "app_unreachable", "restarted", "confirm_needed"})
# The ones among them that the shim says from its manifest.
SHIM_CODES: tuple[str, ...] = ("app_closed", "app_unreachable", "restarted")


class ConfirmNeeded(HupoError):
    """Erasing for good was asked for without ``confirm``; nothing was changed. Fields: ``ids``."""

    code = "confirm_needed"


def known_codes() -> frozenset[str]:
    """Every code that has a sentence in both languages."""
    return frozenset(code for code, words in SENTENCES.items() if {"en", "zh"} <= words.keys())


def sentence(code: str, fields: Mapping[str, object], language: Language = "en") -> str:
    """What went wrong and what to do, for a model. An unknown code reads as an unexpected error."""
    filled: dict[str, object] = {"id": "?", "kind": "?", "field": "?", "seconds": "?", **fields}
    filled["kind"] = _word(KINDS, str(filled["kind"]), language)
    reason = str(fields.get("reason", "?"))
    allowed = _allowed(fields, language) if code == InvalidArgument.code else ""
    filled["reason"] = _word(REASONS, reason, language) + allowed
    words = SENTENCES.get(code, SENTENCES["internal"])
    return words[language].format_map(filled)


def tool_error(error: HupoError, language: Language = "en") -> CallToolResult:
    """The result of a call that ran into ``error``."""
    return failed(error.code, error.fields, language)


def failed(code: str, fields: Mapping[str, object], language: Language = "en") -> CallToolResult:
    """The result of a call that failed with ``code``; the same words as text and, with the code, as data."""
    return CallToolResult(
        content=[TextContent(type="text", text=sentence(code, fields, language))],
        structured_content={"code": code, "fields": _plain(fields)},
        is_error=True,
    )


def argument_error(error: InvalidArgument, language: Language = "en") -> MCPError:
    """The protocol error -32602 that names the field, the reason and what is allowed."""
    return MCPError(INVALID_PARAMS, sentence(error.code, error.fields, language), _plain(error.fields))


def done(text: str, data: Mapping[str, Any]) -> CallToolResult:
    """A successful result: ``text`` for reading, ``data`` as the output schema says."""
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=dict(data), is_error=False)


def text_for(outcome: str, language: Language, **fields: object) -> str:
    """The sentence of a success."""
    return SUCCESSES[outcome][language].format_map(fields)


def kinds_of_secrets(kinds: Sequence[str], language: Language) -> str:
    """Kinds of secrets in words; one without words of its own is a provider's key."""
    found = [
        SECRETS[one][language] if one in SECRETS else SECRETS["provider"][language].format(name=one) for one in kinds
    ]
    return ("、" if language == "zh" else ", ").join(found)


def _word(table: Table, slug: str, language: Language) -> str:
    return table[slug][language] if slug in table else slug.replace("_", " ")


def _allowed(fields: Mapping[str, object], language: Language) -> str:
    allowed, text = fields.get("allowed"), ""
    if fields.get("reason") == "out_of_range" and isinstance(allowed, Sequence) and len(allowed) == 2:
        low, high = (f"{end:g}" if isinstance(end, int | float) else "" for end in allowed)
        text = EXTRAS["range"][language].format(low, high) if high else EXTRAS["least"][language].format(low)
    elif "nearest" in fields:
        text = EXTRAS["nearest"][language].format(fields["nearest"])
    elif isinstance(allowed, Sequence) and not isinstance(allowed, str):
        text = EXTRAS["allowed"][language].format(", ".join(str(one) for one in allowed))
    ids = fields.get("ids")
    if isinstance(ids, Sequence) and not isinstance(ids, str):
        text += EXTRAS["ids"][language].format(", ".join(str(one) for one in ids))
    if "limit" in fields:
        text += EXTRAS["limit"][language].format(fields["limit"])
    return text


def _plain(fields: Mapping[str, object]) -> dict[str, Any]:
    """``fields`` as JSON values, whatever an error was given."""
    plain: dict[str, Any] = json.loads(json.dumps(dict(fields), ensure_ascii=False, default=str))
    return plain
