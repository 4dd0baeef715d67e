"""The journal: what owes work is found again, tried three times, and closed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engine.storage import journal

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)


def test_committed_work_is_found_oldest_first_until_it_is_done(db) -> None:
    with db.transaction() as cx:
        first = journal.open(cx, "memorize", 7, "committed", NOW)
        journal.open(cx, "reinforce", 7, "done", NOW)
        second = journal.open(cx, "edit", 8, "committed", LATER)
        assert second > first
        assert journal.unfinished(cx, 10) == [
            journal.Entry(first, "memorize", 7, "committed", 0, None, NOW, NOW),
            journal.Entry(second, "edit", 8, "committed", 0, None, LATER, LATER),
        ]
        assert [entry.id for entry in journal.unfinished(cx, 1)] == [first]
        assert journal.counts(cx) == (2, 0)
        assert journal.advance(cx, [7, 999], "done", LATER) == 1
        assert journal.advance(cx, [7], "done", LATER) == 0
        assert journal.advance(cx, [], "done", LATER) == 0
        assert [entry.memory_id for entry in journal.unfinished(cx, 10)] == [8]
        assert journal.counts(cx) == (1, 0)


def test_the_third_failure_is_the_last_and_late_success_still_counts(db) -> None:
    with db.transaction() as cx:
        journal.open(cx, "memorize", 7, "committed", NOW)
        journal.open(cx, "memorize", 8, "committed", NOW)
        for attempt in (1, 2):
            journal.fail(cx, 7, "embedder_unavailable", LATER)
            entry = journal.unfinished(cx, 1)[0]
            assert (entry.attempts, entry.error, entry.stage, entry.updated_at) == (
                attempt, "embedder_unavailable", "committed", LATER,
            )  # fmt: skip
        journal.fail(cx, 7, "embedder_unavailable", LATER)
        assert [entry.memory_id for entry in journal.unfinished(cx, 10)] == [8]
        assert journal.counts(cx) == (1, 1)
        assert journal.advance(cx, [7], "done", LATER) == 1
        assert journal.counts(cx) == (1, 0)


@pytest.mark.parametrize(
    ("before", "left"), [(NOW, 3), (NOW + timedelta(seconds=1), 2), (LATER + timedelta(days=9), 1)]
)
def test_prune_drops_old_finished_entries_only(db, before: datetime, left: int) -> None:
    with db.transaction() as cx:
        journal.open(cx, "memorize", 1, "done", NOW)
        journal.open(cx, "memorize", 2, "done", LATER)
        journal.open(cx, "memorize", 3, "committed", NOW)
        assert journal.prune(cx, before) == 3 - left
        assert cx.execute("SELECT count(*) FROM journal").get == left
        assert journal.counts(cx) == (1, 0)


def test_entries_are_settled_by_name_or_all_at_once(db) -> None:
    with db.transaction() as cx:
        first, second, third = (journal.open(cx, "memorize", memory, "committed", NOW) for memory in (7, 7, 8))
        for _ in range(3):
            journal.fail(cx, 8, "invalid_argument", NOW)
        assert journal.owing(cx, 8) and not journal.owing(cx, 9)
        assert journal.settle(cx, LATER, []) == 0
        assert journal.settle(cx, LATER, [first]) == 1
        assert [entry.id for entry in journal.unfinished(cx, 9)] == [second]
        assert journal.settle(cx, LATER) == 2
        assert journal.counts(cx) == (0, 0) and not journal.owing(cx, 8)
        assert third > second
