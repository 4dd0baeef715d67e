"""One connection, line by line: both protocol eras, bad lines, notifications, cancelling, vanishing clients."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import Future
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from app import __version__
from app.mcp import manifest, profiles, replies
from app.mcp.server import McpSide
from engine import Service, Settings
from engine.clock import Clock
from engine.errors import InvalidArgument

WAIT = 20.0
ROOT = Path(__file__).resolve().parents[2]
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "modern", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Wire:
    """A client that speaks in lines, over a real socket pair."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self._last = 0

    def send(self, line: bytes | dict[str, Any]) -> None:
        self.writer.write(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n")

    async def receive(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(await asyncio.wait_for(self.reader.readline(), WAIT))
        return answer

    async def ask(self, method: str, params: Any = None) -> dict[str, Any]:
        self._last += 1
        message = {"jsonrpc": "2.0", "id": self._last, "method": method}
        self.send(message if params is None else {**message, "params": params})
        answer = await self.receive()
        assert answer["id"] == self._last
        return answer

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return await self.ask("tools/call", {"name": tool, "arguments": arguments})

    async def shake_hands(self, version: str = "2025-11-25", name: str = "tester") -> dict[str, Any]:
        hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}
        answer = await self.ask("initialize", hello)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer


@asynccontextmanager
async def wired(side: McpSide, named: Any = None) -> AsyncIterator[Wire]:
    """A connection to ``side``; leaving it is the client's end, after which the session must end by itself."""
    here, there = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=here, limit=2**20)
    their_reader, their_writer = await asyncio.open_connection(sock=there, limit=2**20)
    session = asyncio.create_task(side.session(their_reader, their_writer, "core", "wire/1", named))
    try:
        yield Wire(reader, writer)
    finally:
        writer.close()
        await asyncio.wait_for(session, WAIT)
        their_writer.close()
        await asyncio.gather(writer.wait_closed(), their_writer.wait_closed(), return_exceptions=True)


