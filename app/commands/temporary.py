"""A host for the length of one command: the one that runs, or a child that is stopped again.

Used by the commands that need the store. Must not open the store itself: one process owns it.
"""

from __future__ import annotations

import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from app.ipc import starter
from app.ipc.client import Client, HostNotStarted, HostUnreachable, is_alive
from app.terminal import Terminal

_START_SECONDS = 30.0
_STOP_SECONDS = 10.0
_LONGEST_REASON = 2000


@contextmanager
def host(data: str, terminal: Terminal) -> Iterator[bool]:
    """Yields True when a host had to be started. Errors: :class:`HostNotStarted` when that failed."""
    if is_alive(data):
        yield False
        return
    terminal.progress("no host is running; starting one for this command")
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(
            [*starter.app_command(data, "serve"), "--json"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said,
            env=starter.environment(),
        )
        try:
            _wait_ready(child, said)
            yield True
        finally:
            _stop(child, data)


def _wait_ready(child: subprocess.Popen[bytes], said: object) -> None:
    """The child prints one line when it can be reached."""
    timer = threading.Timer(_START_SECONDS, child.kill)
    timer.start()
    try:
        assert child.stdout is not None
        if child.stdout.readline():
            return
    finally:
        timer.cancel()
    child.wait()
    said.seek(0)  # type: ignore[attr-defined]
    reason = said.read(_LONGEST_REASON).decode("utf-8", "replace").strip()  # type: ignore[attr-defined]
    last = reason.rpartition("\n")[2]  # log lines may stand above the sentence
    raise HostNotStarted(last.removeprefix("hupo: ") or f"exit code {child.returncode}")


def _stop(child: subprocess.Popen[bytes], data: str) -> None:
    if child.poll() is None:
        try:
            with Client(data, "control") as client:
                if client.pid == child.pid:
                    client.request("quit")
        except (HostUnreachable, TimeoutError):
            child.terminate()
    try:
        child.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    if child.stdout is not None:
        child.stdout.close()
