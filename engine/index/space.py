"""The vector space in force: an embedder, the identity its vectors are stored under, and their two indexes.

Swapped as one when the model changes, so that vectors of two models never meet. Notes when the model was last
used, so that an idle one can leave memory. Must not write to the database.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.embedding import Embedder
from engine.index.vector import VectorIndex
from engine.storage.vectors import FACTS, PASSAGES, Family
from engine.text.normalise import content_key

_FILES: Final = {PASSAGES.name: "vectors", FACTS.name: "facts"}


class VectorSpace:
    """``index``: the passages of memories; ``facts``: the entries of facts.

    Use ``ready`` before trusting an index: False while one is still being filled from the database. ``complete``:
    whether every memory and fact has had its vectors made in this space, but for those just written.
    """

    def __init__(self, embedder: Embedder, identity_id: int, index: VectorIndex, facts: VectorIndex) -> None:
        self.embedder = embedder
        self.identity_id = identity_id
        self.index = index
        self.facts = facts
        self.ready = False
        self.complete = False
        self._used = time.monotonic()

    def index_of(self, family: Family) -> VectorIndex:
        """The index of this family's vectors."""
        return self.index if family is PASSAGES else self.facts

    @property
    def idle_seconds(self) -> float:
        """Since the model last made a vector."""
        return time.monotonic() - self._used

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Unit vector [dim]. Errors: ``EmbedderUnavailable``."""
        self._used = time.monotonic()
        return self.embedder.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors [n, dim]. Errors: ``EmbedderUnavailable``."""
        self._used = time.monotonic()
        return self.embedder.embed_passages(texts)


def index_path(directory: Path, identity: str, family: Family = PASSAGES) -> Path:
    """The index file of an identity: one a model and family, named so that any identity gives a valid file name."""
    return directory / f"{_FILES[family.name]}-{content_key(identity)[:16]}.usearch"
