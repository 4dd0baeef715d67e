"""The Memories page follows what a night of forgetting did, and what recall woke, without being asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine import Service, Settings
from engine.clock import MovableClock
from engine.embedding import NoEmbedder
from engine.types import Actor, Draft, Memory, Query

Remember = Callable[..., Memory]
WEEK = timedelta(days=8)


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock(datetime(2026, 5, 1, 12, tzinfo=UTC))


@pytest.fixture
def service(data_dir: Path, settings: Settings, clock: MovableClock) -> Iterator[Service]:
    """One whose days pass when the test says so."""
    opened = Service.open(data_dir, settings, embedder_factory=lambda _: NoEmbedder(), clock=clock)
    opened.idle().result(10)
    yield opened
    opened.close()


def test_rows_pane_and_list_follow_a_night(page: Any, remember: Remember, clock: MovableClock) -> None:
    event = remember("和老李一起去爬山", layer="event", importance=0.3)
    fact = remember("Anna lives in Lisbon", layer="fact", importance=0.8)
    other = remember("Ben prefers black bread", layer="fact", importance=0.8)
    page.choose(fact)
    page.until(lambda: page.page.model.known(event.id) is not None)
    clock.advance(WEEK)
    page.service.idle().result(10)
    page.until(lambda: page.page.model.known(event.id).status == "dormant")
    page.until(lambda: page.pane.detail.memory.strength < 0.75)
    page.until(lambda: page.page.model.known(other.id).strength < 0.75)  # though no change names it
    page.view.wanted.emit(page.page.loader.state.changed(statuses=("active",)))
    page.lists(other, fact)
    # Woken by an assistant's recall, it is listed among the active ones again.
    page.service.recall(Query("老李 爬山")).result(10)
    page.lists(other, fact, event)
    clock.advance(WEEK)
    page.service.idle().result(10)
    page.lists(other, fact)
    # Told again, too.
    again = page.service.memorize(Draft("和老李一起去爬山"), Actor("client", "x")).result(10)
    assert again.outcome == "reinforced"
    page.lists(other, fact, event)
