"""Choose the source of vectors that the settings ask for. Must not load a model or open a connection."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.embedding.local import LocalE5
from engine.embedding.none import NoEmbedder
from engine.embedding.remote import RemoteEmbedder

if TYPE_CHECKING:
    from engine.config import Settings
    from engine.embedding.embedder import Embedder

REMOTE_KEY = "embedding.remote_key"


def create(settings: Settings, models_dir: Path, secret: Callable[[str], str | None]) -> Embedder:
    """The embedder for the settings in force now; make a new one when ``embedding.*`` changes.

    ``models_dir`` is ``resources/models``. ``secret`` looks a key up by name; it is asked for
    ``REMOTE_KEY`` before each request, so a new key counts at once and none is kept in memory.
    """
    values = settings.current
    provider = values["embedding.provider"]
    if provider == "remote":
        return RemoteEmbedder(
            url=values["embedding.remote_url"],
            model=values["embedding.remote_model"],
            api_key=lambda: secret(REMOTE_KEY),
            dimension=values["embedding.remote_dimension"],
            timeout=values["embedding.remote_timeout"],
        )
    if provider == "none":
        return NoEmbedder()
    return LocalE5(models_dir, values["embedding.threads"])
