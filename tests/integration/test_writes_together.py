"""Writes that wait at the same time share a transaction, and each still stands for itself."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from engine import Service
from engine.config import Settings
from engine.errors import Paused
from engine.ingest.memorize import Ready
from engine.memorizing import PREPARERS
from engine.types import Actor, Draft, Filters, Remembered

WAIT = 20.0
CLIENT, WINDOW = Actor("client", "tester"), Actor("gui", "window")
TEXTS = ("Anna keeps bees", "备用钥匙在阳台的花盆下面", "The boiler was mended in May", "小李在学吉他")


def _held(service: Service, offers: list[tuple[str, Actor]]) -> tuple[list[Future[Remembered]], threading.Event]:
    """Offer while the writer is busy, until all of them wait for it; they go on when the event is set."""
    go = threading.Event()
    service._writer.submit(go.wait, WAIT)
    made = [service.memorize(Draft(text), actor) for text, actor in offers]
    # Every offer is handed over before the pool is through with it.
    service._memorizing._pool.shutdown(wait=True)
    service._memorizing._pool = ThreadPoolExecutor(PREPARERS)
    assert len(service._memorizing._waiting) == len(offers)
    return made, go


def _transactions(service: Service, counted: list[int]) -> None:
    begin = service._database.transaction

    def transaction(**more: Any) -> Any:
        counted.append(1)
        return begin(**more)

    service._database.transaction = transaction  # type: ignore[method-assign]


def test_what_waits_together_is_committed_together(service: Service) -> None:
    made, go = _held(service, [(text, CLIENT) for text in TEXTS])
    counted: list[int] = []
    _transactions(service, counted)
    heard: list[tuple[int, ...]] = []
    service.subscribe(lambda changes: heard.append(changes.created))
    go.set()
    ids = [one.result(WAIT).memory.id for one in made]
    service.idle().result(WAIT)
    assert len(counted) == 1
    assert sorted(ids) == sorted(one for created in heard for one in created)
    assert service.count(Filters()).result(WAIT) == len(TEXTS)


def test_one_that_is_refused_takes_no_other_with_it(open_service: Any) -> None:
    settings = Settings()
    service: Service = open_service(settings=settings)
    made, go = _held(service, [(TEXTS[0], WINDOW), (TEXTS[1], CLIENT), (TEXTS[2], WINDOW)])
    settings.set("memory.paused", True)
    go.set()
    assert isinstance(made[1].exception(WAIT), Paused)
    assert {made[0].result(WAIT).memory.content, made[2].result(WAIT).memory.content} == {TEXTS[0], TEXTS[2]}
    assert service.count(Filters()).result(WAIT) == 2


def test_the_same_told_twice_at_once_is_one_memory(service: Service) -> None:
    made, go = _held(service, [(TEXTS[1], CLIENT), (TEXTS[1], CLIENT), (TEXTS[1], CLIENT)])
    go.set()
    outcomes = sorted(one.result(WAIT).outcome for one in made)
    assert outcomes == ["reinforced", "reinforced", "stored"]
    assert service.count(Filters()).result(WAIT) == 1


def test_a_batch_that_fails_whole_is_tried_one_by_one(service: Service) -> None:
    """An error in the middle leaves the writes around it as if it had not been offered."""
    engine = service._engine
    batch = []
    for text in TEXTS[:3]:
        prepared = engine.prepare(Draft(text), CLIENT)
        batch.append(Ready(prepared, None, None, engine.look(prepared, None, None), CLIENT))
    broken = batch[1].prepared
    bad = {**broken.values, "created_at": None}  # no column takes it
    batch[1] = Ready(
        type(broken)(bad, broken.passages, broken.lexical, broken.facts), None, None, batch[1].near, CLIENT
    )
    done = service._writer.submit(engine.remember_all, batch).result(WAIT)
    assert [isinstance(one, Remembered) for one in done] == [True, False, True]
    assert isinstance(done[1], Exception)
    assert service.count(Filters()).result(WAIT) == 2
