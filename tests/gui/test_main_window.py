"""The window: language and theme switch while it is open, it fits small screens, and everything has a name."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QDateTimeEdit,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollBar,
    QTextEdit,
    QWidget,
)

from engine import Service, Settings
from engine.errors import NotWritable
from engine.types import Memory
from gui.application import Desktop
from gui.ports import Client
from gui.theme import DARK, LIGHT
from gui.window import Notice

Until = Callable[[Callable[[], object]], None]
Remember = Callable[..., Memory]


def _words(window: QWidget) -> list[str]:
    """Every text that the window's own parts show now."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    shown = []
    for part in window.findChildren(QWidget):
        if isinstance(part, QLabel | QAbstractButton) and part.text():
            shown.append(part.text())
        for text in (part.toolTip(), part.accessibleName()):
            if text:
                shown.append(text)
        if isinstance(part, QLineEdit | QPlainTextEdit) and part.placeholderText():
            shown.append(part.placeholderText())
        if isinstance(part, QComboBox):
            shown += [part.itemText(row) for row in range(part.count())]
    return shown


def test_the_language_switches_while_the_window_is_open(
    desktop: Desktop, settings: Settings, remember: Remember, until: Until
) -> None:
    one = remember("42", title="7", importance=0.4)
    window = desktop.window
    until(lambda: list(window.page.model.ids) == [one.id])
    window.page.view.list.choose([one.id])
    until(lambda: window.page.view.pane.detail.memory is not None)
    until(lambda: window.page.view.pane.detail._history)
    assert not [text for text in _words(window) if re.search(r"[\u4e00-\u9fff]", text)]
    settings.set("interface.language", "zh")
    until(lambda: window.windowTitle() == "琥珀")
    left = [text for text in _words(window) if re.search(r"[A-Za-z]{3,}", text) and "Claude Desktop" not in text]
    # An id is an id in every language.
    assert [text for text in left if text != one.uid] == []
    settings.set("interface.language", "en")
    until(lambda: window.windowTitle() == "Hupo")
    assert not [text for text in _words(window) if re.search(r"[\u4e00-\u9fff]", text)]


def test_the_theme_switches_while_the_window_is_open(desktop: Desktop, settings: Settings, until: Until) -> None:
    def ground() -> str:
        return desktop.window.grab().toImage().pixelColor(QPoint(desktop.window.width() - 300, 8)).name().upper()

    assert ground() in (LIGHT.background, LIGHT.surface)
    settings.set("interface.theme", "dark")
    until(lambda: desktop.look.colours is DARK)
    assert ground() in (DARK.background, DARK.surface)


def test_the_theme_follows_the_system(
    desktop: Desktop, settings: Settings, qapp: QApplication, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.set("interface.theme", "auto")
    until(lambda: desktop.look.theme_setting == "auto")
    for dark, colours in ((True, DARK), (False, LIGHT), (True, DARK)):
        monkeypatch.setattr(desktop.look, "system_dark", lambda dark=dark: dark)
        qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Unknown)
        assert desktop.look.colours is colours
    settings.set("interface.theme", "light")
    until(lambda: desktop.look.colours is LIGHT)
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Unknown)
    assert desktop.look.colours is LIGHT


def test_every_control_has_a_name(desktop: Desktop, remember: Remember, until: Until) -> None:
    one = remember("green tea", tags=("drinks",))
    window = desktop.window
    until(lambda: list(window.page.model.ids) == [one.id])
    window.page.view.list.choose([one.id])
    until(lambda: window.page.view.pane.detail.memory is not None)
    window.page.edit()
    kinds = QAbstractButton | QLineEdit | QTextEdit | QPlainTextEdit | QComboBox | QAbstractItemView | QAbstractSlider
    nameless = []
    for part in window.findChildren(QWidget):
        inner = part.objectName().startswith("qt_") or isinstance(part, QScrollBar)
        hidden = not part.isVisibleTo(part.window())
        if not isinstance(part, kinds | QDateTimeEdit) or inner or hidden or _belongs_to_qt(part):
            continue
        text = part.text() if isinstance(part, QAbstractButton) else ""
        if not (part.accessibleName() or text):
            nameless.append(f"{type(part).__name__} {part.objectName()} in {type(part.parent()).__name__}")
    assert nameless == [], "\n".join(nameless)


