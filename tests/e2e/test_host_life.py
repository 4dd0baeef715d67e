"""The real host's life: start, second start, kill, quit, take-over, bad stores; seen through the real shim."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from app.ipc import endpoint
from app.ipc.client import Client


def test_the_whole_way(host: Any, shim: Any, transport: str) -> None:
    running = host(transport=transport)
    assert running.ready == {"running": True, "pid": running.process.pid, "transport": transport}
    client = shim()
    assert client.handshake()["result"]["serverInfo"]["name"] == "hupo"
    text = "SESSION:2026-04-16|hook.fire×3|stale→reconnect|JH:重要更动先确认★★★"
    stored = client.call("memorize", {"content": text})["result"]["structuredContent"]
    found = client.call("recall", {"query": "重要更动"})["result"]["structuredContent"]
    assert [(one["id"], one["text"]) for one in found["memories"]] == [(stored["id"], text)]
    (known,) = running.control("status")["clients"]
    assert (known["profile"], known["name"], known["version"]) == ("core", "试验", "1")
    assert client.close() == 0
    assert running.terminate() == 0
    assert running.rest() == b"", "one object on stdout and nothing else"


def test_a_second_start_leaves_the_first_alone(host: Any, hupo: Any) -> None:
    first = host()
    began = time.monotonic()
    second = hupo("serve")
    assert second.returncode == 0 and str(first.process.pid) in second.stderr
    assert hupo("--background").returncode == 0
    assert time.monotonic() - began < 20
    assert first.control("status")["pid"] == first.process.pid


def test_two_starts_at_once_make_one_host(host: Any, hupo: Any, data: Path, until: Any) -> None:
    """The loser finds the lock taken before the winner can be reached."""
    command = [sys.executable, "-m", "app", "serve", "--data", str(data)]
    racers = [subprocess.Popen(command, stderr=subprocess.PIPE, cwd=Path(__file__).parents[2]) for _ in range(3)]
    until(lambda: sum(one.poll() is not None for one in racers) == 2, "two of three leave")
    (winner,) = [one for one in racers if one.poll() is None]
    assert [one.returncode for one in racers if one is not winner] == [0, 0]
    until(lambda: (found := endpoint.read(str(data))) is not None and found.pid == winner.pid, "the winner is there")
    winner.terminate()
    assert winner.wait(10) == 0
    for one in racers:
        assert one.stderr is not None
        one.stderr.close()


def test_kill_9_and_restart_lose_nothing_acknowledged(host: Any, shim: Any, transport: str) -> None:
    first = host(transport=transport)
    client = shim("--wait", "60")
    client.handshake()
    stored = client.call("memorize", {"content": "门禁密码改成了新的"})["result"]["structuredContent"]["id"]
    first.kill()
    waiting = client.start("tools/call", {"name": "recall", "arguments": {"query": "门禁密码"}})
    host(transport=transport)
    answer = client.answer(waiting, 60)["result"]
    if answer.get("isError"):
        # The call was on its way when the app died: it is said, and the next one works.
        assert answer["structuredContent"]["code"] == "restarted"
        answer = client.call("recall", {"query": "门禁密码"})["result"]
    assert [one["id"] for one in answer["structuredContent"]["memories"]] == [stored]


def test_quit_then_closed_then_back(host: Any, shim: Any) -> None:
    first = host()
    client = shim("--wait", "60", may_start=True)
    client.handshake()
    client.call("memory_status")
    assert first.control("quit") == {"quitting": True}
    assert first.process.wait(10) == 0
    closed = client.call("memory_status")["result"]
    assert closed["structuredContent"]["code"] == "app_closed"
    host()
    limit = time.monotonic() + 30
    while client.call("memory_status")["result"].get("isError"):
        assert time.monotonic() < limit


def test_the_shim_starts_the_real_app(shim: Any, data: Path) -> None:
    client = shim("--wait", "60", may_start=True)
    assert client.handshake()["result"]["serverInfo"]["name"] == "hupo"
    assert client.request("tools/list")["result"]["tools"]
    stored = client.call("memorize", {"content": "started by a client"})["result"]
    assert stored["structuredContent"]["outcome"] == "stored"
    assert client.unclaimed == [], "the shipped manifest equals the app's own tools"


def test_sigterm_ends_it_cleanly_within_five_seconds(host: Any, shim: Any, data: Path) -> None:
    running = host()
    client = shim()
    client.handshake()
    for number in range(20):
        client.start("tools/call", {"name": "memorize", "arguments": {"content": f"note number {number}"}})
    began = time.monotonic()
    assert running.terminate() == 0
    assert time.monotonic() - began < 5.0
    left = endpoint.read(str(data))
    assert left is not None and left.state == endpoint.QUIT
    assert not (data / "run" / "hupo.sock").exists()


def test_a_corrupt_store_is_left_as_it_is(hupo: Any, data: Path) -> None:
    garbage = b"this was a database once " * 400
    (data / "hupo.db").write_bytes(garbage)
    done = hupo("serve")
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1 and done.stdout == ""
    assert (data / "hupo.db").read_bytes() == garbage


def test_settings_that_are_no_toml_are_told(hupo: Any, data: Path) -> None:
    (data / "settings.toml").write_text("this = is = not", encoding="utf-8")
    done = hupo("serve")
    assert done.returncode == 1 and "settings.toml" in done.stderr
    assert (data / "settings.toml").read_text(encoding="utf-8") == "this = is = not"


def test_a_data_directory_that_can_not_be_made(hupo: Any, data: Path) -> None:
    (data / "file").write_bytes(b"")
    done = hupo("serve", at=data / "file" / "below")
    assert done.returncode == 1 and "below" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_without_a_display_it_says_so_and_serves(host: Any, shim: Any) -> None:
    running = host((), QT_QPA_PLATFORM="", DISPLAY="", WAYLAND_DISPLAY="")
    status = running.control("status")
    assert status["headless"] is True
    said = running.log.read_text(encoding="utf-8").strip().splitlines()
    assert len(said) == 1, said
    client = shim()
    client.handshake()
    assert client.call("memory_status")["result"]["isError"] is False


def test_the_tray_app_shows_hides_and_quits(host: Any, hupo: Any) -> None:
    running = host(("--background",), QT_QPA_PLATFORM="offscreen")
    assert running.control("status")["headless"] is False
    second = hupo(QT_QPA_PLATFORM="offscreen")
    assert second.returncode == 0 and str(running.process.pid) in second.stderr
    assert running.control("show")["shown"] is True
    running.control("quit")
    assert running.process.wait(15) == 0


def test_a_start_with_a_display_takes_over_from_a_headless_one(host: Any, shim: Any, until: Any) -> None:
    """A client started it without a display; the user's own start gets the windows, and the client stays connected."""
    first = host(("--background",), QT_QPA_PLATFORM="", DISPLAY="", WAYLAND_DISPLAY="")
    client = shim("--wait", "60")
    client.handshake()
    client.call("memory_status")
    second = host((), QT_QPA_PLATFORM="offscreen")
    assert first.process.wait(15) == 0
    assert second.control("status")["headless"] is False
    answer = client.call("memory_status")["result"]
    assert not answer["isError"]
    second.control("quit")
    assert second.process.wait(15) == 0


def test_the_log_holds_no_memory_text(host: Any, shim: Any, data: Path) -> None:
    running = host()
    client = shim()
    client.handshake()
    client.call("memorize", {"content": "the secret word is xylophone-7731"})
    client.call("recall", {"query": "xylophone-7731"})
    client.call("memorize", {"content": 5, "importance": "xylophone-7731"})
    running.terminate()
    logged = (data / "logs" / "hupo.log").read_text(encoding="utf-8")
    assert "xylophone" not in logged and "started in" in logged


def test_a_stale_lock_and_endpoint_of_a_dead_host_do_not_matter(host: Any, data: Path) -> None:
    first = host()
    first.kill()
    assert endpoint.read(str(data)) is not None and (data / "host.lock").exists()
    second = host()
    with Client(str(data), "control") as client:
        assert client.request("status")["pid"] == second.process.pid
