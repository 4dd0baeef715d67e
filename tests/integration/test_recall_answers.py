"""Answers and changes at their edges: stale caches, undo of undo, odd filters, erasing without room."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine import Service
from engine.clock import MovableClock
from engine.config import Settings
from engine.errors import Conflict, DiskFull, InvalidArgument, Paused
from engine.types import Actor, Changes, Draft, Filters, Listing, Query

WAIT = 20.0
CLIENT, WINDOW = Actor("client", "tester"), Actor("gui", "window")


def remember(service: Service, content: str, **more: Any) -> int:
    return service.memorize(Draft(content, **more), CLIENT).result(WAIT).memory.id


def test_a_changed_parameter_is_not_answered_from_before(service: Service) -> None:
    remember(service, "tea in the morning")
    question = Query("tea", explain=True, reinforce=False)
    before = service.recall(question).result(WAIT)
    service.settings.set("recall.weight_importance", 0.5)
    after = service.recall(question).result(WAIT)
    assert not after.cached and after.hits[0].score != before.hits[0].score


def test_a_memory_that_wakes_is_there_for_the_next_question(service: Service, clock: MovableClock) -> None:
    memory_id = remember(service, "the boat is called Gull")
    service.edit(memory_id, {"status": "dormant"}, WINDOW).result(WAIT)
    awake = Query("boat", filters=Filters(statuses=("active",)), reinforce=False)
    assert service.recall(awake).result(WAIT).hits == ()
    service.recall(Query("boat")).result(WAIT)
    service.idle().result(WAIT)
    assert len(service.recall(awake).result(WAIT).hits) == 1


def test_undo_of_the_latest_after_redo_takes_back_that_change_and_no_older_one(service: Service) -> None:
    memory_id = remember(service, "first", tags=("a",))
    service.edit(memory_id, {"tags": ("b",)}, WINDOW).result(WAIT)
    service.edit(memory_id, {"title": "t"}, WINDOW).result(WAIT)
    undone = service.undo_latest(memory_id, WINDOW).result(WAIT)
    service.undo(undone.history_ids[0], WINDOW).result(WAIT)  # redo
    assert service.get(memory_id).result(WAIT).title == "t"
    service.undo_latest(memory_id, WINDOW).result(WAIT)
    memory = service.get(memory_id).result(WAIT)
    assert (memory.title, memory.tags) == ("", ("b",))


def test_any_number_of_changes_can_be_taken_back(service: Service) -> None:
    memory_id = remember(
        service, "the first text", extra={"k": (1, {"ü": None})}, event_time=datetime(2020, 2, 2, tzinfo=UTC)
    )
    first = service.get(memory_id).result(WAIT)
    for number in range(30):
        values = {
            "content": f"text {number}",
            "extra": {"n": [number]},
            "event_time": datetime(2021, 1, 1 + number, tzinfo=UTC),
        }
        service.edit(memory_id, values, WINDOW).result(WAIT)
    for _ in range(30):
        service.undo_latest(memory_id, WINDOW).result(WAIT)
    back = service.get(memory_id).result(WAIT)
    assert (back.content, back.summary, back.extra, back.event_time) == (
        first.content, first.summary, first.extra, first.event_time,
    )  # fmt: skip
    service.undo_latest(memory_id, WINDOW).result(WAIT)  # the creation
    assert service.get(memory_id).result(WAIT).status == "trashed"
    with pytest.raises(Conflict):
        service.undo_latest(memory_id, WINDOW).result(WAIT)


def test_undo_of_a_creation_in_the_trash_changes_nothing_and_says_so(service: Service) -> None:
    done = service.memorize(Draft("soon gone"), CLIENT).result(WAIT)
    service.trash([done.memory.id], CLIENT).result(WAIT)
    with pytest.raises(Conflict) as caught:
        service.undo(done.changes.history_ids[0], WINDOW).result(WAIT)
    assert caught.value.fields["reason"] == "nothing_to_undo"


def test_extra_is_what_json_makes_of_it_and_not_the_callers_any_more(service: Service) -> None:
    extra: dict[str, Any] = {"list": [1], "pair": (1, 2)}
    memory_id = remember(service, "with more", extra=extra)
    assert service.get(memory_id).result(WAIT).extra == {"list": [1], "pair": [1, 2]}
    service.edit(memory_id, {"extra": {"pair": (1, 2), "list": [1]}}, CLIENT).result(WAIT)
    assert len(service.history(memory_id).result(WAIT)) == 1, "nothing was different"


def test_an_empty_conversation_is_none(service: Service) -> None:
    memory_id = remember(service, "for everybody", conversation_id="c")
    service.edit(memory_id, {"conversation_id": ""}, CLIENT).result(WAIT)
    assert service.get(memory_id).result(WAIT).conversation_id is None
    assert [hit.memory.id for hit in service.recall(Query("everybody")).result(WAIT).hits] == [memory_id]


def test_told_again_more_secretly_is_secret_and_gaps_are_filled(service: Service) -> None:
    memory_id = remember(service, "the diagnosis is gout", sensitivity="high")
    again = service.memorize(Draft("the diagnosis is gout", title="Health"), CLIENT).result(WAIT).memory
    assert (again.id, again.sensitivity, again.title) == (memory_id, "high", "Health")
    other = remember(service, "the pin is 4711")
    told = service.memorize(Draft("the pin is 4711", sensitivity="high"), CLIENT).result(WAIT)
    assert (told.memory.id, told.outcome, told.memory.sensitivity) == (other, "reinforced", "high")
    assert service.recall(Query("pin")).result(WAIT).hits == ()


def test_pause_keeps_clients_from_restoring(service: Service) -> None:
    memory_id = remember(service, "in the trash")
    service.trash([memory_id], WINDOW).result(WAIT)
    service.settings.set("memory.paused", True)
    with pytest.raises(Paused):
        service.restore([memory_id], CLIENT).result(WAIT)
    service.restore([memory_id], WINDOW).result(WAIT)


@pytest.mark.parametrize(
    "filters",
    [
        Filters(scope="\ud800"),
        Filters(persona_id="\udfff"),
        Filters(tags=("\ud800",)),
        Filters(clients=("a", "\ud800")),
        Filters(since=datetime(2026, 1, 1)),
        Filters(until=datetime.max.replace(tzinfo=UTC)),
        Filters(tags=["a"]),  # type: ignore[arg-type]
    ],
)
def test_filters_that_mean_nothing_are_named(service: Service, filters: Filters) -> None:
    for attempt in (
        lambda: service.recall(Query("x", filters=filters)),
        lambda: service.list(Listing(filters)),
        lambda: service.ids(filters, "newest"),
        lambda: service.count(filters),
    ):
        with pytest.raises(InvalidArgument):
            attempt().result(WAIT)


@pytest.mark.parametrize("query", [{"k": 2**70}, {"k": 1.5}, {"k": True}, {"budget": 0}, {"budget": "9"}])
def test_bounds_of_a_question(service: Service, query: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        service.recall(Query("x", **query)).result(WAIT)


@pytest.mark.parametrize("listing", [{"limit": 0}, {"limit": -1}, {"limit": 2**63}, {"sort": "luck"}])
def test_bounds_of_a_list(service: Service, listing: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        service.list(Listing(**listing)).result(WAIT)


def test_a_pasted_book_is_a_question_and_is_not_kept(service: Service) -> None:
    remember(service, "the lighthouse keeper")
    text = "lighthouse " + "filler words without end " * 200_000
    answer = service.recall(Query(text, reinforce=False)).result(WAIT)
    assert len(answer.hits) == 1
    assert all(len(str(key)) < 50_000 for key in service._engine._cache._answers)


def test_erase_without_room_to_rewrite_the_file(service: Service, monkeypatch: Any, data_dir: Any) -> None:
    memory_id = remember(service, "Xylophonquark is secret")
    question = Query("Xylophonquark", reinforce=False)
    assert len(service.recall(question).result(WAIT).hits) == 1
    heard: list[Changes] = []
    told = threading.Event()

    def listen(changes: Changes) -> None:
        heard.append(changes)
        told.set()

    service.subscribe(listen)

    def full() -> None:
        raise DiskFull(path="x")

    with monkeypatch.context() as patched:
        patched.setattr(service._database, "shred", full)
        with pytest.raises(DiskFull):
            service.erase([memory_id], WINDOW).result(WAIT)
        assert told.wait(WAIT) and heard[0].removed == (memory_id,)
        assert service.recall(question).result(WAIT).hits == (), "not from the cache either"
    service.idle().result(WAIT)  # the background does what was left
    service.close()
    for path in data_dir.rglob("*"):
        if path.is_file():
            assert b"ylophonquark" not in path.read_bytes().lower(), path.name


def test_erasing_twice_in_one_call_is_once(service: Service) -> None:
    memory_id = remember(service, "named twice")
    assert service.erase([memory_id, memory_id], WINDOW).result(WAIT).removed == (memory_id,)
    assert [one.action for one in service.history(memory_id).result(WAIT)] == ["erased", "created"]


def test_the_clock_may_jump(service: Service, clock: MovableClock) -> None:
    remember(service, "before the jump")
    clock.advance(timedelta(days=-4000))
    remember(service, "after the jump back")
    clock.advance(timedelta(days=20_000))
    answer = service.recall(Query("jump")).result(WAIT)
    assert len(answer.hits) == 2 and all(0.0 <= hit.score <= 1.0 for hit in answer.hits)


def test_an_answer_says_when_a_memory_has_no_meaning_yet(
    open_service: Any, embedder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stored faster than its vector can be made: until it follows, only its words are looked at."""
    settings = Settings()
    settings.set("memory.vector_wait_ms", 0)
    service = open_service(settings=settings)
    service.idle().result(WAIT)
    monkeypatch.setattr(embedder, "embed_query", embedder._vector)  # questions need not wait at the gate
    embedder.gate.clear()
    remember(service, "The spare key lies under the third pot")
    assert service.recall(Query("spare key")).result(WAIT).degraded == ("vectors_incomplete",)
    embedder.gate.set()
    service.idle().result(WAIT)
    assert service.recall(Query("spare key")).result(WAIT).degraded == ()
