"""What the command line prints: results on stdout, progress and trouble on stderr, in the user's language.

The words for errors come from ``gui.messages`` (no Qt in it), so that windows and terminal say the same. Must not
know any command.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from app import paths


class Terminal:
    """Standard output and error of one command."""

    def __init__(self, data: str, *, as_json: bool) -> None:
        self._data = data
        self.as_json = as_json

    def result(self, value: Mapping[str, Any], text: str) -> None:
        """The command's result: ``value`` with ``--json``, else ``text``."""
        print(json.dumps(value, ensure_ascii=False) if self.as_json else text, flush=True)

    def line(self, text: str) -> None:
        """A line for people while the command works; nothing with ``--json``."""
        if not self.as_json:
            print(text, flush=True)

    def progress(self, text: str) -> None:
        """A line on stderr."""
        print(text, file=sys.stderr, flush=True)

    def fail(self, code: str, fields: Mapping[str, object]) -> int:
        """One clear line on stderr; returns exit code 1."""
        self.progress(f"hupo: {self.sentence(code, fields)}")
        return 1

    def sentence(self, code: str, fields: Mapping[str, object]) -> str:
        """What went wrong and what to do."""
        from gui import messages, texts

        return messages.of_code(code, fields, texts.Texts(self.language())).line

    def language(self) -> Any:
        """ "zh" or "en", as the user's settings and system say."""
        from engine import HupoError, Settings
        from gui import texts

        try:
            wish = Settings(_path(paths.settings_file(self._data)))["interface.language"]
        except (HupoError, OSError):
            wish = "auto"
        return texts.resolve(wish)


def _path(name: str) -> Any:
    from pathlib import Path

    return Path(name)
