"""Windows over a real store, on Qt's screenless platform."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine import Service, Settings
from engine.embedding import NoEmbedder
from engine.types import Actor, Atom, Draft, Memory
from gui.application import Desktop
from gui.bridge import Courier
from gui.look import Look
from gui.ports import Client, Event

CLIENT = Actor("client", "Claude Desktop")
PATIENCE_MS = 10_000


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The screenless platform says of each window what it can not do; that is no warning of ours."""
    for item in items:
        if "tests/gui" in item.path.as_posix():
            item.add_marker(pytest.mark.qt_log_ignore("This plugin does not support"))


@pytest.fixture(autouse=True)
def _collected_here() -> Iterator[None]:
    """Windows that a test let go are collected on Qt's own thread; an engine's thread must not end their timers."""
    gc.disable()
    yield
    gc.collect()
    gc.enable()


class FakePorts:
    """An app around the windows that a test can play."""

    version = "0.1.0"
    log_file = None

    def __init__(self, data_directory: Path) -> None:
        self.data_directory = data_directory
        self.connected: tuple[Client, ...] = ()
        self.troubles: tuple[str, ...] = ()
        self.reported: list[BaseException] = []
        self._listeners: list[Callable[[Event], None]] = []

    def clients(self) -> tuple[Client, ...]:
        return self.connected

    def trouble(self) -> tuple[str, ...]:
        return self.troubles

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def report(self, error: BaseException) -> None:
        self.reported.append(error)

    def publish(self, event: Event) -> None:
        for listener in list(self._listeners):
            listener(event)


@pytest.fixture
def settings() -> Settings:
    found = Settings()
    found.update({"interface.language": "en", "interface.theme": "light", "embedding.provider": "none"})
    return found


@pytest.fixture
def service(data_dir: Path, settings: Settings) -> Iterator[Service]:
    opened = Service.open(data_dir, settings, embedder_factory=lambda _: NoEmbedder())
    yield opened
    opened.close()


@pytest.fixture
def ports(data_dir: Path) -> FakePorts:
    return FakePorts(data_dir)


@pytest.fixture
def look(qapp: QApplication) -> Iterator[Look]:
    made = Look(qapp)
    made.set("en", "light")
    yield made
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def courier(qapp: QApplication) -> Iterator[Courier]:
    made = Courier()
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def desktop(
    qapp: QApplication, qtbot: QtBot, service: Service, settings: Settings, ports: FakePorts
) -> Iterator[Desktop]:
    """Everything on the (absent) screen, with the window open."""
    made = Desktop(qapp, service, settings, ports)
    made.start(show_window=True)
    yield made
    made.close()
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


MOMENT = datetime(2026, 3, 12, 12, 0, tzinfo=UTC)
MakeMemory = Callable[..., Memory]


@pytest.fixture
def memory() -> MakeMemory:
    """Makes memories that need no store: a plain active fact in which any field can be given."""

    def make(memory_id: int, **given: Any) -> Memory:
        values: dict[str, Any] = {
            "id": memory_id, "uid": f"01TEST{memory_id:020d}", "title": "", "content": f"Memory number {memory_id}",
            "summary": "", "compressed": "", "layer": "fact", "category": "", "importance": 0.5, "strength": 0.5,
            "emotion_intensity": 0.0, "valence": 0.0, "mood": "", "sentiment": "", "tags": (), "topics": (),
            "participants": (), "key_facts": (), "sensitivity": "normal", "status": "active", "pinned": False,
            "protected": False, "resolved": False, "conversation_id": None, "session_id": None, "persona_id": None,
            "position": None, "source_agent": "", "source_client": "", "source_text": "", "event_time": None,
            "valid_from": None, "valid_to": None, "superseded_by": None, "surprise": None, "external_ids": (),
            "extra": {}, "created_at": MOMENT, "updated_at": MOMENT, "last_accessed_at": None, "access_count": 0.0,
            "recall_count": 0,
        }  # fmt: skip
        return Memory(**{**values, **given})

    return make


MakeAtom = Callable[..., Atom]


@pytest.fixture
def atom() -> MakeAtom:
    """Makes facts that need no store: an active one that is good for years to come."""

    def make(atom_id: int, text: str, **given: Any) -> Atom:
        values: dict[str, Any] = {
            "id": atom_id, "text": text, "type": "factual", "memory_ids": (1,), "conversation_id": None,
            "persona_id": None, "importance": 0.5, "confidence": 0.8, "event_time": None, "status": "active",
            "status_at": MOMENT, "created_at": MOMENT, "last_accessed_at": None, "last_reinforced_at": None,
            "reinforcement_count": 0, "ttl_days": 30.0, "expires_at": datetime(2999, 5, 20, tzinfo=UTC),
        }  # fmt: skip
        return Atom(**{**values, **given})

    return make


Remember = Callable[..., Memory]


@pytest.fixture
def remember(service: Service) -> Remember:
    """Store a memory as a client would and wait for it."""

    def store(content: str, **given: object) -> Memory:
        draft = Draft(content=content, source_client="Claude Desktop", **given)  # type: ignore[arg-type]
        return service.memorize(draft, CLIENT).result(10).memory

    return store


Until = Callable[[Callable[[], object]], None]


@pytest.fixture
def until(qtbot: QtBot) -> Until:
    """Let Qt work until something holds."""

    def wait(condition: Callable[[], object]) -> None:
        qtbot.waitUntil(lambda: bool(condition()), timeout=PATIENCE_MS)

    return wait


class Page:
    """What a person does and sees on the page."""

    def __init__(self, desktop: Desktop, service: Service, until: Until) -> None:
        self.window, self.page = desktop.window, desktop.window.page
        self.view, self.pane = self.page.view, self.page.view.pane
        self.service, self.until = service, until

    @property
    def ids(self) -> list[int]:
        return list(self.page.model.ids)

    def lists(self, *memories: Memory) -> None:
        self.until(lambda: self.ids == [one.id for one in memories])

    def choose(self, *memories: Memory) -> None:
        self.until(lambda: all(one.id in self.ids for one in memories))
        self.view.list.choose([one.id for one in memories])
        if len(memories) == 1:
            self.shows(memories[0])

    def shows(self, one: Memory) -> None:
        self.until(
            lambda: (
                self.pane.shown is self.pane.detail
                and self.pane.detail.memory is not None
                and self.pane.detail.memory.id == one.id
            )
        )

    def says(self, part: str) -> None:
        self.until(lambda: self.window.toast.isVisible() and part in self.window.toast.text)

    def stored(self, one: Memory) -> Memory:
        return self.service.get(one.id).result(10)

    def search(self, text: str) -> None:
        self.view.search.setText(text)
        QTest.keyClick(self.view.search, Qt.Key.Key_Return)
        self.until(lambda: self.page.loader.state.text == text and not self.page.loader._listing.running)


@pytest.fixture
def page(desktop: Desktop, service: Service, until: Until) -> Page:
    return Page(desktop, service, until)
