"""Vectors that are missing, made in small steps: first those of passages, which recall needs, then those of facts.

What a write left undone for a memory's passages is in the journal. All else is found by walks, the newest first:
one through the passages after a space was opened, and one through the facts whenever there may be something to do.
Must not decide when a step runs, nor open or save indexes (``upkeep.py`` does).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from engine.engine import Engine
from engine.errors import InvalidArgument
from engine.index.consistency import Writer
from engine.index.space import VectorSpace
from engine.storage import journal, memories, passages, suggestions, vectors
from engine.storage.database import Connection
from engine.storage.vectors import FACTS, PASSAGES, Family

log = logging.getLogger("hupo.filling")

BATCH = 16

_ENTRIES = 64
_WALK = 1_024
_TOP = (1 << 63) - 1

Part = tuple[int, int]  # key (passage or entry), memory id


class _Walk:
    """The way through what a family lacks: what is at hand, and below which key it goes on (0: at its end)."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.at_hand: list[Part] = []
        self.below = _TOP

    def take(self, cx: Connection, space: VectorSpace, refused: set[int]) -> None:
        """Fetch the next to have something at hand, if there is more; ``refused`` keys are passed over."""
        while not self.at_hand and self.below:
            found = vectors.missing(cx, space.identity_id, _WALK, self.below, self.family)
            self.below = found[-1][0] if len(found) == _WALK else 0
            self.at_hand = [part for part in found if part[0] not in refused]


class Filling:
    """``begin`` when a space is opened, then ``step`` until it says that nothing is missing.

    ``changed`` is called when vectors came into the indexes.
    """

    def __init__(self, engine: Engine, write: Writer, changed: Callable[[], None]) -> None:
        self._engine = engine
        self._write = write
        self._changed = changed
        self.begin()

    def begin(self) -> None:
        """Walk through everything anew: another space is in force."""
        self._passages, self._facts = _Walk(PASSAGES), _Walk(FACTS)
        # Facts whose vector can not be stored: not tried again in this space.
        self._refused: set[int] = set()

    def step(self) -> bool:
        """Make one batch of missing vectors; False when none is missing. Errors: ``EmbedderUnavailable``."""
        space = self._engine.space
        if space is None:
            return False
        owed = self._owed(space)
        if owed:
            self._make(space, PASSAGES, owed)
            return True
        # Once they were all looked at, passages without a vector are in the journal.
        walks = (self._facts,) if space.complete else (self._passages, self._facts)
        for walk in walks:
            if not walk.at_hand and walk.below:
                with self._engine.database.reader() as cx:
                    walk.take(cx, space, self._refused)
            batch = walk.at_hand[:BATCH]
            if batch:
                self._make(space, walk.family, batch)
                walk.at_hand = walk.at_hand[BATCH:]
                return True
        self._facts = _Walk(FACTS)
        return False

    def _owed(self, space: VectorSpace) -> list[Part]:
        """The newest of what the journal says is missing; entries that turn out to owe nothing are closed."""
        while True:
            with self._engine.database.reader() as cx:
                entries = journal.unfinished(cx, _ENTRIES)
                rows = memories.get_many(cx, {entry.memory_id for entry in entries})
                parts = _parts(cx, [key for key, memory in rows.items() if memory.status != "trashed"])
                lacking = vectors.without(cx, space.identity_id, (part[0] for part in parts))
            found = [part for part in parts if part[0] in lacking]
            owing = {memory_id for _, memory_id in found}
            paid = [entry.id for entry in entries if entry.memory_id not in owing]
            if paid:
                self._write(partial(self._settle, paid))
            if found or not paid:
                return found[:BATCH]

    def _settle(self, entry_ids: Sequence[int]) -> None:
        with self._engine.database.transaction(durable=False) as cx:
            journal.settle(cx, self._engine.clock.now(), entry_ids)

    def _make(self, space: VectorSpace, family: Family, batch: Sequence[Part]) -> None:
        with self._engine.database.reader() as cx:
            lacking = vectors.without(cx, space.identity_id, [key for key, _ in batch], family)
            batch = [part for part in batch if part[0] in lacking]
            texts = vectors.texts(cx, lacking, family)
            # A memory that is one fact has its vector already.
            known = vectors.known(cx, space.identity_id, texts.values()) if family is FACTS else {}
        if not batch:
            return
        made = _vectors(space, [texts[key] for key, _ in batch], known)
        try:
            self._write(lambda: self._add(space, family, batch, made))
        except InvalidArgument:
            # One vector that can not be stored must not cost the others theirs.
            for at, part in enumerate(batch):
                self._add_one(space, family, part, made[at])

    def _add_one(self, space: VectorSpace, family: Family, part: Part, made: np.ndarray) -> None:
        try:
            self._write(lambda: self._add(space, family, [part], [made]))
        except InvalidArgument as error:
            reason = error.fields.get("reason")
            log.warning("no vector among the %s of memory %d: %s", family.name, part[1], reason)
            if family is FACTS:
                self._refused.add(part[0])
            self._write(partial(self._fail, family, part[1], error.code))

    def _add(self, space: VectorSpace, family: Family, parts: Sequence[Part], made: Sequence[np.ndarray]) -> None:
        """On the writer: they may have gone meanwhile; only those that are still there get their vector."""
        with self._engine.database.transaction(durable=False) as cx:
            there = vectors.without(cx, space.identity_id, [key for key, _ in parts], family)
            kept = [at for at, part in enumerate(parts) if part[0] in there]
            vectors.put(cx, space.identity_id, [(parts[at][0], made[at]) for at in kept], family)
            complete = vectors.complete(cx, space.identity_id, {parts[at][1] for at in kept})
            if family is PASSAGES:
                suggestions.queue_rejudging(cx, complete)
            if family is FACTS:
                complete = vectors.complete(cx, space.identity_id, complete, FACTS)
            journal.advance(cx, complete, "done", self._engine.clock.now())
        if kept:
            space.index_of(family).add([parts[at][0] for at in kept], np.stack([made[at] for at in kept]))
        self._engine.refresh()
        self._changed()

    def _fail(self, family: Family, memory_id: int, code: str) -> None:
        """Passages are tried three times, facts once; then it is shown. A failure nobody has written down yet is."""
        now = self._engine.clock.now()
        with self._engine.database.transaction() as cx:
            if not journal.owing(cx, memory_id):
                journal.open(cx, "vector", memory_id, "failed" if family is FACTS else "committed", now)
            if family is PASSAGES:
                journal.fail(cx, memory_id, code, now)


def _parts(cx: Connection, memory_ids: Sequence[int]) -> list[Part]:
    """The passages of these memories, the newest first, and a text alone before the same in context."""
    own = [(row[0], row[1]) for row in passages.of(cx, memory_ids)]
    context = [(row[0], row[1]) for row in passages.contexts_of(cx, memory_ids)]
    return [*sorted(own, reverse=True), *sorted(context, reverse=True)]


def _vectors(space: VectorSpace, texts: Sequence[str], known: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """A vector [dim] for each text; the model is asked for those that are not ``known``."""
    asked = [text for text in dict.fromkeys(texts) if text not in known]
    made = dict(zip(asked, space.embed_passages(asked), strict=True)) if asked else {}
    return [known[text] if text in known else made[text] for text in texts]