def run(side: McpSide, talk: Callable[[Wire], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        async with wired(side) as wire:
            await talk(wire)

    asyncio.run(main())


@pytest.fixture
def side(service: Service, clock: Clock) -> McpSide:
    return McpSide(service, service.settings, __version__, clock)


@pytest.mark.parametrize(
    ("asked", "given"),
    [(version, version) for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")]
    + [("2026-07-28", "2025-11-25"), ("1999-01-01", "2025-11-25")],
)
def test_every_handshake_answers_as_the_manifest_says(side: McpSide, asked: str, given: str) -> None:
    shipped = json.loads((ROOT / "resources" / "manifests" / "core.json").read_text(encoding="utf-8"))

    async def talk(wire: Wire) -> None:
        hello = (await wire.shake_hands(asked))["result"]
        assert hello == {"protocolVersion": given, **shipped["handshake"]["initialize"]}
        assert (await wire.ask("tools/list"))["result"] == {"tools": shipped["tools"]}
        assert (await wire.ask("ping"))["result"] == {}
        assert (await wire.ask("no/such"))["error"] == {
            "code": -32601,
            "message": "Method not found",
            "data": "no/such",
        }

    run(side, talk)


def test_the_stateless_era_answers_as_the_manifest_says(side: McpSide) -> None:
    shipped = json.loads((ROOT / "resources" / "manifests" / "core.json").read_text(encoding="utf-8"))

    async def talk(wire: Wire) -> None:
        meta = {"_meta": ENVELOPE}
        assert (await wire.ask("server/discover", meta))["result"] == shipped["stateless"]["discover"]
        listed = (await wire.ask("tools/list", meta))["result"]
        assert listed == {
            "tools": shipped["tools"],
            **shipped["stateless"]["cache"],
            **shipped["stateless"]["envelope"],
        }
        assert (await wire.ask("ping", meta))["error"]["code"] == -32601
        assert (await wire.ask("tools/list"))["error"]["code"] == -32602
        wrong = {"_meta": {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2099-01-01"}}
        assert (await wire.ask("tools/list", wrong))["error"] == {
            "code": -32022,
            "message": "Unsupported protocol version",
            "data": {"supported": ["2026-07-28"], "requested": "2099-01-01"},
        }
        called = await wire.ask("tools/call", {"name": "memory_status", **meta})
        assert called["result"]["resultType"] == "complete"

    run(side, talk)


def test_the_shipped_manifest_is_what_the_server_answers(side: McpSide) -> None:
    for profile in profiles.MODULES:
        shipped = (ROOT / "resources" / "manifests" / f"{profile}.json").read_text(encoding="utf-8")
        assert manifest.text_of(asyncio.run(manifest.build(side, profile))) == shipped, "python -m app.mcp.manifest"


def test_the_shims_errors_are_in_the_manifest(side: McpSide) -> None:
    errors = asyncio.run(manifest.build(side))["errors"]
    assert set(errors) == set(replies.SHIM_CODES)
    assert errors["app_closed"]["isError"] is True
    assert errors["app_closed"]["structuredContent"] == {"code": "app_closed", "fields": {}}


def test_tools_list_is_small(side: McpSide) -> None:
    async def talk(wire: Wire) -> None:
        await wire.shake_hands()
        listed = (await wire.ask("tools/list"))["result"]
        assert len(json.dumps(listed, ensure_ascii=False, separators=(",", ":"))) <= 12_000

    run(side, talk)


@pytest.mark.parametrize("params", [None, {}, {"_meta": {}}, {"_meta": ENVELOPE}])
def test_discover_before_initialize_leaves_the_handshake_open(side: McpSide, params: Any) -> None:
    """A client tries the new era first, then shakes hands on the same pipe."""

    async def talk(wire: Wire) -> None:
        first = await wire.ask("server/discover", params)
        assert first.get("error", {}).get("code", -32601) == -32601
        assert (await wire.shake_hands("2025-06-18"))["result"]["protocolVersion"] == "2025-06-18"
        assert len((await wire.ask("tools/list"))["result"]["tools"]) == 10
        assert (await wire.call("memory_status"))["result"]["isError"] is False

    run(side, talk)


def test_both_eras_may_alternate(side: McpSide) -> None:
    async def talk(wire: Wire) -> None:
        await wire.shake_hands()
        enveloped = {"name": "memorize", "arguments": {"content": "tea"}, "_meta": ENVELOPE}
        stored = (await wire.ask("tools/call", enveloped))["result"]["structuredContent"]
        again = (await wire.call("memorize", content="tea"))["result"]["structuredContent"]
        assert (stored["outcome"], again["outcome"]) == ("stored", "reinforced")
        assert stored["id"] == again["id"]

    run(side, talk)


def test_nothing_is_answered_to_notifications(side: McpSide) -> None:
    """Whatever an answer would be, it would come before the ping's."""

    async def talk(wire: Wire) -> None:
        for method in ("notifications/initialized", "notifications/unheard", "anything/at-all", "initialize"):
            wire.send({"jsonrpc": "2.0", "method": method})
        wire.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}\n')
        wire.send(b'{"jsonrpc":"2.0","method":"notifications/x","params":[1]}\n')
        wire.send(b'{"jsonrpc":"2.0","id":1,"result":{}}\n')
        assert (await wire.ask("ping"))["result"] == {}

    run(side, talk)


def test_bad_lines_are_answered_and_the_session_goes_on(side: McpSide) -> None:
    async def talk(wire: Wire) -> None:
        wire.send(b"\n  \n{nonsense\n")
        assert await wire.receive() == {
            "jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"},
        }  # fmt: skip
        wire.send(b"x" * (2**20 + 10) + b"\n")
        assert (await wire.receive())["error"]["code"] == -32700
        wire.send(b"[]\n")
        assert (await wire.receive())["error"]["code"] == -32600
        await wire.shake_hands()
        wire.send(b'{"jsonrpc":"2.0","id":"a","method":"ping","params":[1]}\n')
        assert (await wire.receive())["id"] == "a"
        assert (await wire.ask("ping"))["result"] == {}

    run(side, talk)


def test_text_goes_out_as_utf8_and_comes_back_the_same(side: McpSide) -> None:
    content = "SESSION:2026-04-16|hook.fire×3|stale→reconnect|JH:重要更动先确认★★★ 🙂\u2028end"

    async def talk(wire: Wire) -> None:
        await wire.shake_hands()
        await wire.call("memorize", content=content)
        wire.send({"jsonrpc": "2.0", "id": "q", "method": "tools/call",
                   "params": {"name": "recall", "arguments": {"query": "重要更动"}}})  # fmt: skip
        line = await asyncio.wait_for(wire.reader.readline(), WAIT)
        assert "重要更动先确认★★★ 🙂".encode() in line
        assert json.loads(line)["result"]["structuredContent"]["memories"][0]["text"] == content

    run(side, talk)


@pytest.mark.parametrize("tags", [["a", "b"], '["a","b"]', "a,b", "a，b"])
def test_clear_intent_is_understood(side: McpSide, tags: Any) -> None:
    """Strings for lists, down to arguments that are one JSON string."""

    async def talk(wire: Wire) -> None:
        await wire.shake_hands()
        given = {"content": "lenient", "tags": tags, "importance": "0.75", "pinned": "true"}
        await wire.ask("tools/call", {"name": "memorize", "arguments": json.dumps(given)})
        page = (await wire.call("list_memories", tags="b", limit="5"))["result"]["structuredContent"]
        assert page["memories"][0]["tags"] == ["a", "b"]
        assert page["memories"][0]["pinned"] is True

    run(side, talk)


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("recall", {}, "query"),
        ("recall", {"query": "x", "k": 99}, "k"),
        ("recall", {"query": "x", "limit": 3}, "limit"),
        ("recall", {"query": "x", "since": "soon"}, "since"),
        ("recall", {"query": "x", "since": "2026-02-02", "until": "2026-02-01"}, "until"),
        ("memorize", {"content": "x", "tags": {"a": 1}}, "tags"),
        ("memorize", {"content": "  "}, "content"),
        ("memorize", {"content": "x", "scope": "all"}, "scope"),
        ("memorize", {"content": "x", "importance": 8}, "importance"),
        ("memorize", {"content": "x", "extra": {"mood_ring": 1}, "mood_ring": 2}, "mood_ring"),
        ("memorize", {"content": "half a \ud83d"}, "content"),
        ("list_memories", {"cursor": "nonsense"}, "cursor"),
        ("list_memories", {"limit": 0}, "limit"),
        ("edit_memory", {"id": 1}, "id"),
        ("edit_memory", {"id": 1, "title": "x", "undo": True}, "undo"),
        ("edit_memory", {"id": 1, "status": "trashed"}, "status"),
        ("forget_memory", {}, "id"),
        ("no_such_tool", {}, "no_such_tool"),
    ],
)
def test_a_bad_argument_is_named(side: McpSide, tool: str, arguments: dict[str, Any], field: str) -> None:
    async def talk(wire: Wire) -> None:
        await wire.shake_hands()
        error = (await wire.call(tool, **arguments))["error"]
        assert error["code"] == -32602
        assert error["data"]["field"] == field
        assert error["message"].startswith(field)
        assert (await wire.call("memory_status"))["result"]["structuredContent"]["counts"] == {}

    run(side, talk)


def test_arguments_that_are_no_object_are_named(side: McpSide) -> None:
    async def talk(wire: Wire) -> None:
        await wire.shake_hands()
        answer = await wire.ask("tools/call", {"name": "recall", "arguments": "[1]"})
        assert (answer["error"]["code"], answer["error"]["data"]["field"]) == (-32602, "arguments")

    run(side, talk)


def test_an_unknown_profile_is_refused_before_anything_is_read(side: McpSide) -> None:
    async def main() -> None:
        here, there = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=there)
        with pytest.raises(InvalidArgument):
            await side.session(reader, writer, "nonsense", "wire/1")
        writer.close()
        here.close()

    asyncio.run(main())


