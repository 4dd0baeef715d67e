"""The verbs of forgetting as futures: ``Service.forgetting``. Each only chooses where it runs.

Not in ``engine/forgetting``: that package lies below the write path, which a rescue goes through.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from engine.access import Access, Done
from engine.config import Values, parameters
from engine.errors import InvalidArgument
from engine.forgetting import decay, outlook, timekeeping
from engine.forgetting.rules import Rules
from engine.ingest import rescue as rescuing
from engine.ingest.context import Context
from engine.storage.database import Connection
from engine.types import Actor, Forecast, ForgettingPreview, ForgettingStatus, Rescued

MOST_NAMED = 1_000


class Forgetting:
    """``overrides`` in all verbs: values of parameters "forgetting.…" to try, in place of those in force.

    Errors of all: ``InvalidArgument`` naming a field that is out of bounds.
    """

    def __init__(self, access: Access) -> None:
        self._access = access

    def preview(
        self, days: int = 1, overrides: Mapping[str, Any] | None = None, *, limit: int = 100
    ) -> Future[ForgettingPreview]:
        """What runs now and on each of the next ``days`` (0..3650) days would do; names the first ``limit`` to fall.

        Writes nothing.
        """

        def work(cx: Connection) -> ForgettingPreview:
            _check_number("days", days, decay.MOST_FORETOLD)
            _check_number("limit", limit, MOST_NAMED)
            return outlook.preview(cx, *self._now(), self._values(overrides), days, limit)

        return self._access.read(work)

    def forecast(self, memory_id: int, days: int = 90, overrides: Mapping[str, Any] | None = None) -> Future[Forecast]:
        """The curve of one memory over the next ``days`` (0..3650), by the run's functions. Errors: ``NotFound``."""

        def work(cx: Connection) -> Forecast:
            _check_number("days", days, decay.MOST_FORETOLD)
            return outlook.forecast(cx, memory_id, *self._now(), self._values(overrides), days)

        return self._access.read(work)

    def status(self) -> Future[ForgettingStatus]:
        """How forgetting stands: last and next run, who is awake, asleep, spared, and who falls asleep soon."""
        return self._access.read(lambda cx: outlook.status(cx, *self._now(), self._access.settings.current))

    def rescue(self, ids: Sequence[int], actor: Actor) -> Future[Rescued]:
        """Wake the dormant and archived ones among ``ids``; can be undone. Errors: ``NotFound``, ``Protected``."""

        def work(cx: Connection, context: Context) -> Done[Rescued]:
            done = rescuing.rescue(cx, ids, context)
            rows = [(one.memory.id, one.history_id) for one in done if one.history_id is not None]
            also = [pair for one in done for pair in one.also]
            woken = Rescued(tuple(one for one, _ in rows), tuple(row for _, row in rows))
            return Done(
                woken, rescuing.ACTION, updated=(*woken.ids, *(one for one, _ in also)),
                history_ids=(*woken.history_ids, *(row for _, row in also)),
                gone_passages=tuple(one for edited in done for one in edited.gone_passages),
                gone_entries=tuple(one for edited in done for one in edited.gone_entries),
            )  # fmt: skip

        return self._access.write(actor, work)

    def trust_clock(self, actor: Actor) -> Future[int]:
        """A person says that a clock in doubt is right: what was missed is caught up. How many days that were."""

        def work(cx: Connection, context: Context) -> Done[int]:
            values, rules = self._access.settings.current, Rules.of(self._access.settings.current)
            belief = timekeeping.load(cx)
            timekeeping.keep(cx, belief, timekeeping.trusted(belief, context.now, context.zone, rules))
            run = decay.run(cx, context.now, context.zone, values)
            rows = () if run.history_id is None else (run.history_id,)
            return Done(len(run.days), decay.ACTION, updated=run.fallen, history_ids=rows)

        return self._access.write(actor, work)

    def _now(self) -> tuple[Any, Any]:
        return self._access.clock.now(), self._access.clock.zone()

    def _values(self, overrides: Mapping[str, Any] | None) -> Values:
        values = dict(self._access.settings.current)
        for key, value in (overrides or {}).items():
            if not key.startswith("forgetting."):
                raise InvalidArgument(field=key, reason="unknown_parameter")
            values[key] = parameters.check(key, value)
        return values


def _check_number(field: str, value: int, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidArgument(field=field, reason="not_a_number")
    if not 0 <= value <= most:
        raise InvalidArgument(field=field, reason="out_of_range", allowed=[0, most])
