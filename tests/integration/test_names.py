"""What a user decides about names, through the real service: it holds for old and new memories, and can be undone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine import Service, Settings
from engine.errors import Conflict, InvalidArgument, NotFound
from engine.types import Actor, Draft, Entity

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


def tell(service: Service, text: str, *people: str) -> int:
    return service.memorize(Draft(text, participants=people), CLIENT).result(WAIT).memory.id


def person(service: Service, name: str) -> Entity:
    return next(one for one in service.graph.entities(name, ["person"]).result(WAIT) if name in one.spellings)


def test_two_names_of_one_person(service: Service) -> None:
    first = tell(service, "Roberta plays the cello", "Roberta")
    second = tell(service, "Bobbie bought a boat", "Bobbie")
    one, other = person(service, "Roberta"), person(service, "Bobbie")
    changes = service.graph.merge([other.id], one.id, WINDOW).result(WAIT)
    assert (changes.action, changes.updated) == ("entities_merged", (second,))
    merged = person(service, "Bobbie")
    assert (merged.id, merged.memories, set(merged.spellings)) == (one.id, 2, {"Roberta", "Bobbie"})
    third = tell(service, "Bobbie sails on Sundays", "Bobbie")
    around = service.graph.neighbourhood(one.id).result(WAIT)
    assert {memory for relation in around.relations for memory in relation.evidence} == {first, second, third}
    service.undo(changes.history_ids[0], WINDOW).result(WAIT)
    assert person(service, "Roberta").memories == 1
    assert person(service, "Bobbie").memories == 2
    with pytest.raises(Conflict):
        service.undo(changes.history_ids[0], WINDOW).result(WAIT)


def test_undo_of_an_undo_merges_again(service: Service) -> None:
    tell(service, "Roberta plays the cello", "Roberta")
    tell(service, "Bobbie bought a boat", "Bobbie")
    one, other = person(service, "Roberta"), person(service, "Bobbie")
    changes = service.graph.merge([other.id], one.id, WINDOW).result(WAIT)
    back = service.undo(changes.history_ids[0], WINDOW).result(WAIT)
    service.undo(back.history_ids[0], WINDOW).result(WAIT)
    assert person(service, "Bobbie").memories == 2


def test_two_people_of_one_name(service: Service) -> None:
    office = tell(service, "王伟负责财务", "王伟")
    school = tell(service, "王伟教孩子数学", "王伟")
    both = person(service, "王伟")
    assert both.memories == 2
    service.graph.split(both.id, WINDOW, memory_ids=[school]).result(WAIT)
    (mine,) = [one for one in service.graph.of_memory(office).result(WAIT) if one.type == "person"]
    (other,) = [one for one in service.graph.of_memory(school).result(WAIT) if one.type == "person"]
    assert mine.id != other.id
    assert (mine.memories, other.memories) == (1, 1)
    service.reindex().result(WAIT)
    assert [one.id for one in service.graph.of_memory(school).result(WAIT) if one.type == "person"] == [other.id]


def test_a_new_name(service: Service) -> None:
    tell(service, "Bob bought a boat", "Bob")
    service.graph.rename(person(service, "Bob").id, "Robert Smith", WINDOW).result(WAIT)
    assert [one.name for one in service.graph.entities("Robert Smith", ["person"]).result(WAIT)] == ["Robert Smith"]
    assert person(service, "Bob").name == "Robert Smith"


def test_an_alias_before_anybody_was_mentioned(service: Service) -> None:
    service.graph.set_alias("person", "小李", "李雷", WINDOW).result(WAIT)
    tell(service, "小李喜欢爬山", "小李")
    tell(service, "李雷在杭州", "李雷")
    assert person(service, "李雷").memories == 2
    assert [(one.canonical, one.target) for one in service.graph.aliases().result(WAIT)] == [("小李", "李雷")]
    service.graph.drop_alias("person", "小李", WINDOW).result(WAIT)
    assert person(service, "李雷").memories == 1


def test_what_can_not_be_is_refused(service: Service) -> None:
    tell(service, "Bob bought a boat", "Bob")
    with pytest.raises(NotFound):
        service.graph.rename(9_999, "x", WINDOW).result(WAIT)
    with pytest.raises(InvalidArgument):
        service.graph.rename(person(service, "Bob").id, "  ", WINDOW).result(WAIT)
    with pytest.raises(InvalidArgument):
        service.graph.drop_alias("person", "nobody", WINDOW).result(WAIT)
    with pytest.raises(NotFound):
        service.graph.neighbourhood(9_999).result(WAIT)


def test_words_of_the_user(open_service: Opener, data_dir: Path) -> None:
    (data_dir).mkdir(parents=True, exist_ok=True)
    (data_dir / "words.txt").write_text("云栖竹径\n", encoding="utf-8")
    settings = Settings()
    settings.update({"embedding.provider": "none", "memory.words": "沈苒苒，浮槎阁"})
    service = open_service(settings=settings)
    service.idle().result(WAIT)
    words = service._engine.segmenter.words("昨天在云栖竹径和浮槎阁遇见了沈苒苒")
    assert {"云栖竹径", "浮槎阁", "沈苒苒"} <= set(words)
    service.settings.set("memory.words", "琪珞珂")
    assert "琪珞珂" in service._engine.segmenter.words("今天琪珞珂来了")
    tell(service, "阿依古丽托人带话", "阿依古丽托")
    assert "阿依古丽托" in service._engine.segmenter.words("阿依古丽托走了")
