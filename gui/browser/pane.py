"""The right-hand side of the page: nothing, one memory, the form, or what can be done with many.

Only one of them shows; unsaved text in the form is never lost without a question.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from gui.browser.detail import DetailView
from gui.browser.dialogs import UnsavedDialog
from gui.browser.editor import Editor
from gui.browser.state import Place
from gui.look import Look
from gui.theme import SPACE_2, SPACE_5
from gui.widgets.buttons import TextButton
from gui.widgets.empty_state import EmptyState
from gui.widgets.labels import label

BULK_WIDE = 220
# verb → (text key, kind, picture); what many chosen memories can have done to them, by place.
_BULK: dict[Place, tuple[tuple[str, str, str, str], ...]] = {
    "memories": (
        ("pin", "bulk.pin", "", "action.pin"),
        ("unpin", "bulk.unpin", "", "action.pin"),
        ("archive", "bulk.archive", "", "action.apply"),
        ("trash", "bulk.trash", "", "action.trash"),
    ),
    "trash": (
        ("restore", "bulk.restore", "", "action.restore"),
        ("erase", "bulk.erase", "danger", "action.erase"),
    ),
}


class BulkView(QWidget):
    """How many are chosen, and the verbs for all of them. ``verb`` carries which was pressed."""

    verb = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._count = 0
        self._head = label("title", wrap=True)
        self._hint = label("muted", wrap=True)
        self._buttons: dict[Place, list[TextButton]] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_5, SPACE_5, SPACE_5, SPACE_5)
        column.setSpacing(SPACE_2)
        column.addWidget(self._head)
        column.addWidget(self._hint)
        column.addSpacing(SPACE_5)
        for place, verbs in _BULK.items():
            self._buttons[place] = []
            for verb, key, kind, picture in verbs:
                button = TextButton(look, key, kind=kind, role=picture)
                button.clicked.connect(lambda _=False, verb=verb: self.verb.emit(verb))
                self._buttons[place].append(button)
                button.setFixedWidth(BULK_WIDE)
                column.addWidget(button)
        column.addStretch(1)
        look.changed.connect(self._dress)

    def show_count(self, count: int, place: Place) -> None:
        """Offer what ``count`` memories in ``place`` can have done to them."""
        self._count = count
        for known, buttons in self._buttons.items():
            for button in buttons:
                button.setVisible(known == place)
        self._dress()

    def _dress(self) -> None:
        self._head.setText(self._look.texts("bulk.title", n=self._count))
        self._hint.setText(self._look.texts("bulk.hint"))


class Pane(QWidget):
    """Stack of the four; ``turned`` when another of them shows."""

    turned = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.setObjectName("pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.empty = EmptyState(look)
        self.detail = DetailView(look)
        self.editor = Editor(look)
        self.bulk = BulkView(look)
        self._stack = QStackedWidget()
        column = QVBoxLayout(self)
        # The pane's own edge stays in sight.
        column.setContentsMargins(1, 0, 0, 0)
        column.addWidget(self._stack)
        for part in (self.empty, self.detail, self.editor, self.bulk):
            self._stack.addWidget(part)
        self.empty.tell("empty.detail", "empty.detail")

    @property
    def editing(self) -> bool:
        """Whether the form is open."""
        return self._stack.currentWidget() is self.editor

    @property
    def shown(self) -> QWidget:
        """Which of the four shows."""
        return self._stack.currentWidget() or self.empty

    def show_part(self, part: QWidget) -> None:
        """Show one of the four."""
        self._stack.setCurrentWidget(part)
        self.turned.emit()

    def may_leave(self) -> bool:
        """True when the form holds nothing unsaved, or a person let it go; "save" saves and stays until it is done."""
        if not self.editing or not self.editor.dirty:
            return True
        dialog = UnsavedDialog(self._look, self.window())
        dialog.exec()
        if dialog.answer == "save":
            self.editor.save()
        return dialog.answer == "discard"

    def shows_only(self, ids: Sequence[int]) -> bool:
        """Whether the detail shows exactly this one memory."""
        memory = self.detail.memory
        return self.shown is self.detail and memory is not None and list(ids) == [memory.id]
