"""From an error's code to words for people: what happened, what it means, what to do.

The one place where the windows and the command line turn errors into sentences; the words themselves are in the
catalogues (``error.<code>.title|text|remedy``). Never shows memory text. Imports no Qt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.errors import HupoError, all_codes
from gui.texts import Texts

# What can go wrong in the app around the engine and must be said to a person.
APP_CODES = frozenset(
    {
        "host_unreachable",
        "wrong_token",
        "hello_timeout",
        "endpoint_missing",
        "app_closed",
        "no_display",
        "listener_failed",
        "endpoint_unwritable",
        "app_unreachable",
        "restarted",
        "confirm_needed",
        "wrong_server",
        "wrong_user",
        "timeout",
        "hung_up",
        "bad_hello",
    }
)


@dataclass(frozen=True, slots=True)
class Message:
    """A title of a few words, a sentence that says what it means, and what to do; ``remedy`` may be empty."""

    title: str
    sentence: str
    remedy: str

    @property
    def line(self) -> str:
        """All of it as one line."""
        # Chinese full stops bring their own space.
        gap = "" if self.sentence.endswith(("。", "！", "？")) else " "
        return gap.join(part for part in (self.sentence, self.remedy) if part)


def codes() -> frozenset[str]:
    """Every code that must have words."""
    return all_codes() | APP_CODES


def describe(error: BaseException, texts: Texts) -> Message:
    """The words for ``error``; anything that is not a ``HupoError`` is a bug and is called one."""
    if isinstance(error, HupoError):
        return of_code(error.code, error.fields, texts)
    return of_code("internal", {"kind": type(error).__name__}, texts)


def of_code(code: str, fields: Mapping[str, object], texts: Texts) -> Message:
    """The words for a code and its fields. An unknown code is told as it is rather than swallowed."""
    if f"error.{code}.title" not in texts:
        return Message(texts("error.unknown.title"), texts("error.unknown.text", code=code), "")
    values = _values(code, fields, texts)
    parts = []
    for part in ("title", "text", "remedy"):
        key = f"error.{code}.{part}"
        parts.append(texts(key, **values) if key in texts else "")
    return Message(*parts)


def condition(slug: str, texts: Texts) -> str:
    """One sentence for something that is amiss but stops nothing."""
    key = f"condition.{slug}"
    return texts(key) if key in texts else texts("error.unknown.text", code=slug)


def _values(code: str, fields: Mapping[str, object], texts: Texts) -> dict[str, object]:
    """Everything a sentence may name, with a readable stand-in for what the error does not say."""
    unknown = texts("error.value.unknown")
    values: dict[str, object] = dict.fromkeys(
        ("path", "pid", "detail", "seconds", "id", "kind", "found", "supported", "done", "total", "identity"), unknown
    )
    values.update({key: _plain(key, value) for key, value in fields.items() if value not in (None, "")})
    name = str(fields.get("field", ""))
    values["field"] = texts(f"field.{name}") if f"field.{name}" in texts else name or unknown
    kind = f"error.kind.{fields.get('kind', '')}"
    values["kind"] = texts(kind) if kind in texts else values["kind"]
    reason = f"error.{code}.reason.{fields.get('reason', '')}"
    allowed = fields.get("allowed", fields.get("limit", ""))
    values["allowed"] = _range(allowed)
    values["limit"] = values["allowed"]
    values["reason"] = texts(reason, **values) if reason in texts else texts("error.value.no_reason")
    return values


def _plain(key: str, value: object) -> object:
    """Amounts stay numbers (they are grouped by thousands), names of things such as ids and processes do not."""
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value)
    return value if key in ("done", "total", "seconds", "length") and isinstance(value, int) else str(value)


def _range(allowed: object) -> str:
    if isinstance(allowed, list | tuple):
        if len(allowed) == 2 and all(isinstance(item, int | float) for item in allowed):
            return f"{allowed[0]:g} – {allowed[1]:g}"
        return ", ".join(str(item) for item in allowed)
    return f"{allowed:,}" if isinstance(allowed, int) else str(allowed)
