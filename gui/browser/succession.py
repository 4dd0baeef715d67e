"""How a memory changed over time: what has replaced it, and what it has replaced. Must not fetch anything."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from engine.types import Memory
from gui.browser.around import Around
from gui.browser.presentation import name
from gui.look import Look
from gui.theme import SPACE_1, SPACE_2, SPACE_3, SPACE_4
from gui.widgets.buttons import LinkLine, TextButton
from gui.widgets.labels import label
from gui.widgets.layouts import empty


class ReplacedPanel(QFrame):
    """Over the text of a replaced memory: what holds instead, and a way to bring it back."""

    opened = Signal(object)  # memory id
    brought_back = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._newer: int | None = None
        self.setProperty("role", "panel")
        self._head = label("section")
        self.link = LinkLine()
        self.link.clicked.connect(lambda: self.opened.emit(self._newer))
        self._hint = label("caption", wrap=True)
        self.button = TextButton(look, "succession.bring_back", role="action.restore")
        self.button.clicked.connect(self.brought_back)
        words = QVBoxLayout()
        words.setSpacing(SPACE_1)
        for part in (self._head, self.link, self._hint):
            words.addWidget(part)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE_4, SPACE_3, SPACE_3, SPACE_3)
        row.setSpacing(SPACE_3)
        row.addLayout(words, 1)
        row.addWidget(self.button)

    def show_memory(self, memory: Memory, around: Around) -> None:
        """Show what has replaced ``memory``; hidden where it was not replaced."""
        texts = self._look.texts
        self.setVisible(memory.status == "superseded")
        self._newer = memory.superseded_by
        newer = around.linked.get(memory.superseded_by or 0)
        self.link.setVisible(memory.superseded_by is not None)
        self._head.setText(texts("succession.replaced_by"))
        self._hint.setText(texts("succession.hint"))
        if memory.superseded_by is not None:
            self.link.say(link_text(memory.superseded_by, newer, self._look), texts("succession.open_newer"))


class ReplacesView(QWidget):
    """Under the text of a memory: what it has replaced."""

    opened = Signal(object)  # memory id

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._head = label("section")
        self._lines = QVBoxLayout()
        self._lines.setSpacing(SPACE_2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_1)
        column.addWidget(self._head)
        column.addLayout(self._lines)

    def show_memories(self, replaced: Sequence[Memory]) -> None:
        """Show the memories ``replaced``, as far as they are replaced still."""
        empty(self._lines)
        past = [memory for memory in replaced if memory.status == "superseded"]
        self.setVisible(bool(past))
        self._head.setText(self._look.texts("succession.replaces"))
        for memory in past:
            self._lines.addWidget(self._line(memory))

    def _line(self, memory: Memory) -> QWidget:
        line = QWidget()
        link = LinkLine()
        link.say(link_text(memory.id, memory, self._look), self._look.texts("succession.open_older"))
        link.clicked.connect(lambda _=False: self.opened.emit(memory.id))
        column = QVBoxLayout(line)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(link)
        held = validity(memory, self._look)
        if held:
            column.addWidget(label("caption", held, wrap=True))
        return line


def validity(memory: Memory, look: Look) -> str:
    """From when to when a memory holds, as dates; empty where it does not say."""
    begin, end = memory.valid_from, memory.valid_to
    if begin is None and end is None:
        return ""
    key = "succession.held" if begin and end else "succession.since" if begin else "succession.until"
    values = {name: look.date(moment) for name, moment in (("begin", begin), ("end", end)) if moment is not None}
    if begin and end and values["begin"] == values["end"]:
        return look.texts("succession.on", begin=values["begin"])
    return look.texts(key, **values)


def link_text(memory_id: int, memory: Memory | None, look: Look) -> str:
    """The line that stands for a memory to open; its number until more is known of it."""
    return (name(memory) if memory is not None else "") or look.texts("link.unknown", id=str(memory_id))
