"""The host's log: a rotating file, and stderr for a host in the foreground. Never memory text.

Tracebacks keep places and kinds, not the words of foreign exceptions: those may quote what they choked on.
"""

from __future__ import annotations

import logging
import os
import sys
import traceback
from logging.handlers import RotatingFileHandler
from types import TracebackType

from app import paths

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_BYTES = 1024 * 1024
_KEPT = 3
# Packages whose chatter may quote messages.
_QUIET = ("mcp", "asyncio", "httpx", "httpcore", "jieba")


class PlacesOnly(logging.Formatter):
    """Formats an exception as its frames and kind. The engine's own errors and the system's hold no memory text
    and keep their words."""

    def formatException(
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None],
    ) -> str:
        """The lines of one exception and those it came from."""
        parts: list[str] = []
        error = ei[1]
        seen: set[int] = set()
        while error is not None and id(error) not in seen:
            seen.add(id(error))
            kept = isinstance(error, OSError) or type(error).__module__.startswith("engine.")
            words = f": {error}" if kept else ""
            frames = "".join(traceback.format_tb(error.__traceback__))
            parts.append(f"{frames}{type(error).__module__}.{type(error).__qualname__}{words}")
            error = error.__cause__ or error.__context__
        return "\ncaused by:\n".join(parts)


class _LogFile(RotatingFileHandler):
    """A file that can not be written now (no room) costs its lines, and never a traceback on the terminal."""

    def handleError(self, record: logging.LogRecord) -> None:
        """Only what is no trouble with the disk is a bug and reported as one."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


def set_up(data: str, *, foreground: bool) -> str | None:
    """Log to the data directory; returns the file's path, None where it can not be written.

    Without a file (or with ``foreground``) the log goes to stderr.
    """
    root = logging.getLogger()
    for old in tuple(root.handlers):
        root.removeHandler(old)
        old.close()
    root.setLevel(logging.INFO)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    written = _file_handler(data)
    if written is not None:
        root.addHandler(written)
    if sys.stderr is not None and (foreground or written is None):
        stream = logging.StreamHandler(sys.stderr)
        stream.setFormatter(PlacesOnly(_FORMAT))
        stream.setLevel(logging.WARNING)
        root.addHandler(stream)
    logging.captureWarnings(True)
    return None if written is None else paths.log_file(data)


def _file_handler(data: str) -> logging.Handler | None:
    try:
        paths.ensure_private(paths.log_directory(data))
        handler = _LogFile(paths.log_file(data), maxBytes=_BYTES, backupCount=_KEPT, encoding="utf-8")
    except OSError:
        return None
    if os.name == "posix":
        os.chmod(paths.log_file(data), 0o600)
    handler.setFormatter(PlacesOnly(_FORMAT))
    return handler
