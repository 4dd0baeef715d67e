"""What the verbs of one area (digests, topics, review …) get of the open store: snapshots, one transaction, memorize.

An area is a package of plain functions over a connection and one class, its façade, whose verbs return futures and
only choose where the work runs. Knows no threads: the service lends its own.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from engine.clock import Clock
from engine.config import Settings
from engine.ingest.context import Context
from engine.storage.database import Connection
from engine.types import Actor, Draft, Remembered

T = TypeVar("T")


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


class Memorize(Protocol):
    """The one way to store a memory, as ``Service.memorize``."""

    def __call__(self, draft: Draft, actor: Actor, /) -> Future[Remembered]: ...


@dataclass(frozen=True, slots=True)
class Access:
    """Lent by the service to each façade."""

    settings: Settings
    clock: Clock
    read: Read
    write: Write
    memorize: Memorize
