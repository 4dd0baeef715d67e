"""The event loop's beginning and end: quitting, signals, bugs, and a start that failed."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import Any

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QDialog, QPushButton

from engine import Service, Settings
from engine.errors import StoreLocked
from gui import application
from gui.application import BugWatch, Desktop, report
from gui.browser.dialogs import UnsavedDialog

LIMIT_MS = 20_000


@pytest.fixture(autouse=True)
def _not_for_ever(qapp: QApplication) -> Any:
    """A loop that should have ended is ended, and the test that hangs fails on what it expects."""
    timer = QTimer(singleShot=True, interval=LIMIT_MS)
    timer.timeout.connect(lambda: qapp.exit(99))
    timer.start()
    yield
    timer.stop()


def _soon(call: Any) -> None:
    QTimer.singleShot(0, call)


def test_the_event_quit_ends_the_loop(service: Service, settings: Settings, ports: Any, qapp: QApplication) -> None:
    _soon(lambda: threading.Thread(target=ports.publish, args=("quit",)).start())
    assert application.run(service, settings, ports, show_window=False) == 0
    # The service is still the caller's.
    assert service.status().result(10).schema >= 1
    assert ports._listeners == []


def test_being_told_to_quit_is_not_stopped_by_unsaved_text(
    service: Service, settings: Settings, ports: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(UnsavedDialog, "exec", lambda self: pytest.fail("nobody is there to answer"))

    def write_and_quit() -> None:
        window = next(one for one in QApplication.topLevelWidgets() if one.isVisible() and one.objectName() == "hupo")
        window.page.new_memory()
        window.page.view.pane.editor.content.setPlainText("unsaved")
        ports.publish("quit")

    _soon(write_and_quit)
    assert application.run(service, settings, ports, show_window=True) == 0
    assert ports.reported == []


def test_closing_the_only_window_ends_hupo_where_there_is_no_tray(
    service: Service, settings: Settings, ports: Any
) -> None:
    def close() -> None:
        next(one for one in QApplication.topLevelWidgets() if one.isVisible() and one.objectName() == "hupo").close()

    _soon(close)
    assert application.run(service, settings, ports, show_window=True) == 0


def test_a_signal_is_heard_while_qt_waits(service: Service, settings: Settings, ports: Any) -> None:
    before = signal.signal(signal.SIGTERM, lambda number, frame: ports.publish("quit"))
    killer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM))
    _soon(killer.start)
    try:
        assert application.run(service, settings, ports, show_window=False) == 0
    finally:
        killer.cancel()
        signal.signal(signal.SIGTERM, before)
    assert signal.set_wakeup_fd(-1) == -1


def test_a_bug_is_reported_and_shown_without_its_words(desktop: Desktop, ports: Any, until: Any) -> None:
    watch = BugWatch(desktop.look, ports, desktop.courier)
    hook = sys.excepthook
    watch.install()
    try:
        try:
            raise ValueError("text of a memory")
        except ValueError as error:
            sys.excepthook(type(error), error, error.__traceback__)
            sys.excepthook(type(error), error, error.__traceback__)
        until(lambda: watch.window is not None and watch.window.isVisible())
        assert len(ports.reported) == 2
        shown = watch.window.report.toPlainText()
        assert "ValueError" in shown and "test_application.py" in shown and "text of a memory" not in shown
        watch.window.findChildren(QPushButton)[0].click()
        assert QApplication.clipboard().text() == shown
        watch.window.accept()
        until(lambda: watch.window is None)
    finally:
        watch.remove()
    assert sys.excepthook is hook


def test_a_bug_in_a_thread_is_shown_too(desktop: Desktop, ports: Any, until: Any) -> None:
    watch = BugWatch(desktop.look, ports, desktop.courier)
    watch.install()
    try:
        thread = threading.Thread(target=lambda: 1 / 0)
        thread.start()
        thread.join()
        until(lambda: watch.window is not None)
        watch.window.accept()
        until(lambda: watch.window is None)
    finally:
        watch.remove()


def test_the_report_names_places_only() -> None:
    try:
        raise RuntimeError("secret")
    except RuntimeError as error:
        text = report(error, error.__traceback__, "1.2.3")
    assert "1.2.3" in text and "RuntimeError" in text and "secret" not in text
    assert "test_the_report_names_places_only" in text and os.getcwd() not in text


def test_a_failed_start_is_told_and_ends_with_one(settings: Settings, qapp: QApplication) -> None:
    seen: list[str] = []

    def read() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, QDialog)
        from PySide6.QtWidgets import QLabel

        seen.extend(one.text() for one in dialog.findChildren(QLabel))
        dialog.findChild(QPushButton).click()

    _soon(read)
    assert application.show_trouble(StoreLocked(path="/data/hupo", pid=7), settings, "0.1.0") == 1
    assert seen[0] == "Hupo is already running" and "/data/hupo" in seen[1]
