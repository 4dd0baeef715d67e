"""The composition root: builds the host and its windows, and takes them down in reverse. No singletons anywhere.

One process owns a data directory; a second start hands over to the first. Must not be imported by anything but
the command that starts the host.
"""

from __future__ import annotations

import functools
import json
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from app import __version__, paths
from app.ipc.client import CallFailed, Client, HostUnreachable
from app.log import set_up
from app.terminal import Terminal

log = logging.getLogger("hupo.main")

# All of the shutdown; past it the process ends as it is (the store is safe at any instruction).
_SHUTDOWN_SECONDS = 5.0
# How long a start waits for another host: to be reached while it starts, to be gone when it hands over.
_OTHER_SECONDS = 6.0
_POLL_SECONDS = 0.05


class Ended(Exception):
    """There is nothing to run; ``code`` is the exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def run_host(data: str, terminal: Terminal, *, windows: bool, background: bool) -> int:
    """Run the host until it is quit; returns the exit code.

    ``windows``: the tray app where there is a display. ``background``: started for a client; no window opens and
    a running host is left alone.
    """
    started = time.perf_counter()
    answers = _take_stdout()
    with_windows = windows and _display(terminal, background)
    try:
        _second_start(data, terminal, with_windows, background, seconds=0.0)
        with _opened(data, terminal, with_windows, background, answers) as (service, settings, host):
            log.info("started in %.0f ms, pid %d", (time.perf_counter() - started) * 1000, os.getpid())
            _on_signals(host.leave)
            if with_windows:
                return _run_windows(service, settings, host, show_window=not background)
            return _run_headless(service, host)
    except Ended as end:
        return end.code


def _take_stdout() -> Any:
    """The real stdout for the one line that is promised there; whatever prints by itself goes to stderr."""
    try:
        answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)
    except OSError:
        return None  # a windowed build has no such streams
    return answers


def _display(terminal: Terminal, background: bool) -> bool:
    from gui import display

    if display.available():
        return True
    if not background:
        terminal.progress(f"hupo: {terminal.sentence('no_display', {})}")
    return False


# -- another host ------------------------------------------------------------------------------------------------


def _second_start(data: str, terminal: Terminal, with_windows: bool, background: bool, seconds: float) -> None:
    """Leave the work to a host that runs already; raises :class:`Ended` then.

    Tries for ``seconds`` (a host that is starting has the lock before it can be reached). A host without windows
    that was started for a client makes room for one with windows.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            with Client(data, "control", seconds=2.0) as client:
                if not background:
                    answer = client.request("show" if with_windows else "status", seconds=5.0)
                    if with_windows and not answer.get("shown") and answer.get("replaceable"):
                        client.request("quit", {"handover": True}, seconds=5.0)
                        return
                    terminal.progress(f"Hupo is running already (pid {client.pid}).")
                raise Ended(0)
        except (HostUnreachable, CallFailed, TimeoutError) as trouble:
            if time.monotonic() >= deadline:
                log.debug("no other host: %s", trouble)
                return
            time.sleep(_POLL_SECONDS)


@contextmanager
def _opened(
    data: str, terminal: Terminal, with_windows: bool, background: bool, answers: Any
) -> Iterator[tuple[Any, Any, Any]]:
    """Settings, service and host, built in that order and taken down in reverse."""
    from engine import HupoError, Settings

    settings = None
    try:
        _private(data)
        log_file = set_up(data, foreground=not background)
        settings = Settings(Path(paths.settings_file(data)))
        service = _open_service(data, settings, terminal, with_windows, background)
    except HupoError as error:
        raise Ended(_tell(error, settings, terminal, with_windows and not background)) from error
    try:
        host = _start_host(service, settings, data, terminal, log_file, with_windows, background)
        _announce(host, data, terminal, answers, aloud=not with_windows and not background)
        try:
            yield service, settings, host
        finally:
            _watch_shutdown()
            host.close()
    finally:
        service.close()


