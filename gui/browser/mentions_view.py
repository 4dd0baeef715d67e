"""The people and topics of a memory as chips; each leads to a search for it. Must not fetch anything."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QSizePolicy, QVBoxLayout, QWidget

from engine.types import Memory
from gui.browser.around import Around, names
from gui.look import Look
from gui.theme import SPACE_1
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.labels import label

# A longer name is cut; its tool tip and its accessible name have all of it.
_LONGEST = 32


class MentionsView(QWidget):
    """``chosen`` carries the name that was pressed. Hidden where nobody and nothing is mentioned."""

    chosen = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._head = label("section")
        self._shown: tuple[object, ...] = ()
        chips = QWidget()
        self._flow = FlowLayout(chips, SPACE_1 + 2)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        chips.setSizePolicy(policy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_1 + 2)
        column.addWidget(self._head)
        column.addWidget(chips)

    def show_names(self, memory: Memory, around: Around) -> None:
        """Show whom and what ``memory`` mentions."""
        found = names(memory, around)
        self.setVisible(bool(found))
        self._head.setText(self._look.texts("detail.mentions"))
        # What stays is not made anew; words and pictures change with the look.
        shown = (*found, self._look.texts.language, self._look.colours.scheme)
        if shown == self._shown:
            return
        self._shown = shown
        self._flow.clear()
        for kind, name in found:
            self._flow.addWidget(self._chip(kind, name))

    def _chip(self, kind: str, name: str) -> QPushButton:
        texts = self._look.texts
        shown = " ".join(name.split())
        shown = shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"
        chip = QPushButton(shown.replace("&", "&&"))
        chip.setProperty("role", "chip")
        chip.setIcon(self._look.icon(f"entity.{kind}", "muted"))
        said = texts(f"detail.search_{kind}", name=name)
        chip.setAccessibleName(said)
        chip.setToolTip(escape(said))
        chip.clicked.connect(lambda _=False: self.chosen.emit(name))
        return chip
