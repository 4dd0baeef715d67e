"""What the verbs of one area (digests, topics, review …) get of the open store: snapshots, one transaction, memorize.

An area is a package of plain functions over a connection and one class, its façade, whose verbs return futures and
only choose where the work runs. Knows no threads: the service lends its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.clock import Clock
from engine.config import Settings
from engine.index.space import VectorSpace
from engine.ingest.context import Context
from engine.storage.database import Connection
from engine.types import Actor, Draft, Remembered

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """What a write did: its ``result`` for the caller, and what listeners hear (as in ``Changes``).

    ``gone_passages`` and ``gone_entries`` leave the vector indexes.
    """

    result: T
    action: str
    created: tuple[int, ...] = ()
    updated: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    history_ids: tuple[int, ...] = ()
    gone_passages: tuple[int, ...] = ()
    gone_entries: tuple[int, ...] = ()


class Read(Protocol):
    """Runs a function of a snapshot on a reader thread. Errors: ``Closed``, storage errors."""

    def __call__(self, work: Callable[[Connection], T], /) -> Future[T]: ...


class Write(Protocol):
    """Runs a function in one transaction on the writer: all of it is kept, or nothing.

    Errors: ``Paused`` (a client, while remembering is paused), ``Closed``, storage errors.
    """

    def __call__(self, actor: Actor, work: Callable[[Connection, Context], Done[T]], /) -> Future[T]: ...


# What is written with a memory, in its transaction; gets the memory's id. What it raises takes all of it back.
Also = Callable[[Connection, Context, int], None]


class Memorize(Protocol):
    """The one way to store a memory, as ``Service.memorize``."""

    def __call__(self, draft: Draft, actor: Actor, /, *, also: Also | None = None) -> Future[Remembered]: ...


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question means: its unit vector [dimension] under an identity; None where there is none.

    ``degraded``: slugs of what was missing, as in ``Recollection``; ``space``: where the vector is to be looked up.
    """

    identity_id: int = 0
    vector: NDArray[np.float32] | None = None
    degraded: tuple[str, ...] = ()
    space: VectorSpace | None = None


class Ask(Protocol):
    """Makes the vector of a question, on no thread of the readers; never fails for want of a model."""

    def __call__(self, text: str, /) -> Future[Asked]: ...


@dataclass(frozen=True, slots=True)
class Access:
    """Lent by the service to each façade."""

    settings: Settings
    clock: Clock
    read: Read
    write: Write
    memorize: Memorize
    ask: Ask


def then(first: Future[T], follow: Callable[[T], Future[U]]) -> Future[U]:
    """What ``follow`` makes of the result of ``first``, without a thread that waits for it."""
    outer: Future[U] = Future()
    outer.set_running_or_notify_cancel()  # what has begun can not be cancelled

    def hand_over(inner: Future[U]) -> None:
        error = inner.exception()
        if error is not None:
            outer.set_exception(error)
        else:
            outer.set_result(inner.result())

    def go_on(ready: Future[T]) -> None:
        try:
            follow(ready.result()).add_done_callback(hand_over)
        except BaseException as error:
            outer.set_exception(error)

    first.add_done_callback(go_on)
    return outer


def in_turn(items: Sequence[T], work: Callable[[T], Future[U]]) -> Future[tuple[U, ...]]:
    """The results of ``work`` for each item, one begun when the one before is done; the first error ends it."""
    outer: Future[tuple[U, ...]] = Future()
    outer.set_running_or_notify_cancel()
    left, results = list(reversed(items)), list[U]()

    def go_on(before: Future[U] | None) -> None:
        try:
            while True:
                if before is not None:
                    results.append(before.result())
                if not left:
                    outer.set_result(tuple(results))
                    return
                before = work(left.pop())
                if not before.done():
                    before.add_done_callback(go_on)
                    return
        except BaseException as error:
            outer.set_exception(error)

    go_on(None)
    return outer
