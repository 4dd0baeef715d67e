"""What owes a vector: every journal entry ends, one bad vector harms no other, and nothing waits for a long fill."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import Service, Settings, background, filling
from engine.embedding import NoEmbedder
from engine.errors import Cancelled, DiskFull, EmbedderUnavailable
from engine.storage import vectors
from engine.types import Actor, Draft, Query

WAIT = 20.0
CLIENT, WINDOW = Actor("client", "tester"), Actor("gui", "window")
Opener = Callable[..., Service]


@pytest.fixture
def late(open_service: Opener) -> Service:
    """A service whose writes never wait for their vectors."""
    settings = Settings()
    settings.set("memory.vector_wait_ms", 0)
    service = open_service(settings=settings)
    service.idle().result(WAIT)
    return service


def remember(service: Service, content: str) -> int:
    return service.memorize(Draft(content), CLIENT).result(WAIT).memory.id


def debts(service: Service) -> tuple[int, int]:
    service.idle().result(WAIT)
    status = service.status().result(WAIT)
    return status.journal_open, status.journal_failed


def test_what_is_trashed_before_its_vector_owes_none_and_gets_one_when_restored(late: Service, embedder: Any) -> None:
    embedder.away = True
    memory_id = remember(late, "thrown away at once")
    late.trash([memory_id], CLIENT).result(WAIT)
    assert debts(late) == (0, 0)
    embedder.away = False
    assert debts(late) == (0, 0)
    assert late.status().result(WAIT).vectors.stored == 0
    late.restore([memory_id], CLIENT).result(WAIT)
    assert debts(late) == (0, 0)
    assert late.status().result(WAIT).vectors.stored == 1


def test_restore_undo_and_edit_of_what_has_its_vector_leave_no_debt(service: Service) -> None:
    memory_id = remember(service, "comes and goes")
    trashed = service.trash([memory_id], CLIENT).result(WAIT)
    service.undo(trashed.history_ids[0], WINDOW).result(WAIT)
    assert debts(service) == (0, 0)
    service.edit(memory_id, {"content": "one"}, CLIENT).result(WAIT)
    service.edit(memory_id, {"content": "two"}, CLIENT).result(WAIT)
    assert debts(service) == (0, 0)


def test_without_a_model_nothing_is_owed_and_all_is_made_when_one_comes(late: Service, embedder: Any) -> None:
    embedder.away = True
    for number in range(3):
        remember(late, f"entry {number}")
    late.settings.set("embedding.provider", "none")
    assert debts(late) == (0, 0)
    embedder.away, embedder.loaded = False, True
    late.settings.set("embedding.provider", "local")
    assert debts(late) == (0, 0)
    assert late.status().result(WAIT).vectors.stored == 3


class SometimesZero:
    """Makes a vector of nothing but zeros for texts with a mark in them."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.identity, self.dimension, self.loaded = inner.identity, inner.dimension, True

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        made = self._inner.embed_passages(texts)
        for at, text in enumerate(texts):
            if "cursed" in text:
                made[at] = 0.0
        return made

    def embed_query(self, text: str) -> np.ndarray:
        return self._inner.embed_query(text)

    def unload(self) -> None:
        self.loaded = False

    def close(self) -> None:
        self.loaded = False


@pytest.mark.parametrize("milliseconds", [0, 10_000])
def test_a_vector_that_can_not_be_stored_harms_neither_memory_nor_neighbours(
    open_service: Opener, embedder: Any, milliseconds: int
) -> None:
    settings = Settings()
    settings.set("memory.vector_wait_ms", milliseconds)
    service = open_service(SometimesZero(embedder), settings)
    service.idle().result(WAIT)
    embedder.gate.clear()
    pending = [service.memorize(Draft(text), CLIENT) for text in ("plain one", "the cursed one", "plain two")]
    embedder.gate.set()
    assert [one.result(WAIT).outcome for one in pending] == ["stored"] * 3
    assert debts(service) == (0, 1)  # tried three times, then shown
    status = service.status().result(WAIT)
    assert status.vectors.stored == 2 and "journal_failed" in status.trouble


def test_a_failing_model_does_not_keep_words_from_being_stored(
    service: Service, monkeypatch: Any, embedder: Any
) -> None:
    def broken(_: Sequence[str]) -> np.ndarray:
        raise ValueError("a bug in the model")

    monkeypatch.setattr(embedder, "embed_passages", broken)
    assert service.memorize(Draft("kept all the same"), CLIENT).result(WAIT).vector_pending


def test_trouble_with_the_disk_is_not_held_against_a_text(late: Service, embedder: Any, monkeypatch: Any) -> None:
    failed = threading.Event()
    real = vectors.put

    def full(*arguments: Any) -> Any:
        if not failed.is_set():
            failed.set()
            raise DiskFull(path="x")
        return real(*arguments)

    monkeypatch.setattr(vectors, "put", full)
    remember(late, "written when there was no room")
    assert failed.wait(WAIT)
    late.idle().result(WAIT)
    assert debts(late) == (0, 0)
    assert late.status().result(WAIT).vectors.stored == 1


