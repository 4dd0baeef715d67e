"""Puts the windows together over a service that is already open, runs the event loop, and takes them down again.

The service, the sessions and everything else that is not a window belong to the caller.
"""

from __future__ import annotations

import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable
from types import TracebackType

from PySide6.QtCore import QObject, QSocketNotifier, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QHBoxLayout, QPlainTextEdit, QSystemTrayIcon, QVBoxLayout

from engine import Service
from engine.config import Settings, Values
from engine.errors import HupoError
from gui import messages
from gui.bridge import Bridge, Courier
from gui.health import Health
from gui.look import Look
from gui.ports import Ports
from gui.theme import SPACE_3, SPACE_5
from gui.tray import Tray
from gui.widgets.buttons import TextButton
from gui.widgets.labels import label
from gui.window import MainWindow


class Desktop(QObject):
    """All that is on the screen: look, tray (where there is one), window. ``app.exec`` is left to :func:`run`."""

    def __init__(self, app: QApplication, service: Service, settings: Settings, ports: Ports) -> None:
        super().__init__(app)
        self._app, self._settings = app, settings
        self.look = Look(app)
        self._taken: tuple[str, str] = ("", "")
        self._take_settings(settings.current)
        self.courier = Courier(self)
        self.bridge = Bridge(self.courier, service, settings, ports, self)
        self.health = Health(service, settings, ports, self.courier, self.bridge, self)
        self.window = MainWindow(service, settings, ports, self.look, self.courier, self.bridge, self.health)
        self.tray = Tray(self.look, self) if QSystemTrayIcon.isSystemTrayAvailable() else None
        self._said_tray = False
        app.setQuitOnLastWindowClosed(self.tray is None)
        app.setWindowIcon(self.look.icons.app())
        self.bridge.settings.connect(self._take_settings)
        self.bridge.show.connect(self.window.come_forward)
        # exit, not quit: that would close windows first, and a window with unsaved text would ask and stay.
        self.bridge.quit.connect(lambda: app.exit(0))
        self.window.closed.connect(self._window_closed)
        if self.tray is not None:
            self._connect_tray(self.tray)
        else:
            self.window.say_no_tray()
        self.health.ask()

    def start(self, *, show_window: bool) -> None:
        """Appear: in the tray, and with the window when asked to or where there is no tray."""
        if self.tray is not None:
            self.tray.show()
        if show_window or self.tray is None:
            self.window.come_forward()

    def leave(self) -> None:
        """End the event loop unless there is unsaved text that a person wants to keep."""
        if not self.window.isVisible() or self.window.page.view.pane.may_leave():
            self._app.exit(0)

    def close(self) -> None:
        """Take everything off the screen; nothing is heard or carried afterwards."""
        self.bridge.close()
        self.courier.close()
        # Hiding the last window must not ask a loop to end that has ended already.
        self._app.setQuitOnLastWindowClosed(False)
        if self.tray is not None:
            self.tray.hide()
        self.window.hide()
        self.window.deleteLater()

    def _connect_tray(self, tray: Tray) -> None:
        self.health.changed.connect(tray.show_condition)
        tray.open_wished.connect(self.window.come_forward)
        tray.pause_wished.connect(self.window.pause)
        tray.setting_chosen.connect(self.window.choose_setting)
        tray.quit_wished.connect(self.leave)

    def _take_settings(self, values: Values) -> None:
        wanted = (str(values["interface.language"]), str(values["interface.theme"]))
        if wanted != self._taken:
            self._taken = wanted
            self.look.set(*wanted)

    def _window_closed(self) -> None:
        if self.tray is not None and not self._said_tray:
            self._said_tray = True
            self.tray.say(self.look.texts("tray.still_here"))


class BugWindow(QDialog):
    """Says that something went wrong inside, with a report that holds no memory text and can be copied."""

    def __init__(self, look: Look, report: str) -> None:
        super().__init__(None)
        texts = look.texts
        message = messages.of_code("internal", {"kind": ""}, texts)
        self.setWindowTitle(texts("app.name"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_5, SPACE_5, SPACE_5, SPACE_5)
        column.setSpacing(SPACE_3)
        column.addWidget(label("title", message.title))
        column.addWidget(label("", message.line, wrap=True))
        self.report = QPlainTextEdit(report)
        self.report.setReadOnly(True)
        self.report.setAccessibleName(texts("bug.report"))
        column.addWidget(self.report, 1)
        copy, close = TextButton(look, "bug.copy"), TextButton(look, "bug.close", kind="primary")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(report))
        close.clicked.connect(self.accept)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(copy)
        row.addWidget(close)
        column.addLayout(row)
        self.resize(560, 400)


