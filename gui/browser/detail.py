"""One memory in full: text, why it came up, every field, its history, and what can be done with it.

Memory text is shown as plain text only. Asks nothing of the engine: memory, hit and history are handed in, and
wishes go out as signals.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from engine.types import HistoryEntry, Hit, Memory
from gui.browser import field_table, presentation
from gui.browser.detail_bar import DetailBar
from gui.look import Look
from gui.theme import SPACE_1, SPACE_2, SPACE_3, SPACE_4, SPACE_5, SPACE_6
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.labels import ElidedLabel, label
from gui.widgets.reading import Reading
from gui.widgets.scroll import PaneScroll
from gui.widgets.why_bar import WhyBar

# Lines of text stay readable: no wider than about eighty characters.
MOST_WIDE = 680


class DetailView(QWidget):
    """Shows one memory; ``bar`` carries its verbs."""

    tag_chosen = Signal(str)
    undo_chosen = Signal(int)  # history id

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._memory: Memory | None = None
        self._hit: Hit | None = None
        self._history: Sequence[HistoryEntry] = ()
        self.bar = DetailBar(look)
        self._build_parts()
        body = QWidget()
        body.setMaximumWidth(MOST_WIDE)
        column = QVBoxLayout(body)
        column.setContentsMargins(SPACE_5, SPACE_2, SPACE_5, SPACE_6)
        column.setSpacing(SPACE_2)
        for part in (self._title, self._when, self._text):
            column.addWidget(part)
        column.addWidget(self._tags)
        column.addWidget(self._why)
        column.addSpacing(SPACE_3)
        column.addWidget(self._fields_head)
        column.addWidget(self._fields)
        column.addSpacing(SPACE_3)
        column.addWidget(self._history_head)
        column.addWidget(self._changes)
        column.addStretch(1)
        self._scroll = PaneScroll(body)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.bar)
        outer.addWidget(self._scroll, 1)
        look.changed.connect(self._fill)

    @property
    def memory(self) -> Memory | None:
        """What is shown."""
        return self._memory

    @property
    def text(self) -> Reading:
        """The memory's own text."""
        return self._text

    def show_memory(self, memory: Memory, hit: Hit | None) -> None:
        """Show ``memory``; ``hit`` says how a search found it."""
        another = self._memory is None or self._memory.id != memory.id
        if memory == self._memory and hit == self._hit:
            return
        self._memory, self._hit = memory, hit
        self._fill()
        if another:
            self._scroll.verticalScrollBar().setValue(0)

    def show_history(self, entries: Sequence[HistoryEntry]) -> None:
        """Show the changes of a memory, newest first. They may come before the memory itself does."""
        self._history = entries
        self._fill_history()

    def _build_parts(self) -> None:
        self._title = label("title", wrap=True)
        self._title.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._when = label("caption", wrap=True)
        self._text = Reading(self._look)
        self._tags = QWidget()
        self._tag_flow = FlowLayout(self._tags, SPACE_1)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self._tags.setSizePolicy(policy)
        self._why = QFrame()
        self._why.setProperty("role", "panel")
        self._why_head = label("section")
        self._why_bar = WhyBar(self._look)
        self._why_text = label("muted", wrap=True)
        column = QVBoxLayout(self._why)
        column.setContentsMargins(SPACE_4, SPACE_3, SPACE_4, SPACE_3)
        column.setSpacing(SPACE_2)
        for part in (self._why_head, self._why_bar, self._why_text):
            column.addWidget(part)
        self._fields_head, self._history_head = label("section"), label("section")
        self._fields = QWidget()
        self._grid = QGridLayout(self._fields)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE_4)
        self._grid.setVerticalSpacing(SPACE_1 + 2)
        self._grid.setColumnStretch(1, 1)
        self._changes = QWidget()
        self._changes_column = QVBoxLayout(self._changes)
        self._changes_column.setContentsMargins(0, 0, 0, 0)
        self._changes_column.setSpacing(SPACE_2)

    def _fill(self) -> None:
        memory, texts = self._memory, self._look.texts
        if memory is None:
            return
        self.bar.show_memory(memory)
        title = memory.title.strip()
        self._title.setText(title)
        self._title.setVisible(bool(title))
        when = self._look.moment(memory.occurred_at)
        client = memory.source_client
        self._when.setText(texts("detail.when_client", when=when, client=client) if client else when)
        terms = self._hit.explanation.matched_terms if self._hit is not None and self._hit.explanation else ()
        self._text.setAccessibleName(texts("field.content"))
        self._text.show_text(memory.content, presentation.matches(memory.content, terms))
        self._fill_tags(memory)
        self._fill_why()
        self._fields_head.setText(texts("detail.fields"))
        self._fill_fields(memory)
        self._fill_history()

    def _fill_tags(self, memory: Memory) -> None:
        self._tag_flow.clear()
        for tag in memory.tags:
            chip = QPushButton(f"#{tag}".replace("&", "&&"))
            chip.setProperty("role", "chip")
            chip.setAccessibleName(self._look.texts("detail.filter_by_tag", tag=tag))
            chip.clicked.connect(lambda _=False, tag=tag: self.tag_chosen.emit(tag))
            self._tag_flow.addWidget(chip)
        self._tags.setVisible(bool(memory.tags))

    def _fill_why(self) -> None:
        hit, texts = self._hit, self._look.texts
        self._why.setVisible(hit is not None and hit.explanation is not None)
        if hit is None or hit.explanation is None:
            return
        lines = presentation.why_lines(hit, texts)
        self._why_head.setText(texts("why.title"))
        self._why_bar.show_shares(presentation.shares(hit), ", ".join(lines))
        ranks = [texts(f"why.rank.{channel.name}", n=channel.rank) for channel in hit.explanation.channels]
        words = [term for term in hit.explanation.matched_terms if len(term) > 1][:12]
        said = ["   ".join(lines), " · ".join(ranks)]
        if words:
            said.append(texts("why.words", words=", ".join(words)))
        self._why_text.setText("\n".join(line for line in said if line))

    def _fill_fields(self, memory: Memory) -> None:
        _empty(self._grid)
        for row, (name, value) in enumerate(field_table.rows(memory, self._look)):
            shown = _value(value)
            self._grid.addWidget(label("muted", name), row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(shown, row, 1)

    def _fill_history(self) -> None:
        _empty(self._changes_column)
        texts = self._look.texts
        self._history_head.setText(texts("detail.history"))
        memory = self._memory
        entries = [entry for entry in self._history if memory is not None and entry.memory_id == memory.id]
        self._history_head.setVisible(bool(entries))
        for entry in entries:
            what, when = field_table.history_line(entry, self._look)
            line = QWidget()
            row = QHBoxLayout(line)
            row.setContentsMargins(0, 0, 0, 0)
            words = QVBoxLayout()
            words.setSpacing(0)
            first, second = label("", what, wrap=True), ElidedLabel("caption")
            second.setText(when)
            words.addWidget(first)
            words.addWidget(second)
            row.addLayout(words, 1)
            if not entry.undone and entry.action not in ("created", "reinforced", "erased"):
                undo = QPushButton(texts("detail.undo"))
                undo.setProperty("role", "link")
                undo.setAccessibleName(texts("detail.undo_this", what=what))
                undo.clicked.connect(lambda _=False, entry=entry: self.undo_chosen.emit(entry.id))
                row.addWidget(undo, 0, Qt.AlignmentFlag.AlignTop)
            self._changes_column.addWidget(line)


def _value(text: str) -> QLabel:
    shown = label("", text if len(text) <= 2_000 else text[:2_000] + "…", wrap=True)
    shown.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return shown


def _empty(layout: QGridLayout | QVBoxLayout) -> None:
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
