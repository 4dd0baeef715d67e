"""History keeps changes as a Memory holds them, and forgets the words of what was erased."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engine.errors import InvalidArgument, NotFound
from engine.storage import history, memories, settings
from engine.types import Actor, HistoryEntry

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
GUI = Actor("gui", "browser")


def test_a_change_comes_back_in_the_types_of_a_memory(db) -> None:
    before = {"tags": ("a", "b"), "event_time": NOW, "pinned": False, "extra": {"x": [1]}, "persona_id": None}
    after = {"tags": (), "event_time": None, "pinned": True, "extra": {}, "persona_id": "p"}
    with db.transaction() as cx:
        entry_id = history.record(cx, NOW, GUI, "edited", 7, before, after)
        assert history.get(cx, entry_id) == HistoryEntry(entry_id, NOW, GUI, "edited", 7, before, after, False)
        assert history.get(cx, 999) is None
        assert history.get(cx, 2**70) is None


def test_every_field_of_a_memory_survives_history(db, values) -> None:
    with db.transaction() as cx:
        row = values(tags=("x",), event_time=NOW, extra={"k": "值"}, last_accessed_at=NOW, key_facts=("f", "g"))
        memory = memories.get(cx, memories.insert(cx, row))
        assert memory is not None
        fields = {name: getattr(memory, name) for name in type(memory).__dataclass_fields__}
        entry = history.get(cx, history.record(cx, NOW, GUI, "edited", memory.id, fields, None))
    assert entry is not None
    assert entry.before == fields
    assert entry.after is None


def test_latest_first_for_one_memory_and_for_all_page_by_page(db) -> None:
    with db.transaction() as cx:
        ids = [
            history.record(
                cx, NOW + timedelta(minutes=number), GUI, "edited", number % 2, {"title": ""}, {"title": "x"}
            )
            for number in range(5)
        ]
        assert [entry.id for entry in history.of(cx, 0, 2)] == [ids[4], ids[2]]
        assert history.of(cx, 7, 2) == []
        found: list[int] = []
        cursor: str | None = None
        while True:
            entries, cursor = history.latest(cx, 2, cursor)
            found.extend(entry.id for entry in entries)
            if cursor is None:
                break
        assert found == ids[::-1]
        assert history.latest(cx, 5)[1] is None


@pytest.mark.parametrize("cursor", ["", "x", "-1", "1.5", "9" * 30, "٣"])
def test_a_cursor_that_is_none_is_refused(db, cursor: str) -> None:
    with pytest.raises(InvalidArgument) as caught, db.reader() as cx:
        history.latest(cx, 2, cursor)
    assert caught.value.fields["field"] == "cursor"


def test_undone_is_noted_once_it_exists(db) -> None:
    with db.transaction() as cx:
        first = history.record(cx, NOW, GUI, "edited", 7, {"title": "a"}, {"title": "b"})
        second = history.record(cx, NOW, GUI, "undone", 7, {"title": "b"}, {"title": "a"}, undoes=first)
        history.mark_undone(cx, first)
        assert [entry.undone for entry in history.of(cx, 7, 9)] == [False, True]
        assert cx.execute("SELECT undoes FROM history WHERE id = ?", (second,)).get == first
        with pytest.raises(NotFound):
            history.mark_undone(cx, 999)


def test_forget_leaves_who_and_when_but_no_word(db) -> None:
    with db.transaction() as cx:
        history.record(cx, NOW, GUI, "created", 7, None, {"content": "secret"})
        kept = history.record(cx, NOW, GUI, "created", 8, None, {"content": "kept"})
        history.forget(cx, [7])
        history.forget(cx, [])
        entries = {entry.memory_id: entry for entry in history.latest(cx, 9)[0]}
        assert (entries[7].action, entries[7].before, entries[7].after) == ("created", None, None)
        assert entries[8].id == kept and entries[8].after == {"content": "kept"}


def test_settings_of_the_data(db) -> None:
    with db.transaction() as cx:
        assert settings.get(cx, "uid") is None
        settings.put(cx, "uid", "一")
        settings.put(cx, "uid", "二")
    with db.reader() as cx:
        assert settings.get(cx, "uid") == "二"


def test_undoing_an_undo_puts_the_change_in_force_again(db) -> None:
    with db.transaction() as cx:
        edit = history.record(cx, NOW, GUI, "edited", 7, {"title": "a"}, {"title": "b"})
        history.record(cx, NOW, GUI, "reinforced", 7, {}, {})
        undo = history.record(cx, NOW, GUI, "undone", 7, {"title": "b"}, {"title": "a"}, undoes=edit)
        history.mark_undone(cx, edit)
        assert history.last_in_force(cx, 7) is None
        redo = history.record(cx, NOW, GUI, "undone", 7, {"title": "a"}, {"title": "b"}, undoes=undo)
        history.mark_undone(cx, undo)
        last = history.last_in_force(cx, 7)
        assert last is not None and last.id == edit
        history.mark_undone(cx, redo)
        assert history.last_in_force(cx, 7) is None
        assert {entry.id: entry.undone for entry in history.of(cx, 7, 9)}[undo] is False
