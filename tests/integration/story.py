"""A life told to the engine day by day: reads a story, moves the clock, lives its nights, and names memories by keys.

The stories are in tests/data/stories, one row a line. A row is something told ("content", with fields of a ``Draft``),
a digest, an offer after a conversation, a trait, a retry, or a recalled text that comes back. Asserts nothing but that
each row could be told.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from engine import Service, Settings
from engine.clock import MovableClock
from engine.embedding import create
from engine.errors import Paused
from engine.types import (
    ALL_SCOPES,
    STATUSES,
    Actor,
    Draft,
    Entity,
    Filters,
    Memory,
    Offered,
    Query,
    Recollection,
    Remembered,
    ReviewItem,
)

ROOT = Path(__file__).parents[2]
STORIES = ROOT / "tests" / "data" / "stories"
WAIT = 60.0
WINDOW = Actor("gui", "window")
_TUPLES = ("tags", "topics", "participants", "topic_path")
_OURS = ("day", "time", "by", "key", "resolved", "refused")
_NIGHT = time(0, 10)
_EVENING = time(23, 0)
STAGES = (1, 3, 7, 10, 14, 21, 28, 30, 90)
LAST = 30
ASLEEP_UNTIL = 90
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Stage:
    """How things stand on the evening of a day (the morning, after a long sleep); memories by their keys.

    ``night``: when forgetting was due last; ``answers``: the first three for each question of the stage; ``waits``:
    digest level → periods.
    """

    day: int
    now: datetime
    night: datetime
    answers: Mapping[str, list[str]]
    memories: Mapping[str, Memory]
    facts: Sequence[str]
    states: Sequence[str]
    events: Sequence[str]
    hidden: int
    tokens: int
    waits: Mapping[int, list[str]]
    clusters: Sequence[set[str]]
    candidates: Sequence[str]


@dataclass(slots=True)
class Life:
    """A story that was lived, with its service closed again. ``notes``: what was seen when people acted.

    ``due`` and ``unsettled`` as each evening had them; ``count``: how many memories there are in the end.
    """

    stages: dict[int, Stage]
    due: dict[int, dict[str, date]]
    unsettled: dict[int, str | None]
    notes: dict[str, Any]
    story: Any = None
    count: int = 0


def rows_of(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (STORIES / f"{name}.jsonl").read_text("utf-8").splitlines()]


Act = Callable[["Story", dict[str, Any]], None]


class Story:
    """``told``: what each row brought about, by its key; ``offered``: what became of each offer, by its day."""

    def __init__(self, service: Service, clock: MovableClock, language: str, first: date) -> None:
        self.service = service
        self.clock = clock
        self.first = first
        self.rows = rows_of(language)
        self.questions = rows_of(f"{language}_questions")
        self.told: dict[str, Remembered] = {}
        self.offered: dict[int, Offered] = {}
        self.retried: list[tuple[str, Remembered]] = []
        self.refused: list[str] = []
        self.day = 0
        self._next = 0

    # Living ----------------------------------------------------------------------------------------------------

    def live_until(self, day: int) -> None:
        """Each night with its forgetting, each row at its time, up to the evening of ``day``."""
        while self.day < day:
            self.day += 1
            self.clock.move_to(self.moment(self.day, _NIGHT))
            self.service.forget().result(WAIT)
            while self._next < len(self.rows) and self.rows[self._next]["day"] == self.day:
                self._live(self.rows[self._next])
                self._next += 1
        self.clock.move_to(self.moment(day, _EVENING))
        self.service.idle().result(WAIT)

    def sleep_until(self, day: int) -> None:
        """The machine is off; the next thing it sees is the morning of ``day``."""
        self.day = day
        self.clock.move_to(self.moment(day, time(8)))
        self.service.forget().result(WAIT)
        self.service.idle().result(WAIT)

    def moment(self, day: int, at: time) -> datetime:
        return datetime.combine(self.date(day), at, self.clock.zone()).astimezone(UTC)

    def date(self, day: int) -> date:
        return self.first + timedelta(days=day - 1)

    def _live(self, row: Row) -> None:
        self.clock.move_to(self.moment(row["day"], time.fromisoformat(row["time"])))
        by = Actor("client", row["by"])
        if "digest" in row:
            saved = self.service.digests.save(row["digest"], row["period"], row["content"], actor=by)
            self.told[row["key"]] = saved.result(WAIT)
        elif "offers" in row:
            drafts = [self._draft(one) for one in row["offers"]]
            self.offered[row["day"]] = self.service.candidates.offer(drafts, by, row["session"]).result(WAIT)
        elif "trait" in row:
            about = self.id(row["of"])
            self.service.user_model.update(row["trait"], row["evidence"], by, about).result(WAIT)
        elif "retries" in row:
            again = next(one for one in self.rows if one.get("key") == row["retries"])
            self.retried.append((row["retries"], self.service.memorize(self._draft(again), by).result(WAIT)))
        elif "restores" in row:
            found = self.service.recall(Query(row["asks"], k=1)).result(WAIT).hits[0]
            self.retried.append((row["restores"], self.service.memorize(Draft(found.text), by).result(WAIT)))
        else:
            self._tell(row, by)

    def _tell(self, row: Row, by: Actor) -> None:
        if row.get("refused"):
            self._tell_in_vain(row, by)
            return
        done = self.service.memorize(self._draft(row), by).result(WAIT)
        self.told[row["key"]] = done
        if row.get("resolved"):
            self.service.edit(done.memory.id, {"resolved": True}, by).result(WAIT)

    def _tell_in_vain(self, row: Row, by: Actor) -> None:
        self.service.settings.set("memory.paused", True)
        try:
            self.service.memorize(self._draft(row), by).result(WAIT)
        except Paused:
            self.refused.append(row["key"])
        finally:
            self.service.settings.set("memory.paused", False)

    def _draft(self, row: Row) -> Draft:
        given = {name: value for name, value in row.items() if name not in _OURS}
        given |= {name: tuple(given[name]) for name in _TUPLES if name in given}
        if "event_time" in given:
            given["event_time"] = datetime.fromisoformat(given["event_time"]).replace(tzinfo=self.clock.zone())
        return Draft(**given)

    # Looking: nothing here leaves a trace, unless it says so --------------------------------------------------------

    def id(self, key: str) -> int:
        return self.told[key].memory.id

    def key(self, memory_id: int) -> str:
        """The first key that a memory has, for messages."""
        return next((key for key, done in self.told.items() if done.memory.id == memory_id), f"#{memory_id}")

    def memory(self, key: str) -> Memory:
        return self.service.get(self.id(key)).result(WAIT)

    def ask(self, text: str, k: int = 3, scope: str | None = None, **more: Any) -> Recollection:
        more.setdefault("reinforce", False)
        return self.service.recall(Query(text, k=k, filters=Filters(scope=scope), **more)).result(WAIT)

    def found(self, text: str, k: int = 3, **more: Any) -> list[str]:
        return [self.key(hit.memory.id) for hit in self.ask(text, k, **more).hits]

    def due(self, days: int | None = None) -> dict[str, date]:
        """What is due: key → the user's day."""
        items = self.service.surfacing.reminders(days=days).result(WAIT).items
        return {self.key(one.memory.id): one.due.astimezone(self.clock.zone()).date() for one in items}

    def unsettled(self) -> str | None:
        """What comes up because it moved the user and is not settled."""
        line = self.service.surfacing.breathe().result(WAIT).unresolved
        return None if line is None else self.key(line.memory.id)

    def person(self, name: str) -> Entity:
        return self.service.graph.entities(name, ("person",), 1).result(WAIT)[0]

    def review(self, kind: str) -> Sequence[ReviewItem]:
        return self.service.review.list([kind]).result(WAIT).items

    def look(self) -> Stage:
        """All that a stage is judged by."""
        memories = self.service.get_many([done.memory.id for done in self.told.values()]).result(WAIT)
        breath = self.service.surfacing.breathe().result(WAIT)
        due = self.service.digests.due().result(WAIT)
        return Stage(
            day=self.day,
            now=self.clock.now(),
            night=self.moment(self.day, time(0, 5)),
            answers={row["ask"]: self.found(row["ask"]) for row in self.questions if row["day"] == self.day},
            memories={key: memories[done.memory.id] for key, done in self.told.items() if done.memory.id in memories},
            facts=[self.key(line.memory.id) for line in breath.facts],
            states=[self.key(line.memory.id) for line in breath.states],
            events=[self.key(line.memory.id) for line in breath.events],
            hidden=breath.hidden,
            tokens=breath.tokens,
            waits={one.level: [period.period for period in one.periods] for one in due},
            clusters=[{self.key(one.id) for one in item.memories} for item in self.review("cluster")],
            candidates=[item.detail["candidate"].draft.content for item in self.review("candidate")],
        )

    def count(self) -> int:
        """Memories of every status and scope."""
        every = Filters(scope=ALL_SCOPES, statuses=STATUSES)
        return self.service.count(every).result(WAIT)


