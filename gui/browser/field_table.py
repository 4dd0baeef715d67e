"""All fields of a memory as pairs of words and values, empty ones left out. Pure text; imports no widget.

Must not cut or change a value; the view decides how much room it gets.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from engine.types import HistoryEntry, Memory
from gui.look import Look


def rows(memory: Memory, look: Look) -> list[tuple[str, str]]:
    """(name, value) of every field that says something, the most asked for first."""
    texts = look.texts
    given: list[tuple[str, str]] = [
        ("status", texts(f"status.{memory.status}")),
        ("importance", percent(memory.importance)),
        ("strength", percent(memory.strength)),
        ("category", memory.category),
        ("sensitivity", "" if memory.sensitivity == "normal" else texts(f"sensitivity.{memory.sensitivity}")),
        ("summary", memory.summary if memory.summary.strip() != memory.content.strip() else ""),
        ("compressed", memory.compressed),
        ("key_facts", "\n".join(memory.key_facts)),
        ("participants", _listed(memory.participants)),
        ("topics", _listed(memory.topics)),
        ("mood", memory.mood),
        ("sentiment", memory.sentiment),
        ("emotion_intensity", f"{memory.emotion_intensity:g} / 10" if memory.emotion_intensity else ""),
        ("valence", f"{memory.valence:+g}" if memory.valence else ""),
        ("event_time", _moment(memory.event_time, look)),
        ("created_at", _moment(memory.created_at, look)),
        ("updated_at", _moment(memory.updated_at, look) if memory.updated_at != memory.created_at else ""),
        ("last_accessed_at", _moment(memory.last_accessed_at, look)),
        ("recall_count", str(memory.recall_count) if memory.recall_count else ""),
        ("source_client", memory.source_client),
        ("source_agent", memory.source_agent),
        ("conversation_id", memory.conversation_id or ""),
        ("session_id", memory.session_id or ""),
        ("persona_id", memory.persona_id or ""),
        ("position", str(memory.position) if memory.position is not None else ""),
        ("source_text", memory.source_text),
        ("external_ids", _listed(memory.external_ids)),
        ("extra", "\n".join(f"{key}: {value}" for key, value in memory.extra.items())),
        ("uid", memory.uid),
    ]
    return [(texts(f"field.{name}"), value) for name, value in given if value.strip()]


def history_line(entry: HistoryEntry, look: Look) -> tuple[str, str]:
    """(what happened, when and by whom) of one change."""
    texts = look.texts
    key = f"history.{entry.action}"
    what = texts(key) if key in texts else entry.action
    fields = [name for name in (entry.after or {}) if f"field.{name}" in texts]
    if entry.action == "edited" and fields:
        what = texts("history.edited_fields", fields=_listed(tuple(texts(f"field.{name}") for name in fields[:4])))
    who = texts("history.by_window") if entry.actor.kind == "gui" else entry.actor.name or texts("history.by_nobody")
    when = texts("history.when_who", when=look.moment(entry.at), who=who)
    return what, f"{when} · {texts('history.taken_back')}" if entry.undone else when


def percent(value: float) -> str:
    """A share from 0 to 1 for people."""
    return f"{value:.0%}"


def _listed(values: tuple[str, ...]) -> str:
    return ", ".join(values)


def _moment(moment: datetime | None, look: Look) -> str:
    say: Callable[[datetime], str] = look.moment
    return say(moment) if moment is not None else ""
