"""Background work in small synchronous steps: open the vector space, fill in missing vectors, save, unload, prune.

``background.py`` calls the steps from its thread and lends them the writer. Each step is short or checks ``stop``
between batches, may be repeated at any time, and leaves canonical data alone but for vectors and journal.
"""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path

from engine import schedule
from engine.clock import local_day
from engine.digest import candidates as review
from engine.embedding import Embedder
from engine.engine import Engine
from engine.errors import HupoError
from engine.filling import Filling
from engine.forgetting import atoms as lifecycle
from engine.forgetting import decay, timekeeping
from engine.forgetting.rules import Rules
from engine.index import consistency
from engine.index.consistency import Writer
from engine.index.space import VectorSpace, index_path
from engine.index.vector import VectorIndex
from engine.ingest import atoms as fact_atoms
from engine.noticing import Noticing
from engine.rebuilding import Progress, Rebuilding
from engine.storage import candidates, journal, memories, vectors
from engine.storage.vectors import FAMILIES, Family
from engine.types import Actor, Changes

log = logging.getLogger("hupo.upkeep")

KEEP_JOURNAL = timedelta(days=7)
SAVE_AFTER_SECONDS = 30.0
SAVE_AT_LEAST_SECONDS = 600.0
DAY_SECONDS = 86_400.0
HOUR_SECONDS = 3_600.0
_SWEEP = 500
_REVIEW = Actor("rule", "review")

_MOST_ROUNDS = 8


