"""The life of the Memories page: what a person does becomes a question or a verb, what comes back is shown.

Holds no layout (``view.py``), no reads (``loader.py``) and no writes (``actions.py``) of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from engine import Service
from engine.types import Changes, Draft, Memory, Recollection
from gui.bridge import Courier
from gui.browser.actions import Actions
from gui.browser.dialogs import EraseDialog
from gui.browser.loader import Loader
from gui.browser.model import MemoryModel
from gui.browser.state import BrowserState, Place
from gui.browser.view import MemoriesView
from gui.look import Look
from gui.operations import Commands


class MemoriesPage(QObject):
    """One page over one service. ``failed`` carries errors for the toast."""

    failed = Signal(object)
    copied = Signal()

    def __init__(self, service: Service, courier: Courier, look: Look, commands: Commands, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self.loader = Loader(service, courier, look, self)
        self.model = MemoryModel(service.get_many, courier, look, self)
        self.actions = Actions(service, commands)
        self.view = MemoriesView(look, self.model, parent)
        self._commands = commands
        self._state = BrowserState()
        self._answer: Recollection | None = None
        # A memory that must be chosen as soon as the list knows it (one just written).
        self._choose_next: int | None = None
        self._connect_reads()
        self._connect_wishes()
        self._add_shortcuts()

    def open(self, place: Place) -> None:
        """Show ``place`` from its beginning, without search and filters."""
        if self.view.pane.may_leave():
            self._show_state(BrowserState(place=place, sort=self._state.sort))
            self._rest()

    def reload(self) -> None:
        """Ask for everything anew."""
        self.loader.refresh()

    def new_memory(self) -> None:
        """Open an empty form."""
        if not self.view.pane.may_leave():
            return
        if self._state.place != "memories":
            self._show_state(BrowserState(sort=self._state.sort))
        self.view.pane.editor.new()
        self.view.pane.show_part(self.view.pane.editor)
        self.view.open_pane(True)
        self.view.pane.editor.content.setFocus()

    def store_changed(self, changes: Changes) -> None:
        """Follow what anyone did to the store."""
        if changes.action == "decayed":
            self.model.mark_all_stale()
        else:
            self.model.mark_stale(changes.updated)
        self.loader.store_changed(changes)

    # -- wiring --

    def _connect_reads(self) -> None:
        loader, view = self.loader, self.view
        loader.listed.connect(self._listed)
        loader.answered.connect(self._answered)
        loader.facets.connect(view.filters.show_facets)
        loader.shown.connect(self._shown)
        loader.gone.connect(lambda _: self._rest())
        loader.history.connect(view.pane.detail.show_history)
        loader.around.connect(view.pane.detail.show_around)
        loader.busy.connect(view.search.set_busy)
        loader.failed.connect(self.failed)
        self.model.failed.connect(self.failed)

    def _connect_wishes(self) -> None:
        view, bar = self.view, self.view.pane.detail.bar
        view.wanted.connect(self._show_state)
        view.new_button.clicked.connect(self.new_memory)
        view.list.chosen.connect(self._chosen)
        view.list.opened.connect(lambda: self.view.open_pane(True))
        view.found.chosen.connect(self._open)
        detail = view.pane.detail
        detail.tag_chosen.connect(self._filter_by_tag)
        detail.name_chosen.connect(self._search_for)
        detail.opened.connect(self._open)
        detail.brought_back.connect(self.actions.bring_back)
        detail.undo_chosen.connect(lambda entry: self._commands.undo_entry(entry, self.loader.refresh))
        view.pane.editor.saved.connect(self._save)
        view.pane.editor.cancelled.connect(self._leave_form)
        view.pane.bulk.verb.connect(self._do)
        bar.back.connect(lambda: self.view.open_pane(False))
        bar.edit.connect(self.edit)
        bar.trash.connect(lambda: self._do("trash"))
        bar.restore.connect(lambda: self._do("restore"))
        bar.erase.connect(lambda: self._do("erase"))
        bar.copy.connect(self._copy)
        bar.switch.connect(lambda field, on: self.actions.switch(self._ids(), field, on))
        bar.status.connect(lambda status: self.actions.set_status(self._ids(), status))

    def _add_shortcuts(self) -> None:
        view = self.view
        for keys, act in (
            ("F2", self.edit),
            ("Ctrl+E", self.edit),
            ("Ctrl+P", lambda: self._do("pin")),
            ("Ctrl+S", self._save_form),
            ("Esc", self._escape),
            ("Ctrl+F", view.search.setFocus),
        ):
            QShortcut(QKeySequence(keys), view, act)
        for keys, verb in (("Delete", "trash"), ("Shift+Delete", "erase")):
            shortcut = QShortcut(QKeySequence(keys), view.list, lambda verb=verb: self._do(verb))
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)

    # -- what comes back --

    def _show_state(self, state: BrowserState) -> None:
        self._state = state
        self.view.show_state(state)
        self.loader.show_state(state)

    def _listed(self, ids: Sequence[int]) -> None:
        self._answer = None
        self.view.list.show_ids(ids)
        self.view.show_count(len(ids), None)
        self._choose_waiting()

    def _answered(self, answer: Recollection) -> None:
        self._answer = answer
        kept = self.view.list.chosen_ids()
        self.model.show_hits(answer.hits)
        self.view.list.choose(kept, scroll=False)
        self.view.show_count(len(answer.hits), answer)
        self._choose_waiting()

    def _shown(self, memory: Memory) -> None:
        self.model.put(memory)
        pane = self.view.pane
        pane.detail.show_memory(memory, self.model.hit(memory.id) if self._answer is not None else None)
        if not pane.editing:
            pane.show_part(pane.detail)

    # -- what a person does --

    def _chosen(self) -> None:
        pane, ids = self.view.pane, self.view.list.chosen_ids()
        if pane.editing and ids == [pane.editor.memory_id]:
            return
        if not pane.may_leave():
            self.view.list.choose([pane.editor.memory_id] if pane.editor.memory_id else [], scroll=False)
            return
        if len(ids) == 1:
            self._show_one(ids[0])
        elif ids:
            self.loader.show_one(None)
            pane.bulk.show_count(len(ids), self._state.place)
            pane.show_part(pane.bulk)
            self.view.open_pane(True)
        else:
            self._rest()

    def _show_one(self, memory_id: int) -> None:
        pane, known = self.view.pane, self.model.known(memory_id)
        if known is not None:
            pane.detail.show_memory(known, self.model.hit(memory_id))
        if known is not None or pane.editing:
            pane.show_part(pane.detail)
        self.loader.show_one(memory_id)
        self.view.open_pane(True)

    def _open(self, memory_id: int) -> None:
        """Show a memory that may not be listed here: a near miss, or one that another is tied to."""
        if not self.view.pane.may_leave():
            return
        listed = self.model.row_of(memory_id) >= 0
        self.view.list.choose([memory_id] if listed else [])
        if not listed:
            self._show_one(memory_id)

    def _rest(self) -> None:
        """Nothing is chosen."""
        self.loader.show_one(None)
        pane = self.view.pane
        pane.show_part(pane.empty)
        self.view.open_pane(False)

    def _ids(self) -> list[int]:
        """What a verb is about: the chosen rows, or the one memory in the pane."""
        pane = self.view.pane
        if pane.shown is pane.detail and pane.detail.memory is not None:
            return [pane.detail.memory.id]
        return self.view.list.chosen_ids()

    def _do(self, verb: str) -> None:
        ids = self._ids()
        if not ids or self.view.pane.editing:
            return
        in_trash = self._state.place == "trash"
        if verb == "pin" and not in_trash:
            memory = self.model.known(ids[0])
            self.actions.switch(ids, "pinned", not (len(ids) == 1 and memory is not None and memory.pinned))
        elif verb == "unpin":
            self.actions.switch(ids, "pinned", False)
        elif verb == "archive":
            self.actions.set_status(ids, "archived")
        elif verb == "restore":
            self.actions.restore(ids)
        elif verb == "erase" or (verb == "trash" and in_trash):
            if EraseDialog(self._look, len(ids), self.view.window()).exec():
                self.actions.erase(ids)
        elif verb == "trash":
            self.actions.trash(ids)

    def edit(self) -> None:
        """Open the form for the memory in the pane."""
        pane = self.view.pane
        memory = pane.detail.memory
        if pane.shown is pane.detail and memory is not None and memory.status != "trashed":
            pane.editor.edit(memory)
            pane.show_part(pane.editor)
            pane.editor.content.setFocus()

    def _save_form(self) -> None:
        if self.view.pane.editing:
            self.view.pane.editor.save()

    def _save(self, values: dict[str, Any]) -> None:
        editor = self.view.pane.editor
        editor.set_busy(True)

        def failed(_: BaseException) -> None:
            editor.set_busy(False)

        if editor.memory_id is not None:
            self.actions.edit(editor.memory_id, values, then=lambda _: self._close_form(), failed=failed)
        else:
            given = {name: value for name, value in values.items() if value not in ("", None)}
            self.actions.add(Draft(**given), self._added, failed)

    def _added(self, memory: Memory) -> None:
        self._close_form()
        self._choose_next = memory.id
        self.loader.refresh()
        self._show_one(memory.id)

    def _close_form(self) -> None:
        pane = self.view.pane
        if pane.editing:
            if pane.editor.memory_id is not None:
                pane.show_part(pane.detail)
                self.loader.show_one(pane.editor.memory_id)
            else:
                pane.show_part(pane.empty)
        self.view.list.setFocus()

    def _leave_form(self) -> None:
        if self.view.pane.may_leave():
            new = self.view.pane.editor.memory_id is None
            self._close_form()
            if new:
                self._chosen()

    def _escape(self) -> None:
        if self.view.pane.editing:
            self._leave_form()
        elif self.view.narrow and self.view.pane.isVisible():
            self.view.open_pane(False)
        elif self._state.searching:
            self.view.search.clear_now()

    def _filter_by_tag(self, tag: str) -> None:
        self._show_state(self._state.changed(tags=(tag,)))
        self._turn_to_list()

    def _search_for(self, name: str) -> None:
        self._show_state(self._state.changed(text=name))
        self._turn_to_list()

    def _turn_to_list(self) -> None:
        """Where list and pane take turns, show what was asked for."""
        if self.view.narrow:
            self.view.open_pane(False)

    def _copy(self) -> None:
        memory = self.view.pane.detail.memory
        if memory is not None:
            QGuiApplication.clipboard().setText(memory.content)
            self.copied.emit()

    def _choose_waiting(self) -> None:
        waiting, self._choose_next = self._choose_next, None
        # Whoever is writing the next one already must not be asked whether to leave it.
        if waiting is not None and not self.view.pane.editing and self.model.row_of(waiting) >= 0:
            self.view.list.choose([waiting])
