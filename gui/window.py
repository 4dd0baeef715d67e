"""The one main window: rail, page, toast. Closing it leaves Hupo in the tray where there is one.

Must not read or write memories; pages do. Only pages that exist are shown.
"""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QByteArray, QSettings, QSize, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QVBoxLayout, QWidget

from engine import Service
from engine.config import Settings
from engine.errors import HupoError
from gui import messages
from gui.bridge import Bridge, Courier
from gui.browser.actions import undo_one
from gui.browser.page import MemoriesPage
from gui.browser.state import Place
from gui.health import Health
from gui.look import Look
from gui.operations import Commands, Done
from gui.ports import Ports
from gui.rail import Rail
from gui.theme import SPACE_3, SPACE_5
from gui.widgets.buttons import TextButton
from gui.widgets.labels import label
from gui.widgets.toast import Toast

LEAST = QSize(720, 480)
USUAL = QSize(1180, 760)
WORDS_FROM = 900


class Notice(QWidget):
    """A line above the page that stays until it is dismissed."""

    def __init__(self, look: Look, key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._key = look, key
        self.text = label("notice", wrap=True)
        dismiss = TextButton(look, "notice.dismiss", kind="quiet")
        dismiss.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE_5, SPACE_3, SPACE_3, 0)
        row.addWidget(self.text, 1)
        row.addWidget(dismiss)
        look.wear(self._dress)

    def _dress(self) -> None:
        self.text.setText(self._look.texts(self._key))


class MainWindow(QMainWindow):
    """``closed`` when a person closes it (it may have gone to the tray)."""

    closed = Signal()

    def __init__(
        self, service: Service, settings: Settings, ports: Ports, look: Look, courier: Courier, bridge: Bridge,
        health: Health,
    ) -> None:  # fmt: skip
        super().__init__()
        self.setObjectName("hupo")
        self._settings, self._ports, self._look, self._health = settings, ports, look, health
        self._remembered = QSettings(str(ports.data_directory / "window.ini"), QSettings.Format.IniFormat)
        self.commands = Commands(courier, undo_one(service), self)
        self.rail = Rail(look)
        body = QWidget()
        body.setObjectName("page")
        self.page = MemoriesPage(service, courier, look, self.commands, body)
        self._column = QVBoxLayout(body)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self.page.view, 1)
        middle = QWidget()
        row = QHBoxLayout(middle)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.rail)
        row.addWidget(body, 1)
        self.setCentralWidget(middle)
        self.toast = Toast(look, middle)
        self.setMinimumSize(LEAST)
        self.resize(USUAL)
        self._connect(bridge)
        self._add_shortcuts()
        look.wear(self._dress)
        self._remember_place()
        self.open_place("memories")
        self.page.view.search.setFocus()

    def open_place(self, place: str) -> None:
        """Show the memories or the trash."""
        self.page.open(cast(Place, place))
        self.rail.show_place(place)

    def come_forward(self) -> None:
        """Show the window above the others, wherever it was."""
        if self.isMinimized():
            self.showNormal()
        self.show()
        self.raise_()
        self.activateWindow()

    def say_no_tray(self) -> None:
        """Tell that closing the window ends Hupo here."""
        self._column.insertWidget(0, Notice(self._look, "notice.no_tray"))

    def say_failed(self, error: object) -> None:
        """Tell of an error; a bug is also reported."""
        if not isinstance(error, BaseException):
            return
        if not isinstance(error, HupoError):
            self._ports.report(error)
        message = messages.describe(error, self._look.texts)
        self.toast.say(
            f"{message.title}{self._look.texts('error.stop')}{message.line}" if message.line else message.title
        )

    def choose_setting(self, key: str, value: object) -> bool:
        """Set a parameter; what can not be saved is said, and answered with False."""
        try:
            self._settings.set(key, value)
        except HupoError as error:
            self.say_failed(error)
            return False
        return True

    def pause(self, paused: bool) -> None:
        """Pause or resume remembering."""
        if self.choose_setting("memory.paused", paused):
            self.toast.say(self._look.texts("toast.paused" if paused else "toast.resumed"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.rail.show_words(self.width() >= WORDS_FROM)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.page.view.pane.may_leave():
            event.ignore()
            return
        self._remembered.setValue("geometry", self.saveGeometry())
        self._remembered.sync()
        event.accept()
        self.closed.emit()

    def _connect(self, bridge: Bridge) -> None:
        bridge.changes.connect(self.page.store_changed)
        self.page.failed.connect(self.say_failed)
        self.page.copied.connect(lambda: self.toast.say(self._look.texts("toast.copied")))
        self.commands.done.connect(self._say_done)
        self.commands.failed.connect(self.say_failed)
        self._health.changed.connect(self.rail.show_condition)
        self._health.failed.connect(self.say_failed)
        self.rail.place_chosen.connect(self.open_place)
        self.rail.pause_wished.connect(self.pause)
        self.rail.setting_chosen.connect(self.choose_setting)

    def _add_shortcuts(self) -> None:
        for keys, act in (
            ("Ctrl+Z", self.commands.undo),
            ("Ctrl+Shift+Z", self.commands.redo),
            ("Ctrl+Y", self.commands.redo),
            ("Ctrl+N", self.page.new_memory),
            ("Ctrl+1", lambda: self.open_place("memories")),
            ("Ctrl+2", lambda: self.open_place("trash")),
            ("Ctrl+W", self.close),
        ):
            QShortcut(QKeySequence(keys), self, act)

    def _say_done(self, done: Done) -> None:
        texts = self._look.texts
        undo = self.commands.undo if done.can_undo else None
        self.toast.say(texts(done.key, **done.values), texts("toast.undo"), undo)

    def _remember_place(self) -> None:
        geometry = self._remembered.value("geometry")
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)

    def _dress(self) -> None:
        self.setWindowTitle(self._look.texts("app.name"))
        self.setWindowIcon(self._look.icons.app())
