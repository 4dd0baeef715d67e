"""Laws of the topic hierarchy: whatever is told, edited, trashed, erased, decided and taken back, every memory
is where its path leads, a path that is known keeps its meaning, and a decision is taken back exactly.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.access import Done
from engine.clock import MovableClock
from engine.config import Settings
from engine.digest import topic_view, topics
from engine.digest.topic_tree import Tree
from engine.errors import HupoError
from engine.ingest import edit, memorize
from engine.ingest.context import Context
from engine.ingest.draft import prepare
from engine.ingest.filing import canonical_of, refile
from engine.ingest.readings import Readings
from engine.storage import history, memories
from engine.storage import topics as rows
from engine.storage.database import Connection, Database
from engine.text.segmentation import Segmenter
from engine.types import ALL_SCOPES, LONGEST_TOPIC_PATH, STATUSES, Actor, Draft, Filters, TopicChange

NOW = datetime(2026, 5, 13, 2, tzinfo=UTC)
WINDOW = Actor("gui", "window")
EVERYTHING = Filters(scope=ALL_SCOPES, statuses=STATUSES)
# Few names in several spellings, so that most changes meet each other.
NAMES = ("Work", "ＷＯＲＫ", "工作", "专案", "專案", "Tea", " tea ", "Trip")
TOLD = ("橙子很甜", "Our cat sleeps all day", "地铁很挤", "He plays the cello", "昨天下雨了", "Soup was cold")
READINGS = Readings(Segmenter(None))
CLOCK = MovableClock(NOW)
VALUES = Settings().current

names = st.sampled_from(NAMES)
paths = st.lists(names, max_size=LONGEST_TOPIC_PATH).map(tuple)
numbers = st.integers(0, 30)
steps = st.one_of(
    st.tuples(st.just("tell"), st.sampled_from(TOLD), paths),
    st.tuples(st.sampled_from(("edit",)), numbers, paths),
    st.tuples(st.sampled_from(("trash", "restore", "erase")), numbers),
    st.tuples(st.sampled_from(("rename", "alias", "unalias")), numbers, names),
    st.tuples(st.sampled_from(("merge", "move")), numbers, numbers),
    st.tuples(st.sampled_from(("summary", "remove", "top")), numbers),
    st.tuples(st.just("undo"), st.integers(0, 3)),
)


class Store:
    """A store within one transaction, and the steps on it. One that is refused leaves nothing behind."""

    def __init__(self, cx: Connection) -> None:
        self.cx = cx
        self.decisions: list[int] = []
        self.context = Context(WINDOW, NOW, UTC, READINGS)

    def tree(self) -> Tree:
        return topics.tree_of(self.cx)

    def filed(self) -> dict[int, int]:
        found: list[Any] = self.cx.execute("SELECT memory_id, topic_id FROM memory_topics").fetchall()
        return dict(found)

    def given(self) -> dict[int, tuple[str, ...]]:
        ids = memories.list_ids(self.cx, EVERYTHING, "oldest")
        return {one: memory.topic_path for one, memory in memories.get_many(self.cx, ids).items()}

    def state(self) -> tuple[Any, ...]:
        tree = self.tree()
        plain = {row.id: replace(row, touched=0) for row in tree.topics.values()}
        return plain, tree.names, self.filed()

    def step(self, what: str, *given: Any) -> bool:
        """Whether it was taken."""
        try:
            with self.cx:
                self._step(what, *given)
        except HupoError:
            return False
        return True

    def _step(self, what: str, *given: Any) -> None:
        if what == "tell":
            prepared = prepare(Draft(given[0], topic_path=given[1]), VALUES, CLOCK)
            memorize.insert(self.cx, prepared, None, self.context)
        elif what in ("edit", "trash", "restore", "erase"):
            ids = sorted(self.given())
            if ids:
                self._change(what, ids[given[0] % len(ids)], *given[1:])
        elif what == "undo":
            if self.decisions:
                entry = history.get(self.cx, self.decisions[-1 - given[0] % len(self.decisions)])
                assert entry is not None
                self.decisions += topics.undo(self.cx, entry, self.context).history_ids
        else:
            live = [row.id for row in self.tree().all_live()]
            if live:
                self._decide(what, live, given[0], *given[1:])

    def _change(self, what: str, memory_id: int, *given: Any) -> None:
        if what == "restore":
            edit.restore(self.cx, memory_id, self.context)
        elif what == "erase":
            edit.erase(self.cx, [memory_id], self.context)
        else:
            values = {"status": "trashed"} if what == "trash" else {"topic_path": given[0]}
            edit.apply(self.cx, memory_id, values, self.context)

    def _decide(self, what: str, live: list[int], number: int, *given: Any) -> None:
        cx, context, one = self.cx, self.context, live[number % len(live)]
        other = live[given[0] % len(live)] if given and isinstance(given[0], int) else 0
        work: dict[str, Callable[[], Done[TopicChange]]] = {
            "rename": lambda: topics.rename(cx, one, given[0], context),
            "alias": lambda: topics.add_alias(cx, one, given[0], context),
            "unalias": lambda: topics.drop_alias(cx, one, given[0], context),
            "merge": lambda: topics.merge(cx, [one], other, context),
            "move": lambda: topics.move(cx, one, other, context),
            "top": lambda: topics.move(cx, one, None, context),
            "summary": lambda: topics.set_summary(cx, one, f"about {one}", None, context),
            "remove": lambda: topics.remove(cx, one, context),
        }
        self.decisions += work[what]().history_ids


class _Back(Exception):
    """Takes back whatever an example did."""


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    directory = Path(tempfile.mkdtemp(prefix="hupo-"))
    made = Database.open(directory)
    yield made
    made.close()
    shutil.rmtree(directory)


@contextmanager
def opened(database: Database) -> Iterator[Store]:
    with suppress(_Back), database.transaction(durable=False) as cx:
        yield Store(cx)
        raise _Back


def meaning(tree: Tree, path: tuple[str, ...]) -> int | None:
    """Naively: where a path leads whose every name is known; one that may go no deeper ends."""
    place = 0
    for name in path:
        row, at = tree.names.get((place, canonical_of(name))), place
        while row is None and at and tree.topics[at].merged_into is not None:
            at = tree.topics[at].merged_into or 0
            row = tree.names.get((at, canonical_of(name)))
        if row is None:
            assert len(tree.way(at)) == LONGEST_TOPIC_PATH, "a name that nobody knows, and room for it"
            break
        place = row.topic_id
    return tree.end(place) if place else None


def known_prefixes(tree: Tree, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    place = 0
    for at, name in enumerate(path, 1):
        found = tree.known(place, canonical_of(name))
        if found is None:
            return
        yield path[:at], found
        place = tree.names[place, canonical_of(name)].topic_id if (place, canonical_of(name)) in tree.names else found


def check_rows(store: Store) -> None:
    """Every memory is where its path leads; no topic is deeper than four, below itself, or beside one of its name."""
    tree, filed = store.tree(), store.filed()
    for memory_id, path in store.given().items():
        assert filed.get(memory_id) == meaning(tree, path), (memory_id, path)
    for row in tree.all_live():
        assert row.level == len(tree.way(row.id)) <= LONGEST_TOPIC_PATH
        assert row.parent_id == 0 or tree.topics[row.parent_id].merged_into is None
    assert {row.topic_id for row in tree.names.values()} <= tree.topics.keys()
    assert {place for place, _ in tree.names} <= {0, *tree.topics}


def check_rebuild(store: Store) -> None:
    """Filed anew from nothing but the paths, all is as it was."""
    before = store.state()
    rows.empty(store.cx, [row.id for row in rows.rows(store.cx)])
    refile(store.cx, store.given().items(), NOW)
    assert store.state() == before


def check_counts(store: Store) -> None:
    tree, filed = store.tree(), store.filed()
    values = {"privacy.hide_sensitive": True, "digest.topic_stale_days": 14}
    view = topic_view.look(store.cx, EVERYTHING, True, values, NOW)
    shown = {node.id: (node.own, node.below) for node in topic_view.tree_nodes(view)}
    assert shown.keys() == {row.id for row in tree.all_live()}
    for topic_id, (own, below) in shown.items():
        assert own == sum(1 for place in filed.values() if place == topic_id)
        assert below == sum(1 for place in filed.values() if topic_id in tree.way(place)[:-1])


@settings(max_examples=60)
@given(st.lists(steps, min_size=4, max_size=14))
def test_every_memory_is_where_its_path_leads(database: Database, work: list[tuple[Any, ...]]) -> None:
    with opened(database) as store:
        for one in work:
            if not store.step(*one):
                continue
            check_rows(store)
        check_counts(store)
        check_rebuild(store)


@settings(max_examples=60)
@given(st.lists(steps, min_size=3, max_size=10), steps)
def test_a_decision_is_taken_back_exactly_and_made_again(
    database: Database, work: list[tuple[Any, ...]], last: tuple[Any, ...]
) -> None:
    with opened(database) as store:
        for one in work:
            if not store.step(*one):
                continue
        before, count = store.state(), len(store.decisions)
        if not store.step(*last):
            assert store.state() == before
        if len(store.decisions) > count:
            after = store.state()
            assert store.step("undo", 0)
            assert store.state() == before
            assert store.step("undo", 0)
            assert store.state() == after


@settings(max_examples=60)
@given(st.lists(steps, min_size=4, max_size=14))
def test_a_path_keeps_its_meaning(database: Database, work: list[tuple[Any, ...]]) -> None:
    """A name once known means the same topic for ever, or what that was merged into; only to drop it changes that."""
    with opened(database) as store:
        known: dict[tuple[str, ...], int] = {}
        for one in work:
            before = store.filed()
            if not store.step(*one):
                continue
            tree = store.tree()
            if one[0] in ("unalias", "undo", "remove"):
                known.clear()
            if one[0] in ("rename", "alias", "summary"):
                assert store.filed() == before
            known = {path: topic_id for path, topic_id in known.items() if topic_id in tree.topics}
            for path, topic_id in known.items():
                assert dict(known_prefixes(tree, path)).get(path) == tree.end(topic_id), (one, path)
            for path in store.given().values():
                known |= known_prefixes(tree, path)


def test_history_tells_no_more_than_what_changed(database: Database) -> None:
    with opened(database) as store:
        store.step("tell", TOLD[0], ("Work", "Tea"))
        store.step("rename", 0, "工作")
        entry = history.get(store.cx, store.decisions[0])
        assert entry is not None
    assert entry.before == {"topic_rows": [{"id": 1, "name": "Work"}], "topic_names": []}
    assert entry.after == {
        "topic_rows": [{"id": 1, "name": "工作"}],
        "topic_names": [{"place_id": 0, "canonical": "工作", "topic_id": 1, "name": "工作"}],
    }
