"""Icons by role: each draws something, in the colour asked for, at each size."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from gui.icons import Icons
from gui.resources import resource


def _inked(image_role: str, colour: str, size: int) -> tuple[int, set[str]]:
    image = Icons().pixmap(image_role, colour, size).toImage()
    solid = [image.pixelColor(x, y) for x in range(size) for y in range(size) if image.pixelColor(x, y).alpha() > 250]
    return len(solid), {one.name().upper() for one in solid}


def test_every_role_draws(qapp: QApplication) -> None:
    for role in Icons().roles:
        count, _ = _inked(role, "#23201B", 32)
        assert count > 8, role


@pytest.mark.parametrize("role", ["layer.fact", "layer.state", "layer.event", "layer.decision", "action.pin"])
def test_one_colour_icons_take_the_colour(qapp: QApplication, role: str) -> None:
    for colour in ("#A84F08", "#8FB3E8"):
        assert _inked(role, colour, 48)[1] == {colour}


def test_every_file_serves_a_role(qapp: QApplication) -> None:
    icons = Icons()
    assert {path.name for path in resource("icons").glob("*.svg")} == set(icons._files.values())


def test_the_states_of_the_tray_look_different(qapp: QApplication) -> None:
    icons = Icons()
    for template in (False, True):
        pictures = [
            icons.tray(state, template=template).pixmap(22, 22).toImage() for state in ("calm", "busy", "trouble")
        ]
        assert pictures[0] != pictures[1] != pictures[2] != pictures[0]
    assert icons.tray("calm", template=True).isMask()


def test_a_sharp_screen_gets_more_pixels(qapp: QApplication) -> None:
    pixmap = Icons().pixmap("action.edit", QColor("black").name(), 16, 2.0)
    assert pixmap.width() == 32 and pixmap.devicePixelRatio() == 2.0
