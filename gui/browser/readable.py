"""JSON values as lines that a person can read: ``key: value``, one below the other, never raw braces.

Pure; imports no Qt. Must not cut or leave out anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from gui.texts import Texts

_INDENT = "    "
# Deeper than this a value is data for programs, and is shown as it is.
_DEEPEST = 4


def listed(values: Any, texts: Texts) -> str:
    """Some values in one line, as the language sets them apart."""
    return texts("list.comma").join(str(value) for value in values)


def lines(value: Mapping[str, Any], texts: Texts) -> str:
    """An object, a line for each of its values."""
    return "\n".join(_lines(value, texts, 0))


def blocks(values: Any, texts: Texts) -> str:
    """Several objects, each begun on a line of its own."""
    return "\n".join(_inline(value, texts, 0) for value in values)


def _lines(value: Mapping[str, Any], texts: Texts, depth: int) -> Iterator[str]:
    margin = _INDENT * depth
    for key, part in value.items():
        name = f"{margin}{key}{texts('list.colon')}"
        if isinstance(part, Mapping) and part and depth < _DEEPEST:
            yield name.rstrip()
            yield from _lines(part, texts, depth + 1)
        elif isinstance(part, list | tuple) and any(isinstance(one, Mapping) for one in part) and depth < _DEEPEST:
            yield name.rstrip()
            yield from (f"{margin}{_INDENT}{_inline(one, texts, depth + 1)}" for one in part)
        else:
            yield f"{name}{_inline(part, texts, depth + 1)}"


def _inline(value: Any, texts: Texts, depth: int) -> str:
    if value is None or value in ({}, [], ()):
        return texts("value.none")
    if isinstance(value, bool):
        return texts("value.yes" if value else "value.no")
    if depth > _DEEPEST and isinstance(value, Mapping | list | tuple):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        colon = texts("list.colon")
        return listed([f"{key}{colon}{_inline(one, texts, depth + 1)}" for key, one in value.items()], texts)
    if isinstance(value, list | tuple):
        return listed([_inline(one, texts, depth + 1) for one in value], texts)
    return str(value)
