"""The host: one process's service made reachable over the local socket, on a thread of its own.

Fulfils what the windows need of the app (``gui.ports.Ports``) and what the control side asks. Opens and closes
neither the service nor windows; ``main.py`` does. Heavy packages (the MCP SDK) are imported after the socket is up.
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from concurrent import futures
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.ipc import endpoint
from app.ipc.control import Control
from app.ipc.hello import HelloFailed
from app.ipc.listener import Connection, Listener
from engine import Service, Settings
from gui.ports import Client, Event

if TYPE_CHECKING:
    from app.mcp.server import McpSide

log = logging.getLogger("hupo.host")

_STATUS_SECONDS = 10.0


class Host:
    """Reachable from :meth:`start` to :meth:`close`. Public methods may be called from any thread."""

    def __init__(
        self,
        service: Service,
        settings: Settings,
        data: str,
        version: str,
        *,
        log_file: str | None = None,
        transport: str | None = None,
        headless: bool = False,
        replaceable: bool = False,
    ) -> None:
        """``replaceable``: started without a display for a client; a start with one may take its place."""
        self.settings = settings
        self._service = service
        self._data = data
        self._version = version
        self._log_file = log_file
        self._transport = transport
        self._headless = headless
        self._replaceable = replaceable
        self._listeners: tuple[Callable[[Event], None], ...] = ()
        self._guard = threading.Lock()
        self._trouble: tuple[str, ...] = ()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread: threading.Thread | None = None
        self._listener: Listener | None = None
        self._side: Future[McpSide] | None = None
        self._endpoint: endpoint.Endpoint | None = None
        self._handover = False
        self._leaving = False
        self._names: dict[int, tuple[str, str]] = {}

    # -- life --------------------------------------------------------------------------------------------------

    def start(self) -> endpoint.Endpoint:
        """Be reachable. Returns when the endpoint file is written. Errors: ``OSError`` (nothing is left behind)."""
        started: Future[endpoint.Endpoint] = Future()
        self._thread = threading.Thread(target=self._run, args=(started,), name="hupo-socket", daemon=True)
        self._thread.start()
        self._endpoint = started.result()
        return self._endpoint

    def close(self, seconds: float = 3.0) -> None:
        """Say that the user has quit (or hands over), hang up, end the thread."""
        if self._thread is None or self._loop is None or self._stop is None:
            return
        self._say_goodbye()
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(seconds)
        self._thread = None

    def _say_goodbye(self) -> None:
        """Before any connection is cut: shims look here to know why."""
        try:
            if self._handover and self._endpoint is not None:
                self._endpoint.state = endpoint.HANDOVER
                endpoint.write(self._data, self._endpoint)
            else:
                endpoint.mark_quit(self._data, os.getpid(), time.time())
        except OSError:
            log.exception("the endpoint file can not be written")

    def _run(self, started: Future[endpoint.Endpoint]) -> None:
        try:
            asyncio.run(self._main(started))
        except Exception as error:
            log.exception("the socket's thread failed")
            if not started.done():
                started.set_exception(error)
            else:
                self._set_trouble("listener_failed")

    async def _main(self, started: Future[endpoint.Endpoint]) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._listener = Listener(
            self._data,
            self._version,
            {"mcp": self._mcp, "control": Control(self).session},
            transport=self._transport,
            ready=self._ready,
            changed=lambda: self.publish("clients"),
        )
        where = await self._listener.start()
        try:
            endpoint.write(self._data, where)
            self._begin_loading()
            started.set_result(where)
            await self._stop.wait()
        finally:
            await self._listener.close()

    def _begin_loading(self) -> None:
        self._side = Future()
        self._side.set_running_or_notify_cancel()
        threading.Thread(target=self._load_side, args=(self._side,), name="hupo-import", daemon=True).start()

    def _load_side(self, side: Future[McpSide]) -> None:
        try:
            from app.mcp.server import McpSide  # half a second of imports: not before the socket is up

            side.set_result(McpSide(self._service, self.settings, self._version))
        except Exception as error:
            log.exception("the MCP side can not be loaded")
            side.set_exception(error)
            self._set_trouble("listener_failed")

    def wait_loaded(self, seconds: float = 30.0) -> None:
        """Return when the heavy imports are over, however they ended.

        Qt must not be imported before: its bindings hook every import of the process, and a half imported package
        does not always bear that.
        """
        if self._side is not None:
            futures.wait([self._side], seconds)

    async def _ready(self, purpose: str) -> None:
        if purpose != "mcp" or self._side is None:
            return
        if self._side.done() and self._side.exception() is not None:
            self._begin_loading()
        try:
            await asyncio.wrap_future(self._side)
        except Exception as error:  # logged where it happened; each client tries again by itself
            raise HelloFailed("not_ready") from error
        self._clear_trouble("listener_failed")

    async def _mcp(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connection: Connection) -> None:
        assert self._side is not None
        side = self._side.result()

        def named(name: str, version: str) -> None:
            self._names[connection.id] = (name, version)
            self.publish("clients")

        try:
            await side.session(reader, writer, connection.profile, connection.client, named)
        finally:
            self._names.pop(connection.id, None)

    # -- what the control side asks ----------------------------------------------------------------------------

    async def status(self) -> Mapping[str, Any]:
        """What runs, who is connected, how the store is."""
        async with asyncio.timeout(_STATUS_SECONDS):
            store = await asyncio.wrap_future(self._service.status())
        where = self._endpoint
        return {
            "running": True,
            "pid": os.getpid(),
            "version": self._version,
            "data": self._data,
            "transport": where.transport if where else "",
            "since": datetime.fromtimestamp(where.at if where else 0.0, UTC).isoformat(timespec="seconds"),
            "headless": self._headless,
            "clients": [_plain(client) for client in self.clients()],
            "trouble": [*self._trouble, *store.trouble],
            "store": _plain(store),
        }

    def show(self) -> Mapping[str, Any]:
        """Ask the windows to come to the front."""
        self.publish("show")
        return {"shown": not self._headless, "replaceable": self._replaceable, "pid": os.getpid()}

    def leave(self, *, handover: bool = False) -> None:
        """Ask the main thread to end; ``handover``: another host takes over at once."""
        self._handover = handover
        self._leaving = True
        self.publish("quit")

    def reindex(self, progress: Callable[[int, int], None], cancelled: Callable[[], bool]) -> Future[dict[str, int]]:
        """Make the indexes anew from the rows."""
        return self._service.reindex(progress, cancelled)

    # -- gui.ports.Ports ---------------------------------------------------------------------------------------

    @property
    def transport(self) -> str:
        """ "unix" or "tcp"."""
        return self._endpoint.transport if self._endpoint else ""

    @property
    def version(self) -> str:
        """Hupo's own version."""
        return self._version

    @property
    def data_directory(self) -> Path:
        """Where the memories lie."""
        return Path(self._data)

    @property
    def log_file(self) -> Path | None:
        """The log; None when nothing is written."""
        return Path(self._log_file) if self._log_file else None

    def clients(self) -> tuple[Client, ...]:
        """The MCP sessions of now."""
        if self._listener is None:
            return ()
        return tuple(self._client(one) for one in self._listener.connections() if one.purpose == "mcp")

    def _client(self, connection: Connection) -> Client:
        name, version = self._names.get(connection.id, (connection.client, ""))
        return Client(connection.id, name, version, connection.profile, datetime.fromtimestamp(connection.since, UTC))

    def trouble(self) -> tuple[str, ...]:
        """Slugs of what is wrong on this side."""
        return self._trouble

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call ``listener`` on each event, from whatever thread; returns the way out.

        Who comes after the wish to quit hears of it too (windows take a while to be built).
        """
        with self._guard:
            self._listeners += (listener,)
        if self._leaving and self._loop is not None:
            self._loop.call_soon_threadsafe(listener, "quit")

        def leave() -> None:
            with self._guard:
                self._listeners = tuple(one for one in self._listeners if one is not listener)

        return leave

    def report(self, error: BaseException) -> None:
        """Log a bug: kinds and places only."""
        log.error("unexpected error", exc_info=error)

    def publish(self, event: Event) -> None:
        """Tell every listener."""
        for listener in self._listeners:
            listener(event)

    def _set_trouble(self, slug: str) -> None:
        if slug not in self._trouble:
            self._trouble += (slug,)
            self.publish("trouble")

    def _clear_trouble(self, slug: str) -> None:
        if slug in self._trouble:
            self._trouble = tuple(one for one in self._trouble if one != slug)
            self.publish("trouble")


def _plain(value: Any) -> Any:
    """Boundary values as JSON values."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: _plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return value
