"""Clusters to consolidate (S1's memory_consolidate): found day by day, offered, and never acted on by themselves."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import astuple
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from engine import Service, Settings
from engine.clock import MovableClock
from engine.embedding import LocalE5, NoEmbedder
from engine.errors import Conflict, InvalidArgument, NotFound, Protected
from engine.types import Actor, Draft, Reviewed, ReviewItem

WAIT = 30.0
CLIENT, GUI = Actor("client", "tester"), Actor("gui")
ROOT = Path(__file__).resolve().parents[2]
SETS = sorted((ROOT / "tests" / "data" / "clusters").glob("*.jsonl"))
Opener = Callable[..., Service]
BEES = (
    "The user keeps two beehives behind the shed.",
    "One of the beehives lost its queen; the beehives are near the shed.",
    "Beehives behind the shed: varroa treatment in August.",
)
# The same matter in Chinese, as each rule has to hold there as well.
KITCHEN = ("厨房装修三月开始，先敲厨房瓷砖。", "厨房装修的橱柜要橡木，瓷砖要灰色。", "厨房装修报价八万，含瓷砖和水电。")


@pytest.fixture
def words(open_service: Opener) -> Service:
    """A service without vectors, in which nothing fades: whatever changes, consolidation has changed."""
    return open_service(settings=still({"embedding.provider": "none"}))


def still(more: dict[str, str]) -> Settings:
    settings = Settings()
    for key, value in (
        {"forgetting.enabled": "false", "memory.merge": "false", "memory.supersede": "false"} | more
    ).items():
        settings.set(key, value)
    return settings


def remember(service: Service, *texts: str, **more: Any) -> list[int]:
    return [service.memorize(Draft(text, **more), CLIENT).result(WAIT).memory.id for text in texts]


def days(service: Service, clock: MovableClock, count: int = 8) -> None:
    """Let so many days go by, with the upkeep of the last."""
    clock.advance(timedelta(days=count))
    service.idle().result(WAIT)


def clusters(service: Service) -> list[ReviewItem]:
    return list(service.review.list(["cluster"]).result(WAIT).items)


def told(items: list[ReviewItem]) -> list[list[int]]:
    return [sorted(memory.id for memory in item.memories) for item in items]


def rows(service: Service) -> dict[int, tuple[Any, ...]]:
    return {key: astuple(memory) for key, memory in service.get_many(range(1, 40)).result(WAIT).items()}


@pytest.mark.parametrize("texts", [BEES, KITCHEN])
def test_memories_on_one_matter_are_offered_after_a_week(
    words: Service, clock: MovableClock, texts: tuple[str, ...]
) -> None:
    ids = remember(words, *texts, "Anna plays the cello.", "用户的姐姐在敦煌拍照。")
    days(words, clock, 6)
    assert clusters(words) == [], "younger than S1's seven days"
    before = rows(words)
    days(words, clock, 2)
    (item,) = clusters(words)
    assert sorted(memory.id for memory in item.memories) == ids[:3]
    assert [memory.id for memory in item.memories] == sorted(ids[:3], reverse=True), "the newest first"
    assert set(item.detail["words"]) & {"beehives", "Beehives", "装修", "厨房"}
    assert item.id.startswith("cluster:") and item.actions == ("approve", "dismiss")
    assert rows(words) == before, "nothing is done alone"


def test_two_are_no_cluster_and_what_people_keep_is_left_out(words: Service, clock: MovableClock) -> None:
    one, two, three = remember(words, *BEES)
    words.edit(one, {"pinned": True}, GUI).result(WAIT)
    days(words, clock)
    assert clusters(words) == []
    words.edit(one, {"pinned": False}, GUI).result(WAIT)
    assert clusters(words) == [], "it was not even looked at"
    days(words, clock, 1)
    assert told(clusters(words)) == [[one, two, three]]
    words.trash([two], GUI).result(WAIT)
    assert clusters(words) == []
    words.restore([two], GUI).result(WAIT)
    assert len(clusters(words)) == 1


def test_scopes_do_not_mix(words: Service, clock: MovableClock) -> None:
    first = remember(words, *BEES[:2], conversation_id="a") + remember(words, BEES[2], conversation_id="b")
    remember(words, "Behind the shed the beehives are in the shade, in August too.")
    days(words, clock)
    assert clusters(words) == []
    more = remember(words, "In August the beehives behind the shed swarmed.", conversation_id="a")
    days(words, clock)
    assert told(clusters(words)) == [[*first[:2], *more]]


def test_a_no_holds_over_restart_and_for_variations(open_service: Opener, words: Service, clock: MovableClock) -> None:
    remember(words, *BEES)
    days(words, clock)
    (item,) = clusters(words)
    assert words.review.dismiss(item.id, CLIENT).result(WAIT).outcome == "dismissed"
    assert words.review.dismiss(item.id, CLIENT).result(WAIT).outcome == "dismissed"
    words.close()
    again = open_service(settings=words.settings)
    remember(again, "The shed and the beehives got new paint in August.")
    days(again, clock)
    assert clusters(again) == [], "one more memory is the same group"
    remember(again, "Beehives behind the shed: a bear came in August.")
    days(again, clock)
    (item,) = clusters(again)
    assert len(item.memories) == 5


def test_a_no_can_be_taken_back(words: Service, clock: MovableClock) -> None:
    remember(words, *BEES)
    days(words, clock)
    (item,) = clusters(words)
    words.review.dismiss(item.id, CLIENT).result(WAIT)
    words.review.restore(item.id, CLIENT).result(WAIT)
    assert clusters(words) == [item]


def approve(service: Service, item: ReviewItem, text: str = "Two beehives stand behind the shed; varroa in August.",
            **more: Any) -> Reviewed:  # fmt: skip
    return service.review.approve(item.id, CLIENT, text, **more).result(WAIT)


def test_a_yes_stores_one_text_with_its_sources_and_leaves_them_alone(words: Service, clock: MovableClock) -> None:
    ids = remember(words, *BEES[:2], importance=0.3, tags=("bees",))
    ids += remember(words, BEES[2], importance=0.8, sensitivity="medium", tags=("bees", "health"))
    days(words, clock)
    before = rows(words)
    (item,) = clusters(words)
    done = approve(words, item, changes={"title": "Bees"})
    (memory,) = done.memories
    assert (done.outcome, memory.category, memory.title) == ("consolidated", "consolidated", "Bees")
    assert sorted(memory.sources) == sorted(memory.related) == ids
    assert (memory.importance, memory.sensitivity, memory.tags) == (0.8, "medium", ("bees",))
    assert {key: value for key, value in rows(words).items() if key in before} == before
    assert clusters(words) == []
    with pytest.raises(Conflict):
        approve(words, item)
    words.review.restore(item.id, CLIENT).result(WAIT)
    assert words.get(memory.id).result(WAIT).status == "trashed"
    assert [one.id for one in clusters(words)] == [item.id]
    days(words, clock, 9)
    assert len(clusters(words)) == 1, "what was consolidated is no source again"


def test_archiving_is_on_demand_and_comes_back(words: Service, clock: MovableClock) -> None:
    ids = remember(words, *BEES)
    days(words, clock)
    (item,) = clusters(words)
    done = approve(words, item, archive=True)
    assert {words.get(one).result(WAIT).status for one in ids} == {"archived"}
    assert len(done.history_ids) == 4
    words.undo(words.history(ids[0]).result(WAIT)[0].id, GUI).result(WAIT)  # one by hand
    words.review.restore(item.id, CLIENT).result(WAIT)
    assert {words.get(one).result(WAIT).status for one in ids} == {"active"}
    assert told(clusters(words)) == [ids]


def test_a_yes_needs_a_text_of_its_own(words: Service, clock: MovableClock) -> None:
    remember(words, *BEES)
    days(words, clock)
    (item,) = clusters(words)
    before = rows(words)
    for text, field in ((None, "text"), ("  ", "text"), (BEES[0], "text")):
        with pytest.raises(InvalidArgument) as caught:
            words.review.approve(item.id, CLIENT, text).result(WAIT)
        assert caught.value.fields["field"] == field
    with pytest.raises(InvalidArgument):
        approve(words, item, changes={"sources": (1,)})
    for bad in ("cluster:99", "cluster:x", "cluster:", "nothing:1", "cluster:²"):
        with pytest.raises(NotFound):
            words.review.dismiss(bad, CLIENT).result(WAIT)
    assert rows(words) == before and len(clusters(words)) == 1


def test_a_source_that_is_protected_meanwhile_is_not_archived(words: Service, clock: MovableClock) -> None:
    ids = remember(words, *BEES, "The beehives stand behind the shed since August.")
    days(words, clock)
    (item,) = clusters(words)
    words.edit(ids[0], {"protected": True}, GUI).result(WAIT)
    approve(words, item, archive=True)
    assert words.get(ids[0]).result(WAIT).status == "active"
    with pytest.raises((Protected, Conflict)):
        words.edit(ids[0], {"title": "x"}, CLIENT).result(WAIT)


def test_sensitive_ones_are_counted_not_shown(words: Service, clock: MovableClock) -> None:
    remember(words, *BEES[:2])
    remember(words, BEES[2], sensitivity="high")
    days(words, clock)
    page = words.review.list().result(WAIT)
    assert (page.items, page.total["cluster"], page.hidden) == ((), 0, 1)
    assert len(words.review.list(include_sensitive=True).result(WAIT).items) == 1


def test_an_erase_takes_the_suggestion_with_it(words: Service, clock: MovableClock, data_dir: Path) -> None:
    ids = remember(words, *BEES)
    days(words, clock)
    (item,) = clusters(words)
    words.erase(ids[:1], GUI).result(WAIT)
    assert clusters(words) == []
    words.erase(ids[1:], GUI).result(WAIT)
    with pytest.raises(NotFound):
        words.review.restore(item.id, CLIENT).result(WAIT)
    words.close()
    assert not any(b"varroa" in path.read_bytes() for path in data_dir.iterdir() if path.is_file())


def test_at_most_five_a_day_and_none_when_switched_off(words: Service, clock: MovableClock) -> None:
    things = ("beehive", "dinghy", "telescope", "marathon", "cello", "orchid", "sauna")
    for thing in things:
        remember(words, f"The {thing} {thing}s stand at {thing}ford.", f"{thing}ford has the {thing}, too.",
                 f"Of the {thing} at {thing}ford nobody knows.")  # fmt: skip
    words.settings.set("review.consolidate", "false")
    days(words, clock)
    assert clusters(words) == []
    words.settings.set("review.consolidate", "true")
    days(words, clock, 1)
    assert len(clusters(words)) == 5
    words.idle().result(WAIT)
    assert len(clusters(words)) == 5, "once a day"
    days(words, clock, 1)
    assert len(clusters(words)) == 7


@pytest.mark.parametrize(("vectors", "precision", "recall"), [(True, 0.93, 0.65), (False, 0.9, 0.35)])
def test_groups_found_among_look_alikes(
    open_service: Opener, clock: MovableClock, vectors: bool, precision: float, recall: float
) -> None:
    """Pairs over 188 labelled texts, zh and en, all in one store; day after day, five a day."""
    labelled = [json.loads(line) | {"set": path.stem} for path in SETS for line in path.read_text("utf-8").splitlines()]
    assert len(labelled) >= 120
    settings = still({"memory.vector_wait_ms": "0"})
    service = open_service(LocalE5(ROOT / "resources" / "models") if vectors else NoEmbedder(), settings)
    asked = [service.memorize(Draft(one["text"]), CLIENT) for one in labelled]
    ids = [one.result(WAIT).memory.id for one in asked]
    group = {key: one["group"] and (one["set"], one["group"]) for key, one in zip(ids, labelled, strict=True)}
    service.idle().result(WAIT)
    before = service.get_many(ids).result(WAIT)
    clock.advance(timedelta(days=7))
    for _ in range(7):
        days(service, clock, 1)
    after = service.get_many(ids).result(WAIT)
    assert after == before, "nothing is done alone"
    items = list(service.review.list(["cluster"], limit=100).result(WAIT).items)
    found = {pair for one in told(items) for pair in itertools.combinations(one, 2)}
    pairs = itertools.combinations(sorted(ids), 2)
    true = {pair for pair in pairs if group[pair[0]] and group[pair[0]] == group[pair[1]]}
    assert len(found & true) / len(found) >= precision
    assert len(found & true) / len(true) >= recall
