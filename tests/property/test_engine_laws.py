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
from engine.ingest.draft import classified
from engine.ingest.likeness import joined
from engine.storage import columns
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
    replaced_by: int | None = None


@dataclass
class Model:
    """What should be there: rows by id."""

    rows: dict[int, Row] = field(default_factory=dict)

    def same(self, content: str) -> int | None:
        key = content_key(content)
        alive = (one for one, row in self.rows.items() if row.status == "active" and content_key(row.content) == key)
        return min(alive, default=None)

    def others(self, memory_id: int, status: str, new: str) -> None:
        """What a memory replaced follows it into the trash and out."""
        for row in self.rows.values():
            if row.replaced_by == memory_id and row.status == status:
                row.status = new

    def move(self, memory_id: int, status: str) -> None:
        row = self.rows[memory_id]
        before, row.status = row.status, status
        if status == "trashed" and before != "trashed":
            self.others(memory_id, "superseded", "active")
        elif before == "trashed" and status != "trashed":
            self.others(memory_id, "active", "superseded")


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
        "Alice works at Acme",
        "Alice now works at Globex",
        "Alice works at Initech now",
        "我喜欢喝冰美式咖啡",
        "我很喜欢喝冰美式咖啡",
        "小林住在北京",
        "小林现在住在上海",
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
        model.move(memory_id, "trashed")
    elif verb == "restore":
        if row.status == "trashed":
            service.restore([memory_id], WINDOW).result(WAIT)
            model.move(memory_id, str(service.get(memory_id).result(WAIT).status))
    elif verb == "erase":
        service.erase([memory_id], WINDOW).result(WAIT)
        model.others(memory_id, "superseded", "active")
        del model.rows[memory_id]
        for other in model.rows.values():
            if other.replaced_by == memory_id:
                other.replaced_by = None
    else:
        undo(service, model, memory_id)


def memorize(service: Service, model: Model, content: str, given_tags: tuple[str, ...]) -> None:
    same = model.same(content)
    done = service.memorize(Draft(content, tags=given_tags), WINDOW).result(WAIT)
    memory_id = done.memory.id
    if same is not None:
        assert (done.outcome, memory_id) == ("reinforced", same)
    elif done.outcome == "merged":
        row = model.rows[memory_id]
        assert row.status == "active"
        row.content = joined(row.content, content)
    else:
        assert done.outcome == ("superseded" if done.replaced else "stored") and memory_id not in model.rows
        for old in done.replaced:
            assert model.rows[old].status == "active"
            model.rows[old].status, model.rows[old].replaced_by = "superseded", memory_id
        model.rows[memory_id] = Row(content, given_tags)
    row = model.rows[memory_id]
    row.tags += tuple(tag for tag in given_tags if tag not in row.tags)


def undo(service: Service, model: Model, memory_id: int) -> None:
    """The model goes back by what history says was there before: nothing else may change."""
    row = model.rows[memory_id]
    candidates = [
        entry
        for entry in service.history(memory_id, 500).result(WAIT)
        if not entry.undone and entry.action != "undone" and (entry.before or entry.action in ("created", "merged"))
    ]
    entry = candidates[0] if candidates else None
    possible = entry is not None and not (entry.action == "created" and row.status == "trashed")
    try:
        changes = service.undo_latest(memory_id, WINDOW).result(WAIT)
    except Conflict as conflict:
        # What only followed another memory is taken back where that one is.
        assert not possible or conflict.fields["reason"] in ("nothing_to_undo", "changed_since")
        return
    assert entry is not None
    before = dict(entry.before or ({"status": "trashed"} if entry.action == "created" else {}))
    row.content = before.get("content", row.content)
    row.tags = before.get("tags", row.tags)
    if "superseded_by" in before:
        row.replaced_by = before["superseded_by"]
    if "status" in before:
        model.move(memory_id, before["status"])
    for own in changes.created:
        told = columns.load((entry.after or {})["told"])
        model.rows[own] = Row(told["content"], told["tags"])


def check(service: Service, model: Model) -> None:
    service.idle().result(WAIT)
    held = service.get_many(service.ids(EVERYTHING, "oldest").result(WAIT)).result(WAIT)
    assert {
        one: (memory.content, memory.tags, memory.status, memory.superseded_by) for one, memory in held.items()
    } == {one: (row.content, row.tags, row.status, row.replaced_by) for one, row in model.rows.items()}
    check_graph(service, list(held.values()))
    status = service.status().result(WAIT)
    assert status.lexical_rows == len(model.rows)
    assert (status.journal_open, status.journal_failed) == (0, 0)
    assert status.vectors.stored == status.vectors.wanted
    space = service._engine.space
    assert space is not None
    with service._database.reader() as cx:
        assert consistency.check(cx, space.index, space.identity_id, space.facts).sound


def graph_rows(service: Service) -> dict[str, Any]:
    """Everything of atoms and graph that does not depend on row ids."""
    with service._database.reader() as cx:
        mentions = cx.execute(
            "SELECT m.memory_id, n.type, n.canonical, e.text, m.given, a.type, a.status, a.reinforcement_count "
            "FROM mentions AS m JOIN entries AS e ON e.id = m.entry_id JOIN nodes AS n ON n.id = e.node_id "
            "LEFT JOIN atoms AS a ON a.id = m.atom_id ORDER BY 1, 2, 3, 4"
        ).fetchall()
        words = cx.execute(
            "SELECT e.text FROM entries_lexical_docsize AS d JOIN entries AS e ON e.id = d.id ORDER BY 1"
        ).fetchall()
        strays = {
            "entries": cx.execute("SELECT count(*) FROM entries WHERE id NOT IN (SELECT entry_id FROM mentions)").get,
            "nodes": cx.execute("SELECT count(*) FROM nodes WHERE id NOT IN (SELECT node_id FROM entries)").get,
            "atoms": cx.execute(
                "SELECT count(*) FROM atoms WHERE id NOT IN (SELECT atom_id FROM mentions WHERE atom_id IS NOT NULL)"
            ).get,
            "words": cx.execute(
                "SELECT count(*) FROM entries_lexical_docsize WHERE id NOT IN (SELECT id FROM entries)"
            ).get,
        }
    return {"mentions": mentions, "words": words, "strays": strays}


def check_graph(service: Service, held: Sequence[Memory]) -> None:
    """Each memory's facts are mentioned once, with a life; nothing is left of what no memory says."""
    rows = graph_rows(service)
    assert set(rows["strays"].values()) == {0}, rows["strays"]
    expected = {
        (memory.id, fact.text)
        for memory in held
        for fact, _ in classified(memory.content, memory.key_facts, memory.created_at, UTC)
    }
    facts = [row for row in rows["mentions"] if row[1] == "fact"]
    assert {(row[0], row[3]) for row in facts} == expected
    assert all(row[5] for row in facts)
    alive = {memory.id for memory in held if memory.status == "active"}
    assert all(row[6] == "active" for row in facts if row[0] in alive)


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
        rows = graph_rows(service)
        counts = service.reindex().result(WAIT)
        assert counts["lexical"] == counts["graph"] == len(model.rows)
        check(service, model)
        assert answers(service, model) == grown
        assert graph_rows(service) == rows


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
