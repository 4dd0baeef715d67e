"""The facts that a memory says: each with its kind, until when it is good, and how often it was told.

Where the only fact is the memory's own text, one quiet line says its kind and lifetime. Must not fetch anything.
"""

from __future__ import annotations

from datetime import timedelta

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.types import Atom, AtomStatus, Memory
from gui.browser.around import Around, told_facts
from gui.look import Look
from gui.theme import SPACE_1, SPACE_2, SPACE_3
from gui.widgets.labels import label
from gui.widgets.layouts import empty

# A fact in one of these states still holds.
ALIVE: tuple[AtomStatus, ...] = ("active", "dormant")


class FactsView(QWidget):
    """Hidden where there is nothing to say."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._head = label("section")
        self._shown: list[tuple[str, str, str]] = []
        self._lines = QVBoxLayout()
        self._lines.setSpacing(SPACE_2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_1 + 2)
        column.addWidget(self._head)
        column.addLayout(self._lines)

    def show_facts(self, memory: Memory, around: Around) -> None:
        """Show the facts of ``memory``."""
        facts = told_facts(memory, around)
        self.setVisible(bool(around.facts))
        # A lone line belongs to the text above it; a list begins a part of its own.
        self.setContentsMargins(0, SPACE_3 if facts else 0, 0, 0)
        self._head.setVisible(bool(facts))
        self._head.setText(self._look.texts("detail.facts"))
        told = [("" if holds(one, self._look) else "muted", one.text, caption(one, self._look)) for one in facts]
        told = told or [("", "", caption(one, self._look)) for one in around.facts]
        # What stays is not made anew.
        if told == self._shown:
            return
        self._shown = told
        empty(self._lines)
        for role, text, small in told:
            self._lines.addWidget(_line(role, text, small) if text else label("caption", small, wrap=True))


def _line(role: str, said: str, small: str) -> QWidget:
    line = QWidget()
    text = label(role, said, wrap=True)
    text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    column = QVBoxLayout(line)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(text)
    column.addWidget(label("caption", small, wrap=True))
    return line


def holds(fact: Atom, look: Look) -> bool:
    """Whether a fact is still good; one whose time is over may not have been swept yet."""
    return fact.status in ALIVE and fact.expires_at > look.now()


def caption(fact: Atom, look: Look) -> str:
    """Kind, lifetime and tellings of a fact: "plan · until 20 May · told 3 times"."""
    texts = look.texts
    status = fact.status if fact.status not in ALIVE or holds(fact, look) else "expired"
    # The last day on which it is good: a life that ends with a day ends at the next one's midnight.
    when = look.date(fact.expires_at - timedelta(seconds=1))
    parts = [texts(f"fact.type.{fact.type}")]
    if status != "active":
        parts.append(texts(f"fact.status.{status}", when=when))
    if status in ALIVE:
        parts.append(texts("fact.until", when=when))
    times = max(fact.reinforcement_count + 1, len(fact.memory_ids))
    if times > 1:
        parts.append(texts("fact.told", n=times))
    return " · ".join(parts)
