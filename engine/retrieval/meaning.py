"""What a question means: its vector, waited for no longer than anybody likes to wait. For areas that compare vectors
of their own (topics); recall embeds while it looks up the words (``document.py``). Must not look anything up.
"""

from __future__ import annotations

from concurrent.futures import Executor

from engine.access import Asked
from engine.errors import EmbedderUnavailable
from engine.index.space import VectorSpace
from engine.retrieval.document import PATIENCE_SECONDS


def meaning_of(text: str, space: VectorSpace | None, wanted: bool, executor: Executor) -> Asked:
    """The vector of ``text``, made on ``executor``, or what is missing. ``wanted``: whether there are to be any."""
    if space is None:
        return Asked(degraded=("embedder_unavailable",) if wanted else ())
    waiting = executor.submit(space.embed_query, text)
    try:
        vector = waiting.result(PATIENCE_SECONDS)
    except (EmbedderUnavailable, TimeoutError):
        waiting.cancel()
        return Asked(degraded=("embedder_unavailable",))
    degraded = () if space.ready and space.complete else ("vectors_incomplete",)
    return Asked(space.identity_id, vector, degraded, space)
