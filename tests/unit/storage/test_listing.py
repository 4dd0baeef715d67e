"""Pages of memories: orders, cursors, filters."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from engine.errors import InvalidArgument
from engine.storage import cursors, memories, selection
from engine.types import ALL_SCOPES, Filters, Listing


def _read_on(cx, listing: Listing) -> list[int]:
    """All pages, one after the other."""
    found: list[int] = []
    while True:
        page = memories.page(cx, listing)
        found.extend(memory.id for memory in page.memories)
        if page.next_cursor is None:
            return found
        assert len(page.memories) == listing.limit
        listing = Listing(listing.filters, listing.sort, listing.limit, page.next_cursor)


@pytest.fixture
def shelf(db, values) -> dict[str, int]:
    """A few memories with every kind of tie."""
    rows: dict[str, dict[str, Any]] = {
        "a": {"title": "Beta", "importance": 0.5},
        "b": {"title": "alpha", "importance": 0.9, "pinned": True},
        "c": {"title": "beta", "importance": 0.5},
        "d": {"title": "", "summary": "中文", "importance": 0.5},
        "e": {"title": "", "summary": "aaa", "importance": 0.1},
    }
    with db.transaction() as cx:
        ids = {}
        for name, row in rows.items():
            made = values(**row)
            if name == "e":  # about something long ago, told last
                made["event_time"] = made["created_at"] - timedelta(days=9)
            ids[name] = memories.insert(cx, made)
        memories.update(cx, ids["a"], {"updated_at": made["created_at"] + timedelta(days=1), "strength": 0.2})
    return ids


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("newest", "dcbae"),
        ("oldest", "eabcd"),
        ("updated", "aedcb"),
        ("importance", "bdcae"),
        ("strength", "bdcae"),
        ("title", "ebacd"),
    ],
)
@pytest.mark.parametrize("limit", [1, 2, 5, 50])
def test_each_order_reads_the_same_at_once_and_page_by_page(db, shelf, sort, order: str, limit: int) -> None:
    expected = [shelf[name] for name in order]
    with db.reader() as cx:
        assert memories.list_ids(cx, Filters(), sort) == expected
        assert _read_on(cx, Listing(sort=sort, limit=limit)) == expected
        assert memories.page(cx, Listing(sort=sort, limit=limit)).total == 5


def test_a_page_goes_on_rightly_when_rows_come_and_go(db, shelf, values) -> None:
    with db.reader() as cx:
        first = memories.page(cx, Listing(limit=2))
    assert [memory.id for memory in first.memories] == [shelf["d"], shelf["c"]]
    with db.transaction() as cx:
        memories.insert(cx, values())
        memories.delete(cx, [shelf["c"]])
    with db.reader() as cx:
        second = memories.page(cx, Listing(limit=2, cursor=first.next_cursor))
    assert [memory.id for memory in second.memories] == [shelf["b"], shelf["a"]]
    assert second.total == 5


def test_the_page_of_an_empty_store(db) -> None:
    with db.reader() as cx:
        page = memories.page(cx, Listing())
    assert (page.memories, page.next_cursor, page.total) == ((), None, 0)


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "!!!",
        "日本",
        "A" * 10_000,
        "W10",
        "WzFd",
        cursors.write("newest", 1.5, 1),
        cursors.write("newest", "t", 2**70),
    ],
)
def test_a_cursor_that_is_none_is_refused(db, cursor: str) -> None:
    with pytest.raises(InvalidArgument) as caught, db.reader() as cx:
        memories.page(cx, Listing(cursor=cursor))
    assert caught.value.fields == {"field": "cursor", "reason": "malformed"}


def test_a_cursor_of_another_order_is_refused(db) -> None:
    with pytest.raises(InvalidArgument) as caught, db.reader() as cx:
        memories.page(cx, Listing(sort="title", cursor=cursors.write("newest", "2026", 1)))
    assert caught.value.fields == {"field": "cursor", "reason": "other_sort"}


ROWS: dict[str, dict[str, Any]] = {
    "plain": {},
    "talk": {"conversation_id": "c1"},
    "other talk": {"conversation_id": "c2"},
    "persona": {"persona_id": "p1"},
    "other persona": {"persona_id": "p2"},
    "fact": {"layer": "fact", "category": "user"},
    "tagged": {"tags": ("Tea", "旅行")},
    "half tagged": {"tags": ("ｔｅａ",)},
    "secret": {"sensitivity": "high", "source_client": "codex"},
    "pinned": {"pinned": True},
    "trashed": {"status": "trashed"},
    "archived": {"status": "archived"},
}
USER_WIDE = set(ROWS) - {"talk", "other talk", "trashed"}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(), USER_WIDE),
        (Filters(scope="c1"), USER_WIDE | {"talk"}),
        (Filters(scope="nobody's"), USER_WIDE),
        (Filters(scope=ALL_SCOPES), set(ROWS) - {"trashed"}),
        (Filters(scope=ALL_SCOPES, statuses=()), set(ROWS)),
        (Filters(statuses=("trashed",)), {"trashed"}),
        (Filters(statuses=("trashed", "archived")), {"trashed", "archived"}),
        (Filters(persona_id="p1"), USER_WIDE - {"other persona"}),
        (Filters(persona_id=ALL_SCOPES), USER_WIDE),
        (Filters(layers=("fact", "state")), {"fact"}),
        (Filters(categories=("user",)), {"fact"}),
        (Filters(tags=("TEA",)), {"tagged", "half tagged"}),
        (Filters(tags=("tea", " 旅行 ")), {"tagged"}),
        (Filters(tags=("tea", "absent")), set()),
        (Filters(sensitivities=("high", "medium")), {"secret"}),
        (Filters(clients=("codex",)), {"secret"}),
        (Filters(pinned=True), {"pinned"}),
        (Filters(pinned=False, layers=("fact",)), {"fact"}),
    ],
)
def test_each_filter_means_what_it_says_everywhere(db, values, filters: Filters, expected: set[str]) -> None:
    with db.transaction() as cx:
        names = {memories.insert(cx, values(**row)): name for name, row in ROWS.items()}
    with db.reader() as cx:
        assert {names[one] for one in memories.list_ids(cx, filters, "newest")} == expected
        assert {names[one] for one in selection.restrict(cx, [*names, 999, 2**70], filters)} == expected
        assert memories.count(cx, filters) == memories.page(cx, Listing(filters)).total == len(expected)
        assert selection.restrict(cx, [], filters) == set()


def test_time_is_a_half_open_range_over_what_the_memory_is_about(db, values) -> None:
    with db.transaction() as cx:
        early, late = values(), values()
        late["event_time"] = early["created_at"] - timedelta(days=1)
        ids = [memories.insert(cx, early), memories.insert(cx, late)]
    day = timedelta(days=1)
    moment = early["created_at"]
    with db.reader() as cx:
        for since, until, expected in [
            (moment, None, {ids[0]}),
            (None, moment, {ids[1]}),
            (moment - day, moment + day, set(ids)),
            (moment + day, None, set()),
            (moment - day, moment, {ids[1]}),
        ]:
            assert set(memories.list_ids(cx, Filters(since=since, until=until), "newest")) == expected


@pytest.mark.parametrize("sort", ["newest", "oldest"])
def test_a_plain_list_walks_the_index_in_order(db, sort) -> None:
    condition, parameters = selection.where(Filters())
    order = cursors.ORDERS[sort]
    sql = f"EXPLAIN QUERY PLAN SELECT m.id FROM memories AS m WHERE {condition} ORDER BY {order.clause}"
    with db.reader() as cx:
        plan = " ".join(row[3] for row in cx.execute(sql, parameters))
    assert "COVERING INDEX memories_occurred" in plan
    assert "TEMP B-TREE" not in plan


def test_the_trash_is_found_by_its_status(db) -> None:
    condition, parameters = selection.where(Filters(scope=ALL_SCOPES, statuses=("trashed",)))
    sql = f"EXPLAIN QUERY PLAN SELECT m.id FROM memories AS m WHERE {condition} ORDER BY m.occurred_at DESC"
    with db.reader() as cx:
        assert "INDEX memories_status" in " ".join(row[3] for row in cx.execute(sql, parameters))
