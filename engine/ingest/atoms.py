"""Which atom a fact belongs to: the one its memory has, one that is told again, or a new one (S0's reinforcement).

Works in the writer's transaction, each fact under a savepoint: a fact that cannot be kept is flagged, and its memory
stays. Must not write mentions (``ingest/graph.py``) nor read facts out of a text (``facts.py``).
"""

from __future__ import annotations

import itertools
import logging
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Any, Final, NamedTuple

from engine.forgetting import atoms as lifecycle
from engine.ingest.classify import Classified, classify
from engine.ingest.entities import canonicalise
from engine.ingest.facts import Fact
from engine.ingest.guard import Evidence, differs, evidence_of
from engine.ingest.judge_words import Token, Wording, stem
from engine.ingest.opposites import Sides, opposed, sides_of
from engine.ingest.readings import Readings
from engine.storage import atoms as rows
from engine.storage import graph, memories
from engine.storage.database import Connection
from engine.text import terms
from engine.text.normalise import fold
from engine.types import Atom, Memory

log = logging.getLogger("hupo.atoms")

# Jaccard of the bags from which two facts can be one (S0).
ALIKE: Final = 0.6
# Looking for what may be told again: words that are asked about, the entries of each (a word in more is too frequent
# to tell), entries that are looked at, and those that are compared in full.
_MOST_WORDS: Final = 4
_FREQUENT: Final = 200
_LOOKED_AT: Final = 24
_COMPARED: Final = 6
_MIDDLING: Final = 0.5
_PART: Final = re.compile(r"[a-z0-9]+|[^\W_]")
# Said or left out, they change nothing.
_LITTLE: Final = frozenset({"到", "更", "正在"})


class Words(NamedTuple):
    """A fact as it is compared. ``bag``: its telling words in one form each, and the ``first`` of them; ``sides``:
    (group, side) of the small words that exclude each other.
    """

    bag: frozenset[str]
    first: str
    sides: Sides
    evidence: Evidence
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Repaired:
    """How many atoms that could not be stored are sound now, and how many are not yet."""

    repaired: int
    failed: int


def words_of(text: str, read: Wording) -> Words:
    """The telling words of a fact as it was ``read``: synonyms and endings evened out, no function words."""
    said = [token for token in read.tokens if token.weight > 0 and token.surface not in _LITTLE]
    # Figures have more than one form ("20 May", "2026-05-20"); that they agree is for the evidence to say.
    keys = [f"!{token.key}" if token.denied else token.key for token in said if token.kind != "figure"]
    sides = sides_of(read.folded, (token.surface for token in read.tokens))
    bag = frozenset(keys) or terms.bag(text)
    return Words(bag, keys[0] if keys else "", sides, evidence_of(text, read), tuple(said))


def alike(a: Words, b: Words) -> float:
    """How alike two facts are: Jaccard of their bags, 0 where something says that they are not the same.

    One may say more than the other; where each has a word that the other lacks, they speak of different things (one
    word in five tells "green tea" from "black tea"). They must begin with the same, be about the same person, and
    agree in numbers, dates, names, what is denied, and which name comes first.
    """
    shared = len(a.bag & b.bag)
    if not shared or shared < min(len(a.bag), len(b.bag)) or a.first != b.first:
        return 0.0
    if opposed(a.sides, b.sides) or differs(a.evidence, b.evidence) or _turned_round(a.evidence, b.evidence):
        return 0.0
    return shared / max(len(a.bag), len(b.bag))


