"""Consistency of the derived indexes with the rows, on a real database: found out, repaired, never half repaired."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from engine.errors import Cancelled
from engine.index import consistency, lexical
from engine.index.vector import VectorIndex
from engine.storage import memories, passages, vectors
from engine.storage.database import Database
from engine.storage.vectors import FACTS
from engine.text.terms import fts_query, fts_row, query_terms
from engine.types import Memory

DIM = 16
NOW = datetime(2026, 3, 1, tzinfo=UTC)


class Store:
    """A database with memories, their lexical rows, passages and vectors, and an index beside it."""

    def __init__(self, directory: Path) -> None:
        self.db = Database.open(directory, busy_seconds=0.5)
        self.index = VectorIndex(directory / "v", "m", DIM)
        self.facts = VectorIndex(directory / "f", "m", DIM)
        self.numbers = itertools.count(1)
        with self.db.transaction() as cx:
            self.identity = vectors.identity_id(cx, "m", DIM)

    def remember(self, content: str) -> tuple[int, int]:
        """(memory id, passage id), indexed by words and stored with a vector, but not in the vector index."""
        number = next(self.numbers)
        row: dict[str, Any] = dict.fromkeys(
            ("title", "compressed", "category", "mood", "sentiment", "source_agent", "source_client", "source_text"), ""
        )
        row |= dict.fromkeys(("tags", "topics", "participants", "key_facts", "external_ids"), ())
        row |= dict.fromkeys(("pinned", "protected", "resolved"), False)
        row |= dict.fromkeys(("conversation_id", "session_id", "persona_id", "position", "event_time"))
        row |= {"uid": f"u{number}", "content": content, "summary": content, "layer": "event", "importance": 0.5}
        row |= {"emotion_intensity": 0.0, "valence": 0.0, "sensitivity": "normal", "status": "active", "extra": {}}
        row |= {"created_at": NOW, "updated_at": NOW, "content_key": f"k{number}", "script": "han"}
        with self.db.transaction(durable=False) as cx:
            memory_id = memories.insert(cx, row)
            lexical.put(cx, memory_id, fts_row(content))
            (passage_id,) = passages.put(cx, memory_id, [(0, len(content))])
            vectors.put(cx, self.identity, [(passage_id, unit(passage_id))])
        return memory_id, passage_id

    def entry(self, kind: str, *tellers: tuple[int, str | None], words: bool = True) -> int:
        """A new entry of the graph, with or without its words; ``tellers``: memories, and the status of the atom."""
        with self.db.transaction(durable=False) as cx:
            name = f"{kind} {next(self.numbers)}"
            node = cx.execute("INSERT INTO nodes (type, canonical) VALUES (?, ?) RETURNING id", (kind, name)).get
            made = cx.execute("INSERT INTO entries (node_id, text) VALUES (?, ?) RETURNING id", (node, name)).get
            for memory_id, status in tellers:
                atom = None if status is None else atom_of(cx, status)
                cx.execute("INSERT INTO mentions VALUES (?, ?, ?, 1)", (memory_id, made, atom))
            if words:
                cx.execute("INSERT INTO entries_lexical (rowid, terms) VALUES (?, ?)", (made, name))
        return int(made)

    def reconcile(self, held: NDArray[np.int64] | None = None) -> consistency.Reconciled:
        with self.db.reader() as cx:
            return consistency.reconcile(cx, self.index, self.identity, held)

    def check(self) -> consistency.Report:
        with self.db.reader() as cx:
            return consistency.check(cx, self.index, self.identity, self.facts)

    def rebuild(self, **options: Any) -> int:
        return consistency.rebuild_lexical(self.db, lambda work: work(), prepare, **options)

    def find(self, text: str) -> list[int]:
        with self.db.reader() as cx:
            return sorted(found for found, _ in lexical.search(cx, fts_query(query_terms(text)), 1000, None))


def atom_of(cx: apsw.Connection, status: str) -> int:
    sql = (
        "INSERT INTO atoms (type, status, status_at, importance, confidence, created_at, reinforcement_count, "
        "ttl_days, expires_at) VALUES ('factual', ?, '', 0.5, 0.9, '', 0, 1, '') RETURNING id"
    )
    return int(cx.execute(sql, (status,)).get)


def unit(seed: int) -> NDArray[np.float32]:
    row = np.random.default_rng(seed).standard_normal(DIM)
    return (row / np.linalg.norm(row)).astype(np.float32)


def prepare(memory: Memory) -> str:
    return fts_row(memory.content)


@pytest.fixture
def store(data_dir: Path) -> Iterator[Store]:
    opened = Store(data_dir)
    yield opened
    opened.db.close()


def test_reconcile_adds_what_lacks_and_removes_what_is_stray(store: Store) -> None:
    ids = [store.remember(f"第{number}件事")[1] for number in range(5)]
    store.index.add([ids[0], 900, 901], [unit(ids[0]), unit(1), unit(2)])
    assert store.reconcile() == consistency.Reconciled(added=4, removed=2)
    assert store.index.keys().tolist() == ids and store.check().sound
    assert store.reconcile() == consistency.Reconciled(0, 0)


def test_reconcile_works_in_blocks(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consistency, "_READ_BLOCK", 3)
    ids = [store.remember(f"第{number}件事")[1] for number in range(8)]
    assert store.reconcile().added == 8 and store.index.keys().tolist() == ids


def test_reconcile_keeps_what_a_writer_adds_meanwhile(store: Store) -> None:
    old = store.remember("旧的")[1]
    held = store.index.keys()
    with store.db.reader() as cx:
        new = store.remember("新的")[1]  # committed after the snapshot
        store.index.add([new], [unit(new)])
        assert consistency.reconcile(cx, store.index, store.identity, held) == consistency.Reconciled(1, 0)
    assert store.index.keys().tolist() == [old, new]


def test_check_names_every_kind_of_difference(store: Store) -> None:
    (first, first_passage), (second, _), (_, third_passage) = (store.remember(text) for text in ("甲", "乙", "丙"))
    store.reconcile()
    assert store.check() == consistency.Report()
    with store.db.transaction() as cx:
        lexical.remove(cx, [second])
        lexical.put(cx, 77, "x")
    store.index.remove([first_passage])
    store.index.add([500], [unit(500)])
    store.index.add([third_passage], [unit(12345)])
    found = store.check()
    assert not found.sound
    assert (found.unindexed, found.orphaned) == ((second,), (77,))
    assert (found.missing, found.stray, found.different) == ((first_passage,), (500,), (third_passage,))
    with store.db.reader() as cx:
        assert consistency.check(cx, None, store.identity).missing == ()
    assert first in store.find("甲")


def test_facts_are_reconciled_and_checked_in_an_index_of_their_own(store: Store) -> None:
    memory_id, passage_id = store.remember("甲")
    facts = [store.entry("fact", (memory_id, None)) for _ in range(3)]
    with store.db.transaction() as cx:
        vectors.put(cx, store.identity, [(fact, unit(100 + fact)) for fact in facts], FACTS)
    assert passage_id == facts[0], "the same number names two things"
    store.reconcile()
    assert store.check() == consistency.Report(missing_facts=tuple(facts)) and not store.check().sound
    store.facts.add([facts[0], 700], [unit(1), unit(700)])
    found = store.check()
    assert (found.missing_facts, found.stray_facts, found.different_facts) == (tuple(facts[1:]), (700,), (facts[0],))
    store.facts.remove([facts[0]])
    with store.db.reader() as cx:
        assert consistency.check(cx, store.index, store.identity).sound, "not asked about the facts"
        done = consistency.reconcile(cx, store.facts, store.identity, family=FACTS)
    assert done == consistency.Reconciled(added=3, removed=1)
    assert store.check().sound and store.index.keys().tolist() == [passage_id]


def test_check_knows_which_entries_have_words(store: Store) -> None:
    memory_id, other = store.remember("甲")[0], store.remember("乙")[0]
    for kind in ("topic", "person"):
        store.entry(kind, (memory_id, None))
    store.entry("fact", (memory_id, "active"))
    store.entry("fact", (memory_id, "expired"))
    store.entry("fact", (memory_id, None))
    store.entry("fact", (memory_id, "forgotten"), (other, "active"))
    store.entry("fact", (memory_id, "forgotten"), words=False)
    store.entry("fact", (memory_id, "purged"), (other, "forgotten"), words=False)
    store.reconcile()
    assert store.check().sound
    orphaned = [store.entry("fact", (memory_id, "purged")), store.entry("fact")]
    lacking = [store.entry("fact", (memory_id, "dormant"), words=False), store.entry("topic", words=False)]
    with store.db.transaction() as cx:
        cx.execute("INSERT INTO entries_lexical (rowid, terms) VALUES (99, 'x')")
    found = store.check()
    assert (found.unindexed_entries, found.orphaned_entries) == (tuple(lacking), (*orphaned, 99)) and not found.sound


def test_rebuild_replaces_every_row_and_drops_orphans(store: Store) -> None:
    kept = [store.remember(f"成语接龙 {number}")[0] for number in range(450)]
    with store.db.transaction() as cx:
        lexical.remove(cx, kept[:10])
        lexical.put(cx, kept[20], "other")
        lexical.put(cx, 9999, fts_row("成语接龙"))
    steps: list[tuple[int, int]] = []
    assert store.rebuild(progress=lambda done, total: steps.append((done, total))) == 450
    assert store.find("成语接龙") == kept and store.find("other") == []
    assert steps == [(200, 450), (400, 450), (450, 450)]
    assert store.check().orphaned == () and store.check().unindexed == ()


def test_rebuild_lets_writers_in_between(store: Store) -> None:
    ids = [store.remember(f"成语接龙 {number}")[0] for number in range(250)]

    def meanwhile(done: int, total: int) -> None:
        if done == 200:
            ids.append(store.remember("成语接龙 新")[0])
            with store.db.transaction() as cx:
                memories.delete(cx, [ids[-2]])
                lexical.remove(cx, [ids.pop(-2)])

    assert store.rebuild(progress=meanwhile) == 249
    assert store.find("成语接龙") == ids and store.check().orphaned == ()


def test_a_cancelled_rebuild_says_how_far_it_came_and_loses_nothing(store: Store) -> None:
    ids = [store.remember(f"成语接龙 {number}")[0] for number in range(450)]
    answers = iter([False, True])
    with pytest.raises(Cancelled) as caught:
        store.rebuild(cancelled=lambda: next(answers))
    assert caught.value.fields == {"done": 200, "total": 450}
    assert store.find("成语接龙") == ids


def test_a_damaged_index_is_emptied_first(store: Store) -> None:
    ids = [store.remember(f"成语接龙 {number}")[0] for number in range(30)]
    with store.db.transaction() as cx:
        cx.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        cx.execute("UPDATE lexical_data SET block = zeroblob(length(block)) WHERE id > 10")
        cx.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    assert store.db.integrity() != ()
    assert store.rebuild() == 30
    assert store.find("成语接龙") == ids
    assert store.db.integrity() == ()


def test_rebuild_of_an_empty_store(store: Store) -> None:
    calls: list[Callable[[], object]] = []

    def write(work: Callable[[], Any]) -> Any:
        calls.append(work)
        return work()

    assert consistency.rebuild_lexical(store.db, write, prepare) == 0
    assert len(calls) == 2
