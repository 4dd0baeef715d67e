"""The form for a memory: write a new one, or change one in place. Only what was changed is handed on.

Keeps its text when saving fails. Must not save anything itself: ``saved`` carries the wish.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import QDateTime, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDateTimeEdit,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from engine.types import LAYERS, SENSITIVITIES, Memory
from gui.browser.field_table import percent
from gui.look import Look
from gui.theme import SPACE_1, SPACE_2, SPACE_3, SPACE_5
from gui.widgets.buttons import TextButton
from gui.widgets.labels import label
from gui.widgets.reading import wrapping
from gui.widgets.scroll import PaneScroll

_LIST_BREAK = re.compile(r"[,，、;；\n]")
BLANK: Mapping[str, Any] = {
    "content": "", "title": "", "summary": "", "layer": "", "category": "", "importance": 0.5, "tags": (),
    "sensitivity": "normal", "event_time": None, "pinned": False, "protected": False, "resolved": False,
}  # fmt: skip


class Editor(QWidget):
    """Emits ``saved`` with the changed fields (all given ones for a new memory), or ``cancelled``."""

    saved = Signal(object)  # dict[str, Any]
    cancelled = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._start: dict[str, Any] = dict(BLANK)
        self._memory_id: int | None = None
        self._head = label("title")
        self._save = TextButton(look, "editor.save", kind="primary")
        self._cancel = TextButton(look, "editor.cancel")
        self._save.clicked.connect(self.save)
        self._cancel.clicked.connect(self.cancelled)
        self._build_fields()
        self._rows: list[tuple[str, Any]] = []
        form_widget = QWidget()
        self._form = QVBoxLayout(form_widget)
        self._build_form()
        scroll = PaneScroll(form_widget)
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACE_2)
        buttons.setContentsMargins(SPACE_5, SPACE_3, SPACE_5, SPACE_3)
        buttons.addStretch(1)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._save)
        head = QHBoxLayout()
        head.setContentsMargins(SPACE_5, SPACE_3, SPACE_5, SPACE_2)
        head.addWidget(self._head)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(scroll, 1)
        column.addLayout(buttons)
        look.wear(self._dress)

    @property
    def memory_id(self) -> int | None:
        """The memory being edited; None for a new one."""
        return self._memory_id

    @property
    def dirty(self) -> bool:
        """Whether something would be lost by closing."""
        return bool(self.changes())

    def edit(self, memory: Memory) -> None:
        """Fill the form with ``memory``."""
        self._fill(memory.id, {name: getattr(memory, name) for name in BLANK})

    def new(self) -> None:
        """An empty form."""
        self._fill(None, dict(BLANK))

    def changes(self) -> dict[str, Any]:
        """The fields that differ from what the form was filled with."""
        return {name: value for name, value in self._values().items() if value != self._start[name]}

    def save(self) -> None:
        """Hand on what was changed; an empty text is said at once."""
        empty = not self.content.toPlainText().strip()
        self._warning.setVisible(empty)
        if empty:
            self.content.setFocus()
        elif not self.changes():
            self.cancelled.emit()
        else:
            self.saved.emit(self.changes())

    def set_busy(self, busy: bool) -> None:
        """No second save while the first is on its way."""
        self._save.setEnabled(not busy)

    def _build_fields(self) -> None:
        self.content = QPlainTextEdit()
        self.content.setTabChangesFocus(True)
        self.content.setMinimumHeight(140)
        self._warning = label("danger", wrap=True)
        self.title, self.summary, self.category, self.tags = (QLineEdit() for _ in range(4))
        self.layer, self.sensitivity = QComboBox(), QComboBox()
        self.importance = QSlider(Qt.Orientation.Horizontal)
        self.importance.setRange(0, 100)
        self.importance.setPageStep(10)
        self._importance_text = label("muted")
        self._importance_text.setMinimumWidth(40)
        self.importance.valueChanged.connect(lambda value: self._importance_text.setText(percent(value / 100)))
        self.dated = QCheckBox()
        self.event_time = QDateTimeEdit()
        self.event_time.setCalendarPopup(True)
        self.dated.toggled.connect(self.event_time.setEnabled)
        self.pinned, self.protected, self.resolved = QCheckBox(), QCheckBox(), QCheckBox()

    def _build_form(self) -> None:
        form = self._form
        form.setContentsMargins(SPACE_5, SPACE_2, SPACE_5, SPACE_2)
        form.setSpacing(SPACE_1)
        importance, when, switches = QHBoxLayout(), QHBoxLayout(), QVBoxLayout()
        importance.setSpacing(SPACE_3)
        importance.addWidget(self.importance, 1)
        importance.addWidget(self._importance_text)
        when.addWidget(self.dated)
        when.addWidget(self.event_time, 1)
        for box in (self.pinned, self.protected, self.resolved):
            switches.addWidget(box)
        switches.setSpacing(SPACE_2)
        text = QVBoxLayout()
        text.addWidget(self.content)
        text.addWidget(self._warning)
        pairs: tuple[tuple[str, Any, QWidget], ...] = (
            ("content", text, self.content), ("title", self.title, self.title), ("tags", self.tags, self.tags),
            ("layer", self.layer, self.layer), ("importance", importance, self.importance),
            ("event_time", when, self.event_time), ("summary", self.summary, self.summary),
            ("category", self.category, self.category), ("sensitivity", self.sensitivity, self.sensitivity),
            ("", switches, self.pinned),
        )  # fmt: skip
        for name, part, buddy in pairs:
            head = label("muted")
            head.setBuddy(buddy)
            self._rows.append((name, head))
            form.addWidget(head)
            head.setVisible(bool(name))
            if isinstance(part, QWidget):
                form.addWidget(part)
            else:
                form.addLayout(part)
            form.addSpacing(SPACE_3)
        form.addStretch(1)

    def _dress(self) -> None:
        texts = self._look.texts
        for name, head in self._rows:
            if name:
                head.setText(texts(f"field.{name}"))
                head.buddy().setAccessibleName(texts(f"field.{name}"))
        self._head.setText(texts("editor.new" if self._memory_id is None else "editor.edit"))
        self._warning.setText(texts("editor.empty"))
        self.content.setPlaceholderText(texts("editor.content_hint"))
        self.title.setPlaceholderText(texts("editor.title_hint"))
        self.summary.setPlaceholderText(texts("editor.summary_hint"))
        self.tags.setPlaceholderText(texts("editor.tags_hint"))
        self.dated.setAccessibleName(texts("editor.dated"))
        self.dated.setToolTip(texts("editor.dated"))
        self.event_time.setDisplayFormat(texts("editor.date_format"))
        for box, name in ((self.pinned, "pinned"), (self.protected, "protected"), (self.resolved, "resolved")):
            box.setText(texts(f"editor.{name}"))
        layers = [("", texts("editor.layer_auto")), *((layer, texts(f"layer.{layer}")) for layer in LAYERS)]
        _offer(self.layer, layers if self._memory_id is None else layers[1:])
        _offer(self.sensitivity, [(value, texts(f"sensitivity.{value}")) for value in SENSITIVITIES])

    def _fill(self, memory_id: int | None, values: dict[str, Any]) -> None:
        self._memory_id = memory_id
        self._dress()
        for field in ("title", "summary", "category"):
            getattr(self, field).setText(values[field])
            getattr(self, field).setCursorPosition(0)
        self.content.setWordWrapMode(wrapping(values["content"]))
        self.content.setPlainText(values["content"])
        self.tags.setText(", ".join(values["tags"]))
        for combo, field in ((self.layer, "layer"), (self.sensitivity, "sensitivity")):
            combo.setCurrentIndex(max(0, combo.findData(values[field])))
        self.importance.setValue(round(values["importance"] * 100))
        self._importance_text.setText(percent(self.importance.value() / 100))
        moment: datetime | None = values["event_time"]
        self.dated.setChecked(moment is not None)
        self.event_time.setEnabled(moment is not None)
        local = (moment or self._look.now()).astimezone(self._look.zone)
        self.event_time.setDateTime(QDateTime(local.year, local.month, local.day, local.hour, local.minute, 0))
        for box, field in ((self.pinned, "pinned"), (self.protected, "protected"), (self.resolved, "resolved")):
            box.setChecked(values[field])
            box.setVisible(memory_id is not None or field == "pinned")
        self._warning.hide()
        self.set_busy(False)
        # What the form can not hold exactly (seconds, a share of a percent) must not count as a change.
        self._start = self._values()
        self.content.setFocus()

    def _values(self) -> dict[str, Any]:
        tags = tuple(part.strip().lstrip("#") for part in _LIST_BREAK.split(self.tags.text()) if part.strip())
        return {
            "content": self.content.toPlainText(),
            "title": self.title.text().strip(),
            "summary": self.summary.text().strip(),
            "layer": self.layer.currentData(),
            "category": self.category.text().strip(),
            "importance": self.importance.value() / 100,
            "tags": tags,
            "sensitivity": self.sensitivity.currentData(),
            "event_time": self._moment() if self.dated.isChecked() else None,
            "pinned": self.pinned.isChecked(),
            "protected": self.protected.isChecked(),
            "resolved": self.resolved.isChecked(),
        }

    def _moment(self) -> datetime:
        naive: datetime = self.event_time.dateTime().toPython()  # type: ignore[assignment]
        zone = self._look.zone
        aware = naive.replace(tzinfo=zone) if zone is not None else naive.astimezone()
        return aware.astimezone(UTC)


def _offer(combo: QComboBox, choices: list[tuple[str, str]]) -> None:
    """Fill ``combo``, keeping what is chosen."""
    chosen: Callable[[], Any] = combo.currentData
    kept = chosen()
    combo.clear()
    for value, text in choices:
        combo.addItem(text, value)
    combo.setCurrentIndex(max(0, combo.findData(kept)))
