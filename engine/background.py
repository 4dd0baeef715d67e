"""The background thread: decides when which upkeep step runs, and who waits for it.

Part of the service (its only other thread user); a step that fails is logged and tried again later, never fatal.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from engine.config import Settings, Values
from engine.embedding import Embedder, NoEmbedder
from engine.engine import Engine
from engine.errors import Cancelled, Closed, EmbedderUnavailable, HupoError
from engine.index.consistency import Writer
from engine.rebuilding import Progress
from engine.text.vocabulary import listed
from engine.types import Changes
from engine.upkeep import Upkeep

log = logging.getLogger("hupo.background")

TICK_SECONDS = 15.0
RETRY_SECONDS = 30.0

Task = tuple[Callable[[], dict[str, int]], Future[dict[str, int]]]


class Background:
    """``wake`` after writes; ``stop`` ends the thread; ``finish`` saves what is left, after all other threads ended."""

    def __init__(
        self, engine: Engine, directory: Path, factory: Callable[[Settings], Embedder], write: Writer,
        tell: Callable[[Changes], None],
    ) -> None:  # fmt: skip
        """``tell``: how listeners hear of a change that upkeep made, called on the writer after its commit."""
        self._engine = engine
        self._factory = factory
        self._condition = threading.Condition()
        self._stopping = False
        self._work = True
        self._swap = True
        self._anew = False
        self._preload = False
        self._graph_checked = False
        self._pause: float | None = None
        self._tasks: list[Task] = []
        self._waiting: list[Future[None]] = []
        # Making an embedder is cheap (it loads nothing) and tells whether vectors will follow a write.
        self._embedder: Embedder | None = factory(engine.settings)
        engine.embeds = not isinstance(self._embedder, NoEmbedder)
        self._embedding = _embedding_values(engine.settings.current)
        self._upkeep = Upkeep(engine, directory, write, tell, lambda: self._stopping)
        self._thread = threading.Thread(target=self._run, name="hupo-background", daemon=True)
        self._leave = engine.settings.subscribe(self._on_settings)

    def start(self) -> None:
        """Begin: open the vector space, then fill what is missing."""
        self._thread.start()

    def wake(self, owed: bool = True) -> None:
        """Something was written. ``owed``: there may be something to do for it; looking costs a write its time."""
        self._upkeep.note_change()
        if not owed:
            return
        with self._condition:
            self._work = True
            self._condition.notify()

    def preload(self) -> None:
        """Load the model soon."""
        with self._condition:
            self._preload = True
            self._condition.notify()

    def when_idle(self, waiting: Future[None]) -> None:
        """Resolve ``waiting`` when everything asked for so far is done."""
        with self._condition:
            stopping = self._stopping
            if not stopping:
                self._waiting.append(waiting)
                self._condition.notify()
        if stopping:
            _refuse(waiting)

    def reindex(self, progress: Progress | None, cancelled: Callable[[], bool]) -> Future[dict[str, int]]:
        """Rebuild words and vector indexes when the thread gets to it."""
        future: Future[dict[str, int]] = Future()

        def task() -> dict[str, int]:
            return self._upkeep.rebuild(progress, lambda: self._stopping or cancelled())

        with self._condition:
            stopping = self._stopping
            if not stopping:
                self._tasks.append((task, future))
                self._condition.notify()
        if stopping:
            _refuse(future)
        return future

    def stop(self, timeout: float) -> None:
        """Ask the thread to end and wait for it; a step in progress ends at its next batch."""
        self._leave()
        with self._condition:
            self._stopping = True
            self._condition.notify()
        self._thread.join(timeout)
        with self._condition:
            tasks, self._tasks = self._tasks, []
            waiting, self._waiting = self._waiting, []
        for _, task in tasks:
            _refuse(task)
        for one in waiting:
            _refuse(one)

    def finish(self) -> None:
        """Save the indexes and close the embedder; only after all other threads have ended."""
        try:
            self._upkeep.save_index(now=True)
        except (HupoError, OSError):
            log.exception("the vector indexes were not saved; they are rebuilt at the next start")
        finally:
            if self._embedder is not None:
                self._embedder.close()

    def _on_settings(self, values: Values) -> None:
        self._engine.vocabulary.learn(listed(str(values["memory.words"])))
        with self._condition:
            # What is in force, not what this call brings: two changes at once may arrive in the other order.
            wanted = _embedding_values(self._engine.settings.current)
            if wanted == self._embedding:
                return
            self._embedding = wanted
            self._swap = self._anew = self._work = True
            self._pause = None
            self._condition.notify()

    def _run(self) -> None:
        self._guarded(self._upkeep.rebuilding.check_words)
        while True:
            with self._condition:
                # While paused, a write alone is no reason to ask the embedder again before its time.
                self._condition.wait_for(self._has_work, self._pause or TICK_SECONDS)
                if self._stopping:
                    return
                due = self._work or self._pause is not None or bool(self._waiting)
                self._work, self._pause = False, None
                swap, self._swap = self._swap, False
                preload, self._preload = self._preload, False
                tasks, self._tasks = self._tasks, []
                waiting, self._waiting = self._waiting, []
            self._step(swap, preload, due, tasks)
            with self._condition:
                stopping = self._stopping
                if self._interrupted() and not stopping:
                    # What came meanwhile goes first; then the rest of the work, and only then is it idle.
                    self._work = True
                    self._waiting[:0] = waiting
                    waiting = []
            for one in waiting:
                if stopping:
                    _refuse(one)
                elif one.set_running_or_notify_cancel():
                    one.set_result(None)

    def _step(self, swap: bool, preload: bool, due: bool, tasks: list[Task]) -> None:
        """Everything that is due, each on its own: one that fails keeps no other from running."""
        if swap or self._anew or (self._engine.space is None and self._engine.embeds):
            self._guarded(self._swap_space)
        self._guarded(self._upkeep.make_ready)
        self._guarded(self._upkeep.forget)
        if not self._graph_checked:
            self._guarded(self._check_graph)
        if preload:
            self._guarded(self._load_model)
        for task, future in tasks:
            _settle(future, task)
        if due:
            self._guarded(self._fill_all)
            self._guarded(self._upkeep.noticing.rejudge)
            self._guarded(self._upkeep.finish_erase)
        self._guarded(self._upkeep.save_index)
        self._guarded(self._upkeep.unload_idle)
        self._guarded(self._upkeep.prune)
        self._guarded(self._upkeep.clear_candidates)
        self._guarded(self._upkeep.age_facts)
        self._guarded(self._upkeep.noticing.consolidate)

    def _has_work(self) -> bool:
        return bool(self._stopping or self._swap or self._preload or self._tasks or self._waiting) or (
            self._work and self._pause is None
        )

    def _interrupted(self) -> bool:
        """Whether something came that must not wait until every vector is made."""
        return bool(self._stopping or self._swap or self._preload or self._tasks)

    def _swap_space(self) -> None:
        """Put the embedder that the settings ask for in force; one that can not tell its dimension is asked again."""
        engine = self._engine
        with self._condition:
            anew, self._anew = self._anew, False
        if anew:
            try:
                self._leave_space()
                self._embedder = self._factory(engine.settings)
            except BaseException:
                self._anew = True
                raise
            engine.embeds = not isinstance(self._embedder, NoEmbedder)
        if not engine.embeds:
            self._upkeep.forgive()
        elif self._embedder is not None:
            self._upkeep.open_space(self._embedder)

    def _leave_space(self) -> None:
        self._upkeep.leave_space()
        if self._embedder is not None:
            self._embedder.close()
            self._embedder = None

    def _check_graph(self) -> None:
        self._upkeep.rebuilding.check_graph()
        self._graph_checked = True

    def _load_model(self) -> None:
        space = self._engine.space
        if space is not None and not space.embedder.loaded:
            space.embed_query(".")

    def _fill_all(self) -> None:
        while not self._interrupted() and self._upkeep.fill():
            pass

    def _guarded(self, step: Callable[[], None]) -> None:
        try:
            step()
        except EmbedderUnavailable as error:
            retry = error.fields.get("retry_after")
            self._pause = float(retry) if isinstance(retry, int | float) and retry > 0 else RETRY_SECONDS
            log.warning("no vectors for now (%s); again in %.0f s", error.fields.get("reason"), self._pause)
        except Cancelled:
            return
        except Exception:
            # Upkeep is never worth the app's life; the journal still knows what is unfinished.
            self._pause = RETRY_SECONDS
            log.exception("upkeep step failed")


def _embedding_values(values: Values) -> tuple[object, ...]:
    return tuple(value for key, value in sorted(values.items()) if key.startswith("embedding.") and "idle" not in key)


def _refuse(future: Future[Any]) -> None:
    if future.set_running_or_notify_cancel():
        future.set_exception(Closed())


def _settle(future: Future[dict[str, int]], task: Callable[[], dict[str, int]]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(task())
    except BaseException as error:
        future.set_exception(error)
