"""Threads that make vectors for somebody who waits. Whoever waits is let go at once when the store closes.

Daemon threads, unlike those of a ``ThreadPoolExecutor``: a service that does not answer must not hold the end of
the process. Must not know which embedder it is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

from engine.errors import EmbedderUnavailable

P = ParamSpec("P")
T = TypeVar("T")


class Workers(Executor):
    """Up to ``count`` calls at a time. After ``shutdown`` every call, made or new, is ``EmbedderUnavailable``."""

    def __init__(self, count: int, name: str) -> None:
        self._count = count
        self._name = name
        self._lock = threading.Lock()
        self._closed = False
        self._threads: list[threading.Thread] = []
        self._open: set[Future[Any]] = set()
        self._queue: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """As ``Executor.submit``; after ``shutdown`` the future has failed already."""
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                future.set_exception(_closed())
                return future
            self._open.add(future)
            self._queue.put((future, lambda: fn(*args, **kwargs)))
            if len(self._threads) < min(self._count, len(self._open)):
                thread = threading.Thread(target=self._run, name=f"{self._name}-{len(self._threads)}", daemon=True)
                self._threads.append(thread)
                thread.start()
        return future

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = True) -> None:
        """Let everybody who waits go; a call in progress ends on its own, and nobody hears of it."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            for future in tuple(self._open):
                if not future.done():
                    future.set_exception(_closed())
            self._open.clear()
            for _ in self._threads:
                self._queue.put(None)

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            future, call = item
            with self._lock:
                wanted = future in self._open and future.set_running_or_notify_cancel()
            outcome: Any = None
            error: BaseException | None = None
            if wanted:
                try:
                    outcome = call()
                except BaseException as raised:
                    error = raised
            with self._lock:
                mine = future in self._open
                self._open.discard(future)
            if mine and wanted:
                future.set_exception(error) if error is not None else future.set_result(outcome)


def _closed() -> EmbedderUnavailable:
    return EmbedderUnavailable(reason="closed", identity="", retry_after=None)
