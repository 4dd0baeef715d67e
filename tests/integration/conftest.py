"""A real service on a real store, with an embedder that can be watched, stopped and made to fail."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import Service, Settings
from engine.clock import MovableClock
from engine.embedding import NoEmbedder
from engine.errors import EmbedderUnavailable
from engine.text import terms

WAIT = 20.0


class BagEmbedder:
    """Texts that share terms are near. Small, deterministic, and obedient: it can be away, or wait for a gate."""

    def __init__(self, identity: str = "test/bag/1", dimension: int = 64) -> None:
        self.identity = identity
        self.dimension = dimension
        self.loaded = True
        self.away = False
        self.gate = threading.Event()
        self.gate.set()
        self.asked: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        if not self.gate.wait(WAIT):
            raise AssertionError("the gate stayed shut")
        if self.away:
            raise EmbedderUnavailable(reason="away", identity=self.identity, retry_after=0.05)
        self.asked.extend(texts)
        return np.stack([self._vector(text) for text in texts])

    def embed_query(self, text: str) -> np.ndarray:
        return self.embed_passages([text])[0]

    def unload(self) -> None:
        self.loaded = False

    def close(self) -> None:
        self.loaded = False

    def _vector(self, text: str) -> np.ndarray:
        vector = np.full(self.dimension, 0.05, dtype=np.float32)
        for term in terms.bag(text):
            vector[sum(term.encode()) % self.dimension] += 1.0
        return vector / np.linalg.norm(vector)


Opener = Callable[..., Service]


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock(datetime(2026, 5, 1, 12, tzinfo=UTC))


@pytest.fixture
def embedder() -> BagEmbedder:
    return BagEmbedder()


@pytest.fixture
def open_service(data_dir: Path, clock: MovableClock, embedder: BagEmbedder) -> Iterator[Opener]:
    """Opens services on the test's directory; whatever is still open is closed at the end."""
    opened: list[Service] = []

    def opener(made: Any = embedder, settings: Settings | None = None, **more: Any) -> Service:
        def factory(values: Settings) -> Any:
            return NoEmbedder() if values["embedding.provider"] == "none" else made

        service = Service.open(data_dir, settings or Settings(), embedder_factory=factory, clock=clock, **more)
        opened.append(service)
        return service

    yield opener
    for service in opened:
        service.close()


@pytest.fixture
def service(open_service: Opener) -> Service:
    """A service whose vector space is ready."""
    made = open_service()
    made.idle().result(WAIT)
    return made
