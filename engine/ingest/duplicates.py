"""What is known already that a new memory may repeat or replace: candidates first, then a verdict.

Looking for candidates needs no lock and happens before the write; the verdict is given inside it, over rows as they
are then. A memory that people protected is never merged or replaced. Must not change a row (``memorize.py`` does).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from engine.config import Values
from engine.index import lexical, nearest
from engine.index.space import VectorSpace
from engine.ingest import likeness, plans
from engine.ingest.draft import Prepared
from engine.ingest.judge_features import features_from
from engine.ingest.likeness import UPDATE_COSINE
from engine.ingest.readings import Readings
from engine.storage import digests, memories, passages
from engine.storage.database import Connection
from engine.text import passages as splitting
from engine.text import terms
from engine.types import FINDABLE, Filters, Memory

# So many are looked at by words and by meaning each, and so many words are asked about.
_CANDIDATES: Final = 5
_WORDS: Final = 6
# As many of the newest, which came while the candidates were looked for.
_RECENT: Final = 16
# A text that replaces more than this many at once is more likely misread than so newsworthy.
_MOST_REPLACED: Final = 3
# A longer text is a document: it is no telling of one thing, and is kept as it came.
_LONGEST: Final = 1_000


@dataclass(frozen=True, slots=True)
class Near:
    """What a look found: ``ids`` of memories that the text repeats or replaces as things stand, the highest memory id
    that was there, and ``surprise``: 1 − the best cosine to what is known.
    """

    ids: tuple[int, ...] = ()
    newest: int = 0
    surprise: float | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """``kind`` "same" names the one memory, "update" those that the new one replaces; "new" names none."""

    kind: Literal["new", "same", "update"] = "new"
    memories: tuple[Memory, ...] = ()


@dataclass(frozen=True, slots=True)
class Judge:
    """Looks at one draft. ``made``: its vectors in ``space``, where they are there in time.

    ``own``: the id of a memory that is stored already and judged again; then only older ones are looked at.
    """

    prepared: Prepared
    made: Sequence[np.ndarray] | None
    space: VectorSpace | None
    values: Values
    readings: Readings
    own: int = 0

    @property
    def applies(self) -> bool:
        """Whether the draft is one telling of something. Turns of a conversation are a record and stay as they came;
        what is made of other memories says the same as they do by its nature."""
        row = self.prepared.values
        wanted = self.values["memory.merge"] or self.values["memory.supersede"]
        turn = row["conversation_id"] is not None and splitting.is_turn(row["content"])
        made = row["digest_level"] or row["sources"]
        return bool(wanted) and not turn and not made and len(row["content"]) <= _LONGEST

    def look(self, cx: Connection) -> Near:
        """Before the write, in a snapshot: what is like the draft by telling words and by its vector, judged."""
        if not self.applies:
            return Near()
        row = self.prepared.values
        newest = memories.newest(cx)
        filters = Filters(scope=row["conversation_id"], persona_id=row["persona_id"])
        expression = terms.fts_query(likeness.specific(row["content"], _WORDS))
        most = _CANDIDATES + bool(self.own)
        found = [memory_id for memory_id, _ in lexical.search(cx, expression, most, filters)]
        surprise = None
        if self.made and self.space is not None and self.space.ready:
            near = nearest.own(cx, self.space.index, self.made[0], most)
            found += [memory_id for memory_id, _ in near]
            surprise = round(1.0 - max((cosine for _, cosine in near), default=0.0), 4)
        judged = self._judged(cx, found)
        return Near(tuple(memory.id for _, memory, _ in judged), newest, surprise)

    def verdict(self, cx: Connection, near: Near) -> Verdict:
        """Inside the write: over what the look found and what came since, as the rows are now.

        A digest replaces the one that its period has, whatever they say: there is one at a time.
        """
        if self.prepared.values["digest_level"]:
            return self._of_its_period(cx)
        if not self.applies:
            return Verdict()
        judged = self._judged(cx, (*near.ids, *memories.newer(cx, near.newest, _RECENT)))
        same = [(cosine, -memory.id, memory) for kind, memory, cosine in judged if kind == "same"]
        if same:
            return Verdict("same", (max(same, key=lambda one: one[:2])[2],))
        off, planned = plans.called_off(cx, self.prepared, self.readings, lambda ids: self._candidates(cx, ids))
        best = sorted(
            ((-cosine, memory.id, memory) for _, memory, cosine in judged if memory.id not in planned),
            key=lambda one: one[:2],
        )
        replaced = {one[1]: one[2] for one in best} if len(best) <= _MOST_REPLACED else {}
        if self.values["memory.supersede"]:
            replaced |= off
        return Verdict("update", tuple(replaced.values())) if replaced else Verdict()

    def _of_its_period(self, cx: Connection) -> Verdict:
        row = self.prepared.values
        ids = digests.current(cx, row["digest_level"], row["digest_period"], row["conversation_id"])
        old = tuple(memory for memory in memories.get_many(cx, ids).values() if not memory.protected)
        return Verdict("update", old) if old else Verdict()

    def _judged(self, cx: Connection, ids: Iterable[int]) -> list[tuple[str, Memory, float]]:
        """("same" or "update", memory, cosine or 0) of those of ``ids`` that the draft repeats or replaces."""
        asked = tuple(one for one in dict.fromkeys(ids) if not self.own or one < self.own)
        cosines = self._cosines(cx, asked)
        # Most are let go by their meaning alone, before a row is read.
        rows = self._candidates(cx, [one for one in asked if cosines.get(one, UPDATE_COSINE) >= UPDATE_COSINE])
        if not rows:
            return []
        row = self.prepared.values
        new = likeness.Side(self.readings.read(features_from, row["content"]), row["layer"], row["event_time"])
        found: list[tuple[str, Memory, float]] = []
        for memory in rows:
            old = likeness.Side(self.readings.read(features_from, memory.content), memory.layer, memory.event_time)
            cosine = cosines.get(memory.id)
            kind = likeness.judge(old, new, cosine).kind
            wanted = (kind == "same" and self.values["memory.merge"]) or (
                kind == "update"
                and self.values["memory.supersede"]
                and not memory.pinned
                and not self._of_another_time(memory)
            )
            if wanted:
                found.append((kind, memory, cosine or 0.0))
        return found

    def _of_another_time(self, memory: Memory) -> bool:
        """Told of a past that is over, of what is to come, or of a time before ``memory``'s: that replaces nothing."""
        row = self.prepared.values
        now, begin, end = row["created_at"], row["valid_from"] or row["event_time"], row["valid_to"]
        known = memory.valid_from or memory.event_time
        earlier = now < memory.created_at
        return bool(earlier or (end and end <= now) or (begin and (begin > now or (known and begin < known))))

    def _candidates(self, cx: Connection, ids: Iterable[int]) -> list[Memory]:
        """Those of ``ids`` that a draft in this scope may repeat or replace."""
        row = self.prepared.values
        scope = (row["conversation_id"], row["persona_id"])
        return [
            memory
            for memory in memories.get_many(cx, ids).values()
            if memory.status in FINDABLE
            and (memory.conversation_id, memory.persona_id) == scope
            and not memory.protected
            and not (memory.digest_level or memory.sources)
            and len(memory.content) <= _LONGEST
        ]

    def _cosines(self, cx: Connection, ids: Iterable[int]) -> dict[int, float]:
        """The best cosine of each memory's passages to the draft's first vector; who has no vector is left out."""
        if not self.made or self.space is None:
            return {}
        parts = passages.of(cx, ids)
        found = self.space.index.cosines(self.made[0], [part[0] for part in parts]) if parts else ()
        best: dict[int, float] = {}
        for part, cosine in zip(parts, found, strict=True):
            if not np.isnan(cosine):
                best[part[1]] = max(best.get(part[1], -1.0), float(cosine))
        return best
