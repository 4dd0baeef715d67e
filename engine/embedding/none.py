"""No vectors at all: recall by words only, by the user's choice. Must not do anything else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from engine.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from engine.embedding.embedder import Vector


class NoEmbedder:
    """An embedder that never has a vector. ``identity`` is ""."""

    identity = ""
    dimension = 0
    loaded = True

    def embed_passages(self, texts: Sequence[str]) -> Vector:
        """Errors: ``EmbedderUnavailable`` (reason "turned_off"), always."""
        self._refuse()

    def embed_query(self, text: str) -> Vector:
        """Errors: ``EmbedderUnavailable`` (reason "turned_off"), always."""
        self._refuse()

    def unload(self) -> None:
        """Nothing is held."""

    def close(self) -> None:
        """Nothing is held."""

    def _refuse(self) -> NoReturn:
        raise EmbedderUnavailable(reason="turned_off", identity="", retry_after=None)
