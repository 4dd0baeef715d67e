"""Begin and end of a service: nothing is left behind when it fails, no future is left open when it closes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from engine import Service, Settings
from engine.errors import Closed
from engine.types import Actor, Draft, Filters, Query

WAIT = 20.0
CLIENT = Actor("client", "tester")
Opener = Callable[..., Service]


def hold_the_writer(service: Service) -> threading.Event:
    """The writer stands still until the event is set."""
    go, begun = threading.Event(), threading.Event()

    def stand() -> None:
        begun.set()
        assert go.wait(WAIT)

    service._writer.submit(stand)
    assert begun.wait(WAIT)
    return go


def until(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < limit
        threading.Event().wait(0.002)


def test_a_service_that_can_not_begin_lets_go_of_the_store(data_dir: Path, open_service: Opener) -> None:
    def factory(_: Settings) -> Any:
        raise RuntimeError("no embedder today")

    with pytest.raises(RuntimeError, match="no embedder today"):
        Service.open(data_dir, Settings(), embedder_factory=factory)
    assert open_service().count(Filters()).result(WAIT) == 0


def test_a_cancelled_wait_does_not_end_the_background(service: Service, embedder: Any) -> None:
    embedder.gate.clear()
    embedder.loaded = False
    service.memorize(Draft("still to be embedded"), CLIENT).result(WAIT)
    waiting = service.idle()
    service.count(Filters()).result(WAIT)
    assert waiting.cancel()
    embedder.gate.set()
    service.idle().result(WAIT)
    assert service.status().result(WAIT).vectors.stored == 1


def test_close_resolves_what_was_asked_for_last(open_service: Opener) -> None:
    service = open_service()
    service.idle().result(WAIT)
    go = hold_the_writer(service)
    late = [service.idle(), service.idle()]
    rebuild = service.reindex()
    cancelled = service.reindex()
    cancelled.cancel()
    closing = threading.Thread(target=service.close)
    closing.start()
    go.set()
    closing.join(WAIT)
    assert not closing.is_alive()
    for future in (*late, rebuild):
        assert future.done() or future.exception(WAIT) is not None
    for future in late:
        error = future.exception(WAIT)
        assert error is None or isinstance(error, Closed)


def test_a_rebuild_asked_for_while_closing_is_refused_and_not_forgotten(open_service: Opener) -> None:
    service = open_service()
    service.close()
    assert isinstance(service._background.reindex(None, lambda: False).exception(WAIT), Closed)
    waiting: Future[None] = Future()
    service._background.when_idle(waiting)
    assert isinstance(waiting.exception(WAIT), Closed)


def test_writes_that_had_no_time_are_told_so(open_service: Opener) -> None:
    service = open_service()
    service.idle().result(WAIT)
    memory_id = service.memorize(Draft("in time"), CLIENT).result(WAIT).memory.id
    go = hold_the_writer(service)
    late = service.edit(memory_id, {"title": "too late"}, CLIENT)
    closing = threading.Thread(target=service.close, kwargs={"timeout": 0.0})
    closing.start()
    until(lambda: service._deadline is not None)
    go.set()
    closing.join(WAIT)
    assert isinstance(late.exception(WAIT), Closed)
    assert open_service().get(memory_id).result(WAIT).title == ""


def test_an_embedder_that_hangs_does_not_hold_close_nor_what_waits_for_it(open_service: Opener, embedder: Any) -> None:
    settings = Settings()
    settings.set("memory.vector_wait_ms", 10_000)
    service = open_service(settings=settings)
    service.idle().result(WAIT)
    embedder.gate.clear()
    stored = service.memorize(Draft("told to a deaf model"), CLIENT)
    asked = service.recall(Query("deaf"))
    begun = time.monotonic()
    service.close(timeout=1.0)
    took = time.monotonic() - begun
    embedder.gate.set()
    assert took < 4.0
    assert stored.result(WAIT).vector_pending
    assert "embedder_unavailable" in asked.result(WAIT).degraded


def test_lists_are_shown_while_questions_wait_for_the_embedder(service: Service, embedder: Any) -> None:
    embedder.gate.clear()
    asked = [service.recall(Query(f"question {at}")) for at in range(6)]
    assert service.count(Filters()).result(2.0) == 0
    assert not all(one.done() for one in asked)
    embedder.gate.set()
    for one in asked:
        one.result(WAIT)


def test_close_goes_on_when_a_part_fails_and_can_be_called_from_two_threads(
    open_service: Opener, embedder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = open_service()
    service.idle().result(WAIT)

    def broken() -> None:
        raise RuntimeError("the model does not let go")

    monkeypatch.setattr(embedder, "close", broken)
    errors: list[BaseException] = []

    def close() -> None:
        try:
            service.close()
        except RuntimeError as error:
            errors.append(error)

    threads = [threading.Thread(target=close) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
    assert [str(error) for error in errors] == ["the model does not let go"]
    monkeypatch.undo()
    open_service().close()


def test_pause_counts_for_what_is_on_its_way(open_service: Opener, embedder: Any) -> None:
    settings = Settings()
    settings.set("memory.vector_wait_ms", 10_000)
    service = open_service(settings=settings)
    service.idle().result(WAIT)
    embedder.gate.clear()
    waiting = service.memorize(Draft("said before the pause"), CLIENT)
    until(lambda: bool(service._embedders._open))
    settings.set("memory.paused", True)
    embedder.gate.set()
    error = waiting.exception(WAIT)
    assert getattr(error, "code", "") == "paused"
    assert service.count(Filters()).result(WAIT) == 0