def _start_host(
    service: Any,
    settings: Any,
    data: str,
    terminal: Terminal,
    log_file: str | None,
    with_windows: bool,
    background: bool,
) -> Any:
    from app.host import Host

    host = Host(
        service,
        settings,
        data,
        __version__,
        log_file=log_file,
        headless=not with_windows,
        replaceable=background and not with_windows,
    )
    try:
        host.start()
    except OSError as error:
        log.exception("the local socket can not be opened")
        terminal.fail("listener_failed", {"path": error.filename or data, "detail": error.strerror or ""})
        raise Ended(1) from error
    return host


def _announce(host: Any, data: str, terminal: Terminal, answers: Any, *, aloud: bool) -> None:
    """Say that the host can be reached: with ``--json`` one object on stdout, else a line on stderr."""
    transport = host.transport
    if terminal.as_json and answers is not None:
        print(json.dumps({"running": True, "pid": os.getpid(), "transport": transport}), file=answers, flush=True)
    elif aloud:
        terminal.progress(f"Hupo {__version__} is running (pid {os.getpid()}, {transport}): {data}")


def _private(data: str) -> None:
    from engine.errors import NotWritable

    try:
        paths.ensure_private(data)
    except OSError as error:
        raise NotWritable(path=data, detail=error.strerror or "") from error


def _open_service(data: str, settings: Any, terminal: Terminal, with_windows: bool, background: bool) -> Any:
    from engine import Service
    from engine.embedding import create
    from engine.errors import StoreLocked

    models = Path(paths.resources_directory()) / "models"
    factory = functools.partial(create, models_dir=models, secret=_secret)
    deadline = time.monotonic() + _OTHER_SECONDS
    while True:
        try:
            return Service.open(Path(data), settings, embedder_factory=factory, secret=_secret)
        except StoreLocked:
            _second_start(data, terminal, with_windows, background, seconds=_POLL_SECONDS)
            if time.monotonic() >= deadline:
                raise
            time.sleep(_POLL_SECONDS)


def _secret(name: str) -> str | None:
    """A key for an outside service, from the environment: "embedding.remote_key" is ``HUPO_EMBEDDING_REMOTE_KEY``."""
    return os.environ.get("HUPO_" + name.replace(".", "_").upper()) or None


def _tell(error: Any, settings: Any, terminal: Terminal, with_windows: bool) -> int:
    """Say why there is no host: one line on stderr and, where a person started it, a message window."""
    log.info("not started: %s", error)  # for the file; people get the sentence below
    terminal.fail(error.code, error.fields)
    if with_windows:
        from gui.application import show_trouble

        return int(show_trouble(error, settings, __version__))
    return 1


# -- running -----------------------------------------------------------------------------------------------------


def _on_signals(leave: Callable[[], None]) -> None:
    def handle(number: int, frame: FrameType | None) -> None:
        leave()

    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"):
        number = getattr(signal, name, None)
        if number is not None:
            signal.signal(number, handle)


def _run_headless(service: Any, host: Any) -> int:
    done = threading.Event()
    unsubscribe = host.subscribe(lambda event: done.set() if event == "quit" else None)
    try:
        host.wait_loaded()
        service.prepare_recall()
        done.wait()
    finally:
        unsubscribe()
    return 0


def _run_windows(service: Any, settings: Any, host: Any, *, show_window: bool) -> int:
    host.wait_loaded()
    from gui.application import run

    service.prepare_recall()
    return int(run(service, settings, host, show_window=show_window))


def _watch_shutdown() -> None:
    """End the process at the limit, however far the shutdown is."""

    def end() -> None:
        log.error("the shutdown took longer than %.0f s", _SHUTDOWN_SECONDS)
        logging.shutdown()
        os._exit(1)

    watch = threading.Timer(_SHUTDOWN_SECONDS, end)
    watch.daemon = True
    watch.start()
