"""Workers: as an executor, until shutdown lets everybody who waits go."""

from __future__ import annotations

import threading

import pytest

from engine.embedding.workers import Workers
from engine.errors import EmbedderUnavailable

WAIT = 10.0


def test_results_and_errors_come_back() -> None:
    workers = Workers(2, "test")
    assert [workers.submit(pow, 2, at).result(WAIT) for at in range(9)] == [2**at for at in range(9)]
    with pytest.raises(ZeroDivisionError):
        workers.submit(divmod, 1, 0).result(WAIT)
    assert len(workers._threads) <= 2
    workers.shutdown()


def test_as_many_at_once_as_there_are_workers() -> None:
    workers, together = Workers(3, "test"), threading.Barrier(3)
    for one in [workers.submit(together.wait, WAIT) for _ in range(3)]:
        one.result(WAIT)
    workers.shutdown()


def test_a_cancelled_call_is_not_made() -> None:
    workers, gate, made = Workers(1, "test"), threading.Event(), threading.Event()
    first, second = workers.submit(gate.wait, WAIT), workers.submit(made.set)
    assert second.cancel()
    gate.set()
    assert first.result(WAIT) and workers.submit(bool).result(WAIT) is False
    assert not made.is_set()
    workers.shutdown()


def test_shutdown_lets_those_who_wait_go_and_refuses_new_ones() -> None:
    workers, gate = Workers(1, "test"), threading.Event()
    running, queued = workers.submit(gate.wait, WAIT), workers.submit(bool)
    workers.shutdown()
    workers.shutdown()
    for future in (running, queued, workers.submit(bool)):
        error = future.exception(WAIT)
        assert isinstance(error, EmbedderUnavailable) and error.fields["reason"] == "closed"
    gate.set()
    for thread in workers._threads:
        thread.join(WAIT)
        assert not thread.is_alive() and thread.daemon
