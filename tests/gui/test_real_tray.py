"""A real screen, window manager and tray: the icon is there, a real click opens the window, the menu quits.

Runs its own X server beside any other; skipped where the programs for that are not installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("Xvfb", "openbox", "trayer", "xdotool")
MISSING = [name for name in NEEDED if shutil.which(name) is None]
LIMIT = 40.0

pytestmark = [
    pytest.mark.display,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="an X server is a Linux matter"),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]

# Says where the tray's icon is, then one line for each thing that happens.
APP = textwrap.dedent(
    """
    import sys, tempfile
    from pathlib import Path
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication
    from engine import Service, Settings
    from engine.embedding import NoEmbedder
    from gui.application import Desktop

    class Ports:
        version, log_file = "0.1.0", None
        def __init__(self, data): self.data_directory = data
        def clients(self): return ()
        def trouble(self): return ()
        def subscribe(self, listener): return lambda: None
        def report(self, error): raise error

    def say(text): print(text, flush=True)

    app = QApplication([])
    with tempfile.TemporaryDirectory() as place:
        settings = Settings()
        settings.update({"interface.language": "en", "embedding.provider": "none"})
        service = Service.open(Path(place), settings, embedder_factory=lambda _: NoEmbedder())
        desktop = Desktop(app, service, settings, Ports(Path(place)))
        assert desktop.tray is not None, "no tray"
        desktop.start(show_window=False)
        assert not desktop.window.isVisible()
        known = {}
        def look():
            spot = desktop.tray.icon.geometry()
            if "icon" not in known and spot.width() > 4 and spot.x() > 0:
                known["icon"] = True
                say(f"icon {spot.center().x()} {spot.center().y()}")
            for name, shown in (("window", desktop.window), ("menu", desktop.tray.menu)):
                if shown.isVisible() != known.get(name, False):
                    known[name] = shown.isVisible()
                    say(f"{name} {'shown' if shown.isVisible() else 'hidden'}")
        timer = QTimer(interval=50)
        timer.timeout.connect(look)
        timer.start()
        code = app.exec()
        desktop.close()
        service.close()
    say(f"left {code}")
    """
)


class Screen:
    """An X server with a window manager and a tray, and Hupo on it."""

    def __init__(self, display: str, app: subprocess.Popen[str]) -> None:
        self.environment = {**os.environ, "DISPLAY": display}
        self.app = app

    def line(self, begins: str) -> str:
        """The next line of the app that begins so."""
        assert self.app.stdout is not None
        for line in self.app.stdout:
            if line.startswith(begins):
                return line.strip()
        raise AssertionError(f"ended before saying {begins!r}")

    def act(self, *words: object) -> None:
        """One or more xdotool commands."""
        subprocess.run(["xdotool", *map(str, words)], env=self.environment, check=True, timeout=LIMIT)


def _started(command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _server() -> tuple[subprocess.Popen[bytes], str]:
    """An X server on a display of its own choosing."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
        pass_fds=(write,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    with os.fdopen(read) as told:
        number = told.readline().strip()
    assert number, "the X server did not start"
    return server, f":{number}"


def _wait_for_selection(environment: dict[str, str]) -> None:
    """Until a tray owns its place on the screen: what Qt looks for."""
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline:
        found = subprocess.run(
            ["xdotool", "search", "--class", "trayer"], env=environment, capture_output=True, check=False, timeout=LIMIT
        )
        if found.stdout.strip():
            return
    raise AssertionError("the tray did not appear")


@pytest.fixture
def screen() -> Iterator[Screen]:
    server, display = _server()
    environment = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "PYTHONPATH": str(ROOT)}
    environment.pop("WAYLAND_DISPLAY", None)
    started = [server]
    try:
        started.append(_started(["openbox"], environment))
        tray = ["trayer", "--edge", "top", "--align", "right", "--widthtype", "request", "--height", "30"]
        started.append(_started(tray, environment))
        _wait_for_selection(environment)
        app = subprocess.Popen(
            [sys.executable, "-X", "utf8", "-c", APP], env=environment, stdout=subprocess.PIPE, text=True,
            encoding="utf-8", cwd=ROOT,
        )  # fmt: skip
        try:
            yield Screen(display, app)
        finally:
            app.kill()
            app.wait()
            if app.stdout is not None:
                app.stdout.close()
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def test_a_real_click_opens_the_window_and_the_menu_quits(screen: Screen) -> None:
    _, x, y = screen.line("icon").split()
    screen.act("mousemove", x, y, "click", 1)
    assert screen.line("window") == "window shown"
    # Closing the window leaves Hupo in the tray.
    screen.act("search", "--sync", "--onlyvisible", "--name", "^Hupo$", "windowactivate", "--sync")
    screen.act("key", "ctrl+w")
    assert screen.line("window") == "window hidden"
    assert screen.app.poll() is None
    screen.act("mousemove", x, y, "click", 3)
    assert screen.line("menu") == "menu shown"
    screen.act("key", "Up", "Return")
    assert screen.line("left") == "left 0"
    assert screen.app.wait(LIMIT) == 0
