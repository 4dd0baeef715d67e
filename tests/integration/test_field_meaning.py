"""The model changes, fails, goes and comes back; crashes fall between rows and index: no good vector is ever lost."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import apsw
import pytest

from engine import Service, Settings
from engine.clock import MovableClock
from engine.embedding import create
from engine.types import Actor, Draft, Query, VectorStatus

WAIT = 30.0
CLIENT = Actor("client", "tester")
Opener = Callable[..., Service]
TEXTS = ("the piano is tuned", "the roof leaks", "钥匙在抽屉里")


def vectors(service: Service) -> VectorStatus:
    service.idle().result(WAIT)
    return service.status().result(WAIT).vectors


def remember(service: Service, *texts: str) -> list[int]:
    return [service.memorize(Draft(text), CLIENT).result(WAIT).memory.id for text in texts]


def by_meaning(service: Service, text: str, k: int = 1) -> list[str]:
    query = Query(text, k=k, reinforce=False, overrides={"recall.fusion": "vector", "recall.mmr_lambda": 1.0})
    return [hit.memory.content for hit in service.recall(query).result(WAIT).hits]


class Choice:
    """Opens services whose embedder is the one that the setting ``embedding.remote_model`` names."""

    def __init__(self, data: Path, clock: MovableClock, kinds: dict[str, Any]) -> None:
        self.kinds = kinds
        self.settings = Settings()
        self.settings.set("embedding.remote_model", next(iter(kinds)))
        self.service = Service.open(
            data, self.settings, embedder_factory=lambda values: kinds[values["embedding.remote_model"]], clock=clock
        )

    def use(self, name: str) -> VectorStatus:
        self.kinds[name].loaded = True
        self.settings.set("embedding.remote_model", name)
        return vectors(self.service)


@pytest.fixture
def choice(data_dir: Path, clock: MovableClock, embedder: Any) -> Iterator[Choice]:
    kind = type(embedder)
    made = Choice(data_dir, clock, {"small": kind("test/small", 384), "large": kind("test/large", 768)})
    yield made
    made.service.close()


def test_another_dimension_and_back_restores_the_vectors(choice: Choice) -> None:
    remember(choice.service, *TEXTS)
    assert (vectors(choice.service).dimension, vectors(choice.service).stored) == (384, 3)
    for name, dimension in (("large", 768), ("small", 384)):
        status = choice.use(name)
        assert (status.dimension, status.stored, status.wanted, status.state) == (dimension, 3, 3, "ready")
        for text in TEXTS:
            assert by_meaning(choice.service, text) == [text]


def test_after_a_change_of_model_adding_and_editing_work(choice: Choice) -> None:
    first, *_ = remember(choice.service, *TEXTS)
    choice.use("large")
    remember(choice.service, "the ferry leaves at nine")
    choice.service.edit(first, {"content": "the violin has a new string"}, CLIENT).result(WAIT)
    status = vectors(choice.service)
    assert (status.stored, status.wanted, status.state) == (4, 4, "ready")
    assert by_meaning(choice.service, "the ferry leaves at nine") == ["the ferry leaves at nine"]
    assert by_meaning(choice.service, "violin string") == ["the violin has a new string"]
    assert "the piano is tuned" not in by_meaning(choice.service, "piano", 10)


def test_a_model_that_can_not_be_reached_costs_no_stored_vector(choice: Choice, embedder: Any) -> None:
    """A probe fails (no dimension, no answer) after the switch: words still work, and the way back is free."""
    remember(choice.service, *TEXTS)
    vectors(choice.service)
    small, dead = choice.kinds["small"], type(embedder)("test/dead", 0)
    dead.away = True
    choice.kinds["dead"] = dead
    asked = len(small.asked)
    assert choice.use("dead").state == "unavailable"
    answer = choice.service.recall(Query("piano", reinforce=False)).result(WAIT)
    assert answer.degraded == ("embedder_unavailable",) and answer.hits[0].memory.content == TEXTS[0]
    assert choice.service.status().result(WAIT).trouble == ("embedder_unavailable",)
    status = choice.use("small")
    assert (status.stored, status.state) == (3, "ready")
    assert small.asked[asked:] == [], "the vectors were kept, none was made again"
    assert by_meaning(choice.service, "roof") == ["the roof leaks"]


def test_a_change_that_stops_half_way_keeps_the_old_vectors(choice: Choice) -> None:
    remember(choice.service, *(f"shelf {number} holds book {number}" for number in range(40)))
    vectors(choice.service)
    small, large = choice.kinds["small"], choice.kinds["large"]
    large.away = True
    assert choice.use("large").stored == 0
    asked = len(small.asked)
    assert choice.use("small").stored == 40
    assert small.asked[asked:] == []


class Remote(ThreadingHTTPServer):
    """An OpenAI-compatible service on the loopback that can be down."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.down = threading.Event()
        self.served = threading.Event()


