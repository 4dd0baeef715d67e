"""What was read out of texts lately, kept for a while: a write looks at the same few neighbours as the one before.

Bounded, thread-safe, and only a memory: a reading is made again when it is gone. Must not read rows.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar

from cachetools import LRUCache

from engine.ingest.judge_words import Wording, wording
from engine.text.segmentation import Segmenter

T = TypeVar("T")
_Key = tuple[Callable[..., Any], Hashable]
_Cache = LRUCache[_Key, Any]
# A few kilobytes each. Of the wordings only those of the write at hand are asked for twice.
_KEPT: Final = 3_000
_WORDINGS: Final = 64


class Readings:
    """Readings made with ``segmenter``."""

    def __init__(self, segmenter: Segmenter) -> None:
        self.segmenter = segmenter
        self._guard = threading.Lock()
        self._kept: _Cache = LRUCache(_KEPT)
        self._wordings: _Cache = LRUCache(_WORDINGS)

    def read(self, how: Callable[[str, Wording], T], text: str) -> T:
        """``how(text, its wording)``; ``how`` is pure, so that an earlier result is as good."""
        made: T = self._found(self._kept, (how, text), lambda: how(text, self.wording(text)))
        return made

    def of_text(self, how: Callable[..., T], *parts: Hashable) -> T:
        """``how(*parts, segmenter)``, pure as well: for what is read twice within one write."""
        made: T = self._found(self._wordings, (how, parts), lambda: how(*parts, self.segmenter))
        return made

    def wording(self, text: str) -> Wording:
        """The words of ``text``, which every reading begins with."""
        made: Wording = self._found(self._wordings, (wording, text), lambda: wording(text, self.segmenter))
        return made

    def _found(self, cache: _Cache, key: _Key, make: Callable[[], Any]) -> Any:
        with self._guard:
            found = cache.get(key)
        if found is None:
            found = make()
            with self._guard:
                cache[key] = found
        return found

    def forget(self) -> None:
        """After an erase: no text stays."""
        with self._guard:
            self._kept.clear()
            self._wordings.clear()
