"""Laws of storage: it behaves as a plain list of memories would, whatever is stored, changed, asked and filtered."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.index import lexical
from engine.storage import columns, history, memories, passages, selection, vectors
from engine.storage.database import Database
from engine.types import ALL_SCOPES, LAYERS, SENSITIVITIES, STATUSES, Actor, Filters, Listing, Memory

START = datetime(2026, 3, 1, tzinfo=UTC)
TAGS = ("Tea", "tea", "ＴＥＡ", "茶", "旅行", "")
WORDS = ("tea", "coffee", "茶", "西湖", "sqlite", "green", "blue")

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
texts = st.lists(text, max_size=3).map(tuple)
moments = st.integers(0, 5).map(lambda minutes: START + timedelta(minutes=minutes, microseconds=minutes))
any_moment = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29), timezones=st.just(UTC))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
ids = st.none() | st.sampled_from(["c1", "c2"])


@st.composite
def rows(draw: st.DrawFn) -> dict[str, Any]:
    """Values of a memory with many ties; uid and key are set by whoever stores it."""
    words = draw(st.lists(st.sampled_from(WORDS), max_size=6))
    return {
        "title": draw(st.sampled_from(["", "Alpha", "alpha", "beta", "中文"]) | text),
        "content": " ".join(words), "summary": draw(text), "compressed": "",
        "layer": draw(st.sampled_from(LAYERS)), "category": draw(st.sampled_from(["", "note", "user"])),
        "importance": draw(st.sampled_from([0.0, 0.5, 1.0])), "emotion_intensity": 0.0, "valence": 0.0,
        "mood": "", "sentiment": "", "tags": tuple(draw(st.lists(st.sampled_from(TAGS), max_size=3))),
        "topics": draw(texts), "participants": (), "key_facts": (),
        "sensitivity": draw(st.sampled_from(SENSITIVITIES)), "status": draw(st.sampled_from(STATUSES)),
        "pinned": draw(st.booleans()), "protected": False, "resolved": False,
        "conversation_id": draw(ids), "session_id": None, "persona_id": draw(ids), "position": None,
        "source_agent": "", "source_client": draw(st.sampled_from(["", "codex"])), "source_text": "",
        "event_time": draw(st.none() | moments), "external_ids": (), "extra": {},
        "created_at": draw(moments), "updated_at": draw(moments), "script": "latin",
        "strength": draw(st.sampled_from([0.05, 0.5])),
    }  # fmt: skip


def some(values: tuple[Any, ...]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple)


filters_ = st.builds(
    Filters,
    scope=st.sampled_from([None, "c1", "c2", "c3", ALL_SCOPES]),
    persona_id=st.sampled_from([None, None, "c1", ALL_SCOPES]),
    layers=some(LAYERS),
    categories=some(("", "note", "user")),
    tags=some(TAGS[:-1]),
    statuses=st.just(()) | some(STATUSES) | st.just(("active", "dormant", "archived")),
    sensitivities=some(SENSITIVITIES),
    clients=some(("", "codex")),
    since=st.none() | moments,
    until=st.none() | moments,
    pinned=st.sampled_from([None, None, True, False]),
)


def passes(memory: Memory, filters: Filters) -> bool:
    """The meaning of a filter, said plainly."""
    f = filters
    keys = {selection.tag_key(tag) for tag in memory.tags}
    return all(
        (
            f.scope == ALL_SCOPES or memory.conversation_id in (None, f.scope),
            f.persona_id in (None, ALL_SCOPES) or memory.persona_id in (None, f.persona_id),
            not f.layers or memory.layer in f.layers,
            not f.categories or memory.category in f.categories,
            all(selection.tag_key(tag) in keys for tag in f.tags),
            not f.statuses or memory.status in f.statuses,
            not f.sensitivities or memory.sensitivity in f.sensitivities,
            not f.clients or memory.source_client in f.clients,
            f.since is None or memory.occurred_at >= f.since,
            f.until is None or memory.occurred_at < f.until,
            f.pinned is None or memory.pinned == f.pinned,
        )
    )


@contextmanager
def open_database() -> Iterator[Database]:
    """hypothesis runs many examples in one test, so each opens its own."""
    directory = Path(tempfile.mkdtemp(prefix="hupo-laws-"))
    database = Database.open(directory)
    try:
        yield database
    finally:
        database.close()
        shutil.rmtree(directory)


def _store(cx: apsw.Connection, made: list[dict[str, Any]]) -> dict[int, Memory]:
    stored = [memories.insert(cx, {**row, "uid": str(at), "content_key": str(at)}) for at, row in enumerate(made)]
    for memory_id, row in zip(stored, made, strict=True):
        lexical.put(cx, memory_id, row["content"])
    return memories.get_many(cx, stored)


SORT_KEYS: dict[str, Any] = {
    "newest": lambda one: one.occurred_at,
    "oldest": lambda one: one.occurred_at,
    "updated": lambda one: one.updated_at,
    "importance": lambda one: one.importance,
    "strength": lambda one: one.strength,
}


@settings(max_examples=60)
@given(made=st.lists(rows(), max_size=12), filters=filters_, limit=st.integers(1, 5))
def test_lists_equal_a_filtered_and_sorted_list(made: list[dict[str, Any]], filters: Filters, limit: int) -> None:
    with open_database() as db, db.transaction() as cx:
        known = _store(cx, made)
        expected = [one for one in known.values() if passes(one, filters)]
        assert memories.count(cx, filters) == len(expected)
        assert selection.restrict(cx, known, filters) == {one.id for one in expected}
        for sort, key in SORT_KEYS.items():
            order = sorted(expected, key=lambda one, key=key: (key(one), one.id), reverse=sort != "oldest")
            assert memories.list_ids(cx, filters, sort) == [one.id for one in order]  # type: ignore[arg-type]
        for sort in (*SORT_KEYS, "title"):
            found, cursor = [], None
            while True:
                page = memories.page(cx, Listing(filters, sort, limit, cursor))  # type: ignore[arg-type]
                assert page.total == len(expected)
                found.extend(one.id for one in page.memories)
                cursor = page.next_cursor
                if cursor is None:
                    break
            assert found == memories.list_ids(cx, filters, sort)  # type: ignore[arg-type]
            assert sorted(found) == sorted(one.id for one in expected)


@settings(max_examples=80)
@given(
    made=st.lists(rows(), max_size=25),
    filters=filters_,
    question=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True),
    limit=st.integers(1, 6),
)
def test_filtered_search_equals_ranking_everything_and_filtering_afterwards(
    made: list[dict[str, Any]], filters: Filters, question: list[str], limit: int
) -> None:
    expression = " OR ".join(f'"{word}"' for word in question)
    with open_database() as db, db.transaction() as cx:
        known = _store(cx, made)
        everything = lexical.search(cx, expression, 1000, None)
        assert {one for one, _ in everything} == {
            one.id for one in known.values() if set(one.content.split()) & set(question)
        }
        expected = [(one, score) for one, score in everything if passes(known[one], filters)]
        assert lexical.search(cx, expression, limit, filters) == expected[:limit]
        inside = [one for one in known if passes(known[one], filters)]
        within = lexical.search_within(cx, expression, inside, 1000)
        assert {one for one, _ in within} == {one for one, _ in expected}
        assert all(score > 0 for _, score in within)


@given(row=rows(), title=text, content=text, lists=texts, extra=st.dictionaries(text, json_values, max_size=3),
       created=any_moment, event=st.none() | any_moment, number=st.floats(0, 1))  # fmt: skip
def test_whatever_is_stored_comes_back_the_same_also_through_history(
    row: dict[str, Any], title: str, content: str, lists: tuple[str, ...], extra: dict[str, Any],
    created: datetime, event: datetime | None, number: float,
) -> None:  # fmt: skip
    row |= {
        "uid": "u", "content_key": "k", "title": title, "content": content, "tags": lists, "key_facts": lists,
        "extra": extra, "created_at": created, "event_time": event, "importance": number,
    }  # fmt: skip
    rare = {"tone": extra, "why": title, "entities": lists, "modalities": tuple({"x": one} for one in lists)}
    row |= rare
    with open_database() as db, db.transaction() as cx:
        memory = memories.get(cx, memories.insert(cx, row))
        assert memory is not None
        fields = {name: getattr(memory, name) for name in (*columns.MEMORY, *columns.DETAILS)}
        assert fields == {name: row.get(name) or fields[name] for name in fields}
        assert {name: fields[name] for name in rare} == rare
        entry = history.get(cx, history.record(cx, created, Actor("rule", title), "edited", memory.id, fields, fields))
        assert entry is not None
        assert entry.before == entry.after == fields
        assert entry.actor.name == title
        memories.update(cx, memory.id, fields)
        assert memories.get(cx, memory.id) == memory
        memories.delete(cx, [memory.id])
        assert cx.execute("SELECT count(*) FROM memory_tags").get == 0


@settings(max_examples=40)
@given(steps=st.lists(st.tuples(st.sampled_from(["add", "edit", "vector", "trash", "restore", "erase"]),
                                st.integers(0, 7)), max_size=40))  # fmt: skip
def test_missing_vectors_are_exactly_those_a_plain_model_misses(steps: list[tuple[str, int]]) -> None:
    model: dict[int, dict[int, bool]] = {}  # memory → passage → has a vector
    trashed: set[int] = set()
    vector = np.array([0.6, 0.8], dtype=np.float32)
    with open_database() as db, db.transaction() as cx:
        identity = vectors.identity_id(cx, "model", 2)
        for at, (step, choice) in enumerate(steps):
            chosen = sorted(model)[choice % len(model)] if model else None
            if step == "add":
                row = dict(PLAIN, uid=str(at), content_key=str(at))
                memory_id = memories.insert(cx, row)
                model[memory_id] = dict.fromkeys(passages.put(cx, memory_id, [(0, 1)] * (1 + choice % 3)), False)
            elif chosen is None:
                continue
            elif step == "edit":
                passages.delete_of(cx, [chosen])
                model[chosen] = dict.fromkeys(passages.put(cx, chosen, [(0, 1)]), False)
            elif step == "vector":
                part = sorted(model[chosen])[choice % len(model[chosen])]
                vectors.put(cx, identity, [(part, vector)])
                model[chosen][part] = True
            elif step == "erase":
                memories.delete(cx, [chosen])
                del model[chosen]
                trashed.discard(chosen)
            else:
                memories.update(cx, chosen, {"status": "trashed" if step == "trash" else "active"})
                (trashed.add if step == "trash" else trashed.discard)(chosen)
            parts = {part: (one, has) for one, all_ in model.items() for part, has in all_.items()}
            lacking = [part for part, (one, has) in parts.items() if not has and one not in trashed]
            assert [row[0] for row in vectors.missing(cx, identity, 1000)] == sorted(lacking, reverse=True)
            there = sorted(part for part, (_, has) in parts.items() if has)
            assert vectors.keys(cx, identity).tolist() == there == vectors.load(cx, identity)[0].tolist()
            assert vectors.count(cx, identity) == len(there)
            assert vectors.wanted(cx, identity) == len(there) + len(lacking)
            assert vectors.complete(cx, identity, model) == [one for one in sorted(model) if all(model[one].values())]
            assert vectors.without(cx, identity, parts) == {part for part, (_, has) in parts.items() if not has}


PLAIN: dict[str, Any] = {
    **dict.fromkeys(("title", "content", "summary", "compressed", "category", "mood", "sentiment"), ""),
    **dict.fromkeys(("source_agent", "source_client", "source_text"), ""),
    **dict.fromkeys(("conversation_id", "session_id", "persona_id", "position", "event_time")),
    **dict.fromkeys(("tags", "topics", "participants", "key_facts", "external_ids"), ()),
    **dict.fromkeys(("pinned", "protected", "resolved"), False),
    "layer": "event", "importance": 0.5, "emotion_intensity": 0.0, "valence": 0.0, "sensitivity": "normal",
    "status": "active", "extra": {}, "created_at": START, "updated_at": START, "script": "latin",
}  # fmt: skip
