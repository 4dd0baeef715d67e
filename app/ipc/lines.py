"""Lines of JSON-RPC: cutting a byte stream into them and seeing what each is, without touching its bytes.

Standard library only and light: the shim imports it on every start. Must not answer anything itself.
"""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

LONGEST_LINE = 64 * 1024 * 1024
# Up to here a client's line is parsed as a whole; above, its head is looked at first.
_PARSED_AT_ONCE = 1024 * 1024
_HEAD = re.compile(
    rb'\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(-?\d{1,18}|"[^"\\\x00-\x1f]{1,200}")\s*,\s*"(\w+)"'
)
_METHOD = re.compile(rb'\s*:\s*"([\w/]{1,100})"\s*,')

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603


class Splitter:
    """Bytes in, whole lines out (without their newline). A line over ``limit`` bytes is dropped and counted once."""

    def __init__(self, limit: int = LONGEST_LINE) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._skipping = False
        self.too_long = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that ``chunk`` completes, in order; blank lines are left out."""
        pieces = chunk.split(b"\n")
        lines: list[bytes] = []
        for piece in pieces[:-1]:
            self._keep(piece)
            if not self._skipping:
                line = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
                if line and not line.isspace():
                    lines.append(line)
            self._parts.clear()
            self._size = 0
            self._skipping = False
        self._keep(pieces[-1])
        return lines

    def _keep(self, piece: bytes) -> None:
        if self._skipping or not piece:
            return
        self._size += len(piece)
        if self._size > self._limit:
            self._skipping = True
            self.too_long += 1
            self._parts.clear()
            return
        self._parts.append(piece)


class Message:
    """What a line is. ``kind``: "request", "notification", "response" or "invalid" (then ``error`` tells why).

    ``key`` names the id for tables (1 and "1" differ); ``params`` is None for a line of which only the head was read.
    """

    __slots__ = ("error", "id", "key", "kind", "method", "params")

    def __init__(self, kind: str, identifier: Any = None, method: str = "", params: Any = None, error: int = 0) -> None:
        self.kind = kind
        self.id = identifier
        self.key = key_of(identifier)
        self.method = method
        self.params = params
        self.error = error


def key_of(identifier: Any) -> str:
    """A hashable name of a JSON-RPC id."""
    return json.dumps(identifier)


def read(line: bytes, *, head_first: bool = False) -> Message:
    """See what ``line`` is. ``head_first``: trust a head in canonical order (the app's own lines) at any length."""
    if head_first or len(line) > _PARSED_AT_ONCE:
        found = _from_head(line)
        if found is not None:
            return found
    try:
        value = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return Message("invalid", error=PARSE_ERROR)
    return _from_value(value)


def _from_head(line: bytes) -> Message | None:
    head = _HEAD.match(line)
    if head is None:
        return None
    identifier = json.loads(head[1])
    if head[2] in (b"result", b"error"):
        return Message("response", identifier)
    if head[2] == b"method":
        method = _METHOD.match(line, head.end())
        # The era and the handshake are read from params: those methods are always parsed as a whole.
        if method is not None and method[1] == b"tools/call":
            return Message("request", identifier, "tools/call")
    return None


def _from_value(value: Any) -> Message:
    if not isinstance(value, dict):
        return Message("invalid", error=INVALID_REQUEST)
    identifier = value.get("id")
    known = isinstance(identifier, str | int) and not isinstance(identifier, bool)
    method = value.get("method")
    if value.get("jsonrpc") != "2.0":
        return Message("invalid", identifier if known else None, error=INVALID_REQUEST)
    if isinstance(method, str):
        if "id" not in value:
            return Message("notification", method=method, params=value.get("params"))
        if known:
            return Message("request", identifier, method, value.get("params"))
    elif method is None and known and ("result" in value or "error" in value):
        return Message("response", identifier)
    return Message("invalid", identifier if known else None, error=INVALID_REQUEST)


def encode(message: Json) -> bytes:
    """One line, UTF-8 as it is. A lone surrogate, which UTF-8 can not carry, stays an escape."""
    try:
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def result(identifier: Any, value: Json) -> Json:
    """A JSON-RPC answer."""
    return {"jsonrpc": "2.0", "id": identifier, "result": value}


def error(identifier: Any, code: int, message: str, data: Any = None) -> Json:
    """A JSON-RPC error; ``data`` is left out when None."""
    body: Json = {"code": code, "message": message}
    if data is not None:
        body["data"] = data
    return {"jsonrpc": "2.0", "id": identifier, "error": body}
