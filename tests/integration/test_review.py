"""Look-alikes judged again once their vector is there, flagged facts, and the one list of what waits."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from engine import Service, Settings
from engine.clock import MovableClock
from engine.errors import Conflict, InvalidArgument, NotFound, Paused
from engine.storage import atoms
from engine.types import Actor, Changes, Draft, ReviewItem

WAIT = 30.0
CLIENT, GUI = Actor("client", "tester"), Actor("gui")
Opener = Callable[..., Service]
# By words alone the addition is too long to be sure of; with the meaning it is one matter.
SAME = (
    ("The user's bike is stored in the cellar.",
     "The user's bike is stored in the cellar behind the wine shelf, under a blanket."),
    ("用户的自行车放在地下室。", "用户的自行车放在地下室酒架后面，盖着毯子。"),
)  # fmt: skip
UPDATE = (
    ("The user lives in Ghent.", "The user lives in Bruges now."),
    ("用户住在苏州。", "用户现在住在杭州。"),
)


@pytest.fixture
def alike(embedder: Any) -> Any:
    """An embedder to which all texts mean nearly the same, so that only the words tell them apart."""

    def vector(self: Any, text: str) -> np.ndarray:
        made = np.ones(self.dimension, dtype=np.float32)
        made[sum(text.encode()) % self.dimension] += 1.0
        return made / np.linalg.norm(made)

    return type("Alike", (type(embedder),), {"_vector": vector})()


@pytest.fixture
def late(open_service: Opener, alike: Any) -> Service:
    """A service in which no write waits for its vector."""
    settings = Settings()
    settings.set("memory.vector_wait_ms", "0")
    made = open_service(alike, settings)
    made.idle().result(WAIT)
    return made


def remember(service: Service, *texts: str, **more: Any) -> list[int]:
    return [service.memorize(Draft(text, **more), CLIENT).result(WAIT).memory.id for text in texts]


def waiting(service: Service, *kinds: str) -> list[ReviewItem]:
    service.idle().result(WAIT)
    return list(service.review.list(kinds or None).result(WAIT).items)


def state(service: Service, *ids: int) -> list[tuple[Any, ...]]:
    """All that a merge or a replacement could change."""
    return [
        (one.content, one.summary, one.status, one.valid_from, one.valid_to, one.superseded_by, one.tags)
        for one in service.get_many(ids).result(WAIT).values()
    ]


@pytest.mark.parametrize("texts", SAME)
def test_what_the_words_left_open_is_judged_again_with_the_vector(late: Service, texts: tuple[str, str]) -> None:
    heard: list[Changes] = []
    late.subscribe(heard.append)
    (old,) = remember(late, texts[0], tags=("home",))
    (new,) = remember(late, texts[1], tags=("bike",))
    assert old != new, "words alone did not merge them"
    before = state(late, old, new)
    (item,) = waiting(late)
    assert (item.id, item.kind) == (f"lookalike:{old}-{new}", "lookalike")
    assert item.detail == {"verdict": "same", "old": old, "new": new}
    assert [memory.id for memory in item.memories] == [new, old]
    assert state(late, old, new) == before, "nothing is done alone"
    late._notifier.submit(int).result(WAIT)
    assert "suggested" in [one.action for one in heard]


@pytest.mark.parametrize("texts", SAME)
def test_a_yes_merges_as_the_write_would_have_and_can_be_taken_back(late: Service, texts: tuple[str, str]) -> None:
    (old,) = remember(late, texts[0], tags=("home",))
    (new,) = remember(late, texts[1], tags=("bike",))
    (item,) = waiting(late)
    before = state(late, old, new)
    done = late.review.approve(item.id, CLIENT).result(WAIT)
    merged, gone = (late.get(one).result(WAIT) for one in (old, new))
    assert done.outcome == "merged" and len(done.history_ids) == 2
    assert (merged.content, merged.tags, gone.status) == (texts[1], ("home", "bike"), "trashed")
    assert waiting(late) == []
    with pytest.raises(Conflict):
        late.review.approve(item.id, CLIENT).result(WAIT)
    late.review.restore(item.id, CLIENT).result(WAIT)
    assert state(late, old, new) == before
    assert [one.id for one in waiting(late)] == [item.id]
    late.review.approve(item.id, GUI).result(WAIT)
    assert late.get(old).result(WAIT).content == texts[1]


@pytest.mark.parametrize("texts", UPDATE)
def test_a_yes_to_an_update_replaces_reversibly(late: Service, alike: Any, texts: tuple[str, str]) -> None:
    late.settings.set("memory.supersede", "false")
    (old,) = remember(late, texts[0], layer="state")
    late.idle().result(WAIT)
    alike.gate.clear()
    (new,) = remember(late, texts[1], layer="state")
    late.settings.set("memory.supersede", "true")
    alike.gate.set()
    (item,) = waiting(late)
    assert item.detail["verdict"] == "update"
    before = state(late, old, new)
    assert late.review.approve(item.id, CLIENT).result(WAIT).outcome == "superseded"
    was, holds = (late.get(one).result(WAIT) for one in (old, new))
    assert (was.status, was.superseded_by, holds.status) == ("superseded", new, "active")
    assert was.valid_to == holds.valid_from == holds.created_at
    late.review.restore(item.id, CLIENT).result(WAIT)
    assert state(late, old, new) == before


def test_a_no_to_a_pair_is_for_ever(late: Service, open_service: Opener, alike: Any) -> None:
    remember(late, *SAME[0])
    (item,) = waiting(late)
    late.review.dismiss(item.id, CLIENT).result(WAIT)
    with late._database.transaction() as cx:  # as if a crash had kept it from being noted
        cx.execute("INSERT INTO rejudge (memory_id) VALUES (2)")
    late.close()
    alike.loaded = True
    again = open_service(alike, late.settings)
    again.memorize(Draft("Something else, to have the background look."), CLIENT).result(WAIT)
    assert waiting(again, "lookalike") == []
    with again._database.reader() as cx:
        assert cx.execute("SELECT count(*) FROM rejudge").get == 0


def test_what_had_its_vector_in_time_is_not_judged_again(open_service: Opener, alike: Any) -> None:
    service = open_service(alike)
    service.idle().result(WAIT)
    ids = remember(service, *SAME[0])
    assert ids[0] == ids[1] and waiting(service) == []


def test_a_pair_that_changed_is_no_longer_offered(late: Service) -> None:
    old, new = remember(late, *SAME[0])
    (item,) = waiting(late)
    late.edit(new, {"content": "The user's skis are in the attic."}, GUI).result(WAIT)
    assert waiting(late) == []
    with pytest.raises(Conflict):
        late.review.approve(item.id, CLIENT).result(WAIT)
    late.undo_latest(new, GUI).result(WAIT)
    assert len(waiting(late)) == 1
    late.settings.set("memory.paused", "true")
    with pytest.raises(Paused):
        late.review.approve(item.id, CLIENT).result(WAIT)
    late.settings.set("memory.paused", "false")
    late.erase([old], GUI).result(WAIT)
    with pytest.raises(NotFound):
        late.review.dismiss(item.id, CLIENT).result(WAIT)


def test_a_flagged_fact_is_tried_again(service: Service) -> None:
    (memory_id,) = remember(service, "The user's aunt Ruth runs a bakery.")
    (atom,) = service.graph.atoms(memory_id).result(WAIT)
    with service._database.transaction() as cx:
        atoms.set_status(cx, [(atom.id, "needs_repair", service._access.clock.now())])
    (item,) = waiting(service)
    assert (item.id, item.actions) == (f"atom:{atom.id}", ("approve",))
    assert item.detail["text"] == atom.text and item.memories[0].id == memory_id
    with pytest.raises(InvalidArgument):
        service.review.dismiss(item.id, GUI).result(WAIT)
    assert service.review.approve(item.id, GUI).result(WAIT).outcome == "repaired"
    assert waiting(service) == []
    assert service.graph.atoms(memory_id).result(WAIT)[0].status == "active"


def test_a_candidate_is_decided_on_in_the_same_list(service: Service) -> None:
    drafts = [
        Draft("The user's flight leaves at nine.", importance=0.8),
        Draft("用户的航班九点起飞。", importance=0.75),
    ]
    service.candidates.offer(drafts, CLIENT).result(WAIT)
    first, second = waiting(service, "candidate")
    assert first.detail["candidate"].draft.content == drafts[0].content
    done = service.review.approve(first.id, GUI, text="The flight leaves at ten.").result(WAIT)
    assert (done.outcome, done.memories[0].content) == ("stored", "The flight leaves at ten.")
    service.review.dismiss(second.id, GUI).result(WAIT)
    assert waiting(service) == []
    service.review.restore(second.id, GUI).result(WAIT)
    assert [one.id for one in waiting(service)] == [second.id]


def test_a_topic_is_filed_by_a_yes_only(service: Service) -> None:
    for text in ("Ruth bakes rye bread", "Ruth sells rolls", "Ruth rents the corner shop"):
        remember(service, f"{text}.", topics=("bakery",), participants=("Ruth",), topic_path=("Family", "Ruth"))
    loose, other = remember(
        service, "Ruth opens at seven.", "Ruth is closed on Mondays.", topics=("bakery",), participants=("Ruth",)
    )
    items = {one.memories[0].id: one for one in waiting(service, "topic")}
    assert set(items) == {loose, other}
    assert items[loose].detail["path"] == ("Family", "Ruth")
    assert service.get(loose).result(WAIT).topic_path == ()
    service.review.approve(items[loose].id, CLIENT).result(WAIT)
    service.review.dismiss(items[other].id, CLIENT).result(WAIT)
    assert service.get(loose).result(WAIT).topic_path == ("Family", "Ruth")
    assert waiting(service, "topic") == []
    for item in items.values():
        service.review.restore(item.id, CLIENT).result(WAIT)
    assert service.get(loose).result(WAIT).topic_path == ()
    assert len(waiting(service, "topic")) == 2


def test_kinds_take_turns_and_are_counted(service: Service, clock: MovableClock) -> None:
    offered = [Draft(f"Candidate number {n} tells of something else.", importance=0.8) for n in range(3)]
    service.candidates.offer(offered, CLIENT).result(WAIT)
    (memory_id,) = remember(service, "The user's aunt Ruth runs a bakery.")
    (atom,) = service.graph.atoms(memory_id).result(WAIT)
    with service._database.transaction() as cx:
        atoms.set_status(cx, [(atom.id, "needs_repair", clock.now() - timedelta(days=1))])
    page = service.review.list(limit=2).result(WAIT)
    assert [item.kind for item in page.items] == ["candidate", "atom"]
    assert {kind: count for kind, count in page.total.items() if count} == {"candidate": 3, "atom": 1}
    for kinds, limit in ((["nothing"], 5), (None, 0), (None, 1_000)):
        with pytest.raises(InvalidArgument):
            service.review.list(kinds, limit).result(WAIT)
    with pytest.raises(InvalidArgument):
        service.review.approve(f"atom:{atom.id}", GUI, text="x").result(WAIT)
