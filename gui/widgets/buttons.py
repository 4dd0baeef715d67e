"""Buttons that take their words and pictures from the look, and keep them right when it changes."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from gui.look import Look


class IconButton(QToolButton):
    """A picture to press; its word is in the tool tip and in the accessible name."""

    def __init__(self, look: Look, role: str, key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._role, self._key, self._ink = look, role, key, "text"
        self.setProperty("role", "quiet")
        look.wear(self.dress)

    def become(self, role: str, key: str, ink: str = "text") -> None:
        """Show another picture and word."""
        self._role, self._key, self._ink = role, key, ink
        self.dress()

    def dress(self) -> None:
        text = self._look.texts(self._key)
        self.setIcon(self._look.icon(self._role, self._ink))
        shortcut = self.shortcut().toString()
        self.setToolTip(f"{text} ({shortcut})" if shortcut else text)
        self.setAccessibleName(text)


class TextButton(QPushButton):
    """A word to press. ``kind``: "", "primary", "danger", "quiet" or "link"; ``role``: a picture beside the word."""

    def __init__(self, look: Look, key: str, *, kind: str = "", role: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._role, self._key, self._kind = look, role, key, kind
        if kind:
            self.setProperty("role", kind)
        look.wear(self.dress)

    def become(self, key: str) -> None:
        """Show another word."""
        self._key = key
        self.dress()

    def dress(self) -> None:
        self.setText(self._look.texts(self._key))
        if self._role:
            ink = {"primary": "on_accent", "danger": "danger", "link": "accent"}.get(self._kind, "text")
            self.setIcon(self._look.icon(self._role, ink))
