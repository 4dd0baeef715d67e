"""The greeting of both ends: each proves that it knows the token, neither shows it.

A squatter of a stale port gets a nonce and a name, never the token nor a line of MCP: the client sends its own
proof only after the server's was right. Standard library only, no asyncio import (the shim uses the client side;
the server side gets its streams handed in). Must not read or write the endpoint file.
"""

from __future__ import annotations

import json
import os
import socket
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter

PROTOCOL = 1
SECONDS = 5.0
PURPOSES = ("mcp", "control")
_LONGEST_LINE = 4096


class HelloFailed(Exception):
    """The other side is not what it should be. ``code``: a slug such as "wrong_server", "wrong_token", "timeout"."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Hello:
    """What a client said of itself, after its proof was right."""

    __slots__ = ("client", "profile", "purpose", "version")

    def __init__(self, purpose: str, profile: str, client: str, version: str) -> None:
        self.purpose = purpose
        self.profile = profile
        self.client = client
        self.version = version


def new_token() -> str:
    """A fresh 256-bit secret, 64 hex digits."""
    return os.urandom(32).hex()


def proof(token: str, side: str, first_nonce: str, second_nonce: str) -> str:
    """HMAC-SHA256 over ``side|first|second``; ``side`` keeps one end's proof from serving as the other's."""
    import hmac  # late: the shim needs it only once it has found a host

    return hmac.new(token.encode(), f"{side}|{first_nonce}|{second_nonce}".encode(), "sha256").hexdigest()


def _same(one: object, other: str) -> bool:
    import hmac

    return isinstance(one, str) and hmac.compare_digest(one.encode(), other.encode())


def _line(fields: dict[str, object]) -> bytes:
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def _object(line: bytes) -> dict[str, object]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise HelloFailed("not_hupo") from None
    if not isinstance(found, dict):
        raise HelloFailed("not_hupo")
    return found


def _nonce(found: dict[str, object]) -> str:
    nonce = found.get("nonce")
    if not isinstance(nonce, str) or not 16 <= len(nonce) <= 128 or not nonce.isascii() or not nonce.isalnum():
        raise HelloFailed("not_hupo")
    return nonce


def greet(
    link: socket.socket,
    token: str,
    *,
    purpose: str,
    client: str,
    version: str,
    profile: str = "core",
    seconds: float = SECONDS,
) -> tuple[str, bytes]:
    """The client's side, blocking, within ``seconds``. Returns (the host's version, bytes read beyond the greeting).

    Errors: :class:`HelloFailed`, ``OSError``. The caller closes the socket.
    """
    lines = _Lines(link, time.monotonic() + seconds)
    mine = os.urandom(16).hex()
    link.sendall(
        _line(
            {
                "hupo": PROTOCOL,
                "nonce": mine,
                "purpose": purpose,
                "profile": profile,
                "client": client,
                "version": version,
            }
        )
    )
    answer = _object(lines.next())
    if "error" in answer:
        raise HelloFailed(str(answer["error"]))
    theirs = _nonce(answer)
    if not _same(answer.get("proof"), proof(token, "server", mine, theirs)):
        raise HelloFailed("wrong_server")
    link.sendall(_line({"proof": proof(token, "client", theirs, mine)}))
    verdict = _object(lines.next())
    if verdict.get("ok") is not True:
        raise HelloFailed(str(verdict.get("error", "refused")))
    return str(verdict.get("version", "")), bytes(lines.rest)


class _Lines:
    """Short lines from a blocking socket until a deadline."""

    def __init__(self, link: socket.socket, deadline: float) -> None:
        self._link = link
        self._deadline = deadline
        self.rest = bytearray()

    def next(self) -> bytes:
        while True:
            line, newline, after = self.rest.partition(b"\n")
            if newline:
                self.rest = after
                return bytes(line)
            if len(self.rest) > _LONGEST_LINE:
                raise HelloFailed("not_hupo")
            left = self._deadline - time.monotonic()
            if left <= 0:
                raise HelloFailed("timeout")
            self._link.settimeout(left)
            try:
                chunk = self._link.recv(_LONGEST_LINE)
            except TimeoutError:
                raise HelloFailed("timeout") from None
            if not chunk:
                raise HelloFailed("hung_up")
            self.rest += chunk


async def receive(reader: StreamReader, writer: StreamWriter, token: str) -> Hello:
    """The server's side up to the client's proof; the caller bounds the time and then sends the verdict.

    Errors: :class:`HelloFailed` (the caller answers with :func:`refuse`), ``ConnectionError``.
    """
    opening = _object(await _short_line(reader))
    if opening.get("hupo") != PROTOCOL:
        raise HelloFailed("not_hupo")
    theirs = _nonce(opening)
    said = [opening.get(name, "") for name in ("purpose", "profile", "client", "version")]
    if not all(isinstance(part, str) and len(part) <= 200 for part in said) or said[0] not in PURPOSES:
        raise HelloFailed("bad_hello")
    mine = os.urandom(16).hex()
    writer.write(_line({"nonce": mine, "proof": proof(token, "server", theirs, mine)}))
    await writer.drain()
    answer = _object(await _short_line(reader))
    if not _same(answer.get("proof"), proof(token, "client", mine, theirs)):
        raise HelloFailed("wrong_token")
    return Hello(*(str(part) for part in said))


async def _short_line(reader: StreamReader) -> bytes:
    """One line of at most a few KiB, whatever the stream's own limit is."""
    line = bytearray()
    while not line.endswith(b"\n"):
        byte = await reader.read(1)
        if not byte:
            raise HelloFailed("hung_up")
        line += byte
        if len(line) > _LONGEST_LINE:
            raise HelloFailed("not_hupo")
    return bytes(line)


def accept(writer: StreamWriter, version: str) -> None:
    """Tell the client that it is in."""
    writer.write(_line({"ok": True, "version": version}))


def refuse(writer: StreamWriter, code: str) -> None:
    """Tell the client why not; ``code`` is a slug."""
    writer.write(_line({"error": code}))
