"""Today's slip: one old memory a day, the same all day and on every device (S2). Reads only, keeps nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date, datetime, tzinfo

import numpy as np
from numpy.typing import NDArray

from engine.clock import local_date, start_of
from engine.storage import memories, surfacing
from engine.storage.database import Connection
from engine.surfacing.daily import PRIME, fnv1a
from engine.types import SENSITIVITIES, Filters, Memory, Sensitivity

# How many of the smallest hashes are looked at first; mostly the first one may be shown.
_FIRST_LOOK = 64


def todays_slip(
    cx: Connection, filters: Filters, now: datetime, zone: tzinfo, hidden: Collection[Sensitivity]
) -> Memory | None:
    """The memory with the smallest FNV-1a(date + uid) of those stored before today began in ``zone``, or None.

    Only active memories, whatever ``filters`` says of that, and none of ``hidden`` sensitivities.
    """
    shown = tuple(one for one in (filters.sensitivities or SENSITIVITIES) if one not in hidden)
    if not shown:
        return None
    today = local_date(now, zone)
    seen = replace(filters, statuses=("active",), sensitivities=shown)
    midnight = start_of(today, zone)
    rows = surfacing.uids(cx)
    hashes = hashes_of(today, [uid for _, uid in rows])
    looked_at, size = 0, _FIRST_LOOK
    while looked_at < len(rows):
        order = [int(at) for at in _smallest(hashes, looked_at + size)]
        order.sort(key=lambda at: (int(hashes[at]), rows[at][1]))
        candidates = [rows[at][0] for at in order[looked_at:]]
        allowed = surfacing.stored_before(cx, candidates, seen, midnight)
        found = next((one for one in candidates if one in allowed), None)
        if found is not None:
            return memories.get(cx, found)
        looked_at, size = len(order), size * 8
    return None


def hashes_of(day: date, uids: Sequence[str]) -> NDArray[np.uint64]:
    """FNV-1a(day + uid) of each uid [n], 64 bits."""
    state = fnv1a(day.isoformat())
    found = np.full(len(uids), state, dtype=np.uint64)
    by_length: dict[int, list[int]] = {}
    texts = [uid.encode("utf-8", "replace") for uid in uids]
    for at, text in enumerate(texts):
        by_length.setdefault(len(text), []).append(at)
    for length, places in by_length.items():
        bytes_of = np.frombuffer(b"".join(texts[at] for at in places), dtype=np.uint8).reshape(len(places), length)
        hashed = np.full(len(places), state, dtype=np.uint64)
        for column in bytes_of.T:
            hashed = (hashed ^ column) * np.uint64(PRIME)  # wraps at 64 bits, as it should
        found[places] = hashed
    return found


def _smallest(hashes: NDArray[np.uint64], count: int) -> NDArray[np.intp]:
    """The places of the ``count`` smallest, in no order; equal ones at the border all belong to them."""
    if count >= len(hashes):
        return np.arange(len(hashes))
    border = np.partition(hashes, count - 1)[count - 1]
    return np.flatnonzero(hashes <= border)
