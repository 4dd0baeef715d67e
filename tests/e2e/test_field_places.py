"""Data directories and surroundings as users have them: names in any script, no network, other users, no rights."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
WAIT = 60.0
STRANGER = 65534
NAMES = ["data", "정진/记忆 库", "ذاكرة é ñ", "データ 🗂"]
as_root = pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="needs to be root on POSIX")


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    return str(getattr(request, "param", NAMES[0]))


@pytest.fixture
def data(tmp_path: Path, name: str) -> Path:
    """Not there yet, and with the settings that a user begins with: the model in the box."""
    (tmp_path / name).parent.mkdir(exist_ok=True)
    return tmp_path / name


def ok(client: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = client.call(tool, arguments, seconds=WAIT)
    assert "error" not in answer and not answer["result"].get("isError"), answer
    content: dict[str, Any] = answer["result"]["structuredContent"]
    return content


def vectors_ready(client: Any, until: Callable[..., Any]) -> dict[str, Any]:
    until(lambda: ok(client, "memory_status")["vectors"]["state"] == "ready", "the vectors are there", WAIT)
    return ok(client, "memory_status")


def log_of(data: Path) -> str:
    return (data / "logs" / "hupo.log").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES[1:], indirect=True)
def test_the_index_is_saved_and_read_in_a_directory_of_any_name(
    data: Path, host: Callable[..., Any], shim: Callable[..., Any], until: Callable[..., Any], name: str
) -> None:
    first, client = host(), shim("--wait", "60")
    client.handshake()
    ok(client, "memorize", content="猫叫豆豆，三岁")
    vectors_ready(client, until)
    assert first.terminate() == 0
    (index,) = data.glob("vectors-*.usearch")
    written = index.stat()
    second, again = host(), shim()
    again.handshake()
    assert ok(again, "recall", query="how old is the cat")["memories"][0]["text"] == "猫叫豆豆，三岁"
    assert second.terminate() == 0
    found = index.stat()
    assert (found.st_ino, found.st_mtime_ns) == (written.st_ino, written.st_mtime_ns), "it was read, not made anew"


@pytest.mark.parametrize("damage", [b"", b"not an index " * 999], ids=["empty", "garbage"])
def test_a_spoilt_index_file_costs_nothing_but_its_rebuild(
    data: Path, host: Callable[..., Any], shim: Callable[..., Any], until: Callable[..., Any], damage: bytes
) -> None:
    first, client = host(), shim()
    client.handshake()
    ok(client, "memorize", content="妈妈的生日是农历八月十五")
    ok(client, "memorize", content="The spare key is under the flower pot")
    vectors_ready(client, until)
    assert first.terminate() == 0
    (index,) = data.glob("vectors-*.usearch")
    index.write_bytes(damage)
    second, again = host(), shim()
    again.handshake()
    status = vectors_ready(again, until)
    assert (status["vectors"]["stored"], status.get("trouble")) == (2, None)
    found = ok(again, "recall", query="when is my mother's birthday")
    assert found["memories"][0]["text"] == "妈妈的生日是农历八月十五" and "degraded" not in found
    assert second.terminate() == 0
    assert index.stat().st_size > len(damage) or index.read_bytes() != damage


def test_the_first_minute_needs_no_network_and_touches_no_other_place(tmp_path: Path, data: Path) -> None:
    """Nothing but the loopback device, nothing in the home directory: the first start, its model, and a recall."""
    lonely = ["unshare", "--net", "--", sys.executable, "-m", "app"]
    if not shutil.which("unshare") or subprocess.run([*lonely[:3], "true"], check=False).returncode:
        pytest.skip("no right to cut the network off")
    home = tmp_path / "home"
    home.mkdir()
    variables = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "HUPO_DATA"))}
    variables |= {"HOME": str(home), "USERPROFILE": str(home), "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [*lonely, "doctor", "--json", "--data", str(data)],
        env=variables, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=120, check=False,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert done.returncode == 0 and found["ok"], (found, done.stderr)
    assert list(home.rglob("*")) == [], "no cache, no identifier, no download"
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([data.name, "home"])
    assert "Traceback" not in log_of(data)


def test_a_cold_start_answers_the_handshake_at_once(shim: Callable[..., Any], data: Path) -> None:
    """No app, no data, no model in memory: a client that gives a server ten seconds never notices."""
    began = time.monotonic()
    client = shim("--wait", "60", may_start=True)
    assert client.handshake()["result"]["serverInfo"]["name"] == "hupo"
    assert len(client.request("tools/list")["result"]["tools"]) == 10
    assert time.monotonic() - began < 5.0
    assert ok(client, "memorize", content="冷启动后的第一条记忆")["outcome"] == "stored"
    assert ok(client, "recall", query="第一条")["count"] == 1


@as_root
def test_two_users_share_a_temporary_directory_that_nobody_can_write(tmp_path: Path) -> None:
    """Nothing of a dictionary or a model is put where another user's would be, and nothing is missed there."""
    other = _as_stranger()
    tmp_path.chmod(0o755)
    temporary = tmp_path / "tmp"
    temporary.mkdir(mode=0o555)
    for uid, prefix in ((0, []), (STRANGER, other)):
        home = tmp_path / str(uid)
        home.mkdir(mode=0o700)
        os.chown(home, uid, uid)
        variables = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(home)}
        variables |= {key: str(temporary) for key in ("TMPDIR", "TEMP", "TMP")}
        with Own(prefix, home / "data", variables) as own:
            assert "stored" in own.say("remember", "重要更动先确认")
            assert "重要更动先确认" in own.say("recall", "更动")
        assert [one.name for one in home.iterdir()] == ["data"]
        assert list((home / "data").glob("vectors-*.usearch")), "the model was at work"
    assert list(temporary.iterdir()) == []


