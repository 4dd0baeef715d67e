"""The Memories page over a real store: every act is done, told, and can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QWidget

from engine.types import Actor, Filters, HistoryEntry, Memory
from gui.browser import dialogs
from gui.browser.detail import DetailView
from gui.browser.dialogs import EraseDialog
from gui.look import Look

Remember = Callable[..., Memory]
MOMENT = datetime(2026, 3, 12, 12, 0, tzinfo=UTC)


def test_pin_is_told_and_undone_and_redone(page: Any, remember: Remember) -> None:
    one = remember("green tea")
    page.choose(one)
    page.pane.detail.bar.pin_button.click()
    page.says("Pinned")
    assert page.stored(one).pinned
    page.until(lambda: page.page.model.known(one.id).pinned)
    page.window.toast._button.click()
    page.says("Undone")
    assert not page.stored(one).pinned
    page.window.commands.redo()
    page.says("Done again")
    assert page.stored(one).pinned


def test_pinning_what_is_pinned_offers_no_undo_of_something_else(page: Any, remember: Remember) -> None:
    one = remember("green tea")
    page.service.edit(one.id, {"pinned": True}, Actor("client", "x")).result(10)
    page.until(lambda: page.ids == [one.id])
    page.page.actions.switch([one.id], "pinned", True)
    page.says("Pinned")
    assert not page.window.commands.can_undo and not page.window.toast._button.isVisible()


def test_protect_and_resolve_from_the_menu(page: Any, remember: Remember) -> None:
    one = remember("green tea")
    page.choose(one)
    bar = page.pane.detail.bar
    for title, field in (("Protect from tools", "protected"), ("Settled", "resolved")):
        bar.menu.aboutToShow.emit()
        next(entry for entry in bar.menu.actions() if entry.text() == title).trigger()
        page.until(lambda field=field: getattr(page.stored(one), field))
    bar.menu.aboutToShow.emit()
    next(entry for entry in bar.menu.actions() if entry.text() == "Archive").trigger()
    page.says("Archived")
    assert page.stored(one).status == "archived"
    page.lists(one)


def test_trash_and_back(page: Any, remember: Remember) -> None:
    one, two = remember("green tea"), remember("black bread")
    page.choose(one)
    page.view.list.setFocus()
    QTest.keyClick(page.view.list, Qt.Key.Key_Delete)
    page.says("Moved to the trash")
    page.lists(two)
    assert page.stored(one).status == "trashed"
    QTest.keyClick(page.window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    page.lists(two, one)
    page.choose(one)
    page.pane.detail.bar.trash_button.click()
    page.lists(two)
    page.window.open_place("trash")
    page.lists(one)
    page.choose(one)
    bar = page.pane.detail.bar
    page.until(bar.restore_button.isVisible)
    assert not bar.pin_button.isVisible() and not page.view.new_button.isVisible()
    bar.restore_button.click()
    page.says("Brought back")
    page.until(page.view.empty.isVisible)
    assert page.view.empty.key == "empty.trash" and page.stored(one).status == "active"


def test_erasing_wants_the_word_and_is_final(
    page: Any, remember: Remember, monkeypatch: pytest.MonkeyPatch, data_dir: object
) -> None:
    one, two = remember("unforgettable zanzibar"), remember("black bread")
    seen: list[str] = []

    def answer(self: EraseDialog) -> int:
        seen.append(_texts(self))
        assert not self.erase.isEnabled()
        self.field.setText("eras")
        assert not self.erase.isEnabled()
        self.field.setText("Erase ")
        assert self.erase.isEnabled()
        self.erase.click()
        return self.result()

    monkeypatch.setattr(EraseDialog, "exec", answer)
    page.choose(one)
    page.pane.detail.bar.erase.emit()
    page.says("Erased for good")
    page.lists(two)
    assert "Nothing brings it back" in seen[0]
    assert page.service.count(Filters(scope="all", statuses=())).result(10) == 1
    assert not page.window.commands.can_undo


def test_erasing_can_be_thought_better_of(page: Any, remember: Remember, monkeypatch: pytest.MonkeyPatch) -> None:
    one = remember("green tea")
    monkeypatch.setattr(EraseDialog, "exec", lambda self: 0)
    page.choose(one)
    page.pane.detail.bar.erase.emit()
    assert page.stored(one).status == "active"


def test_editing_in_place_changes_what_was_changed(page: Any, remember: Remember) -> None:
    one = remember("green tea\r\nwith two lines", title="Tea", tags=("drinks",), importance=0.333)
    page.choose(one)
    QTest.keyClick(page.view.list, Qt.Key.Key_F2)
    editor = page.pane.editor
    assert page.pane.editing and not editor.dirty
    assert editor.title.text() == "Tea" and editor.tags.text() == "drinks"
    editor.title.setText("Green tea")
    editor.tags.setText("drinks， evening、#calm")
    editor.layer.setCurrentIndex(editor.layer.findData("state"))
    editor.pinned.setChecked(True)
    editor.sensitivity.setCurrentIndex(editor.sensitivity.findData("high"))
    editor.category.setText("preference")
    editor.summary.setText("Tea in one line")
    editor.dated.setChecked(True)
    QTest.keyClick(editor.title, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    page.says("Saved")
    page.shows(one)
    now = page.stored(one)
    assert (now.title, now.tags, now.layer) == ("Green tea", ("drinks", "evening", "calm"), "state")
    assert (
        now.pinned and now.sensitivity == "high" and now.category == "preference" and now.summary == "Tea in one line"
    )
    assert now.event_time is not None and abs(now.event_time - datetime.now(UTC)) < timedelta(minutes=2)
    # What the form can not show exactly was not touched.
    assert now.content == one.content and now.importance == pytest.approx(0.333)
    page.window.commands.undo()
    page.until(lambda: page.stored(one).title == "Tea" and not page.stored(one).pinned)


def test_an_empty_text_is_not_saved_and_nothing_is_lost(page: Any, remember: Remember) -> None:
    one = remember("green tea")
    page.choose(one)
    page.page.edit()
    editor = page.pane.editor
    editor.content.setPlainText("  \n ")
    editor.save()
    assert editor._warning.isVisible() and page.pane.editing and page.stored(one).content == "green tea"


def test_what_the_engine_refuses_keeps_the_form(page: Any, remember: Remember) -> None:
    one = remember("green tea")
    page.choose(one)
    page.page.edit()
    page.pane.editor.content.setPlainText("word " * 40_001)
    page.pane.editor.save()
    page.says("200,000")
    assert page.pane.editing and page.pane.editor._save.isEnabled()
    assert page.stored(one).content == "green tea"


@pytest.mark.parametrize(("answer", "stays"), [("stay", True), ("discard", False), ("save", False)])
def test_unsaved_text_is_asked_about(
    page: Any, remember: Remember, monkeypatch: pytest.MonkeyPatch, answer: str, stays: bool
) -> None:
    one, two = remember("green tea"), remember("black bread")
    page.choose(one)
    page.page.edit()
    page.pane.editor.title.setText("Changed")

    def answered(self: dialogs.UnsavedDialog) -> int:
        self.answer = answer  # type: ignore[assignment]
        return 1

    monkeypatch.setattr(dialogs.UnsavedDialog, "exec", answered)
    page.view.list.choose([two.id])
    if stays:
        assert page.pane.editing and page.pane.editor.title.text() == "Changed"
        assert page.view.list.chosen_ids() == [one.id]
        page.pane.editor.edit(one)
    elif answer == "discard":
        page.shows(two)
        assert page.stored(one).title == ""
    else:
        page.until(lambda: page.stored(one).title == "Changed")


def test_a_memory_by_hand(page: Any) -> None:
    page.until(page.view.empty.isVisible)
    QTest.keyClick(page.window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    editor = page.pane.editor
    page.until(editor.content.hasFocus)
    QTest.keyClicks(editor.content, "Lena likes old maps")
    editor.tags.setText("family")
    QTest.keyClick(editor.content, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    page.says("Remembered")
    page.until(lambda: len(page.ids) == 1)
    one = page.service.get(page.ids[0]).result(10)
    page.shows(one)
    assert one.content == "Lena likes old maps" and one.tags == ("family",) and one.source_client == ""
    page.until(lambda: page.view.list.chosen_ids() == [one.id])
    page.window.commands.undo()
    page.until(page.view.empty.isVisible)
    assert page.stored(one).status == "trashed"


def test_many_at_once_and_one_undo(page: Any, remember: Remember) -> None:
    made = [remember(f"memory number {number}") for number in range(5)]
    page.choose(*made[1:4])
    page.until(lambda: page.pane.shown is page.pane.bulk)
    assert "3 memories chosen" in _texts(page.pane.bulk)
    page.pane.bulk.verb.emit("pin")
    page.says("3 memories pinned")
    assert [page.stored(one).pinned for one in made] == [False, True, True, True, False]
    page.window.commands.undo()
    page.says("3 changes undone")
    assert not any(page.stored(one).pinned for one in made)
    page.choose(*made[1:4])
    page.pane.bulk.verb.emit("trash")
    page.lists(made[4], made[0])


def test_history_may_come_before_its_memory(look: Look, memory: Any, qtbot: Any) -> None:
    detail = DetailView(look)
    qtbot.addWidget(detail)
    entry = HistoryEntry(1, MOMENT, Actor("client", "Cursor"), "edited", 7, {"title": ""}, {"title": "x"})
    detail.show_history([entry])
    detail.show_memory(memory(7), None)
    assert "Cursor" in _texts(detail._changes)
    detail.show_memory(memory(8), None)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert "Cursor" not in _texts(detail._changes)


def test_history_undoes_one_change(page: Any, remember: Remember) -> None:
    one = remember("green tea")
    page.service.edit(one.id, {"title": "By a tool"}, Actor("client", "Cursor")).result(10)
    page.service.edit(one.id, {"category": "note"}, Actor("client", "Cursor")).result(10)
    page.choose(one)
    page.until(lambda: "Cursor" in _texts(page.pane.detail._changes))
    page.until(lambda: len(_shown_buttons(page.pane.detail._changes)) == 2)
    _shown_buttons(page.pane.detail._changes)[1].click()
    page.says("Undone")
    now = page.stored(one)
    assert now.title == "" and now.category == "note"


def test_copying_takes_the_text_as_it_is(page: Any, remember: Remember) -> None:
    one = remember("<b>green</b> tea")
    page.choose(one)
    page.pane.detail.bar.copy.emit()
    assert QApplication.clipboard().text() == "<b>green</b> tea"
    page.says("copied")


def test_undo_in_a_field_is_the_fields_own(page: Any, remember: Remember) -> None:
    one = remember("green tea")
    page.choose(one)
    page.pane.detail.bar.pin_button.click()
    page.says("Pinned")
    page.page.edit()
    field: QLineEdit = page.pane.editor.title
    field.setFocus()
    QTest.keyClicks(field, "abc")
    QTest.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert field.text() == "" and page.stored(one).pinned


def _shown_buttons(widget: QWidget) -> list[QPushButton]:
    return [button for button in widget.findChildren(QPushButton) if not button.isHidden() and button.isVisible()]


def _texts(widget: object) -> str:
    return "\n".join(shown.text() for shown in widget.findChildren(QLabel))  # type: ignore[attr-defined]
