"""Said again in other words, and no longer so: merging and replacing through the real service, and back again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from engine import Service, Settings
from engine.clock import MovableClock
from engine.errors import Conflict, InvalidArgument
from engine.types import Actor, AtomQuery, Draft, Filters, Memory, Query

WAIT = 20.0
CLIENT = Actor("client", "assistant")
WINDOW = Actor("gui", "window")
Opener = Callable[..., Service]


@pytest.fixture
def words(open_service: Opener) -> Service:
    """A service that judges by words alone: what it does needs no model."""
    settings = Settings()
    settings.set("embedding.provider", "none")
    service = open_service(settings=settings)
    service.idle().result(WAIT)
    return service


def told(service: Service, text: str, actor: Actor = CLIENT, **fields: object):  # type: ignore[no-untyped-def]
    return service.memorize(Draft(text, **fields), actor).result(WAIT)  # type: ignore[arg-type]


def found(service: Service, text: str) -> list[int]:
    return [hit.memory.id for hit in service.recall(Query(text, reinforce=False)).result(WAIT).hits]


def memory(service: Service, memory_id: int) -> Memory:
    return service.get(memory_id).result(WAIT)


SAME = [
    ("我喜欢喝冰美式咖啡", "我很喜欢喝冰美式咖啡"),
    ("The user likes to drink iced americano", "The user really likes to drink iced americano"),
]
UPDATE = [
    ("小林住在北京", "小林现在住在上海"),
    ("Alice works at Acme", "Alice now works at Globex"),
]


@pytest.mark.parametrize(("old", "new"), SAME)
def test_said_in_other_words_becomes_one_memory(words: Service, old: str, new: str) -> None:
    first = told(words, old, tags=("a",), source_agent="x")
    again = told(words, new, tags=("b",), mood="calm", external_ids=("e",), importance=0.9)
    assert again.outcome == "merged"
    assert again.memory.id == first.memory.id
    kept = memory(words, first.memory.id)
    assert (kept.tags, kept.mood, kept.source_agent, kept.external_ids) == (("a", "b"), "calm", "x", ("e",))
    assert kept.importance == 0.9
    assert words.count(Filters(scope="all")).result(WAIT) == 1
    assert found(words, new) == [first.memory.id] == found(words, old)


@pytest.mark.parametrize(("old", "new"), SAME)
def test_a_merge_that_is_taken_back_leaves_two_memories(words: Service, old: str, new: str) -> None:
    first = told(words, old)
    again = told(words, new, tags=("b",), event_time=first.memory.created_at)
    back = words.undo(again.changes.history_ids[0], WINDOW).result(WAIT)
    assert memory(words, first.memory.id).content == old
    assert memory(words, first.memory.id).tags == ()
    (own,) = back.created
    assert (memory(words, own).content, memory(words, own).tags) == (new, ("b",))
    assert memory(words, own).event_time == first.memory.created_at
    assert set(found(words, new)) == {first.memory.id, own}
    with pytest.raises(Conflict):
        words.undo(again.changes.history_ids[0], WINDOW).result(WAIT)


@pytest.mark.parametrize(("old", "new"), UPDATE)
def test_a_newer_state_replaces_the_older_which_stays(words: Service, clock: MovableClock, old: str, new: str) -> None:
    first = told(words, old)
    clock.advance(timedelta(days=3))
    later = told(words, new)
    assert (later.outcome, later.replaced) == ("superseded", (first.memory.id,))
    assert later.changes.created == (later.memory.id,)
    assert later.changes.updated == (first.memory.id,)
    before = memory(words, first.memory.id)
    assert (before.status, before.superseded_by, before.valid_to) == ("superseded", later.memory.id, clock.now())
    assert later.memory.valid_from == clock.now()
    assert before.content == old
    assert found(words, old) == [later.memory.id]
    assert [one.id for one in words.replaced_by(later.memory.id).result(WAIT)] == [first.memory.id]
    entry = words.history(first.memory.id).result(WAIT)[0]
    assert (entry.action, entry.actor.kind) == ("superseded", "rule")


@pytest.mark.parametrize(("old", "new"), UPDATE)
def test_what_was_replaced_is_brought_back_by_one_step(words: Service, old: str, new: str) -> None:
    first, later = told(words, old), told(words, new)
    words.edit(first.memory.id, {"status": "active"}, WINDOW).result(WAIT)
    before = memory(words, first.memory.id)
    assert (before.status, before.superseded_by, before.valid_to) == ("active", None, None)
    assert set(found(words, old)) == {first.memory.id, later.memory.id}
    words.undo_latest(first.memory.id, WINDOW).result(WAIT)
    assert memory(words, first.memory.id).superseded_by == later.memory.id
    words.undo(later.changes.history_ids[1], WINDOW).result(WAIT)
    assert memory(words, first.memory.id).status == "active"


def test_when_the_newer_goes_the_older_holds_again(words: Service) -> None:
    first, later = told(words, UPDATE[0][0]), told(words, UPDATE[0][1])
    gone = words.trash([later.memory.id], CLIENT).result(WAIT)
    assert gone.updated == (later.memory.id, first.memory.id)
    assert found(words, "小林住在哪里") == [first.memory.id]
    words.restore([later.memory.id], CLIENT).result(WAIT)
    assert found(words, "小林住在哪里") == [later.memory.id]
    words.undo_latest(later.memory.id, CLIENT).result(WAIT)
    assert found(words, "小林住在哪里") == [first.memory.id]
    words.restore([later.memory.id], CLIENT).result(WAIT)
    erased = words.erase([later.memory.id], CLIENT).result(WAIT)
    assert (erased.removed, erased.updated) == ((later.memory.id,), (first.memory.id,))
    assert (memory(words, first.memory.id).superseded_by, memory(words, first.memory.id).valid_to) == (None, None)
    assert found(words, "小林住在哪里") == [first.memory.id]


def test_taking_back_the_newer_brings_back_the_older(words: Service) -> None:
    first, later = told(words, UPDATE[1][0]), told(words, UPDATE[1][1])
    words.undo(later.changes.history_ids[0], WINDOW).result(WAIT)
    assert memory(words, later.memory.id).status == "trashed"
    assert memory(words, first.memory.id).status == "active"


@pytest.mark.parametrize("field", ["protected", "pinned"])
def test_what_people_hold_on_to_is_never_replaced(words: Service, field: str) -> None:
    first = told(words, UPDATE[0][0])
    words.edit(first.memory.id, {field: True}, WINDOW).result(WAIT)
    assert told(words, UPDATE[0][1]).outcome == "stored"
    assert memory(words, first.memory.id).status == "active"


def test_a_protected_memory_is_not_merged_into(words: Service) -> None:
    first = told(words, SAME[0][0])
    words.edit(first.memory.id, {"protected": True}, WINDOW).result(WAIT)
    assert told(words, SAME[0][1]).outcome == "stored"
    assert memory(words, first.memory.id).content == SAME[0][0]


def test_other_scopes_are_other_memories(words: Service) -> None:
    told(words, SAME[0][0])
    assert told(words, SAME[0][1], conversation_id="c").outcome == "stored"
    assert told(words, SAME[0][1], persona_id="p").outcome == "stored"
    told(words, UPDATE[0][0])
    assert told(words, UPDATE[0][1], conversation_id="c").outcome == "stored"


def test_turns_of_a_conversation_stay_as_they_came(words: Service) -> None:
    told(words, "Anna: I live in Berlin", conversation_id="c")
    assert told(words, "Anna: I now live in Paris", conversation_id="c").outcome == "stored"
    told(words, "Anna: nice to see you again my friend", conversation_id="c")
    assert told(words, "Anna: so nice to see you again my friend", conversation_id="c").outcome == "stored"


def test_both_can_be_turned_off(words: Service) -> None:
    words.settings.update({"memory.merge": False, "memory.supersede": False})
    told(words, SAME[0][0])
    told(words, UPDATE[0][0])
    assert told(words, SAME[0][1]).outcome == "stored"
    assert told(words, UPDATE[0][1]).outcome == "stored"


def test_a_call_that_is_repeated_makes_one_memory(words: Service) -> None:
    draft = Draft("The gate code of the garden is kept by Ben", tags=("home",))
    done = [words.memorize(draft, CLIENT) for _ in range(6)]
    outcomes = sorted(one.result(WAIT).outcome for one in done)
    assert outcomes == ["reinforced"] * 5 + ["stored"]
    assert words.count(Filters(scope="all")).result(WAIT) == 1


def test_what_was_recalled_and_stored_again_does_not_grow_the_store(words: Service) -> None:
    texts = ["Ben keeps the spare key under the blue pot", "我对花生过敏，吃了会起疹子", "The cat is called Momo"]
    for text in texts:
        told(words, text)
    for _ in range(3):
        for text in texts:
            for hit in words.recall(Query(text)).result(WAIT).hits:
                told(words, hit.text)
                told(words, f"  {hit.text}\n")
    assert words.count(Filters(scope="all")).result(WAIT) == len(texts)


def test_two_tellings_at_once_find_each_other(words: Service) -> None:
    """The second was looked at before the first was stored."""
    done = [words.memorize(Draft(text), CLIENT) for text in SAME[1]]
    assert sorted(one.result(WAIT).outcome for one in done) == ["merged", "stored"]


def test_erasing_a_merged_memory_leaves_no_word_of_either(words: Service) -> None:
    first = told(words, "Quentin likes to feed the zebrafinches in the garden")
    again = told(words, "Quentin really likes to feed the zebrafinches in the garden")
    assert again.memory.id == first.memory.id
    words.erase([first.memory.id], WINDOW).result(WAIT)
    words.idle().result(WAIT)
    for path in words.data.rglob("*"):
        if path.is_file():
            assert b"zebrafinch" not in path.read_bytes(), path
            assert b"Quentin" not in path.read_bytes(), path


def test_facts_follow_their_memories(words: Service) -> None:
    first, later = told(words, UPDATE[1][0]), told(words, UPDATE[1][1])

    def facts(text: str) -> list[int]:
        hits = words.graph.search_atoms(AtomQuery(text)).result(WAIT)
        return sorted({one for hit in hits for one in hit.atom.memory_ids})

    assert facts("where does Alice work") == [later.memory.id]
    words.trash([later.memory.id], WINDOW).result(WAIT)
    assert facts("where does Alice work") == [first.memory.id]
    words.edit(first.memory.id, {"content": "Alice plays the cello"}, WINDOW).result(WAIT)
    assert facts("where does Alice work at Acme") == [first.memory.id]  # by her name
    assert facts("Acme") == []
    assert [atom.text for atom in words.graph.atoms(first.memory.id).result(WAIT)] == ["Alice plays the cello"]
    words.erase([first.memory.id], WINDOW).result(WAIT)
    assert facts("Alice") == []
    assert words.graph.entities("Alice", filters=Filters(scope="all")).result(WAIT) == ()


def test_an_end_before_the_beginning_is_refused_and_changes_nothing(words: Service, clock: MovableClock) -> None:
    one = told(words, "The lease is ours", valid_from=clock.now())
    with pytest.raises(InvalidArgument) as caught:
        words.edit(one.memory.id, {"valid_to": clock.now() - timedelta(days=1)}, WINDOW).result(WAIT)
    assert (caught.value.fields["field"], caught.value.fields["reason"]) == ("valid_to", "ends_before_start")
    assert memory(words, one.memory.id).valid_to is None


@pytest.mark.parametrize(
    ("old", "new", "lasting"),
    [
        ("小林住在北京", "小林搬到广州了", "fact"), ("Alice lives in Leeds", "Alice has moved to York", "fact"),
        ("小林最近住在北京", "小林搬到广州了", "state"),
        ("Alice currently lives in Leeds", "Alice has moved to York", "state"),
    ],
)  # fmt: skip
def test_what_replaces_a_fact_or_state_is_as_lasting(words: Service, old: str, new: str, lasting: str) -> None:
    first = told(words, old)
    assert first.memory.layer == lasting
    later = told(words, new)
    assert (later.replaced, later.memory.layer) == ((first.memory.id,), lasting)
    words.undo(later.changes.history_ids[1], WINDOW).result(WAIT)
    before = memory(words, first.memory.id)
    assert (before.status, before.layer, before.valid_to) == ("active", lasting, None)


def test_a_layer_that_was_named_stays_and_so_does_what_replaces_nothing(words: Service) -> None:
    told(words, "小林住在北京")
    named = told(words, "小林搬到广州了", layer="event")
    assert (named.outcome, named.memory.layer) == ("superseded", "event")
    alone = told(words, "Alice has moved to York")
    assert (alone.outcome, alone.memory.layer) == ("stored", "event")
