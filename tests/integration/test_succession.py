"""Who replaced whom, through trash, restore, erase and undo in every order: something that is true is always found."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from engine import Service, Settings
from engine.errors import Conflict, HupoError
from engine.types import Actor, Draft, Memory, Query

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


def tell(service: Service, text: str, **fields: object) -> int:
    return service.memorize(Draft(text, **fields), CLIENT).result(WAIT).memory.id  # type: ignore[arg-type]


def found(service: Service, text: str) -> list[int]:
    return sorted(hit.memory.id for hit in service.recall(Query(text, reinforce=False)).result(WAIT).hits)


def memory(service: Service, memory_id: int) -> Memory:
    return service.get(memory_id).result(WAIT)


@pytest.fixture
def chain(service: Service) -> tuple[int, int, int]:
    first, second = tell(service, "小林住在北京"), tell(service, "小林现在住在上海")
    third = tell(service, "小林搬到广州了")
    assert memory(service, first).superseded_by == second and memory(service, second).superseded_by == third
    return first, second, third


def test_a_link_that_goes_leaves_the_chain_whole(service: Service, chain: tuple[int, int, int]) -> None:
    first, second, third = chain
    service.trash([second], CLIENT).result(WAIT)
    assert found(service, "小林住在哪") == [third]
    service.restore([second], CLIENT).result(WAIT)
    service.erase([second], CLIENT).result(WAIT)
    assert found(service, "小林住在哪") == [third]
    assert memory(service, first).superseded_by == third
    service.trash([third], CLIENT).result(WAIT)
    assert found(service, "小林住在哪") == [first]


def test_undo_after_the_newer_is_gone_hides_nothing(service: Service) -> None:
    old, new = tell(service, "小林住在北京"), tell(service, "小林现在住在上海")
    service.erase([new], CLIENT).result(WAIT)
    with pytest.raises(Conflict):
        service.undo_latest(old, WINDOW).result(WAIT)
    assert found(service, "小林住在哪") == [old]


def test_out_of_the_trash_after_the_newer_is_gone(service: Service) -> None:
    old, new = tell(service, "小林住在北京"), tell(service, "小林现在住在上海")
    service.trash([old], CLIENT).result(WAIT)
    service.erase([new], CLIENT).result(WAIT)
    service.restore([old], CLIENT).result(WAIT)
    assert (memory(service, old).status, found(service, "小林住在哪")) == ("active", [old])


def test_what_people_protect_meanwhile_stays(service: Service) -> None:
    old, new = tell(service, "小林住在北京"), tell(service, "小林现在住在上海")
    service.trash([new], CLIENT).result(WAIT)
    service.edit(old, {"protected": True}, WINDOW).result(WAIT)
    service.restore([new], CLIENT).result(WAIT)
    assert found(service, "小林住在哪") == [old, new]


steps = st.lists(
    st.tuples(st.sampled_from(["trash", "restore", "erase", "undo", "active"]), st.integers(0, 3)), max_size=9
)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Service]:
    from engine.embedding import NoEmbedder

    def make() -> Service:
        settings = Settings()
        settings.set("embedding.provider", "none")
        return Service.open(tmp_path_factory.mktemp("s"), settings, embedder_factory=lambda _: NoEmbedder())

    return make


@examples(max_examples=25, deadline=None)
@given(chosen=steps)
def test_something_true_is_always_found(fresh: Callable[[], Service], chosen: list[tuple[str, int]]) -> None:
    """As long as one of them is there and not in the trash, a question finds one; and links lead to what is there."""
    service = fresh()
    try:
        ids = [
            tell(service, text)
            for text in ("Alice works at Acme", "Alice now works at Globex", "Alice now works at Initech")
        ]
        left = set(ids)
        for verb, at in chosen:
            one = ids[at % 3]
            try:
                if verb == "trash":
                    service.trash([one], WINDOW).result(WAIT)
                elif verb == "restore":
                    service.restore([one], WINDOW).result(WAIT)
                elif verb == "erase":
                    service.erase([one], WINDOW).result(WAIT)
                    left.discard(one)
                elif verb == "active":
                    service.edit(one, {"status": "active"}, WINDOW).result(WAIT)
                else:
                    service.undo_latest(one, WINDOW).result(WAIT)
            except HupoError:
                continue
        there = [row for row in service.get_many(ids).result(WAIT).values() if row.status != "trashed"]
        assert bool(there) == bool(found(service, "where does Alice work"))
        assert all(row.superseded_by in (None, *left) for row in service.get_many(ids).result(WAIT).values())
    finally:
        service.close()


@pytest.mark.parametrize(
    "times",
    [
        {"valid_from": datetime(2010, 1, 1, tzinfo=UTC), "valid_to": datetime(2015, 1, 1, tzinfo=UTC)},
        {"valid_to": datetime(2015, 1, 1, tzinfo=UTC)},
        {"valid_from": datetime(2027, 1, 1, tzinfo=UTC)},
    ],
)
def test_a_record_of_another_time_replaces_nothing(service: Service, times: dict[str, datetime]) -> None:
    now = tell(service, "Alice works at Globex", valid_from=datetime(2020, 1, 1, tzinfo=UTC))
    done = service.memorize(Draft("Alice works at Acme", **times), CLIENT).result(WAIT)  # type: ignore[arg-type]
    assert done.outcome == "stored"
    assert memory(service, now).status == "active"


def test_what_happened_on_another_day_is_another_memory(service: Service) -> None:
    april = datetime(2026, 4, 1, 12, tzinfo=UTC)
    first = tell(service, "Had lunch with Bob", event_time=april)
    second = tell(service, "Had lunch with Bob", event_time=april + timedelta(days=7))
    assert first != second
    assert tell(service, "Had lunch with Bob", event_time=april + timedelta(days=7)) == second
    assert tell(service, "Had lunch with Bob") == first


def test_a_repeated_telling_loses_nothing_that_it_brings(service: Service) -> None:
    first = tell(service, "The boat is leaking", title="Boat", emotion_intensity=2.0)
    again = service.memorize(
        Draft("The boat is leaking", title="The old boat", emotion_intensity=9.0, valence=-0.9), CLIENT
    ).result(WAIT)
    assert again.outcome == "reinforced"
    kept = memory(service, first)
    assert (kept.title, kept.emotion_intensity, kept.valence) == ("Boat", 9.0, -0.9)
    assert "The old boat" in str(service.history(first).result(WAIT)[0].after)
    service.undo_latest(first, WINDOW).result(WAIT)
    assert memory(service, first).emotion_intensity == 2.0


def test_a_merge_may_be_undone_redone_and_undone(service: Service) -> None:
    first = tell(service, "我喜欢喝冰美式咖啡")
    again = service.memorize(Draft("我很喜欢喝冰美式咖啡", tags=("t",)), CLIENT).result(WAIT)
    back = service.undo(again.changes.history_ids[0], WINDOW).result(WAIT)
    (own,) = back.created
    forth = service.undo(back.history_ids[0], WINDOW).result(WAIT)
    assert memory(service, first).tags == ("t",)
    service.undo(forth.history_ids[0], WINDOW).result(WAIT)
    assert (memory(service, first).tags, memory(service, own).content) == ((), "我很喜欢喝冰美式咖啡")


def test_erasing_a_parted_draft_and_every_bearer_of_a_name_leaves_no_word(service: Service) -> None:
    tell(service, "我喜欢喝冰美式咖啡")
    again = service.memorize(Draft("我很喜欢喝冰美式咖啡", source_text="Quokkaword"), CLIENT).result(WAIT)
    (own,) = service.undo(again.changes.history_ids[0], WINDOW).result(WAIT).created
    named = tell(service, "He bought a boat", participants=("Zebedeefinch",))
    (person,) = service.graph.entities("Zebedeefinch", ["person"]).result(WAIT)
    service.graph.rename(person.id, "Quincyworth", WINDOW).result(WAIT)
    service.erase([own, named], WINDOW).result(WAIT)
    service.idle().result(WAIT)
    service.close()
    for path in service.data.rglob("*"):
        if path.is_file():
            held = path.read_bytes().lower()
            for word in (b"quokkaword", b"zebedeefinch", b"quincyworth"):
                assert word not in held, (path.name, word)


def test_a_text_that_waits_for_approval_swallows_nothing(service: Service) -> None:
    waiting = tell(service, "The gate is green")
    service.edit(waiting, {"status": "pending"}, WINDOW).result(WAIT)
    assert tell(service, "The gate is green") != waiting


def test_a_fact_follows_its_memory_into_another_scope(service: Service) -> None:
    tell(service, "Ann keeps bees in Ghent")
    moved = tell(service, "Ann keeps bees in Ghent and sells honey", key_facts=("Ann keeps bees in Ghent",))
    service.edit(moved, {"conversation_id": "secret"}, WINDOW).result(WAIT)
    (atom,) = service.graph.atoms(moved).result(WAIT)
    assert (atom.conversation_id, atom.memory_ids) == ("secret", (moved,))
