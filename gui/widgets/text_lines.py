"""Draws a few lines of plain text with marked places, the last line elided. For delegates; never renders markup."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QTextCharFormat, QTextLayout, QTextOption


def draw_lines(
    painter: QPainter,
    area: QRect,
    text: str,
    font: QFont,
    colour: QColor,
    line_height: int,
    most: int,
    marks: Sequence[tuple[int, int]] = (),
    mark_ground: QColor | None = None,
) -> None:
    """Draw ``text`` (one paragraph) into ``area`` in at most ``most`` lines of ``line_height`` pixels.

    ``marks``: (start, length) in characters, painted on ``mark_ground``.
    """
    painter.setPen(colour)
    painter.setFont(font)
    starts = line_starts(text, font, area.width(), most)
    metrics = QFontMetrics(font)
    for number, (start, length) in enumerate(starts):
        piece = text[start : start + length]
        if number == most - 1 and start + length < len(text):
            piece = metrics.elidedText(text[start:], Qt.TextElideMode.ElideRight, area.width())
        line = QTextLayout(piece, font)
        line.setTextOption(_no_wrap())
        line.setFormats(_formats(piece, start, marks, mark_ground))
        line.beginLayout()
        drawn = line.createLine()
        if drawn.isValid():
            drawn.setLineWidth(area.width() + 1)
        line.endLayout()
        top = area.top() + number * line_height + (line_height - metrics.height()) / 2
        line.draw(painter, QPointF(area.left(), top))


def count_lines(text: str, font: QFont, width: int, most: int) -> int:
    """How many lines :func:`draw_lines` would draw."""
    return len(line_starts(text, font, width, most))


def line_starts(text: str, font: QFont, width: int, most: int) -> list[tuple[int, int]]:
    """(start, length) of the first ``most`` lines of ``text`` at ``width`` pixels."""
    if not text or width <= 0:
        return []
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    found: list[tuple[int, int]] = []
    while len(found) < most:
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(width)
        found.append((line.textStart(), line.textLength()))
    layout.endLayout()
    return found


@cache
def _no_wrap() -> QTextOption:
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    return option


def _formats(
    piece: str, start: int, marks: Sequence[tuple[int, int]], ground: QColor | None
) -> list[QTextLayout.FormatRange]:
    if ground is None:
        return []
    found = []
    for at, length in marks:
        first, last = max(at - start, 0), min(at + length - start, len(piece))
        if first < last:
            span = QTextLayout.FormatRange()
            span.start, span.length = first, last - first
            style = QTextCharFormat()
            style.setBackground(ground)
            span.format = style
            found.append(span)
    return found
