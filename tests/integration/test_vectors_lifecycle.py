"""The vector side over time: late, absent, damaged, replaced, and always equal to the rows in the end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import Service, Settings
from engine.types import Actor, Draft, Query, VectorStatus

WAIT = 20.0
CLIENT = Actor("client", "tester")
Opener = Callable[..., Service]


def ready(service: Service) -> VectorStatus:
    service.idle().result(WAIT)
    return service.status().result(WAIT).vectors


def remember(service: Service, *texts: str) -> None:
    for text in texts:
        service.memorize(Draft(text), CLIENT).result(WAIT)


def channels(service: Service, text: str) -> set[str]:
    answer = service.recall(Query(text, explain=True, reinforce=False)).result(WAIT)
    return {channel.name for hit in answer.hits for channel in hit.explanation.channels}  # type: ignore[union-attr]


def test_a_slow_embedder_never_holds_a_write(open_service: Opener, embedder: Any) -> None:
    settings = Settings()
    settings.set("memory.vector_wait_ms", 1)
    service = open_service(settings=settings)
    ready(service)
    embedder.gate.clear()
    done = service.memorize(Draft("the kettle is broken"), CLIENT).result(WAIT)
    assert done.vector_pending
    assert service.status().result(WAIT).journal_open == 1
    embedder.gate.set()
    status = ready(service)
    assert (status.state, status.stored) == ("ready", 1)
    assert service.status().result(WAIT).journal_open == 0
    assert channels(service, "kettle") == {"lexical", "vector"}


def test_an_embedder_that_is_away_is_said_and_filled_in_later(open_service: Opener, embedder: Any) -> None:
    service = open_service()
    ready(service)
    embedder.away = True
    remember(service, "the ladder is at the neighbours'")
    answer = service.recall(Query("ladder")).result(WAIT)
    assert answer.degraded == ("embedder_unavailable",)
    assert [hit.memory.content for hit in answer.hits] == ["the ladder is at the neighbours'"]
    embedder.away = False
    remember(service, "something to wake it")
    assert ready(service).stored == 2
    assert service.recall(Query("ladder")).result(WAIT).degraded == ()


def test_a_crash_between_commit_and_vector_is_made_good_on_start(open_service: Opener, embedder: Any) -> None:
    settings = Settings()
    settings.set("memory.vector_wait_ms", 0)
    service = open_service(settings=settings)
    ready(service)
    embedder.away = True
    remember(service, "one", "two", "three")
    service.close()
    embedder.away, embedder.loaded = False, True
    again = open_service()
    assert ready(again).stored == 3
    assert again.status().result(WAIT).journal_open == 0


@pytest.mark.parametrize("damage", ["gone", "empty", "garbage", "truncated", "flipped"])
def test_a_damaged_index_file_is_made_anew(open_service: Opener, data_dir: Path, embedder: Any, damage: str) -> None:
    service = open_service()
    ready(service)
    remember(service, *(f"shelf {at} holds book {at}" for at in range(40)))
    service.close()
    (path,) = data_dir.glob("vectors-*.usearch")
    content = bytearray(path.read_bytes())
    if damage == "gone":
        path.unlink()
    elif damage == "flipped":
        for at in range(len(content) // 2, len(content) // 2 + 64):
            content[at] ^= 0xFF
        path.write_bytes(content)
    else:
        path.write_bytes(
            {"empty": b"", "garbage": b"not an index" * 99, "truncated": bytes(content[: len(content) // 2])}[damage]
        )
    asked = len(embedder.asked)
    embedder.loaded = True
    again = open_service()
    assert ready(again).state == "ready"
    assert len(embedder.asked) == asked, "stored vectors must not be made again"
    answer = again.recall(Query("book 7", overrides={"recall.fusion": "vector"})).result(WAIT)
    assert answer.hits[0].memory.content == "shelf 7 holds book 7"


def test_another_model_never_meets_the_old_vectors(open_service: Opener, embedder: Any) -> None:
    service = open_service()
    ready(service)
    remember(service, "the piano is tuned", "the roof leaks")
    service.close()
    other = type(embedder)("test/bag/2", 32)
    again = open_service(other)
    status = ready(again)
    assert (status.identity, status.dimension, status.stored, status.state) == ("test/bag/2", 32, 2, "ready")
    assert channels(again, "piano") == {"lexical", "vector"}
    again.close()
    embedder.loaded = True
    back = open_service(embedder)
    assert (ready(back).identity, ready(back).stored) == ("test/bag/1", 2)


def test_switching_the_model_off_and_on_while_running(open_service: Opener, embedder: Any) -> None:
    service = open_service()
    ready(service)
    remember(service, "the violin has a new string")
    service.settings.set("embedding.provider", "none")
    assert ready(service).state == "unavailable"
    assert service.recall(Query("violin")).result(WAIT).degraded == ()
    assert channels(service, "violin") == {"lexical"}
    embedder.loaded = True
    service.settings.set("embedding.provider", "local")
    assert ready(service).stored == 1
    assert channels(service, "violin") == {"lexical", "vector"}


def test_reindex_makes_both_indexes_anew_and_can_be_cancelled(open_service: Opener) -> None:
    service = open_service()
    ready(service)
    remember(service, *(f"drawer {at}" for at in range(30)))
    seen: list[tuple[int, int]] = []
    result = service.reindex(lambda done, total: seen.append((done, total))).result(WAIT)
    assert result == {"lexical": 30, "graph": 30, "vectors": 30}
    assert seen[-1] == (90, 90) and [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert channels(service, "drawer 12") == {"lexical", "vector"}
    with pytest.raises(Exception) as caught:
        service.reindex(cancelled=lambda: True).result(WAIT)
    assert getattr(caught.value, "code", "") == "cancelled"


def test_a_long_memory_has_a_vector_for_each_passage_and_is_found_by_any(open_service: Opener) -> None:
    service = open_service()
    ready(service)
    turns = [f"Speaker{at % 2}: sentence number {at} mentions topic{at}" for at in range(12)]
    remember(service, "\n".join(turns), "something short about topic3 only")
    status = ready(service)
    assert status.stored == status.wanted > 2
    answer = service.recall(Query("topic11", overrides={"recall.fusion": "vector"})).result(WAIT)
    assert answer.hits[0].memory.content.startswith("Speaker0: sentence number 0")