class Own:
    """A user's own host while the block lasts, and commands to it. ``prefix`` makes a command that user's."""

    def __init__(self, prefix: list[str], data: Path, variables: dict[str, str]) -> None:
        self._command = [*prefix, sys.executable, "-m", "app"]
        self._data = ["--data", str(data)]
        self._variables = variables

    def __enter__(self) -> Own:
        self._host = subprocess.Popen(
            [*self._command, "serve", "--json", *self._data],
            env=self._variables, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert self._host.stdout is not None
        assert self._host.stdout.readline()
        return self

    def say(self, *words: str) -> str:
        done = subprocess.run(
            [*self._command, *words, *self._data],
            env=self._variables, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=90, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def __exit__(self, *trouble: object) -> None:
        self._host.terminate()
        assert self._host.wait(15) == 0
        assert self._host.stdout is not None
        self._host.stdout.close()


@as_root
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_directory_without_the_right_to_write_is_named(data: Path, hupo: Callable[..., Any], language: str) -> None:
    """Another user's directory with memories in it: one line that names the place, nothing changed, exit code 1."""
    other = _as_stranger()
    data.parent.chmod(0o755)
    assert hupo("remember", "the first owner's memory").returncode == 0
    (data / "settings.toml").write_text(f'[interface]\nlanguage = "{language}"\n', encoding="utf-8")
    for path in (data, *data.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    before = _contents(data)
    done = subprocess.run(
        [*other, sys.executable, "-m", "app", "serve", "--data", str(data)],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=ROOT,
        capture_output=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 1 and done.stdout == ""
    (line,) = done.stderr.strip().splitlines()
    assert str(data) in line and ("权限" if language == "zh" else "rights") in line
    assert _contents(data) == before


def _contents(data: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in data.rglob("*") if path.is_file()}


def _as_stranger() -> list[str]:
    """Words before a command that run it as a user without rights; skips where that can not be."""
    words = ["setpriv", f"--reuid={STRANGER}", f"--regid={STRANGER}", "--clear-groups", "--"]
    if not shutil.which(words[0]):
        pytest.skip("no setpriv")
    if subprocess.run([*words, sys.executable, "-c", "import apsw"], capture_output=True, check=False).returncode:
        pytest.skip("the interpreter lies where another user can not read it")
    return words


@pytest.mark.parametrize("left", ["nonsense", "empty", "half", "a living stranger", "a listening stranger"])
def test_what_a_dead_host_left_behind_is_in_nobodys_way(
    data: Path, host: Callable[..., Any], shim: Callable[..., Any], hupo: Callable[..., Any], left: str
) -> None:
    """The endpoint file and the lock file in every state in which a crash, a copy or a restored disk can leave them."""
    first = host(transport="tcp")
    written = json.loads((data / "endpoint.json").read_text(encoding="utf-8"))
    first.kill()
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        foreign = {**written, "pid": os.getpid()}
        if left == "a listening stranger":
            foreign["address"] = f"127.0.0.1:{stranger.getsockname()[1]}"
        content = {"nonsense": b"\x00\xff no json", "empty": b"", "half": json.dumps(written).encode()[:40]}
        (data / "endpoint.json").write_bytes(content.get(left, json.dumps(foreign).encode()))
        (data / "host.lock").write_bytes(content.get(left, f"{os.getpid()}\n".encode()))
        assert hupo("status").returncode == 1, "nobody is taken for the host"
        second = host()
        client = shim()
        client.handshake()
        assert ok(client, "memorize", content="after the crash")["outcome"] == "stored"
        assert second.control("status")["pid"] == second.process.pid
