"""Chinese words by dictionary: the only importer of jieba and rjieba.

rjieba (the same dictionary and algorithm, compiled, 14 times faster) where it is installed, else jieba. The
dictionary loads on first use. Must not print, log, warn, or write into a shared temporary directory.
"""

from __future__ import annotations

import logging
import re
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol

_SAYS_SOMETHING: Final = re.compile(r"[^\W_]")
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


class _Backend(Protocol):
    def cut(self, text: str) -> list[str]: ...

    def cut_for_search(self, text: str) -> list[str]: ...

    def tag(self, text: str) -> list[tuple[str, str]]: ...

    def add_word(self, word: str) -> None: ...


class Segmenter:
    """Cuts text into words. Thread-safe. ``cache_dir``: a private directory for jieba's dictionary cache, None = no
    cache (rjieba needs none). ``backend``: which one is in use, "rjieba" or "jieba", after the first call.
    """

    def __init__(self, cache_dir: Path | None) -> None:
        self._cache_dir = cache_dir
        self._lock = threading.Lock()
        self._backend: _Backend | None = None
        self.backend = ""

    def words(self, text: str) -> list[str]:
        """The words of ``text`` in order, as written; blanks and punctuation left out."""
        return [word for word in self._ready().cut(_UNSTORABLE.sub(" ", text)) if _SAYS_SOMETHING.search(word)]

    def search_words(self, text: str) -> list[str]:
        """Like ``words``, with the shorter words inside long ones as well."""
        cut = self._ready().cut_for_search(_UNSTORABLE.sub(" ", text))
        return [word for word in cut if _SAYS_SOMETHING.search(word)]

    def tagged(self, text: str) -> list[tuple[str, str]]:
        """The words of ``text`` in order, each with jieba's part of speech: "n", "v", "ns" …; a guess at best."""
        found = self._ready().tag(_UNSTORABLE.sub(" ", text))
        return [(word, tag) for word, tag in found if _SAYS_SOMETHING.search(word)]

    def add_word(self, word: str) -> None:
        """From now on ``word`` is kept in one piece. A blank word is ignored."""
        if word.strip():
            self._ready().add_word(_UNSTORABLE.sub("", word.strip()))

    def _ready(self) -> _Backend:
        with self._lock:
            if self._backend is None:
                try:
                    self._backend, self.backend = _Compiled(), "rjieba"
                except ImportError:
                    self._backend, self.backend = _Python(self._cache_dir), "jieba"
            return self._backend


class _Compiled:
    """rjieba's own dictionary, loaded by its import: a second one would cost 24 MB. Added words hold process-wide."""

    # It cuts without the interpreter's lock, and a word that comes meanwhile raises "Already borrowed". The dictionary
    # is one for the process, and so is its lock.
    _lock: ClassVar = threading.Lock()

    def __init__(self) -> None:
        import rjieba

        self._jieba: Any = rjieba

    def cut(self, text: str) -> list[str]:
        with self._lock:
            words: list[str] = self._jieba.cut(text)
        return words

    def cut_for_search(self, text: str) -> list[str]:
        with self._lock:
            words: list[str] = self._jieba.cut_for_search(text)
        return words

    def tag(self, text: str) -> list[tuple[str, str]]:
        with self._lock:
            tagged: list[tuple[str, str]] = self._jieba.tag(text)
        return tagged

    def add_word(self, word: str) -> None:
        with self._lock:
            self._jieba.add_word(word, None, None)


class _Python:
    """jieba with a dictionary of its own."""

    def __init__(self, cache_dir: Path | None) -> None:
        with _quiet():
            import jieba

            jieba.setLogLevel(logging.CRITICAL)
            self._tokenizer: Any = jieba.Tokenizer()
            self._tagger: Any = None
            if cache_dir is None:
                # What ``initialize`` does, without its cache: that one goes to a fixed name in the temp directory.
                self._tokenizer.FREQ, self._tokenizer.total = self._tokenizer.gen_pfdict(
                    self._tokenizer.get_dict_file()
                )
                self._tokenizer.initialized = True
            else:
                self._tokenizer.tmp_dir = str(cache_dir)
                self._tokenizer.initialize()

    def cut(self, text: str) -> list[str]:
        return list(self._tokenizer.cut(text))

    def cut_for_search(self, text: str) -> list[str]:
        return list(self._tokenizer.cut_for_search(text))

    def tag(self, text: str) -> list[tuple[str, str]]:
        if self._tagger is None:
            with _quiet():
                from jieba.posseg import POSTokenizer

            self._tagger = POSTokenizer(self._tokenizer)
        return [(pair.word, pair.flag) for pair in self._tagger.cut(text)]

    def add_word(self, word: str) -> None:
        self._tokenizer.add_word(word)


@contextmanager
def _quiet() -> Iterator[None]:
    """jieba's import compiles invalid escapes and pulls in pkg_resources, slow and deprecated, where it finds it."""
    name = "pkg_resources"
    blocked = name not in sys.modules
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if blocked:
            sys.modules[name] = None  # type: ignore[assignment]
        try:
            yield
        finally:
            if blocked:
                sys.modules.pop(name, None)
