"""bench write: acknowledged memorize calls a second through the real shim, with everything on.

One client that waits for each answer, one that keeps some calls in flight (a turn's tool calls come together), and
several clients at once. Each acknowledged memory is safe on disk with its words, atoms and graph; how many had their
vector by then is told as well. "facts" are texts of one short fact, "sentences" longer ones of up to 100 characters.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from client import Host, ShimClient
from metrics import quantile
from synthetic import facts, texts

LONGEST = 100
IN_FLIGHT = 8
CLIENTS = 4
Row = dict[str, Any]


def measure(count: int) -> Row:
    """Rates over ``count`` memories each way, for both kinds of text, each on a store of its own."""
    return {
        f"{kind}, {name}": row
        for kind, source in (("facts", facts(10 * count + 100)), ("sentences", _sentences()))
        for name, row in _measure(count, source).items()
    }


def _measure(count: int, source: Iterator[str]) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        with Host(data):
            first = ShimClient(data)
            first.initialize()
            first.tool("recall", query="warm")
            while first.tool("memory_status")["vectors"]["state"] != "ready":
                time.sleep(0.05)
            for text in islice(source, 50):
                first.tool("memorize", content=text)
            result: Row = {
                "one, waiting": _rate(first, list(islice(source, count)), 1),
                f"one, {IN_FLIGHT} in flight": _rate(first, list(islice(source, count)), IN_FLIGHT),
                f"{CLIENTS} clients": _together(data, [list(islice(source, count // CLIENTS)) for _ in range(CLIENTS)]),
            }
            began = time.perf_counter()
            while (status := first.tool("memory_status"))["vectors"]["state"] != "ready":
                time.sleep(0.05)
            result["vectors ready after s"] = round(time.perf_counter() - began, 2)
            result["memories"] = sum(status["counts"].values())
            first.close()
    return result


def _rate(client: ShimClient, contents: Sequence[str], in_flight: int) -> Row:
    times: list[float] = []
    outcomes: dict[str, int] = {}
    pending = 0
    calls = ({"name": "memorize", "arguments": {"content": text}} for text in contents)
    began = time.perf_counter()
    for answer, took in client.pipelined("tools/call", calls, in_flight):
        data = answer["structuredContent"]
        outcomes[data["outcome"]] = outcomes.get(data["outcome"], 0) + 1
        pending += bool(data.get("vector_pending"))
        times.append(took)
    seconds = time.perf_counter() - began
    spread = {f"p{share}_ms": round(quantile(times, share / 100) * 1000, 1) for share in (50, 95)}
    return {"memorize/s": round(len(contents) / seconds, 1)} | spread | outcomes | {"vector_pending": pending}


def _together(data: Path, parts: Sequence[Sequence[str]]) -> Row:
    clients = [ShimClient(data) for _ in parts]
    for client in clients:
        client.initialize()
    rows: list[Row] = []
    threads = [
        threading.Thread(target=lambda c=client, p=part: rows.append(_rate(c, p, 2)))
        for client, part in zip(clients, parts, strict=True)
    ]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - began
    for client in clients:
        client.close()
    pending = sum(row["vector_pending"] for row in rows)
    return {"memorize/s": round(sum(map(len, parts)) / seconds, 1), "vector_pending": pending}


def _sentences() -> Iterator[str]:
    seed = 7
    while True:
        yield from (text for text in texts(10_000, seed) if len(text) <= LONGEST)
        seed += 1
