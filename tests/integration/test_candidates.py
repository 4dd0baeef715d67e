"""Candidates through the real service: offered, listed, approved, dismissed, brought back, and gone in time (S4)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine import Service, Settings
from engine.clock import MovableClock
from engine.errors import Conflict, InvalidArgument, NotFound, Paused
from engine.types import Actor, Changes, Draft, Listing, Query

WAIT = 20.0
CLIENT = Actor("client", "assistant")
WINDOW = Actor("gui", "window")
Opener = Callable[..., Service]


@pytest.fixture
def service(open_service: Opener) -> Service:
    settings = Settings()
    settings.set("embedding.provider", "none")
    made = open_service(settings=settings)
    made.idle().result(WAIT)
    return made


def texts(service: Service, state: Any = "pending") -> list[str]:
    return [one.draft.content for one in service.candidates.list(state).result(WAIT).items]


def memories(service: Service) -> dict[int, str]:
    return {one.id: one.content for one in service.list(Listing(limit=200)).result(WAIT).memories}


def offered(service: Service, *contents: str, importance: float = 0.8, **more: Any) -> list[int]:
    drafts = [Draft(one, importance=importance, **more) for one in contents]
    return [one.id for one in service.candidates.offer(drafts, CLIENT, "s1").result(WAIT).pending]


@pytest.mark.parametrize(
    "words",
    [
        ("她对花生过敏", "下个月要换工作", "喜欢靠窗的座位", "今天有点累"),
        ("She is allergic to peanuts", "A new job is planned", "Window seats are preferred", "A bit tired today"),
    ],
)
def test_ten_is_saved_seven_to_nine_wait_and_less_is_dropped(service: Service, words: tuple[str, ...]) -> None:
    drafts = [Draft(text, importance=at / 10) for text, at in zip(words, (10, 7, 9, 6), strict=True)]
    done = service.candidates.offer(drafts, CLIENT, "s1").result(WAIT)
    assert [(one.outcome, one.memory.content) for one in done.saved] == [("stored", words[0])]
    assert [one.draft.content for one in done.pending] == [words[1], words[2]]
    assert [one.draft.content for one in done.dropped] == [words[3]]
    assert texts(service) == [words[2], words[1]]  # by importance, not as they came
    assert texts(service, "dropped") == [words[3]]
    assert texts(service, "approved") == [words[0]]
    assert memories(service) == {done.saved[0].memory.id: words[0]}
    for text in words[1:]:
        assert service.recall(Query(text)).result(WAIT).hits == ()


def test_the_thresholds_are_parameters(service: Service) -> None:
    service.settings.update({"review.save_from": 0.5, "review.ask_from": 0.2})
    done = service.candidates.offer([Draft(f"{at} of ten", importance=at / 10) for at in (5, 4, 2, 1)], CLIENT).result(
        WAIT
    )
    assert (len(done.saved), len(done.pending), len(done.dropped)) == (1, 2, 1)


@pytest.mark.parametrize(
    ("bad", "field", "reason"),
    [
        (Draft("x", importance=8.0), "candidates[1].importance", "out_of_range"),
        (Draft("  "), "candidates[1].content", "empty"),
        (Draft("x", event_time=datetime(2026, 5, 1)), "candidates[1].event_time", "not_a_moment"),
    ],
)
def test_a_bad_one_is_named_and_nothing_is_kept(service: Service, bad: Draft, field: str, reason: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        service.candidates.offer([Draft("good", importance=1.0), bad], CLIENT).result(WAIT)
    assert (refused.value.fields["field"], refused.value.fields["reason"]) == (field, reason)
    assert refused.value.fields["index"] == 1
    assert memories(service) == {} and texts(service) == texts(service, "dropped") == []


def test_a_retry_makes_no_second_one_and_says_so(service: Service) -> None:
    drafts = [
        Draft("喝茶不加糖", importance=1.0),
        Draft("喝咖啡加奶", importance=0.8),
        Draft("午饭吃面", importance=0.1),
    ]
    first = service.candidates.offer(drafts, CLIENT, "s1").result(WAIT)
    again = service.candidates.offer(drafts, CLIENT, "s1").result(WAIT)
    assert again.saved == again.pending == again.dropped == ()
    assert [one.state for one in again.known] == ["approved", "pending", "dropped"]
    assert again.known[0].memory_id == first.saved[0].memory.id
    assert service.get(first.saved[0].memory.id).result(WAIT).access_count == 0  # a retry is no second telling
    # The width of a letter is no difference, another session is.
    wide = service.candidates.offer([replace(drafts[1], content="喝咖啡 加奶")], CLIENT, "s1").result(WAIT)
    assert [one.id for one in wide.known] == [first.pending[0].id]
    other = service.candidates.offer(drafts[1:2], CLIENT, "s2").result(WAIT)
    assert len(other.pending) == 1 and texts(service) == ["喝咖啡加奶", "喝咖啡加奶"]


def test_twice_in_one_offer_is_once(service: Service) -> None:
    done = service.candidates.offer(
        [Draft("Plays the cello", importance=at) for at in (0.8, 0.7, 1.0, 1.0)], CLIENT
    ).result(WAIT)
    assert (len(done.saved), done.pending, done.dropped, done.known) == (1, (), (), ())
    assert list(memories(service).values()) == ["Plays the cello"] and texts(service) == []


def test_offered_again_as_more_important_it_moves_up(service: Service) -> None:
    def offer(importance: float) -> Any:
        return service.candidates.offer([Draft("会拉大提琴", importance=importance)], CLIENT, "s1").result(WAIT)

    one = offer(0.3).dropped[0].id
    assert [(up.id, up.state, up.importance) for up in offer(0.8).pending] == [(one, "pending", 0.8)]
    assert offer(0.3).known[0].state == "pending"  # never down
    service.candidates.dismiss([one], WINDOW).result(WAIT)
    assert offer(0.8).known[0].state == "dismissed"  # somebody's word holds
    assert offer(1.0).known[0].state == "dismissed"
    service.candidates.restore([one], WINDOW).result(WAIT)
    assert offer(1.0).saved[0].memory.content == "会拉大提琴"
    assert texts(service) == [] and texts(service, "approved") == ["会拉大提琴"]


def test_approved_it_is_a_memory_with_all_it_was_told_with(service: Service, clock: MovableClock) -> None:
    draft = Draft(
        "Climbs on Thursdays", importance=0.8, tags=("sport",), category="preference", source_client="claude",
        extra={"x": [1, {"y": None}]}, event_time=datetime(2026, 4, 2, tzinfo=UTC), residual={"location": "Arkose"},
    )  # fmt: skip
    one = service.candidates.offer([draft], CLIENT, "s1").result(WAIT).pending[0]
    told = clock.now()
    clock.advance(timedelta(days=2))
    (done,) = service.candidates.approve([one.id], WINDOW, {"tags": ["sport", "climbing"], "importance": 0.9}).result(
        WAIT
    )
    memory = done.memory
    assert (done.outcome, memory.tags, memory.importance) == ("stored", ("sport", "climbing"), 0.9)
    assert (memory.category, memory.source_client, memory.session_id) == ("preference", "claude", "s1")
    assert (memory.extra, memory.residual, memory.event_time) == (draft.extra, draft.residual, draft.event_time)
    assert (memory.created_at, memory.updated_at) == (told, clock.now())
    assert [one.id for one in service.candidates.list("approved").result(WAIT).items] == [one.id]
    assert service.history(memory.id).result(WAIT)[0].actor == WINDOW


def test_repeated_approval_is_the_same_memory(service: Service) -> None:
    one, two = offered(service, "第一件", "第二件")
    (first,) = service.candidates.approve([one], WINDOW).result(WAIT)
    both = service.candidates.approve([one, two, one], WINDOW).result(WAIT)
    assert [(done.outcome, done.memory.content) for done in both] == [("reinforced", "第一件"), ("stored", "第二件")]
    assert both[0].memory == first.memory  # and not reinforced: nobody told it again
    assert len(memories(service)) == 2


def test_one_that_is_known_reinforces_what_is_there(service: Service) -> None:
    known = service.memorize(Draft("猫叫豆豆"), CLIENT).result(WAIT).memory
    (one,) = offered(service, "猫叫豆豆", tags=("猫",))
    assert memories(service) == {known.id: "猫叫豆豆"}
    (done,) = service.candidates.approve([one], WINDOW).result(WAIT)
    assert (done.outcome, done.memory.id, done.memory.tags) == ("reinforced", known.id, ("猫",))
    assert done.memory.access_count == 1


@pytest.mark.parametrize("text", ["明天下午三点去看牙医", "The dentist is tomorrow at 3 pm"])
def test_tomorrow_counts_from_the_day_it_was_told(service: Service, clock: MovableClock, text: str) -> None:
    (one,) = offered(service, text)
    clock.advance(timedelta(days=3))
    (done,) = service.candidates.approve([one], WINDOW).result(WAIT)
    assert done.memory.event_time == datetime(2026, 5, 2, 15, tzinfo=UTC)
    (fact,) = service.graph.atoms(done.memory.id).result(WAIT)
    assert fact.event_time == done.memory.event_time


@pytest.mark.parametrize(
    ("old", "new"), [("小林住在北京", "小林现在住在上海"), ("Alice works at Acme", "Alice now works at Globex")]
)
def test_what_was_told_before_replaces_nothing_newer(service: Service, clock: MovableClock, old: str, new: str) -> None:
    first = service.memorize(Draft(old), CLIENT).result(WAIT).memory.id
    (one,) = offered(service, new)
    (replaced,) = service.candidates.approve([one], WINDOW).result(WAIT)
    assert (replaced.outcome, replaced.replaced) == ("superseded", (first,))
    (late,) = offered(service, old.replace("北京", "广州").replace("Acme", "Initech"))
    clock.advance(timedelta(days=1))
    latest = service.memorize(Draft(new.replace("上海", "成都").replace("Globex", "Umbrella")), CLIENT).result(WAIT)
    assert latest.outcome == "superseded"
    (done,) = service.candidates.approve([late], WINDOW).result(WAIT)
    assert (done.outcome, done.replaced) == ("stored", ())
    assert service.get(latest.memory.id).result(WAIT).status == "active"


def test_dismissed_and_brought_back(service: Service) -> None:
    one, two = offered(service, "one", "two")
    (three,) = [c.id for c in service.candidates.offer([Draft("three", importance=0.1)], CLIENT).result(WAIT).dropped]
    assert [c.state for c in service.candidates.dismiss([one, three], WINDOW).result(WAIT)] == ["dismissed", "dropped"]
    assert (texts(service), texts(service, "dismissed")) == (["two"], ["one"])
    with pytest.raises(Conflict):
        service.candidates.approve([two, one], WINDOW).result(WAIT)
    assert memories(service) == {}  # none, when one can not be
    assert [c.state for c in service.candidates.restore([one, three], WINDOW).result(WAIT)] == ["pending", "pending"]
    service.candidates.approve([one, two, three], WINDOW).result(WAIT)
    for verb in (service.candidates.dismiss, service.candidates.restore):
        with pytest.raises(Conflict) as refused:
            verb([three], WINDOW).result(WAIT)
        assert refused.value.fields == {"reason": "not_pending", "id": three}
        with pytest.raises(NotFound):
            verb([9_999], WINDOW).result(WAIT)


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"content": "both"}, "content", "one_at_a_time"),
        ({"status": "trashed"}, "status", "not_editable"),
        ({"importance": 9}, "importance", "out_of_range"),
        ({"created_at": datetime(2020, 1, 1, tzinfo=UTC)}, "created_at", "not_editable"),
    ],
)
def test_changes_that_can_not_be(service: Service, changes: dict[str, Any], field: str, reason: str) -> None:
    ids = offered(service, "one", "two")
    with pytest.raises(InvalidArgument) as refused:
        service.candidates.approve(ids, WINDOW, changes).result(WAIT)
    assert (refused.value.fields["field"], refused.value.fields["reason"]) == (field, reason)
    assert memories(service) == {}


def test_sensitive_ones_are_hidden_and_counted(service: Service) -> None:
    offered(service, "秘密", sensitivity="high")
    offered(service, "平常", "普通", sensitivity="medium", importance=0.7)
    page = service.candidates.list(limit=1).result(WAIT)
    assert ([one.draft.content for one in page.items], page.total, page.hidden) == (["普通"], 2, 1)
    shown = service.candidates.list(include_sensitive=True).result(WAIT)
    assert ([one.draft.content for one in shown.items], shown.hidden) == (["秘密", "普通", "平常"], 0)
    service.settings.set("privacy.hide_sensitive", False)
    assert service.candidates.list().result(WAIT).total == 3
    for bad in ({"state": "x"}, {"limit": 0}, {"limit": True}):
        with pytest.raises(InvalidArgument):
            service.candidates.list(**bad).result(WAIT)  # type: ignore[arg-type]


def test_views_hear_of_each_change(service: Service) -> None:
    heard: list[Changes] = []
    service.subscribe(heard.append)
    one, two = offered(service, "one", "two")
    service.candidates.approve([one], WINDOW).result(WAIT)
    service.candidates.dismiss([two], WINDOW).result(WAIT)
    service.candidates.restore([two], WINDOW).result(WAIT)
    service.close()
    told = [(one.action, one.actor) for one in heard if one.action.startswith("candidates")]
    assert told == [
        ("candidates_offered", CLIENT), ("candidates_approved", WINDOW), ("candidates_dismissed", WINDOW),
        ("candidates_restored", WINDOW),
    ]  # fmt: skip
    assert all(not (one.created or one.updated) for one in heard if one.action.startswith("candidates"))


def test_while_remembering_is_paused_clients_wait_and_people_do_not(service: Service) -> None:
    (one,) = offered(service, "one")
    service.settings.set("memory.paused", True)
    calls: list[Callable[[], Future[Any]]] = [
        lambda: service.candidates.offer([Draft("x", importance=1.0)], CLIENT),
        lambda: service.candidates.approve([one], CLIENT),
        lambda: service.candidates.dismiss([one], CLIENT),
    ]
    for call in calls:
        with pytest.raises(Paused):
            call().result(WAIT)
    assert texts(service) == ["one"] and memories(service) == {}
    service.candidates.approve([one], WINDOW).result(WAIT)


def test_after_seven_days_what_was_decided_is_gone_and_what_waits_is_not(service: Service, clock: MovableClock) -> None:
    heard: list[Changes] = []
    service.subscribe(heard.append)
    waits, dismissed, approved = offered(service, "waits", "dismissed", "approved")
    service.candidates.offer([Draft("dropped", importance=0.2)], CLIENT).result(WAIT)
    service.candidates.approve([approved], WINDOW).result(WAIT)
    clock.advance(timedelta(days=3))
    service.candidates.dismiss([dismissed], WINDOW).result(WAIT)

    def states(days: float) -> list[list[str]]:
        clock.advance(timedelta(days=days))
        service.idle().result(WAIT)
        return [texts(service, state) for state in ("pending", "dropped", "dismissed", "approved")]

    assert states(4) == [["waits"], ["dropped"], ["dismissed"], ["approved"]]  # seven whole days
    assert states(1) == [["waits"], [], ["dismissed"], []]
    assert states(2) == [["waits"], [], ["dismissed"], []]
    assert states(1) == [["waits"], [], [], []]
    assert list(memories(service).values()) == ["approved"]
    assert [one.action for one in heard].count("candidates_cleared") == 2
    assert waits


def test_a_clock_that_jumps_takes_nothing_away(service: Service, clock: MovableClock) -> None:
    service.candidates.offer([Draft("dropped", importance=0.2)], CLIENT).result(WAIT)
    clock.advance(timedelta(days=4_000))
    service.idle().result(WAIT)
    clock.advance(-timedelta(days=3_999))
    service.idle().result(WAIT)
    assert texts(service, "dropped") == ["dropped"]


def test_what_is_erased_is_no_candidate_either(service: Service, data_dir: Path) -> None:
    text = "the passphrase is xyzzy-plugh"
    (one,) = offered(service, text)
    service.candidates.offer([Draft(text, importance=0.2)], CLIENT, "s2").result(WAIT)
    (done,) = service.candidates.approve([one], WINDOW).result(WAIT)
    service.erase([done.memory.id], WINDOW).result(WAIT)
    for state in ("pending", "dropped", "approved", "dismissed"):
        assert texts(service, state) == []
    service.close()
    assert not [path for path in data_dir.rglob("*") if path.is_file() and b"xyzzy" in path.read_bytes()]


@pytest.mark.parametrize("mode", ["mask", "mark"])
def test_a_secret_that_is_offered_is_kept_as_a_memory_would_keep_it(
    service: Service, data_dir: Path, mode: str
) -> None:
    service.settings.set("privacy.secrets", mode)
    key = "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO2oPvrp"[:36]
    (one,) = offered(service, f"the token is {key}")
    if mode == "mark":
        assert service.candidates.list().result(WAIT).hidden == 1
    (done,) = service.candidates.approve([one], WINDOW).result(WAIT)
    assert (key in done.memory.content, done.memory.sensitivity) == (
        (mode == "mark"),
        "high" if mode == "mark" else "normal",
    )
    service.close()
    kept = [path for path in data_dir.rglob("*") if path.is_file() and key.encode() in path.read_bytes()]
    assert bool(kept) is (mode == "mark")
