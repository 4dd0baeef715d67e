"""Laws of the user model: evidence, names, merges, forgetting and erasing in any order give what a naive model of sets
gives; the latest change taken back leads to where it began, and an older one never breaks what is there.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.access import Done
from engine.config import Settings
from engine.errors import Conflict, InvalidArgument
from engine.ingest.context import Context
from engine.ingest.entities import canonicalise
from engine.ingest.readings import Readings
from engine.storage import history, memories, traits
from engine.storage.database import Connection, Database
from engine.surfacing import user_model
from engine.text.normalise import content_key
from engine.text.segmentation import Segmenter
from engine.types import SENSITIVITIES, Actor, Sensitivity

START = datetime(2026, 5, 1, 12, tzinfo=UTC)
ME = Actor("gui", "window")
READINGS = Readings(Segmenter(None))
VALUES = Settings().current
# Few traits in several spellings and little evidence, so that most changes meet each other.
TRAITS = ("喜欢喝茶", "喜歡喝茶", "Night owl", "NIGHT  OWL.", "爱吃辣")
EVIDENCE = ("每天一壶", "每天 一壶", "writes at 2 am", "Writes at 2 AM", "又点了一次")
MEMORIES = 2

numbers = st.integers(0, 5)
steps = st.lists(
    st.one_of(
        *[
            st.tuples(
                st.just("update"), st.sampled_from(TRAITS), st.sampled_from(EVIDENCE),
                st.none() | st.integers(0, MEMORIES - 1), st.sampled_from(("normal", "normal", "high")),
            )
        ] * 3,
        st.tuples(st.just("rename"), numbers, st.sampled_from((*TRAITS, "新的名字"))),
        st.tuples(st.just("merge"), st.lists(numbers, min_size=1, max_size=2), numbers),
        st.tuples(st.just("forget"), st.lists(numbers, min_size=1, max_size=2)),
        st.tuples(st.just("undo"), st.integers(0, 3)),
        st.tuples(st.just("undo"), st.just(0)),
        st.tuples(st.just("erase"), st.integers(0, MEMORIES - 1)),
    ),
    min_size=3,
    max_size=16,
)  # fmt: skip


@dataclass
class Row:
    trait: str
    sensitivity: Sensitivity
    names: set[str]
    evidence: dict[str, int | None] = field(default_factory=dict)


Model = dict[int, Row]


class World:
    def __init__(self, cx: Connection, memory_ids: list[int]) -> None:
        self.cx, self.memory_ids = cx, memory_ids
        self.now = START
        self.model: Model = {}
        # (history id, the model before the change), the latest last.
        self.changes: list[tuple[int, Model]] = []

    def context(self) -> Context:
        self.now += timedelta(minutes=1)
        return Context(ME, self.now, UTC, READINGS)

    def there(self) -> Model:
        """What the store holds, as a model of it."""
        page = user_model.top(self.cx, 200, True, VALUES)
        found = {one.id: Row(one.trait, one.sensitivity, set()) for one in page.items}
        for name, trait_id in traits.names_of(self.cx, found):
            found[trait_id].names.add(name)
        for _, trait_id, key, memory in traits.evidence_of(self.cx, found):
            found[trait_id].evidence[key] = memory
        assert {one.id: one.weight for one in page.items} == {one: len(row.evidence) for one, row in found.items()}
        return found

    def pick(self, number: int) -> int | None:
        known = sorted(self.model)
        return known[number % len(known)] if known else None

    def run(self, wanted: Model, work: Callable[[Context], Done[Any]]) -> None:
        before = copy.deepcopy(self.model)
        done = work(self.context())
        assert bool(done.history_ids) == (wanted != before)
        self.model = wanted
        self.changes += [(one, before) for one in done.history_ids]

    def update(self, trait: str, evidence: str, number: int | None, level: Sensitivity) -> None:
        memory = None if number is None else self.memory_ids[number]
        if memory is not None and memories.get(self.cx, memory) is None:
            memory = None
        wanted = copy.deepcopy(self.model)
        name, key = canonicalise("topic", trait), content_key(evidence)
        one = next((one for one, row in wanted.items() if name in row.names), None)
        if one is None:
            one = traits.next_ids(self.cx)[0]
            wanted[one] = Row(" ".join(trait.split()), level, {name})
        row = wanted[one]
        row.sensitivity = max(row.sensitivity, level, key=SENSITIVITIES.index)
        row.evidence[key] = row.evidence.get(key) or memory
        self.run(wanted, lambda context: user_model.update(self.cx, context, trait, evidence, memory, level, VALUES))

    def rename(self, number: int, name: str) -> None:
        one = self.pick(number)
        if one is None:
            return
        wanted = copy.deepcopy(self.model)
        canonical = canonicalise("topic", name)
        if any(canonical in row.names for other, row in wanted.items() if other != one):
            try:
                user_model.rename(self.cx, self.context(), one, name, VALUES)
            except InvalidArgument:
                return
            raise AssertionError("two traits of one name")
        wanted[one].trait = " ".join(name.split())
        wanted[one].names.add(canonical)
        self.run(wanted, lambda context: user_model.rename(self.cx, context, one, name, VALUES))

    def merge(self, which: list[int], number: int) -> None:
        into = self.pick(number)
        others = list(dict.fromkeys(one for each in which if (one := self.pick(each)) not in (None, into)))
        if into is None or not others:
            return
        wanted = copy.deepcopy(self.model)
        for one in sorted(one for one in others if one is not None):
            row = wanted.pop(one)
            goal = wanted[into]
            goal.names |= row.names
            goal.sensitivity = max(goal.sensitivity, row.sensitivity, key=SENSITIVITIES.index)
        # The oldest of what is the same stays, where it is known which memory says it that is kept.
        goal = wanted[into]
        ids = [one for one in others if one is not None]
        for _, _, key, memory in traits.evidence_of(self.cx, ids):
            goal.evidence[key] = goal.evidence.get(key) or memory
        self.run(wanted, lambda context: user_model.merge(self.cx, context, ids, into))

    def forget(self, which: list[int]) -> None:
        chosen = [one for each in which if (one := self.pick(each)) is not None]
        if chosen:
            wanted = {one: row for one, row in copy.deepcopy(self.model).items() if one not in chosen}
            self.run(wanted, lambda context: user_model.forget(self.cx, context, chosen))

    def undo(self, back: int) -> None:
        if back >= len(self.changes):
            return
        one, before = self.changes[-1 - back]
        entry = history.get(self.cx, one)
        assert entry is not None
        if entry.before is None:
            return  # erased: the engine does not ask
        here = copy.deepcopy(self.model)
        try:
            done = user_model.take_back(self.cx, entry, self.context())
        except Conflict:
            assert back or entry.undone or before is None
            assert self.there() == here
            return
        self.model = self.there()
        if not back and before:
            assert self.model == before, "the latest change, taken back, leads to where it began"
        self.changes += [(row, here) for row in done.history_ids]

    def erase(self, number: int) -> None:
        memory = self.memory_ids[number]
        traits.forget(self.cx, [memory])
        memories.delete(self.cx, [memory])
        for one in list(self.model):
            row = self.model[one]
            row.evidence = {key: said for key, said in row.evidence.items() if said != memory}
            if not row.evidence:
                del self.model[one]
        # What was before an erase can not come back as it was.
        self.changes = [(one, {}) for one, _ in self.changes]
        told = self.cx.execute("SELECT coalesce(before, '') || coalesce(after, '') FROM history").fetchall()
        assert not any(f'"memory_id": {memory}' in text for (text,) in told)

    def check(self) -> None:
        assert self.there() == self.model
        assert all(row.evidence and row.names for row in self.model.values())
        assert self.cx.execute("SELECT count(*) FROM trait_names").get == sum(
            len(row.names) for row in self.model.values()
        )


class Enough(Exception):
    """Takes a world back, so that the next begins with nothing."""


@contextmanager
def a_world(database: Database) -> Iterator[World]:
    with suppress(Enough), database.transaction(durable=False) as cx:
        yield World(cx, [memories.insert(cx, a_memory(number)) for number in range(MEMORIES)])
        assert not list(cx.execute("PRAGMA foreign_key_check"))
        raise Enough


def a_memory(number: int) -> dict[str, Any]:
    texts = (
        "title", "compressed", "category", "mood", "sentiment", "source_agent", "source_client", "source_text",
        "script",
    )  # fmt: skip
    lists = ("tags", "topics", "participants", "key_facts", "external_ids")
    nothing = ("conversation_id", "session_id", "persona_id", "position", "event_time")
    return {
        **dict.fromkeys(texts, ""), **dict.fromkeys(lists, ()), **dict.fromkeys(nothing),
        **dict.fromkeys(("pinned", "protected", "resolved"), False),
        **dict.fromkeys(("created_at", "updated_at"), START),
        "uid": str(number), "content": str(number), "summary": "", "layer": "fact", "importance": 0.5, "valence": 0.0,
        "emotion_intensity": 0.0, "sensitivity": "normal", "status": "active", "extra": {}, "content_key": str(number),
    }  # fmt: skip


def test_in_any_order_it_is_what_sets_give(data_dir: Path) -> None:
    database = Database.open(data_dir)

    @given(steps)
    @example(
        [
            ("update", "爱吃辣", "每天一壶", 1, "normal"), ("update", "爱吃辣", "writes at 2 am", None, "normal"),
            ("erase", 1), ("undo", 0),
        ]
    )  # fmt: skip
    @settings(max_examples=150)
    def law(plan: list[tuple[Any, ...]]) -> None:
        with a_world(database) as world:
            for verb, *what in plan:
                getattr(world, verb)(*what)
                world.check()

    try:
        law()
    finally:
        database.close()
