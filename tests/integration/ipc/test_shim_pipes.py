"""The shim as a pipe: big and bad messages, order, ends of input and output, nothing left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]


def test_three_megabytes_each_way(shim: Any, small_host: Any, transport: str) -> None:
    small_host(transport)
    client = shim()
    client.handshake()
    text = "记" * 1_000_000
    answer = client.call("echo", {"text": text}, seconds=60)
    assert answer["result"]["content"][0]["text"] == text


def test_a_waiting_big_call_gets_its_answer(shim: Any, small_host: Any) -> None:
    client = shim("--wait", "30")
    client.handshake()
    waiting = client.start("tools/call", {"name": "echo", "arguments": {"text": "x" * 3_000_000}})
    small_host("unix")
    assert len(client.answer(waiting, 60)["result"]["content"][0]["text"]) == 3_000_000


def test_a_client_that_writes_before_it_reads_is_served(shim: Any, small_host: Any) -> None:
    """3,000 requests of 8 KiB, no answer read until all are written: no pipe may fill up for good."""
    small_host("unix")
    client = shim()
    client.handshake()
    text = "y" * 8192
    ids = [client.start("tools/call", {"name": "echo", "arguments": {"text": text}}) for _ in range(3000)]
    assert [client.receive()["id"] for _ in ids] == ids, "order is kept"


def test_bad_lines_cost_an_answer_never_the_pipe(shim: Any) -> None:
    client = shim("--wait", "0.2")
    client.send_bytes(
        b"\n  \n{nonsense\n[1,2]\n\xff\xfe\n" + b"[" * 50_000 + b'\n{"jsonrpc":"2.0","id":1.5,"method":"x"}\n'
    )
    codes = [client.receive()["error"]["code"] for _ in range(5)]
    assert codes == [-32700, -32600, -32700, -32700, -32600]
    client.notify("notifications/unknown", {"a": 1})
    client.send({"id": 77, "result": {}})
    assert client.request("ping")["result"] == {}
    assert client.unclaimed == []


def test_bad_lines_reach_a_running_app(shim: Any, small_host: Any) -> None:
    small_host("unix")
    client = shim()
    client.handshake()
    client.call("echo")
    client.send_bytes(b"{nonsense\n")
    assert client.receive()["error"]["message"] == "from the host"


def test_a_line_beyond_the_limit_is_refused_and_the_next_one_served(shim: Any) -> None:
    client = shim("--wait", "0.2")
    client.send_bytes(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"x":"')
    for _ in range(65):
        client.send_bytes(b"z" * 1024 * 1024)
    client.send_bytes(b'"}}\n')
    refused = client.receive(60)
    assert refused["id"] is None and refused["error"]["code"] == -32600
    assert client.request("ping")["result"] == {}


@pytest.mark.parametrize("state", ["waiting", "up"])
def test_end_of_input_ends_it_at_once(shim: Any, small_host: Any, state: str) -> None:
    if state == "up":
        small_host("unix")
    client = shim("--wait", "60")
    client.handshake()
    client.start("tools/call", {"name": "hang"})
    client.request("ping")
    began = time.monotonic()
    assert client.close() == 0
    assert time.monotonic() - began < 1.0


def test_end_of_output_ends_it(data: Path) -> None:
    """Nobody reads the answers any more: the shim goes although its input is still open."""
    reading, writing = os.pipe()
    command = [sys.executable, "-m", "app", "mcp", "--data", str(data), "--no-start"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=writing, cwd=ROOT) as process:
        os.close(writing)
        os.close(reading)
        assert process.stdin is not None
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        process.stdin.flush()
        assert process.wait(10) == 0


def test_many_cycles_leave_nothing(shim: Any, small_host: Any, data: Path) -> None:
    host = small_host("unix")
    processes = []
    for _ in range(100):
        client = shim()
        processes.append(client.process)
        client.handshake()
        assert client.close() == 0
    assert all(one.poll() == 0 for one in processes)
    open_files = os.listdir(f"/proc/{host.process.pid}/fd")
    assert len(open_files) < 40, "the host keeps no connection of clients that are gone"


def test_a_killed_client_takes_its_shim_along(data: Path, until: Any) -> None:
    script = (
        "import subprocess, sys\n"
        f"p = subprocess.Popen([sys.executable, '-m', 'app', 'mcp', '--data', {str(data)!r}, '--no-start'],"
        " stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "print(p.pid, flush=True)\n"
        "p.wait()\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=ROOT) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    until(lambda: _is_gone(pid), "the shim ends with its client", 5.0)


def _is_gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"
