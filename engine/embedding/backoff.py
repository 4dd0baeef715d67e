"""When a server that failed may be asked again: exponential, or as long as the server said.

Knows nothing of HTTP but the Retry-After header. Must not sleep: callers come back later.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST_SECONDS = 1.0
LONGEST_SECONDS = 300.0
# A server may ask for more than our own longest wait, but not for ever.
LONGEST_ASKED_SECONDS = 3_600.0


class Backoff:
    """State of one server; thread-safe. ``monotonic`` gives seconds that never go back."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._failures = 0
        self._until = 0.0
        self._reason = ""

    def waiting(self) -> tuple[str, float] | None:
        """Why and for how many seconds the server is left alone; None when it may be asked."""
        with self._lock:
            left = self._until - self._monotonic()
            return (self._reason, left) if self._failures and left > 0 else None

    def failed(self, reason: str, asked: float | None = None) -> float:
        """Note a failure; seconds until the next try: 1, 2, 4 … 300, or as ``asked`` by the server."""
        with self._lock:
            now = self._monotonic()
            # Several threads may fail on the same outage; it counts once.
            if not self._failures or now >= self._until:
                self._failures += 1
            seconds = min(FIRST_SECONDS * 2 ** min(self._failures - 1, 16), LONGEST_SECONDS)
            if asked is not None:
                seconds = max(FIRST_SECONDS, min(asked, LONGEST_ASKED_SECONDS))
            self._until = max(self._until, now + seconds)
            self._reason = reason
            return self._until - now

    def succeeded(self) -> None:
        """The server answered well: forget the failures."""
        with self._lock:
            self._failures = 0
            self._until = 0.0
            self._reason = ""


def retry_after_seconds(header: str | None) -> float | None:
    """Seconds from a Retry-After header (a number or an HTTP date, RFC 9110); None when absent or unreadable."""
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.isdigit():
        return min(float(text), LONGEST_ASKED_SECONDS)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
