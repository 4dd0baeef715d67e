"""The engine is a list of memories: any sequence of changes on a real service against a naive model of one.

Afterwards: what was made step by step equals what is made anew, everything is found by its own text, and taking
every change back leads to where it began.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Service, Settings
from engine.clock import MovableClock
from engine.errors import Conflict
from engine.index import consistency
from engine.text import terms
from engine.text.normalise import content_key
from engine.types import ALL_SCOPES, STATUSES, Actor, Draft, Filters, Memory, Query

WAIT = 30.0
WINDOW = Actor("gui", "window")
EVERYTHING = Filters(scope=ALL_SCOPES, statuses=STATUSES)


class Bags:
    identity, dimension, loaded = "test/bags", 32, True

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        made = np.full((len(texts), self.dimension), 0.05, dtype=np.float32)
        for row, text in enumerate(texts):
            for term in terms.bag(text):
                made[row, sum(term.encode()) % self.dimension] += 1.0
        return made / np.linalg.norm(made, axis=1, keepdims=True)

    def embed_query(self, text: str) -> np.ndarray:
        return self.embed_passages([text])[0]

    def unload(self) -> None: ...

    def close(self) -> None: ...


@contextmanager
def a_service() -> Iterator[Service]:
    directory = Path(tempfile.mkdtemp(prefix="hupo-"))
    chosen = Settings()
    chosen.set("memory.vector_wait_ms", 2_000)
    clock = MovableClock(datetime(2026, 5, 1, 12, tzinfo=UTC))
    service = Service.open(directory, chosen, embedder_factory=lambda _: Bags(), clock=clock)
    try:
        yield service
    finally:
        service.close()
        shutil.rmtree(directory)


@dataclass
class Row:
    content: str
    tags: tuple[str, ...]
    status: str = "active"
    before_trash: str = "active"


@dataclass
class Model:
    """What should be there: rows by id, and for each the states it had, to go back to."""

    rows: dict[int, Row] = field(default_factory=dict)

    def same(self, content: str) -> int | None:
        key = content_key(content)
        alive = (one for one, row in self.rows.items() if row.status != "trashed" and content_key(row.content) == key)
        return min(alive, default=None)


texts = st.sampled_from(
    [
        "我的猫叫豆豆",
        "The ferry leaves at nine",
        "THE  ferry leaves at NINE",
        "岛上有一家面包店",
        "a",
        "🙂 smile",
        'don\'t (panic) "now"',
        "第一段。" * 90,
        "Anna: hello there friend\nBen: and hello to you too\nAnna: see you tomorrow then",
    ]
)
tags = st.lists(st.sampled_from(["x", "y", "猫"]), max_size=2, unique=True).map(tuple)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("memorize"), texts, tags),
        st.tuples(st.just("edit"), st.integers(0, 9), texts, tags),
        st.tuples(st.sampled_from(["trash", "restore", "erase", "undo"]), st.integers(0, 9)),
    ),
    min_size=1,
    max_size=14,
)


def apply(service: Service, model: Model, step: tuple[Any, ...]) -> None:
    verb = step[0]
    if verb == "memorize":
        memorize(service, model, *step[1:])
        return
    if not model.rows:
        return
    memory_id = sorted(model.rows)[step[1] % len(model.rows)]
    row = model.rows[memory_id]
    if verb == "edit":
        service.edit(memory_id, {"content": step[2], "tags": step[3]}, WINDOW).result(WAIT)
        row.content, row.tags = step[2], step[3]
    elif verb == "trash":
        service.trash([memory_id], WINDOW).result(WAIT)
        row.status = "trashed"
    elif verb == "restore":
        service.restore([memory_id], WINDOW).result(WAIT)
        row.status = "active"
    elif verb == "erase":
        service.erase([memory_id], WINDOW).result(WAIT)
        del model.rows[memory_id]
    else:
        undo(service, row, memory_id)


def memorize(service: Service, model: Model, content: str, given_tags: tuple[str, ...]) -> None:
    same = model.same(content)
    done = service.memorize(Draft(content, tags=given_tags), WINDOW).result(WAIT)
    if same is None:
        assert done.outcome == "stored" and done.memory.id not in model.rows
        model.rows[done.memory.id] = Row(content, given_tags)
    else:
        assert (done.outcome, done.memory.id) == ("reinforced", same)
        row = model.rows[same]
        row.tags += tuple(tag for tag in given_tags if tag not in row.tags)


def undo(service: Service, row: Row, memory_id: int) -> None:
    """The model goes back by what history says was there before: nothing else may change."""
    candidates = [
        entry
        for entry in service.history(memory_id, 500).result(WAIT)
        if not entry.undone and entry.action != "undone" and (entry.before or entry.action == "created")
    ]
    if not candidates or (candidates[0].action == "created" and row.status == "trashed"):
        try:
            service.undo_latest(memory_id, WINDOW).result(WAIT)
        except Conflict:
            return
        raise AssertionError("there was nothing to take back")
    before = candidates[0].before or {"status": "trashed"}
    service.undo_latest(memory_id, WINDOW).result(WAIT)
    row.content = before.get("content", row.content)
    row.tags = before.get("tags", row.tags)
    row.status = before.get("status", row.status)


def check(service: Service, model: Model) -> None:
    service.idle().result(WAIT)
    held = service.get_many(service.ids(EVERYTHING, "oldest").result(WAIT)).result(WAIT)
    assert {one: (memory.content, memory.tags, memory.status) for one, memory in held.items()} == {
        one: (row.content, row.tags, row.status) for one, row in model.rows.items()
    }
    status = service.status().result(WAIT)
    assert status.lexical_rows == len(model.rows)
    assert (status.journal_open, status.journal_failed) == (0, 0)
    assert status.vectors.stored == status.vectors.wanted
    space = service._engine.space
    assert space is not None
    with service._database.reader() as cx:
        assert consistency.check(cx, space.index, space.identity_id).sound


def answers(service: Service, model: Model) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for text in sorted({row.content for row in model.rows.values()}):
        for mode in ("lexical", "vector", "convex"):
            query = Query(text, k=20, budget=None, reinforce=False, overrides={"recall.fusion": mode})
            hits = service.recall(query).result(WAIT).hits
            found[f"{mode} {text}"] = sorted((hit.memory.id, round(hit.score, 5)) for hit in hits)
    return found


def everything_is_found_by_its_text(model: Model, found: dict[str, Any]) -> None:
    for memory_id, row in model.rows.items():
        for mode in ("lexical", "vector", "convex"):
            there = {one for one, _ in found[f"{mode} {row.content}"]}
            assert (memory_id in there) == (row.status == "active"), (mode, row)


@settings(max_examples=25)
@given(steps)
def test_the_engine_is_a_list_and_what_grew_equals_what_is_made_anew(chosen: list[tuple[Any, ...]]) -> None:
    with a_service() as service:
        service.idle().result(WAIT)
        model = Model()
        for step in chosen:
            apply(service, model, step)
        check(service, model)
        grown = answers(service, model)
        everything_is_found_by_its_text(model, grown)
        counts = service.reindex().result(WAIT)
        assert counts["lexical"] == len(model.rows)
        check(service, model)
        assert answers(service, model) == grown


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "content": texts,
    "tags": tags,
    "title": st.text("ab 猫", max_size=3),
    "status": st.sampled_from(["active", "dormant", "archived", "trashed"]),
    "importance": st.sampled_from([0.0, 0.3, 1.0]),
    "event_time": st.none() | st.just(datetime(2024, 2, 29, tzinfo=UTC)),
    "extra": st.sampled_from([{}, {"k": [1, {"ü": None}]}]),
    "conversation_id": st.none() | st.sampled_from(["c", ""]),
    "pinned": st.booleans(),
}
edits = st.lists(
    st.dictionaries(st.sampled_from(sorted(VALUES)), st.none(), min_size=1, max_size=3).flatmap(
        lambda keys: st.fixed_dictionaries({key: VALUES[key] for key in keys})
    ),
    min_size=1,
    max_size=8,
)
Fields = Callable[[Memory], dict[str, Any]]


def own_fields(memory: Memory) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in Memory.__dataclass_fields__ if name != "updated_at"}


@settings(max_examples=25)
@given(edits, st.lists(st.booleans(), max_size=6))
def test_taking_everything_back_leads_to_the_beginning(changes: list[dict[str, Any]], redone: list[bool]) -> None:
    with a_service() as service:
        service.idle().result(WAIT)
        memory_id = service.memorize(Draft("the very first text", tags=("t",)), WINDOW).result(WAIT).memory.id
        states = [own_fields(service.get(memory_id).result(WAIT))]
        for values in changes:
            service.edit(memory_id, values, WINDOW).result(WAIT)
            state = own_fields(service.get(memory_id).result(WAIT))
            if state != states[-1]:
                states.append(state)
        for again in (*redone, *[False] * len(states)):
            if len(states) == 1:
                break
            back = service.undo_latest(memory_id, WINDOW).result(WAIT)
            assert own_fields(service.get(memory_id).result(WAIT)) == states[-2]
            if again:
                service.undo(back.history_ids[0], WINDOW).result(WAIT)
                assert own_fields(service.get(memory_id).result(WAIT)) == states[-1]
            else:
                states.pop()
        assert own_fields(service.get(memory_id).result(WAIT)) == states[0]
        check(service, Model({memory_id: Row("the very first text", ("t",))}))
