"""Cutting bytes into lines and seeing what each line is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ipc import lines

IDS = st.one_of(st.integers(-(10**17), 10**17), st.text(max_size=20))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.lists(
        st.binary(min_size=1, max_size=40).filter(lambda line: b"\n" not in line and not line.isspace()), max_size=8
    ),
    st.lists(st.integers(1, 30), min_size=1, max_size=10),
)
def test_lines_come_out_as_they_went_in_however_they_are_chopped(content: list[bytes], sizes: list[int]) -> None:
    stream = b"".join(line + b"\n" for line in content) + b"unfinished"
    splitter, found, position, turn = lines.Splitter(), [], 0, 0
    while position < len(stream):
        size = sizes[turn % len(sizes)]
        found += splitter.feed(stream[position : position + size])
        position, turn = position + size, turn + 1
    assert found == content
    assert splitter.feed(b"\n") == [b"unfinished"]


@given(st.lists(st.integers(0, 40), max_size=10), st.integers(1, 7))
def test_only_lines_beyond_the_limit_are_dropped(lengths: list[int], size: int) -> None:
    splitter = lines.Splitter(limit=20)
    stream = b"".join(b"x" * length + b"\n" for length in lengths)
    found = [line for start in range(0, len(stream), size) for line in splitter.feed(stream[start : start + size])]
    assert [len(line) for line in found] == [length for length in lengths if 0 < length <= 20]
    assert splitter.too_long == sum(length > 20 for length in lengths)


@given(
    IDS, st.sampled_from(["tools/call", "tools/list", "ping"]), st.dictionaries(st.text(max_size=5), VALUES, max_size=3)
)
def test_a_request_is_the_same_by_its_head_and_by_its_whole(identifier: Any, method: str, params: Any) -> None:
    message = {"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}
    line = json.dumps(message, ensure_ascii=False).encode()
    whole, head = lines.read(line), lines.read(line, head_first=True)
    assert (
        (whole.kind, whole.key, whole.method)
        == (head.kind, head.key, head.method)
        == (
            "request",
            json.dumps(identifier),
            method,
        )
    )


@given(IDS, VALUES, st.sampled_from(["result", "error"]), st.booleans())
def test_an_answer_is_the_same_by_its_head_and_by_its_whole(
    identifier: Any, value: Any, kind: str, compact: bool
) -> None:
    message = {"jsonrpc": "2.0", "id": identifier, kind: value}
    line = json.dumps(message, separators=(",", ":") if compact else None).encode()
    whole, head = lines.read(line), lines.read(line, head_first=True)
    assert whole.kind == head.kind == "response" and whole.key == head.key


def test_an_id_inside_the_content_is_not_the_id() -> None:
    inner = json.dumps({"jsonrpc": "2.0", "id": 9, "method": "ping"})
    params = {"name": "memorize", "arguments": {"content": inner}}
    line = json.dumps({"method": "tools/call", "params": params, "jsonrpc": "2.0", "id": 3}).encode()
    assert lines.read(line, head_first=True).id == 3


@pytest.mark.parametrize(
    ("line", "error", "identifier"),
    [
        (b"nonsense", lines.PARSE_ERROR, None),
        (b"\xff\xfe{}", lines.PARSE_ERROR, None),
        (b"[" * 100_000, lines.PARSE_ERROR, None),
        (b"[]", lines.INVALID_REQUEST, None),
        (b'"text"', lines.INVALID_REQUEST, None),
        (b'{"id":1,"method":"x"}', lines.INVALID_REQUEST, 1),
        (b'{"jsonrpc":"2.0","id":true,"method":"x"}', lines.INVALID_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":null,"method":"x"}', lines.INVALID_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":"a"}', lines.INVALID_REQUEST, "a"),
        (b'{"jsonrpc":"2.0","id":1,"method":5}', lines.INVALID_REQUEST, 1),
    ],
)
def test_what_is_no_message(line: bytes, error: int, identifier: Any) -> None:
    found = lines.read(line)
    assert (found.kind, found.error, found.id) == ("invalid", error, identifier)


def test_ids_keep_their_type() -> None:
    assert lines.key_of(1) != lines.key_of("1")


@given(VALUES)
def test_a_line_out_is_one_line_of_utf8(value: Any) -> None:
    line = lines.encode({"a": value})
    assert line.endswith(b"\n") and line.count(b"\n") == 1
    assert json.loads(line.decode("utf-8")) == {"a": value}


def test_text_goes_out_as_it_is_and_half_a_character_does_not_break_it() -> None:
    assert "琥珀".encode() in lines.encode({"a": "琥珀"})
    assert json.loads(lines.encode({"a": "\ud83e"})) == {"a": "\ud83e"}
