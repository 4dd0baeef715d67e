"""A thin bar that shows what brought a hit here, a stretch for each share; drawn in rows and as a widget.

The same shares stand in words beside it or in its tool tip, so colour is never the only sign.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.look import Look
from gui.theme import Palette, blend

GAP = 2


def ink(part: str, colours: Palette) -> str:
    """The colour of a share: words, meaning, connections, or what else counted."""
    known = {"lexical": colours.info, "vector": colours.accent, "graph": colours.ok}
    return known.get(part, blend(colours.muted, colours.surface, 0.55))


def draw_shares(painter: QPainter, area: QRectF, shares: Sequence[tuple[str, float]], colours: Palette) -> None:
    """Draw the stretches of ``shares`` (part, 0..1) over ``area``."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    outline = QPainterPath()
    outline.addRoundedRect(area, area.height() / 2, area.height() / 2)
    painter.setClipPath(outline)
    painter.fillRect(area, QColor(colours.border))
    left = area.left()
    for number, (part, share) in enumerate(shares):
        width = area.width() * share
        last = number == len(shares) - 1
        painter.fillRect(
            QRectF(left, area.top(), width - (0 if last else GAP), area.height()), QColor(ink(part, colours))
        )
        if not last:
            painter.fillRect(QRectF(left + width - GAP, area.top(), GAP, area.height()), QColor(colours.surface))
        left += width
    painter.restore()


class WhyBar(QWidget):
    """The bar by itself, as wide as there is room."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._shares: Sequence[tuple[str, float]] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent, False)
        look.changed.connect(self.update)

    def show_shares(self, shares: Sequence[tuple[str, float]], spoken: str) -> None:
        """Draw ``shares``; ``spoken`` says the same to a screen reader."""
        self._shares = shares
        self.setAccessibleName(spoken)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(160, 8)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        draw_shares(painter, QRectF(self.rect()), self._shares, self._look.colours)
        painter.end()
