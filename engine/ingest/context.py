"""What a write needs beside its data. Holds nothing that a write changes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo

from engine.ingest.readings import Readings
from engine.types import Actor


@dataclass(frozen=True, slots=True)
class Context:
    """Who writes, when, in which zone the user's days begin and end, and what was read out of texts lately.

    ``space_id``: under which identity vectors are kept; None = no embedder, no vector will follow; 0 = one will, its
    space is not there yet.
    """

    actor: Actor
    now: datetime
    zone: tzinfo
    readings: Readings
    space_id: int | None = None
