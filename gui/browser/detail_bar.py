"""The strip over a memory's text: its layer, and buttons for what can be done with it.

Shows what fits the memory's state (in the trash: restore and erase); sends wishes out as signals.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from engine.types import Memory
from gui.browser.actions import SWITCHES
from gui.look import Look
from gui.theme import SPACE_1, SPACE_3, SPACE_5
from gui.widgets.buttons import IconButton, TextButton
from gui.widgets.labels import label


class DetailBar(QWidget):
    """Layer mark on the left, verbs on the right; ``back`` shows only where the pane fills the page."""

    back = Signal()
    edit = Signal()
    trash = Signal()
    restore = Signal()
    erase = Signal()
    copy = Signal()
    switch = Signal(str, bool)  # field, on
    status = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._memory: Memory | None = None
        self.back_button = IconButton(look, "action.back", "action.back")
        self.pin_button = IconButton(look, "action.pin", "action.pin")
        self.edit_button = IconButton(look, "action.edit", "action.edit")
        self.trash_button = IconButton(look, "action.trash", "action.trash")
        self.restore_button = TextButton(look, "action.restore", role="action.restore")
        self.erase_button = IconButton(look, "action.erase", "action.erase")
        self.more_button = IconButton(look, "action.more", "action.more")
        self.more_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self.more_button)
        self.menu.aboutToShow.connect(self._fill_menu)
        self.more_button.setMenu(self.menu)
        self._mark, self._word = label(), label("strong")
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE_5, SPACE_3, SPACE_3, SPACE_1)
        row.setSpacing(SPACE_1)
        row.addWidget(self.back_button)
        row.addWidget(self._mark)
        row.addSpacing(SPACE_1)
        row.addWidget(self._word)
        row.addStretch(1)
        verbs: tuple[QWidget, ...] = (
            self.pin_button, self.edit_button, self.trash_button, self.restore_button, self.erase_button,
            self.more_button,
        )  # fmt: skip
        for verb in verbs:
            row.addWidget(verb)
        self._connect()
        self.back_button.hide()
        look.changed.connect(self._dress)

    def show_memory(self, memory: Memory) -> None:
        """Offer what fits ``memory``."""
        self._memory = memory
        trashed = memory.status == "trashed"
        for button in (self.pin_button, self.edit_button, self.trash_button):
            button.setVisible(not trashed)
        self.restore_button.setVisible(trashed)
        self.erase_button.setVisible(trashed)
        self._dress()

    def _connect(self) -> None:
        self.back_button.clicked.connect(self.back)
        self.edit_button.clicked.connect(self.edit)
        self.trash_button.clicked.connect(self.trash)
        self.restore_button.clicked.connect(self.restore)
        self.erase_button.clicked.connect(self.erase)
        self.pin_button.clicked.connect(self._pin)

    def _pin(self) -> None:
        if self._memory is not None:
            self.switch.emit("pinned", not self._memory.pinned)

    def _dress(self) -> None:
        memory = self._memory
        if memory is None:
            return
        ink = self._look.colours.layer(memory.layer)
        self._mark.setPixmap(self._look.icons.pixmap(f"layer.{memory.layer}", ink, 18, self.devicePixelRatioF()))
        self._word.setText(self._look.texts(f"layer.{memory.layer}"))
        self._word.setStyleSheet(f"color: {ink};")
        self.pin_button.become(
            "action.pin", "action.unpin" if memory.pinned else "action.pin", "accent" if memory.pinned else "text"
        )

    def _fill_menu(self) -> None:
        memory, texts = self._memory, self._look.texts
        self.menu.clear()
        if memory is None:
            return
        self.menu.addAction(self._look.icon("action.copy"), texts("action.copy"), self.copy.emit)
        if memory.status == "trashed":
            return
        self.menu.addSeparator()
        for field in SWITCHES[1:]:
            on = bool(getattr(memory, field))
            entry = self.menu.addAction(texts(f"action.{field}"))
            entry.setCheckable(True)
            entry.setChecked(on)
            entry.triggered.connect(lambda checked, field=field: self.switch.emit(field, checked))
        if memory.status == "active":
            self.menu.addAction(texts("action.archive"), lambda: self.status.emit("archived"))
        else:
            self.menu.addAction(texts("action.activate"), lambda: self.status.emit("active"))
        self.menu.addSeparator()
        self.menu.addAction(self._look.icon("action.erase", "danger"), texts("action.erase_more"), self.erase.emit)
