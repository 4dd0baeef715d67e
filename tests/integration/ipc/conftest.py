"""Real shims and small hosts as processes, for the tests of the local socket. Everything started is ended."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.ipc.client import Client

ROOT = Path(__file__).resolve().parents[3]
SMALL_HOST = Path(__file__).with_name("small_host.py")
SECONDS = 20.0
TOOLS = [{"name": "echo", "description": "says it again", "inputSchema": {"type": "object"}}]
MANIFEST: dict[str, Any] = {
    "format": 1,
    "profile": "core",
    "version": "9",
    "handshake": {
        "versions": ["2024-11-05", "2025-06-18", "2025-11-25"],
        "latest": "2025-11-25",
        "initialize": {"capabilities": {"tools": {}}, "serverInfo": {"name": "manifest", "version": "9"}},
    },
    "stateless": {
        "versions": ["2026-07-28"],
        "discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "resultType": "complete"},
        "envelope": {"resultType": "complete", "_meta": {"server": "manifest"}},
        "cache": {"ttlMs": 0, "cacheScope": "private"},
    },
    "tools": TOOLS,
    "errors": {
        code: {
            "content": [{"type": "text", "text": f"words for {code}"}],
            "isError": True,
            "structuredContent": {"code": code, "fields": {}},
        }
        for code in ("app_closed", "app_unreachable", "restarted")
    },
}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
SHAKE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "试验", "version": "1"}}


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


def wait_until(condition: Callable[[], Any], what: str, seconds: float = SECONDS) -> Any:
    """Poll ``condition`` until it holds; its value. Fails after ``seconds``."""
    limit = time.monotonic() + seconds
    pause = threading.Event()
    while not (value := condition()):
        assert time.monotonic() < limit, f"not within {seconds} s: {what}"
        pause.wait(0.01)
    return value


class ShimProcess:
    """A client's view of a shim: whole lines out, parsed lines in."""

    def __init__(self, data: Path, *words: str, variables: dict[str, str] | None = None, **options: Any) -> None:
        command = [sys.executable, "-m", "app", "mcp", "--data", str(data), *words]
        given = {"env": environment(**(variables or {})), "cwd": ROOT, "stderr": subprocess.PIPE, **options}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **given)
        self.lines: queue.Queue[bytes | None] = queue.Queue()
        self.unclaimed: list[dict[str, Any]] = []
        self._count = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: dict[str, Any]) -> None:
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode() + b"\n")

    def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        self.send({"method": method, **({"params": params} if params is not None else {})})

    def receive(self, seconds: float = SECONDS) -> dict[str, Any]:
        line = self.lines.get(timeout=seconds)
        assert line is not None, f"the shim ended: {self.stderr()}"
        message: dict[str, Any] = json.loads(line.decode("utf-8"))
        assert message["jsonrpc"] == "2.0"
        return message

    def answer(self, identifier: Any, seconds: float = SECONDS) -> dict[str, Any]:
        """The answer to ``identifier``; everything else that comes is kept in ``unclaimed``."""
        while True:
            found = next((one for one in self.unclaimed if one.get("id") == identifier and "method" not in one), None)
            if found is not None:
                self.unclaimed.remove(found)
                return found
            self.unclaimed.append(self.receive(seconds))

    def start(self, method: str, params: dict[str, Any] | None = None) -> int:
        """Send a request without waiting; its id."""
        self._count += 1
        self.send({"id": self._count, "method": method, **({"params": params} if params is not None else {})})
        return self._count

    def request(self, method: str, params: dict[str, Any] | None = None, seconds: float = SECONDS) -> dict[str, Any]:
        return self.answer(self.start(method, params), seconds)

    def handshake(self) -> dict[str, Any]:
        answer = self.request("initialize", SHAKE)
        self.notify("notifications/initialized")
        return answer

    def call(self, tool: str, arguments: dict[str, Any] | None = None, seconds: float = SECONDS) -> dict[str, Any]:
        return self.request("tools/call", {"name": tool, "arguments": arguments or {}}, seconds)

    def stderr(self) -> str:
        if self.process.poll() is None or self.process.stderr is None or self.process.stderr.closed:
            return ""
        return self.process.stderr.read().decode("utf-8", "replace")

    def close(self) -> int:
        """End of input; the exit code."""
        assert self.process.stdin is not None
        if not self.process.stdin.closed:
            with contextlib.suppress(BrokenPipeError):  # it has ended already, which is what is wanted
                self.process.stdin.close()
        return self.process.wait(10)

    def dispose(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
        self._reader.join(10)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):  # unsent bytes to a process that is gone
                    stream.close()


class SmallHostProcess:
    """A small host, reachable once this is made."""

    def __init__(self, data: Path, transport: str | None) -> None:
        self.data = data
        chosen = ["--transport", transport] if transport else []
        command = [sys.executable, str(SMALL_HOST), "--data", str(data), *chosen]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(), cwd=ROOT)
        assert self.process.stdout is not None
        self.ready = json.loads(self.process.stdout.readline())
        assert transport in (None, self.ready["transport"])

    def quit(self) -> None:
        with Client(str(self.data), "control") as client:
            client.request("quit")
        self.process.wait(10)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(10)

    def dispose(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def until() -> Callable[..., Any]:
    """``until(condition, what, seconds)``: a bounded wait."""
    return wait_until


@pytest.fixture(params=["unix", "tcp"])
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory with a manifest and tools of its own."""
    directory = tmp_path / "数据 dir"
    (directory / "manifests").mkdir(parents=True)
    (directory / "manifests" / "core.json").write_text(json.dumps(MANIFEST), encoding="utf-8")
    (directory / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    return directory


@pytest.fixture
def shim(data: Path) -> Iterator[Callable[..., ShimProcess]]:
    """Makes shims that start no app unless told so."""
    made: list[ShimProcess] = []

    def make(*words: str, may_start: bool = False, **options: Any) -> ShimProcess:
        variables = options.pop("variables", {})
        if may_start:
            variables = {"HUPO_APP_COMMAND": json.dumps([sys.executable, str(SMALL_HOST)]), **variables}
        else:
            variables = {"HUPO_NO_START": "1", **variables}
        made.append(ShimProcess(data, *words, variables=variables, **options))
        return made[-1]

    yield make
    for one in made:
        one.dispose()
    started = data / "started.txt"
    if started.exists():
        _end_started(data)


def _end_started(data: Path) -> None:
    """The app that a shim started is nobody's child here: ask it to quit."""
    from app.ipc.client import HostUnreachable

    try:
        with Client(str(data), "control") as client:
            client.request("quit")
    except HostUnreachable:
        return


class SmallHosts:
    """Makes small hosts, in the test's data directory unless told otherwise."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self.made: list[SmallHostProcess] = []

    def __call__(self, transport: str = "unix") -> SmallHostProcess:
        return self.at(self._data, transport)

    def at(self, data: Path, transport: str | None = "unix") -> SmallHostProcess:
        self.made.append(SmallHostProcess(data, transport))
        return self.made[-1]


@pytest.fixture
def small_host(data: Path) -> Iterator[SmallHosts]:
    hosts = SmallHosts(data)
    yield hosts
    for one in hosts.made:
        one.dispose()


@pytest.fixture
def seen(data: Path) -> Callable[[], list[dict[str, Any]]]:
    """What the hosts of this data directory got, in order."""

    def read() -> list[dict[str, Any]]:
        path = data / "seen.jsonl"
        return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []

    return read
