"""The line under the results: how many and how fast, what was missing, and what almost came up, with reasons."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from engine.types import NearMiss, Recollection
from gui import messages
from gui.browser import presentation
from gui.look import Look
from gui.theme import SPACE_2
from gui.widgets.labels import label

_ID = Qt.ItemDataRole.UserRole
MOST_ROWS = 5


class FoundBar(QWidget):
    """Shown while searching. ``chosen`` carries the id of a near miss that someone wants to see."""

    chosen = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._answer: Recollection | None = None
        self._said = label("caption")
        self._notice = label("notice", wrap=True)
        self.link = QPushButton()
        self.link.setProperty("role", "link")
        self.link.setCheckable(True)
        self.link.toggled.connect(lambda _: self._dress())
        self.list = QListWidget()
        self.list.setProperty("role", "plain")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemClicked.connect(self._choose)
        self.list.itemActivated.connect(self._choose)
        line = QHBoxLayout()
        line.addWidget(self._said)
        line.addStretch(1)
        line.addWidget(self.link)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_2)
        column.addWidget(self._notice)
        column.addLayout(line)
        column.addWidget(self.list)
        look.changed.connect(self._dress)
        self.hide()

    def show_answer(self, answer: Recollection | None) -> None:
        """Tell of ``answer``; None when the list is not a search."""
        self._answer = answer
        self.link.setChecked(False)
        self._dress()
        self.setVisible(answer is not None)

    def _dress(self) -> None:
        answer, texts = self._answer, self._look.texts
        if answer is None:
            return
        self._said.setText(texts("found.count", n=len(answer.hits), ms=f"{answer.milliseconds:.0f}"))
        self._notice.setText("\n".join(messages.condition(slug, texts) for slug in answer.degraded))
        self._notice.setVisible(bool(answer.degraded))
        misses = answer.near_misses
        self.link.setVisible(bool(misses))
        self.link.setText(texts("found.hide_near" if self.link.isChecked() else "found.near", n=len(misses)))
        self._fill(misses if self.link.isChecked() else ())

    def _fill(self, misses: Sequence[NearMiss]) -> None:
        texts = self._look.texts
        self.list.clear()
        self.list.setAccessibleName(texts("found.near", n=len(misses)))
        for miss in misses:
            reason = texts(f"near.{miss.reason}")
            item = QListWidgetItem(f"{presentation.folded(miss.title) or texts('near.untitled')}  ·  {reason}")
            item.setData(_ID, miss.memory_id)
            item.setIcon(self._look.icon("sign.near", "muted"))
            self.list.addItem(item)
        self.list.setVisible(bool(misses))
        rows = min(MOST_ROWS, len(misses))
        self.list.setFixedHeight(rows * max(24, self.list.sizeHintForRow(0)) + 4 if rows else 0)

    def _choose(self, item: QListWidgetItem) -> None:
        self.chosen.emit(int(item.data(_ID)))
