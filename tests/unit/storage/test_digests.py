"""The tables of digests follow from the memories' own fields: at once, after each change, anew, and by migration."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from engine.storage import columns, digests, memories, migrations
from engine.storage.database import Database

Values = Callable[..., dict[str, Any]]
HERE = Path("somewhere/hupo.db")


def _tables(cx: Any) -> tuple[list[Any], list[Any]]:
    return (
        cx.execute("SELECT memory_id, level, period FROM digests ORDER BY 1").fetchall(),
        cx.execute("SELECT digest_id, source_id FROM digest_sources ORDER BY 1, 2").fetchall(),
    )


def test_the_tables_follow_every_change_and_can_be_made_anew(db: Database, values: Values) -> None:
    with db.transaction() as cx:
        one, two = memories.insert(cx, values()), memories.insert(cx, values())
        digest = memories.insert(cx, values(digest_level=1, digest_period="2026-03-01", sources=(one, two)))
        gone = memories.insert(cx, values(digest_level=1, digest_period="2026-03-02", sources=(one,)))
        assert _tables(cx)[1] == [(digest, one), (digest, two), (gone, one)]
        memories.update(cx, digest, {"title": "nothing of a digest"})
        memories.update(cx, digest, {"digest_level": 2, "digest_period": "2026-W09", "sources": (two,)})
        memories.update(cx, two, {"sources": (one,)})  # no digest: its sources are another matter
        assert _tables(cx) == ([(digest, 2, "2026-W09"), (gone, 1, "2026-03-02")], [(digest, two), (gone, one)])
        memories.delete(cx, [gone, two])
        grown = _tables(cx)
        assert grown == ([(digest, 2, "2026-W09")], [(digest, two)]), "as the memory says, also what is gone"
        assert digests.rebuild(cx) == 1
        assert _tables(cx) == grown
        memories.update(cx, digest, {"digest_level": 0})
        assert _tables(cx) == ([], [])
    assert not db.integrity()


def test_migration_fills_the_tables_from_memories_that_are_there(values: Values) -> None:
    cx = apsw.Connection(":memory:")
    migrations.migrate(cx, HERE, migrations.STEPS[:2])
    plain, digest = values(), values(digest_level=3, digest_period="2026-02", sources=(7, 1))
    for row in (plain, digest):
        written = {name: columns.encode(name, row[name]) for name in (*columns.MEMORY, *columns.DERIVED) if name in row}
        written |= {"details": columns.details_json(row), "occurred_at": written["created_at"]}
        marks = ", ".join(f":{name}" for name in written)
        cx.execute(f"INSERT INTO memories ({', '.join(written)}) VALUES ({marks})", written)
    migrations.migrate(cx, HERE)
    assert _tables(cx) == ([(2, 3, "2026-02")], [(2, 1), (2, 7)])


def test_a_digest_of_any_category_is_nothing_a_day_tells_and_a_week_does_not_speak_for_a_memory(
    db: Database, values: Values
) -> None:
    day = (datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 2, tzinfo=UTC))
    with db.transaction() as cx:
        one, two = memories.insert(cx, values()), memories.insert(cx, values())
        note = memories.insert(cx, values(category="note", digest_level=1, digest_period="2026-02-28", sources=(one,)))
        memories.insert(cx, values(category="digest"))
        assert digests.told(cx, *day, ()) == ([(one, 0.5), (two, 0.5)], 0)
        assert digests.count_told(cx, *day, ()) == 1
        memories.insert(cx, values(digest_level=2, digest_period="2026-W09", sources=(two, note)))
        assert digests.count_told(cx, *day, ()) == 1
        assert digests.undigested(cx, 1, ()) == []


def test_the_same_words_about_two_periods_are_two_digests(db: Database, values: Values) -> None:
    with db.transaction() as cx:
        plain = memories.insert(cx, values("quiet"))
        day = memories.insert(cx, values("quiet", digest_level=1, digest_period="2026-03-01"))
        key = values("quiet")["content_key"]
        assert [one for one, _ in memories.find_same(cx, key, None, None)] == [plain]
        assert [one for one, _ in memories.find_same(cx, key, None, None, digest=(1, "2026-03-01"))] == [day]
        assert memories.find_same(cx, key, None, None, digest=(1, "2026-03-02")) == []


@pytest.mark.parametrize("work", ["days", "enough", "count", "told"])
def test_days_are_looked_for_in_their_own_small_index(db: Database, work: str) -> None:
    """A store of conversations alone must not be walked through to find that nothing is due."""
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    run: dict[str, Callable[[Any], Any]] = {
        "days": lambda cx: digests.days_told(cx, noon),
        "enough": lambda cx: digests.enough_told(cx, [("2026", "2027")], 3, ("high",)),
        "count": lambda cx: digests.count_told(cx, noon, noon, ("high",)),
        "told": lambda cx: digests.told(cx, noon, noon, ("high",)),
    }
    plans: list[str] = []
    with db.reader() as cx:

        def note(cursor: Any, sql: str, bindings: Any) -> bool:
            if not sql.startswith("EXPLAIN"):
                plans.extend(row[3] for row in cx.execute("EXPLAIN QUERY PLAN " + sql, bindings).fetchall())
            return True

        cx.exec_trace = note
        try:
            run[work](cx)
        finally:
            cx.exec_trace = None
    walked = [line for line in plans if " m " in line]
    assert walked and all("memories_told" in line for line in walked), walked
    assert all("created_at" in line for line in walked[work == "days" :]), "a range of it, not all of it"
