"""The only two ways in which a window works in the background: a Query that reads, Commands that write and can undo.

Both take futures of the engine's service and answer on the main thread. No window may wait for a future or start a
thread. Must not know any widget; whoever shows toasts connects to the signals.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

import shiboken6
from PySide6.QtCore import QObject, Signal

from gui.bridge import Courier

T = TypeVar("T")
S = TypeVar("S")


class Query(QObject):
    """Reads for one place in a window: only the newest question counts, answers to older ones are dropped."""

    busy = Signal(bool)
    failed = Signal(object)  # BaseException

    def __init__(self, courier: Courier, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._courier = courier
        self._newest = 0
        self._running = False

    @property
    def running(self) -> bool:
        """Whether an answer is still awaited."""
        return self._running

    def ask(self, start: Callable[[], Future[T]], then: Callable[[T], None]) -> None:
        """Start reading; call ``then`` with the answer unless a newer question was asked meanwhile."""
        self._newest += 1
        mine = self._newest
        self._set_running(True)

        def arrived(answer: T | None, error: BaseException | None) -> None:
            if not shiboken6.isValid(self) or mine != self._newest:
                return
            self._set_running(False)
            if error is not None:
                self.failed.emit(error)
            else:
                then(answer)  # type: ignore[arg-type]

        deliver(self._courier, start, arrived)

    def drop(self) -> None:
        """Forget the question that is being answered."""
        self._newest += 1
        self._set_running(False)

    def _set_running(self, running: bool) -> None:
        if running != self._running:
            self._running = running
            self.busy.emit(running)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command did: history rows it left (for undo), how many things it touched, and what failed of it.

    ``said``: key of the sentence for it, where that depends on what came of the command.
    """

    history_ids: tuple[int, ...] = ()
    count: int = 1
    failures: tuple[BaseException, ...] = ()
    said: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """A finished command for the toast: ``key`` of the sentence, its values, and whether undo is offered."""

    key: str
    values: dict[str, Any]
    can_undo: bool


class Commands(QObject):
    """Runs writes, reports each once, and keeps what is needed to undo and redo them."""

    done = Signal(object)  # Done
    failed = Signal(object)  # BaseException
    stacks_changed = Signal()
    KEPT = 100

    def __init__(
        self, courier: Courier, undo: Callable[[int], Future[Sequence[int]]], parent: QObject | None = None
    ) -> None:
        """``undo`` takes back one history row and answers with the rows that this left."""
        super().__init__(parent)
        self._courier = courier
        self._take_back = undo
        self._undo: list[tuple[int, ...]] = []
        self._redo: list[tuple[int, ...]] = []

    @property
    def can_undo(self) -> bool:
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        return bool(self._redo)

    def run(
        self,
        start: Callable[[], Future[Outcome]],
        said: str,
        *,
        values: dict[str, Any] | None = None,
        then: Callable[[Outcome], None] | None = None,
        failed: Callable[[BaseException], None] | None = None,
    ) -> None:
        """Start a write. ``said``: key of the sentence for the toast. ``failed``: also called when nothing was done."""

        def arrived(outcome: Outcome | None, error: BaseException | None) -> None:
            if not shiboken6.isValid(self):
                return
            if outcome is None or (outcome.failures and not outcome.count):
                cause = error or (outcome.failures[0] if outcome else RuntimeError("no outcome"))
                self.failed.emit(cause)
                if failed is not None:
                    failed(cause)
                return
            if outcome.history_ids:
                self._push(self._undo, outcome.history_ids)
                self._redo.clear()
                self.stacks_changed.emit()
            shown = {"n": outcome.count, **(values or {})}
            self.done.emit(Done(outcome.said or said, shown, bool(outcome.history_ids)))
            for failure in outcome.failures[:1]:
                self.failed.emit(failure)
            if then is not None:
                then(outcome)

        deliver(self._courier, start, arrived)

    def undo(self) -> None:
        """Take back the last command, newest change first."""
        self._step(self._undo, self._redo, "toast.undone")

    def redo(self) -> None:
        """Do again what was taken back last."""
        self._step(self._redo, self._undo, "toast.redone")

    def undo_entry(self, history_id: int, then: Callable[[], None]) -> None:
        """Take back one change out of a memory's history."""
        self.run(
            lambda: after(self._take_back(history_id), lambda ids: Outcome(tuple(ids))),
            "toast.undone",
            then=lambda _: then(),
        )

    def _step(self, source: list[tuple[int, ...]], target: list[tuple[int, ...]], said: str) -> None:
        if not source:
            return
        ids = source.pop()
        self.stacks_changed.emit()

        def arrived(answers: list[Sequence[int] | BaseException] | None, error: BaseException | None) -> None:
            if not shiboken6.isValid(self):
                return
            left, failures = sorted_out(answers or [])
            history_ids = tuple(entry for ids in left for entry in ids)
            if history_ids:
                self._push(target, history_ids)
                self.stacks_changed.emit()
                self.done.emit(Done(said, {"n": len(left)}, False))
            for failure in [error] if error is not None else failures[:1]:
                self.failed.emit(failure)

        deliver(self._courier, lambda: gather([self._take_back(one) for one in reversed(ids)]), arrived)

    def _push(self, stack: list[tuple[int, ...]], ids: tuple[int, ...]) -> None:
        stack.append(ids)
        del stack[: -self.KEPT]


def deliver(
    courier: Courier, start: Callable[[], Future[T]], arrived: Callable[[T | None, BaseException | None], None]
) -> None:
    """Start work and bring its answer or its error to the main thread, also when starting fails."""
    try:
        future = start()
    except Exception as error:  # handed on, as an error of the work would be
        refused = error
        courier.post(lambda: arrived(None, refused))
        return

    def finished(future: Future[T]) -> None:
        if future.cancelled():
            return
        error = future.exception()
        answer = None if error is not None else future.result()
        courier.post(lambda: arrived(answer, error))

    future.add_done_callback(finished)


def after(future: Future[T], change: Callable[[T], S]) -> Future[S]:
    """A future of ``change`` applied to the answer of ``future`` (in the thread that answers)."""
    result: Future[S] = Future()

    def finished(done: Future[T]) -> None:
        try:
            result.set_result(change(done.result()))
        except BaseException as error:  # a future carries whatever went wrong
            result.set_exception(error)

    future.add_done_callback(finished)
    return result


def gather(futures: Sequence[Future[T]]) -> Future[list[T | BaseException]]:
    """A future of all answers in order, with the error in the place of an answer that failed."""
    result: Future[list[T | BaseException]] = Future()
    answers: list[T | BaseException] = [RuntimeError("unanswered")] * len(futures)
    left = len(futures)
    lock = threading.Lock()
    if not futures:
        result.set_result([])

    def finished(at: int, done: Future[T]) -> None:
        nonlocal left
        error = done.exception()
        answers[at] = error if error is not None else done.result()
        with lock:
            left -= 1
            last = left == 0
        if last:
            result.set_result(answers)

    for at, future in enumerate(futures):
        future.add_done_callback(lambda done, at=at: finished(at, done))  # type: ignore[misc]
    return result


def sorted_out(answers: Sequence[T | BaseException]) -> tuple[list[T], list[BaseException]]:
    """The answers and the errors among what :func:`gather` brought."""
    good = [answer for answer in answers if not isinstance(answer, BaseException)]
    bad = [answer for answer in answers if isinstance(answer, BaseException)]
    return good, bad
