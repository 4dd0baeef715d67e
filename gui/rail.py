"""The navigation rail: pages, how Hupo is, who is connected, language and appearance. Words or pictures by width."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QSize, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QMenu, QPushButton, QVBoxLayout, QWidget

from engine.config import BY_KEY
from gui.health import Condition
from gui.look import Look
from gui.theme import SPACE_1, SPACE_2, SPACE_3
from gui.widgets.labels import label

WIDE, NARROW = 200, 56
# place → (picture, text)
PLACES = {"memories": "page.memories", "trash": "page.trash"}


class RailButton(QPushButton):
    """A picture with a word, or the picture alone with the word in its tool tip."""

    def __init__(self, look: Look, role: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._role, self._ink = look, role, "muted"
        self._text, self._words = "", True
        self.setProperty("role", "rail")
        self.setIconSize(QSize(18, 18))

    def say(self, text: str, role: str | None = None, ink: str | None = None) -> None:
        """Show ``text``; ``role`` and ``ink`` change the picture."""
        self._text, self._role, self._ink = text, role or self._role, ink or self._ink
        self._dress()

    def show_words(self, words: bool) -> None:
        """Word beside the picture, or in the tool tip."""
        self._words = words
        self._dress()

    def _dress(self) -> None:
        escaped = self._text.replace("&", "&&")
        self.setText(f" {escaped}" if self._words else "")
        self.setToolTip("" if self._words else self._text)
        self.setAccessibleName(self._text)
        checked = self.isCheckable() and self.isChecked()
        self.setIcon(self._look.icon(self._role, "accent" if checked else self._ink))


class Rail(QFrame):
    """``place_chosen`` carries a place; ``pause_wished`` and ``setting_chosen`` what should be set."""

    place_chosen = Signal(str)
    pause_wished = Signal(bool)
    setting_chosen = Signal(str, str)  # key, value

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._condition = Condition()
        self._place = "memories"
        self.setObjectName("rail")
        self._drop, self._name = label(), label("title")
        self._group = QButtonGroup(self)
        self.places: dict[str, RailButton] = {}
        for place, role in PLACES.items():
            button = RailButton(look, role)
            button.setCheckable(True)
            button.clicked.connect(lambda _=False, place=place: self.place_chosen.emit(place))
            self._group.addButton(button)
            self.places[place] = button
        self.health = RailButton(look, "state.well")
        self.clients = RailButton(look, "state.clients")
        self.pause = RailButton(look, "action.pause")
        self.look_button = RailButton(look, "action.look")
        self.health_menu, self.clients_menu, self.look_menu = QMenu(self), QMenu(self), QMenu(self)
        for button, menu, fill in (
            (self.health, self.health_menu, self._fill_health),
            (self.clients, self.clients_menu, self._fill_clients),
            (self.look_button, self.look_menu, self._fill_look),
        ):
            menu.aboutToShow.connect(fill)
            button.clicked.connect(lambda _=False, button=button, menu=menu: _open_beside(button, menu))
        self.pause.clicked.connect(lambda: self.pause_wished.emit(not self._condition.paused))
        self._build()
        look.wear(self._dress)

    @property
    def buttons(self) -> list[RailButton]:
        """Every button, from top to bottom."""
        return [*self.places.values(), self.health, self.clients, self.pause, self.look_button]

    def show_words(self, words: bool) -> None:
        """Wide with words, or narrow with pictures."""
        self.setFixedWidth(WIDE if words else NARROW)
        self._name.setVisible(words)
        for button in self.buttons:
            button.show_words(words)

    def show_place(self, place: str) -> None:
        """Mark the page that shows."""
        self._place = place
        self.places[place].setChecked(True)
        self._dress()

    def show_condition(self, condition: Condition) -> None:
        """Show how Hupo is."""
        self._condition = condition
        self._dress()

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_2, SPACE_3, SPACE_2, SPACE_3)
        column.setSpacing(SPACE_1)
        brand = QHBoxLayout()
        brand.setContentsMargins(SPACE_2, SPACE_1, 0, SPACE_3)
        brand.setSpacing(SPACE_2)
        brand.addWidget(self._drop)
        brand.addWidget(self._name, 1)
        column.addLayout(brand)
        for button in self.places.values():
            column.addWidget(button)
        column.addStretch(1)
        for button in (self.health, self.clients, self.pause, self.look_button):
            column.addWidget(button)

    def _dress(self) -> None:
        texts, condition = self._look.texts, self._condition
        self._drop.setPixmap(self._look.icons.app().pixmap(QSize(24, 24), self.devicePixelRatioF()))
        self._name.setText(texts("app.name"))
        counts = {"memories": condition.alive, "trash": condition.trashed}
        for place, button in self.places.items():
            count = counts[place]
            name = texts(f"place.{place}")
            button.say(f"{name}   {count:,}" if count and condition.counts is not None else name)
        trouble = condition.state == "trouble"
        busy = condition.state == "busy"
        self.health.say(
            texts(f"health.short.{condition.state}"),
            "state.trouble" if trouble else "state.well",
            "danger" if trouble else "accent" if busy else "ok",
        )
        self.clients.say(texts("clients.count", n=len(condition.clients)))
        if condition.paused:
            self.pause.say(texts("pause.off"), "action.resume", "accent")
        else:
            self.pause.say(texts("pause.on"), "action.pause", "muted")
        self.look_button.say(texts("look.menu"))

    def _fill_health(self) -> None:
        self.health_menu.clear()
        said = [self._condition.sentence(self._look.texts)]
        for text in said:
            self.health_menu.addAction(text.replace("&", "&&")).setEnabled(False)

    def _fill_clients(self) -> None:
        self.clients_menu.clear()
        fill_clients(self.clients_menu, self._condition, self._look)

    def _fill_look(self) -> None:
        self.look_menu.clear()
        fill_choice(self.look_menu, self._look, "interface.language", self._look.language_setting, self._set)
        self.look_menu.addSeparator()
        fill_choice(self.look_menu, self._look, "interface.theme", self._look.theme_setting, self._set)

    def _set(self, key: str, value: str) -> None:
        self.setting_chosen.emit(key, value)


def _open_beside(button: QPushButton, menu: QMenu) -> None:
    """Open ``menu`` at the right of the rail, its foot at the button's."""
    menu.aboutToShow.emit()
    place = button.mapToGlobal(QPoint(button.width() + SPACE_2, button.height()))
    menu.popup(place - QPoint(0, menu.sizeHint().height()))


def fill_clients(menu: QMenu, condition: Condition, look: Look) -> None:
    """One line for each connected assistant, or what to do when there is none."""
    texts = look.texts
    for client in condition.clients:
        name = f"{client.name} {client.version}".strip().replace("&", "&&")
        line = texts("clients.line", name=name, when=look.day(client.since)) if client.since is not None else name
        menu.addAction(line).setEnabled(False)
    if not condition.clients:
        menu.addAction(texts("clients.none")).setEnabled(False)


def fill_choice(menu: QMenu, look: Look, key: str, current: str, chosen: Callable[[str, str], None]) -> None:
    """The choices of a parameter as checkable entries under its name."""
    head = menu.addAction(BY_KEY[key].label[look.texts.language])
    head.setEnabled(False)
    for value in BY_KEY[key].choices:
        entry = menu.addAction(look.texts(f"choice.{key}.{value}"))
        entry.setCheckable(True)
        entry.setChecked(value == current)
        entry.triggered.connect(lambda _=False, value=value: chosen(key, value))
