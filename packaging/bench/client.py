"""A raw MCP client over the real shim, for timing: starts ``app mcp`` as a client would and speaks JSON-RPC lines."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from app.ipc import endpoint

ROOT = Path(__file__).resolve().parents[2]
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "hupo-bench", "version": "1"},
}


class ShimClient:
    """One shim process. ``started`` is the monotonic time just before it was spawned."""

    def __init__(self, data: Path, *more: str) -> None:
        self.started = time.perf_counter()
        command = [sys.executable, "-m", "app", "mcp", "--data", str(data), *more]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
        self._count = 0

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send one request and wait for its answer; errors of the protocol raise ``RuntimeError``."""
        self._count += 1
        self._send({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params or {}})
        assert self._process.stdout is not None
        while True:
            line = self._process.stdout.readline()
            if not line:
                raise RuntimeError("the shim ended")
            answer = json.loads(line)
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RuntimeError(str(answer["error"]))
                return dict(answer["result"])

    def pipelined(
        self, method: str, calls: Iterable[dict[str, Any]], in_flight: int
    ) -> Iterator[tuple[dict[str, Any], float]]:
        """Send ``calls`` with up to ``in_flight`` unanswered at a time; (result, seconds) of each as it is answered."""
        assert self._process.stdout is not None
        waiting: dict[int, float] = {}
        more = iter(calls)
        while True:
            while len(waiting) < in_flight and (call := next(more, None)) is not None:
                self._count += 1
                waiting[self._count] = time.perf_counter()
                self._send({"jsonrpc": "2.0", "id": self._count, "method": method, "params": call})
            if not waiting:
                return
            answer = json.loads(self._process.stdout.readline())
            if answer.get("id") in waiting:
                if "error" in answer or answer["result"].get("isError"):
                    raise RuntimeError(str(answer))
                yield dict(answer["result"]), time.perf_counter() - waiting.pop(answer["id"])

    def initialize(self) -> dict[str, Any]:
        """The handshake; returns the server's answer."""
        answer = self.request("initialize", INITIALIZE)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def tool(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; its structured content. A tool error raises ``RuntimeError``."""
        answer = self.request("tools/call", {"name": name, "arguments": arguments})
        if answer.get("isError"):
            raise RuntimeError(str(answer["content"]))
        return dict(answer["structuredContent"])

    def close(self) -> None:
        """End of input; the shim goes."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message, ensure_ascii=False).encode("utf-8") + b"\n")
        self._process.stdin.flush()


class Host:
    """A headless host of its own on a data directory, stopped at the end of the ``with``."""

    def __init__(self, data: Path) -> None:
        self._data = data

    def __enter__(self) -> Host:
        command = [sys.executable, "-m", "app", "serve", "--data", str(self._data)]
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # A shim that comes before the host is up starts one of its own, which would outlive the measurement.
        end = time.monotonic() + 60
        while endpoint.read(str(self._data)) is None:
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("the host did not come up")
            time.sleep(0.02)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(20)

    @property
    def pid(self) -> int:
        """The host's process id."""
        return self._process.pid
