"""Words that Chinese segmentation is to keep in one piece: the user's own, and the names that memories know.

From a file of the user's (``words.txt`` beside the database, a word a line), a parameter, aliases, and people and
topics as they are named. A word that was learnt stays until the next start. Must not read memories (who calls it does).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from engine.text.segmentation import Segmenter

FILE_NAME: Final = "words.txt"
LONGEST: Final = 16
# A file that is longer than this is none of a user's words.
_MOST_BYTES: Final = 4 * 1024 * 1024
_CHINESE: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_BREAKS: Final = re.compile(r"[,，;；、\n\r]+")


class Vocabulary:
    """What ``segmenter`` was taught. Thread-safe as far as the segmenter is: a word taught twice does no harm."""

    def __init__(self, segmenter: Segmenter) -> None:
        self._segmenter = segmenter
        self._known: set[str] = set()

    def learn(self, words: Iterable[str]) -> int:
        """Teach words of 2–16 characters with Chinese in them; others need no dictionary. Returns how many are new."""
        new = [
            word
            for word in dict.fromkeys(one.strip() for one in words)
            if 2 <= len(word) <= LONGEST and word not in self._known and _CHINESE.search(word) and " " not in word
        ]
        for word in new:
            self._segmenter.add_word(word)
        self._known.update(new)
        return len(new)

    def learn_file(self, path: Path) -> int:
        """Teach the words of a file, one a line, "#" begins a comment; a file that is not there or no text has none."""
        try:
            text = path.read_bytes()[:_MOST_BYTES].decode("utf-8-sig", "replace")
        except OSError:
            return 0
        return self.learn(line.split("#", 1)[0] for line in text.splitlines())


def listed(text: str) -> list[str]:
    """The words of a line as people list them: between commas of either width, semicolons or 、."""
    return [word for word in (one.strip() for one in _BREAKS.split(text)) if word]
