"""``hupo doctor``: proves the whole way, from a client through the real shim to the store and back, with times.

Uses the host that runs, or one for the length of the check. The probe memory is erased again, whatever fails.
Must not take a short cut: every step after "host" goes through a shim process and MCP.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from app import __version__
from app.commands import temporary
from app.ipc import starter
from app.ipc.client import CallFailed, Client, HostUnreachable
from app.terminal import Terminal

_ANSWER_SECONDS = 30.0
_EXIT_SECONDS = 5.0


class Shim:
    """A shim process as a client has it: lines on its stdin, lines from its stdout."""

    def __init__(self, data: str) -> None:
        environment = {**starter.environment(), "HUPO_NO_START": "1"}
        self._process = subprocess.Popen(
            starter.app_command(data, "mcp"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self._count = 0

    def notify(self, method: str) -> None:
        """Send a notification."""
        self._send({"jsonrpc": "2.0", "method": method})

    def request(self, method: str, params: dict[str, Any]) -> Any:
        """Send a request; its result. Errors: :class:`CallFailed` (also "timed_out" and "host_unreachable")."""
        self._count += 1
        self._send({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params})
        answer = self._answer()
        if "error" in answer:
            raise CallFailed("internal", {"detail": answer["error"].get("message", "")})
        return answer["result"]

    def tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool; its structured content. Errors: :class:`CallFailed` with the tool's code."""
        result = self.request("tools/call", {"name": name, "arguments": arguments})
        content = result.get("structuredContent") or {}
        if result.get("isError"):
            raise CallFailed(str(content.get("code", "internal")), content.get("fields") or {})
        return content

    def close(self) -> int:
        """End its input as a client does; its exit code. Errors: :class:`CallFailed` when it stays."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        try:
            return self._process.wait(_EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise CallFailed("timed_out", {"seconds": _EXIT_SECONDS}) from None
        finally:
            self._process.stdout.close()

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message, ensure_ascii=False).encode("utf-8") + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise CallFailed("host_unreachable", {"detail": f"exit code {self._process.wait()}"}) from None

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        timer = threading.Timer(_ANSWER_SECONDS, self._process.kill)
        timer.start()
        try:
            for line in self._process.stdout:
                message = json.loads(line)
                if message.get("id") == self._count and "method" not in message:
                    return message
        finally:
            timed_out = not timer.is_alive()
            timer.cancel()
        raise CallFailed("timed_out" if timed_out else "host_unreachable", {"seconds": _ANSWER_SECONDS})


class Check:
    """The steps with their outcomes, told as they happen."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self.steps: list[dict[str, Any]] = []

    @property
    def ok(self) -> bool:
        """Whether every step was."""
        return all(step["ok"] for step in self.steps)

    def step(self, name: str, work: Callable[[], Any]) -> Any:
        """Run ``work``; its value, or None when it failed. A failure is kept and told, never raised."""
        began = time.perf_counter()
        value: Any = None
        trouble = code = ""
        try:
            value = work()
        except (CallFailed, HostUnreachable) as failed:
            code, trouble = failed.code, self._terminal.sentence(failed.code, failed.fields)
        except (OSError, KeyError, ValueError, TypeError) as failed:
            code, trouble = "internal", f"{type(failed).__name__}: {failed}"
        took = round((time.perf_counter() - began) * 1000, 1)
        self.steps.append(
            {"name": name, "ok": not code, "ms": took, **({"code": code, "why": trouble} if code else {})}
        )
        self._terminal.line(f"{'ok  ' if not code else 'FAIL'}  {name:<10} {took:8.1f} ms")
        if code:
            self._terminal.progress(f"hupo: {name}: {trouble}")
        return value


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """All steps; 0 when every one is ok."""
    check = Check(terminal)
    with ExitStack() as stack:
        started = check.step("host", lambda: stack.enter_context(temporary.host(options.data, terminal)))
        if check.ok:
            _through_shim(check, options.data)
            trouble = check.step("store", lambda: _store_trouble(options.data))
            for slug in trouble or ():
                terminal.progress(f"hupo: {slug}")
    value = {"ok": check.ok, "data": options.data, "started_host": bool(started), "steps": check.steps}
    terminal.result(value, "all steps ok" if check.ok else "there is trouble")
    return 0 if check.ok else 1


def _through_shim(check: Check, data: str) -> None:
    shim = check.step("shim", lambda: Shim(data))
    if shim is None:
        return
    try:
        if check.step("handshake", lambda: _handshake(shim)) is None:
            return
        check.step("tools", lambda: shim.request("tools/list", {})["tools"])
        _probe(check, shim)
    finally:
        check.step("exit", lambda: _left(shim))


def _handshake(shim: Shim) -> Any:
    about = {"name": "hupo-doctor", "version": __version__}
    answer = shim.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about})
    shim.notify("notifications/initialized")
    return answer


def _probe(check: Check, shim: Shim) -> None:
    mark = os.urandom(6).hex()
    text = f"Hupo self-check {mark}, 琥珀自检，随后删除。"
    stored = check.step("memorize", lambda: shim.tool("memorize", {"content": text, "source_agent": "hupo doctor"}))
    if stored is None:
        return
    try:
        check.step("recall", lambda: _found(shim, mark, stored["id"]))
    finally:
        check.step("forget", lambda: shim.tool("forget_memory", {"id": stored["id"], "erase": True, "confirm": True}))


def _found(shim: Shim, mark: str, identifier: int) -> Any:
    found = shim.tool("recall", {"query": f"琥珀自检 {mark}", "k": 5})
    if identifier not in [one["id"] for one in found["memories"]]:
        raise CallFailed("not_found", {"kind": "memory", "id": identifier})
    return found


def _left(shim: Shim) -> None:
    code = shim.close()
    if code != 0:
        raise CallFailed("host_unreachable", {"detail": f"exit code {code}"})


def _store_trouble(data: str) -> list[str]:
    with Client(data, "control") as client:
        return list(client.request("status")["trouble"])
