"""The orders of a list, and the opaque cursor that says where in such an order a page ended.

Keyset, not offset: the cursor holds the last row's sort key and id, so that pages stay right while rows change.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from engine.errors import InvalidArgument
from engine.types import Sort

_LONGEST = 4096


@dataclass(frozen=True, slots=True)
class Order:
    """SQL of one sort over memories m (and vitality v): ``key`` decides, the id breaks ties in the same direction."""

    key: str
    descending: bool
    numeric: bool = False

    @property
    def clause(self) -> str:
        """For ORDER BY."""
        direction = "DESC" if self.descending else "ASC"
        return f"{self.key} {direction}, m.id {direction}"

    @property
    def after(self) -> str:
        """The condition for rows behind (key, id), which are its two parameters."""
        return f"({self.key}, m.id) {'<' if self.descending else '>'} (?, ?)"


# A list shows the summary where there is no title, so it sorts by what is shown.
_TITLE = "substr(CASE m.title WHEN '' THEN m.summary ELSE m.title END, 1, 80) COLLATE NOCASE"
ORDERS: Mapping[Sort, Order] = MappingProxyType(
    {
        "newest": Order("m.occurred_at", descending=True),
        "oldest": Order("m.occurred_at", descending=False),
        "updated": Order("m.updated_at", descending=True),
        "importance": Order("m.importance", descending=True, numeric=True),
        "strength": Order("v.strength", descending=True, numeric=True),
        "title": Order(_TITLE, descending=False),
    }
)


def write(sort: Sort, key: str | float, memory_id: int) -> str:
    """The cursor behind the row with this sort key and id."""
    text = json.dumps([sort, key, memory_id], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode("ascii")).decode("ascii").rstrip("=")


def read(cursor: str, sort: Sort) -> tuple[Any, int]:
    """(sort key, id) of a cursor from a list sorted by ``sort``.

    Errors: ``InvalidArgument`` with field "cursor", reason "malformed" or "other_sort".
    """
    try:
        if len(cursor) > _LONGEST:
            raise ValueError("too long")
        padded = cursor + "=" * (-len(cursor) % 4)
        made_for, key, memory_id = json.loads(base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True))
    except (ValueError, TypeError, binascii.Error, RecursionError):
        raise InvalidArgument(field="cursor", reason="malformed") from None
    if made_for != sort:
        raise InvalidArgument(field="cursor", reason="other_sort")
    sound = _is_number(key) if ORDERS[sort].numeric else _is_text(key)
    if not sound or not _is_id(memory_id):
        raise InvalidArgument(field="cursor", reason="malformed")
    return key, memory_id


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and abs(value) < 2**63


def _is_text(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False  # a lone surrogate is no key that a page ever ended with
    return True


def _is_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63
