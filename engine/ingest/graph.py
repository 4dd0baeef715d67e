"""From a memory to its rows in the graph: who and what it mentions, as the user's aliases have it.

Everything but the lives of facts (atoms) follows from the memory and the aliases, so that building all memories anew
gives the same graph. Must not make atoms (``atoms.py``) nor read the text itself (``extract.py``, ``facts.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.ingest.entities import canonicalise, resolve
from engine.ingest.extract import named_in
from engine.ingest.facts import Fact
from engine.ingest.readings import Readings
from engine.storage import graph
from engine.storage.database import Connection
from engine.storage.graph import Mentioned, Touched
from engine.types import Memory

MOST_FACTS: Final = 8


def build(cx: Connection, memory: Memory, facts: Sequence[tuple[Fact, int | None]], readings: Readings) -> Touched:
    """Bring the memory's mentions in line with what it says now; equal ones keep their rows.

    ``facts``: at most the first 8, each with its atom; None keeps the atom that this memory has for the fact.
    """
    rows = _facts(cx, memory.id, facts)
    for named in readings.of_text(named_in, memory.content, memory.participants, memory.topics, memory.entities):
        canonical = resolve(cx, named.type, canonicalise(named.type, named.text), memory.id)
        rows.append(Mentioned(named.type, canonical, named.text, named.given))
    return graph.put(cx, memory.id, rows)


def _facts(cx: Connection, memory_id: int, facts: Sequence[tuple[Fact, int | None]]) -> list[Mentioned]:
    kept: dict[str, int] = {}
    if any(atom_id is None for _, atom_id in facts):
        for row in graph.mentions_of(cx, memory_id):
            if row.type == "fact" and row.atom_id is not None:
                kept[row.canonical] = row.atom_id
    found: dict[str, Mentioned] = {}
    for fact, atom_id in facts:
        canonical = canonicalise("fact", fact.text)
        if canonical and canonical not in found and len(found) < MOST_FACTS:
            life = kept.get(canonical) if atom_id is None else atom_id
            found[canonical] = Mentioned("fact", canonical, fact.text, fact.given, life)
    return list(found.values())
