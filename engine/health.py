"""The state of a store in numbers: counts, indexes, what is owed and what is wrong. Reads only."""

from __future__ import annotations

from pathlib import Path

from engine.index import lexical
from engine.index.space import VectorSpace
from engine.storage import journal, memories, migrations, vectors
from engine.storage.database import Connection
from engine.types import StoreStatus, VectorStatus


def status(
    cx: Connection, data: Path, space: VectorSpace | None, *, embeds: bool, lexical_ready: bool, database_bytes: int,
    paused: bool,
) -> StoreStatus:  # fmt: skip
    """Counts and health. ``embeds``: whether vectors are wanted; ``lexical_ready``: whether all words are indexed."""
    identity = space.identity_id if space else None
    stored = sum(vectors.count(cx, identity, one) for one in vectors.FAMILIES) if identity is not None else 0
    wanted = sum(vectors.wanted(cx, identity, one) for one in vectors.FAMILIES)
    open_rows, failed = journal.counts(cx)
    found = (
        ("journal_failed", bool(failed)),
        ("embedder_unavailable", embeds and space is None),
        ("lexical_rebuilding", not lexical_ready),
    )
    return StoreStatus(
        data_directory=str(data),
        schema=migrations.LATEST,
        counts=memories.count_by_status(cx),
        by_layer=memories.count_by_layer(cx),
        lexical_rows=lexical.count(cx),
        vectors=_vectors(space, stored, wanted),
        journal_open=open_rows,
        journal_failed=failed,
        database_bytes=database_bytes,
        paused=paused,
        trouble=tuple(name for name, is_so in found if is_so),
    )


def _vectors(space: VectorSpace | None, stored: int, wanted: int) -> VectorStatus:
    if space is None:
        return VectorStatus("", 0, "unavailable", 0, wanted, False)
    state = "ready" if space.ready and stored >= wanted else "filling"
    embedder = space.embedder
    return VectorStatus(embedder.identity, embedder.dimension, state, stored, wanted, embedder.loaded)  # type: ignore[arg-type]
