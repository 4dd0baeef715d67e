"""The changes of a memory, newest first, each with who and when and, where it can be, a way to take it back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from engine.types import HistoryEntry
from gui.browser.history_lines import Line, line
from gui.look import Look
from gui.theme import SPACE_1, SPACE_2
from gui.widgets.labels import ElidedLabel, label
from gui.widgets.layouts import empty


class HistoryView(QWidget):
    """``undo_chosen`` carries the history id. Hidden where nothing is known."""

    undo_chosen = Signal(object)  # history id

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._head = label("section")
        self._shown: list[tuple[int, Line]] = []
        self._lines = QVBoxLayout()
        self._lines.setSpacing(SPACE_2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_2)
        column.addWidget(self._head)
        column.addLayout(self._lines)

    def show_entries(self, entries: Sequence[HistoryEntry]) -> None:
        """Show these changes."""
        self._head.setText(self._look.texts("detail.history"))
        self.setVisible(bool(entries))
        said = [(entry.id, line(entry, self._look)) for entry in entries]
        # What stays is not made anew.
        if said == self._shown:
            return
        self._shown = said
        empty(self._lines)
        for history_id, one in said:
            self._lines.addWidget(self._line(history_id, one))

    def _line(self, history_id: int, said: Line) -> QWidget:
        texts = self._look.texts
        words = QVBoxLayout()
        words.setSpacing(0)
        when = ElidedLabel("caption")
        when.setText(said.when)
        words.addWidget(label("", said.what, wrap=True))
        words.addWidget(when)
        if said.told:
            told = label("quote", said.told, wrap=True)
            told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            words.addSpacing(SPACE_1)
            words.addWidget(told)
        result = QWidget()
        row = QHBoxLayout(result)
        row.setContentsMargins(0, 0, 0, 0)
        row.addLayout(words, 1)
        if said.can_undo:
            undo = QPushButton(texts("detail.undo"))
            undo.setProperty("role", "link")
            undo.setAccessibleName(texts("detail.undo_this", what=said.what))
            undo.clicked.connect(lambda _=False: self.undo_chosen.emit(history_id))
            row.addWidget(undo, 0, Qt.AlignmentFlag.AlignTop)
        return result
