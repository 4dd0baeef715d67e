"""SQL functions that every connection of ours has, beside SQLite's own. Must not touch rows."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

_MOST = 0xFFFF


def register(cx: apsw.Connection) -> None:
    """Make them known to ``cx``."""
    cx.register_fts5_function("term_counts", _term_counts)


def unpack(blobs: Sequence[bytes]) -> NDArray[np.float64]:
    """What ``term_counts`` gave for rows of one question [rows, 1 + phrases]: terms in the row, then how often each
    phrase of the expression is in it.
    """
    return np.frombuffer(b"".join(blobs), dtype="<u2").reshape(len(blobs), -1).astype(np.float64)


def _term_counts(api: Any, *_: Any) -> bytes:
    """``term_counts(lexical)``: uint16 little-endian, see :func:`unpack`. Hot: once for each matching row."""
    offsets = api.phrase_column_offsets
    counts = [api.column_size(-1), *[len(offsets(phrase, 0)) for phrase in range(api.phrase_count)]]
    if counts[0] > _MOST:  # no term is in a row more often than the row has terms
        counts = [min(one, _MOST) for one in counts]
    return struct.pack(f"<{len(counts)}H", *counts)
