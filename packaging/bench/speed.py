"""bench latency, floor and start: times through the real shim, beside the same work done bare, in one run.

Timings are for people and for ratios within a run, never for tests: machines are shared and noisy.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from client import Host, ShimClient
from metrics import quantile
from synthetic import questions, texts

from engine import Service, Settings
from engine.embedding import Embedder
from engine.text import terms
from engine.types import Actor, Draft, Query

BENCH = Actor("rule", "bench")
QUESTIONS = 200
SPAWNS = 20
Row = dict[str, Any]


def latency(count: int, make: Callable[[Settings], Embedder]) -> Row:
    """Recall through the shim at ``count`` memories beside the floor (bare FTS5 + matrix product + embedding)."""
    asked = questions(QUESTIONS + 20)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        with _store(data, count, make) as service:
            bare = Bare(service, make(Settings()))
            for text in asked[:20]:
                bare.ask(text)
                service.recall(Query(text)).result()
            floor, inside = [], []
            for text in asked[20:]:
                # Side by side, so that a noisy moment hits both alike.
                floor.append(_timed(partial(bare.ask, text)))
                inside.append(_timed(partial(_recall, service, text)))
        with Host(data):
            client = ShimClient(data)
            client.initialize()
            cold = _timed(lambda: client.tool("recall", query=asked[0]))
            _until_ready(client)
            for text in asked[:20]:
                client.tool("recall", query=text)
            shim = [_timed(partial(client.tool, "recall", query=text)) for text in asked[20:]]
            ping = [_timed(lambda: client.request("ping")) for _ in range(QUESTIONS)]
            client.close()
    rows = {"floor": floor, "engine": inside, "shim": shim, "ping": ping, "embed": bare.embedding}
    result: Row = {name: _spread(values) for name, values in rows.items()}
    result["cold_first_ms"] = round(cold * 1000, 1)
    result["engine/floor p50"] = round(quantile(inside, 0.5) / quantile(floor, 0.5), 2)
    result["shim/floor p50"] = round(quantile(shim, 0.5) / quantile(floor, 0.5), 2)
    return {"memories": count} | result


def start() -> Row:
    """Shim first byte with the app running; handshake, first tools/list and first recall with the app absent."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        bytes_, handshakes, lists, recalls = [], [], [], []
        with Host(data):
            first = ShimClient(data)
            first.initialize()
            _until_ready(first)
            for _ in range(SPAWNS):
                client = ShimClient(data)
                client.request("initialize", _params())
                bytes_.append(time.perf_counter() - client.started)
                client.close()
            first.close()
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder)
            client = ShimClient(data)
            client.initialize()
            handshakes.append(time.perf_counter() - client.started)
            client.request("tools/list")
            lists.append(time.perf_counter() - client.started)
            client.tool("recall", query="first light")
            recalls.append(time.perf_counter() - client.started)
            client.close()
            _quit(data)
    named = {"shim first byte": bytes_, "handshake, app absent": handshakes, "tools/list, app absent": lists,
             "first recall, app absent": recalls}  # fmt: skip
    return {name: _spread(values) for name, values in named.items()}


class Bare:
    """The floor: one embedding, one FTS5 query, one matrix product over the same store, and no Hupo around it."""

    def __init__(self, service: Service, embedder: Embedder) -> None:
        self._embedder = embedder
        self._cx = apsw.Connection(str(service.data / "hupo.db"), flags=apsw.SQLITE_OPEN_READONLY)
        rows: list[Any] = self._cx.execute("SELECT passage_id, vector FROM vectors").fetchall()
        self._keys = np.array([row[0] for row in rows])
        self._matrix = np.stack([np.frombuffer(bytes(row[1]), dtype=np.float16) for row in rows]).astype(np.float32)
        self.embedding: list[float] = []

    def ask(self, text: str) -> list[int]:
        """Ids by words and by meaning, not even fused."""
        began = time.perf_counter()
        vector = self._embedder.embed_query(text)
        self.embedding.append(time.perf_counter() - began)
        match = terms.fts_query(terms.query_terms(text))
        words = [row[0] for row in self._cx.execute(
            "SELECT rowid FROM lexical WHERE lexical MATCH ? ORDER BY rank LIMIT 200", (match,))]  # fmt: skip
        cosines = self._matrix @ vector
        near = np.argpartition(-cosines, min(200, len(cosines) - 1))[:200]
        return words + [int(key) for key in self._keys[near]]


@contextlib.contextmanager
def _store(data: Path, count: int, make: Callable[[Settings], Embedder]) -> Iterator[Service]:
    service = Service.open(data, Settings(), embedder_factory=make)
    try:
        waiting = [service.memorize(Draft(text), BENCH) for text in texts(count)]
        for one in waiting:
            one.result()
        service.idle().result()
        yield service
    finally:
        service.close(60)


def _recall(service: Service, text: str) -> None:
    service.recall(Query(text)).result()


def _until_ready(client: ShimClient) -> None:
    end = time.monotonic() + 120
    while client.tool("memory_status")["vectors"]["state"] != "ready" and time.monotonic() < end:
        time.sleep(0.05)


def _quit(data: Path) -> None:
    """End the app that a shim started, and wait until it is gone, for its directory goes next."""
    from app.ipc import endpoint
    from app.ipc.client import Client

    running = endpoint.read(str(data))
    with Client(str(data), "control") as control:
        control.request("quit")
    end = time.monotonic() + 10
    while running is not None and Path(f"/proc/{running.pid}").exists() and time.monotonic() < end:
        time.sleep(0.02)


def _params() -> dict[str, Any]:
    from client import INITIALIZE

    return INITIALIZE


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {f"p{share}": round(quantile(values, share / 100) * 1000, 2) for share in (50, 95, 99)} | {
        "min": round(min(values) * 1000, 2)
    }
