"""The pipe as clients use and misuse it, through the real shim to the real host: from the first byte to the last."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
WAIT = 60.0
HARD = "SESSION:2026-04-16|hook.fire×3|stale→reconnect|JH:重要更动先确认★★★"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "modern", "version": "1"},
}


def ok(client: Any, tool: str, arguments: Any) -> dict[str, Any]:
    answer = client.call(tool, arguments, seconds=WAIT)
    assert "error" not in answer and not answer["result"].get("isError"), answer
    content: dict[str, Any] = answer["result"]["structuredContent"]
    return content


def rest(client: Any) -> list[bytes]:
    """End of input; every line that was still to come."""
    assert client.close() == 0
    left: list[bytes] = []
    while (line := client.lines.get(timeout=WAIT)) is not None:
        left.append(line)
    return left


def test_every_line_on_the_pipe_is_a_message(shim: Callable[..., Any], data: Path) -> None:
    """The app is started, its dictionary and model are loaded, files are made: none of that says a word here."""
    (data / "settings.toml").unlink()
    client = shim("--wait", "60", may_start=True)
    taken: list[bytes] = []
    get = client.lines.get
    client.lines.get = lambda **limits: taken.append(line := get(**limits)) or line
    client.handshake()
    client.request("tools/list")
    for number in range(3):
        ok(client, "memorize", {"content": f"{HARD} 第{number}条"})
    ok(client, "recall", {"query": "重要的更动要先做什么", "k": 3})
    client.call("edit_memory", {"id": 999, "title": "没有这条"})
    client.lines.get = get
    left = rest(client)
    for line in [*taken, *left]:
        message = json.loads(line.decode("utf-8"))
        assert message["jsonrpc"] == "2.0" and line.endswith(b"\n") and line.count(b"\n") == 1
    assert client.stderr() == ""


def test_text_stands_on_the_pipe_as_it_is_read(host: Callable[..., Any], shim: Callable[..., Any]) -> None:
    host()
    client = shim()
    client.handshake()
    ok(client, "memorize", {"content": HARD})
    client.send({"id": "raw", "method": "tools/call", "params": {"name": "recall", "arguments": {"query": "更动"}}})
    line = client.lines.get(timeout=WAIT)
    assert HARD.encode() in line and b"\\u" not in line


@pytest.mark.parametrize("running", [True, False], ids=["host", "no host"])
def test_notifications_get_no_answer(host: Callable[..., Any], shim: Callable[..., Any], running: bool) -> None:
    if running:
        host()
    client = shim("--wait", "0.2")
    client.notify("notifications/initialized")
    client.handshake()
    for method in ("notifications/initialized", "notifications/unheard", "notifications/roots/list_changed", "no/such"):
        client.notify(method)
        client.notify(method, {"a": 1})
    client.notify("notifications/cancelled", {"requestId": 12345})
    assert client.request("ping")["result"] == {}
    assert client.unclaimed == [] and rest(client) == []


@pytest.mark.parametrize("running", [True, False], ids=["host", "no host"])
@pytest.mark.parametrize("params", [None, {}, {"_meta": {}}, {"_meta": ENVELOPE}], ids=["none", "{}", "meta", "full"])
def test_a_client_that_tries_the_new_era_first_may_shake_hands_after(
    host: Callable[..., Any], shim: Callable[..., Any], running: bool, params: Any
) -> None:
    if running:
        host()
    client = shim("--wait", "0.2" if not running else "60")
    first = client.request("server/discover", params)
    assert "2026-07-28" in str(first.get("result")) or first["error"]["code"] == -32601
    assert client.handshake()["result"]["protocolVersion"] == "2025-06-18"
    assert len(client.request("tools/list")["result"]["tools"]) == 10
    assert client.call("memory_status")["result"]["isError"] is not running


def test_lists_and_objects_in_quotes_are_understood_or_named(
    host: Callable[..., Any], shim: Callable[..., Any]
) -> None:
    host()
    client = shim()
    client.handshake()
    given = {"content": "in quotes", "tags": '["a","b"]', "extra": '{"ticket": "A-1"}', "importance": "0.5"}
    ok(client, "memorize", given)
    ok(client, "memorize", json.dumps({"content": "all in quotes", "tags": ["b"]}))
    listed = ok(client, "list_memories", {"tags": '["b"]'})
    assert [one["tags"] for one in listed["memories"]] == [["b"], ["a", "b"]]
    for wrong, field in (
        ({"tags": {"a": 1}}, "tags"),
        ({"extra": "[1]"}, "extra"),
        ({"importance": "high"}, "importance"),
    ):
        error = client.call("memorize", {"content": "x", **wrong})["error"]
        assert error["code"] == -32602 and error["data"]["field"] == field and field in error["message"]
    assert ok(client, "list_memories", {})["total"] == 2, "what was refused is not stored"


def _processor_time(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("state", ["connected", "host killed", "user quit", "never there"])
def test_a_waiting_shim_costs_no_processor(
    host: Callable[..., Any], shim: Callable[..., Any], state: str, until: Callable[..., Any]
) -> None:
    client = shim("--wait", "60")
    if state != "never there":
        running = host()
        client.handshake()
        client.call("memory_status")
        if state == "host killed":
            running.kill()
        elif state == "user quit":
            running.control("quit")
            assert running.process.wait(15) == 0
    else:
        client.handshake()
    assert client.request("ping")["result"] == {}
    before = _processor_time(client.process.pid)
    with pytest.raises(queue.Empty):
        client.lines.get(timeout=1.5)  # nothing comes: the shim just waits
    assert _processor_time(client.process.pid) - before < 0.3


def test_a_killed_client_leaves_neither_shim_nor_connection(
    host: Callable[..., Any], data: Path, until: Callable[..., Any]
) -> None:
    running = host()
    script = (
        "import json, subprocess, sys, threading\n"
        f"words = [sys.executable, '-m', 'app', 'mcp', '--data', {str(data)!r}]\n"
        "shims = [subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(3)]\n"
        "call = {'jsonrpc': '2.0', 'id': 1, 'method': 'tools/call', 'params': {'name': 'memory_status'}}\n"
        "hello = {'protocolVersion': '2025-06-18', 'capabilities': {}, 'clientInfo': {'name': 'x', 'version': '1'}}\n"
        "first = {'jsonrpc': '2.0', 'id': 0, 'method': 'initialize', 'params': hello}\n"
        "for one in shims:\n"
        "    for message in (first, {'jsonrpc': '2.0', 'method': 'notifications/initialized'}, call):\n"
        "        one.stdin.write(json.dumps(message).encode() + b'\\n')\n"
        "    one.stdin.flush()\n"
        "    one.stdout.readline(), one.stdout.readline()\n"
        "print(*(one.pid for one in shims), flush=True)\n"
        "threading.Event().wait()\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=ROOT) as parent:
        assert parent.stdout is not None
        pids = [int(word) for word in parent.stdout.readline().split()]
        assert len(pids) == 3 and len(running.control("status")["clients"]) == 3
        parent.kill()
    until(lambda: all(_is_gone(pid) for pid in pids), "the shims end with their client", 5.0)
    until(lambda: running.control("status")["clients"] == [], "the host knows that they are gone", 5.0)


def _is_gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"
