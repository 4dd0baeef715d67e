"""Pictures by role: one SVG each, recoloured for the theme and drawn in every size that is asked for.

Windows name a role ("action.pin"), never a file; ``resources/icons/icons.json`` says which file serves a role.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from gui.resources import resource

_INK = "currentColor"
_SIZES = (16, 18, 20, 24, 32, 48)
_TRAY_SIZES = (16, 22, 24, 32, 44, 48, 64)
_APP_SIZES = (16, 24, 32, 48, 64, 128, 256)


class Icons:
    """Draws icons and keeps what was drawn. Not thread-safe: main thread only."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or resource("icons")
        self._files: Mapping[str, str] = json.loads((self._folder / "icons.json").read_text(encoding="utf-8"))
        self._sources: dict[str, str] = {}
        self._pixmaps: dict[tuple[str, str, int, float], QPixmap] = {}

    @property
    def roles(self) -> tuple[str, ...]:
        """Every role there is."""
        return tuple(self._files)

    def icon(self, role: str, colour: str) -> QIcon:
        """A one-colour icon with all usual sizes."""
        return self._icon(role, colour, _SIZES)

    def app(self) -> QIcon:
        """The amber drop, for windows and the dock."""
        return self._icon("app", "", _APP_SIZES)

    def tray(self, state: str, *, template: bool) -> QIcon:
        """The tray's icon for ``state`` "calm", "busy" or "trouble"; ``template``: macOS recolours it by itself."""
        icon = self._icon(f"tray.{state}" + (".template" if template else ""), "#000000", _TRAY_SIZES)
        icon.setIsMask(template)
        return icon

    def pixmap(self, role: str, colour: str, size: int, ratio: float = 1.0) -> QPixmap:
        """``role`` in ``colour`` at ``size`` device-independent pixels for a screen of ``ratio``."""
        key = (role, colour, size, ratio)
        found = self._pixmaps.get(key)
        if found is None:
            found = self._pixmaps[key] = self._draw(role, colour, size, ratio)
        return found

    def path(self, role: str) -> Path:
        """The file itself, for style sheets take nothing else; its colours are its own."""
        return self._folder / self._files[role]

    def _icon(self, role: str, colour: str, sizes: tuple[int, ...]) -> QIcon:
        icon = QIcon()
        for size in sizes:
            icon.addPixmap(self.pixmap(role, colour, size))
            icon.addPixmap(self.pixmap(role, colour, size, 2.0))
        return icon

    def _draw(self, role: str, colour: str, size: int, ratio: float) -> QPixmap:
        side = round(size * ratio)
        image = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        renderer = QSvgRenderer(QByteArray(self._source(role, colour).encode("utf-8")))
        renderer.render(painter, QRectF(0, 0, side, side))
        painter.end()
        pixmap = QPixmap.fromImage(image)
        pixmap.setDevicePixelRatio(ratio)
        return pixmap

    def _source(self, role: str, colour: str) -> str:
        file = self._files[role]
        if file not in self._sources:
            self._sources[file] = (self._folder / file).read_text(encoding="utf-8")
        return self._sources[file].replace(_INK, colour)
