"""The real host and the real shim as processes, as a user's machine runs them. Everything started is ended."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.ipc import endpoint
from app.ipc.client import Client

ROOT = Path(__file__).resolve().parents[2]
# Without the model a host is light; the tests that are about meaning take it away from the settings again.
SETTINGS = '[embedding]\nprovider = "none"\n'


def _parts() -> Any:
    """The shim process of the integration tests (test directories are no packages)."""
    place = ROOT / "tests" / "integration" / "ipc" / "conftest.py"
    spec = importlib.util.spec_from_file_location("hupo_ipc_parts", place)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PARTS = _parts()


class HostProcess:
    """``hupo`` with ``words``; :meth:`wait_ready` returns once it can be reached."""

    def __init__(self, data: Path, words: tuple[str, ...], variables: dict[str, str]) -> None:
        self.data = data
        self.log = data.with_name(f"{data.name}.stderr")
        with open(self.log, "ab") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "app", *words, "--json", "--data", str(data)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=said,
                env=PARTS.environment(**variables),
                cwd=ROOT,
            )
        self.ready: dict[str, Any] = {}

    def wait_ready(self) -> None:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.log.read_text(encoding="utf-8")
        self.ready = json.loads(line)
        assert self.ready["pid"] == self.process.pid

    def control(self, method: str, params: dict[str, Any] | None = None) -> Any:
        with Client(str(self.data), "control") as client:
            return client.request(method, params)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(10)

    def terminate(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(10)

    def rest(self) -> bytes:
        """What it has printed on stdout after the first line, up to its end."""
        assert self.process.stdout is not None
        return self.process.stdout.read()

    def dispose(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def until() -> Callable[..., Any]:
    wait: Callable[..., Any] = PARTS.wait_until
    return wait


@pytest.fixture(params=["unix", "tcp"])
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    directory = tmp_path / "琥珀 данные"
    directory.mkdir()
    (directory / "settings.toml").write_text(SETTINGS, encoding="utf-8")
    return directory


@pytest.fixture
def host(data: Path) -> Iterator[Callable[..., HostProcess]]:
    """``host()`` is ``hupo serve``, ``host(words=())`` the tray app; reachable once it returns."""
    made: list[HostProcess] = []

    def make(words: tuple[str, ...] = ("serve",), transport: str = "unix", **variables: str) -> HostProcess:
        made.append(HostProcess(data, words, {"HUPO_TRANSPORT": transport, **variables}))
        made[-1].wait_ready()
        return made[-1]

    yield make
    for one in made:
        one.dispose()


@pytest.fixture
def shim(data: Path) -> Iterator[Callable[..., Any]]:
    """Shims; an app that one of them started is ended with the test."""
    made: list[Any] = []

    def make(*words: str, may_start: bool = False, **variables: str) -> Any:
        given = variables if may_start else {"HUPO_NO_START": "1", **variables}
        made.append(PARTS.ShimProcess(data, *words, variables=given))
        return made[-1]

    yield make
    for one in made:
        one.dispose()
    left = endpoint.read(str(data))
    if left is not None and left.state == endpoint.RUNNING and Path(f"/proc/{left.pid}").exists():
        os.kill(left.pid, signal.SIGTERM)
        PARTS.wait_until(lambda: not Path(f"/proc/{left.pid}").exists() or _zombie(left.pid), "the app ends")


def _zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.fixture
def hupo(data: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command to its end: ``hupo("remember", "text", LANG="C")``."""

    def run(
        *words: str, text: str | None = None, at: Path = data, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "app", *words, "--data", str(at)],
            env=PARTS.environment(**variables),
            cwd=ROOT,
            input=text,
            stdin=subprocess.DEVNULL if text is None else None,
            capture_output=True,
            encoding="utf-8",
            timeout=90,
            check=False,
        )

    return run