def test_a_new_model_says_that_it_is_not_done_yet_and_can_be_turned_off_meanwhile(
    open_service: Opener, embedder: Any
) -> None:
    service = open_service()
    service.idle().result(WAIT)
    for number in range(filling.BATCH * 3):
        remember(service, f"page {number} of the book")
    service.close()
    other = type(embedder)("test/bag/2", 32)
    step, embed = threading.Semaphore(0), other.embed_passages

    def slowly(texts: Sequence[str]) -> np.ndarray:
        if len(texts) > 1:
            assert step.acquire(timeout=WAIT)
        return embed(texts)

    other.embed_passages = slowly
    again = open_service(other)
    step.release()
    limit = time.monotonic() + WAIT
    while not again.status().result(WAIT).vectors.stored and time.monotonic() < limit:
        threading.Event().wait(0.005)
    answer = again.recall(Query("page 7", reinforce=False)).result(WAIT)
    assert "vectors_incomplete" in answer.degraded
    again.settings.set("embedding.provider", "none")
    done = again.idle()
    step.release()
    done.result(WAIT)  # one batch in progress, and not all of them
    assert again.recall(Query("page 7", reinforce=False)).result(WAIT).degraded == ()
    assert isinstance(again._background._embedder, NoEmbedder)


def test_a_write_does_not_write_the_whole_index_file(service: Service, data_dir: Path) -> None:
    for number in range(5):
        service._background._upkeep._changed_at = -1e9  # quiet for long before each
        remember(service, f"note {number}")
        service.idle().result(WAIT)
    assert not list(data_dir.glob("vectors-*.usearch")), "saved when quiet or at the end, not after each write"
    service.close()
    assert len(list(data_dir.glob("vectors-*.usearch"))) == 1


def test_a_tick_with_nothing_to_do_asks_the_database_nothing(
    open_service: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "TICK_SECONDS", 0.01)
    service = open_service()
    service.idle().result(WAIT)
    ticks = threading.Semaphore(0)
    asked: list[int] = []
    reader = service._database.reader

    def counting() -> Any:
        asked.append(1)
        return reader()

    monkeypatch.setattr(service._database, "reader", counting)
    monkeypatch.setattr(service._background._upkeep, "unload_idle", ticks.release)
    for _ in range(5):
        assert ticks.acquire(timeout=WAIT)
    assert asked == []


def test_a_paused_background_is_not_woken_by_writes(late: Service, embedder: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(background, "RETRY_SECONDS", 600.0)
    tried: list[int] = []

    def away(_: Sequence[str]) -> np.ndarray:
        tried.append(1)
        raise EmbedderUnavailable(reason="away", identity="", retry_after=None)

    monkeypatch.setattr(embedder, "embed_passages", away)
    remember(late, "first")
    late.idle().result(WAIT)
    before = len(tried)
    for number in range(20):
        remember(late, f"more {number}")
    late.idle().result(WAIT)
    assert len(tried) - before <= 2


def test_a_rebuild_that_is_cancelled_leaves_the_index_that_was(service: Service) -> None:
    for number in range(40):
        remember(service, f"drawer {number}")
    service.idle().result(WAIT)
    seen: list[tuple[int, int]] = []
    rebuild = service.reindex(lambda done, total: seen.append((done, total)), lambda: bool(seen) and seen[-1][0] >= 40)
    assert isinstance(rebuild.exception(WAIT), Cancelled)
    answer = service.recall(Query("drawer 12", overrides={"recall.fusion": "vector"})).result(WAIT)
    assert answer.degraded == () and len(answer.hits) == 5
    assert len(service._engine.space.index) == 40  # type: ignore[union-attr]


@pytest.mark.parametrize("call", [1, 2])
def test_what_goes_while_the_index_is_made_anew_does_not_come_back(
    service: Service, monkeypatch: Any, call: int
) -> None:
    ids = [remember(service, f"shelf {number}") for number in range(6)]
    service.idle().result(WAIT)
    real, calls = vectors.keys, [0]

    def and_then_an_edit(cx: Any, identity: int, *family: Any) -> Any:
        keys = real(cx, identity, *family)
        calls[0] += 1
        if calls[0] == call:
            service._writer.submit(service._engine.edit, ids[0], {"content": "another text"}, WINDOW).result(WAIT)
        return keys

    monkeypatch.setattr(vectors, "keys", and_then_an_edit)
    service.reindex().result(WAIT)
    service.idle().result(WAIT)
    with service._database.reader() as cx:
        stored = real(cx, service._engine.space.identity_id).tolist()  # type: ignore[union-attr]
    assert calls[0] > call and service._engine.space.index.keys().tolist() == stored  # type: ignore[union-attr]


def test_an_embedder_that_can_not_be_made_is_tried_again(
    data_dir: Path, embedder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "RETRY_SECONDS", 0.02)
    broken = [True, True]
    made = threading.Event()

    def factory(settings: Settings) -> Any:
        if settings["embedding.provider"] == "none":
            return NoEmbedder()
        if broken:
            broken.pop()
            raise RuntimeError("not now")
        made.set()
        return embedder

    settings = Settings()
    settings.set("embedding.provider", "none")
    service = Service.open(data_dir, settings, embedder_factory=factory)
    try:
        service.idle().result(WAIT)
        settings.set("embedding.provider", "local")
        assert made.wait(WAIT)
        limit = time.monotonic() + WAIT
        while service.status().result(WAIT).vectors.state != "ready" and time.monotonic() < limit:
            service.idle().result(WAIT)
        assert service.status().result(WAIT).vectors.state == "ready"
    finally:
        service.close()
