"""A change of a memory in words: what happened, when and by whom, what was told in it. Pure; imports no widget."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.types import Actor, HistoryEntry
from gui.browser.presentation import folded
from gui.browser.readable import listed
from gui.look import Look

_MOST_FIELDS = 4
# The key under which a merge keeps, as JSON, the draft that went into the memory.
_TOLD = "told"


@dataclass(frozen=True, slots=True)
class Line:
    """``told``: the text that went into the memory with this change, folded to one line; else empty."""

    what: str
    when: str
    told: str = ""
    can_undo: bool = False


def line(entry: HistoryEntry, look: Look) -> Line:
    """One change for people."""
    texts = look.texts
    when = texts("history.when_who", when=look.moment(entry.at), who=who(entry.actor, look))
    if entry.undone:
        when = f"{when} · {texts('history.taken_back')}"
    told = folded(_told(entry)) if entry.action == "merged" else ""
    # A creation is taken back by the trash, which has a button of its own.
    undo = not entry.undone and entry.action != "created" and bool(entry.before or told)
    return Line(_what(entry, look), when, told, undo)


def who(actor: Actor, look: Look) -> str:
    """Who did it: you, a client by its name, or a rule by what it does."""
    texts = look.texts
    if actor.kind == "gui":
        return texts("history.by_window")
    if actor.kind == "rule" and f"rule.{actor.name}" in texts:
        return texts(f"rule.{actor.name}")
    return actor.name or texts("history.by_nobody")


def _what(entry: HistoryEntry, look: Look) -> str:
    texts = look.texts
    before, after = entry.before or {}, entry.after or {}
    if entry.action == "edited" and before.get("status") == "superseded" and after.get("status") == "active":
        return texts("history.brought_back")
    if entry.action == "brought_back" and entry.actor.kind == "rule":
        return texts("history.brought_back_by_rule")
    if entry.action == "decayed":
        return _night(after, look)
    fields = [texts(f"field.{name}") for name in after if f"field.{name}" in texts]
    if fields and f"history.{entry.action}_fields" in texts:
        return texts(f"history.{entry.action}_fields", fields=listed(fields[:_MOST_FIELDS], texts))
    key = f"history.{entry.action}"
    return texts(key) if key in texts else entry.action


def _night(after: Mapping[str, Any], look: Look) -> str:
    """What a run of forgetting did: for how many days, and how many it put to rest."""
    texts = look.texts
    parts = [texts("history.decayed", n=_number(after, "days"))]
    parts += [
        texts(f"history.decayed_{rest}", n=_number(after, rest))
        for rest in ("dormant", "archived")
        if _number(after, rest)
    ]
    return " · ".join(parts)


def _number(after: Mapping[str, Any], name: str) -> int:
    """0 where an older or broken row does not tell."""
    value = after.get(name)
    return value if isinstance(value, int) else 0


def _told(entry: HistoryEntry) -> str:
    """The text of the draft that was merged in; empty where history no longer holds it."""
    kept = (entry.after or {}).get(_TOLD)
    if not isinstance(kept, str):
        return ""
    try:
        draft = json.loads(kept)
    except ValueError:
        return ""
    content = draft.get("content") if isinstance(draft, dict) else None
    return content if isinstance(content, str) else ""
