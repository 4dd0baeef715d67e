"""The table of a memory's fields: words on the left, values on the right, other memories as links to open."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from engine.types import Memory
from gui.browser import field_table
from gui.browser.around import MOST_LINKS, Around
from gui.browser.succession import link_text
from gui.look import Look
from gui.theme import SPACE_1, SPACE_4
from gui.widgets.buttons import LinkLine
from gui.widgets.labels import label
from gui.widgets.layouts import empty

# No value takes more room than this; the whole of it stays in the memory.
_MOST_CHARACTERS = 2_000


class FieldsView(QWidget):
    """``opened`` carries the id of a memory that was pressed."""

    opened = Signal(object)  # memory id

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE_4)
        self._grid.setVerticalSpacing(SPACE_1 + 2)
        self._grid.setColumnStretch(1, 1)
        self._shown: list[tuple[field_table.Row, list[str]]] = []

    def show_fields(self, memory: Memory, around: Around) -> None:
        """Show every field of ``memory`` that says something."""
        table = [(row, self._names(row, around)) for row in field_table.rows(memory, around, self._look)]
        # What stays is not made anew: that takes its time, and the keyboard's place in it.
        if table == self._shown:
            return
        self._shown = table
        empty(self._grid)
        for number, (row, names) in enumerate(table):
            shown = self._links(row.memories, names) if row.memories else _value(row.text)
            self._grid.addWidget(label("muted", row.name), number, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(shown, number, 1)

    def _names(self, row: field_table.Row, around: Around) -> list[str]:
        return [link_text(one, around.linked.get(one), self._look) for one in row.memories[:MOST_LINKS]]

    def _links(self, ids: tuple[int, ...], names: list[str]) -> QWidget:
        box = QWidget()
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_1)
        for memory_id, name in zip(ids, names, strict=False):
            column.addWidget(self._link(memory_id, name))
        left = len(ids) - MOST_LINKS
        if left > 0:
            column.addWidget(label("muted", self._look.texts("link.more", n=left)))
        return box

    def _link(self, memory_id: int, name: str) -> LinkLine:
        link = LinkLine()
        link.say(name, self._look.texts("link.open"))
        link.clicked.connect(lambda _=False: self.opened.emit(memory_id))
        return link


def _value(text: str) -> QLabel:
    shown = label("", text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS] + "…", wrap=True)
    shown.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return shown
