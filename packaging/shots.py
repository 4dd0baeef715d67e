"""A picture of every page and state, in Chinese and English, light and dark, from a real store filled for it.

``tasks.py shots [DIR]`` runs it (default DIR: ``shots/``). Everything goes through the real service and the real
windows; only the screen is missing (Qt's offscreen platform). Memories come from ``shots.json``.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QSize  # noqa: E402
from PySide6.QtWidgets import QApplication, QLabel, QWidget  # noqa: E402

from engine import Service, Settings  # noqa: E402
from engine.embedding import create  # noqa: E402
from engine.types import Actor, Draft  # noqa: E402
from gui.application import Desktop  # noqa: E402
from gui.browser.dialogs import EraseDialog  # noqa: E402
from gui.ports import Client, Event  # noqa: E402
from gui.tray import Tray  # noqa: E402
from gui.window import Notice  # noqa: E402

USUAL, SMALL = QSize(1180, 760), QSize(720, 480)
PATIENCE_SECONDS = 60.0


class ShotPorts:
    """An app around the windows that only stands there."""

    version = "0.1.0"
    log_file = None

    def __init__(self, data: Path) -> None:
        self.data_directory = data

    def clients(self) -> tuple[Client, ...]:
        since = datetime.now(UTC) - timedelta(minutes=12)
        return (Client(1, "Claude Desktop", "1.4", since=since), Client(2, "Cursor", "2.1", since=since))

    def trouble(self) -> tuple[str, ...]:
        return ()

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        return lambda: None

    def report(self, error: BaseException) -> None:
        raise error


@dataclass
class Told:
    """Ids of memories that show what telling again does: with many fields, merged into, replacing, replaced."""

    rich: int = 0
    merged: int = 0
    newer: int = 0
    older: int = 0


class Photographer:
    """Brings one desktop into a state and saves what it looks like."""

    def __init__(self, app: QApplication, desktop: Desktop, folder: Path, suffix: str, told: Told) -> None:
        """``told``: the memories of :func:`tell`."""
        self._app, self._desktop, self._folder, self._suffix = app, desktop, folder, suffix
        self.told = told
        self.window, self.page = desktop.window, desktop.window.page
        self.view, self.pane = self.page.view, self.page.view.pane

    def wait(self, condition: Callable[[], bool]) -> None:
        """Let Qt work until ``condition`` holds; ``TimeoutError`` after a minute."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f"a picture's state did not come about: {self._suffix}")
            self._app.processEvents()
        for _ in range(5):
            self._app.processEvents()
            self._app.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def settled(self) -> bool:
        """Whether all rows in sight have arrived."""
        model, listing = self.page.model, self.view.list
        rows = range(model.rowCount())
        seen = [row for row in rows if listing.visualRect(model.index(row)).intersects(listing.viewport().rect())]
        return bool(seen) and all(model.known(model.ids[row]) is not None for row in seen)

    def shoot(self, name: str, widget: QWidget | None = None) -> None:
        """Save ``<name>-<language>-<theme>.png``."""
        target = widget or self.window
        self._app.processEvents()
        target.grab().save(str(self._folder / f"{name}-{self._suffix}.png"))

    def everything(self, question: str) -> None:
        """Every state of the window, one after the other."""
        window, view, pane = self.window, self.view, self.pane
        window.resize(USUAL)
        window.open_place("memories")
        self.wait(self.settled)
        self.wait(lambda: not view.filters.chip("tags").isHidden() and bool(self._desktop.health.condition.alive))
        if self._suffix.endswith("light"):
            self.shoot("no-tray")
        for notice in window.findChildren(Notice):
            notice.hide()
        self.shoot("memories")
        self._menus()
        view.list.choose([self.page.model.ids[2]])
        self.wait(lambda: pane.shown is pane.detail and bool(pane.detail.memory))
        self.shoot("detail")
        self._changes()
        self._search(question)
        self.page.edit()
        self.wait(lambda: pane.editing)
        self.shoot("edit")
        pane.editor.cancelled.emit()
        view.search.clear_now()
        self.wait(lambda: not view.found.isVisible() and self.settled())
        view.list.choose(self.page.model.ids[1:4])
        self.wait(lambda: pane.shown is pane.bulk)
        self.page.actions.trash(view.list.chosen_ids()[:1])
        self.wait(window.toast.isVisible)
        self.wait(lambda: not window.toast._slide.state().value)
        self.wait(lambda: len(view.list.chosen_ids()) == 2)
        self.shoot("many")
        window.open_place("trash")
        self.wait(self.settled)
        view.list.choose([self.page.model.ids[0]])
        self.wait(lambda: pane.shown is pane.detail and bool(self._desktop.health.condition.trashed))
        self.shoot("trash")
        self._dialog()
        window.commands.undo()
        self.wait(lambda: view.empty.key == "empty.trash" and view.empty.isVisible())
        self.wait(lambda: not self._desktop.health.condition.trashed)
        window.toast.hide()
        self.shoot("trash-empty")
        self._small()

    def _changes(self) -> None:
        """A memory with facts, names and rare fields; one that was merged into; a newer one and the one it replaced."""
        told = self.told
        detail = self.pane.detail
        self._choose(told.rich)
        self.wait(lambda: len(detail._facts.findChildren(QLabel)) > 2)
        self.shoot("facts")
        bar = detail._scroll.verticalScrollBar()
        for name, memory_id in (("fields", told.rich), ("merged", told.merged)):
            self._choose(memory_id)
            self.wait(lambda: detail._changes.isVisible() and bar.maximum() > 0)
            bar.setValue(bar.maximum() if name == "merged" else bar.maximum() // 2)
            self.shoot(name)
        self._choose(told.newer)
        self.wait(detail._replaces.isVisible)
        self.shoot("replaces")
        detail.opened.emit(told.older)
        self.wait(lambda: detail._replaced.isVisible() and not detail._replaces.isVisible())
        self.wait(lambda: bool(self.page.loader._around.linked))
        self.shoot("replaced")
        self.window.resize(SMALL)
        self.wait(lambda: self.view.narrow)
        self.shoot("small-replaced")
        self.window.resize(USUAL)
        self.view.list.choose([self.page.model.ids[2]])
        self.wait(lambda: detail.memory is not None and detail.memory.id == self.page.model.ids[2])

    def _choose(self, memory_id: int) -> None:
        detail = self.pane.detail
        self.view.list.choose([memory_id])
        self.wait(lambda: detail.memory is not None and detail.memory.id == memory_id)

    def _search(self, question: str) -> None:
        view, pane = self.view, self.pane
        view.search.setText(question)
        self.wait(lambda: view.found.isVisible() and self.settled())
        first = self.page.model.ids[0]
        view.list.choose([first])
        self.wait(lambda: pane.detail.memory is not None and pane.detail.memory.id == first)
        self.shoot("search")
        window = self.window
        window.toast.hide()

    def _menus(self) -> None:
        chip = self.view.filters.chip("tags")
        chip.click()
        self.wait(chip._popup.isVisible)
        self.shoot("filter", chip._popup)
        chip._popup.hide()
        rail, tray = self.window.rail, Tray(self._desktop.look)
        tray.show_condition(self._desktop.health.condition)
        for name, menu in (("appearance", rail.look_menu), ("clients", rail.clients_menu), ("tray", tray.menu)):
            menu.aboutToShow.emit()
            menu.adjustSize()
            self.shoot(f"menu-{name}", menu)
        tray.menu.deleteLater()
        tray.deleteLater()

    def _dialog(self) -> None:
        dialog = EraseDialog(self._desktop.look, 2, self.window)
        dialog.show()
        self.wait(dialog.isVisible)
        self.shoot("erase", dialog)
        dialog.close()
        dialog.deleteLater()

    def _small(self) -> None:
        window, view, pane = self.window, self.view, self.pane
        window.open_place("memories")
        window.resize(SMALL)
        self.wait(self.settled)
        self.shoot("small")
        view.list.choose([self.page.model.ids[1]])
        self.wait(lambda: pane.shown is pane.detail)
        self.shoot("small-detail")
        window.resize(USUAL)
        view.list.choose([])


@contextmanager
def opened(data: Path, language: str, provider: str) -> Iterator[tuple[Service, Settings]]:
    """A real store in ``data``; the model in the box, or words only with ``provider`` "none"."""
    settings = Settings()
    settings.update({"interface.language": language, "embedding.provider": provider, "memory.vector_wait_ms": 10_000})
    service = Service.open(
        data, settings, embedder_factory=lambda now: create(now, ROOT / "resources" / "models", lambda _: None)
    )
    try:
        yield service, settings
    finally:
        service.close()


def fill(service: Service, memories: list[dict[str, Any]]) -> None:
    """Remember everything through the service, as its client would have."""
    now = datetime.now(UTC)
    for row in reversed(memories):
        draft = Draft(
            content=row["content"], title=row["title"], layer=row["layer"], importance=row["importance"],
            tags=tuple(row["tags"]), participants=tuple(row["people"]), pinned=row["pinned"],
            source_client=row["client"], event_time=now + timedelta(days=row["days"]),
        )  # fmt: skip
        service.memorize(draft, Actor("client", row["client"])).result()
    service.idle().result()


def tell(service: Service, told: list[dict[str, Any]]) -> Told:
    """Remember what repeats and replaces, in its order: older, newer, first, told again, one with many fields."""
    now = datetime.now(UTC)
    ids: list[int] = []
    for row in told:
        more: dict[str, Any] = row.get("more", {})
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in more.items()
        }
        draft = Draft(
            content=row["content"], title=row.get("title", ""), participants=tuple(row["people"]),
            topics=tuple(row.get("topics", ())), key_facts=tuple(row.get("facts", ())), source_client=row["client"],
            event_time=now + timedelta(days=row["days"]), related=tuple(ids[1:2]) if more else (), **given,
        )  # fmt: skip
        ids.append(service.memorize(draft, Actor("client", row["client"])).result().memory.id)
    service.idle().result()
    return Told(rich=ids[4], merged=ids[2], newer=ids[1], older=ids[0])


