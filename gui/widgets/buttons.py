"""Buttons that take their words and pictures from the look, and keep them right when it changes."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QStyle, QStyleOptionButton, QToolButton, QWidget

from gui.look import Look


class IconButton(QToolButton):
    """A picture to press; its word is in the tool tip and in the accessible name."""

    def __init__(self, look: Look, role: str, key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._role, self._key, self._ink = look, role, key, "text"
        self.setProperty("role", "quiet")
        look.wear(self.dress)

    def become(self, role: str, key: str, ink: str = "text") -> None:
        """Show another picture and word."""
        self._role, self._key, self._ink = role, key, ink
        self.dress()

    def dress(self) -> None:
        text = self._look.texts(self._key)
        self.setIcon(self._look.icon(self._role, self._ink))
        shortcut = self.shortcut().toString()
        self.setToolTip(f"{text} ({shortcut})" if shortcut else text)
        self.setAccessibleName(text)


class TextButton(QPushButton):
    """A word to press. ``kind``: "", "primary", "danger", "quiet" or "link"; ``role``: a picture beside the word."""

    def __init__(self, look: Look, key: str, *, kind: str = "", role: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._role, self._key, self._kind = look, role, key, kind
        if kind:
            self.setProperty("role", kind)
        look.wear(self.dress)

    def become(self, key: str) -> None:
        """Show another word."""
        self._key = key
        self.dress()

    def dress(self) -> None:
        self.setText(self._look.texts(self._key))
        if self._role:
            ink = {"primary": "on_accent", "danger": "danger", "link": "accent"}.get(self._kind, "text")
            self.setIcon(self._look.icon(self._role, ink))


class LinkLine(QPushButton):
    """A line of text to press that ends in "…" where it does not fit; a screen reader says all of it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self.setProperty("role", "line")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    @property
    def whole(self) -> str:
        """The text without any cut."""
        return self._text

    def say(self, text: str, purpose: str) -> None:
        """Show ``text`` (one line of plain text); ``purpose`` says what pressing does."""
        self._text = text
        self.setAccessibleName(text)
        self.setAccessibleDescription(purpose)
        self.updateGeometry()
        self._cut()

    def sizeHint(self) -> QSize:
        text, frame = self.fontMetrics().horizontalAdvance(self._text), self._frame()
        return QSize(text + frame + 2, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(48, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._cut()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._cut()

    def _frame(self) -> int:
        """Pixels left and right of the text."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.rect = QRect(0, 0, 1_000, 100)
        return 1_000 - self.style().subElementRect(QStyle.SubElement.SE_PushButtonContents, option, self).width()

    def _cut(self) -> None:
        room = max(0, self.width() - self._frame())
        shown = self.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, room).replace("&", "&&")
        if shown != self.text():
            self.setText(shown)
        self.setToolTip(escape(self._text) if shown.replace("&&", "&") != self._text else "")
