"""A text to read and select, as tall as it needs to be up to a limit; plain text, never markup, never a link."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QResizeEvent, QTextBlockFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit, QWidget

from gui.look import Look
from gui.theme import BODY, LINE_HEIGHT

MOST_PIXELS = 4_000
# A "word" longer than this is data; looking for its boundaries takes Qt seconds.
_DATA = re.compile(r"\S{2000}")


class Reading(QTextEdit):
    """Read-only text at the design's line height. Texts beyond ``MOST_PIXELS`` scroll in themselves."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._marks: Sequence[tuple[int, int]] = ()
        self.setProperty("role", "reading")
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        look.changed.connect(self._mark)

    def show_text(self, text: str, marks: Sequence[tuple[int, int]] = ()) -> None:
        """Show ``text`` as it is; ``marks``: (start, length) of places to mark."""
        self._marks = marks
        self.setWordWrapMode(wrapping(text))
        self.setPlainText(text)
        spacing = QTextBlockFormat()
        # A fixed height, for the faces of the two scripts have very different ones of their own.
        spacing.setLineHeight(BODY * LINE_HEIGHT + 1.5, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.setBlockFormat(spacing)
        self._mark()
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        height = min(MOST_PIXELS, int(self.document().size().height()) + 4)
        if height != self.height():
            self.setFixedHeight(height)

    def _mark(self) -> None:
        selections = []
        for start, length in self._marks:
            place = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document())
            cursor.setPosition(start)
            cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
            place.cursor = cursor
            place.format.setBackground(QColor(self._look.colours.mark))
            place.format.setForeground(QColor(self._look.colours.text))
            selections.append(place)
        self.setExtraSelections(selections)


def wrapping(text: str) -> QTextOption.WrapMode:
    """Lines break between words; in data they break anywhere."""
    mode = QTextOption.WrapMode
    return mode.WrapAnywhere if text.isascii() and _DATA.search(text) else mode.WrapAtWordBoundaryOrAnywhere
