"""Threads, futures and change notifications: the engine as the tray app, the MCP side and the CLI use it.

With its parts (``background.py``, ``embedding/workers.py``) the only place with threads. One writer owns every
change; a few readers answer from snapshots; embedding has its own small pool, so that a write waits for its vector
outside any lock; one background thread does upkeep. No method blocks its caller: all return futures, whose exceptions
are ``HupoError`` unless there is a bug.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

from engine import policy
from engine.access import Access, Asked, Done
from engine.background import Background
from engine.clock import Clock, SystemClock
from engine.config import Settings
from engine.digest.candidate_facade import Candidates
from engine.digest.facade import Digests
from engine.digest.topic_facade import Topics
from engine.embedding import Embedder
from engine.embedding.workers import Workers
from engine.engine import Engine
from engine.errors import Closed
from engine.forgetting_service import Forgetting
from engine.graph_service import GraphService
from engine.ingest.context import Context
from engine.memorizing import Memorizing, Writer
from engine.retrieval.meaning import meaning_of
from engine.review import kinds
from engine.review.facade import Review
from engine.searches.facade import Searches
from engine.storage.database import Connection, Database
from engine.storage.lock import StoreLock
from engine.summaries import Secret, Summaries
from engine.surfacing.facade import Surfacing, SurfacingService
from engine.surfacing.user_model_facade import UserModel
from engine.types import (
    Actor,
    Changes,
    Draft,
    Edited,
    Filters,
    HistoryEntry,
    Listing,
    Memory,
    Page,
    Query,
    Recollection,
    Remembered,
    Sensitivity,
    Sort,
    StoreStatus,
)

log = logging.getLogger("hupo.service")

T = TypeVar("T")
Written = TypeVar("Written", Remembered, Edited)
READERS = 2
RECALLERS = 3  # apart from the readers: a slow embedder must not keep a list from being shown
# One writes' vector at a time: on two cores a second would only take the processor from the writer. Questions have
# their own, so that none waits behind what is being stored.
EMBEDDERS = 1
ASKERS = 2

Listener = Callable[[Changes], None]


class Service:
    """Made by :meth:`open`, ended by :meth:`close`. ``data`` is the directory, ``settings`` the parameters in force."""

    def __init__(
        self, data: Path, settings: Settings, database: Database, lock: StoreLock, clock: Clock,
        embedder_factory: Callable[[Settings], Embedder], secret: Secret,
    ) -> None:  # fmt: skip
        self.data = data
        self.settings = settings
        self._lock = lock
        self._database = database
        self._engine = Engine(database, settings, clock)
        self._guard = threading.Lock()
        self._closed = False
        self._deadline: float | None = None
        self._ended = threading.Event()
        self._listeners: tuple[Listener, ...] = ()
        self._writer = ThreadPoolExecutor(1, "hupo-writer")
        self._readers = ThreadPoolExecutor(READERS, "hupo-reader")
        self._recallers = ThreadPoolExecutor(RECALLERS, "hupo-recall")
        self._embedders = Workers(EMBEDDERS, "hupo-embed")
        self._askers = Workers(ASKERS, "hupo-ask")
        self._notifier = ThreadPoolExecutor(1, "hupo-notify")
        lent = Writer(self._writer.submit, self._refuse_late, self._announce)
        self._memorizing = Memorizing(self._engine, settings, self._embedders, self._admit, lent)
        self._access = Access(settings, clock, self._read_in, self._write_in, self._memorizing.memorize, self._ask)
        self.graph = GraphService(
            self._engine.graph, self._read, lambda work: self._write_changes(lambda: _twice(work()))
        )
        self.surfacing = SurfacingService(Surfacing(database, settings, clock), self._read)
        self.digests = Digests(self._access)
        self.candidates = Candidates(self._access)
        self.topics = Topics(self._access)
        self.review = Review(kinds.every(self._access, self._engine.segmenter, self.candidates, self.topics))
        self.user_model = UserModel(self._access)
        self.forgetting = Forgetting(self._access)
        self.searches = Searches(self._access, self._engine.segmenter)
        self.summaries = Summaries(settings, secret, clock)
        self._background = Background(self._engine, data, embedder_factory, self._on_writer, self._tell_of_upkeep)
        self._background.start()

    @classmethod
    def open(
        cls, data: Path, settings: Settings, *, embedder_factory: Callable[[Settings], Embedder],
        secret: Secret = lambda _: None, clock: Clock | None = None,
    ) -> Service:  # fmt: skip
        """Own the data directory and open its store, creating or migrating it. The model loads when first needed.

        ``secret``(name) gives the key of an outside service, such as "chat.key".

        Errors: ``StoreLocked``, ``NotWritable``, ``CorruptDatabase``, ``NewerSchema``, ``DatabaseBusy``, ``DiskFull``.
        """
        lock = StoreLock(data)
        lock.acquire()
        try:
            database = Database.open(data)
        except BaseException:
            lock.release()
            raise
        try:
            return cls(data, settings, database, lock, clock or SystemClock(), embedder_factory, secret)
        except BaseException:
            database.close()
            lock.release()
            raise

    def close(self, timeout: float = 5.0) -> None:
        """Take no more work, finish what was taken (background work gives up), save the index, let go of the store.

        Writes that have not begun after ``timeout`` seconds get ``Closed``; one that has begun is finished. Called
        again, it waits for the first call. Not for the service's own threads.
        """
        with self._guard:
            first, self._closed = not self._closed, True
        if not first:
            self._ended.wait()
            return
        self._deadline = time.monotonic() + timeout
        # Last in, first out, and each step is taken whatever became of the one before.
        with ExitStack() as steps:
            steps.callback(self._ended.set)
            steps.callback(self._lock.release)
            steps.callback(self._database.close)
            steps.callback(self._background.finish)
            for pool in (self._notifier, self._recallers, self._readers, self._writer, self._memorizing):
                steps.callback(pool.shutdown)
            steps.callback(self._background.stop, timeout / 2)
            steps.callback(self._embedders.shutdown)
            steps.callback(self._askers.shutdown)
            steps.callback(self.summaries.close)

    # Writing -------------------------------------------------------------------------------------------------

    def memorize(self, draft: Draft, actor: Actor) -> Future[Remembered]:
        """Remember; done when the memory is safe on disk. Errors: ``InvalidArgument``, ``Paused``, storage errors."""
        return self._memorizing.memorize(draft, actor)

    def edit(self, memory_id: int, values: Mapping[str, Any], actor: Actor) -> Future[Edited]:
        """Set fields of ``types.EDITABLE``. Errors: ``InvalidArgument``, ``NotFound``, ``Protected``, ``Paused``."""
        return self._write_changes(lambda: _with_changes(self._engine.edit(memory_id, values, actor)))

    def trash(self, ids: Sequence[int], actor: Actor) -> Future[Changes]:
        """Into the trash; nothing is lost until a person erases it."""
        return self._write_changes(lambda: _twice(self._engine.trash(tuple(ids), actor)))

    def restore(self, ids: Sequence[int], actor: Actor) -> Future[Changes]:
        """Out of the trash."""
        return self._write_changes(lambda: _twice(self._engine.restore(tuple(ids), actor)))

    def erase(self, ids: Sequence[int], actor: Actor) -> Future[Changes]:
        """Remove for good, bytes included; can not be undone.

        A storage error (no room to rewrite the file) may come after the memories are gone: then only their bytes
        are left, and the background removes them as soon as it can.
        """
        return self._write_changes(lambda: _twice(self._engine.erase(tuple(ids), actor)), after=self._engine.shred)

    def forget(self) -> Future[Changes]:
        """Catch up with the days that have passed, as the background does each night."""
        return self._write_changes(lambda: _twice(self._engine.forget()))

    def undo(self, history_id: int, actor: Actor) -> Future[Changes]:
        """Take one change back; undo of an undo does it again. Errors: ``NotFound``, ``Conflict``."""
        return self._write_changes(lambda: _twice(self._engine.undo(history_id, actor)))

    def undo_latest(self, memory_id: int, actor: Actor) -> Future[Changes]:
        """Take the last change of one memory back. Errors: ``NotFound``, ``Conflict``."""
        return self._write_changes(lambda: _twice(self._engine.undo_latest(memory_id, actor)))

    # Reading -------------------------------------------------------------------------------------------------

    def recall(self, query: Query) -> Future[Recollection]:
        """Answer a question; what was recalled is reinforced afterwards, without delaying the answer."""
        return self._submit(self._recallers, self._recall, query)

    def _recall(self, query: Query) -> Recollection:
        answer = self._engine.recall(query, self._askers)
        if query.reinforce and answer.hits and self.settings["recall.reinforce"]:
            ids = [hit.memory.id for hit in answer.hits]
            with self._guard:
                if not self._closed:
                    self._writer.submit(self._reinforce, ids)
        return answer

    def _reinforce(self, ids: Sequence[int]) -> None:
        try:
            changes = self._engine.reinforce(ids)
        except Exception:
            log.exception("reinforcement failed")
            return
        self._notify(changes)

    def get(self, memory_id: int) -> Future[Memory]:
        """One memory. Errors: ``NotFound``."""
        return self._submit(self._readers, self._engine.get, memory_id)

    def get_many(self, ids: Sequence[int]) -> Future[dict[int, Memory]]:
        """Memories by id; unknown ids are left out."""
        return self._submit(self._readers, self._engine.get_many, tuple(ids))

    def replaced_by(self, memory_id: int) -> Future[tuple[Memory, ...]]:
        """What a memory replaced, the oldest first."""
        return self._submit(self._readers, self._engine.replaced_by, memory_id)

    def list(self, listing: Listing) -> Future[Page]:
        """One page of memories."""
        return self._submit(self._readers, self._engine.list, listing)

    def ids(self, filters: Filters, sort: Sort) -> Future[Sequence[int]]:
        """All ids that pass, in order."""
        return self._submit(self._readers, self._engine.ids, filters, sort)

    def count(self, filters: Filters) -> Future[int]:
        """How many memories pass."""
        return self._submit(self._readers, self._engine.count, filters)

    def facets(self) -> Future[dict[str, dict[str, int]]]:
        """Values in use with counts, for filter menus."""
        return self._submit(self._readers, self._engine.facets)

    def history(self, memory_id: int, limit: int = 50) -> Future[tuple[HistoryEntry, ...]]:
        """The changes of one memory, newest first."""
        return self._submit(self._readers, self._engine.history, memory_id, limit)

    def sensitivities(self, include_sensitive: bool) -> tuple[Sensitivity, ...]:
        """Those that a reader may see as things stand, for ``Filters``; () = all."""
        return policy.shown(self.settings.current, include_sensitive) or ()

    def status(self) -> Future[StoreStatus]:
        """Counts and health."""
        return self._submit(self._readers, self._engine.status, self.data)

    # Upkeep --------------------------------------------------------------------------------------------------

    def reindex(
        self, progress: Callable[[int, int], None] | None = None, cancelled: Callable[[], bool] | None = None
    ) -> Future[dict[str, int]]:
        """Make words, graph and vector indexes anew from the rows; {"lexical": n, "graph": n, "vectors": n}.

        ``progress``(done, total) counts memories for the words and again for the graph, then vectors. Until it is done
        the old index answers; cancelled, it stays. Errors: ``Cancelled``, ``Closed``.
        """
        self._refuse_closed()
        return self._background.reindex(progress, cancelled or (lambda: False))

    def prepare_recall(self) -> None:
        """Load the model in the background, so that the first question need not wait."""
        self._background.preload()

    def idle(self) -> Future[None]:
        """Done when all background work asked for so far is finished, or can not go on (embedder away)."""
        self._refuse_closed()
        outer: Future[None] = Future()

        def behind_writer() -> None:
            self._background.when_idle(outer)

        self._submit(self._writer, behind_writer)
        return outer

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` with each change, in order, from a service thread; returns the way out."""
        with self._guard:
            self._listeners += (listener,)

        def leave() -> None:
            with self._guard:
                self._listeners = tuple(one for one in self._listeners if one is not listener)

        return leave

    # Threads -------------------------------------------------------------------------------------------------

    def _refuse_closed(self) -> None:
        if self._closed:
            raise Closed()

    def _submit(self, pool: ThreadPoolExecutor, work: Callable[..., T], *arguments: Any) -> Future[T]:
        return self._admit(lambda: pool.submit(work, *arguments))

    def _admit(self, submit: Callable[[], T]) -> T:
        """Give work to a pool, unless the service is closed by then."""
        with self._guard:
            self._refuse_closed()
            return submit()

    def _read(self, work: Callable[[], T]) -> Future[T]:
        return self._submit(self._readers, work)

    def _read_in(self, work: Callable[[Connection], T]) -> Future[T]:
        """A function of a snapshot, on a reader."""

        def run() -> T:
            with self._database.reader() as cx:
                return work(cx)

        return self._read(run)

    def _ask(self, text: str) -> Future[Asked]:
        return self._submit(self._recallers, meaning_of, text, self._engine.space, self._engine.embeds, self._askers)

    def _write_in(self, actor: Actor, work: Callable[[Connection, Context], Done[T]]) -> Future[T]:
        """A function of one transaction, on the writer; listeners hear what it says was touched."""
        return self._write_changes(lambda: self._engine.write(actor, work))

    def _write_changes(
        self, work: Callable[[], tuple[T, Changes]], *, after: Callable[[], None] | None = None
    ) -> Future[T]:
        """Run a write on the writer; listeners hear of it after it is committed.

        ``after``: what is done before the caller hears of it, although it is committed already.
        """

        def run() -> T:
            self._refuse_late()
            result, changes = work()
            self._announce(changes)
            if after is not None:
                after()
            return result

        return self._submit(self._writer, run)

    def _refuse_late(self) -> None:
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise Closed()

    def _announce(self, changes: Changes, owes: bool = True) -> None:
        """``owes``: whether the background has anything to do for it."""
        self._notify(changes)
        self._background.wake(owes)

    def _tell_of_upkeep(self, changes: Changes) -> None:
        self._announce(changes, owes=False)

    def _on_writer(self, work: Callable[[], T]) -> T:
        try:
            waiting = self._writer.submit(work)
        except RuntimeError:
            raise Closed() from None  # the background may outlive the writer when its embedder does not answer
        return waiting.result()

    def _notify(self, changes: Changes) -> None:
        for listener in self._listeners:
            self._notifier.submit(_tell, listener, changes)


def _tell(listener: Listener, changes: Changes) -> None:
    try:
        listener(changes)
    except Exception:
        log.exception("a listener failed on %s", changes.action)


def _with_changes(done: Written) -> tuple[Written, Changes]:
    return done, done.changes


def _twice(changes: Changes) -> tuple[Changes, Changes]:
    return changes, changes
