"""The control side of the socket: what the command line and a second start ask of a running host.

JSON-RPC 2.0 lines: ``status``, ``show``, ``quit``, ``reindex`` (with ``progress`` notifications) and
``settings.list/get/set/reset``. Errors carry a code and fields; words are made by the caller. Must not touch
the store but through the service.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from typing import Any, Protocol

from app.ipc import lines
from app.ipc.listener import Connection
from engine.config import Settings
from engine.config.parameters import BY_KEY
from engine.errors import HupoError, InvalidArgument

log = logging.getLogger("hupo.control")
_FAILED = -32000


class Controlled(Protocol):
    """What the control side needs of the host."""

    @property
    def settings(self) -> Settings:
        """The parameters in force."""
        ...

    async def status(self) -> Mapping[str, Any]:
        """Everything there is to tell, as JSON values."""
        ...

    def show(self) -> Mapping[str, Any]:
        """Bring the window to the front; {"shown", "replaceable"}."""
        ...

    def leave(self, *, handover: bool) -> None:
        """Begin to end."""
        ...

    def reindex(self, progress: Callable[[int, int], None], cancelled: Callable[[], bool]) -> Future[dict[str, int]]:
        """Make the indexes anew."""
        ...


class Control:
    """Serves control connections, any number at a time."""

    def __init__(self, host: Controlled) -> None:
        self._host = host

    async def session(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, _: Connection) -> None:
        """One connection to its end; requests are answered one after the other."""
        call = _Call(self._host, writer)
        while True:
            try:
                line = await reader.readuntil(b"\n")
            except (asyncio.IncompleteReadError, ConnectionError):
                return
            except asyncio.LimitOverrunError:
                writer.write(lines.encode(lines.error(None, lines.INVALID_REQUEST, "line too long")))
                await writer.drain()
                return
            await call.answer(line)


class _Call:
    """The methods, for one connection."""

    def __init__(self, host: Controlled, writer: asyncio.StreamWriter) -> None:
        self._host = host
        self._writer = writer
        self._methods: Mapping[str, Callable[[Mapping[str, Any]], Awaitable[Any]]] = {
            "status": self._status,
            "show": self._show,
            "quit": self._quit,
            "reindex": self._reindex,
            "settings.list": self._list,
            "settings.get": self._get,
            "settings.set": self._set,
            "settings.reset": self._reset,
        }

    async def answer(self, line: bytes) -> None:
        message = lines.read(line)
        if message.kind == "invalid":
            self._writer.write(lines.encode(lines.error(message.id, message.error, "Invalid Request")))
        elif message.kind == "request":
            self._writer.write(lines.encode(await self._result(message)))
        with contextlib.suppress(ConnectionError):
            await self._writer.drain()
        if message.kind == "request" and message.method == "quit":
            wish = message.params if isinstance(message.params, dict) else {}
            self._host.leave(handover=bool(wish.get("handover")))

    async def _result(self, message: lines.Message) -> lines.Json:
        method = self._methods.get(message.method)
        if method is None:
            return lines.error(message.id, lines.METHOD_NOT_FOUND, "Method not found", {"code": "internal"})
        params = message.params if isinstance(message.params, dict) else {}
        try:
            return lines.result(message.id, await method(params))
        except HupoError as error:
            fields = {key: _plain(value) for key, value in error.fields.items()}
            return lines.error(message.id, _FAILED, error.code, {"code": error.code, "fields": fields})
        except Exception:
            log.exception("control method %s failed", message.method)
            return lines.error(message.id, lines.INTERNAL_ERROR, "internal", {"code": "internal", "fields": {}})

    async def _status(self, _: Mapping[str, Any]) -> Any:
        return await self._host.status()

    async def _show(self, _: Mapping[str, Any]) -> Any:
        return self._host.show()

    async def _quit(self, _: Mapping[str, Any]) -> Any:
        return {"quitting": True}

    async def _reindex(self, _: Mapping[str, Any]) -> Any:
        loop = asyncio.get_running_loop()

        def progress(done: int, total: int) -> None:
            loop.call_soon_threadsafe(self._notify, done, total)

        return await asyncio.wrap_future(self._host.reindex(progress, self._writer.is_closing))

    def _notify(self, done: int, total: int) -> None:
        if not self._writer.is_closing():
            note = {"jsonrpc": "2.0", "method": "progress", "params": {"done": done, "total": total}}
            self._writer.write(lines.encode(note))

    async def _list(self, _: Mapping[str, Any]) -> Any:
        return {key: self._host.settings[key] for key in BY_KEY}

    async def _get(self, params: Mapping[str, Any]) -> Any:
        key = _key(params)
        return {"key": key, "value": self._host.settings[key]}

    async def _set(self, params: Mapping[str, Any]) -> Any:
        key = _key(params)
        value = await asyncio.to_thread(self._host.settings.set, key, params.get("value"))
        return {"key": key, "value": value}

    async def _reset(self, params: Mapping[str, Any]) -> Any:
        key = _key(params)
        return {"key": key, "value": await asyncio.to_thread(self._host.settings.reset, key)}


def _key(params: Mapping[str, Any]) -> str:
    key = params.get("key")
    if not isinstance(key, str) or key not in BY_KEY:
        raise InvalidArgument(field=str(key), reason="unknown_parameter")
    return key


def _plain(value: object) -> object:
    """A field as a JSON value."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return str(value)
