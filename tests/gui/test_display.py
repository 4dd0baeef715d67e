"""Whether a screen is there, asked before Qt is loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gui import display


@pytest.mark.parametrize(
    ("environment", "platform", "expected"),
    [
        ({}, "linux", False), ({"DISPLAY": ""}, "linux", False), ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True), ({"QT_QPA_PLATFORM": "offscreen"}, "linux", True),
        ({"QT_QPA_PLATFORM": "offscreen:x=1"}, "linux", True), ({"QT_QPA_PLATFORM": "xcb"}, "linux", False),
        ({}, "win32", True), ({}, "darwin", True),
    ],
)  # fmt: skip
def test_available(environment: dict[str, str], platform: str, expected: bool) -> None:
    assert display.available(environment, platform) is expected


def test_what_the_command_line_uses_loads_no_qt() -> None:
    code = (
        "import sys, gui, gui.display, gui.messages, gui.ports, gui.texts, gui.dates\n"
        "sys.exit(any(name.startswith('PySide6') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
