"""What follows from a memory's text and lists: its words, atoms, place in the graph and topic, kept in line.

One function for a new memory, an edited one and a rebuild, so that what grew equals what is made anew. Works in the
caller's transaction. Must not touch the memory itself, its passages or its history.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engine.forgetting import atoms as lifecycle
from engine.index import lexical
from engine.ingest import atoms, filing, graph
from engine.ingest.context import Context
from engine.ingest.draft import LEXICAL_FIELDS, Facts, Prepared, classified, lexical_row
from engine.ingest.extract import named_in
from engine.ingest.readings import Readings
from engine.storage import atoms as atom_rows
from engine.storage import graph as graph_rows
from engine.storage.database import Connection
from engine.storage.memories import fields_of
from engine.types import Memory

# What atoms and graph are made from.
_SOURCES = frozenset({"content", "topics", "participants", "key_facts", "entities", "conversation_id", "persona_id"})


def follow(cx: Connection, memory: Memory, found: Facts, context: Context) -> tuple[int, ...]:
    """Make atoms and graph those of ``memory`` as it is now; returns the entries that are gone."""
    settled = atoms.settle(cx, memory, found, context.now, context.zone, context.readings)
    touched = graph.build(cx, memory, settled, context.readings)
    filing.follow(cx, memory, context.now)
    atom_rows.delete(cx, touched.atoms_gone)
    if memory.status != "active":
        follow_status(cx, [memory.id], context)
    return touched.gone


def read_ahead(prepared: Prepared, readings: Readings) -> None:
    """Read what :func:`follow` will want of a draft, so that the writer finds it read."""
    row = prepared.values
    readings.of_text(named_in, row["content"], row["participants"], row["topics"], row["entities"])
    for fact, _ in prepared.facts:
        readings.read(atoms.words_of, fact.text)


def again(cx: Connection, memory: Memory, context: Context) -> tuple[int, ...]:
    """As :func:`follow`, from the memory alone: what a graph that is made anew needs. Its words are of the day on which
    it was told, the life of its facts begins with its last use."""
    found = classified(memory.content, memory.key_facts, memory.created_at, context.zone)
    used = max(memory.created_at, memory.last_accessed_at or memory.created_at)
    return follow(cx, memory, found, replace(context, now=used))


def changed(cx: Connection, memory: Memory, fields: Iterable[str], context: Context) -> tuple[int, ...]:
    """Let everything follow a change of ``fields``; returns the entries that are gone."""
    names = set(fields)
    if names & set(LEXICAL_FIELDS):
        lexical.put(cx, memory.id, lexical_row(fields_of(memory)))
    if "status" in names:
        follow_status(cx, [memory.id], context)
    if "topic_path" in names:
        filing.follow(cx, memory, context.now)
    if not names & _SOURCES:
        return ()
    return follow(cx, memory, classified(memory.content, memory.key_facts, context.now, context.zone), context)


def follow_status(cx: Connection, memory_ids: Iterable[int], context: Context) -> None:
    """A fact is as alive as the memories that say it."""
    lifecycle.follow(cx, tuple(memory_ids), context.now)


def leave(cx: Connection, memory_ids: Iterable[int]) -> tuple[int, ...]:
    """Take memories out of words, atoms and graph before they are deleted; returns the entries that are gone."""
    ids = tuple(memory_ids)
    lexical.remove(cx, ids)
    filing.leave(cx, ids)
    touched = graph_rows.remove(cx, ids)
    atom_rows.delete(cx, touched.atoms_gone)
    return touched.gone
