"""Background looks that end in suggestions: look-alikes once a vector is there, clusters to consolidate once a day.

Part of upkeep, in short steps: reads on a snapshot in the background's thread, and lends the writer only to keep what
was found. Changes no memory, ever: what it finds waits in Review.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date
from datetime import time as wall
from typing import Final

from engine import schedule
from engine.digest.consolidation import Finder, Run, Wanted
from engine.engine import Engine
from engine.index.consistency import Writer
from engine.review import lookalike
from engine.storage import settings, suggestions
from engine.storage.database import Connection
from engine.types import Actor, Changes

_BATCH: Final = 16
# One tick's looking for clusters; then whatever else is due comes first.
_SECONDS: Final = 2.0
_DAY: Final = "review.clustered_on"
_MIDNIGHT: Final = wall(0, 0)
_RULE: Final = Actor("rule", "review")


class Noticing:
    """``tell``: how others hear that something waits; ``stop`` is asked between steps."""

    def __init__(
        self, engine: Engine, write: Writer, tell: Callable[[Changes], None], stop: Callable[[], bool]
    ) -> None:  # fmt: skip
        self._engine = engine
        self._write = write
        self._tell = tell
        self._stop = stop
        self._run: Run | None = None
        self._day: date | None = None

    def rejudge(self) -> None:
        """Judge again what was stored before its vector was there."""
        engine, space = self._engine, self._engine.space
        while space is not None and space.ready and not self._stop():
            with engine.database.reader() as cx:
                ids = suggestions.to_rejudge(cx, _BATCH)
                found = [
                    one for memory_id in ids
                    for one in lookalike.judge_again(cx, memory_id, space, engine.settings.current, engine.readings)
                ]  # fmt: skip
            if not ids:
                return

            def note(cx: Connection, ids: list[int] = ids, found: list[lookalike.Found] = found) -> None:
                for one in found:
                    lookalike.keep(cx, one, engine.clock.now())
                suggestions.rejudged(cx, ids)

            self._in_transaction(note)
            if found:
                self._announce()

    def consolidate(self) -> None:
        """Once a day of the user's: look for groups among what is new, for a moment at a time."""
        engine = self._engine
        if self._run is None and not self._begin():
            return
        until = time.monotonic() + _SECONDS
        run = self._run
        while run is not None and not self._stop() and time.monotonic() < until:
            if not run.step(self._on_snapshot, self._in_transaction, engine.clock.now()):
                if run.found:
                    self._announce()
                day = self._today()
                self._end(day)
                return

    def _end(self, day: date) -> None:
        self._in_transaction(lambda cx: settings.put(cx, _DAY, day.isoformat()))
        self._run, self._day = None, day

    def _begin(self) -> bool:
        engine = self._engine
        day, values, space = self._today(), engine.settings.current, engine.space
        # While vectors are being made, looking by words alone would only find less.
        filling = engine.embeds and (space is None or not (space.ready and space.complete))
        if day == self._day or not values["review.consolidate"] or filling or not engine.lexical_ready:
            return False
        with engine.database.reader() as cx:
            if settings.get(cx, _DAY) == day.isoformat():
                self._day = day
                return False
        self._run = Run(Finder(space, engine.segmenter, Wanted.of(values, engine.clock.now())))
        return True

    def _announce(self) -> None:
        changes = Changes("suggested", _RULE, epoch=self._engine.epoch)
        self._write(lambda: self._tell(changes))

    def _today(self) -> date:
        return schedule.latest_day(self._engine.clock.now(), _MIDNIGHT, self._engine.clock.zone())

    def _on_snapshot(self, work: Callable[[Connection], None]) -> None:
        with self._engine.database.reader() as cx:
            work(cx)

    def _in_transaction(self, work: Callable[[Connection], None]) -> None:
        def run() -> None:
            with self._engine.database.transaction(durable=False) as cx:
                work(cx)

        self._write(run)
