"""The verbs of the Memories page: each one write through the service, with its toast and its undo.

Must not show anything; ``Commands`` reports. Every act is signed as a person's at the window.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from engine import Service
from engine.types import Actor, Changes, Draft, Memory, Remembered
from gui.operations import Commands, Outcome, after, gather, sorted_out

ACTOR = Actor("gui", "window")
# The switches that a row can carry, and the sentence for turning them on and off.
SWITCHES = ("pinned", "protected", "resolved")

Then = Callable[[Outcome], None] | None
Failed = Callable[[BaseException], None] | None


def undo_one(service: Service) -> Callable[[int], Future[Sequence[int]]]:
    """How ``Commands`` takes one history row back."""
    return lambda history_id: after(service.undo(history_id, ACTOR), lambda changes: changes.history_ids)


class Actions:
    """Verbs over one service; ``commands`` runs and reports them."""

    def __init__(self, service: Service, commands: Commands) -> None:
        self._service = service
        self.commands = commands

    def switch(self, ids: Sequence[int], field: str, on: bool) -> None:
        """Turn ``pinned``, ``protected`` or ``resolved`` on or off."""
        self._edit_all(ids, {field: on}, f"toast.{field}.{'on' if on else 'off'}")

    def set_status(self, ids: Sequence[int], status: str) -> None:
        """Archive, or bring back to active."""
        self._edit_all(ids, {"status": status}, f"toast.status.{status}")

    def bring_back(self, memory_id: int) -> None:
        """What was replaced holds again; what replaced it stays."""
        self._edit_all([memory_id], {"status": "active"}, "toast.brought_back")

    def edit(self, memory_id: int, values: Mapping[str, Any], then: Then = None, failed: Failed = None) -> None:
        """Save the fields of the form."""
        self.commands.run(lambda: self._edit(memory_id, values), "toast.edited", then=then, failed=failed)

    def add(self, draft: Draft, then: Callable[[Memory], None], failed: Failed = None) -> None:
        """A new memory by hand. What it did to those that are there is said; one that is known is not undone."""
        stored: list[Memory] = []

        def kept(remembered: Remembered) -> Outcome:
            stored.append(remembered.memory)
            own = remembered.outcome in ("stored", "superseded")
            said = f"toast.added.{remembered.outcome}"
            return Outcome(remembered.changes.history_ids if own else (), 1, said=said)

        self.commands.run(
            lambda: after(self._service.memorize(draft, ACTOR), kept),
            "toast.added.stored",
            then=lambda _: then(stored[0]),
            failed=failed,
        )

    def trash(self, ids: Sequence[int]) -> None:
        """Into the trash."""
        self.commands.run(lambda: after(self._service.trash(ids, ACTOR), _outcome), "toast.trashed")

    def restore(self, ids: Sequence[int]) -> None:
        """Out of the trash."""
        self.commands.run(lambda: after(self._service.restore(ids, ACTOR), _outcome), "toast.restored")

    def erase(self, ids: Sequence[int]) -> None:
        """For good; there is no undo, the dialog before has said so."""
        count = len(ids)
        self.commands.run(lambda: after(self._service.erase(ids, ACTOR), lambda _: Outcome((), count)), "toast.erased")

    def _edit_all(self, ids: Sequence[int], values: Mapping[str, Any], said: str) -> None:
        def together(answers: list[Outcome | BaseException]) -> Outcome:
            good, bad = sorted_out(answers)
            history_ids = tuple(entry for outcome in good for entry in outcome.history_ids)
            return Outcome(history_ids, len(good), tuple(bad))

        self.commands.run(lambda: after(gather([self._edit(one, values) for one in ids]), together), said)

    def _edit(self, memory_id: int, values: Mapping[str, Any]) -> Future[Outcome]:
        edited = self._service.edit(memory_id, values, ACTOR)
        return after(edited, lambda done: Outcome(done.changes.history_ids))


def _outcome(changes: Changes) -> Outcome:
    return Outcome(changes.history_ids, max(1, len(changes.updated)))
