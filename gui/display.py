"""Is there a screen to open a window on? Asked before Qt is loaded, for Qt ends the process where there is none.

Imports no Qt.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

_SCREENLESS_PLATFORMS = ("offscreen", "minimal", "vnc", "linuxfb", "eglfs")


def available(environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> bool:
    """True when Qt can open windows. Windows and macOS always have a screen; others need a display server's address.

    A chosen ``QT_QPA_PLATFORM`` that needs no server counts as a screen (tests, pictures).
    """
    given = os.environ if environment is None else environment
    if platform.startswith("win") or platform == "darwin":
        return True
    chosen = given.get("QT_QPA_PLATFORM", "").split(":", 1)[0]
    if chosen in _SCREENLESS_PLATFORMS:
        return True
    return bool(given.get("DISPLAY") or given.get("WAYLAND_DISPLAY"))
