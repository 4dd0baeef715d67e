"""The same promise for the areas beside recall: digests, topics, candidates, the user model, review (S4).

Each reading verb is asked without and with what is sensitive; a verb that is added later fails until it is named here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from datetime import timedelta
from typing import Any, NamedTuple

import pytest

from engine import Service
from engine.clock import MovableClock, local_date
from engine.types import ALL_SCOPES, Actor, Draft, Filters

WAIT = 20.0
GUI, CLIENT = Actor("gui"), Actor("client", "assistant")
MARKS = ("quorlzyx", "魑魅账")
EVERYWHERE = Filters(scope=ALL_SCOPES)
PLAIN = (
    "The bakery closes on Mondays", "妹妹在练小提琴", "The lamp in the hall flickers", "邻居借走了梯子",
    "Grandfather's watch runs fast",
)  # fmt: skip
TOLD = (
    "the clinic rang about the result", "化验单在左边抽屉", "the solicitor wants the deed", "账本里少了一页",
)  # fmt: skip


class Store(NamedTuple):
    service: Service
    day: str
    secret: tuple[int, ...]
    digest: int


@pytest.fixture
def store(service: Service, clock: MovableClock) -> Store:
    day = local_date(clock.now(), clock.zone()).isoformat()
    for text in PLAIN:
        service.memorize(Draft(text, topic_path=("Home", "Week")), GUI).result(WAIT)
    secret = tuple(
        service.memorize(
            Draft(f"{MARKS[0]} {at}: {text} {MARKS[1]}", topic_path=(f"{MARKS[0]} papers", f"{MARKS[1]}夹"),
                  topics=(MARKS[0],), tags=(MARKS[1],), sensitivity="high"),
            GUI,
        ).result(WAIT).memory.id
        for at, text in enumerate(TOLD)
    )  # fmt: skip
    offers = [
        Draft(f"{MARKS[0]} is to be decided", importance=0.8, sensitivity="high"),
        Draft(f"{MARKS[1]} 不要紧", importance=0.1, sensitivity="high"),
        Draft("Repaint the shed", importance=0.8),
    ]
    service.candidates.offer(offers, CLIENT).result(WAIT)
    service.user_model.update(f"{MARKS[0]} keeper", f"{MARKS[1]} 一次", GUI, sensitivity="high").result(WAIT)
    service.user_model.update("early riser", "up at five again", GUI).result(WAIT)
    clock.advance(timedelta(days=1))
    made = service.digests.save(1, day, f"A day with {MARKS[0]} and {MARKS[1]}", secret, actor=GUI).result(WAIT)
    service.idle().result(WAIT)
    return Store(service, day, secret, made.memory.id)


Read = Callable[[Store, bool], Future[Any]]
READS: Mapping[str, Read] = {
    "digests.sources": lambda store, all_: store.service.digests.sources(1, store.day, include_sensitive=all_),
    "digests.of": lambda store, all_: store.service.digests.of(store.digest, include_sensitive=all_),
    "candidates.list": lambda store, all_: store.service.candidates.list("pending", include_sensitive=all_),
    "candidates.list dropped": lambda store, all_: store.service.candidates.list("dropped", include_sensitive=all_),
    "topics.tree": lambda store, all_: store.service.topics.tree(EVERYWHERE, include_sensitive=all_),
    "topics.lookup": lambda store, all_: store.service.topics.lookup(
        MARKS[0], filters=EVERYWHERE, include_children=True, include_sensitive=all_
    ),
    "topics.of_memory": lambda store, all_: store.service.topics.of_memory(
        store.secret[0], filters=EVERYWHERE, include_sensitive=all_
    ),
    "user_model.top": lambda store, all_: store.service.user_model.top(include_sensitive=all_),
    "review.list": lambda store, all_: store.service.review.list(include_sensitive=all_),
}
# Counts and periods without a word of anybody's, ids alone, and writes.
WORDLESS = {
    "digests.due", "digests.due_count", "digests.status", "digests.save", "candidates.offer", "candidates.approve",
    "candidates.dismiss", "candidates.restore", "topics.suggest", "topics.rename", "topics.merge", "topics.move",
    "topics.add_alias", "topics.drop_alias", "topics.set_summary", "topics.remove", "topics.memories",
    "user_model.update", "user_model.rename", "user_model.merge", "user_model.forget", "review.approve",
    "review.dismiss", "review.restore",
}  # fmt: skip
AREAS = ("digests", "candidates", "topics", "user_model", "review")


def _marked(told: object) -> bool:
    return any(mark in repr(told).lower() for mark in MARKS)


@pytest.mark.parametrize("name", READS)
def test_an_area_tells_only_when_asked(store: Store, name: str) -> None:
    assert not _marked(READS[name](store, False).result(WAIT))
    assert _marked(READS[name](store, True).result(WAIT))
    store.service.settings.set("privacy.hide_sensitive", False)
    assert _marked(READS[name](store, False).result(WAIT))


def test_memories_of_a_topic_tell_only_when_asked(store: Store) -> None:
    topics = store.service.topics
    (leaf,) = [
        node for node in topics.tree(EVERYWHERE, include_sensitive=True).result(WAIT) if MARKS[1] in node.name.lower()
    ]
    asked = {one: topics.memories(leaf.id, filters=EVERYWHERE, include_sensitive=one) for one in (False, True)}
    assert asked[False].exception(WAIT) is not None or not _marked(asked[False].result(WAIT))
    assert _marked(asked[True].result(WAIT))


def test_every_verb_of_the_areas_is_known_here(service: Service) -> None:
    verbs = {f"{area}.{verb}" for area in AREAS for verb in dir(getattr(service, area)) if not verb.startswith("_")}
    known = {name.split()[0] for name in READS} | WORDLESS
    assert sorted(verbs - known) == [], "new: say in READS how it is asked, or in WORDLESS why it need not be"


def test_a_hidden_day_is_not_offered(store: Store, clock: MovableClock) -> None:
    """A day of which only sensitive memories are undigested waits only for who may see them."""
    service = store.service
    service.digests.save(1, store.day, "A quiet day at home", actor=GUI).result(WAIT)
    day = local_date(clock.now(), clock.zone()).isoformat()
    for at, text in enumerate(TOLD):
        service.memorize(Draft(f"{text}, once more {at} {MARKS[0]}", sensitivity="high"), GUI).result(WAIT)
    clock.advance(timedelta(days=1))

    def waiting(all_: bool) -> set[str]:
        due = service.digests.due(include_sensitive=all_).result(WAIT)
        return {one.period for level in due if level.level == 1 for one in level.periods}

    assert day not in waiting(False)
    assert day in waiting(True)