def photograph(app: QApplication, folder: Path, language: str, given: dict[str, Any], provider: str) -> None:
    """All pictures in one language, from an empty store to a full one, in both themes."""
    with tempfile.TemporaryDirectory() as place, opened(Path(place), language, provider) as (service, settings):
        desktop = Desktop(app, service, settings, ShotPorts(Path(place)))
        desktop.start(show_window=True)
        told = Told()
        for theme in ("light", "dark"):
            settings.set("interface.theme", theme)
            photographer = Photographer(app, desktop, folder, f"{language}-{theme}", told)
            photographer.wait(functools.partial(_wears, desktop, theme))
            if theme == "light":
                photographer.wait(desktop.window.page.view.empty.isVisible)
                photographer.shoot("empty")
                fill(service, given["memories"])
                told = photographer.told = tell(service, given["told"])
            photographer.everything(given["question"])
        desktop.close()


def _wears(desktop: Desktop, theme: str) -> bool:
    return desktop.look.colours.scheme == theme


def main(folder: Path, provider: str = "local") -> int:
    """Take all pictures into ``folder``; returns the exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    app = QApplication(sys.argv[:1])
    sets = json.loads((ROOT / "packaging" / "shots.json").read_text(encoding="utf-8"))
    for language, given in sets.items():
        photograph(app, folder, language, given, provider)
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "shots"))
