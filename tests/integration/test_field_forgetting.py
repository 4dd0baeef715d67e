"""Forgetting touches exactly what was meant: one tag, one scope, one writer; everything beside it stays."""

from __future__ import annotations

import pytest

from engine import Service
from engine.types import ALL_SCOPES, FINDABLE, Actor, Draft, Filters, Query

WAIT = 20.0
CLIENT = Actor("client", "tester")


def remember(service: Service, text: str, **more: object) -> int:
    return service.memorize(Draft(text, **more), CLIENT).result(WAIT).memory.id  # type: ignore[arg-type]


def forget_all(service: Service, filters: Filters, *, for_good: bool) -> int:
    ids = service.ids(filters, "oldest").result(WAIT)
    done = (service.erase if for_good else service.trash)(ids, CLIENT).result(WAIT)
    return len(done.removed or done.updated)


def there(service: Service) -> list[str]:
    ids = service.ids(Filters(scope=ALL_SCOPES), "oldest").result(WAIT)
    return [one.content for one in service.get_many(ids).result(WAIT).values()]


@pytest.mark.parametrize("for_good", [False, True])
def test_forgetting_everything_of_one_leaves_the_other_whole(service: Service, for_good: bool) -> None:
    for owner in ("A", "B"):
        for number in range(4):
            remember(service, f"{owner} keeps thing {number}", source_client=owner, tags=(f"of-{owner}",))
    assert forget_all(service, Filters(clients=("A",)), for_good=for_good) == 4
    assert there(service) == [f"B keeps thing {number}" for number in range(4)]
    service.idle().result(WAIT)
    found = service.recall(Query("keeps thing", k=50, reinforce=False)).result(WAIT)
    assert sorted(hit.memory.content for hit in found.hits) == [f"B keeps thing {number}" for number in range(4)]


@pytest.mark.parametrize("for_good", [False, True])
def test_forgetting_by_tag_takes_that_tag_and_no_other(service: Service, for_good: bool) -> None:
    for text, tags in (("one", ("test",)), ("two", ("Test", "keep")), ("three", ("testing",)), ("four", ("contest",)),
                       ("five", ()), ("six", ("te",)), ("seven", ("a test",))):  # fmt: skip
        remember(service, text, tags=tags)
    assert service.count(Filters(tags=("test",))).result(WAIT) == 2
    assert forget_all(service, Filters(tags=("test",)), for_good=for_good) == 2
    assert there(service) == ["three", "four", "five", "six", "seven"]
    assert service.count(Filters(tags=("test",))).result(WAIT) == 0
    counts = service.status().result(WAIT).counts
    assert counts.get("active") == 5 and counts.get("trashed", 0) == (0 if for_good else 2)


@pytest.mark.parametrize("for_good", [False, True])
def test_the_same_words_in_another_scope_stay(service: Service, for_good: bool) -> None:
    text = "Anna's cat is called Momo"
    scopes = (None, "talk-1", "talk-2")
    ids = {scope: remember(service, text, conversation_id=scope) for scope in scopes}
    assert len(set(ids.values())) == 3
    (service.erase if for_good else service.trash)([ids["talk-1"]], CLIENT).result(WAIT)
    service.idle().result(WAIT)
    for scope, left in ((None, {ids[None]}), ("talk-1", {ids[None]}), ("talk-2", {ids[None], ids["talk-2"]})):
        found = service.recall(Query("Momo", filters=Filters(scope=scope), reinforce=False)).result(WAIT)
        assert {hit.memory.id for hit in found.hits} == left, scope
        assert set(service.ids(Filters(scope=scope, statuses=FINDABLE), "oldest").result(WAIT)) == left
