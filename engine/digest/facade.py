"""The verbs of digests, as futures (``Service.digests``): what waits, what it is made of, save, where a memory stands.

Only chooses where the work runs: on a reader, or on the one way that stores a memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from datetime import datetime, tzinfo
from typing import Any

from engine.access import Access, then
from engine.digest import compaction, saving
from engine.digest.levels import level_of
from engine.types import Actor, DigestDue, DigestLinks, DigestSources, DigestStatus, Draft, Remembered, Sensitivity


class Digests:
    """``level`` is 1 daily, 2 weekly, 3 monthly, 4 yearly; periods are of the user's days, see ``digest/levels.py``."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def due(self, *, include_sensitive: bool = False) -> Future[tuple[DigestDue, ...]]:
        """What waits to be digested, level by level; sensitive memories that may not be shown do not count."""
        return self._access.read(lambda cx: compaction.due(cx, *self._now(), include_sensitive=include_sensitive))

    def due_count(self) -> Future[int]:
        """How many periods wait, over all levels; cheap enough to be asked after each write."""
        return self._access.read(lambda cx: compaction.due_count(cx, *self._now()))

    def sources(
        self, level: int, period: str | None = None, *, include_sensitive: bool = False, budget: int | None = None
    ) -> Future[DigestSources]:
        """What a digest is to be made of; ``period`` None: of the one that has waited longest, else of the last one.

        At most 200 (S4), all together within ``budget`` tokens of text. Errors: ``InvalidArgument``.
        """
        return self._access.read(
            lambda cx: compaction.sources(
                cx, level_of(level), period, *self._now(), include_sensitive=include_sensitive, budget=budget
            )
        )

    def save(
        self, level: int, period: str, content: str, sources: Sequence[int] = (), *, title: str = "",
        sensitivity: Sensitivity | None = None, topic_path: Sequence[str] = (), importance: float | None = None,
        more: Mapping[str, Any] | None = None, actor: Actor,
    ) -> Future[Remembered]:  # fmt: skip
        """Store a digest that the caller wrote, as one memory. It replaces the one that its period had.

        ``sources``: () = all that :meth:`sources` shows for the period. ``more``: further fields of a ``Draft``
        (entities, context, source_client …). The same content again is the same memory ("reinforced").
        Errors: ``InvalidArgument`` (for sources also ``ids``), ``Protected``, ``Paused``, storage errors.
        """
        given = {
            **(more or {}), "title": title, "sensitivity": sensitivity, "topic_path": tuple(topic_path),
            "importance": importance,
        }  # fmt: skip

        def draft(cx: Any) -> Draft:
            return saving.draft_of(cx, level_of(level), period, content, sources, *self._now(), given)

        return then(self._access.read(draft), lambda ready: self._access.memorize(ready, actor))

    def of(self, memory_id: int, *, include_sensitive: bool = False) -> Future[DigestLinks]:
        """The digests that tell a memory and, where it is one itself, its sources. Errors: ``NotFound``."""
        values = self._access.settings.current
        return self._access.read(lambda cx: compaction.of(cx, memory_id, values, include_sensitive=include_sensitive))

    def status(self) -> Future[tuple[DigestStatus, ...]]:
        """How each of the four levels stands."""
        return self._access.read(lambda cx: compaction.status(cx, *self._now()))

    def _now(self) -> tuple[Mapping[str, Any], datetime, tzinfo]:
        """The parameters in force, the present, and the user's zone."""
        return self._access.settings.current, self._access.clock.now(), self._access.clock.zone()
