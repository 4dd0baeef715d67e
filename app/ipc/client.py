"""A blocking client of the running host, for the command line: control calls and single tool calls.

Standard library only. Must not start a host (``app/commands`` does that) and makes no words for people.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

from app import __version__
from app.ipc import endpoint, hello, lines

_CHUNK = 256 * 1024


class HostUnreachable(Exception):
    """There is no host to talk to. ``code``: "endpoint_missing", "app_closed", "host_unreachable" or a greeting's."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code, detail)
        self.code = code
        self.fields: dict[str, object] = {"detail": detail} if detail else {}


class HostNotStarted(HostUnreachable):
    """A host was started and ended before it could be reached. ``said``: its own sentence about it, for people."""

    def __init__(self, said: str) -> None:
        super().__init__("host_unreachable", said)
        self.said = said


class CallFailed(Exception):
    """The host answered with an error. ``code`` is its slug, ``fields`` what a sentence about it needs."""

    def __init__(self, code: str, fields: Mapping[str, Any], message: str = "") -> None:
        super().__init__(code, dict(fields), message)
        self.code = code
        self.fields = dict(fields)
        self.message = message


class Client:
    """One greeted connection, used by one thread; a context manager."""

    def __init__(
        self, data: str, purpose: str, *, name: str = "hupo", profile: str = "core", seconds: float = hello.SECONDS
    ) -> None:
        """Connect and greet, within about ``seconds``. Errors: :class:`HostUnreachable`."""
        found = endpoint.read(data)
        if found is None:
            raise HostUnreachable("endpoint_missing", data)
        if found.state != endpoint.RUNNING:
            raise HostUnreachable("app_closed")
        try:
            self._socket = endpoint.connect(data, found, seconds)
        except OSError as trouble:
            raise HostUnreachable("host_unreachable", trouble.strerror or str(trouble)) from trouble
        self.pid = found.pid
        self._splitter = lines.Splitter()
        self._count = 0
        try:
            self.version, rest = hello.greet(
                self._socket,
                found.token,
                purpose=purpose,
                client=f"{name}/{os.getpid()}",
                version=__version__,
                profile=profile,
                seconds=seconds,
            )
        except hello.HelloFailed as failed:
            self._socket.close()
            raise HostUnreachable(failed.code) from failed
        except OSError as trouble:
            self._socket.close()
            raise HostUnreachable("host_unreachable", trouble.strerror or str(trouble)) from trouble
        self._received = self._splitter.feed(rest)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connection."""
        self._socket.close()

    def request(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        seconds: float = 30.0,
        progress: Callable[[int, int], None] | None = None,
    ) -> Any:
        """Send one request and wait for its result; ``progress`` gets (done, total) of progress notifications.

        Errors: :class:`CallFailed`, :class:`HostUnreachable` (the host went away), ``TimeoutError``.
        """
        self._count += 1
        request: lines.Json = {"jsonrpc": "2.0", "id": self._count, "method": method}
        if params is not None:
            request["params"] = dict(params)
        self._send(request)
        deadline = time.monotonic() + seconds
        while True:
            answer = self._next(deadline)
            if answer.get("method") == "progress":
                if progress is not None:
                    progress(int(answer["params"]["done"]), int(answer["params"]["total"]))
                deadline = time.monotonic() + seconds
            if answer.get("id") != self._count or "method" in answer:
                continue
            if "error" in answer:
                raise _failure(answer["error"])
            return answer["result"]

    def tool(self, name: str, arguments: Mapping[str, Any], *, seconds: float = 60.0) -> Any:
        """One tool call in a session of its own (purpose mcp); returns its structured content.

        Errors: as :meth:`request`; a tool error becomes :class:`CallFailed` with the tool's code and text.
        """
        if self._count == 0:
            self.initialize()
        result = self.request("tools/call", {"name": name, "arguments": dict(arguments)}, seconds=seconds)
        content = result.get("structuredContent") or {}
        if result.get("isError"):
            text = " ".join(part.get("text", "") for part in result.get("content", ()))
            raise CallFailed(str(content.get("code", "internal")), content.get("fields") or {}, text)
        return content

    def initialize(self) -> Any:
        """The MCP handshake; returns the host's answer."""
        about = {"name": "hupo-cli", "version": __version__}
        shake = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about}
        answer = self.request("initialize", shake)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def _send(self, message: lines.Json) -> None:
        try:
            self._socket.settimeout(30.0)
            self._socket.sendall(lines.encode(message))
        except OSError as trouble:
            raise HostUnreachable("host_unreachable", str(trouble)) from trouble

    def _next(self, deadline: float) -> lines.Json:
        while not self._received:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._socket.settimeout(left)
            try:
                chunk = self._socket.recv(_CHUNK)
            except TimeoutError:
                raise
            except OSError as trouble:
                raise HostUnreachable("host_unreachable", str(trouble)) from trouble
            if not chunk:
                raise HostUnreachable("host_unreachable", "the host hung up")
            self._received = self._splitter.feed(chunk)
        found: lines.Json = json.loads(self._received.pop(0))
        return found


def _failure(error: Mapping[str, Any]) -> CallFailed:
    data = error.get("data")
    if isinstance(data, dict) and "code" in data:
        return CallFailed(str(data["code"]), data.get("fields") or {}, str(error.get("message", "")))
    return CallFailed("internal", {}, str(error.get("message", "")))


def is_alive(data: str) -> bool:
    """Whether a host answers for ``data``: the greeting is made, nothing else."""
    try:
        with Client(data, "control", name="probe"):
            return True
    except HostUnreachable:
        return False
