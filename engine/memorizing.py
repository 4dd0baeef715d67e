"""A write on its way to the writer: checked, read, given its vector and compared, off any lock; then handed over.

Has threads of its own (part of ``service.py``, which owns it). Must not write: what it hands over does.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from engine.access import Also
from engine.config import Settings
from engine.embedding.workers import Workers
from engine.engine import Engine, Vectors
from engine.errors import EmbedderUnavailable
from engine.index.space import VectorSpace
from engine.ingest.draft import Prepared
from engine.ingest.memorize import Ready
from engine.text.passages import is_turn
from engine.types import Actor, Changes, Draft, Remembered

log = logging.getLogger("hupo.memorizing")

T = TypeVar("T")
PREPARERS = 4
# A text of more passages can not be done in time; trying would only keep questions waiting.
MOST_PASSAGES = 8


# So many of those that wait are written together: they share a transaction, and with it the wait for the disk.
MOST_TOGETHER = 16


class Admit(Protocol):
    """Gives work to a pool. Errors: ``Closed``."""

    def __call__(self, submit: Callable[[], T], /) -> T: ...


@dataclass(frozen=True, slots=True)
class Writer:
    """What the service lends: its writer thread (even while closing; ``refuse_late`` is ``Closed`` once the time for it
    is over), and how listeners and background hear of a write and of whether something is owed for it.
    """

    submit: Callable[[Callable[[], None]], object]
    refuse_late: Callable[[], None]
    announce: Callable[[Changes, bool], None]


class Memorizing:
    """``admit`` and ``writer`` are the service's."""

    def __init__(self, engine: Engine, settings: Settings, embedders: Workers, admit: Admit, writer: Writer) -> None:
        self._engine = engine
        self._settings = settings
        self._embedders = embedders
        self._admit = admit
        self._writer = writer
        self._pool = ThreadPoolExecutor(PREPARERS, "hupo-prepare")
        self._waiting: deque[tuple[Ready, Future[Remembered]]] = deque()

    def memorize(self, draft: Draft, actor: Actor, /, *, also: Also | None = None) -> Future[Remembered]:
        """Done when the memory is safe on disk, and with it what ``also`` writes.

        Errors: ``InvalidArgument``, ``Paused``, ``Closed``, storage errors, those of ``also``.
        """
        outer: Future[Remembered] = Future()
        self._admit(lambda: self._pool.submit(self._run, draft, actor, also, outer))
        return outer

    def shutdown(self) -> None:
        """Finish what was taken."""
        self._pool.shutdown()

    def _run(self, draft: Draft, actor: Actor, also: Also | None, outer: Future[Remembered]) -> None:
        if not outer.set_running_or_notify_cancel():
            return
        try:
            prepared = self._engine.prepare(draft, actor)
            space = self._engine.space
            made = self._vectors(prepared, space)
            near = self._engine.look(prepared, made, space)
            self._waiting.append((Ready(prepared, made, space, near, actor, also), outer))
            self._writer.submit(self._write_waiting)
        except BaseException as error:
            outer.set_exception(error)

    def _write_waiting(self) -> None:
        """*writer*: whatever waits by now. Each waiting write has asked for a turn, so none is left behind."""
        batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST_TOGETHER))]
        if not batch:
            return
        try:
            self._writer.refuse_late()
            done = self._engine.remember_all([ready for ready, _ in batch])
        except BaseException as error:
            for _, outer in batch:
                outer.set_exception(error)
            return
        for (ready, outer), result in zip(batch, done, strict=True):
            if isinstance(result, Exception):
                outer.set_exception(result)
                continue
            self._writer.announce(result.changes, result.vector_pending or _owes(ready.prepared))
            outer.set_result(result)

    def _vectors(self, prepared: Prepared, space: VectorSpace | None) -> Sequence[Vectors] | None:
        """One vector a passage within the waiting limit, or None: then the background makes them."""
        wait = float(self._settings["memory.vector_wait_ms"]) / 1000
        if space is None or not wait or not space.embedder.loaded or len(prepared.passages) > MOST_PASSAGES:
            return None
        texts = [part.text for part in prepared.passages]
        waiting = self._embedders.submit(space.embed_passages, texts)
        try:
            made = np.asarray(waiting.result(wait), dtype=np.float32)
        except (TimeoutError, EmbedderUnavailable):
            waiting.cancel()
            return None
        except Exception:
            log.exception("the embedder failed; the words are stored without a vector")
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            kept = made.astype(np.float16)  # as it will be stored
        sound = made.shape == (len(texts), space.index.dimension) and bool(np.isfinite(kept).all())
        # A vector that can not be stored must not keep the memory from being stored; the background tells of it.
        return list(made) if sound and bool(kept.any(axis=1).all()) else None


def _owes(prepared: Prepared) -> bool:
    """Whether the background may have vectors to make beside those of the text: of facts, or of a turn in context."""
    row = prepared.values
    return any(fact.given for fact, _ in prepared.facts) or (
        row["conversation_id"] is not None and is_turn(row["content"])
    )
