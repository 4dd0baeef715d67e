"""What every source of vectors looks like from outside. Holds the protocol and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Texts to vectors. Safe to call from several threads at once.

    Vectors of two embedders may be compared only when their ``identity`` is the same.
    """

    @property
    def identity(self) -> str:
        """Model, form and revision in one text; "" while there is none or it is not known yet."""

    @property
    def dimension(self) -> int:
        """Numbers in a vector; 0 while not known."""

    @property
    def loaded(self) -> bool:
        """Whether a call can start at once, without loading anything."""

    def embed_passages(self, texts: Sequence[str]) -> Vector:
        """float32 [texts, dimension], unit length, finite; for what is stored. Errors: ``EmbedderUnavailable``."""

    def embed_query(self, text: str) -> Vector:
        """float32 [dimension], unit length, finite; for a question. Errors: ``EmbedderUnavailable``."""

    def unload(self) -> None:
        """Give the memory back; the next call loads again. Calls in flight finish."""

    def close(self) -> None:
        """Give everything back for good; later calls fail with ``EmbedderUnavailable`` (reason "closed")."""
