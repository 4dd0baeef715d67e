"""Secrets in what is about to be stored: noticed, and masked or marked as the parameter ``privacy.secrets`` says (L1).

The one place where drafts and edits pass by. Ids and names of scopes stay as they are: they have to match. Must not
know how a secret looks (``policy/secrets.py`` does), nor store anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.config import Values
from engine.policy import find, mask_of, masked, strictest
from engine.types import Actor, Memory, Sensitivity

# Every field of a memory that people or assistants write words into.
TEXTS: Final = (
    "title", "content", "summary", "compressed", "category", "mood", "sentiment", "tags", "topics", "participants",
    "key_facts", "source_agent", "source_client", "source_text", "extra", "context", "persona_summary", "entities",
    "tone", "residual", "why", "effective_methods", "trigger", "trigger_name", "trigger_text", "created_context",
    "updated_context", "modalities", "topic_path", "digest_period",
)  # fmt: skip
# A field of an object that says by its name that it holds a secret.
_NAMED: Final = re.compile(
    r"(?i)^(?:\w*[_ -])?(?:pass(?:word|wd|code|phrase)|pwd|pin|secret|token|(?:api|secret|private)[_ -]?key)$"
    r"|密[码碼钥鑰]$|口令$"
)
_SHORTEST: Final = 4
_LONGEST_BARE: Final = 128
# A picture or a document carried along is no text, and costs time.
_CARRIED: Final = "data:"


@dataclass(frozen=True, slots=True)
class Screened:
    """The fields as they may be stored, and the kinds of secrets that were noticed in them, each once."""

    values: dict[str, Any]
    kinds: tuple[str, ...] = ()


def screen(given: Mapping[str, Any], values: Values) -> Screened:
    """Look at the texts among the checked fields ``given``; ``values``: the parameters in force.

    "mask" takes each secret out of every text, also where it stands a second time and by itself; "mark" leaves them
    and asks for sensitivity "high" (see :func:`marked`); "off" looks at nothing.
    """
    mode = values["privacy.secrets"]
    if mode == "off":
        return Screened(dict(given))
    seen: dict[str, str] = {}
    clean = {key: _clean(value, seen) if key in TEXTS and value else value for key, value in given.items()}
    if isinstance(given.get("title"), str) and _is_bare(given.get("content")):
        clean["content"] = _titled(given["title"], clean["content"], seen)
    kinds = tuple(dict.fromkeys(seen.values()))
    if mode != "mask" or not seen:
        return Screened(dict(given), kinds)
    again = _Again(seen)
    return Screened({key: again.clean(value) if key in TEXTS else value for key, value in clean.items()}, kinds)


def screen_edit(before: Memory, given: Mapping[str, Any], actor: Actor, values: Values) -> Screened:
    """The same for an edit of ``before``: only texts that it changes are looked at.

    So a person may lower the sensitivity of what was marked, and it stays; an assistant may not.
    """
    changed = {key: value for key, value in given.items() if key in TEXTS and getattr(before, key) != value}
    screened = screen(changed, values)
    clean, kinds = {**given, **screened.values}, screened.kinds
    told: Sensitivity = given.get("sensitivity", before.sensitivity)
    if not kinds and actor.kind == "client" and strictest(told, before.sensitivity) != told:
        # Lowered: what it still says counts, too.
        kinds = screen({key: getattr(before, key) for key in TEXTS}, values).kinds
    if (level := marked(kinds, told, values)) != told:
        clean["sensitivity"] = level
    return Screened(clean, kinds)


def marked(kinds: Sequence[str], told: Sensitivity, values: Values) -> Sensitivity:
    """How sensitive a text is in which secrets of these ``kinds`` were noticed; ``told``: as its writer says."""
    return strictest(told, "high") if kinds and values["privacy.secrets"] == "mark" else told


class _Again:
    """Takes secrets that are known by now out of texts where nothing around gives them away."""

    def __init__(self, seen: Mapping[str, str]) -> None:
        longest_first = sorted(seen, key=len, reverse=True)
        self._known = re.compile(
            r"(?<![A-Za-z0-9])(?:" + "|".join(re.escape(one) for one in longest_first) + r")(?![A-Za-z0-9])"
        )
        self._seen = seen

    def clean(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._known.sub(lambda one: mask_of(self._seen[one[0]]), value)
        if isinstance(value, Mapping):
            return {self.clean(name): self.clean(item) for name, item in value.items()}
        if isinstance(value, tuple | list):
            return type(value)(_once(self.clean(item) for item in value))
        # A number may be a PIN.
        is_number = isinstance(value, int) and not isinstance(value, bool)
        return mask_of(self._seen[str(value)]) if is_number and str(value) in self._seen else value


def _clean(value: Any, seen: dict[str, str]) -> Any:
    """``value`` without secrets, whatever it is made of; ``seen`` (secret → kind) grows."""
    if isinstance(value, str):
        found = () if value.startswith(_CARRIED) else find(value)
        seen.update((value[one.start : one.end], one.kind) for one in found)
        return masked(value, found) if found else value
    if isinstance(value, Mapping):
        return _cleaned_object(value, seen)
    if isinstance(value, tuple | list):
        return type(value)(_once(_clean(item, seen) for item in value))
    return value


def _once(items: Iterable[Any]) -> list[Any]:
    """Two secrets of one kind become one text, and lists of words hold each once."""
    known: list[Any] = []
    texts: set[str] = set()
    for item in items:
        if not isinstance(item, str) or item not in texts:
            known.append(item)
        if isinstance(item, str):
            texts.add(item)
    return known


def _cleaned_object(value: Mapping[str, Any], seen: dict[str, str]) -> dict[str, Any]:
    clean: dict[str, Any] = {}
    for name, item in value.items():
        plain = whole = _clean(name, seen)
        number = 2
        while plain in clean:
            plain, number = f"{whole} {number}", number + 1
        is_named = _NAMED.search(name) and isinstance(item, str | int) and not isinstance(item, bool)
        clean[plain] = _named(item, seen) if is_named else _clean(item, seen)
    return clean


def _named(item: str | int, seen: dict[str, str]) -> Any:
    """The value of a field that is called "password": all of it, unless it is plainly none."""
    text = str(item)
    plain = _clean(text, seen)
    if plain != text:
        return plain
    if len(text) < _SHORTEST or not find(f"password: {text}"):
        return item
    seen[text] = "password"
    return mask_of("password")


def _is_bare(content: Any) -> bool:
    return isinstance(content, str) and len(content) <= _LONGEST_BARE and len(content.split()) == 1


def _titled(title: str, content: str, seen: dict[str, str]) -> str:
    """A title that says "WiFi password" over a text that is nothing but the password."""
    whole = f"{title}: {content}"
    begin = len(whole) - len(content)
    found = [one for one in find(whole) if one.start >= begin]
    seen.update((whole[one.start : one.end], one.kind) for one in found)
    return masked(whole, found)[begin:]
