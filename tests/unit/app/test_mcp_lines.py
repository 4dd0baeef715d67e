"""Framing: every line is answered or passed on, none ends the connection; text stays as it is."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from app.mcp import lines


def _answer(line: bytes) -> tuple[Any, Any] | None:
    with pytest.raises(lines.BadLine) as caught:
        lines.decode(line)
    answer = caught.value.answer
    return (answer.error.code, answer.id) if answer else None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"{", (-32700, None)),
        (b"\xff\xfe", (-32700, None)),
        (lines.TOO_LONG, (-32700, None)),
        (b"[" * 100_000, (-32700, None)),
        (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":NaN}}', (-32700, None)),
        (b"[]", (-32600, None)),
        (b'"text"', (-32600, None)),
        (b"{}", (-32600, None)),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', (-32600, None)),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', (-32600, None)),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', (-32600, None)),
        (b'{"jsonrpc":"1.0","id":4,"method":"ping"}', (-32600, 4)),
        (b'{"jsonrpc":"2.0","id":"a","method":5}', (-32600, "a")),
        (b'{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}', (-32602, 5)),
        (b'{"jsonrpc":"2.0","method":"notifications/x","params":[1]}', None),
        (b'{"jsonrpc":"2.0","method":5}', None),
    ],
)
def test_a_bad_line_gets_its_answer(line: bytes, expected: tuple[int, Any] | None) -> None:
    assert _answer(line) == expected


def test_messages_are_told_apart() -> None:
    assert isinstance(lines.decode(b'{"jsonrpc":"2.0","id":1,"method":"ping"}'), JSONRPCRequest)
    assert isinstance(lines.decode(b'{"jsonrpc":"2.0","method":"notifications/x"}'), JSONRPCNotification)
    assert isinstance(lines.decode(b'{"jsonrpc":"2.0","id":1,"result":{}}'), JSONRPCResponse)
    assert isinstance(lines.decode(b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}'), JSONRPCError)


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reading(line: bytes) -> None:
    try:
        lines.decode(line)
    except lines.BadLine:
        return


@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_text_goes_out_as_it_is_on_one_line(text: str) -> None:
    message = JSONRPCResponse(jsonrpc="2.0", id="一", result={"text": text})
    line = lines.encode(message)
    assert line.count(b"\n") == 1
    assert lines.decode(line) == message
    assert b"\\u4e" not in lines.encode(JSONRPCResponse(jsonrpc="2.0", id=1, result={"text": "中文"}))


def test_half_a_character_does_not_end_the_session() -> None:
    line = lines.encode(JSONRPCResponse(jsonrpc="2.0", id=1, result={"text": "a\ud83d"}))
    assert json.loads(line)["result"]["text"] == "a?"


def test_a_line_over_the_limit_costs_only_itself() -> None:
    async def read() -> list[bytes]:
        reader = asyncio.StreamReader(limit=64)
        reader.feed_data(b"one\n")
        found: list[bytes] = []
        source = lines.read(reader)
        found.append(await anext(source))
        reader.feed_data(b"x" * 50)
        long = asyncio.ensure_future(anext(source))
        for _ in range(5):
            await asyncio.sleep(0)
            reader.feed_data(b"x" * 50)
        reader.feed_data(b"\ntwo\n" + b"unfinished")
        found.append(await long)
        found.append(await anext(source))
        reader.feed_eof()
        found.extend([line async for line in source])
        return found

    assert asyncio.run(read()) == [b"one\n", lines.TOO_LONG, b"two\n"]


def test_an_endless_line_ends_with_the_stream() -> None:
    async def read() -> list[bytes]:
        reader = asyncio.StreamReader(limit=64)
        reader.feed_data(b"x" * 200)
        reader.feed_eof()
        return [line async for line in lines.read(reader)]

    assert asyncio.run(read()) == []
