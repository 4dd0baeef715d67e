"""Reads the small word lists and tables that ship in ``resources/text``.

Only for files that are part of the program. Must not read anything of the user's, nor cache: a caller
reads its table once, when its module is imported.
"""

from __future__ import annotations

from pathlib import Path

_DIRECTORY = Path(__file__).resolve().parents[2] / "resources" / "text"


def read_words(name: str) -> list[str]:
    """The white-space separated entries of ``resources/text/<name>``, comment lines (``#``) left out."""
    lines = (_DIRECTORY / name).read_text(encoding="utf-8").splitlines()
    return [word for line in lines if not line.startswith("#") for word in line.split()]
