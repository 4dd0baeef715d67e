"""Framing: JSON-RPC messages as lines of UTF-8, in both directions. No protocol beyond JSON-RPC's own errors.

A bad line costs an error answer, never the connection. Text goes out as it is, not as \\u escapes.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, NoReturn

from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)

TOO_LONG = b"\xff"


class BadLine(Exception):
    """A line that is no message; ``answer`` is the error to send, None where nothing may be answered."""

    def __init__(self, answer: JSONRPCError | None) -> None:
        super().__init__()
        self.answer = answer


async def read(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """The lines of ``reader`` until its end. ``TOO_LONG`` stands for a line over the reader's limit."""
    while True:
        try:
            yield await reader.readuntil(b"\n")
        except asyncio.IncompleteReadError:
            return
        except asyncio.LimitOverrunError as error:
            if not await _skip_line(reader, error.consumed):
                return
            yield TOO_LONG


async def _skip_line(reader: asyncio.StreamReader, consumed: int) -> bool:
    """Drop the rest of a line that is too long; False at the end of the stream."""
    while True:
        try:
            await reader.readexactly(consumed)
            await reader.readuntil(b"\n")
            return True
        except asyncio.LimitOverrunError as error:
            consumed = error.consumed
        except asyncio.IncompleteReadError:
            return False


def decode(line: bytes) -> JSONRPCMessage:
    """The message in ``line``. Errors: ``BadLine`` with the answer to it."""
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise BadLine(_error(None, PARSE_ERROR, "Parse error")) from None
    if not isinstance(value, dict):
        raise BadLine(_error(None, INVALID_REQUEST, "Invalid Request"))
    given_id = value.get("id")
    known_id = given_id if isinstance(given_id, str | int) and not isinstance(given_id, bool) else None
    try:
        if "method" in value:
            if "id" not in value:
                return JSONRPCNotification.model_validate(value)
            return JSONRPCRequest.model_validate(value)
        return JSONRPCError.model_validate(value) if "error" in value else JSONRPCResponse.model_validate(value)
    except ValueError:
        if "method" in value and "id" not in value:
            # Not even a malformed notification may be answered.
            raise BadLine(None) from None
        if not isinstance(value.get("params", {}), dict | None):
            raise BadLine(_error(known_id, INVALID_PARAMS, "params must be an object")) from None
        raise BadLine(_error(known_id, INVALID_REQUEST, "Invalid Request")) from None


def encode(message: JSONRPCMessage) -> bytes:
    """``message`` as one line. A lone surrogate (no character, from a client's broken escape) becomes "?"."""
    plain: dict[str, Any] = message.model_dump(by_alias=True, exclude_unset=True)
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"


def _error(request_id: RequestId | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=message))


def _refuse_constant(name: str) -> NoReturn:
    """NaN and Infinity are no JSON."""
    raise ValueError(name)
