"""The verbs of the user model as futures: ``Service.user_model``. Each only chooses where it runs."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future

from engine.access import Access
from engine.surfacing import user_model
from engine.types import Actor, Sensitivity, TraitChange, UserTraits


class UserModel:
    """Over what the service lends. Errors: ``Paused``, ``Closed``, storage errors, and those that are named.

    Changes are announced as "trait_updated", "trait_renamed", "traits_merged" and "traits_forgotten"; each can be
    taken back with ``Service.undo``.
    """

    def __init__(self, access: Access) -> None:
        self._access = access

    def top(self, limit: int = 10, include_sensitive: bool = False) -> Future[UserTraits]:
        """The traits by weight, then by how new their evidence is (S1's user_model_top)."""
        values = self._access.settings.current
        return self._access.read(lambda cx: user_model.top(cx, limit, include_sensitive, values))

    def update(
        self, trait: str, evidence: str, actor: Actor, memory_id: int | None = None, sensitivity: Sensitivity = "normal"
    ) -> Future[TraitChange]:
        """One more piece of evidence for a trait, known or new (S1's user_model_update); the same counts once.

        ``memory_id``: the memory that says it; once that is erased, the evidence is gone. Errors: ``InvalidArgument``,
        ``NotFound`` (the memory).
        """
        values = self._access.settings.current
        return self._access.write(
            actor, lambda cx, context: user_model.update(cx, context, trait, evidence, memory_id, sensitivity, values)
        )

    def rename(self, trait_id: int, name: str, actor: Actor) -> Future[TraitChange]:
        """Show a trait under another name. Errors: ``NotFound``, ``InvalidArgument``."""
        values = self._access.settings.current
        return self._access.write(actor, lambda cx, context: user_model.rename(cx, context, trait_id, name, values))

    def merge(self, ids: Sequence[int], into: int, actor: Actor) -> Future[TraitChange]:
        """They are one trait. Errors: ``NotFound``, ``InvalidArgument``."""
        return self._access.write(actor, lambda cx, context: user_model.merge(cx, context, tuple(ids), into))

    def forget(self, ids: Sequence[int], actor: Actor) -> Future[TraitChange]:
        """Away with these traits and their evidence. Errors: ``NotFound``, ``InvalidArgument``."""
        return self._access.write(actor, lambda cx, context: user_model.forget(cx, context, tuple(ids)))
