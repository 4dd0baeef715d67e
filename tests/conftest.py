"""What every test stands on: no test reaches the user's own data, and none leaves threads or processes behind.

Fixtures that belong to one kind of test live beside those tests, not here.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.configuration import set_hypothesis_home_dir

# Deterministic wherever the suite runs; HUPO_EXPLORE=1 looks for new examples.
settings.register_profile(
    "suite",
    deadline=None,
    derandomize=not os.environ.get("HUPO_EXPLORE"),
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("suite")

_MARK = "HUPO_TEST_SESSION"
_HOME = pytest.StashKey[Path]()
_THREADS_LIMIT = 5.0
_PROCESSES_LIMIT = 10.0


def pytest_configure(config: pytest.Config) -> None:
    """Before any test module is imported: a home of our own, no display, a mark on every process we start."""
    home = Path(tempfile.mkdtemp(prefix="hupo-home-"))
    config.stash[_HOME] = home
    set_hypothesis_home_dir(home / "hypothesis")
    os.environ.update(
        HOME=str(home),
        USERPROFILE=str(home),
        APPDATA=str(home / "AppData" / "Roaming"),
        LOCALAPPDATA=str(home / "AppData" / "Local"),
        HUPO_DATA=str(home / "data"),
        PYTHONUTF8="1",
        ORT_DISABLE_TELEMETRY="1",
    )
    os.environ.setdefault(_MARK, uuid.uuid4().hex)  # xdist's workers inherit it: one mark a run
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
        os.environ.pop(name, None)


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[_HOME], ignore_errors=True)


@pytest.hookimpl(trylast=True)  # xdist ends its workers first
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A process that outlives the tests is a fault in the product or in a test: name it, end it, fail."""
    if hasattr(session.config, "workerinput"):
        return
    limit = time.monotonic() + _PROCESSES_LIMIT
    left = _marked_processes()
    while left and time.monotonic() < limit:
        time.sleep(0.05)
        left = _marked_processes()
    for pid, command in left.items():
        print(f"\nleft running by a test: {pid} {command}")
        os.kill(pid, signal.SIGKILL)
    if left:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _marked_processes() -> dict[int, str]:
    """Other processes with this session's mark, zombies aside; empty where /proc does not tell."""
    mark = f"{_MARK}={os.environ[_MARK]}".encode()
    found: dict[int, str] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        if int(entry.name) == os.getpid():
            continue
        try:
            if mark in (entry / "environ").read_bytes().split(b"\0"):
                found[int(entry.name)] = (
                    (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                )
        except OSError:  # gone meanwhile, or another user's
            continue
    return found


@pytest.fixture(autouse=True)
def _no_thread_left() -> Iterator[None]:
    """Threads that keep a process alive must be gone when the test that started them ends."""
    before = set(threading.enumerate())
    yield
    limit = time.monotonic() + _THREADS_LIMIT
    started = [thread for thread in threading.enumerate() if thread not in before and not thread.daemon]
    for thread in started:
        thread.join(max(0.0, limit - time.monotonic()))
    left = [thread.name for thread in started if thread.is_alive()]
    assert not left, f"threads left running: {left}"


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """An empty directory of this test alone. pytest's own has a path too long for a unix socket below it."""
    directory = Path(tempfile.mkdtemp(prefix="hupo-"))
    yield directory
    shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """An empty data directory with a name outside ASCII, short enough for a unix socket in it."""
    directory = tmp_path / "琥珀 é"
    directory.mkdir(mode=0o700)
    return directory
