"""The Memories page over a real store: what is shown, found, filtered, and reached by keys."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QStyleOptionViewItem, QToolTip, QWidget

from engine.types import Actor, Memory
from gui.browser.card import _card, _Row

Remember = Callable[..., Memory]


def test_an_empty_store_says_what_to_do(page: Any) -> None:
    page.until(page.view.empty.isVisible)
    assert page.view.empty.key == "empty.memories"
    assert not page.pane.isVisible() and not page.view.filters.isVisible()
    page.view.empty.findChild(QPushButton).click()
    assert page.pane.editing and page.pane.isVisible()


def test_what_clients_remember_appears_by_itself(page: Any, remember: Remember) -> None:
    page.until(page.view.empty.isVisible)
    one = remember("Likes green tea")
    page.lists(one)
    two = remember("Likes black bread")
    page.lists(two, one)
    assert page.view.list.isVisible() and page.view.counted.text() == "2 memories"


def test_reading_leaves_no_trace(page: Any, remember: Remember) -> None:
    one = remember("Likes green tea")
    page.search("green tea")
    page.choose(one)
    page.service.idle().result(10)
    assert page.stored(one).recall_count == 0


def test_the_list_keeps_choice_when_others_write(page: Any, remember: Remember) -> None:
    old = remember("Old one")
    page.choose(old)
    new = remember("New one")
    page.lists(new, old)
    assert page.view.list.chosen_ids() == [old.id]
    page.service.edit(old.id, {"title": "Renamed elsewhere"}, Actor("client", "x")).result(10)
    page.until(lambda: page.pane.detail.memory.title == "Renamed elsewhere")
    page.until(lambda: page.page.model.known(old.id).title == "Renamed elsewhere")


def test_search_finds_by_words_and_marks_them(page: Any, remember: Remember) -> None:
    tea = remember("She drinks green tea in the afternoon", title="Tea")
    remember("The harbour was frozen")
    page.search("green tea")
    page.lists(tea)
    page.choose(tea)
    assert page.view.found.isVisible() and "1 result" in _texts(page.view.found)
    assert page.pane.detail._why.isVisible() and "Words" in page.pane.detail._why_text.text()
    marked = {place.cursor.selectedText() for place in page.pane.detail.text.extraSelections()}
    assert marked == {"green tea"} or marked == {"green", "tea"}
    assert not page.view.filters.chip("sort").isVisible()
    page.view.search.clear_now()
    page.until(lambda: len(page.ids) == 2)
    assert not page.view.found.isVisible()


def test_the_why_bar_speaks_where_the_mouse_rests(page: Any, remember: Remember) -> None:
    tea = remember("green tea")
    page.search("green tea")
    page.lists(tea)
    listing = page.view.list
    index = page.page.model.index(0)
    option = QStyleOptionViewItem()
    option.rect = listing.visualRect(index)
    row = _Row(page.page.model.known(tea.id), page.page.model.hit(tea.id), _card(option), "")
    place = row.why_area.center().toPoint()
    event = QHelpEvent(QEvent.Type.ToolTip, place, listing.viewport().mapToGlobal(place))
    assert listing.itemDelegate().helpEvent(event, listing, option, index)
    assert "Words" in QToolTip.text()
    QToolTip.hideText()


def test_what_is_not_found_says_so_and_leads_back(page: Any, remember: Remember) -> None:
    one = remember("green tea")
    page.search("zeppelin")
    page.until(page.view.empty.isVisible)
    assert page.view.empty.key == "empty.search"
    page.view.empty.findChild(QPushButton).click()
    page.lists(one)


def test_near_misses_tell_their_reason_and_can_be_opened(page: Any, remember: Remember) -> None:
    made = [remember(f"green tea number {number} of many teas") for number in range(60)]
    page.search("green tea")
    page.until(lambda: len(page.ids) == 50)
    assert page.view.found.link.isVisible()
    page.view.found.link.click()
    listed = page.view.found.list
    assert 0 < listed.count() <= 8 and "·" in listed.item(0).text()
    missed = listed.item(0).data(Qt.ItemDataRole.UserRole)
    assert missed not in page.ids
    listed.itemClicked.emit(listed.item(0))
    page.shows(next(one for one in made if one.id == missed))


def test_filters_limit_and_clear(page: Any, remember: Remember) -> None:
    tea = remember("green tea", layer="fact", tags=("drinks",))
    sail = remember("sailing on Tuesday", layer="state", tags=("sports", "drinks"))
    old = remember("old harbour", layer="event", event_time=datetime.now(UTC) - timedelta(days=90))
    page.lists(sail, tea, old)
    filters = page.view.filters
    page.until(lambda: filters.chip("tags").isVisible())
    filters.chip("layers").chosen.emit(("fact", "event"))
    page.lists(tea, old)
    assert filters.chip("layers").text() == "Layer: Fact, Event"
    filters.chip("layers").chosen.emit(())
    filters.chip("period").chosen.emit(("month",))
    page.lists(sail, tea)
    filters.chip("tags").chosen.emit(("sports",))
    page.lists(sail)
    page.search("tea")
    page.until(page.view.empty.isVisible)
    page.view.search.clear_now()
    page.lists(sail)
    filters._clear.click()
    page.lists(sail, tea, old)
    filters.chip("sort").chosen.emit(("oldest",))
    page.lists(old, tea, sail)


def test_a_chip_offers_what_is_in_use_and_is_chosen_by_keys(page: Any, remember: Remember) -> None:
    tea = remember("green tea", tags=("drinks",))
    remember("sailing")
    chip = page.view.filters.chip("tags")
    page.until(chip.isVisible)
    chip.click()
    listing = chip._popup.list
    assert chip._popup.isVisible() and listing.item(0).text().startswith("drinks")
    QTest.keyClick(listing, Qt.Key.Key_Space)
    page.lists(tea)
    QTest.keyClick(listing, Qt.Key.Key_Return)
    page.until(lambda: len(page.ids) == 2)
    chip._popup.hide()


def test_a_tag_leads_to_its_memories(page: Any, remember: Remember) -> None:
    one = remember("green tea", tags=("drinks & more",))
    remember("sailing")
    page.choose(one)
    chip = page.pane.detail._tags.findChild(QPushButton)
    assert chip.text() == "#drinks && more"
    chip.click()
    page.lists(one)
    assert page.page.loader.state.tags == ("drinks & more",)


def test_memory_text_is_never_markup(page: Any, remember: Remember) -> None:
    wild = '<b>bold</b> <img src="x"> <a href="y">z</a> &amp; <script>alert(1)</script>'
    given = {"title": "<h1>Head</h1>", "tags": ("<i>tag</i>",), "summary": "<u>sum</u>", "key_facts": ("<b>fact</b>",)}
    one = remember(wild, **given, mood="<b>mood</b>", conversation_id="<b>talk</b>")
    page.choose(one)
    detail = page.pane.detail
    assert detail.text.toPlainText() == wild
    html = detail.text.toHtml().split("<body", 1)[1]
    assert "&lt;b&gt;bold" in html and not any(tag in html for tag in ("<b>", "<img", "<a ", "<script"))
    for shown in detail.findChildren(QLabel):
        assert shown.textFormat() == Qt.TextFormat.PlainText, shown.text()
    assert detail._title.text() == "<h1>Head</h1>"
    # The card draws the very characters: the same text without brackets is narrower.
    assert page.page.model.index(0).data() == "<h1>Head</h1>"
    for tip in (one_.toolTip() for one_ in detail.findChildren(QLabel) if one_.toolTip()):
        assert "<b>" not in tip
    assert page.view.filters.chip("tags").text() == "Tag"


def test_what_is_erased_elsewhere_leaves_the_pane(page: Any, remember: Remember) -> None:
    one, two = remember("green tea"), remember("black bread")
    page.choose(one)
    page.service.erase([one.id], Actor("cli", "hupo")).result(10)
    page.lists(two)
    page.until(lambda: page.pane.shown is page.pane.empty)


def test_the_keyboard_alone_is_enough(page: Any, remember: Remember) -> None:
    tea = remember("green tea")
    bread = remember("black bread")
    page.lists(bread, tea)
    assert page.view.search.hasFocus()
    QTest.keyClicks(page.view.search, "tea")
    QTest.keyClick(page.view.search, Qt.Key.Key_Return)
    page.lists(tea)
    QTest.keyClick(page.view.search, Qt.Key.Key_Down)
    assert page.view.list.hasFocus()
    page.shows(tea)
    QTest.keyClick(page.view.list, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    page.says("Pinned")
    QTest.keyClick(page.view.list, Qt.Key.Key_F2)
    page.until(page.pane.editor.content.hasFocus)
    QTest.keyClick(page.pane.editor.content, Qt.Key.Key_Escape)
    assert not page.pane.editing
    QTest.keyClick(page.view.list, Qt.Key.Key_Escape)
    page.lists(bread, tea)
    QTest.keyClick(page.view.list, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert page.view.search.hasFocus()


def test_tab_reaches_list_and_pane(page: Any, remember: Remember) -> None:
    one = remember("green tea")
    page.choose(one)
    page.view.search.setFocus()
    reached = set()
    for _ in range(60):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        reached.add(QApplication.focusWidget())
    for part in (page.view.list, page.view.new_button, page.pane.detail.text, page.view.filters.chip("layers")):
        assert part in reached, part
    # Of buttons that exclude each other Tab reaches the one that is on; arrows lead to the next.
    assert page.window.rail.places["memories"] in reached
    page.window.rail.places["memories"].setFocus()
    QTest.keyClick(page.window.rail.places["memories"], Qt.Key.Key_Down)
    page.until(lambda: page.page.loader.state.place == "trash")


def test_a_narrow_page_takes_turns(page: Any, remember: Remember) -> None:
    one = remember("green tea")
    page.lists(one)
    page.window.resize(720, 480)
    assert page.view.list.isVisible() and not page.pane.isVisible()
    page.choose(one)
    assert page.pane.isVisible() and not page.view.list.isVisible()
    page.pane.detail.bar.back_button.click()
    assert page.view.list.isVisible() and not page.pane.isVisible()
    page.window.resize(1200, 700)
    assert page.view.list.isVisible() and page.pane.isVisible()


def test_typing_in_the_list_does_not_jump(page: Any, remember: Remember) -> None:
    one, two = remember("zebra"), remember("apple")
    page.lists(two, one)
    page.choose(two)
    QTest.keyClicks(page.view.list, "z")
    assert page.view.list.chosen_ids() == [two.id]


def test_a_click_chooses(page: Any, remember: Remember) -> None:
    one, two = remember("green tea"), remember("black bread")
    page.lists(two, one)
    row = page.view.list.visualRect(page.page.model.index(1))
    QTest.mouseClick(page.view.list.viewport(), Qt.MouseButton.LeftButton, pos=row.center() + QPoint(0, -10))
    page.shows(one)


def _shown_buttons(widget: QWidget) -> list[QPushButton]:
    return [button for button in widget.findChildren(QPushButton) if not button.isHidden() and button.isVisible()]


def _texts(widget: object) -> str:
    return "\n".join(shown.text() for shown in widget.findChildren(QLabel))  # type: ignore[attr-defined]