def settle(
    cx: Connection, memory: Memory, facts: Sequence[tuple[Fact, Classified]], now: datetime, zone: tzinfo,
    readings: Readings,
) -> list[tuple[Fact, int | None]]:  # fmt: skip
    """An atom for each fact of a memory that is stored or edited; None where not even a flagged row could be kept.

    A fact that the memory mentions already keeps its atom; one that is told again reinforces its atom; two facts of
    one memory share an atom only where their text is the same. ``now``: when it is told.
    """
    known: dict[str, int | None] = {}
    for text, atom_id in rows.told_by(cx, memory.id).items():
        if atom_id is not None:
            known.setdefault(canonicalise("fact", text), atom_id)
    keys = [canonicalise("fact", fact.text) for fact, _ in facts]
    taken = {known[key] for key in keys if key in known}
    settled: list[tuple[Fact, int | None]] = []
    for key, (fact, classified) in zip(keys, facts, strict=True):
        if key not in known:
            known[key] = _keep(cx, memory, fact, classified, taken, now, zone, readings)
            taken.add(known[key])
        settled.append((fact, known[key]))
    return settled


def retold(cx: Connection, memory_id: int, now: datetime) -> None:
    """The same memory was told again: its atoms are reinforced; one that was forgotten by then begins a new life."""
    memory_atoms = rows.of_memory(cx, memory_id)
    reborn: dict[int, int] = {}
    for atom in memory_atoms:
        if atom.status in ("active", "dormant", "expired"):
            confidence = lifecycle.KINDS[atom.type].confidence
            rows.update(cx, atom.id, lifecycle.reinforced(atom, confidence, atom.importance, now))
        elif atom.status in ("forgotten", "purged"):
            reborn[atom.id] = rows.insert(cx, _anew(atom, now))
    if reborn:
        mentions = graph.mentions_of(cx, memory_id)
        touched = graph.put(
            cx,
            memory_id,
            [replace(one, atom_id=reborn.get(one.atom_id or 0, one.atom_id)) for one in mentions],
        )
        rows.delete(cx, touched.atoms_gone)


def recalled(cx: Connection, memory_ids: Iterable[int], now: datetime) -> tuple[int, ...]:
    """These memories were recalled: their atoms are fresh again, and the sleeping and expired wake; returns those."""
    ids = rows.ids_of(cx, memory_ids)
    rows.touch(cx, ids, now)
    return lifecycle.wake(cx, ids, now)


def repair(cx: Connection, limit: int, now: datetime, zone: tzinfo) -> Repaired:
    """Try up to ``limit`` flagged atoms again, those tried longest ago first; each under its own savepoint."""
    tried = [mend(cx, atom_id, now, zone) for atom_id in rows.broken(cx, limit)]
    return Repaired(sum(tried), len(tried) - sum(tried))


def mend(cx: Connection, atom_id: int, now: datetime, zone: tzinfo) -> bool:
    """Try one flagged atom again under a savepoint of its own; False: it stays flagged."""
    try:
        with cx:
            _mend(cx, atom_id, now, zone)
    except Exception as error:
        _failed(cx, "repaired", error)
        rows.set_status(cx, [(atom_id, "needs_repair", now)])
        return False
    return True


def _keep(
    cx: Connection, memory: Memory, fact: Fact, classified: Classified, taken: AbstractSet[int | None], now: datetime,
    zone: tzinfo, readings: Readings,
) -> int | None:  # fmt: skip
    atom_id: int | None = None
    try:
        with cx:
            atom_id = _found_or_made(cx, memory, fact, classified, taken, now, zone, readings)
    except Exception as error:
        _failed(cx, "kept", error)
    else:
        return atom_id
    try:
        with cx:
            life = lifecycle.lifetime("unknown", _MIDDLING, 0, now, None, zone)
            atom_id = rows.insert(cx, _row(memory, now, life))
    except Exception as error:
        _failed(cx, "flagged", error)
        return None
    return atom_id


def _found_or_made(
    cx: Connection, memory: Memory, fact: Fact, classified: Classified, taken: AbstractSet[int | None], now: datetime,
    zone: tzinfo, readings: Readings,
) -> int:  # fmt: skip
    same = _told_before(cx, memory, fact.text, taken, readings)
    if same is None:
        return rows.insert(cx, _new(memory, classified, now, zone))
    # An edit that leaves a fact the same in other words is no second telling.
    if memory.id not in same.memory_ids:
        rows.update(cx, same.id, lifecycle.reinforced(same, classified.confidence, memory.importance, now))
    return same.id