def live(data: Path, language: str, first: date, zone: str, acts: Mapping[int, Act]) -> Life:
    """Live a story to its end. ``acts``: what is done on the evening of a day, after it was looked at."""
    life = Life({}, {}, {}, {})
    with living(data, language, first, zone) as story:
        for day in range(1, LAST + 1):
            story.live_until(day)
            life.due[day], life.unsettled[day] = story.due(), story.unsettled()
            _stop_here(story, life, acts)
        story.sleep_until(ASLEEP_UNTIL)
        _stop_here(story, life, acts)
        life.story, life.count = story, story.count()
    return life


def _stop_here(story: Story, life: Life, acts: Mapping[int, Act]) -> None:
    if story.day in STAGES:
        life.stages[story.day] = story.look()
    if story.day in acts:
        acts[story.day](story, life.notes)
        story.service.idle().result(WAIT)


@contextmanager
def living(data: Path, language: str, first: date, zone: str) -> Iterator[Story]:
    """A story before its first day, over a new store with the model that Hupo ships."""
    clock = MovableClock(datetime.combine(first, time(0, 1), ZoneInfo(zone)), ZoneInfo(zone))
    settings = Settings()
    # However busy the machine is, duplicates are judged with their vectors.
    settings.update({"memory.vector_wait_ms": 10_000, "recall.cache_seconds": 0})
    models = ROOT / "resources" / "models"
    factory: Callable[[Settings], Any] = lambda values: create(values, models, lambda _: None)  # noqa: E731
    service = Service.open(data, settings, embedder_factory=factory, clock=clock)
    try:
        service.idle().result(WAIT)
        yield Story(service, clock, language, first)
    finally:
        service.close()
