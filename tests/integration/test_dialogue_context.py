"""Turns in the context of the turn before them: found by both, never by what may not be seen, and made up for later."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from engine import Service, Settings
from engine.storage import settings as stored_settings
from engine.types import Actor, Draft, Filters, Query

WAIT = 20.0
WINDOW = Actor("gui", "window")
Opener = Callable[..., Service]
ZH = ("小林：你的生日礼物是自行车还是相机", "小王：后面那个，我高兴坏了")
EN = ("Anna: was the birthday present a bicycle or a camera", "Ben: the second one, I jumped for joy")


def told(service: Service, *texts: str, **more: Any) -> list[int]:
    ids = [
        service.memorize(Draft(text, conversation_id="c", session_id="s", **more), WINDOW).result(WAIT).memory.id
        for text in texts
    ]
    service.idle().result(WAIT)
    return ids


def cosine(service: Service, memory_id: int, text: str, **filters: Any) -> float | None:
    query = Query(
        text, k=20, budget=None, explain=True, reinforce=False, filters=Filters(scope="c", **filters),
        overrides={"recall.fusion": "vector"},
    )  # fmt: skip
    for hit in service.recall(query).result(WAIT).hits:
        if hit.memory.id == memory_id:
            assert hit.explanation is not None
            return next((one.raw for one in hit.explanation.channels if one.name == "vector"), None)
    return None


@pytest.mark.parametrize(("turns", "question"), [(ZH, "生日礼物 自行车 相机"), (EN, "birthday present bicycle camera")])
def test_an_answer_is_near_to_what_it_answers(
    service: Service, embedder: Any, turns: tuple[str, str], question: str
) -> None:
    _, answer = told(service, *turns)
    alone, both = (embedder.embed_query(text) for text in (turns[1], "\n".join(turns)))
    asked = embedder.embed_query(question)
    found = cosine(service, answer, question)
    assert found == pytest.approx(float((alone @ asked + both @ asked) / 2), abs=1e-3)
    assert found > float(alone @ asked) + 0.05


@pytest.mark.parametrize("turns", [ZH, EN])
@pytest.mark.parametrize("how", ["secret", "pending", "earlier", "replaced"])
def test_what_may_not_be_seen_is_not_heard_in_the_turn_after_it(
    service: Service, embedder: Any, clock: Any, turns: tuple[str, str], how: str
) -> None:
    (before,) = told(service, turns[0])
    clock.move_to(datetime(2026, 5, 3, 12, tzinfo=UTC))
    (answer,) = told(service, turns[1])
    asked = turns[0]
    alone = float(embedder.embed_query(turns[1]) @ embedder.embed_query(asked))
    assert (cosine(service, answer, asked) or 0.0) > alone + 0.05
    filters: dict[str, Any] = {}
    if how == "secret":
        service.edit(before, {"sensitivity": "high"}, WINDOW).result(WAIT)
    elif how == "pending":
        service.edit(before, {"status": "pending"}, WINDOW).result(WAIT)
    elif how == "replaced":
        service.edit(before, {"status": "superseded"}, WINDOW).result(WAIT)
    else:
        filters = {"since": datetime(2026, 5, 2, tzinfo=UTC)}
    assert cosine(service, answer, asked, **filters) == pytest.approx(alone, abs=1e-3)


def test_the_reply_speaks_of_the_own_vector_and_the_background_makes_the_other(
    open_service: Opener, embedder: Any
) -> None:
    settings = Settings()
    settings.set("memory.vector_wait_ms", 5_000)
    service = open_service(settings=settings)
    service.idle().result(WAIT)
    made, embed = threading.Event(), embedder.embed_passages

    def watched(texts: Sequence[str]) -> np.ndarray:
        if "\n".join(EN) in texts:
            made.set()
        return embed(texts)

    embedder.embed_passages = watched
    drafts = [Draft(text, conversation_id="c") for text in EN]
    done = [service.memorize(draft, WINDOW).result(WAIT) for draft in drafts]
    assert [one.vector_pending for one in done] == [False, False]
    assert made.wait(WAIT)  # by itself: nobody asked whether it is idle
    service.idle().result(WAIT)
    status = service.status().result(WAIT)
    assert (status.vectors.stored, status.vectors.wanted, status.journal_open) == (3, 3, 0)


def test_a_turn_is_no_more_like_a_text_for_the_turn_before_it(service: Service) -> None:
    """Surprise, duplicates and clusters look at what a memory says itself."""
    told(service, EN[0], EN[1])
    service.erase([told(service, "Cleo: well then")[0]], WINDOW).result(WAIT)
    done = service.memorize(Draft("\n".join(EN)), WINDOW).result(WAIT).memory
    assert done.surprise is not None and done.surprise > 0.05


def test_an_older_store_is_given_its_contexts_once(open_service: Opener, embedder: Any) -> None:
    service = open_service()
    service.idle().result(WAIT)
    told(service, *EN, *ZH)
    with service._database.transaction() as cx:
        cx.execute("DELETE FROM passages WHERE previous_id IS NOT NULL")
        stored_settings.put(cx, "passages.contexts", "")
    service.close()
    embedder.loaded = True
    again = open_service()
    again.idle().result(WAIT)
    status = again.status().result(WAIT)
    assert (status.vectors.stored, status.vectors.wanted, status.journal_open) == (7, 7, 0)
    with again._database.reader() as cx:
        assert cx.execute("SELECT count(*) FROM passages WHERE previous_id IS NOT NULL").get == 3
        assert stored_settings.get(cx, "passages.contexts") == "1"


@pytest.mark.parametrize("names", [("小林", "小王"), ("Anna", "Ben")])
def test_a_conversation_asks_by_what_was_said_last_as_well(
    service: Service, embedder: Any, names: tuple[str, str]
) -> None:
    (memory,) = told(service, "the harbour ferry leaves at nine")
    one, two = names
    question = f"{one}: rain again today\n{two}: take the umbrella\n{one}: and the harbour ferry\n{two}: it leaves when"
    last = "\n".join(question.splitlines()[-2:])
    vector = embedder.embed_query(question) + embedder.embed_query(last)
    own = embedder.embed_query("the harbour ferry leaves at nine")
    expected = float(own @ vector) / float((vector @ vector) ** 0.5)
    assert cosine(service, memory, question) == pytest.approx(expected, abs=1e-3)
