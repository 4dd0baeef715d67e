"""The host's end of the local socket: accepts, checks the user, greets, and hands each connection to its purpose.

Runs on the host's asyncio loop. Must not know what is spoken after the greeting: a handler for each purpose does.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import struct
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from app import paths
from app.ipc import endpoint, hello
from app.ipc.lines import LONGEST_LINE

log = logging.getLogger(__name__)

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter, "Connection"], Awaitable[None]]
_BACKLOG = 128
# Linux: struct ucred {pid, uid, gid}. macOS: struct xucred {version, uid, …} at level SOL_LOCAL.
_UCRED = struct.Struct("3i")
_XUCRED = struct.Struct("2I")
_SOL_LOCAL, _LOCAL_PEERCRED = 0, 1


@dataclass(frozen=True, slots=True)
class Connection:
    """One greeted connection. ``id`` is unique for the host's life, ``since`` in seconds since the epoch."""

    id: int
    purpose: str
    profile: str
    client: str
    version: str
    since: float


class Listener:
    """The local socket of one data directory. All methods run on the loop."""

    def __init__(
        self,
        data: str,
        version: str,
        handlers: Mapping[str, Handler],
        *,
        transport: str | None = None,
        ready: Callable[[str], Awaitable[None]] | None = None,
        changed: Callable[[], None] | None = None,
        hello_seconds: float = hello.SECONDS,
    ) -> None:
        """``handlers`` by purpose. ``ready`` is awaited before a client is told that it is in (it may raise
        ``HelloFailed``); ``changed`` is called when a connection came or went. ``transport`` None: the usual one.
        """
        self._data = data
        self._version = version
        self._handlers = dict(handlers)
        self._transport = endpoint.preferred_transport(data, transport)
        self._ready = ready
        self._changed = changed
        self._hello_seconds = hello_seconds
        self._token = hello.new_token()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._connections: dict[int, Connection] = {}
        self._count = 0

    async def start(self) -> endpoint.Endpoint:
        """Listen; the endpoint says where (writing its file is the caller's step). Errors: ``OSError``."""
        if self._transport == "unix":
            path = paths.socket_file(self._data)
            paths.ensure_private(os.path.dirname(path))
            # The store lock is ours by now, so a socket that lies here is left over from a host that was killed.
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
            bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                bound.bind(os.fsencode(path))
                os.chmod(path, 0o600)
            except OSError:
                bound.close()
                raise
            self._server = await asyncio.start_unix_server(
                self._accepted, sock=bound, limit=LONGEST_LINE, backlog=_BACKLOG
            )
            address = ""
        else:
            self._server = await asyncio.start_server(
                self._accepted, "127.0.0.1", 0, limit=LONGEST_LINE, backlog=_BACKLOG
            )
            address = "{}:{}".format(*self._server.sockets[0].getsockname()[:2])
        return endpoint.Endpoint(
            self._transport, address, self._token, os.getpid(), self._version, endpoint.RUNNING, time.time()
        )

    def connections(self) -> tuple[Connection, ...]:
        """All greeted connections now, oldest first."""
        return tuple(self._connections.values())

    async def close(self, seconds: float = 2.0) -> None:
        """Accept no more, let every handler come to its end, cancel what has not within ``seconds``."""
        if self._server is not None:
            self._server.close()
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)
        if self._transport == "unix":
            with contextlib.suppress(OSError):
                os.unlink(paths.socket_file(self._data))

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._serve(reader, writer)
        except (ConnectionError, hello.HelloFailed) as end:
            log.debug("connection ended: %s", end)
        except asyncio.CancelledError:
            log.debug("connection closed by the host")
        except Exception:
            log.exception("a connection's handler failed")
        finally:
            self._tasks.discard(task)
            with contextlib.suppress(ConnectionError, OSError):
                writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not same_user(writer.get_extra_info("socket")):
            log.warning("refused a connection of another user")
            with contextlib.suppress(TimeoutError):
                # Its greeting is read (and ignored) so that it gets the answer instead of a broken pipe.
                await asyncio.wait_for(reader.read(4096), self._hello_seconds)
            hello.refuse(writer, "wrong_user")
            await writer.drain()
            return
        said = await self._greet(reader, writer)
        self._count += 1
        connection = Connection(self._count, said.purpose, said.profile, said.client, said.version, time.time())
        if self._ready is not None:
            try:
                await self._ready(said.purpose)
            except hello.HelloFailed as failed:
                hello.refuse(writer, failed.code)
                await writer.drain()
                raise
        hello.accept(writer, self._version)
        await writer.drain()
        self._connections[connection.id] = connection
        self._announce()
        try:
            await self._handlers[said.purpose](reader, writer, connection)
        finally:
            del self._connections[connection.id]
            self._announce()

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> hello.Hello:
        try:
            async with asyncio.timeout(self._hello_seconds):
                return await hello.receive(reader, writer, self._token)
        except TimeoutError:
            code = "hello_timeout"
        except hello.HelloFailed as failed:
            code = failed.code
        log.warning("refused a connection: %s", code)
        hello.refuse(writer, code)
        with contextlib.suppress(ConnectionError):
            await writer.drain()
        raise hello.HelloFailed(code)

    def _announce(self) -> None:
        if self._changed is not None:
            self._changed()


def same_user(link: socket.socket) -> bool:
    """Whether the other end of a unix socket runs as this user. TCP has no such knowledge: there the proof decides."""
    if sys.platform == "win32" or link.family != socket.AF_UNIX:
        return True
    if hasattr(socket, "SO_PEERCRED"):
        _, user, _ = _UCRED.unpack(link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size))
        return bool(user == os.getuid())
    if sys.platform == "darwin":
        _, user = _XUCRED.unpack(link.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED.size))
        return bool(user == os.getuid())
    return True
