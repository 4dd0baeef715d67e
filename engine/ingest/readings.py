"""What was read out of texts lately, kept for a while: a write looks at the same few neighbours as the one before.

Bounded, thread-safe, and only a memory: a reading is made again when it is gone. Must not read rows.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

from cachetools import LRUCache

from engine.ingest.judge_words import Wording, wording
from engine.text.segmentation import Segmenter

T = TypeVar("T")
# A few kilobytes each.
_KEPT: Final = 1_024


class Readings:
    """Readings made with ``segmenter``."""

    def __init__(self, segmenter: Segmenter) -> None:
        self.segmenter = segmenter
        self._guard = threading.Lock()
        self._kept: LRUCache[tuple[Callable[..., Any], str], Any] = LRUCache(_KEPT)

    def read(self, how: Callable[[str, Wording], T], text: str) -> T:
        """``how(text, its wording)``; ``how`` is pure, so that an earlier result is as good."""
        made: T = self._found((how, text), lambda: how(text, self.wording(text)))
        return made

    def wording(self, text: str) -> Wording:
        """The words of ``text``, which every reading begins with."""
        made: Wording = self._found((wording, text), lambda: wording(text, self.segmenter))
        return made

    def _found(self, key: tuple[Callable[..., Any], str], make: Callable[[], Any]) -> Any:
        with self._guard:
            found = self._kept.get(key)
        if found is None:
            found = make()
            with self._guard:
                self._kept[key] = found
        return found

    def forget(self) -> None:
        """After an erase: no text stays."""
        with self._guard:
            self._kept.clear()
