"""What an empty page says: a picture, what is (not) here, and the next step."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from gui.look import Look
from gui.theme import SPACE_2, SPACE_4, SPACE_5
from gui.widgets.labels import label

PICTURE = 48
MOST_WIDE = 420


class EmptyState(QWidget):
    """Centred picture, title, sentence and at most one button."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._role, self._key, self._act = "empty.memories", "", None
        self._picture = label()
        self._picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._title = label("title", wrap=True)
        self._text = label("muted", wrap=True)
        for part in (self._title, self._text):
            part.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._button = QPushButton()
        self._button.setProperty("role", "primary")
        self._button.clicked.connect(self._pressed)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_5, SPACE_5, SPACE_5, SPACE_5)
        column.setSpacing(SPACE_2)
        column.addStretch(2)
        column.addWidget(self._picture)
        column.addSpacing(SPACE_2)
        column.addWidget(self._title, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self._text, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(SPACE_4)
        column.addWidget(self._button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)
        look.changed.connect(self._dress)

    @property
    def key(self) -> str:
        """Which emptiness is told."""
        return self._key

    def tell(self, role: str, key: str, act: Callable[[], None] | None = None) -> None:
        """Show picture ``role`` and the texts ``<key>.title``, ``<key>.text`` and, with ``act``, ``<key>.action``."""
        self._role, self._key, self._act = role, key, act  # type: ignore[assignment]
        self._dress()

    def _dress(self) -> None:
        if not self._key:
            return
        texts = self._look.texts
        self._picture.setPixmap(self._look.pixmap(self._role, "accent", PICTURE, self.devicePixelRatioF()))
        self._title.setText(texts(f"{self._key}.title"))
        self._text.setText(texts(f"{self._key}.text"))
        self._fit()
        self._button.setVisible(self._act is not None)
        if self._act is not None:
            self._button.setText(texts(f"{self._key}.action"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        width = min(MOST_WIDE, max(160, self.width() - 2 * SPACE_5))
        for part in (self._title, self._text):
            part.setFixedSize(width, max(0, part.heightForWidth(width)))

    def _pressed(self) -> None:
        if self._act is not None:
            self._act()
