"""One owner a directory, proved with real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import StoreLocked
from engine.storage.lock import FILE_NAME, StoreLock

HOLD = """
import sys
from pathlib import Path
from engine.errors import StoreLocked
from engine.storage.lock import StoreLock
lock = StoreLock(Path(sys.argv[1]))
try:
    lock.acquire()
except StoreLocked as error:
    print("locked", error.fields["pid"], flush=True)
else:
    print("held", flush=True)
    sys.stdin.readline()
"""


class Other:
    """Another process that tries to become the owner and, when it is, stays so until told to end."""

    def __init__(self, directory: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(directory)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
        )  # fmt: skip
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline().split()

    def end(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(30)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
        self.end()


@pytest.fixture
def others(data_dir: Path) -> Iterator[list[Other]]:
    started: list[Other] = []
    yield started
    for other in started:
        other.end()


def test_the_second_is_told_who_the_first_is_and_a_kill_frees_the_place(data_dir: Path, others: list[Other]) -> None:
    first = Other(data_dir)
    others.append(first)
    assert first.said == ["held"]
    second = Other(data_dir)
    others.append(second)
    assert second.said == ["locked", str(first.process.pid)]
    with pytest.raises(StoreLocked) as caught:
        StoreLock(data_dir).acquire()
    assert caught.value.fields["pid"] == first.process.pid
    first.kill()
    third = Other(data_dir)
    others.append(third)
    assert third.said == ["held"]


def test_the_lock_survives_others_opening_and_closing_its_file(data_dir: Path, others: list[Other]) -> None:
    lock = StoreLock(data_dir)
    lock.acquire()
    (data_dir / FILE_NAME).read_text(encoding="utf-8")
    with (data_dir / FILE_NAME).open("ab"):
        pass
    with pytest.raises(StoreLocked):
        StoreLock(data_dir).acquire()
    others.append(Other(data_dir))
    assert others[0].said == ["locked", str(os.getpid())]
    lock.release()
    others.append(Other(data_dir))
    assert others[1].said == ["held"]


def test_release_and_acquire_again(data_dir: Path) -> None:
    lock = StoreLock(data_dir / "new" / "琥珀")
    assert not lock.held
    lock.release()
    for _ in range(2):
        lock.acquire()
        assert lock.held
        assert lock.owner() == os.getpid()
        with pytest.raises(RuntimeError):
            lock.acquire()
        lock.release()
        assert not lock.held
        assert lock.owner() is None


@pytest.mark.parametrize("text", [b"", b"12", b"not a pid", b"\xff\xfe", b"9" * 100])
def test_a_stale_file_is_no_obstacle(data_dir: Path, text: bytes) -> None:
    (data_dir / FILE_NAME).write_bytes(text)
    lock = StoreLock(data_dir)
    lock.acquire()
    assert lock.owner() == os.getpid()
    lock.release()


@pytest.mark.skipif(sys.platform == "win32", reason="asks POSIX for the mode")
def test_the_file_is_for_this_user_only(data_dir: Path) -> None:
    lock = StoreLock(data_dir)
    lock.acquire()
    assert (data_dir / FILE_NAME).stat().st_mode & 0o077 == 0
    lock.release()
