"""Labels that show plain text only, in the roles of the style sheet; one of them elides what does not fit."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


def label(role: str = "", text: str = "", *, wrap: bool = False, parent: QWidget | None = None) -> QLabel:
    """A plain-text label. ``role``: "display", "title", "lead", "strong", "muted", "caption", "section", …"""
    result = WrappedLabel(text, parent) if wrap else QLabel(text, parent)
    result.setTextFormat(Qt.TextFormat.PlainText)
    result.setWordWrap(wrap)
    if role:
        result.setProperty("role", role)
    if wrap:
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        result.setSizePolicy(policy)
    return result


class WrappedLabel(QLabel):
    """Breaks its text where it must. QLabel asks for the height of the narrowest column instead, which leaves holes."""

    def minimumSizeHint(self) -> QSize:
        return QSize(1, self.fontMetrics().height())


class ElidedLabel(QLabel):
    """One line that ends in "…" where it does not fit; the whole text is in its tool tip."""

    def __init__(self, role: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        if role:
            self.setProperty("role", role)

    def minimumSizeHint(self) -> QSize:
        return QSize(24, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), shown)
        painter.end()
        # A tool tip guesses markup; escaped text stays what it is.
        self.setToolTip(escape(self.text()) if shown != self.text() else "")
