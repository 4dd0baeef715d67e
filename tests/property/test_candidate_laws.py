"""Laws of candidates: a draft comes back as it was given, and in whatever order things are offered, approved, dismissed
and brought back, it is what a naive list says; nothing is lost before its time.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Service, Settings
from engine.clock import MovableClock
from engine.embedding import NoEmbedder
from engine.errors import Conflict
from engine.ingest import draft as drafting
from engine.storage import candidates
from engine.storage.database import Database
from engine.types import CANDIDATE_STATES, LAYERS, SENSITIVITIES, Actor, Draft, Listing

WAIT = 30.0
START = datetime(2026, 5, 1, 12, tzinfo=UTC)
ME = Actor("gui", "window")
VALUES = Settings().current

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
words = texts.filter(lambda text: bool(text.strip())).map(str.strip)
lists = st.lists(words, unique=True, max_size=3).map(tuple)
ids = st.lists(st.integers(1, 2**63 - 1), unique=True, max_size=3).map(lambda found: tuple(sorted(found)))
moments = st.none() | st.datetimes(datetime(1000, 1, 1), datetime(9000, 1, 1), timezones=st.just(UTC))
anything = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=5,
)
objects = st.dictionaries(texts, anything, max_size=3)
_BY_NAME: dict[str, st.SearchStrategy[Any]] = {
    "content": words, "layer": st.none() | st.sampled_from(LAYERS), "sensitivity": st.sampled_from(SENSITIVITIES),
    "importance": st.none() | st.floats(0, 1), "emotion_intensity": st.floats(0, 10), "valence": st.floats(-1, 1),
    "pinned": st.booleans(), "event_time": moments, "valid_from": moments, "valid_to": st.none(),
    "created_at": moments, "related": ids, "sources": ids, "digest_level": st.integers(0, 4),
    "modalities": st.lists(objects, max_size=2).map(tuple),
    **dict.fromkeys(("conversation_id", "session_id", "persona_id"), st.none() | words),
    **dict.fromkeys(("extra", "tone", "residual", "created_context", "updated_context"), objects),
    **dict.fromkeys(("tags", "topics", "participants", "key_facts", "external_ids", "entities", "effective_methods",
                     "topic_path"), lists),
}  # fmt: skip
drafts = st.builds(Draft, **{name: _BY_NAME.get(name, texts) for name in Draft.__dataclass_fields__})


@given(st.lists(drafts, min_size=1, max_size=2))
@settings(max_examples=20)
def test_a_draft_comes_back_as_it_was(told: list[Draft]) -> None:
    directory = Path(tempfile.mkdtemp(prefix="hupo-"))
    database = Database.open(directory)
    try:
        with database.transaction(durable=False) as cx:
            for draft in told:
                prepared = drafting.prepare(draft, VALUES, MovableClock(START)).values
                one = candidates.insert(cx, drafting.given(draft, VALUES), prepared, "pending", ME, START)
                kept = candidates.get_many(cx, [one])[one]
                for name in Draft.__dataclass_fields__:
                    assert getattr(kept.draft, name) == getattr(draft, name), name
                    assert type(getattr(kept.draft, name)) is type(getattr(draft, name)), name
                assert (kept.actor, kept.created_at, kept.importance) == (ME, START, prepared["importance"])
    finally:
        database.close()
        shutil.rmtree(directory)


# In any order -------------------------------------------------------------------------------------------------

CONTENTS = ("喜欢靠窗的座位", "花生过敏", "Plays the cello", "Rides a bicycle", "养了一只猫")


@dataclass
class Row:
    content: str
    session: str | None
    importance: float
    state: str
    since: datetime | None
    memory: int | None = None


def fate(importance: float) -> str:
    return "approved" if importance >= 1 else "pending" if importance >= 0.7 else "dropped"


RISES = (("dropped", "pending"), ("dropped", "approved"), ("pending", "approved"))
some = st.lists(st.integers(0, 7), min_size=1, max_size=3)
steps = st.lists(
    st.one_of(
        st.tuples(
            st.just("offer"),
            st.lists(st.tuples(st.sampled_from(CONTENTS), st.sampled_from((0.2, 0.7, 0.9, 1.0))), max_size=3),
            st.sampled_from(("s1", None)),
        ),
        st.tuples(st.sampled_from(("approve", "dismiss", "restore")), some),
        st.tuples(st.just("wait"), st.integers(1, 5)),
    ),
    min_size=2,
    max_size=14,
)


class World:
    """The service under test, and the list that it should be."""

    def __init__(self, service: Service, clock: MovableClock) -> None:
        self.service, self.clock = service, clock
        self.rows: dict[int, Row] = {}
        self.memories: dict[str, int] = {}

    def offer(self, told: list[tuple[str, float]], session: str | None) -> None:
        made = [Draft(content, importance=importance) for content, importance in told]
        done = self.service.candidates.offer(made, ME, session).result(WAIT)
        touched: dict[str, str] = {}
        for content, importance in told:
            row = next((r for r in self.rows.values() if (r.content, r.session) == (content, session)), None)
            wanted = fate(importance)
            if row is None:
                row = Row(content, session, importance, wanted, self.clock.now())
                self.rows[-len(self.rows) - 1] = row
                touched[content] = wanted
            elif (row.state, wanted) in RISES:
                row.importance, row.state, row.since = importance, wanted, self.clock.now()
                touched[content] = wanted
            else:
                touched.setdefault(content, "known")
            if row.state == "pending":
                row.since = None
        said = {one.memory.content: "approved" for one in done.saved}
        for name in ("pending", "dropped", "known"):
            said |= {one.draft.content: name for one in getattr(done, name)}
        assert said == touched
        # The ids that the service gave take the place of the model's own.
        found = {(one.draft.content, one.session_id): one for one in self.everything()}
        self.rows = {found[row.content, row.session].id: row for row in self.rows.values()}
        for row in self.rows.values():
            if row.state == "approved" and row.memory is None:
                row.memory = self.memories.setdefault(row.content, found[row.content, row.session].memory_id or 0)
        assert self.rows.keys() == {one.id for one in found.values()}

    def decide(self, verb: str, numbers: list[int]) -> None:
        known = sorted(self.rows)
        if not known:
            return
        chosen = list(dict.fromkeys(known[number % len(known)] for number in numbers))
        states = {self.rows[one].state for one in chosen}
        refused = "approved" in states if verb != "approve" else bool(states & {"dropped", "dismissed"})
        try:
            getattr(self.service.candidates, verb)(chosen, ME).result(WAIT)
        except Conflict:
            assert refused
            return
        assert not refused
        for one in chosen:
            row = self.rows[one]
            if verb == "approve" and row.state == "pending":
                found = next(each for each in self.everything() if each.id == one)
                row.state, row.since = "approved", self.clock.now()
                row.memory = self.memories.setdefault(row.content, found.memory_id or 0)
            elif verb == "dismiss" and row.state == "pending":
                row.state, row.since = "dismissed", self.clock.now()
            elif verb == "restore":
                row.state, row.since = "pending", None

    def wait(self, days: int) -> None:
        self.clock.advance(timedelta(days=days))
        self.service.idle().result(WAIT)
        limit = self.clock.now() - timedelta(days=7)
        self.rows = {one: row for one, row in self.rows.items() if row.since is None or row.since >= limit}

    def everything(self) -> list[Any]:
        pages = [self.service.candidates.list(state, 100).result(WAIT) for state in CANDIDATE_STATES]
        return [one for page in pages for one in page.items]

    def check(self) -> None:
        said = {
            one.id: Row(
                one.draft.content, one.session_id, one.importance, one.state, one.decided_at, one.memory_id
            )
            for one in self.everything()
        }  # fmt: skip
        assert said == self.rows
        kept = self.service.list(Listing(limit=100)).result(WAIT).memories
        assert {one.content: one.id for one in kept} == self.memories


@contextmanager
def a_world() -> Iterator[World]:
    directory = Path(tempfile.mkdtemp(prefix="hupo-"))
    chosen, clock = Settings(), MovableClock(START)
    chosen.set("embedding.provider", "none")
    service = Service.open(directory, chosen, embedder_factory=lambda _: NoEmbedder(), clock=clock)
    try:
        yield World(service, clock)
    finally:
        service.close()
        shutil.rmtree(directory)


@given(steps)
@settings(max_examples=20)
def test_in_any_order_it_is_a_list(plan: list[tuple[Any, ...]]) -> None:
    with a_world() as world:
        for verb, *what in plan:
            if verb == "offer":
                world.offer(*what)
            elif verb == "wait":
                world.wait(*what)
            else:
                world.decide(verb, *what)
            world.check()
