"""The icon in the tray: how Hupo is at a glance, and a menu for what needs no window.

Must not exist where the desktop has no tray (``application.py`` asks); does nothing by itself, it says what was wished.
"""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from gui.health import Condition
from gui.look import Look
from gui.rail import fill_choice, fill_clients


class Tray(QObject):
    """Icon, tool tip and menu. ``open_wished``, ``pause_wished``, ``setting_chosen`` and ``quit_wished``."""

    open_wished = Signal()
    pause_wished = Signal(bool)
    setting_chosen = Signal(str, str)
    quit_wished = Signal()

    def __init__(self, look: Look, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._condition = Condition()
        self.icon = QSystemTrayIcon(self)
        # A tray icon does not own its menu.
        self.menu = QMenu()
        self.clients_menu, self.language_menu = QMenu(self.menu), QMenu(self.menu)
        self.state_line = QAction(self.menu, enabled=False)
        self.open_entry = QAction(self.menu)
        self.pause_entry = QAction(self.menu, checkable=True)
        self.quit_entry = QAction(self.menu)
        self._build()
        self.icon.setContextMenu(self.menu)
        self.icon.activated.connect(self._activated)
        look.wear(self._dress)

    def show(self) -> None:
        """Appear in the tray."""
        self.icon.show()

    def hide(self) -> None:
        """Leave the tray."""
        self.icon.hide()

    def show_condition(self, condition: Condition) -> None:
        """Show how Hupo is."""
        self._condition = condition
        self._dress()

    def say(self, text: str) -> None:
        """A short message from the tray."""
        self.icon.showMessage(self._look.texts("app.name"), text, self._look.icons.app())

    def _build(self) -> None:
        menu = self.menu
        menu.addAction(self.open_entry)
        menu.addSeparator()
        menu.addAction(self.state_line)
        menu.addMenu(self.clients_menu)
        menu.addAction(self.pause_entry)
        menu.addSeparator()
        menu.addMenu(self.language_menu)
        menu.addSeparator()
        menu.addAction(self.quit_entry)
        self.open_entry.triggered.connect(self.open_wished)
        self.pause_entry.triggered.connect(self.pause_wished)
        self.quit_entry.triggered.connect(self.quit_wished)

    def _dress(self) -> None:
        texts, condition = self._look.texts, self._condition
        self.icon.setIcon(self._look.icons.tray(condition.state, template=sys.platform == "darwin"))
        sentence = condition.sentence(texts)
        self.icon.setToolTip(f"{texts('app.name')} · {sentence}")
        self.open_entry.setText(texts("tray.open"))
        self.state_line.setText(sentence.replace("&", "&&"))
        self.pause_entry.setText(texts("pause.entry"))
        self.pause_entry.setChecked(condition.paused)
        self.quit_entry.setText(texts("tray.quit"))
        self.clients_menu.setTitle(texts("clients.count", n=len(condition.clients)))
        self.clients_menu.clear()
        fill_clients(self.clients_menu, condition, self._look)
        self.language_menu.setTitle(texts("tray.language"))
        self.language_menu.clear()
        setting = self._look.language_setting
        fill_choice(self.language_menu, self._look, "interface.language", setting, self.setting_chosen.emit)

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        # On macOS a click opens the menu, as everything in that bar does.
        clicks = (QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick)
        if reason in clicks and sys.platform != "darwin":
            self.open_wished.emit()
