"""One field to search with: waits for a pause in typing, clears with Escape, shows that it is at work."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from gui.look import Look

PAUSE_MS = 180


class SearchField(QLineEdit):
    """``asked`` carries the text after a pause, at once on Enter; ``left`` when Down goes on to the results."""

    asked = Signal(str)
    left = Signal()

    def __init__(self, look: Look, key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._key, self._busy = look, key, False
        self.setProperty("role", "search")
        self._sign = QAction(self)
        self.addAction(self._sign, QLineEdit.ActionPosition.LeadingPosition)
        self._clear = QAction(self)
        self._clear.triggered.connect(self.clear_now)
        self.addAction(self._clear, QLineEdit.ActionPosition.TrailingPosition)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._ask)
        self.textChanged.connect(self._typed)
        look.wear(self._dress)

    def set_busy(self, busy: bool) -> None:
        """Show that an answer is awaited."""
        self._busy = busy
        self._sign.setIcon(self._look.icon("action.search", "accent" if busy else "muted"))

    def say(self, text: str) -> None:
        """Show ``text`` without asking."""
        self.blockSignals(True)
        self.setText(text)
        self.blockSignals(False)
        self._pause.stop()
        self._clear.setVisible(bool(text))

    def clear_now(self) -> None:
        """Empty the field and ask at once."""
        self.clear()
        self._ask()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear_now()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._ask()
        elif event.key() == Qt.Key.Key_Down:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _typed(self) -> None:
        self._clear.setVisible(bool(self.text()))
        self._pause.start()

    def _ask(self) -> None:
        self._pause.stop()
        self.asked.emit(self.text())

    def _dress(self) -> None:
        self.set_busy(self._busy)
        self._clear.setIcon(self._look.icon("action.close", "muted"))
        self._clear.setVisible(bool(self.text()))
        self._clear.setToolTip(self._look.texts("search.clear"))
        self.setPlaceholderText(self._look.texts(self._key))
        self.setAccessibleName(self._look.texts(self._key))
