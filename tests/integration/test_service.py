"""The service on a real store: every verb, what it promises, and what it leaves behind."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from datetime import timedelta
from typing import Any

import pytest

from engine import Service
from engine.clock import MovableClock
from engine.errors import Closed, Conflict, InvalidArgument, NotFound, Paused, Protected, StoreLocked
from engine.types import Actor, Changes, Draft, Filters, Listing, Query

WAIT = 20.0
CLIENT, WINDOW = Actor("client", "tester"), Actor("gui", "window")


def remember(service: Service, content: str, **more: Any) -> int:
    return service.memorize(Draft(content, **more), CLIENT).result(WAIT).memory.id


def found(service: Service, text: str, **more: Any) -> list[str]:
    return [hit.memory.content for hit in service.recall(Query(text, **more)).result(WAIT).hits]


def test_what_is_remembered_is_recalled_by_words_and_by_meaning(service: Service) -> None:
    remember(service, "我的猫叫豆豆，三岁")
    remember(service, "The router password is on the fridge")
    answer = service.recall(Query("猫叫什么", explain=True)).result(WAIT)
    assert answer.hits[0].memory.content == "我的猫叫豆豆，三岁"
    assert answer.degraded == ()
    why = answer.hits[0].explanation
    assert why is not None
    assert {channel.name for channel in why.channels} == {"lexical", "vector"}
    parts = sum(one.share for one in why.channels) + sum(one.value for one in why.factors)
    assert parts == pytest.approx(answer.hits[0].score)
    assert "猫" in why.matched_terms


def test_the_same_text_twice_is_one_memory_and_nothing_new_in_it_is_lost(service: Service) -> None:
    first = service.memorize(Draft("Anna likes tea", tags=("a",), importance=0.4), CLIENT).result(WAIT)
    again = Draft("ANNA  likes tea", tags=("b",), importance=0.9, external_ids=("x",), extra={"k": 1})
    second = service.memorize(again, CLIENT).result(WAIT)
    assert (first.outcome, second.outcome) == ("stored", "reinforced")
    assert second.memory.id == first.memory.id
    assert second.memory.tags == ("a", "b")
    assert second.memory.importance == 0.9
    assert second.memory.external_ids == ("x",)
    assert second.memory.extra == {"k": 1}
    assert second.memory.access_count == 1
    assert service.count(Filters()).result(WAIT) == 1


def test_the_same_text_in_another_scope_is_another_memory(service: Service) -> None:
    one = remember(service, "hello there", conversation_id="a")
    assert remember(service, "hello there", conversation_id="b") != one
    assert found(service, "hello", filters=Filters(scope="a")) == ["hello there"]
    assert found(service, "hello") == []
    assert len(found(service, "hello", filters=Filters(scope="all"))) == 2


def test_an_edit_moves_the_words_and_the_meaning(service: Service) -> None:
    memory_id = remember(service, "the green bicycle stands in the cellar")
    done = service.edit(memory_id, {"content": "a yellow canoe lies at the lake", "title": ""}, CLIENT).result(WAIT)
    assert done.memory.id == memory_id and done.memory.summary == "a yellow canoe lies at the lake"
    assert done.fields == ("content",) and len(done.changes.history_ids) == 1
    again = service.edit(memory_id, {"title": ""}, CLIENT).result(WAIT)
    assert (again.fields, again.changes.history_ids) == ((), ())
    service.idle().result(WAIT)
    assert found(service, "yellow canoe") == ["a yellow canoe lies at the lake"]
    for fusion in ("lexical", "convex"):
        hits = (
            service.recall(Query("green bicycle", explain=True, overrides={"recall.fusion": fusion})).result(WAIT).hits
        )
        assert all(channel.name != "lexical" for hit in hits for channel in hit.explanation.channels)  # type: ignore[union-attr]
    status = service.status().result(WAIT)
    assert (status.vectors.stored, status.vectors.wanted, status.lexical_rows, status.journal_open) == (1, 1, 1, 0)


def test_trash_restore_and_undo(service: Service) -> None:
    memory_id = remember(service, "the spare key is under the stone")
    service.trash([memory_id], CLIENT).result(WAIT)
    assert found(service, "spare key") == []
    service.restore([memory_id], CLIENT).result(WAIT)
    assert found(service, "spare key") == ["the spare key is under the stone"]
    changes = service.trash([memory_id], WINDOW).result(WAIT)
    back = service.undo(changes.history_ids[0], WINDOW).result(WAIT)
    assert service.get(memory_id).result(WAIT).status == "active"
    service.undo(back.history_ids[0], WINDOW).result(WAIT)  # redo
    assert service.get(memory_id).result(WAIT).status == "trashed"
    with pytest.raises(Conflict) as caught:
        service.undo(back.history_ids[0], WINDOW).result(WAIT)
    assert caught.value.fields["reason"] == "already_undone"
    # Done again, the change is in force again, and can be taken back again.
    service.undo(changes.history_ids[0], WINDOW).result(WAIT)
    assert service.get(memory_id).result(WAIT).status == "active"


def test_undo_of_an_edit_and_what_stands_in_its_way(service: Service) -> None:
    memory_id = remember(service, "lunch at noon", tags=("x",))
    service.edit(memory_id, {"content": "lunch at one", "tags": ("y",)}, CLIENT).result(WAIT)
    entry = service.history(memory_id).result(WAIT)[0]
    assert entry.action == "edited" and entry.actor == CLIENT
    service.edit(memory_id, {"tags": ("z",)}, CLIENT).result(WAIT)
    with pytest.raises(Conflict) as caught:
        service.undo(entry.id, WINDOW).result(WAIT)
    assert caught.value.fields["reason"] == "changed_since"
    service.undo_latest(memory_id, WINDOW).result(WAIT)
    service.undo(entry.id, WINDOW).result(WAIT)
    memory = service.get(memory_id).result(WAIT)
    assert (memory.content, memory.tags, memory.summary) == ("lunch at noon", ("x",), "lunch at noon")
    service.idle().result(WAIT)
    assert found(service, "noon") == ["lunch at noon"]


def test_undo_of_a_creation_is_the_trash(service: Service) -> None:
    done = service.memorize(Draft("a slip of the tongue"), CLIENT).result(WAIT)
    service.undo(done.changes.history_ids[0], WINDOW).result(WAIT)
    assert service.get(done.memory.id).result(WAIT).status == "trashed"


def test_erase_leaves_no_byte(service: Service, data_dir: Any) -> None:
    memory_id = remember(service, "Zanzibarquokka is the password", tags=("Zanzibarquokka",))
    service.edit(memory_id, {"title": "about Zanzibarquokka"}, CLIENT).result(WAIT)
    keep = remember(service, "something else")
    changes = service.erase([memory_id], CLIENT).result(WAIT)
    assert changes.removed == (memory_id,)
    with pytest.raises(NotFound):
        service.get(memory_id).result(WAIT)
    assert service.history(memory_id).result(WAIT)[0].action == "erased"
    assert service.get(keep).result(WAIT).content == "something else"
    service.close()
    for path in data_dir.rglob("*"):
        if path.is_file():
            assert b"anzibarquokka" not in path.read_bytes().lower(), path.name


def test_protected_memories_are_for_people_only(service: Service) -> None:
    memory_id = remember(service, "my blood group is A")
    service.edit(memory_id, {"protected": True}, WINDOW).result(WAIT)
    for attempt in (
        lambda: service.edit(memory_id, {"content": "B"}, CLIENT),
        lambda: service.trash([memory_id], CLIENT),
        lambda: service.erase([memory_id], CLIENT),
    ):
        with pytest.raises(Protected):
            attempt().result(WAIT)
    again = service.memorize(Draft("my blood group is A", tags=("new",)), CLIENT).result(WAIT)
    assert again.outcome == "reinforced" and again.memory.tags == ()
    assert service.edit(memory_id, {"content": "my blood group is 0"}, WINDOW).result(WAIT).fields


def test_pause_stops_clients_and_not_people(service: Service) -> None:
    memory_id = remember(service, "before the pause")
    service.settings.set("memory.paused", True)
    for attempt in (
        lambda: service.memorize(Draft("x"), CLIENT),
        lambda: service.edit(memory_id, {"title": "x"}, CLIENT),
        lambda: service.trash([memory_id], CLIENT),
    ):
        with pytest.raises(Paused):
            attempt().result(WAIT)
    assert found(service, "pause") == ["before the pause"]
    assert service.memorize(Draft("by hand"), WINDOW).result(WAIT).outcome == "stored"


def test_bad_input_is_named_and_changes_nothing(service: Service) -> None:
    with pytest.raises(InvalidArgument):
        service.memorize(Draft("  "), CLIENT).result(WAIT)
    with pytest.raises(InvalidArgument):
        service.edit(1, {"id": 5}, CLIENT).result(WAIT)
    with pytest.raises(NotFound):
        service.edit(99, {"title": "x"}, CLIENT).result(WAIT)
    with pytest.raises(InvalidArgument):
        service.recall(Query("x", k=0)).result(WAIT)
    with pytest.raises(InvalidArgument):
        service.recall(Query("x", overrides={"recall.nothing": 1})).result(WAIT)
    one = remember(service, "there")
    with pytest.raises(NotFound):
        service.trash([one, 99], CLIENT).result(WAIT)
    assert service.get(one).result(WAIT).status == "active"
    assert service.status().result(WAIT).counts == {"active": 1}


@pytest.mark.parametrize("text", ["", "   ", '"', "AND", "*", "a OR", "NEAR(", "的", "\ud800", "🙂", "-", "don't"])
def test_any_text_is_a_question(service: Service, text: str) -> None:
    kept = remember(service, "I don't like 的 at all 🙂")
    answer = service.recall(Query(text)).result(WAIT)
    assert answer.degraded == ()
    assert {hit.memory.id for hit in answer.hits} <= {kept}


def test_the_cache_answers_until_something_changes(service: Service) -> None:
    remember(service, "the ferry leaves at nine")
    first = service.recall(Query("ferry", reinforce=False)).result(WAIT)
    assert not first.cached
    assert service.recall(Query("ferry", reinforce=False)).result(WAIT).cached
    remember(service, "the ferry is called Aurora")
    after = service.recall(Query("ferry", reinforce=False)).result(WAIT)
    assert not after.cached and len(after.hits) == 2


def test_recall_reinforces_afterwards_and_wakes_the_sleeping(service: Service, clock: MovableClock) -> None:
    memory_id = remember(service, "the summer house has a blue door")
    service.edit(memory_id, {"status": "dormant"}, WINDOW).result(WAIT)
    clock.advance(timedelta(days=40))
    assert found(service, "blue door", reinforce=False) == ["the summer house has a blue door"]
    service.idle().result(WAIT)
    assert service.get(memory_id).result(WAIT).recall_count == 0
    found(service, "blue door?")
    service.idle().result(WAIT)
    memory = service.get(memory_id).result(WAIT)
    assert (memory.recall_count, memory.status, memory.last_accessed_at) == (1, "active", clock.now())


def test_sensitive_memories_show_only_when_asked_for(service: Service) -> None:
    remember(service, "the diagnosis is migraine", sensitivity="high")
    hidden = service.recall(Query("diagnosis", near_misses=3)).result(WAIT)
    assert hidden.hits == () and hidden.hidden == 1
    assert hidden.near_misses == ()
    assert found(service, "diagnosis", include_sensitive=True) == ["the diagnosis is migraine"]


def test_the_budget_is_hard_and_ids_stay(service: Service) -> None:
    for number in range(25):
        remember(service, f"memory {number} about the garden " + "and the roses " * (6000 if number == 3 else 6))
    answer = service.recall(Query("garden", k=25, budget=500)).result(WAIT)
    assert answer.tokens <= 500
    assert len(answer.hits) + answer.omitted == 25
    assert all(hit.memory.id for hit in answer.hits) and "cut" in {hit.form for hit in answer.hits}


def test_changes_reach_listeners_in_order_after_the_commit(service: Service) -> None:
    heard: list[Changes] = []
    done = threading.Event()

    def listen(changes: Changes) -> None:
        heard.append(changes)
        if changes.action == "trashed":
            done.set()

    leave = service.subscribe(listen)
    memory_id = remember(service, "told to the windows")
    service.trash([memory_id], WINDOW).result(WAIT)
    assert done.wait(WAIT)
    leave()
    assert [one.action for one in heard] == ["memorized", "trashed"]
    assert heard[0].created == (memory_id,) and heard[1].updated == (memory_id,)
    assert heard[0].epoch < heard[1].epoch


def test_parallel_writers_and_readers_get_exact_counts(service: Service) -> None:
    def work(number: int) -> list[Future[Any]]:
        writes: list[Future[Any]] = []
        for at in range(25):
            writes.append(service.memorize(Draft(f"worker {number} item {at}"), CLIENT))
            writes.append(service.recall(Query(f"item {at}")))
        return writes

    collected: list[list[Future[Any]]] = []
    threads = [threading.Thread(target=lambda n=n: collected.append(work(n))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
    for futures in collected:
        for future in futures:
            future.result(WAIT)
    service.idle().result(WAIT)
    status = service.status().result(WAIT)
    assert status.counts == {"active": 200}
    assert (status.lexical_rows, status.vectors.stored, status.journal_open) == (200, 200, 0)


def test_a_second_owner_is_refused_until_the_first_has_gone(open_service: Callable[..., Service]) -> None:
    first = open_service()
    with pytest.raises(StoreLocked):
        open_service()
    first.close()
    open_service()


def test_closed_means_closed_and_accepted_work_is_done(open_service: Callable[..., Service]) -> None:
    service = open_service()
    waiting = [service.memorize(Draft(f"last words {at}"), CLIENT) for at in range(20)]
    service.close()
    assert [one.result(WAIT).outcome for one in waiting] == ["stored"] * 20
    with pytest.raises(Closed):
        service.recall(Query("x"))
    assert open_service().count(Filters()).result(WAIT) == 20


def test_lists_pages_and_facets(service: Service) -> None:
    for number in range(7):
        remember(service, f"note {number}", tags=("even" if number % 2 == 0 else "odd", "all"))
    page = service.list(Listing(Filters(tags=("EVEN", "all")), limit=3)).result(WAIT)
    assert page.total == 4 and len(page.memories) == 3
    rest = service.list(Listing(Filters(tags=("even",)), limit=3, cursor=page.next_cursor)).result(WAIT)
    assert [memory.content for memory in (*page.memories, *rest.memories)] == ["note 6", "note 4", "note 2", "note 0"]
    assert rest.next_cursor is None
    assert service.facets().result(WAIT)["tags"]["even"] == 4
