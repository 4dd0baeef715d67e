"""Background work in small synchronous steps: open the vector space, fill in missing vectors, save, unload, prune.

``service.py`` calls the steps from its background thread and lends them the writer. Each step is short or checks
``stop`` between batches, may be repeated at any time, and leaves canonical data alone but for vectors and journal.
"""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from engine.embedding import Embedder
from engine.engine import Engine
from engine.errors import Cancelled, HupoError, InvalidArgument
from engine.index import consistency, lexical
from engine.index.space import VectorSpace, index_path
from engine.index.vector import VectorIndex
from engine.ingest.draft import lexical_row
from engine.ingest.memorize import fields_of
from engine.storage import journal, memories, passages, vectors
from engine.types import Memory

log = logging.getLogger("hupo.upkeep")

T = TypeVar("T")
BATCH = 16
KEEP_JOURNAL = timedelta(days=7)
SAVE_AFTER_SECONDS = 30.0
SAVE_AT_LEAST_SECONDS = 600.0
DAY_SECONDS = 86_400.0

_ENTRIES = 64
_WALK = 1_024
_TOP = (1 << 63) - 1
_MOST_ROUNDS = 8

Progress = Callable[[int, int], None]
Part = tuple[int, int, int, int]  # passage id, memory id, start, end


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
        self._changed_at = time.monotonic()
        self._dirty_since: float | None = None
        self._pruned_at: float | None = None
        # The walk through all passages of a space that was just opened: what is at hand, and where it goes on.
        self._queue: list[Part] = []
        self._below = _TOP

    # The vector space ----------------------------------------------------------------------------------------

    def open_space(self, embedder: Embedder) -> None:
        """Put ``embedder`` in force: its identity and its index from file; ``make_ready`` then makes that complete.

        Errors: ``EmbedderUnavailable`` when a remote model has not told its dimension yet; what was in force stays.
        """
        if not embedder.dimension:
            embedder.embed_passages(["."])  # the first answer tells the dimension, and with it the identity
        engine = self._engine
        identity_id = self._write(lambda: self._register(embedder))
        index = VectorIndex(index_path(self._directory, embedder.identity), embedder.identity, embedder.dimension)
        if not index.load(None):
            log.info("no usable vector index file; it is made from the rows")
        space = VectorSpace(embedder, identity_id, index)
        self._queue, self._below = [], _TOP
        self._write(lambda: engine.take_space(space))

    def make_ready(self) -> None:
        """Make the index of the space in force equal to the rows; from ``open_space`` on the writer keeps it so."""
        space = self._engine.space
        if space is not None and not space.ready:
            self._reconcile(space)

    def _reconcile(self, space: VectorSpace) -> None:
        # Again as long as something was added: it may have been taken out of the rows since the snapshot.
        for _ in range(_MOST_ROUNDS):
            held = space.index.keys()  # before the snapshot: what the writer adds meanwhile is no stranger
            with self._engine.database.reader() as cx:
                done = consistency.reconcile(cx, space.index, space.identity_id, held, None, self._stop)
            if not done.added:
                break
        self.note_change()
        space.ready = True
        self._write(self._engine.refresh)

    def leave_space(self) -> None:
        """Words only from now on; the index is kept for the day its model comes back."""
        try:
            self.save_index(now=True)
        except (HupoError, OSError):
            # Nobody who turns a model off may be kept with it by a full disk.
            log.exception("the vector index was not saved; it is made from the rows when its model comes back")
        self._write(lambda: self._engine.take_space(None))

    def forgive(self) -> None:
        """No model, no debt: close every journal entry. A model that comes back looks at all passages anyway."""

        def work() -> None:
            with self._engine.database.transaction(durable=False) as cx:
                journal.settle(cx, self._engine.clock.now())

        with self._engine.database.reader() as cx:
            owed = any(journal.counts(cx))
        if owed:
            self._write(work)

    def _register(self, embedder: Embedder) -> int:
        with self._engine.database.transaction() as cx:
            return vectors.identity_id(cx, embedder.identity, embedder.dimension)

    # Missing vectors -----------------------------------------------------------------------------------------

    def fill(self) -> bool:
        """Make one batch of missing vectors; False when none is missing. Errors: ``EmbedderUnavailable``."""
        space = self._engine.space
        if space is None:
            return False
        batch = self._owed(space) or self._unmade(space)
        if batch:
            self._make(space, batch)
            self._queue = self._queue[BATCH:] if batch == self._queue[:BATCH] else self._queue
            return True
        if not space.complete:
            space.complete = True
            self._write(self._engine.refresh)
            self.drop_other_spaces()
        return False

    def _owed(self, space: VectorSpace) -> list[Part]:
        """The newest of what the journal says is missing; entries that turn out to owe nothing are closed."""
        while True:
            with self._engine.database.reader() as cx:
                entries = journal.unfinished(cx, _ENTRIES)
                rows = memories.get_many(cx, {entry.memory_id for entry in entries})
                parts = passages.of(cx, (key for key, memory in rows.items() if memory.status != "trashed"))
                lacking = vectors.without(cx, space.identity_id, (part[0] for part in parts))
            found = [part for part in reversed(parts) if part[0] in lacking]
            owing = {part[1] for part in found}
            paid = [entry.id for entry in entries if entry.memory_id not in owing]
            if paid:
                self._write(partial(self._settle, paid))
            if found or not paid:
                return found[:BATCH]

    def _settle(self, entry_ids: Sequence[int]) -> None:
        with self._engine.database.transaction(durable=False) as cx:
            journal.settle(cx, self._engine.clock.now(), entry_ids)

    def _unmade(self, space: VectorSpace) -> list[Part]:
        """The next of all passages without a vector, newest first: walked through once after a space is opened."""
        if not self._queue and not space.complete:
            with self._engine.database.reader() as cx:
                self._queue = vectors.missing(cx, space.identity_id, _WALK, self._below)
            if self._queue:
                self._below = self._queue[-1][0]
        return self._queue[:BATCH]

    def _make(self, space: VectorSpace, batch: Sequence[Part]) -> None:
        with self._engine.database.reader() as cx:
            there = vectors.without(cx, space.identity_id, [part[0] for part in batch])
            rows = memories.get_many(cx, {part[1] for part in batch})
        batch = [part for part in batch if part[0] in there]
        if not batch:
            return
        made = space.embed_passages([rows[memory_id].content[start:end] for _, memory_id, start, end in batch])
        try:
            self._write(lambda: self._add(space, batch, made))
        except InvalidArgument:
            # One vector that can not be stored must not cost the others theirs.
            for at, part in enumerate(batch):
                self._add_one(space, part, made[at : at + 1])

    def _add_one(self, space: VectorSpace, part: Part, made: np.ndarray) -> None:
        try:
            self._write(lambda: self._add(space, [part], made))
        except InvalidArgument as error:
            log.warning("no vector for a passage of memory %d: %s", part[1], error.fields.get("reason"))
            self._write(partial(self._fail, part[1], error.code))

    def _add(self, space: VectorSpace, parts: Sequence[Part], made: np.ndarray) -> None:
        """On the writer: the passages may have gone meanwhile; only those that are still there get their vector."""
        with self._engine.database.transaction(durable=False) as cx:
            there = vectors.without(cx, space.identity_id, [part[0] for part in parts])
            kept = [at for at, part in enumerate(parts) if part[0] in there]
            vectors.put(cx, space.identity_id, [(parts[at][0], made[at]) for at in kept])
            complete = vectors.complete(cx, space.identity_id, {parts[at][1] for at in kept})
            journal.advance(cx, complete, "done", self._engine.clock.now())
        if kept:
            space.index.add(np.array([parts[at][0] for at in kept], dtype=np.int64), made[kept])
        self._engine.refresh()
        self.note_change()

    def _fail(self, memory_id: int, code: str) -> None:
        """Three times, then it is shown; a failure nobody has written down yet is."""
        now = self._engine.clock.now()
        with self._engine.database.transaction() as cx:
            if not journal.owing(cx, memory_id):
                journal.open(cx, "vector", memory_id, "committed", now)
            journal.fail(cx, memory_id, code, now)

    def drop_other_spaces(self) -> None:
        """Once the space in force is complete, vectors of models before it are of no more use."""
        space = self._engine.space
        if space is None or not (space.ready and space.complete):
            return
        with self._engine.database.reader() as cx:
            others = [one for one in vectors.identities(cx) if one[0] != space.identity_id]
        for identity_id, identity, *_ in others:
            self._write(lambda gone=identity_id: self._drop(gone))  # type: ignore[misc]
            index_path(self._directory, identity).unlink(missing_ok=True)

    def _drop(self, identity_id: int) -> None:
        with self._engine.database.transaction(durable=False) as cx:
            vectors.drop_identity(cx, identity_id)

    # Files and memory ----------------------------------------------------------------------------------------

    def note_change(self) -> None:
        """The index may have changed: not quiet yet."""
        self._changed_at = time.monotonic()

    def save_index(self, *, now: bool = False) -> None:
        """Write the index file when it has changed and the store is quiet, or has not been for long (or ``now``)."""
        space, moment = self._engine.space, time.monotonic()
        if space is None or not space.index.dirty:
            self._dirty_since = None
            return
        since = self._dirty_since = moment if self._dirty_since is None else self._dirty_since
        if now or moment - self._changed_at >= SAVE_AFTER_SECONDS or moment - since >= SAVE_AT_LEAST_SECONDS:
            space.index.save()
            self._dirty_since = None

    def unload_idle(self) -> None:
        """Let a model that nobody has used for a while leave memory (parameter ``embedding.idle_minutes``)."""
        space, minutes = self._engine.space, float(self._engine.settings["embedding.idle_minutes"])
        if space is not None and minutes and space.embedder.loaded and space.idle_seconds >= minutes * 60:
            space.embedder.unload()

    def prune(self) -> None:
        """Once a day: finished journal rows are kept for a week."""
        if self._pruned_at is not None and time.monotonic() - self._pruned_at < DAY_SECONDS:
            return
        before = self._engine.clock.now() - KEEP_JOURNAL

        def work() -> None:
            with self._engine.database.transaction(durable=False) as cx:
                journal.prune(cx, before)

        self._write(work)
        self._pruned_at = time.monotonic()

    def finish_erase(self) -> None:
        """Remove the bytes that an erase could not, for want of room or because the process ended."""
        if not self._engine.owes_shred():
            return
        # Rewriting the file takes as much room as it has; without it, trying would only fill the disk once more.
        if shutil.disk_usage(self._directory).free > self._engine.database.size():
            self._write(self._engine.shred)

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

    def rebuild(self, progress: Progress | None, cancelled: Callable[[], bool]) -> dict[str, int]:
        """Words, then vector index, anew; the counts of both, which ``progress`` adds. Errors: ``Cancelled``."""
        space = self._engine.space
        with self._engine.database.reader() as cx:
            words = sum(memories.count_by_status(cx).values())
            made = vectors.count(cx, space.identity_id) if space else 0

        def first(done: int, _: int) -> None:
            if progress:
                progress(min(done, words), words + made)

        def then(done: int, _: int) -> None:
            if progress:
                progress(words + min(done, made), words + made)

        return {"lexical": self.rebuild_words(first, cancelled), "vectors": self.rebuild_index(then, cancelled)}

    def rebuild_index(self, progress: Progress | None, cancelled: Callable[[], bool]) -> int:
        """Make the vector index anew from the stored vectors, beside the one that answers meanwhile; their number.

        Errors: ``Cancelled``; the index in force is then what it was.
        """
        space = self._engine.space
        if space is None:
            return 0
        fresh = VectorIndex(space.index.path, space.index.identity, space.index.dimension)
        with self._engine.database.reader() as cx:
            consistency.reconcile(cx, fresh, space.identity_id, None, progress, cancelled)
        anew = VectorSpace(space.embedder, space.identity_id, fresh)
        anew.complete = space.complete
        self._write(lambda: self._engine.take_space(anew))
        self.make_ready()  # what was written meanwhile
        return len(fresh)


def _words(memory: Memory) -> str:
    return lexical_row(fields_of(memory))