class BugWatch:
    """The exception hook while windows are open: reports each bug, shows one window at a time."""

    def __init__(self, look: Look, ports: Ports, courier: Courier) -> None:
        self._look, self._ports, self._courier = look, ports, courier
        self._before = sys.excepthook, threading.excepthook
        self.window: BugWindow | None = None

    def install(self) -> None:
        """Take over the hooks."""
        sys.excepthook = self._caught
        threading.excepthook = self._caught_in_thread

    def remove(self) -> None:
        """Give the hooks back."""
        sys.excepthook, threading.excepthook = self._before

    def _caught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._courier.post(lambda: QApplication.exit(0))
            return
        self._ports.report(error)
        text = report(error, trace, self._ports.version)
        self._courier.post(lambda: self._show(text))

    def _caught_in_thread(self, caught: threading.ExceptHookArgs) -> None:
        if caught.exc_value is not None:
            self._caught(caught.exc_type, caught.exc_value, caught.exc_traceback)

    def _show(self, text: str) -> None:
        if self.window is None:
            self.window = BugWindow(self._look, text)
            self.window.finished.connect(self._closed)
            self.window.show()

    def _closed(self) -> None:
        self.window = None


def report(error: BaseException, trace: TracebackType | None, version: str) -> str:
    """Where it happened, without the error's own words: those may hold text of a memory."""
    lines = [f"Hupo {version} · Python {sys.version.split()[0]} · {sys.platform}", type(error).__name__]
    for frame in traceback.extract_tb(trace):
        lines.append(f"  {frame.filename.replace(chr(92), '/').rsplit('/', 2)[-1]}:{frame.lineno} {frame.name}")
    return "\n".join(lines)


def run(service: Service, settings: Settings, ports: Ports, *, show_window: bool) -> int:
    """Show Hupo until a person quits or the event "quit" comes; returns the exit code. Main thread only."""
    app = _application()
    desktop = Desktop(app, service, settings, ports)
    watch = BugWatch(desktop.look, ports, desktop.courier)
    watch.install()
    stop_listening = _hear_signals(app)
    try:
        desktop.start(show_window=show_window)
        return app.exec()
    finally:
        stop_listening()
        watch.remove()
        desktop.close()


def show_trouble(error: HupoError, settings: Settings | None, version: str) -> int:
    """Tell why Hupo could not start; returns 1 when that has been read."""
    app = _application()
    look = Look(app)
    values = settings.current if settings is not None else {}
    look.set(str(values.get("interface.language", "auto")), str(values.get("interface.theme", "auto")))
    message = messages.describe(error, look.texts)
    window = QDialog()
    window.setWindowTitle(f"{look.texts('app.name')} {version}")
    window.setWindowIcon(look.icons.app())
    column = QVBoxLayout(window)
    column.setContentsMargins(SPACE_5, SPACE_5, SPACE_5, SPACE_5)
    column.setSpacing(SPACE_3)
    for part in (label("title", message.title, wrap=True), label("", message.line, wrap=True)):
        part.setFixedWidth(420)
        column.addWidget(part)
    close = TextButton(look, "bug.close", kind="primary")
    close.clicked.connect(window.accept)
    column.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
    window.exec()
    return 1


def _application() -> QApplication:
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    app.setApplicationName("Hupo")
    app.setDesktopFileName("hupo")
    return app


def _hear_signals(parent: QObject) -> Callable[[], None]:
    """Let Python's signal handlers run while Qt waits: the interpreter only gets its turn when something wakes it."""
    heard, waker = socket.socketpair()
    heard.setblocking(False)
    waker.setblocking(False)
    before = signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
    notifier = QSocketNotifier(heard.fileno(), QSocketNotifier.Type.Read, parent)

    def woken() -> None:
        try:
            heard.recv(64)
        except BlockingIOError:
            return

    notifier.activated.connect(woken)

    def stop() -> None:
        notifier.setEnabled(False)
        signal.set_wakeup_fd(before)
        heard.close()
        waker.close()

    return stop
