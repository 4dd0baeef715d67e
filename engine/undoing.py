"""Undo of decisions that are about no single memory: whose history rows they are, and who takes them back.

An area keeps its rows under its own name in ``before`` and ``after`` of a history row of memory 0. Must not take
anything back itself. The graph's names are older and answer in ``engine.graph``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from engine.access import Done
from engine.digest import topic_history, topics
from engine.ingest.context import Context
from engine.storage.database import Connection
from engine.surfacing import user_model
from engine.types import HistoryEntry

# Within one transaction; marks the entry undone and records its own history row, which can be undone again.
# Errors: ``Conflict`` with reason "already_undone" or "changed_since".
TakeBack = Callable[[Connection, HistoryEntry, Context], Done[Any]]
AREAS: Final[Mapping[str, TakeBack]] = MappingProxyType(
    {user_model.AREA: user_model.take_back, topic_history.ROWS: topics.undo}
)


def of(entry: HistoryEntry) -> TakeBack | None:
    """Who takes this change back; None where no area here does (names, a day's forgetting, what was erased)."""
    area = next((name for name in AREAS if name in (entry.before or {})), None)
    return None if area is None else AREAS[area]