def _belongs_to_qt(part: QWidget) -> bool:
    """Inner parts of Qt's own widgets: popups of combo boxes, headers, calendar, corner buttons, clear buttons."""
    names = ("QComboBoxPrivateContainer", "QCalendarWidget", "QHeaderView", "QTableView", "MemoryList", "SearchField",
             "QDateTimeEdit", "QComboBox")  # fmt: skip
    if part.metaObject().className() == "QHeaderView":
        return True
    parent = part.parentWidget()
    while parent is not None:
        if parent.metaObject().className() in names or type(parent).__name__ in names:
            return True
        parent = parent.parentWidget()
    return False


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", [(720, 480), (900, 600), (1280, 800)])
def test_no_label_is_clipped(
    desktop: Desktop, settings: Settings, remember: Remember, until: Until, size: tuple[int, int], language: str
) -> None:
    one = remember("green tea " * 30, title="A rather long title for such a small window, is it not", tags=("a", "b"))
    settings.set("interface.language", language)
    window = desktop.window
    window.resize(*size)
    assert (window.width(), window.height()) == size
    until(lambda: list(window.page.model.ids) == [one.id] and desktop.look.texts.language == language)
    window.page.view.list.choose([one.id])
    until(window.page.view.pane.detail.isVisible)
    for part in window.findChildren(QPushButton):
        if part.isVisible() and part.text() and part.property("role") not in ("chip", "rail"):
            assert part.width() >= part.fontMetrics().horizontalAdvance(part.text()), part.text()

    def sticking_out() -> list[str]:
        labels = [part for part in window.findChildren(QLabel) if part.isVisible() and part.text()]
        return [part.text() for part in labels if part.mapTo(window, QPoint(part.width(), 0)).x() > size[0] + 1]

    until(lambda: not sticking_out())


def test_the_rail_shows_words_where_there_is_room(desktop: Desktop) -> None:
    window, rail = desktop.window, desktop.window.rail
    window.resize(1180, 760)
    assert rail.width() == 200 and rail.places["trash"].text().strip() == "Trash"
    window.resize(880, 600)
    assert rail.width() == 56 and rail.places["trash"].text() == ""
    assert rail.places["trash"].toolTip() == "Trash" and rail.places["trash"].accessibleName() == "Trash"


def test_the_rail_counts_and_leads(desktop: Desktop, service: Service, remember: Remember, until: Until) -> None:
    one = remember("green tea")
    remember("black bread")
    rail = desktop.window.rail
    until(lambda: "2" in rail.places["memories"].text())
    desktop.window.page.actions.trash([one.id])
    until(lambda: "1" in rail.places["trash"].text() and "1" in rail.places["memories"].text())
    rail.places["trash"].click()
    until(lambda: list(desktop.window.page.model.ids) == [one.id])


def test_clients_come_and_go(desktop: Desktop, ports: object, until: Until) -> None:
    rail = desktop.window.rail
    assert rail.clients.text().strip() == "0 assistants"
    ports.connected = (Client(1, "Claude <b>Desktop</b>", "1.0", since=datetime.now(UTC)), Client(2, "Cursor"))  # type: ignore[attr-defined]
    ports.publish("clients")  # type: ignore[attr-defined]
    until(lambda: rail.clients.text().strip() == "2 assistants")
    rail.clients_menu.aboutToShow.emit()
    lines = [entry.text() for entry in rail.clients_menu.actions()]
    assert lines[0].startswith("Claude <b>Desktop</b> 1.0 · since today") and lines[1] == "Cursor"