class Upkeep:
    """The steps. ``tell``: how others hear of a write; ``stop`` is asked between batches, True ends the step early."""

    def __init__(
        self, engine: Engine, directory: Path, write: Writer, tell: Callable[[Changes], None],
        stop: Callable[[], bool],
    ) -> None:  # fmt: skip
        self._engine = engine
        self._directory = directory
        self._write = write
        self._tell = tell
        self._stop = stop
        self._changed_at = time.monotonic()
        self._dirty_since: float | None = None
        self._pruned_at: float | None = None
        self._aged_at: float | None = None
        self._forgot: date | None = None
        self._cleared: date | None = None
        self.rebuilding = Rebuilding(engine, write, stop)
        self._filling = Filling(engine, write, self.note_change)
        self.noticing = Noticing(engine, write, tell, stop)

    # The vector space ----------------------------------------------------------------------------------------

    def open_space(self, embedder: Embedder) -> None:
        """Put ``embedder`` in force: its identity and its indexes from file; ``make_ready`` completes those.

        Errors: ``EmbedderUnavailable`` when a remote model has not told its dimension yet; what was in force stays.
        """
        if not embedder.dimension:
            embedder.embed_passages(["."])  # the first answer tells the dimension, and with it the identity
        engine = self._engine
        identity_id = self._write(lambda: self._register(embedder))
        space = VectorSpace(embedder, identity_id, *(self._index(embedder, family) for family in FAMILIES))
        for family in FAMILIES:
            if not space.index_of(family).load(None):
                log.info("no usable vector index file of the %s; it is made from the rows", family.name)
        self._filling.begin()
        self._write(lambda: engine.take_space(space))

    def _index(self, embedder: Embedder, family: Family) -> VectorIndex:
        path = index_path(self._directory, embedder.identity, family)
        return VectorIndex(path, embedder.identity, embedder.dimension)

    def make_ready(self) -> None:
        """Make the indexes of the space in force equal to the rows; from ``open_space`` on the writer keeps them so."""
        space = self._engine.space
        if space is None or space.ready:
            return
        for family in FAMILIES:
            self._reconcile(space, family)
        self.note_change()
        space.ready = True
        self._write(self._engine.refresh)

    def _reconcile(self, space: VectorSpace, family: Family) -> None:
        index = space.index_of(family)
        # Again as long as something was added: it may have been taken out of the rows since the snapshot.
        for _ in range(_MOST_ROUNDS):
            held = index.keys()  # before the snapshot: what the writer adds meanwhile is no stranger
            with self._engine.database.reader() as cx:
                done = consistency.reconcile(cx, index, space.identity_id, held, None, self._stop, family)
            if not done.added:
                break

    def leave_space(self) -> None:
        """Words only from now on; the indexes are kept for the day their model comes back."""
        try:
            self.save_index(now=True)
        except (HupoError, OSError):
            # Nobody who turns a model off may be kept with it by a full disk.
            log.exception("the vector indexes were not saved; they are made from the rows when their model comes back")
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
        if self._filling.step():
            return True
        space = self._engine.space
        if space is not None and not space.complete:
            space.complete = True
            self._write(self._engine.refresh)
            self.drop_other_spaces()
        return False

    def drop_other_spaces(self) -> None:
        """Once the space in force is complete, vectors of models before it are of no more use."""
        space = self._engine.space
        if space is None or not (space.ready and space.complete):
            return
        with self._engine.database.reader() as cx:
            others = [one for one in vectors.identities(cx) if one[0] != space.identity_id]
        for identity_id, identity, *_ in others:
            self._write(lambda gone=identity_id: self._drop(gone))  # type: ignore[misc]
            for family in FAMILIES:
                index_path(self._directory, identity, family).unlink(missing_ok=True)

    def _drop(self, identity_id: int) -> None:
        with self._engine.database.transaction(durable=False) as cx:
            vectors.drop_identity(cx, identity_id)

    # Files and memory ----------------------------------------------------------------------------------------

    def note_change(self) -> None:
        """An index may have changed: not quiet yet."""
        self._changed_at = time.monotonic()

    def save_index(self, *, now: bool = False) -> None:
        """Write the index files that differ when the store is quiet, or has not been for long (or ``now``)."""
        space, moment = self._engine.space, time.monotonic()
        dirty = [] if space is None else [index for index in (space.index, space.facts) if index.dirty]
        if not dirty:
            self._dirty_since = None
            return
        since = self._dirty_since = moment if self._dirty_since is None else self._dirty_since
        if now or moment - self._changed_at >= SAVE_AFTER_SECONDS or moment - since >= SAVE_AT_LEAST_SECONDS:
            for index in dirty:
                index.save()
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

    def clear_candidates(self) -> None:
        """Once a day of the user's: what was dropped, dismissed or approved long enough ago goes (S4)."""
        engine = self._engine
        now = engine.clock.now()
        day = local_day(now, engine.clock)
        if day == self._cleared:
            return
        values = engine.settings.current
        before = review.kept_since(now, values)
        with engine.database.reader() as cx:
            if timekeeping.in_doubt(cx, now, engine.clock.zone(), Rules.of(values)):
                return  # what is gone does not come back with the clock
            due = candidates.is_due(cx, before)
        if due:
            self._write(lambda: self._clear(before))
        self._cleared = day

    def _clear(self, before: datetime) -> None:
        self._tell(self._engine.write(_REVIEW, lambda cx, _: review.clear(cx, before))[1])

    def finish_erase(self) -> None:
        """Remove the bytes that an erase could not, for want of room or because the process ended."""
        if not self._engine.owes_shred():
            return
        # Rewriting the file takes as much room as it has; without it, trying would only fill the disk once more.
        if shutil.disk_usage(self._directory).free > self._engine.database.size():
            self._write(self._engine.shred)

    # Time ----------------------------------------------------------------------------------------------------

    def forget(self) -> None:
        """Once a day of the user's: strengths fade, unused memories sleep (S0, S1); missed days are caught up."""
        engine = self._engine
        values, now, zone = engine.settings.current, engine.clock.now(), engine.clock.zone()
        day = schedule.latest_day(now, Rules.of(values).at, zone)
        if day == self._forgot:
            return  # asked once a day, not at every tick
        with engine.database.reader() as cx:
            due = decay.is_due(cx, now, zone, values)
        if due:
            self._write(self._forget)
        self._forgot = day

    def _forget(self) -> None:
        changes = self._engine.forget()
        if changes.history_ids:
            self._tell(changes)

    # Facts ---------------------------------------------------------------------------------------------------

    def age_facts(self) -> None:
        """Once an hour: facts whose time is over expire, are forgotten, purged at last (S0); flagged are mended."""
        if self._aged_at is not None and time.monotonic() - self._aged_at < HOUR_SECONDS:
            return
        while not self._stop() and self._write(self._sweep):
            pass
        self._aged_at = time.monotonic()

    def _sweep(self) -> bool:
        engine = self._engine
        now, zone, rules = engine.clock.now(), engine.clock.zone(), Rules.of(engine.settings.current)
        with engine.database.transaction(durable=False) as cx:
            if timekeeping.in_doubt(cx, now, zone, rules):
                return False  # what is purged does not come back with the clock
            swept = lifecycle.sweep(cx, now, _SWEEP)
            if not swept.more:
                fact_atoms.repair(cx, _SWEEP, now, zone)
        if swept.ids:
            engine.refresh()
        return swept.more

    # Made anew -----------------------------------------------------------------------------------------------

    def rebuild(self, progress: Progress | None, cancelled: Callable[[], bool]) -> dict[str, int]:
        """Words, graph, then vector indexes, anew; their counts, which ``progress`` adds. Errors: ``Cancelled``."""
        space = self._engine.space
        with self._engine.database.reader() as cx:
            words = sum(memories.count_by_status(cx).values())
            made = sum(vectors.count(cx, space.identity_id, family) for family in FAMILIES) if space else 0

        def told(before: int, most: int) -> Progress:
            def on(done: int, _: int) -> None:
                if progress:
                    progress(before + min(done, most), 2 * words + made)

            return on

        return {
            "lexical": self.rebuilding.words(told(0, words), cancelled),
            "graph": self.rebuilding.graph(told(words, words), cancelled),
            "vectors": self.rebuild_index(told(2 * words, made), cancelled),
        }

    def rebuild_index(self, progress: Progress | None, cancelled: Callable[[], bool]) -> int:
        """Make the vector indexes anew from the stored vectors, beside those that answer meanwhile; their number.

        ``progress`` counts on from one index to the next. Errors: ``Cancelled``; what was in force stays.
        """
        space = self._engine.space
        if space is None:
            return 0
        before, held = 0, (space.index, space.facts)
        fresh = (VectorIndex(index.path, index.identity, index.dimension) for index in held)
        anew = VectorSpace(space.embedder, space.identity_id, *fresh)

        def count_on(done: int, total: int) -> None:
            if progress:
                progress(before + done, before + total)

        for family in FAMILIES:
            index = anew.index_of(family)
            with self._engine.database.reader() as cx:
                consistency.reconcile(cx, index, space.identity_id, None, count_on, cancelled, family)
            before += len(index)
        anew.complete = space.complete
        self._write(lambda: self._engine.take_space(anew))
        self.make_ready()  # what was written meanwhile
        return len(anew.index) + len(anew.facts)
