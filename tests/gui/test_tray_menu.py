"""The tray's icon and menu, without a tray: what they show and what they wish."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QSystemTrayIcon

from engine import Service, Settings
from gui.application import Desktop
from gui.health import Condition
from gui.look import Look
from gui.ports import Client
from gui.tray import Tray


@pytest.fixture
def tray(look: Look) -> Iterator[Tray]:
    made = Tray(look)
    yield made
    made.menu.deleteLater()
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_the_icon_tells_the_state(tray: Tray) -> None:
    faces = []
    for state in ("calm", "busy", "trouble"):
        slugs = ("listener_failed",) if state == "trouble" else ()
        tray.show_condition(Condition(state=state, slugs=slugs))  # type: ignore[arg-type]
        faces.append(tray.icon.icon().pixmap(22, 22).toImage())
    assert faces[0] != faces[1] != faces[2]
    assert tray.icon.toolTip() == "Hupo · Assistants can not connect"
    assert tray.state_line.text() == "Assistants can not connect" and not tray.state_line.isEnabled()


def test_the_menu_wishes(tray: Tray) -> None:
    heard: list[Any] = []
    tray.open_wished.connect(lambda: heard.append("open"))
    tray.quit_wished.connect(lambda: heard.append("quit"))
    tray.pause_wished.connect(heard.append)
    tray.setting_chosen.connect(lambda key, value: heard.append((key, value)))
    tray.open_entry.trigger()
    tray.pause_entry.trigger()
    tray.quit_entry.trigger()
    next(entry for entry in tray.language_menu.actions() if entry.text() == "中文").trigger()
    tray.icon.activated.emit(QSystemTrayIcon.ActivationReason.Trigger)
    assert heard == ["open", True, "quit", ("interface.language", "zh"), "open"]


def test_the_menu_shows_pause_clients_and_language(tray: Tray, look: Look) -> None:
    tray.show_condition(Condition(paused=True, clients=(Client(1, "A&B"),)))
    assert tray.pause_entry.isChecked() and tray.clients_menu.title() == "1 assistant"
    assert tray.clients_menu.actions()[0].text() == "A&&B"
    look.set("zh", "light")
    assert tray.quit_entry.text() == "退出琥珀" and tray.clients_menu.title() == "1 个助手"
    tray.show_condition(Condition())
    assert tray.clients_menu.actions()[0].text() == "现在没有助手连着"


def test_with_a_tray_the_window_waits_and_closing_keeps_hupo(
    qapp: Any, qtbot: Any, service: Service, settings: Settings, ports: Any, monkeypatch: pytest.MonkeyPatch, until: Any
) -> None:
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", staticmethod(lambda: True))
    monkeypatch.setattr(Tray, "show", lambda self: None)  # the screenless platform would warn
    said: list[str] = []
    monkeypatch.setattr(Tray, "say", lambda self, text: said.append(text))
    desktop = Desktop(qapp, service, settings, ports)
    try:
        desktop.start(show_window=False)
        assert desktop.tray is not None and not desktop.window.isVisible()
        assert not qapp.quitOnLastWindowClosed()
        desktop.tray.open_wished.emit()
        assert desktop.window.isVisible()
        desktop.window.close()
        desktop.window.come_forward()
        desktop.window.close()
        assert len(said) == 1 and "still here" in said[0]
        ports.publish("show")
        until(desktop.window.isVisible)
        desktop.tray.pause_entry.trigger()
        until(desktop.tray.pause_entry.isChecked)
        assert settings["memory.paused"] is True
    finally:
        desktop.close()
        desktop.deleteLater()