def test_pausing_is_a_setting_and_is_told(desktop: Desktop, settings: Settings, until: Until) -> None:
    rail = desktop.window.rail
    rail.pause.click()
    assert settings["memory.paused"] is True
    until(lambda: rail.pause.text().strip() == "Resume")
    assert "Paused" in desktop.window.toast.text
    rail.pause.click()
    until(lambda: rail.pause.text().strip() == "Pause")
    assert settings["memory.paused"] is False


def test_a_setting_that_can_not_be_saved_is_said(
    desktop: Desktop, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(key: str, value: object) -> None:
        raise NotWritable(path="/data/settings.toml")

    monkeypatch.setattr(settings, "set", refuse)
    desktop.window.rail.pause.click()
    assert "/data/settings.toml" in desktop.window.toast.text


def test_appearance_is_chosen_in_the_rail(desktop: Desktop, settings: Settings) -> None:
    rail = desktop.window.rail
    rail.look_menu.aboutToShow.emit()
    entries = {entry.text(): entry for entry in rail.look_menu.actions()}
    assert entries["English"].isChecked() and entries["Light"].isChecked()
    entries["Dark"].trigger()
    entries["中文"].trigger()
    assert settings["interface.theme"] == "dark" and settings["interface.language"] == "zh"


def test_trouble_outside_is_shown(desktop: Desktop, ports: object, until: Until) -> None:
    ports.troubles = ("listener_failed",)  # type: ignore[attr-defined]
    ports.publish("trouble")  # type: ignore[attr-defined]
    rail = desktop.window.rail
    until(lambda: rail.health.text().strip() == "Needs attention")
    rail.health_menu.aboutToShow.emit()
    assert rail.health_menu.actions()[0].text() == "Assistants can not connect"


def test_without_a_tray_the_window_opens_and_says_so(desktop: Desktop, qapp: QApplication) -> None:
    assert desktop.tray is None and desktop.window.isVisible()
    notice = desktop.window.findChild(Notice)
    assert notice.isVisible() and "no tray" in notice.text.text()
    notice.findChild(QPushButton).click()
    assert not notice.isVisible()
    assert qapp.quitOnLastWindowClosed()


def test_a_bug_in_the_background_is_reported_and_told_without_its_words(desktop: Desktop, ports: object) -> None:
    desktop.window.say_failed(ValueError("text of a memory"))
    assert len(ports.reported) == 1  # type: ignore[attr-defined]
    assert "text of a memory" not in desktop.window.toast.text and desktop.window.toast.text


def test_the_window_remembers_its_size(desktop: Desktop, service: Service, qapp: QApplication, ports: object) -> None:
    desktop.window.resize(760, 601)
    desktop.window.close()
    again = Desktop(qapp, service, service.settings, ports)  # type: ignore[arg-type]
    try:
        assert (again.window.width(), again.window.height()) == (760, 601)
    finally:
        again.close()
        again.deleteLater()


def test_places_open_by_key(desktop: Desktop, until: Until) -> None:
    QTest.keyClick(desktop.window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert desktop.window.page.view.heading.text() == "Trash" and desktop.window.rail.places["trash"].isChecked()
    QTest.keyClick(desktop.window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert desktop.window.page.view.heading.text() == "Memories"
    until(lambda: desktop.window.page.view.empty.key == "empty.memories")


def test_a_toast_goes_by_itself_but_waits_while_the_mouse_rests_on_it(desktop: Desktop, until: Until) -> None:
    toast = desktop.window.toast
    toast.say("Something was done.", "Undo", lambda: None)
    assert toast._timer.isActive() and toast.isVisible()
    inside = desktop.window.centralWidget().rect()
    assert inside.contains(toast.geometry())
    QApplication.sendEvent(toast, _enter())
    assert not toast._timer.isActive()
    toast._timer.start(1)
    until(lambda: not toast.isVisible())


def _enter() -> object:
    from PySide6.QtCore import QPointF
    from PySide6.QtGui import QEnterEvent

    return QEnterEvent(QPointF(), QPointF(), QPointF())
