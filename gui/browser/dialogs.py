"""Questions that the Memories page must ask: erase for good, and what becomes of unsaved text.

Each says what the answer means. Must not do anything itself.
"""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from gui.look import Look
from gui.theme import SPACE_3, SPACE_4, SPACE_5
from gui.widgets.buttons import TextButton
from gui.widgets.labels import label

WIDTH = 420
Answer = Literal["save", "discard", "stay"]


class Question(QDialog):
    """A title, a paragraph, whatever a subclass adds, and buttons at the foot."""

    def __init__(self, look: Look, title: str, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setModal(True)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(SPACE_5, SPACE_5, SPACE_5, SPACE_4)
        self.column.setSpacing(SPACE_3)
        head, body = label("title", title, wrap=True), label("", text, wrap=True)
        for part in (head, body):
            part.setFixedWidth(WIDTH)
            self.column.addWidget(part)
        self.foot = QHBoxLayout()
        self.foot.addStretch(1)

    def finish(self) -> None:
        """Put the buttons under everything else."""
        self.column.addSpacing(SPACE_3)
        self.column.addLayout(self.foot)


class EraseDialog(Question):
    """Asks for the word of erasing, typed by hand: nothing brings these memories back."""

    def __init__(self, look: Look, count: int, parent: QWidget) -> None:
        texts = look.texts
        super().__init__(look, texts("erase.title", n=count), texts("erase.text", n=count), parent)
        self._word = texts("erase.word")
        ask = label("muted", texts("erase.ask", word=self._word), wrap=True)
        ask.setFixedWidth(WIDTH)
        self.field = QLineEdit()
        self.field.setAccessibleName(ask.text())
        self.field.textChanged.connect(self._typed)
        self.column.addWidget(ask)
        self.column.addWidget(self.field)
        cancel = TextButton(look, "editor.cancel")
        cancel.clicked.connect(self.reject)
        self.erase = TextButton(look, "erase.do", kind="danger", role="action.erase")
        self.erase.setEnabled(False)
        self.erase.clicked.connect(self.accept)
        cancel.setAutoDefault(False)
        self.foot.addWidget(cancel)
        self.foot.addWidget(self.erase)
        self.finish()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _typed(self, text: str) -> None:
        self.erase.setEnabled(text.strip().casefold() == self._word.casefold())


class UnsavedDialog(Question):
    """Text in the form that is not saved: save it, let it go, or stay."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, look.texts("unsaved.title"), look.texts("unsaved.text"), parent)
        self.answer: Answer = "stay"
        for answer, kind in (("discard", "danger"), ("stay", ""), ("save", "primary")):
            button = TextButton(look, f"unsaved.{answer}", kind=kind)
            button.clicked.connect(lambda _=False, answer=answer: self._choose(answer))
            self.foot.addWidget(button)
        self.finish()

    def _choose(self, answer: Answer) -> None:
        self.answer = answer
        self.accept()
