"""bench recall --through shim: the same sets, written and asked by the real MCP client over the real shim.

What an assistant would see: dates go in as ``event_time``, a scope as ``scope``, answers come out of ``recall``.
The clock is the machine's, so nothing is old here but by its event; figures may differ a little from the engine's.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from client import ROOT, Host
from mcp import Client, StdioServerParameters
from metrics import judge
from recall import USER_WIDE, lines, summary

BUDGET = 20_000  # the most that recall takes
ANSWER_SECONDS = 120.0


def measure(place: Path, scope: str = "") -> dict[str, Any]:
    """One set; ``scope``: only this one of its scopes, and what all of them see."""
    with tempfile.TemporaryDirectory() as folder, Host(Path(folder)):
        return asyncio.run(_measure(place, scope, Path(folder)))


async def _measure(place: Path, scope: str, data: Path) -> dict[str, Any]:
    corpus = [one for one in lines(place / "corpus.jsonl") if not scope or one["scope"] in (scope, USER_WIDE)]
    queries = [one for one in lines(place / "queries.jsonl") if not scope or one["scope"] == scope]
    corpus.sort(key=lambda record: record["date"])
    server = StdioServerParameters(command=sys.executable, args=["-m", "app", "mcp", "--data", str(data)], cwd=ROOT)
    async with Client(server, read_timeout_seconds=ANSWER_SECONDS) as client:
        began = time.perf_counter()
        names = await _remember(client, corpus)
        wrote = time.perf_counter() - began
        while (await _call(client, "memory_status"))["vectors"]["state"] != "ready":
            await asyncio.sleep(0.1)
        began = time.perf_counter()
        rows = await _ask(client, queries, names)
        asked = time.perf_counter() - began
    speed = {"memorize/s": round(len(corpus) / wrote, 1), "recall/s": round(len(queries) / asked, 1)}
    return summary(rows) | {"memories": len(set(names)), "protocol": "shim"} | speed


async def _remember(client: Client, corpus: Sequence[Mapping[str, Any]]) -> dict[int, set[str]]:
    """The records that each memory answers for, by the id that ``memorize`` gave."""
    names: dict[int, set[str]] = {}
    for record in corpus:
        where = {} if record["scope"] == USER_WIDE else {"scope": record["scope"]}
        done = await _call(client, "memorize", content=record["text"], event_time=record["date"], **where)
        names.setdefault(done["id"], set()).add(record["id"])
    return names


async def _ask(
    client: Client, queries: Sequence[Mapping[str, Any]], names: Mapping[int, set[str]]
) -> list[tuple[str, dict[str, float]]]:
    rows = []
    for question in queries:
        where = {} if question["scope"] == USER_WIDE else {"scope": question["scope"]}
        answer = await _call(client, "recall", query=question["text"], k=10, budget=BUDGET, **where)
        if answer.get("degraded"):
            raise RuntimeError(f"recall was degraded: {answer['degraded']}")
        ranked = [names[one["id"]] for one in answer["memories"]]
        rows.append((str(question.get("category", "")), judge(ranked, set(question["relevant"]))))
    return rows


async def _call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = await client.call_tool(tool, arguments)
    if answer.is_error:
        raise RuntimeError(str(answer.content))
    return dict(answer.structured_content or {})
