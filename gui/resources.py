"""Where the pictures and texts that ship with Hupo lie: in the checkout, in the wheel and in the frozen build alike.

Must not read anything; ``texts.py`` and ``icons.py`` do. Imports no Qt.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "resources"


def resource(*parts: str) -> Path:
    """Path of a shipped file or folder below ``resources/``."""
    return ROOT.joinpath(*parts)
