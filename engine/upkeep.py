"""Background work in small synchronous steps: open the vector space, fill in missing vectors, save, unload, prune.

``service.py`` calls the steps from its background thread and lends them the writer. Each step is short or checks
``stop`` between batches, may be repeated at any time, and leaves canonical data alone but for vectors and journal.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from engine.embedding import Embedder
from engine.engine import Engine
from engine.errors import Cancelled, EmbedderUnavailable, HupoError
from engine.index import consistency, lexical
from engine.index.space import VectorSpace, index_path
from engine.index.vector import VectorIndex
from engine.ingest.draft import lexical_row
from engine.ingest.memorize import fields_of
from engine.storage import journal, memories, settings, vectors
from engine.types import Memory

log = logging.getLogger("hupo.upkeep")

T = TypeVar("T")
BATCH = 16
KEEP_JOURNAL = timedelta(days=7)
SAVE_AFTER_SECONDS = 30.0
_ACTIVE = "embedding.identity"

Progress = Callable[[int, int], None]


class Writer(Protocol):
    """Runs a function on the writer thread and waits for its result."""

    def __call__(self, work: Callable[[], T], /) -> T: ...


class Upkeep:
    """The steps. ``stop`` is asked between batches; True ends the step early."""

    def __init__(self, engine: Engine, directory: Path, write: Writer, stop: Callable[[], bool]) -> None:
        self._engine = engine
        self._directory = directory
        self._write = write
        self._stop = stop
        self._changed_at = 0.0
        # Passages that no vector can be made of; tried again after a restart.
        self._unfit: set[int] = set()

    # The vector space ----------------------------------------------------------------------------------------

    def open_space(self, embedder: Embedder) -> None:
        """Put ``embedder`` in force: its identity, its index from file or from the rows, made equal to the rows.

        Errors: ``EmbedderUnavailable`` when a remote model has not told its dimension yet; what was in force stays.
        """
        if not embedder.dimension:
            embedder.embed_passages(["."])  # the first answer tells the dimension, and with it the identity
        engine = self._engine
        identity_id = self._write(lambda: self._register(embedder))
        index = VectorIndex(index_path(self._directory, embedder.identity), embedder.identity, embedder.dimension)
        loaded = index.load(None)
        space = VectorSpace(embedder, identity_id, index)
        self._write(lambda: engine.take_space(space))
        # From here on the writer keeps the index; what was written before is found by comparing with the rows.
        self._reconcile(space)
        if not loaded:
            log.info("the vector index was made from the rows: %d vectors", len(index))

    def _reconcile(self, space: VectorSpace) -> None:
        held = space.index.keys()  # before the snapshot: what the writer adds meanwhile is no stranger
        with self._engine.database.reader() as cx:
            consistency.reconcile(cx, space.index, space.identity_id, held)
        self._changed_at = time.monotonic()
        space.ready = True
        self._write(self._engine.refresh)

    def leave_space(self) -> None:
        """Words only from now on; the index is kept for the day its model comes back."""
        self.save_index(now=True)
        self._write(lambda: self._engine.take_space(None))

    def _register(self, embedder: Embedder) -> int:
        with self._engine.database.transaction() as cx:
            identity_id = vectors.identity_id(cx, embedder.identity, embedder.dimension)
            settings.put(cx, _ACTIVE, embedder.identity)
        return identity_id

    def fill(self) -> bool:
        """Make one batch of missing vectors; False when none is missing. Errors: ``EmbedderUnavailable``."""
        space = self._engine.space
        if space is None:
            return False
        with self._engine.database.reader() as cx:
            missing = [
                part
                for part in vectors.missing(cx, space.identity_id, BATCH + len(self._unfit))
                if part[0] not in self._unfit
            ][:BATCH]
            rows = memories.get_many(cx, {part[1] for part in missing})
        if not missing:
            return False
        texts = [rows[memory_id].content[start:end] for _, memory_id, start, end in missing]
        parts = [(part[0], part[1]) for part in missing]
        try:
            made = space.embed_passages(texts)
            self._write(lambda: self._add(space, parts, made))
        except EmbedderUnavailable:
            raise
        except HupoError as error:
            log.warning("no vector for %d passages: %s", len(parts), error.code)
            self._unfit.update(passage_id for passage_id, _ in parts)
            self._write(partial(self._fail, {memory_id for _, memory_id in parts}, error.code))
        return True

    def _add(self, space: VectorSpace, parts: Sequence[tuple[int, int]], made: np.ndarray) -> None:
        """On the writer: the passages may have gone meanwhile; only those that are still there get their vector."""
        with self._engine.database.transaction(durable=False) as cx:
            there = vectors.without(cx, space.identity_id, [passage_id for passage_id, _ in parts])
            kept = [at for at, (passage_id, _) in enumerate(parts) if passage_id in there]
            vectors.put(cx, space.identity_id, [(parts[at][0], made[at]) for at in kept])
            complete = vectors.complete(cx, space.identity_id, {parts[at][1] for at in kept})
            journal.advance(cx, complete, "done", self._engine.clock.now())
        if kept:
            space.index.add(np.array([parts[at][0] for at in kept], dtype=np.int64), made[kept])
        self._engine.refresh()
        self._changed_at = time.monotonic()

    def _fail(self, memory_ids: set[int], code: str) -> None:
        with self._engine.database.transaction() as cx:
            for memory_id in memory_ids:
                journal.fail(cx, memory_id, code, self._engine.clock.now())

    def drop_other_spaces(self) -> None:
        """Once the space in force is complete, vectors of models before it are of no more use."""
        space = self._engine.space
        if space is None or not space.ready:
            return
        with self._engine.database.reader() as cx:
            if vectors.missing(cx, space.identity_id, 1):
                return
            others = [one for one in vectors.identities(cx) if one[0] != space.identity_id]
        for identity_id, identity, *_ in others:
            self._write(lambda gone=identity_id: self._drop(gone))  # type: ignore[misc]
            index_path(self._directory, identity).unlink(missing_ok=True)

    def _drop(self, identity_id: int) -> None:
        with self._engine.database.transaction(durable=False) as cx:
            vectors.drop_identity(cx, identity_id)

    # Files and memory ----------------------------------------------------------------------------------------

    def save_index(self, *, now: bool = False) -> None:
        """Write the index file when it has changed and the store is quiet (or ``now``)."""
        space = self._engine.space
        if space is None or not space.ready or not space.index.dirty:
            return
        if now or time.monotonic() - self._changed_at >= SAVE_AFTER_SECONDS:
            space.index.save()

    def unload_idle(self) -> None:
        """Let a model that nobody has used for a while leave memory (parameter ``embedding.idle_minutes``)."""
        space, minutes = self._engine.space, float(self._engine.settings["embedding.idle_minutes"])
        if space is not None and minutes and space.embedder.loaded and space.idle_seconds >= minutes * 60:
            space.embedder.unload()

    def prune(self) -> None:
        """Finished journal rows are kept for a week."""
        before = self._engine.clock.now() - KEEP_JOURNAL

        def work() -> None:
            with self._engine.database.transaction(durable=False) as cx:
                journal.prune(cx, before)

        self._write(work)

    # Words ---------------------------------------------------------------------------------------------------

    def check_words(self) -> None:
        """On start: a lexical index that does not match the rows is rebuilt."""
        with self._engine.database.reader() as cx:
            equal = lexical.count(cx) == sum(memories.count_by_status(cx).values())
        if not equal:
            self.rebuild_words(None, self._stop)

    def rebuild_words(self, progress: Progress | None, cancelled: Callable[[], bool]) -> int:
        """Make the lexical index anew from the rows; returns the number of rows. Errors: ``Cancelled``."""
        self._engine.lexical_ready = False
        try:
            return consistency.rebuild_lexical(self._engine.database, self._write, _words, progress, cancelled)
        except Cancelled:
            log.warning("the rebuild of the lexical index was cancelled; it is taken up again at the next start")
            raise
        finally:
            self._engine.lexical_ready = True
            self._write(self._engine.refresh)

    def rebuild_index(self) -> int:
        """Make the vector index anew from the stored vectors; returns their number."""
        space = self._engine.space
        if space is None:
            return 0
        space.ready = False
        self._write(space.index.clear)
        self._reconcile(space)
        return len(space.index)


def _words(memory: Memory) -> str:
    return lexical_row(fields_of(memory))
