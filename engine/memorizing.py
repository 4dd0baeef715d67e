"""A write on its way to the writer: checked, read, given its vector and compared, off any lock; then handed over.

Has threads of its own (part of ``service.py``, which owns it). Must not write: what it hands over does.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol, TypeVar

import numpy as np

from engine.config import Settings
from engine.embedding.workers import Workers
from engine.engine import Engine, Vectors
from engine.errors import EmbedderUnavailable
from engine.index.space import VectorSpace
from engine.ingest.draft import Prepared
from engine.types import Actor, Changes, Draft, Remembered

log = logging.getLogger("hupo.memorizing")

T = TypeVar("T")
PREPARERS = 4
# A text of more passages can not be done in time; trying would only keep questions waiting.
MOST_PASSAGES = 8


class Admit(Protocol):
    """Gives work to a pool. Errors: ``Closed``."""

    def __call__(self, submit: Callable[[], T], /) -> T: ...


class Write(Protocol):
    """Runs a write on the writer; ``force``: even while closing; ``owes``: whether the background has to follow."""

    def __call__(
        self, work: Callable[[], tuple[T, Changes]], /, *, force: bool = False, owes: Callable[[T], bool] | None = None
    ) -> Future[T]: ...


class Memorizing:
    """``admit`` and ``write`` are the service's."""

    def __init__(self, engine: Engine, settings: Settings, embedders: Workers, admit: Admit, write: Write) -> None:
        self._engine = engine
        self._settings = settings
        self._embedders = embedders
        self._admit = admit
        self._write = write
        self._pool = ThreadPoolExecutor(PREPARERS, "hupo-prepare")

    def memorize(self, draft: Draft, actor: Actor) -> Future[Remembered]:
        """Done when the memory is safe on disk. Errors: ``InvalidArgument``, ``Paused``, ``Closed``, storage errors."""
        outer: Future[Remembered] = Future()
        self._admit(lambda: self._pool.submit(self._run, draft, actor, outer))
        return outer

    def shutdown(self) -> None:
        """Finish what was taken."""
        self._pool.shutdown()

    def _run(self, draft: Draft, actor: Actor, outer: Future[Remembered]) -> None:
        if not outer.set_running_or_notify_cancel():
            return
        try:
            prepared = self._engine.prepare(draft, actor)
            space = self._engine.space
            made = self._vectors(prepared, space)
            near = self._engine.look(prepared, made, space)
            written = self._write(
                lambda: _with_changes(self._engine.remember(prepared, made, space, near, actor)), force=True,
                owes=lambda done: done.vector_pending or any(fact.given for fact, _ in prepared.facts),
            )  # fmt: skip
        except BaseException as error:
            outer.set_exception(error)
            return
        written.add_done_callback(lambda inner: _hand_over(inner, outer))

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


def _with_changes(done: Remembered) -> tuple[Remembered, Changes]:
    return done, done.changes


def _hand_over(inner: Future[T], outer: Future[T]) -> None:
    error = inner.exception()
    if error is not None:
        outer.set_exception(error)
    else:
        outer.set_result(inner.result())
