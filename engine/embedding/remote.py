"""An OpenAI-compatible ``/embeddings`` service over httpx, when the user has set one up.

Nothing of an answer is trusted: count, order, dimension and numbers are checked. A server that failed
is left alone until its retry time, so that a dead one costs nothing. The key is fetched for each request
and appears in no error and no log. Must not fall back to another model: vectors would be mixed.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import unquote, urlsplit, urlunsplit

from engine.embedding.backoff import Backoff, retry_after_seconds
from engine.errors import EmbedderUnavailable

if TYPE_CHECKING:
    import httpx

    from engine.embedding.embedder import Vector

BATCH = 64
# Services take about 8,000 tokens a text; a Chinese character may be more than one token.
MAX_CHARACTERS = 6_000
MAX_ANSWER_BYTES = 64 * 1024 * 1024
# Services refuse an empty text, and one such text would fail its whole batch.
BLANK = "."


class _Failure(Exception):
    """One request failed. ``wait``: what the server asked for, in seconds."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait = wait


@dataclass(frozen=True, slots=True)
class _Address:
    """``endpoint`` and ``host`` (with its port) hold no user name and no password: they may be logged."""

    endpoint: str
    host: str
    login: tuple[str, str] | None = field(repr=False)


class RemoteEmbedder:
    """Vectors from ``{url}/embeddings``. Unit length is made here, whatever the service sends.

    Reasons in ``EmbedderUnavailable``: not_configured, bad_url, bad_key, bad_proxy, unreachable, timeout, rate_limited,
    refused (401, 403), rejected (other 4xx and redirects), server_error, bad_answer, wrong_dimension, closed.
    """

    loaded = True

    def __init__(
        self,
        url: str,
        model: str,
        api_key: Callable[[], str | None],
        dimension: int = 0,
        timeout: float = 10.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """``dimension`` 0 = learned from the first answer. ``timeout``: seconds to connect, to wait, to receive.

        Never raises: what is wrong with the arguments is reported by the first call.
        """
        self._configured = bool(url.strip() and model.strip())
        self._address = _address(url.strip())
        self._name = model.strip()
        self._api_key = api_key
        self._timeout = timeout
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None
        self._closed = False
        self._dimension = dimension
        self._backoff = Backoff(monotonic)

    @property
    def identity(self) -> str:
        """``remote/<host>/<model>/<dimension>``; "" until the dimension is known."""
        if not (self._address and self._name and self._dimension):
            return ""
        return f"remote/{self._address.host}/{self._name}/{self._dimension}"

    @property
    def dimension(self) -> int:
        """As set, or as learned; 0 before the first answer."""
        return self._dimension

    def embed_passages(self, texts: Sequence[str]) -> Vector:
        """float32 [texts, dimension], unit length; in requests of up to 64 texts. Errors: ``EmbedderUnavailable``."""
        import numpy as np

        if not texts:
            return np.zeros((0, self._dimension), np.float32)
        parts = [self._embed(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)]
        return np.concatenate(parts)

    def embed_query(self, text: str) -> Vector:
        """float32 [dimension], unit length. Errors: ``EmbedderUnavailable``."""
        vector: Vector = self._embed([text])[0]
        return vector

    def unload(self) -> None:
        """Close idle connections; the next call opens one again."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def close(self) -> None:
        """Close for good."""
        with self._lock:
            self._closed = True
        self.unload()

    def _embed(self, texts: Sequence[str]) -> Vector:
        address = self._ready()
        try:
            vectors = self._vectors(self._ask(address, texts), len(texts))
        except _Failure as failure:
            # "from None": a transport error's text may hold the address with what the user put into it.
            self._unavailable(failure.reason, self._backoff.failed(failure.reason, failure.wait))
        self._backoff.succeeded()
        return vectors

    def _ready(self) -> _Address:
        """Where to ask. Errors: ``EmbedderUnavailable``, without asking the server."""
        if self._closed:
            self._unavailable("closed", None)
        if not self._configured:
            self._unavailable("not_configured", None)
        if self._address is None:
            self._unavailable("bad_url", None)
        waiting = self._backoff.waiting()
        if waiting is not None:
            self._unavailable(*waiting)
        return self._address

    def _unavailable(self, reason: str, retry_after: float | None) -> NoReturn:
        raise EmbedderUnavailable(reason=reason, identity=self.identity, retry_after=retry_after) from None

    def _ask(self, address: _Address, texts: Sequence[str]) -> Any:
        """The parsed answer. Errors: ``_Failure``."""
        import httpx

        body = {
            "model": self._name,
            "input": [_sendable(text) for text in texts],
            "encoding_format": "float",
        }
        headers = self._headers()
        # A key of its own goes before what stands in the address.
        login = None if headers else address.login
        deadline = self._monotonic() + self._timeout
        try:
            with self._open().stream("POST", address.endpoint, json=body, headers=headers, auth=login) as answer:
                self._check_status(answer)
                received = bytearray()
                for chunk in answer.iter_bytes():
                    received += chunk
                    if self._monotonic() > deadline:
                        raise _Failure("timeout")
                    if len(received) > MAX_ANSWER_BYTES:
                        raise _Failure("bad_answer")
        except httpx.TimeoutException:
            raise _Failure("timeout") from None
        except httpx.InvalidURL:
            raise _Failure("bad_url") from None
        except (httpx.DecodingError, httpx.RemoteProtocolError):
            raise _Failure("bad_answer") from None
        except (httpx.HTTPError, RuntimeError):
            # RuntimeError: the client was closed by another thread in the middle of this.
            raise _Failure("unreachable") from None
        try:
            return json.loads(received)
        except (ValueError, RecursionError):
            raise _Failure("bad_answer") from None

    def _open(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._closed:
                self._unavailable("closed", None)
            if self._client is None:
                try:
                    self._client = httpx.Client(timeout=self._timeout, follow_redirects=False)
                except (ImportError, ValueError):
                    # A proxy in the environment that httpx can not use, SOCKS without its extra for one.
                    raise _Failure("bad_proxy") from None
            return self._client

    def _headers(self) -> dict[str, str]:
        key = (self._api_key() or "").strip()
        if not key:
            return {}
        # The transport would quote a bad value in its error.
        if not (key.isascii() and key.isprintable()):
            raise _Failure("bad_key")
        return {"Authorization": f"Bearer {key}"}

    @staticmethod
    def _check_status(answer: httpx.Response) -> None:
        status = answer.status_code
        if status == 200:
            return
        wait = retry_after_seconds(answer.headers.get("retry-after"))
        if status == 429:
            raise _Failure("rate_limited", wait)
        if status in (401, 403):
            raise _Failure("refused")
        raise _Failure("server_error", wait) if status >= 500 else _Failure("rejected")

    def _vectors(self, answer: Any, count: int) -> Vector:
        """float32 [count, dimension] of unit length, in the order asked. Errors: ``_Failure``."""
        import numpy as np

        rows = _in_order(answer, count)
        try:
            matrix = np.array(rows, dtype=np.float64)
        except (ValueError, TypeError, OverflowError):
            raise _Failure("bad_answer") from None
        if matrix.ndim != 2 or matrix.shape[1] == 0 or not np.isfinite(matrix).all():
            raise _Failure("bad_answer")
        # By the largest number first: squares of very large or small numbers leave the range.
        peaks = np.abs(matrix).max(axis=1, keepdims=True)
        if not peaks.all():
            raise _Failure("bad_answer")
        with self._lock:
            if self._dimension == 0:
                self._dimension = matrix.shape[1]
            if matrix.shape[1] != self._dimension:
                raise _Failure("wrong_dimension")
        matrix /= peaks
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
        return matrix.astype(np.float32)


def _in_order(answer: Any, count: int) -> list[Any]:
    """The vectors by their ``index`` (by their place when none has one). Errors: ``_Failure``."""
    entries = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(entries, list) or len(entries) != count or not all(isinstance(e, dict) for e in entries):
        raise _Failure("bad_answer")
    places = [entry.get("index") for entry in entries]
    if all(place is None for place in places):
        places = list(range(count))
    found = {place: entry.get("embedding") for place, entry in zip(places, entries, strict=True) if type(place) is int}
    if found.keys() != set(range(count)):
        raise _Failure("bad_answer")
    rows = [found[place] for place in range(count)]
    if not all(isinstance(row, list) and all(type(number) in (int, float) for number in row) for row in rows):
        raise _Failure("bad_answer")
    return rows


def _sendable(text: str) -> str:
    """``text`` as a service accepts it: not blank, not endless, no half surrogate pairs."""
    cut = text[:MAX_CHARACTERS]
    return cut.encode("utf-8", "replace").decode("utf-8") if cut.strip() else BLANK


def _address(url: str) -> _Address | None:
    """The parts of an http(s) address; None when it is not one, or has a query (which could hold a key)."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        return None
    place = f"[{host}]" if ":" in host else host
    place = f"{place}:{port}" if port else place
    endpoint = urlunsplit((parts.scheme, place, parts.path.rstrip("/") + "/embeddings", "", ""))
    login = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    return _Address(endpoint, place, login)
