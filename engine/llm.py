"""An OpenAI-compatible ``/chat/completions`` service over httpx, when the user has set one up.

Everything works without it. One question, one answer: no streaming, no tools, no history. The key is fetched
for each question; it and the texts appear in no error and no log. Redirects are not followed: the key and the
words go to the host that the user named and to no other. Must not know what is asked, nor read parameters.
"""

from __future__ import annotations

import asyncio
import json as encoding
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import unquote, urlsplit, urlunsplit

from engine.errors import ChatUnavailable, Closed

if TYPE_CHECKING:
    import httpx

MAX_ANSWER_BYTES = 1024 * 1024
# The wait before the second try where the server names none.
BACKOFF_SECONDS = 1.0
_PATH = "/chat/completions"


class _Failure(Exception):
    """One try failed. ``again``: a second one may do better, after ``wait`` seconds if the server said so.

    ``turned_down``: perhaps for its ``response_format``, which not every service knows.
    """

    def __init__(
        self, reason: str, *, again: bool = False, wait: float | None = None, turned_down: bool = False
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.again = again
        self.wait = wait
        self.turned_down = turned_down


@dataclass(frozen=True, slots=True)
class _Address:
    """``endpoint`` holds no user name and no password: it may be logged."""

    endpoint: str
    login: tuple[str, str] | None = field(repr=False)


class ChatClient:
    """Answers from ``{url}/chat/completions``. Thread-safe; each question has a connection of its own.

    Reasons in ``ChatUnavailable``: not_configured (no usable url or model), unauthorized (401, 403, or a key that
    can not be sent), rate_limited (429), timeout, refused (no connection, or the request turned down: other 4xx and
    redirects), server (5xx), bad_answer.
    """

    def __init__(self, url: str, model: str, key: Callable[[], str | None], timeout: float = 60.0) -> None:
        """``timeout``: seconds for a whole question, its second try and the wait before it included.

        Never raises: what is wrong with the arguments is reported by the first question.
        """
        self._address = _address(url.strip())
        self._model = model.strip()
        self._key = key
        self._timeout = timeout
        self._lock = threading.Lock()
        self._running: dict[asyncio.Task[Any], asyncio.AbstractEventLoop] = {}
        self._closed = False
        self._json_mode = True

    @property
    def configured(self) -> bool:
        """Whether there is somebody to ask; says nothing of whether he answers."""
        return bool(self._address and self._model)

    def complete(self, messages: Sequence[Mapping[str, str]], *, json: bool = True) -> str:
        """The text of the answer to ``messages`` (role, content). ``json`` asks the service for a JSON object.

        Blocks for up to ``timeout`` seconds, so never on an event loop's thread. The service may still answer
        something that is no JSON. Errors: ``ChatUnavailable``; ``Closed`` (``close`` ends a running question too).
        """
        if self._address is None or not self._model:
            _unavailable("not_configured", None)
        try:
            # A loop of its own for the time limit: httpx bounds each read, and a server can drip for ever.
            return asyncio.run(self._within(self._address, messages, json))
        except _Failure as failure:
            # "from None": a transport error's text may hold the address with what the user put into it.
            _unavailable(failure.reason, failure.wait)
        except TimeoutError:
            _unavailable("timeout", None)
        except asyncio.CancelledError:
            raise Closed() from None

    def close(self) -> None:
        """Close for good and end what is running."""
        with self._lock:
            self._closed = True
            for task, loop in self._running.items():
                loop.call_soon_threadsafe(task.cancel)

    async def _within(self, address: _Address, messages: Sequence[Mapping[str, str]], json: bool) -> str:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None
        with self._lock:
            if self._closed:
                raise Closed()
            self._running[task] = loop
        deadline = loop.time() + self._timeout
        try:
            async with asyncio.timeout_at(deadline):
                return await self._tries(address, messages, json, deadline)
        finally:
            with self._lock:
                del self._running[task]

    async def _tries(
        self, address: _Address, messages: Sequence[Mapping[str, str]], json: bool, deadline: float
    ) -> str:
        """Two at the most. Errors: ``_Failure``; its ``wait`` is what the server asked for."""
        json = json and self._json_mode
        login, headers = self._sender(address)
        async with _client() as client:
            try:
                return await _ask(client, address, _body(self._model, messages, json=json), headers, login)
            except _Failure as failure:
                turned_down = json and failure.turned_down
                wait = BACKOFF_SECONDS if failure.wait is None else failure.wait
                late = asyncio.get_running_loop().time() + wait >= deadline
                if not turned_down and (late or not failure.again):
                    raise
            if not turned_down:
                await asyncio.sleep(wait)
            json = json and not turned_down
            answer = await _ask(client, address, _body(self._model, messages, json=json), headers, login)
        if turned_down:
            # It was that: the next question need not be turned down first.
            self._json_mode = False
        return answer

    def _sender(self, address: _Address) -> tuple[tuple[str, str] | None, dict[str, str]]:
        """Login and headers; a key of its own goes before what stands in the address."""
        # Compressed, an answer of a few bytes could unpack to any size.
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        key = (self._key() or "").strip()
        if not key:
            return address.login, headers
        # The transport would quote a bad value in its error.
        if not (key.isascii() and key.isprintable()):
            raise _Failure("unauthorized")
        return None, {**headers, "Authorization": f"Bearer {key}"}


def _unavailable(reason: str, retry_after: float | None) -> NoReturn:
    raise ChatUnavailable(reason=reason, retry_after=retry_after) from None


def _client() -> httpx.AsyncClient:
    """Its time limits are off: the whole question has one."""
    import httpx

    try:
        return httpx.AsyncClient(timeout=None, follow_redirects=False)
    except (ImportError, ValueError):
        # A proxy in the environment that httpx can not use, SOCKS without its extra for one.
        raise _Failure("refused") from None


def _body(model: str, messages: Sequence[Mapping[str, str]], *, json: bool) -> bytes:
    """Only what every service knows: newer models refuse a temperature, and name the length limit otherwise."""
    body: dict[str, Any] = {"model": model, "messages": [dict(message) for message in messages]}
    if json:
        body["response_format"] = {"type": "json_object"}
    # Half surrogate pairs have no UTF-8 and go as "?".
    return encoding.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


async def _ask(
    client: httpx.AsyncClient, address: _Address, body: bytes, headers: dict[str, str], login: tuple[str, str] | None
) -> str:
    """One try. Errors: ``_Failure``."""
    import httpx

    received = bytearray()
    try:
        async with client.stream("POST", address.endpoint, content=body, headers=headers, auth=login) as answer:
            _check_status(answer)
            async for chunk in answer.aiter_bytes():
                received += chunk
                if len(received) > MAX_ANSWER_BYTES:
                    raise _Failure("bad_answer")
    except (httpx.InvalidURL, UnicodeError):
        # UnicodeError: a name that no name server can be asked for.
        raise _Failure("not_configured") from None
    except (httpx.DecodingError, httpx.RemoteProtocolError):
        raise _Failure("bad_answer", again=True) from None
    except httpx.TimeoutException:
        # The operating system's own limit on connecting.
        raise _Failure("timeout") from None
    except (httpx.HTTPError, OSError):
        raise _Failure("refused", again=True) from None
    return _answer_text(received)


def _check_status(answer: httpx.Response) -> None:
    status = answer.status_code
    if status == 200:
        return
    if status == 429 or status >= 500:
        wait = _retry_after(answer.headers.get("retry-after"), answer.headers.get("date"))
        raise _Failure("rate_limited" if status == 429 else "server", again=True, wait=wait)
    if status in (401, 403):
        raise _Failure("unauthorized")
    raise _Failure("refused" if status >= 300 else "bad_answer", turned_down=status in (400, 422))


def _answer_text(received: bytes | bytearray) -> str:
    """``choices[0].message.content`` as text; some services send it as a list of parts. Errors: ``_Failure``."""
    try:
        content = encoding.loads(received)["choices"][0]["message"]["content"]
        if isinstance(content, list):
            content = "".join(part["text"] for part in content if part.get("type") == "text")
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        raise _Failure("bad_answer") from None
    if not isinstance(content, str) or not content.strip():
        raise _Failure("bad_answer")
    return content


def _retry_after(header: str | None, date: str | None) -> float | None:
    """Seconds from a Retry-After header (RFC 9110): a number, or a moment by the server's own clock ``date``."""
    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        seconds = (parsedate_to_datetime(text) - parsedate_to_datetime(date or "")).total_seconds()
    except (ValueError, TypeError, OverflowError):
        # TypeError: only one of the two names its zone.
        return None
    return max(0.0, seconds)


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
    path = parts.path.rstrip("/").removesuffix(_PATH) + _PATH
    login = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    return _Address(urlunsplit((parts.scheme, place, path, "", "")), login)