def _told_before(
    cx: Connection, memory: Memory, text: str, taken: AbstractSet[int | None], readings: Readings
) -> Atom | None:
    """The active atom of the memory's scope that this fact tells again, or None."""
    scope = (memory.conversation_id, memory.persona_id)
    node = graph.find(cx, "fact", canonicalise("fact", text))
    equal = [] if node is None else rows.active_among(cx, (one[0] for one in graph.entries_of(cx, node)), *scope)
    for candidate in equal:
        if candidate.atom_id not in taken:
            return rows.get_many(cx, [candidate.atom_id]).get(candidate.atom_id)
    new = readings.read(words_of, text)
    best: dict[int, tuple[float, str]] = {}
    for candidate in _candidates(cx, text, new, scope):
        if candidate.atom_id in taken:
            continue
        likeness = alike(new, readings.read(words_of, candidate.text))
        if likeness >= ALIKE and likeness > best.get(candidate.atom_id, (0.0, ""))[0]:
            best[candidate.atom_id] = likeness, candidate.text
    for atom_id, (_, matched) in sorted(best.items(), key=lambda item: (-item[1][0], item[0])):
        # No chain from one telling to the next may lead to what the first would contradict.
        others = [one for one in rows.texts_of(cx, atom_id) if one != matched]
        if not any(differs(new.evidence, readings.read(words_of, one).evidence) for one in others[:_COMPARED]):
            return rows.get_many(cx, [atom_id]).get(atom_id)
    return None


def _candidates(cx: Connection, text: str, new: Words, scope: tuple[str | None, str | None]) -> list[rows.Candidate]:
    """Atoms that may say the same, few enough to compare in full, the likeliest first."""
    asked = [terms.fts_query([word]) for word in _telling(text, new)]
    lists = [rows.entries_with(cx, one, _FREQUENT) for one in asked]
    rare = [entries for entries in lists if len(entries) < _FREQUENT]
    if rare:
        hits = Counter(itertools.chain.from_iterable(rare))
        least = min(2, len(rare))
        entries = sorted((one for one, count in hits.items() if count >= least), key=lambda one: (-hits[one], -one))
    else:
        entries = rows.entries_with(cx, " AND ".join(asked), _LOOKED_AT)
    own = _Look.of(new)
    found = rows.active_among(cx, entries[:_LOOKED_AT], *scope)
    return [one for one in found if own.may_be(fold(one.text))][:_COMPARED]


class _Look(NamedTuple):
    """What a glance at a folded text can tell: cheap, and never stricter than :func:`alike` where it matters.

    ``words`` must all be in a text that says more; one that says less has next to nothing of its own, ``spare``
    synonyms aside.
    """

    first: str
    words: tuple[str, ...]
    parts: frozenset[str]
    spare: int

    @classmethod
    def of(cls, new: Words) -> _Look:
        words = tuple(_beginning(token.surface) for token in new.tokens if _is_own(token))
        first = words[0] if new.tokens and _is_own(new.tokens[0]) else ""
        return cls(first, words, _parts(new.evidence.folded), 2 + 2 * (len(new.tokens) - len(words)))

    def may_be(self, folded: str) -> bool:
        if self.first not in folded:
            return False
        return all(word in folded for word in self.words) or len(_parts(folded) - self.parts) <= self.spare


def _is_own(token: Token) -> bool:
    """Whether a paraphrase would have the very word: it is in no list of synonyms."""
    return token.kind == "han" or (token.kind == "word" and token.key == stem(token.surface))


def _beginning(word: str) -> str:
    return word[:4] if word.isascii() else word


def _parts(folded: str) -> frozenset[str]:
    """The beginnings of words, and the characters of scripts without spaces."""
    return frozenset(_beginning(part) for part in _PART.findall(folded))


