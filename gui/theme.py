"""Colours, sizes and type by role, in light and in dark; windows name roles and never values.

The values are the design language's. Must not know any widget; ``stylesheet.py`` turns roles into Qt's own form.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette

from engine.types import Layer

Scheme = Literal["light", "dark"]

# Steps of space, in device-independent pixels.
SPACE_1, SPACE_2, SPACE_3, SPACE_4, SPACE_5, SPACE_6 = 4, 8, 12, 16, 24, 32
RADIUS_CARD, RADIUS_FIELD = 8, 6
# Type sizes, in device-independent pixels.
CAPTION, BODY, LEAD, TITLE, DISPLAY = 11, 13, 15, 18, 24
LINE_HEIGHT = 1.5
REGULAR, STRONG = QFont.Weight.Normal, QFont.Weight.DemiBold
MOTION_MS = 120

# After the system's own face: the faces that carry Chinese on macOS, Windows and Linux.
CHINESE_FACES = ("PingFang SC", "Microsoft YaHei UI", "Noto Sans CJK SC")
# What Qt answers where the desktop names no interface font; its Latin does not sit beside Chinese.
_NO_CHOICE = ("DejaVu Sans", "Sans Serif", "Sans", "Bitstream Vera Sans")


@dataclass(frozen=True, slots=True)
class Palette:
    """One scheme's colours by role, as ``#RRGGBB``."""

    scheme: Scheme
    background: str
    surface: str
    sunken: str
    border: str
    hover: str
    selection: str
    text: str
    muted: str
    accent: str
    accent_hover: str
    on_accent: str
    ok: str
    danger: str
    info: str
    fact: str
    state: str
    event: str
    decision: str
    mark: str

    @property
    def dark(self) -> bool:
        return self.scheme == "dark"

    def layer(self, layer: Layer) -> str:
        """The colour of a layer; never the only sign of it."""
        value: str = getattr(self, layer)
        return value


LIGHT = Palette(
    scheme="light", background="#FBF9F5", surface="#FFFFFF", sunken="#F3EFE8", border="#E4DED3", hover="#F6F1E8",
    selection="#FCEBD2", text="#23201B", muted="#635C50", accent="#A84F08", accent_hover="#8F4206",
    on_accent="#FFFFFF", ok="#27714A", danger="#B3261E", info="#2A5E9E", fact="#3F659C", state="#1C746B",
    event="#A84F08", decision="#77458F", mark="#FFD27D",
)  # fmt: skip
DARK = Palette(
    scheme="dark", background="#171512", surface="#211E1A", sunken="#12100E", border="#39342D", hover="#2A2621",
    selection="#43300F", text="#F3EFE7", muted="#B5AC9D", accent="#F2A33A", accent_hover="#FFB858",
    on_accent="#1B1304", ok="#74CE9B", danger="#FF8F85", info="#8DB8F0", fact="#8FB3E8", state="#6CCBC0",
    event="#F2A33A", decision="#CFA0E6", mark="#775312",
)  # fmt: skip

# Every pair of text and ground that a window may show; a test keeps each at 4.5 : 1 or more.
_INKS = ("text", "muted", "accent", "ok", "danger", "info", "fact", "state", "event", "decision")
TEXT_PAIRS: tuple[tuple[str, str], ...] = (
    *((ink, ground) for ink in _INKS for ground in ("background", "surface", "sunken")),
    *((ink, ground) for ink in ("text", "muted", "accent", "danger") for ground in ("hover", "selection")),
    ("text", "mark"),
    ("on_accent", "accent"),
    ("on_accent", "accent_hover"),
)


def palette(scheme: Scheme) -> Palette:
    """The colours of ``scheme``."""
    return DARK if scheme == "dark" else LIGHT


def roles() -> tuple[str, ...]:
    """The names of all colour roles."""
    return tuple(field.name for field in fields(Palette) if field.name != "scheme")


def contrast(one: str, other: str) -> float:
    """Contrast of two ``#RRGGBB`` colours by WCAG 2: 1 (equal) to 21 (black on white)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def blend(ink: str, ground: str, share: float) -> str:
    """``ink`` laid over ``ground`` with the opacity ``share`` (0..1)."""
    pairs = [(int(ink[at : at + 2], 16), int(ground[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(over * share + under * (1 - share)):02X}" for over, under in pairs)


def qt_palette(colours: Palette) -> QPalette:
    """The same colours for the parts that Qt draws by itself."""
    result = QPalette()
    role = QPalette.ColorRole
    for kind, value in (
        (role.Window, colours.background),
        (role.WindowText, colours.text),
        (role.Base, colours.surface),
        (role.AlternateBase, colours.sunken),
        (role.Text, colours.text),
        (role.PlaceholderText, colours.muted),
        (role.Button, colours.surface),
        (role.ButtonText, colours.text),
        (role.ToolTipBase, colours.surface),
        (role.ToolTipText, colours.text),
        (role.Highlight, colours.accent),
        (role.HighlightedText, colours.on_accent),
        (role.Link, colours.accent),
        (role.Accent, colours.accent),
    ):
        result.setColor(kind, QColor(value))
    for kind in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, kind, QColor(blend(colours.muted, colours.background, 0.6)))
    return result


def font_families(system: str) -> list[str]:
    """The faces to use, best first, given the system's own interface face."""
    if system in _NO_CHOICE:
        return ["Noto Sans CJK SC", system]
    return [system, *CHINESE_FACES]


def font(size: int = BODY, weight: QFont.Weight = REGULAR) -> QFont:
    """The interface face in ``size`` pixels."""
    result = QFont(QGuiApplication.font())
    result.setPixelSize(size)
    result.setWeight(weight)
    return result
