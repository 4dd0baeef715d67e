"""The turn beside a hit: found through its neighbour's words, within its own conversation only."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine import Service, Settings
from engine.clock import MovableClock
from engine.embedding import NoEmbedder
from engine.types import Actor, Draft, Filters, Query

WAIT = 20.0
CLIENT = Actor("client", "tester")


@pytest.fixture
def service(data_dir: Path) -> Iterator[Service]:
    clock = MovableClock(datetime(2026, 5, 1, 12, tzinfo=UTC))
    made = Service.open(data_dir, Settings(), embedder_factory=lambda _: NoEmbedder(), clock=clock)
    yield made
    made.close()


def tell(service: Service, conversation: str, *turns: str) -> None:
    for turn in turns:
        service.memorize(Draft(turn, conversation_id=conversation), CLIENT).result(WAIT)


def found(service: Service, text: str, scope: str) -> list[str]:
    answer = service.recall(Query(text, filters=Filters(scope=scope), reinforce=False)).result(WAIT)
    return [hit.memory.content for hit in answer.hits]


def test_an_answer_is_found_beside_its_question(service: Service) -> None:
    tell(service, "a", "Ann: nice weather", "Ann: where did you grow up?", "Ben: in Lisbon", "Ann: lovely")
    hits = found(service, "where somebody grew up, grow", "a")
    assert hits[0] == "Ann: where did you grow up?" and "Ben: in Lisbon" in hits


def test_neighbours_of_other_conversations_and_from_the_trash_stay_out(service: Service) -> None:
    tell(service, "a", "first words", "the zebra crossing", "last words")
    tell(service, "b", "something else")
    service.memorize(Draft("user-wide and unrelated"), CLIENT).result(WAIT)
    assert set(found(service, "zebra", "a")) == {"the zebra crossing", "first words", "last words"}
    assert found(service, "zebra", "b") == []
    gone = service.recall(Query("first words", filters=Filters(scope="a"), k=1)).result(WAIT).hits[0].memory.id
    service.trash([gone], CLIENT).result(WAIT)
    assert set(found(service, "zebra", "a")) == {"the zebra crossing", "last words"}
