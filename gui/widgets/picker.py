"""A button that opens a small list to choose from: one or several values, with a field to narrow long lists.

Serves every filter; values are shown as plain text. Must not know what the values mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from gui.look import Look
from gui.theme import SPACE_2

NARROW_FROM = 10
_VALUE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class Choice:
    """A value and the words for it; ``count`` is shown behind them when given."""

    value: str
    text: str
    count: int | None = None


class Picker(QPushButton):
    """A chip with the name of what is chosen. ``several``: any number of values, else exactly one."""

    chosen = Signal(object)  # tuple[str, ...]

    def __init__(self, look: Look, *, several: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._several = several
        self._name = ""
        self._choices: Sequence[Choice] = ()
        self._values: tuple[str, ...] = ()
        self._resting: tuple[str, ...] = ()
        self.setProperty("role", "chip")
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self._popup = _Popup(look, self)
        self._popup.list.itemClicked.connect(self._toggled)
        self._popup.entered.connect(self._toggled)
        self.clicked.connect(self._open)
        look.changed.connect(self._dress)

    @property
    def values(self) -> tuple[str, ...]:
        """What is chosen."""
        return self._values

    def offer(self, name: str, choices: Sequence[Choice], resting: tuple[str, ...] = ()) -> None:
        """Set the chip's name and what there is to choose; ``resting`` is the choice that filters nothing."""
        self._name, self._choices, self._resting = name, choices, resting
        self._popup.fill(choices, self._values, self._several)
        self._dress()

    def show_values(self, values: Sequence[str]) -> None:
        """Show what is chosen, without announcing it."""
        self._values = tuple(values)
        self._popup.check(self._values, self._several)
        self._dress()

    def _open(self) -> None:
        self._popup.fill(self._choices, self._values, self._several)
        self._popup.open_below(self)

    def _toggled(self, item: QListWidgetItem) -> None:
        value = str(item.data(_VALUE))
        if not self._several:
            self._popup.hide()
            values: tuple[str, ...] = (value,)
        elif value in self._values:
            values = tuple(one for one in self._values if one != value)
        else:
            values = (*self._values, value)
        self.show_values(values)
        self.chosen.emit(values)

    def _dress(self) -> None:
        words = {choice.value: choice.text for choice in self._choices}
        shown = [words.get(value, value) for value in self._values]
        active = bool(self._values) and self._values != self._resting
        text = self._name
        if active or not self._several:
            text = self._look.texts("filter.chosen", name=self._name, values=_listed(shown))
        self.setText(text.replace("&", "&&"))
        self.setIcon(self._look.icon("action.open", "muted"))
        self.setAccessibleName(text)
        self._popup.name(self._name)
        if self.property("active") != active:
            self.setProperty("active", active)
            self.style().unpolish(self)
            self.style().polish(self)


def _listed(shown: Sequence[str]) -> str:
    first = [one if len(one) <= 18 else one[:17] + "…" for one in shown[:2]]
    return ", ".join(first) + (f" +{len(shown) - 2}" if len(shown) > 2 else "")


class _Popup(QFrame):
    """The list below the chip."""

    entered = Signal(object)  # QListWidgetItem chosen by key

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._look = look
        self.setObjectName("popup")
        self.field = QLineEdit()
        self.field.textChanged.connect(self._narrow)
        self.field.installEventFilter(self)
        self.list = QListWidget()
        self.list.setProperty("role", "plain")
        self.list.installEventFilter(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_2, SPACE_2, SPACE_2, SPACE_2)
        column.setSpacing(SPACE_2)
        column.addWidget(self.field)
        column.addWidget(self.list)

    def fill(self, choices: Sequence[Choice], values: Sequence[str], several: bool) -> None:
        self.list.clear()
        for choice in choices:
            text = choice.text if choice.count is None else f"{choice.text}   {choice.count:,}"
            item = QListWidgetItem(text)
            item.setData(_VALUE, choice.value)
            self.list.addItem(item)
        self.field.setVisible(len(choices) >= NARROW_FROM)
        self.check(values, several)

    def check(self, values: Sequence[str], several: bool) -> None:
        for row in range(self.list.count()):
            item = self.list.item(row)
            on = item.data(_VALUE) in values
            if several:
                item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
            elif on:
                self.list.setCurrentItem(item)

    def name(self, name: str) -> None:
        """Say what is chosen here, in the words of now."""
        narrow = self._look.texts("filter.narrow")
        self.field.setPlaceholderText(narrow)
        self.field.setAccessibleName(narrow)
        self.list.setAccessibleName(name)

    def open_below(self, chip: QWidget) -> None:
        self.field.clear()
        width = max(200, min(360, self.list.sizeHintForColumn(0) + 56))
        rows = min(10, max(1, self.list.count()))
        height = rows * max(28, self.list.sizeHintForRow(0)) + 20
        self.resize(width, height + (self.field.sizeHint().height() + SPACE_2 if self.field.isVisibleTo(self) else 0))
        place = chip.mapToGlobal(QPoint(0, chip.height() + 4))
        screen = chip.screen().availableGeometry()
        place.setX(min(place.x(), screen.right() - self.width()))
        place.setY(min(place.y(), screen.bottom() - self.height()))
        self.move(place)
        self.show()
        if self.list.count() and self.list.currentRow() < 0:
            self.list.setCurrentRow(0)
        (self.field if self.field.isVisibleTo(self) else self.list).setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Down in the field goes into the list; Space and Enter choose there."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        if watched is self.field and event.key() == Qt.Key.Key_Down:
            self.list.setFocus()
            return True
        if watched is self.list and event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.list.currentItem() is not None:
                self.entered.emit(self.list.currentItem())
            return True
        return False

    def _narrow(self, text: str) -> None:
        for row in range(self.list.count()):
            item = self.list.item(row)
            item.setHidden(text.casefold() not in item.text().casefold())