def _telling(text: str, new: Words) -> list[str]:
    """The index terms of a fact that its paraphrase would have as well: no synonyms, no pairs across two words."""
    found: list[str] = []
    for token in filter(_is_own, new.tokens):
        if token.kind == "han":
            found += [a + b for a, b in itertools.pairwise(token.surface)] or [token.surface]
        else:
            found += terms.query_terms(token.surface)[:1]
    every = terms.query_terms(text)
    found += [term for term in every if any(map(str.isdigit, term))]
    return sorted(dict.fromkeys(found or every), key=_length, reverse=True)[:_MOST_WORDS]


def _length(term: str) -> int:
    """Long words are rare; a character of Chinese counts as three letters."""
    return len(term) if term.isascii() else 3 * len(term)


def _turned_round(a: Evidence, b: Evidence) -> bool:
    """Whether the names that both have stand in another order: "Tom is Bob's boss", "Bob is Tom's boss"."""
    names = [name for name in sorted(a.names | b.names) if name in a.folded and name in b.folded]
    return sorted(names, key=a.folded.index) != sorted(names, key=b.folded.index)


def _new(memory: Memory, classified: Classified, now: datetime, zone: tzinfo) -> dict[str, Any]:
    life = lifecycle.lifetime(classified.type, memory.importance, 0, now, classified.due, zone)
    own = {
        "type": classified.type,
        "status": lifecycle.status_after("active", {memory.status}),
        "confidence": classified.confidence,
        "importance": memory.importance,
        "event_time": classified.due,
    }
    return _row(memory, now, life) | own


def _row(scope: Memory | Atom, now: datetime, life: lifecycle.Lifetime) -> dict[str, Any]:
    """An atom of which nothing is known but where it belongs, flagged."""
    return {
        "type": "unknown",
        "status": "needs_repair",
        "status_at": now,
        "conversation_id": scope.conversation_id,
        "persona_id": scope.persona_id,
        "importance": _MIDDLING,
        "confidence": lifecycle.KINDS["unknown"].confidence,
        "event_time": None,
        "created_at": now,
        "last_accessed_at": None,
        "last_reinforced_at": None,
        "reinforcement_count": 0,
        "ttl_days": life.ttl_days,
        "expires_at": life.expires_at,
    }


def _anew(atom: Atom, now: datetime) -> dict[str, Any]:
    """The same fact with a new life."""
    life = lifecycle.renewed(atom, atom.importance, 0, now)
    own = {"type": atom.type, "status": "active", "importance": atom.importance, "event_time": atom.event_time}
    return _row(atom, now, life) | own | {"confidence": lifecycle.KINDS[atom.type].confidence}


def _mend(cx: Connection, atom_id: int, now: datetime, zone: tzinfo) -> None:
    """Classify a flagged atom again, as of when it was told. One that nothing mentions goes."""
    atom = rows.get_many(cx, [atom_id])[atom_id]
    said = list(memories.get_many(cx, atom.memory_ids).values())
    if not said:
        rows.delete(cx, [atom_id])
        return
    classified = classify(atom.text, atom.created_at, zone)
    importance = max(memory.importance for memory in said)
    life = lifecycle.lifetime(classified.type, importance, 0, atom.created_at, classified.due, zone)
    values = {
        "type": classified.type,
        "status": lifecycle.status_after("active", {memory.status for memory in said}),
        "status_at": now,
        "importance": importance,
        "confidence": classified.confidence,
        "event_time": classified.due,
        "ttl_days": life.ttl_days,
        "expires_at": life.expires_at,
    }
    rows.update(cx, atom_id, values)


def _failed(cx: Connection, what: str, error: Exception) -> None:
    """Note a failure and go on, unless it took the whole transaction with it. An error's text may quote a memory."""
    if not cx.in_transaction:
        raise error
    log.warning("an atom could not be %s: %s", what, type(error).__name__)
