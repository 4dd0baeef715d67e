"""Background work: only the newest answer counts, every error arrives, every write can be taken back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from gui.bridge import Courier
from gui.operations import Commands, Done, Outcome, Query, after, gather, sorted_out


def done(value: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(value)
    return future


def broken(error: BaseException) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_exception(error)
    return future


def test_answers_come_on_the_main_thread(courier: Courier, until: Callable[..., None]) -> None:
    future: Future[int] = Future()
    seen: list[tuple[int, bool]] = []
    query = Query(courier)
    query.ask(lambda: future, lambda value: seen.append((value, threading.current_thread() is threading.main_thread())))
    worker = threading.Thread(target=future.set_result, args=(7,))
    worker.start()
    worker.join()
    assert seen == []
    until(lambda: seen)
    assert seen == [(7, True)]


def test_only_the_newest_answer_counts(courier: Courier, until: Callable[..., None]) -> None:
    first: Future[str] = Future()
    second: Future[str] = Future()
    seen: list[str] = []
    busy: list[bool] = []
    query = Query(courier)
    query.busy.connect(busy.append)
    query.ask(lambda: first, seen.append)
    query.ask(lambda: second, seen.append)
    second.set_result("new")
    until(lambda: seen)
    first.set_result("old")
    QCoreApplication.processEvents()
    assert seen == ["new"] and busy == [True, False]


def test_a_dropped_question_is_not_answered(courier: Courier) -> None:
    future: Future[int] = Future()
    seen: list[int] = []
    query = Query(courier)
    query.ask(lambda: future, seen.append)
    query.drop()
    future.set_result(1)
    QCoreApplication.processEvents()
    assert seen == [] and not query.running


@pytest.mark.parametrize("refused", [True, False], ids=["on starting", "while working"])
def test_errors_arrive(courier: Courier, until: Callable[..., None], refused: bool) -> None:
    def start() -> Future[int]:
        if refused:
            raise ValueError("no")
        return broken(ValueError("no"))

    failures: list[BaseException] = []
    query = Query(courier)
    query.failed.connect(failures.append)
    query.ask(start, lambda _: pytest.fail("there is no answer"))
    until(lambda: failures)
    assert isinstance(failures[0], ValueError) and not query.running


def test_an_answer_for_a_window_that_is_gone_is_let_go(courier: Courier) -> None:
    future: Future[int] = Future()
    query = Query(courier)
    query.ask(lambda: future, lambda _: pytest.fail("nobody is there"))
    query.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    future.set_result(1)
    QCoreApplication.processEvents()


def test_nothing_is_carried_after_closing(courier: Courier) -> None:
    courier.post(lambda: pytest.fail("too late"))
    courier.close()
    courier.post(lambda: pytest.fail("too late"))
    QCoreApplication.processEvents()


class Ledger:
    """A history where undo of n leaves n + 100."""

    def __init__(self) -> None:
        self.undone: list[int] = []

    def undo(self, history_id: int) -> Future[Sequence[int]]:
        self.undone.append(history_id)
        return done((history_id + 100,))


def test_undo_and_redo_go_back_and_forth(courier: Courier, until: Callable[..., None]) -> None:
    ledger = Ledger()
    commands = Commands(courier, ledger.undo)
    said: list[Done] = []
    commands.done.connect(said.append)
    commands.run(lambda: done(Outcome((1, 2), 2)), "toast.trashed")
    until(lambda: said)
    assert said[0].can_undo and said[0].values["n"] == 2
    commands.undo()
    until(lambda: commands.can_redo)
    assert ledger.undone == [2, 1] and not commands.can_undo
    commands.redo()
    until(lambda: commands.can_undo)
    assert ledger.undone == [2, 1, 101, 102] and not commands.can_redo


def test_a_new_command_ends_redoing(courier: Courier, until: Callable[..., None]) -> None:
    commands = Commands(courier, Ledger().undo)
    commands.run(lambda: done(Outcome((1,))), "toast.edited")
    until(lambda: commands.can_undo)
    commands.undo()
    until(lambda: commands.can_redo)
    commands.run(lambda: done(Outcome((5,))), "toast.edited")
    until(lambda: commands.can_undo)
    assert not commands.can_redo


def test_a_failed_command_is_told_once_and_leaves_nothing_to_undo(courier: Courier, until: Callable[..., None]) -> None:
    commands = Commands(courier, Ledger().undo)
    told: list[BaseException] = []
    also: list[BaseException] = []
    commands.failed.connect(told.append)
    commands.run(lambda: broken(OSError("no")), "toast.edited", failed=also.append)
    until(lambda: told)
    assert len(told) == len(also) == 1 and not commands.can_undo


def test_half_a_command_can_be_undone_and_its_failure_is_told(courier: Courier, until: Callable[..., None]) -> None:
    commands = Commands(courier, Ledger().undo)
    told: list[BaseException] = []
    commands.failed.connect(told.append)
    commands.run(lambda: done(Outcome((1,), 1, (OSError("no"),))), "toast.edited")
    until(lambda: told)
    assert commands.can_undo


def test_a_command_that_changed_nothing_offers_no_undo(courier: Courier, until: Callable[..., None]) -> None:
    commands = Commands(courier, Ledger().undo)
    said: list[Done] = []
    commands.done.connect(said.append)
    commands.run(lambda: done(Outcome()), "toast.edited")
    until(lambda: said)
    assert not said[0].can_undo and not commands.can_undo


def test_gather_keeps_order_and_errors_in_their_place() -> None:
    late: Future[int] = Future()
    together = gather([late, broken(KeyError("x")), done(3)])
    assert not together.done()
    late.set_result(1)
    answers = together.result(1)
    good, bad = sorted_out(answers)
    assert good == [1, 3] and isinstance(bad[0], KeyError) and answers[0] == 1
    assert gather([]).result(1) == []


def test_after_hands_on_answers_and_errors() -> None:
    assert after(done(2), lambda value: value + 1).result(1) == 3
    for chained in (
        after(broken(KeyError("x")), lambda value: value),
        after(done(1), lambda value: value / 0),
    ):
        assert isinstance(chained.exception(1), KeyError | ZeroDivisionError)
