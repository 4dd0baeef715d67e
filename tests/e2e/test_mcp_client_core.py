"""The SDK's own client, the real shim, the real host: the core tools in both protocol eras, in two languages."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 90.0


@pytest.fixture
def host_data(data_dir: Path) -> Iterator[Path]:
    """A data directory whose host runs without an embedder: these tests judge words, not meaning."""
    (data_dir / "settings.toml").write_text('[embedding]\nprovider = "none"\n', encoding="utf-8")
    words = [sys.executable, "-m", "app", "serve", "--json", "--data", str(data_dir)]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as host:
        assert host.stdout is not None
        assert json.loads(host.stdout.readline())["pid"] == host.pid
        yield data_dir
        host.terminate()
        assert host.wait(LIMIT) == 0


@asynccontextmanager
async def assistant(data: Path, mode: str, **environment: str) -> AsyncIterator[Client]:
    """A client that started the shim as it is configured in a real one."""
    given = {"HUPO_DATA": str(data), **environment}
    words = ["-m", "app", "mcp", "--data", str(data)]
    server = StdioServerParameters(command=sys.executable, args=words, env=given, cwd=ROOT)
    with open(os.devnull, "w", encoding="utf-8") as silent:
        async with Client(stdio_client(server, errlog=silent), mode=mode) as client:
            yield client


def run(talk: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        async with asyncio.timeout(LIMIT):
            await talk()

    asyncio.run(main())


async def _data(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    found: dict[str, Any] = dict(result.structured_content)
    return found


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_a_conversation_through_the_shim(host_data: Path, mode: str) -> None:
    async def talk() -> None:
        async with assistant(host_data, mode) as client:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools][:2] == ["memorize", "recall"]
            assert all(tool.output_schema and tool.annotations for tool in tools)
            for content in ("我的猫叫豆豆，三岁", "Anna moved to Lisbon in May"):
                assert (await _data(client, "memorize", content=content))["outcome"] == "stored"
            assert (await _data(client, "recall", query="豆豆"))["memories"][0]["text"] == "我的猫叫豆豆，三岁"
            answer = await _data(client, "recall", query="Where did Anna move?")
            assert answer["memories"][0]["text"] == "Anna moved to Lisbon in May"
            gone = await _data(client, "forget_memory", id=answer["memories"][0]["id"])
            assert (await _data(client, "recall", query="Lisbon"))["count"] == 0
            await _data(client, "edit_memory", id=gone["ids"][0], undo=True)
            assert (await _data(client, "recall", query="Lisbon"))["count"] == 1
            assert (await _data(client, "memory_status"))["counts"] == {"active": 2}

    run(talk)


@pytest.mark.parametrize(
    "environment",
    [{"PYTHONIOENCODING": "cp936"}, {"PYTHONIOENCODING": "cp1252"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}],
    ids=["cp936", "cp1252", "C"],
)
def test_text_survives_every_locale(host_data: Path, environment: dict[str, str]) -> None:
    content = "SESSION:2026-04-16|hook.fire×3|stale→reconnect|JH:重要更动先确认★★★"

    async def talk() -> None:
        async with assistant(host_data, "legacy", **environment) as client:
            stored = await _data(client, "memorize", content=content)
            found = await _data(client, "recall", query="重要更动先确认")
            assert [(one["id"], one["text"]) for one in found["memories"]] == [(stored["id"], content)]

    run(talk)


def test_two_assistants_share_one_memory(host_data: Path) -> None:
    async def talk() -> None:
        async with assistant(host_data, "legacy") as one, assistant(host_data, "auto") as other:
            calls = [_data(client, "memorize", content=f"{name} {number}")
                     for number in range(25) for name, client in (("one", one), ("other", other))]  # fmt: skip
            stored = await asyncio.gather(*calls)
            assert len({answer["id"] for answer in stored}) == 50
            for client in (one, other):
                assert (await _data(client, "list_memories", limit=1))["total"] == 50

    run(talk)
