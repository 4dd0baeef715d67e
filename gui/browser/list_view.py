"""The list itself: a hundred thousand rows of the same height, several of which may be chosen.

A table of one column, for QListView and QTreeView ask the model for every row before they show one. Keeps what a
person looks at (choice, place) while rows come and go. Must not fetch anything.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

from gui.browser.card import ROW_HEIGHT, CardDelegate
from gui.browser.model import IdRole, MemoryModel
from gui.look import Look


class MemoryList(QTableView):
    """Emits ``chosen`` when the choice changed and ``opened`` when Enter or a double click asks for more."""

    chosen = Signal()
    opened = Signal()

    def __init__(self, look: Look, model: MemoryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._rows = model
        self._settling = False
        self.setModel(model)
        self.setItemDelegate(CardDelegate(look, self))
        self.horizontalHeader().hide()
        self.horizontalHeader().setStretchLastSection(True)
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(ROW_HEIGHT)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.setTabKeyNavigation(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.verticalScrollBar().setSingleStep(ROW_HEIGHT // 3)
        self.selectionModel().selectionChanged.connect(self._selection_changed)
        self.activated.connect(lambda _: self.opened.emit())
        look.changed.connect(self.viewport().update)

    def chosen_ids(self) -> list[int]:
        """The ids of the chosen rows, in the order of the list."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [self._rows.ids[row] for row in rows]

    def choose(self, ids: Sequence[int], *, scroll: bool = True) -> None:
        """Choose these rows as far as they are listed; the first becomes the current one."""
        selection = QItemSelection()
        first = QModelIndex()
        for memory_id in ids:
            row = self._rows.row_of(memory_id)
            if row >= 0:
                index = self._rows.index(row)
                selection.select(index, index)
                first = first if first.isValid() else index
        flags = QItemSelectionModel.SelectionFlag
        if first.isValid():
            self.selectionModel().setCurrentIndex(first, flags.NoUpdate)
        self.selectionModel().select(selection, flags.ClearAndSelect)
        if scroll and first.isValid():
            self.scrollTo(first)

    def top_id(self) -> tuple[int, int] | None:
        """(id, pixels) of the first row in sight and how far it is scrolled out; None for an empty list."""
        index = self.indexAt(QPoint(0, 0))
        if not index.isValid():
            return None
        return int(index.data(IdRole)), -self.visualRect(index).top()

    def show_ids(self, ids: Sequence[int]) -> None:
        """List ``ids``, keeping choice and place: what was in sight stays where it was."""
        kept, top, at_top = self.chosen_ids(), self.top_id(), self.verticalScrollBar().value() == 0
        self._settling = True
        try:
            self._rows.show_list(ids)
            if self.chosen_ids() != kept:
                self.choose(kept, scroll=False)
        finally:
            self._settling = False
        row = self._rows.row_of(top[0]) if top is not None else -1
        if top is not None and row >= 0 and not at_top:
            self.executeDelayedItemsLayout()
            self.verticalScrollBar().setValue(row * ROW_HEIGHT + top[1])
        if self.chosen_ids() != kept:
            self.chosen.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Letters must not jump to rows by their first letter: every row would have to be fetched."""
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        if plain and event.text().isprintable() and event.text().strip():
            event.ignore()
            return
        super().keyPressEvent(event)

    def _selection_changed(self) -> None:
        if not self._settling:
            self.chosen.emit()
