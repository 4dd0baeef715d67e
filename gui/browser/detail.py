"""One memory in full: text, why it came up, its facts, every field, its history, and what can be done with it.

Memory text is shown as plain text only. Asks nothing of the engine: memory, hit, history and what lies around it are
handed in, and wishes go out as signals. The parts with more than a label have files of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from engine.types import HistoryEntry, Hit, Memory
from gui.browser import presentation
from gui.browser.around import Around
from gui.browser.detail_bar import DetailBar
from gui.browser.facts_view import FactsView
from gui.browser.fields_view import FieldsView
from gui.browser.history_view import HistoryView
from gui.browser.mentions_view import MentionsView
from gui.browser.succession import ReplacedPanel, ReplacesView, validity
from gui.look import Look
from gui.theme import SPACE_1, SPACE_2, SPACE_3, SPACE_4, SPACE_5, SPACE_6
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.labels import label
from gui.widgets.reading import Reading
from gui.widgets.scroll import PaneScroll
from gui.widgets.why_bar import WhyBar

# Lines of text stay readable: no wider than about eighty characters.
MOST_WIDE = 680


class DetailView(QWidget):
    """Shows one memory; ``bar`` carries its verbs."""

    tag_chosen = Signal(str)
    name_chosen = Signal(str)  # a person or a topic to search for
    opened = Signal(object)  # id of another memory
    brought_back = Signal(object)  # memory id
    undo_chosen = Signal(object)  # history id

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._memory: Memory | None = None
        self._hit: Hit | None = None
        self._around = Around(0)
        self._history: Sequence[HistoryEntry] = ()
        self.bar = DetailBar(look)
        self._build_parts()
        body = QWidget()
        body.setMaximumWidth(MOST_WIDE)
        column = QVBoxLayout(body)
        column.setContentsMargins(SPACE_5, SPACE_2, SPACE_5, SPACE_6)
        column.setSpacing(SPACE_2)
        for part in (self._title, self._when, self._held, self._replaced, self._text, self._tags, self._why):
            column.addWidget(part)
        column.addWidget(self._facts)
        for part in (self._replaces, self._mentions, self._fields_part, self._changes):
            column.addWidget(part)
            part.setContentsMargins(0, SPACE_3, 0, 0)
        column.addStretch(1)
        self._scroll = PaneScroll(body)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.bar)
        outer.addWidget(self._scroll, 1)
        self._connect()
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

    def show_around(self, around: Around) -> None:
        """Show what belongs to a memory; it may come before the memory itself does, and piece by piece."""
        if around != self._around:
            self._around = around
            self._fill_around()

    def show_history(self, entries: Sequence[HistoryEntry]) -> None:
        """Show the changes of a memory, newest first. They may come before the memory itself does."""
        self._history = entries
        self._fill_history()

    def _connect(self) -> None:
        self._mentions.chosen.connect(self.name_chosen)
        self._changes.undo_chosen.connect(self.undo_chosen)
        self._replaced.brought_back.connect(self._bring_back)
        for part in (self._replaced, self._replaces, self._fields):
            part.opened.connect(self.opened)

    def _bring_back(self) -> None:
        if self._memory is not None:
            self.brought_back.emit(self._memory.id)

    def _build_parts(self) -> None:
        self._title = label("title", wrap=True)
        self._title.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._when, self._held = label("caption", wrap=True), label("caption", wrap=True)
        self._replaced, self._replaces = ReplacedPanel(self._look), ReplacesView(self._look)
        self._facts, self._mentions = FactsView(self._look), MentionsView(self._look)
        self._fields, self._changes = FieldsView(self._look), HistoryView(self._look)
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
        self._fields_head, self._fields_part = label("section"), QWidget()
        column = QVBoxLayout(self._fields_part)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_2)
        column.addWidget(self._fields_head)
        column.addWidget(self._fields)

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
        self._held.setText(validity(memory, self._look))
        self._held.setVisible(bool(self._held.text()))
        terms = self._hit.explanation.matched_terms if self._hit is not None and self._hit.explanation else ()
        self._text.setAccessibleName(texts("field.content"))
        self._text.show_text(memory.content, presentation.matches(memory.content, terms))
        self._fill_tags(memory)
        self._fill_why()
        self._fields_head.setText(texts("detail.fields"))
        self._fill_around()
        self._fill_history()

    def _fill_around(self) -> None:
        memory = self._memory
        if memory is None:
            return
        around = self._around if self._around.memory_id == memory.id else Around(memory.id)
        self._replaced.show_memory(memory, around)
        self._replaces.show_memories(around.replaced)
        self._facts.show_facts(memory, around)
        self._mentions.show_names(memory, around)
        self._fields.show_fields(memory, around)
        self._order_tabs()

    def _fill_history(self) -> None:
        memory = self._memory
        self._changes.show_entries([one for one in self._history if memory is not None and one.memory_id == memory.id])
        self._order_tabs()

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

    def _order_tabs(self) -> None:
        """Tab goes down the pane: what is made anew would else come after everything else."""
        for before, behind in pairwise(self._stops()):
            QWidget.setTabOrder(before, behind)

    def _stops(self) -> Iterator[QWidget]:
        yield self.bar.more_button
        yield from _buttons(self._replaced)
        yield self._text
        for part in (self._tags, self._facts, self._replaces, self._mentions, self._fields, self._changes):
            yield from _buttons(part)


def _buttons(part: QWidget) -> list[QPushButton]:
    """The buttons of ``part`` as they stand: new ones may not show yet, those on their way out were hidden."""
    said = Qt.WidgetAttribute.WA_WState_ExplicitShowHide
    return [one for one in part.findChildren(QPushButton) if not (one.isHidden() and one.testAttribute(said))]
