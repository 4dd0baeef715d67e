"""SQL functions that every connection of ours has, beside SQLite's own. Must not touch rows."""

from __future__ import annotations

import struct
from typing import Any

import apsw

_MOST = 0xFFFF


def register(cx: apsw.Connection) -> None:
    """Make them known to ``cx``."""
    cx.register_fts5_function("term_counts", _term_counts)


def unpack(blob: bytes) -> tuple[int, ...]:
    """What ``term_counts`` gave: (terms in the row, then how often each phrase of the expression is in it)."""
    return struct.unpack(f"<{len(blob) // 2}H", blob)


def _term_counts(api: Any, *_: Any) -> bytes:
    """``term_counts(lexical)``: uint16 little-endian, see :func:`unpack`. Hot: once for each matching row."""
    counts = [len(api.phrase_column_offsets(phrase, 0)) for phrase in range(api.phrase_count)]
    return struct.pack(f"<{len(counts) + 1}H", min(api.column_size(-1), _MOST), *(min(one, _MOST) for one in counts))
