"""The Memories page: search, filters, list and pane, put together and wired to the loader and the verbs.

The trash is the same page over another place. Must not read or write by itself: ``loader.py`` and ``actions.py`` do.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedLayout, QVBoxLayout, QWidget

from engine.types import Recollection
from gui.browser.filter_bar import FilterBar
from gui.browser.found_bar import FoundBar
from gui.browser.list_view import MemoryList
from gui.browser.model import MemoryModel
from gui.browser.pane import Pane
from gui.browser.state import BrowserState, Place
from gui.look import Look
from gui.theme import SPACE_2, SPACE_3, SPACE_4, SPACE_5
from gui.widgets.buttons import TextButton
from gui.widgets.empty_state import EmptyState
from gui.widgets.labels import label
from gui.widgets.search_field import SearchField

# Below this width there is room for the list or for the pane, not for both.
BOTH_FROM = 720
LIST_LEAST, PANE_LEAST = 300, 320


class MemoriesView(QWidget):
    """The page's widgets and how they share the room; ``page.py`` gives them life."""

    wanted = Signal(object)  # BrowserState

    def __init__(self, look: Look, model: MemoryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._look = look
        self.model = model
        self._state = BrowserState()
        self._total = 0
        self._pane_wanted = False
        self.heading, self.counted = label("display"), label("muted")
        self.new_button = TextButton(look, "memories.new", kind="primary", role="action.new")
        self.search = SearchField(look, "search.placeholder")
        self.filters = FilterBar(look)
        self.list = MemoryList(look, model)
        self.empty = EmptyState(look)
        self.found = FoundBar(look)
        self.pane = Pane(look)
        self._build()
        self.search.asked.connect(lambda text: self.wanted.emit(self._state.changed(text=text)))
        self.search.left.connect(self._into_list)
        self.filters.changed.connect(self.wanted)
        self.pane.turned.connect(self._share_room)
        look.wear(self._dress)

    @property
    def narrow(self) -> bool:
        """Whether list and pane take turns."""
        return self.width() < BOTH_FROM

    def show_state(self, state: BrowserState) -> None:
        """Show what is being asked for."""
        self._state = state
        if self.search.text() != state.text:
            self.search.say(state.text)
        self.filters.show_state(state)
        self.new_button.setVisible(state.place == "memories")
        self._dress()

    def show_count(self, total: int, answer: Recollection | None) -> None:
        """Show how many there are, or the empty page that fits."""
        self._total = total
        self.found.show_answer(answer if total else None)
        self._left.setCurrentWidget(self.list if total else self.empty)
        if not total:
            self._tell_empty()
        self.filters.setVisible(bool(total) or self._state.filtered or self._state.searching)
        self._share_room()
        self._dress()

    def open_pane(self, wanted: bool) -> None:
        """On a narrow page, turn to the pane or back to the list."""
        self._pane_wanted = wanted
        self._share_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(SPACE_3)
        head.addWidget(self.heading)
        head.addWidget(self.counted, 0, Qt.AlignmentFlag.AlignBottom)
        head.addStretch(1)
        head.addWidget(self.new_button)
        self._left_box = QWidget()
        self._left_box.setMinimumWidth(LIST_LEAST)
        left = self._left_margin = QVBoxLayout(self._left_box)
        left.setSpacing(SPACE_3)
        self._left = QStackedLayout()
        self._left.addWidget(self.list)
        self._left.addWidget(self.empty)
        left.addLayout(head)
        left.addWidget(self.search)
        left.addWidget(self.filters)
        left.addLayout(self._left, 1)
        left.addWidget(self.found)
        self.pane.setMinimumWidth(PANE_LEAST)
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setHandleWidth(4)
        self._splitter.addWidget(self._left_box)
        self._splitter.addWidget(self.pane)
        self._splitter.setStretchFactor(0, 5)
        self._splitter.setStretchFactor(1, 4)
        self._splitter.setSizes([560, 440])
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._splitter)

    def _share_room(self) -> None:
        narrow = self.narrow
        # With nothing to choose from, an empty pane beside an empty list would say the same twice.
        idle = self.pane.shown is self.pane.empty and not self._total
        self.pane.setVisible(self._pane_wanted if narrow else not idle)
        self._left_box.setVisible(not narrow or not self._pane_wanted)
        self._left_margin.setContentsMargins(SPACE_5, SPACE_4, SPACE_5 if self.pane.isHidden() else SPACE_2, SPACE_2)
        self.pane.detail.bar.back_button.setVisible(narrow)

    def _into_list(self) -> None:
        self.list.setFocus()
        if self.model.rowCount() and not self.list.chosen_ids():
            self.list.setCurrentIndex(self.model.index(0))

    def _tell_empty(self) -> None:
        place: Place = self._state.place
        if self._state.searching:
            self.empty.tell("empty.search", "empty.search", self.search.clear_now)
        elif self._state.filtered:
            self.empty.tell("empty.search", "empty.filters", lambda: self.wanted.emit(self._state.without_filters()))
        elif place == "trash":
            self.empty.tell("empty.trash", "empty.trash")
        else:
            self.empty.tell("empty.memories", "empty.memories", self.new_button.click)

    def _dress(self) -> None:
        texts, state = self._look.texts, self._state
        self.heading.setText(texts(f"place.{state.place}"))
        counted = bool(self._total) and not state.searching
        self.counted.setText(texts("memories.count", n=self._total) if counted else "")
        self.counted.setContentsMargins(0, 0, 0, 4)
        self.list.setAccessibleName(texts(f"place.{state.place}"))
