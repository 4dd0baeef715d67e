"""The pane over a real store: facts, people and topics, what replaced what, merges, and late answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from engine.types import Actor, Draft, Entity, Memory
from gui.browser.around import Around
from gui.browser.detail import DetailView
from gui.look import Look
from gui.widgets.buttons import LinkLine

Remember = Callable[..., Memory]
OLD, NEW = "Alice works at Acme", "Alice now works at Globex"


@pytest.fixture
def pair(remember: Remember) -> tuple[Memory, Memory]:
    """A memory and the one that has replaced it."""
    return remember(OLD), remember(NEW)


def test_facts_are_shown_with_kind_and_lifetime(page: Any, remember: Remember) -> None:
    one = remember("A long walk with Lena in the woods", key_facts=("Lena likes green tea", "Lena has a dog"))
    page.choose(one)
    facts = page.pane.detail._facts
    page.until(lambda: "Lena has a dog" in _texts(facts) and "Lena likes green tea" in _texts(facts))
    assert facts.isVisible() and "until" in _texts(facts)
    assert "Lena has a dog" not in _texts(page.pane.detail._fields)


def test_a_text_that_is_its_own_fact_gets_one_quiet_line(page: Any, remember: Remember) -> None:
    one = remember("I like green tea")
    page.choose(one)
    facts = page.pane.detail._facts
    page.until(lambda: "until" in _texts(facts))
    assert "I like green tea" not in _texts(facts) and facts._head.isHidden()
    page.window._look.set("zh", "light")
    page.until(lambda: "有效至" in _texts(facts))


def test_a_name_leads_to_a_search(page: Any, remember: Remember) -> None:
    one = remember("She collects old maps", participants=("Lena",), topics=("old & new maps",))
    remember("The harbour was frozen")
    page.choose(one)
    mentions = page.pane.detail._mentions
    page.until(lambda: len(_buttons(mentions)) == 2)
    person, topic = _buttons(mentions)
    assert person.text() == "Lena" and person.accessibleName() == "Search for Lena" and not person.icon().isNull()
    assert topic.text() == "old && new maps"
    person.setFocus()
    QTest.keyClick(person, Qt.Key.Key_Space)
    page.until(lambda: page.page.loader.state.text == "Lena")
    assert page.view.search.text() == "Lena"
    page.lists(one)


def test_a_narrow_page_turns_to_what_was_searched(page: Any, remember: Remember) -> None:
    one = remember("She collects old maps", participants=("Lena",))
    page.window.resize(720, 480)
    page.choose(one)
    page.until(lambda: page.view.narrow and page.pane.isVisible() and len(_buttons(page.pane.detail._mentions)) == 1)
    _buttons(page.pane.detail._mentions)[0].click()
    page.until(page.view.list.isVisible)


def test_what_was_replaced_is_reached_and_brought_back_and_undone(page: Any, pair: tuple[Memory, Memory]) -> None:
    old, new = pair
    page.lists(new)
    page.choose(new)
    detail = page.pane.detail
    page.until(lambda: _links(detail._replaces) == [OLD])
    assert not detail._replaced.isVisible() and "Valid since" in detail._held.text()
    detail._replaces.findChild(LinkLine).click()
    page.shows(old)
    page.until(lambda: detail._replaced.link.whole == NEW and detail._replaced.isVisible())
    assert detail._held.isVisible() and not detail._replaces.isVisible()
    detail._replaced.button.click()
    page.says("Brought back")
    page.until(lambda: not detail._replaced.isVisible())
    assert page.stored(old).status == "active" and page.stored(old).superseded_by is None
    page.until(lambda: set(page.ids) == {old.id, new.id})
    page.until(lambda: "Brought back; it holds again" in _texts(detail._changes))
    page.window.toast._button.click()
    page.until(lambda: page.stored(old).superseded_by == new.id)
    page.lists(new)
    detail._replaced.link.click()
    page.shows(new)
    assert page.view.list.chosen_ids() == [new.id]


def test_replaced_memories_can_be_listed(page: Any, pair: tuple[Memory, Memory]) -> None:
    old, new = pair
    page.lists(new)
    page.view.filters.chip("statuses").chosen.emit(("superseded",))
    page.lists(old)
    assert page.view.filters.chip("statuses").text() == "Status: Replaced"
    page.choose(old)
    assert page.pane.detail._replaced.isVisible()


def test_the_rule_is_named_and_its_change_undone_from_history(page: Any, pair: tuple[Memory, Memory]) -> None:
    old, _ = pair
    page.view.filters.chip("statuses").chosen.emit(("superseded", "active"))
    page.choose(old)
    changes = page.pane.detail._changes
    page.until(lambda: "by rule: newer replaces older" in _texts(changes))
    page.window._look.set("zh", "light")
    page.until(lambda: "规则：新的替换旧的" in _texts(changes) and "被更新的记忆替换" in _texts(changes))
    _buttons(changes)[0].click()
    page.until(lambda: page.stored(old).status == "active")


def test_a_merge_shows_the_text_and_its_undo_makes_two(page: Any, remember: Remember) -> None:
    one = remember("The user likes to drink iced americano")
    assert remember("The user really likes to drink iced americano").id == one.id
    page.choose(one)
    changes = page.pane.detail._changes
    page.until(lambda: "The user really likes to drink iced americano" in _texts(changes).split("\n"))
    assert "Told in other words, and merged" in _texts(changes)
    _buttons(changes)[0].click()
    page.says("Undone")
    page.until(lambda: len(page.ids) == 2)
    other = next(memory_id for memory_id in page.ids if memory_id != one.id)
    assert page.service.get(other).result(10).content == "The user really likes to drink iced americano"


def test_writing_by_hand_says_what_came_of_it(page: Any, remember: Remember) -> None:
    one = remember(OLD)
    for text, said in ((OLD, "It was known already"), (NEW, "It replaces")):
        page.page.new_memory()
        page.pane.editor.content.setPlainText(text)
        page.pane.editor.save()
        page.says(said)
        page.until(lambda: not page.pane.editing)
    assert page.stored(one).status == "superseded"
    page.window.commands.undo()
    page.until(lambda: page.stored(one).status == "active")


def test_related_memories_open(page: Any, remember: Remember) -> None:
    first = remember("The harbour was frozen", title="Harbour")
    second = remember("Skating on the lake", related=(first.id,), why="Asked about often")
    page.choose(second)
    fields = page.pane.detail._fields
    page.until(lambda: _links(fields) == ["Harbour"])
    assert "Asked about often" in _texts(fields)
    fields.findChild(LinkLine).click()
    page.shows(first)
    assert page.view.list.chosen_ids() == [first.id]


def test_late_answers_of_another_memory_are_not_shown(look: Look, memory: Any, atom: Any, qtbot: Any) -> None:
    detail = DetailView(look)
    qtbot.addWidget(detail)
    lena = Entity(1, "person:lena", "person", "Lena", 3)
    detail.show_around(Around(7, facts=(atom(1, "has a dog"), atom(2, "likes tea")), entities=(lena,)))
    detail.show_memory(memory(7), None)
    QCoreApplication.processEvents()
    assert "has a dog" in _texts(detail._facts) and _buttons(detail._mentions)[0].text() == "Lena"
    detail.show_memory(memory(8), None)
    QCoreApplication.processEvents()
    assert "has a dog" not in _shown(detail._facts) and not _buttons(detail._mentions)
    detail.show_around(Around(7, facts=(atom(1, "has a dog"), atom(3, "x"))))
    assert "has a dog" not in _shown(detail._facts)


def test_forgotten_facts_are_muted_and_say_so(look: Look, memory: Any, atom: Any, qtbot: Any) -> None:
    detail = DetailView(look)
    qtbot.addWidget(detail)
    detail.show_memory(memory(7), None)
    detail.show_around(Around(7, facts=(atom(1, "has a dog"), atom(2, "likes tea", status="forgotten"))))
    roles = {one.text(): one.property("role") for one in detail._facts.findChildren(QLabel)}
    assert roles["likes tea"] == "muted" and roles["has a dog"] != "muted" and roles["Fact · faded"] == "caption"


def test_tab_goes_down_the_pane(look: Look, memory: Any, qtbot: Any) -> None:
    detail = DetailView(look)
    qtbot.addWidget(detail)
    detail.resize(500, 900)
    detail.show()
    detail.show_memory(memory(7, status="superseded", superseded_by=8, participants=("Lena",)), None)
    # Made after the rest, and yet before it.
    detail.show_memory(memory(7, status="superseded", superseded_by=8, tags=("a",), participants=("Lena",)), None)
    older = memory(3, content="older", status="superseded", superseded_by=7)
    detail.show_around(Around(7, replaced=(older,), linked={8: memory(8, content="newer")}))
    QCoreApplication.processEvents()
    panel = detail._replaced
    wanted: list[QWidget] = [panel.link, panel.button, detail.text]
    wanted += [*_buttons(detail._tags), *_buttons(detail._replaces), *_buttons(detail._mentions)]
    assert len(wanted) == 6
    stop: QWidget | None = detail.bar.more_button
    seen: list[QWidget] = []
    for _ in range(60):
        stop = stop.nextInFocusChain() if stop is not None else None
        if stop in wanted and stop is not None:
            seen.append(stop)
    assert seen[:6] == wanted


def test_memory_text_in_links_and_chips_is_never_markup(look: Look, memory: Any, qtbot: Any) -> None:
    detail = DetailView(look)
    qtbot.addWidget(detail)
    detail.resize(400, 900)
    detail.show()
    wild = "<b>bold</b> & " + "very long " * 40
    detail.show_memory(memory(7, status="superseded", superseded_by=8, participants=(wild,)), None)
    detail.show_around(Around(7, linked={8: memory(8, content=wild)}))
    QCoreApplication.processEvents()
    link = detail._replaced.link
    assert link.whole.startswith("<b>bold</b> & very") and link.text().endswith("…") and "&&" in link.text()
    assert "<b>" not in link.toolTip()
    chip = _buttons(detail._mentions)[0]
    assert len(chip.text()) < 40 and "<b>" not in chip.toolTip() and wild in chip.accessibleName()


def test_a_client_may_write_while_the_pane_shows(page: Any, remember: Remember) -> None:
    """What belongs to the shown memory follows when someone else writes."""
    one = remember(OLD)
    page.choose(one)
    page.view.filters.chip("statuses").chosen.emit(("superseded", "active"))
    page.service.memorize(Draft(NEW), Actor("client", "x")).result(10)
    page.until(lambda: page.pane.detail._replaced.isVisible() and page.pane.detail._replaced.link.whole == NEW)


def _buttons(widget: QWidget) -> list[QPushButton]:
    return [button for button in widget.findChildren(QPushButton) if not button.isHidden()]


def _links(widget: QWidget) -> list[str]:
    return [link.whole for link in widget.findChildren(LinkLine) if not link.isHidden()]


def _texts(widget: QWidget) -> str:
    return "\n".join(one.text() for one in widget.findChildren(QLabel) if not one.isHidden())


def _shown(widget: QWidget) -> str:
    return "" if widget.isHidden() else _texts(widget)
