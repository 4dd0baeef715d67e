"""Futures side by side, without a thread that waits for them. Knows nothing of what they are about."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")


def together(futures: Sequence[Future[T]], join: Callable[[list[T]], U]) -> Future[U]:
    """``join`` of what all of them give, in their order; the error of the first that has one."""
    outer: Future[U] = Future()
    outer.set_running_or_notify_cancel()
    guard = threading.Lock()
    left = len(futures)

    def count(_: Future[T]) -> None:
        nonlocal left
        with guard:
            left -= 1
            last = left == 0
        if last:
            _settle(outer, lambda: join([one.result() for one in futures]))

    for one in futures:
        one.add_done_callback(count)
    if not futures:
        _settle(outer, lambda: join([]))
    return outer


def _settle(outer: Future[U], work: Callable[[], U]) -> None:
    try:
        outer.set_result(work())
    except BaseException as error:
        outer.set_exception(error)