class _Handler(BaseHTTPRequestHandler):
    server: Remote

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        if self.server.down.is_set():
            self.send_response(503)
            self.send_header("Retry-After", "0")
            self.end_headers()
            return
        rows = [{"index": at, "embedding": [float(1 + text.count(letter)) for letter in "abcdefgh"]}
                for at, text in enumerate([texts] if isinstance(texts, str) else texts)]  # fmt: skip
        body = json.dumps({"data": rows}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.server.served.set()

    def log_message(self, *words: Any) -> None:
        """Silent."""


@pytest.fixture
def remote() -> Iterator[Remote]:
    server = Remote()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join(WAIT)
    server.server_close()


def test_what_was_stored_while_the_service_was_down_is_found_by_meaning_later(
    remote: Remote, data_dir: Path, clock: MovableClock
) -> None:
    """Down from the very start, dimension not known: nothing but time has to pass once it is up."""
    settings = Settings()
    for key, value in (("provider", "remote"), ("remote_model", "m"), ("remote_timeout", 2.0),
                       ("remote_url", f"http://127.0.0.1:{remote.server_port}/v1")):  # fmt: skip
        settings.set(f"embedding.{key}", value)
    remote.down.set()
    service = Service.open(
        data_dir, settings, clock=clock,
        embedder_factory=lambda values: create(values, data_dir, lambda _: None),
    )  # fmt: skip
    try:
        for text in ("aaa", "bbb", "ccc"):
            assert service.memorize(Draft(text), CLIENT).result(WAIT).outcome == "stored"
        answer = service.recall(Query("bbb", reinforce=False)).result(WAIT)
        assert [hit.memory.content for hit in answer.hits] == ["bbb"] and answer.degraded
        remote.down.clear()
        assert remote.served.wait(WAIT), "it tries again by itself"
        status = vectors(service)
        assert (status.stored, status.wanted, status.dimension) == (3, 3, 8)
        assert by_meaning(service, "b b b b") == ["bbb"]
    finally:
        service.close()


def test_an_index_file_older_than_its_rows_is_made_equal_on_start(
    open_service: Opener, data_dir: Path, embedder: Any
) -> None:
    """The process died after rows were written and before the index was saved: additions, edits, erasures."""
    service = open_service()
    ids = remember(service, *(f"shelf {number} holds book {number}" for number in range(12)))
    vectors(service)
    service.close()
    (path,) = data_dir.glob("vectors-*.usearch")
    old = data_dir / "old"
    shutil.copy(path, old)
    embedder.loaded = True
    service = open_service()
    service.erase(ids[:3], CLIENT).result(WAIT)
    service.trash(ids[3:4], CLIENT).result(WAIT)
    service.edit(ids[4], {"content": "an umbrella stands in the corner"}, CLIENT).result(WAIT)
    remember(service, "cassettes lie under the sofa")
    vectors(service)
    service.close()
    shutil.move(old, path)
    asked, embedder.loaded = len(embedder.asked), True
    again = open_service()
    status = vectors(again)
    assert (status.state, status.stored) == ("ready", status.wanted)
    assert embedder.asked[asked:] == [], "all vectors were in the rows"
    found = by_meaning(again, "shelf holds book umbrella cassettes sofa", 50)
    assert sorted(found) == sorted(
        [f"shelf {number} holds book {number}" for number in range(5, 12)]
        + ["an umbrella stands in the corner", "cassettes lie under the sofa"]
    )


def test_words_that_are_missing_from_their_index_come_back_on_start(open_service: Opener, data_dir: Path) -> None:
    service = open_service()
    ids = remember(service, *TEXTS)
    service.close()
    with apsw.Connection(str(data_dir / "hupo.db")) as cx:
        cx.execute("DELETE FROM lexical WHERE rowid = ?", (ids[1],))
    cx.close()
    again = open_service(settings=None)
    vectors(again)
    words = Query("roof", reinforce=False, overrides={"recall.fusion": "lexical"})
    assert [hit.memory.content for hit in again.recall(words).result(WAIT).hits][:1] == ["the roof leaks"]
    assert again.status().result(WAIT).lexical_rows == 3


def test_reads_go_on_while_a_stranger_holds_a_long_write(service: Service, data_dir: Path) -> None:
    """Another process keeps the database for writing: questions are answered, the write waits and is then done."""
    remember(service, *TEXTS)
    vectors(service)
    stranger = apsw.Connection(str(data_dir / "hupo.db"))
    stranger.set_busy_timeout(5000)
    stranger.execute("BEGIN IMMEDIATE")
    try:
        waiting = service.memorize(Draft("written after the long one"), CLIENT)
        for text in TEXTS:
            answer = service.recall(Query(text, reinforce=False)).result(WAIT)
            assert answer.hits[0].memory.content == text
        assert service.status().result(WAIT).counts == {"active": 3}
        assert not waiting.done()
    finally:
        stranger.execute("ROLLBACK")
        stranger.close()
    assert waiting.result(WAIT).outcome == "stored"
    assert service.status().result(WAIT).counts == {"active": 4}
