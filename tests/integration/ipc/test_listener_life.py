"""The listener in its own loop: limits of the greeting, big messages, closing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app.ipc import endpoint, hello
from app.ipc.client import Client, HostUnreachable
from app.ipc.listener import Connection, Listener
from app.mcp import lines as mcp_lines


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, _: Connection) -> None:
    async for line in mcp_lines.read(reader):
        if line == mcp_lines.TOO_LONG:
            writer.write(b'{"jsonrpc":"2.0","id":1,"result":"too long"}\n')
        else:
            message = json.loads(line)
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": message.get("params")}
            writer.write(json.dumps(answer).encode() + b"\n")
        await writer.drain()


def _with_listener(data: Path, transport: str, work: Callable[[Listener], Awaitable[None]], **options: float) -> None:
    async def run() -> None:
        listener = Listener(str(data), "1", {"mcp": _echo, "control": _echo}, transport=transport, **options)  # type: ignore[arg-type]
        endpoint.write(str(data), await listener.start())
        try:
            await work(listener)
        finally:
            await listener.close()

    asyncio.run(run())


def test_twenty_megabytes_in_one_line(data: Path, transport: str) -> None:
    async def work(_: Listener) -> None:
        def call() -> None:
            with Client(str(data), "mcp") as client:
                text = "z" * 20 * 1024 * 1024
                assert client.request("x", {"text": text}, seconds=60)["text"] == text

        await asyncio.to_thread(call)

    _with_listener(data, transport, work)


def test_connections_are_known_while_they_last(data: Path, transport: str, until: Callable[..., object]) -> None:
    async def work(listener: Listener) -> None:
        client = await asyncio.to_thread(Client, str(data), "mcp", name="试验", profile="core")
        await asyncio.to_thread(client.request, "x", {})
        (one,) = listener.connections()
        assert (one.purpose, one.profile, one.client.split("/")[0]) == ("mcp", "core", "试验")
        client.close()
        await asyncio.to_thread(until, lambda: not listener.connections(), "the connection is forgotten")

    _with_listener(data, transport, work)


def test_a_silent_client_is_dropped(data: Path, transport: str) -> None:
    async def work(_: Listener) -> None:
        def wait() -> bytes:
            found = endpoint.read(str(data))
            assert found is not None
            with endpoint.connect(str(data), found, 10) as link, link.makefile("rb") as stream:
                return stream.read()

        assert json.loads(await asyncio.to_thread(wait)) == {"error": "hello_timeout"}

    _with_listener(data, transport, work, hello_seconds=0.2)


def test_an_unknown_purpose_is_refused(data: Path, transport: str) -> None:
    async def work(_: Listener) -> None:
        with pytest.raises(HostUnreachable, match="bad_hello"):
            await asyncio.to_thread(Client, str(data), "root")

    _with_listener(data, transport, work)


def test_closing_hangs_up_and_frees_the_address(data: Path, transport: str) -> None:
    async def work(listener: Listener) -> None:
        client = await asyncio.to_thread(Client, str(data), "mcp")
        await listener.close()
        with pytest.raises(HostUnreachable):
            await asyncio.to_thread(client.request, "x", {})
        client.close()
        with pytest.raises(HostUnreachable):
            await asyncio.to_thread(Client, str(data), "mcp")

    _with_listener(data, transport, work)


def test_the_greeting_waits_until_the_host_is_ready(data: Path, transport: str) -> None:
    async def run() -> None:
        ready = asyncio.Event()
        asked: list[str] = []

        async def wait(purpose: str) -> None:
            asked.append(purpose)
            await ready.wait()

        listener = Listener(str(data), "1", {"mcp": _echo, "control": _echo}, transport=transport, ready=wait)
        endpoint.write(str(data), await listener.start())
        greeting = asyncio.create_task(asyncio.to_thread(Client, str(data), "mcp"))
        while not asked:
            await asyncio.sleep(0)
        assert not greeting.done() and listener.connections() == ()
        ready.set()
        client = await greeting
        client.close()
        await listener.close()

    asyncio.run(run())


def test_proofs_of_the_two_sides_differ() -> None:
    """Neither side's proof can be sent back as the other's."""
    token, one, two = hello.new_token(), "a" * 32, "b" * 32
    found = {hello.proof(token, side, *pair) for side in ("server", "client") for pair in ((one, two), (two, one))}
    assert len(found) == 4
