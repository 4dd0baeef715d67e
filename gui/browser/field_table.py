"""All fields of a memory as pairs of words and values, empty ones left out. Pure text; imports no widget.

Must not cut or change a value; the view decides how much room it gets. What has a place of its own in the pane
(text, title, tags, facts, people and topics, what replaced it) is not told twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from engine.types import Memory
from gui.browser.around import Around, names, plain, told_facts
from gui.browser.readable import blocks, lines, listed
from gui.look import Look


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: its name, and either text or the ids of memories to open."""

    name: str
    text: str = ""
    memories: tuple[int, ...] = ()


def rows(memory: Memory, around: Around, look: Look) -> list[Row]:
    """Every field that says something, the most asked for first."""
    given = [*_standing(memory, look), *_said(memory, around, look), *_meant(memory, look), *_origin(memory, look)]
    texts = look.texts
    return [
        Row(texts(f"field.{one.name}"), one.text, one.memories) for one in given if one.text.strip() or one.memories
    ]


def percent(value: float) -> str:
    """A share from 0 to 1 for people."""
    return f"{value:.0%}"


def _standing(memory: Memory, look: Look) -> list[Row]:
    texts = look.texts
    return [
        Row("status", texts(f"status.{memory.status}")),
        Row("importance", percent(memory.importance)),
        Row("strength", percent(memory.strength)),
        Row("surprise", percent(memory.surprise) if memory.surprise is not None else ""),
        Row("category", memory.category),
        Row("sensitivity", "" if memory.sensitivity == "normal" else texts(f"sensitivity.{memory.sensitivity}")),
    ]


def _said(memory: Memory, around: Around, look: Look) -> list[Row]:
    texts = look.texts
    told = {plain(fact.text) for fact in told_facts(memory, around)}
    facts = [fact for fact in memory.key_facts if plain(fact) not in told]
    shown = {plain(name) for _, name in names(memory, around)}
    entities = [name for name in memory.entities if plain(name) not in shown]
    level, period = memory.digest_level, memory.digest_period
    digest = [texts(f"digest.{level}")] if level else []
    return [
        Row("summary", memory.summary if memory.summary.strip() != memory.content.strip() else ""),
        Row("compressed", memory.compressed),
        Row("persona_summary", memory.persona_summary),
        Row("key_facts", "\n".join(facts)),
        Row("why", memory.why),
        Row("effective_methods", "\n".join(memory.effective_methods)),
        Row("context", memory.context),
        Row("residual", lines(memory.residual, texts)),
        Row("entities", listed(entities, texts)),
        Row("topic_path", " › ".join(memory.topic_path)),
        Row("digest_level", " · ".join([*digest, *([period] if period.strip() else [])])),
        Row("sources", memories=memory.sources),
        Row("related", memories=memory.related),
    ]


def _meant(memory: Memory, look: Look) -> list[Row]:
    texts = look.texts
    return [
        Row("mood", memory.mood),
        Row("sentiment", memory.sentiment),
        Row("emotion_intensity", f"{memory.emotion_intensity:g} / 10" if memory.emotion_intensity else ""),
        Row("valence", f"{memory.valence:+g}" if memory.valence else ""),
        Row("tone", lines(memory.tone, texts)),
        Row("trigger_name", memory.trigger_name),
        Row("trigger_text", memory.trigger_text),
        Row("trigger", memory.trigger),
    ]


def _origin(memory: Memory, look: Look) -> list[Row]:
    texts = look.texts
    return [
        Row("event_time", _moment(memory.event_time, look)),
        Row("created_at", _moment(memory.created_at, look)),
        Row("updated_at", _moment(memory.updated_at, look) if memory.updated_at != memory.created_at else ""),
        Row("last_accessed_at", _moment(memory.last_accessed_at, look)),
        Row("recall_count", str(memory.recall_count) if memory.recall_count else ""),
        Row("source_client", memory.source_client),
        Row("source_agent", memory.source_agent),
        Row("conversation_id", memory.conversation_id or ""),
        Row("session_id", memory.session_id or ""),
        Row("persona_id", memory.persona_id or ""),
        Row("position", str(memory.position) if memory.position is not None else ""),
        Row("source_text", memory.source_text),
        Row("modalities", blocks(memory.modalities, texts)),
        Row("created_context", lines(memory.created_context, texts)),
        Row("updated_context", lines(memory.updated_context, texts)),
        Row("external_ids", listed(memory.external_ids, texts)),
        Row("extra", lines(memory.extra, texts)),
        Row("uid", memory.uid),
    ]


def _moment(moment: datetime | None, look: Look) -> str:
    return look.moment(moment) if moment is not None else ""