@pytest.mark.parametrize("era", ["handshake", "stateless"])
def test_the_host_learns_the_clients_name_once(side: McpSide, era: str) -> None:
    names: list[tuple[str, str]] = []

    async def main() -> None:
        async with wired(side, named=lambda *told: names.append(told)) as wire:
            for _ in range(2):
                if era == "handshake":
                    await wire.shake_hands()
                else:
                    await wire.ask("tools/list", {"_meta": ENVELOPE})

    asyncio.run(main())
    assert names == [("tester" if era == "handshake" else "modern", "1")]


class Waiting:
    """In place of a service: answers ``status`` when it is told to, so that a call can be caught in flight."""

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        self.futures: list[Future[Any]] = []

    def status(self) -> Future[Any]:
        future: Future[Any] = Future()
        self.futures.append(future)
        self.asked.release()
        return future

    async def until_asked(self) -> None:
        assert await asyncio.to_thread(self.asked.acquire, True, WAIT)


def test_a_cancelled_call_is_not_answered_and_stops_waiting() -> None:
    waiting: Any = Waiting()

    async def talk(wire: Wire) -> None:
        await wire.shake_hands()
        wire.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": {"name": "memory_status"}})
        await waiting.until_asked()
        wire.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}})
        assert (await wire.ask("ping"))["result"] == {}
        assert waiting.futures[0].cancelled()

    run(McpSide(waiting, Settings(), "1"), talk)


def test_calls_do_not_wait_for_each_other() -> None:
    waiting: Any = Waiting()

    async def talk(wire: Wire) -> None:
        await wire.shake_hands()
        wire.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": {"name": "memory_status"}})
        await waiting.until_asked()
        assert len((await wire.ask("tools/list"))["result"]["tools"]) == 10
        waiting.futures[0].set_exception(RuntimeError("a memory's text"))
        answer = await wire.receive()
        assert (answer["id"], answer["result"]["structuredContent"]["code"]) == ("slow", "internal")
        assert "memory's text" not in json.dumps(answer)

    run(McpSide(waiting, Settings(), "1"), talk)


def test_the_end_of_the_connection_cancels_what_runs() -> None:
    waiting: Any = Waiting()

    async def talk(wire: Wire) -> None:
        await wire.shake_hands()
        wire.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": {"name": "memory_status"}})
        await waiting.until_asked()

    run(McpSide(waiting, Settings(), "1"), talk)
    assert waiting.futures[0].cancelled()


def test_a_client_that_does_not_read_holds_up_nobody_else(side: McpSide) -> None:
    async def main() -> None:
        async with wired(side) as deaf, wired(side) as other:
            await deaf.shake_hands()
            await deaf.call("memorize", content="琥珀 " * 20_000)
            for number in range(200):
                question = {"name": "recall", "arguments": {"query": "琥珀", "budget": 20_000}}
                deaf.send({"jsonrpc": "2.0", "id": f"deaf-{number}", "method": "tools/call", "params": question})
            await other.shake_hands()
            for _ in range(20):
                assert (await other.call("memory_status"))["result"]["isError"] is False
            deaf.writer.transport.abort()

    asyncio.run(main())
