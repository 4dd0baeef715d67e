"""Topics looked up through the real service: by name, by alias, by meaning; what is hidden, and what has gone stale."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from engine import Service, Settings
from engine.clock import MovableClock
from engine.errors import InvalidArgument, NotFound
from engine.types import ALL_SCOPES, Actor, Draft, Filters, TopicHit, TopicNode

WAIT = 20.0
CLIENT = Actor("client", "assistant")
WINDOW = Actor("gui", "window")
EVERYWHERE = Filters(scope=ALL_SCOPES)
Opener = Callable[..., Service]


@pytest.fixture
def words(open_service: Opener) -> Service:
    """A service without vectors."""
    settings = Settings()
    settings.set("embedding.provider", "none")
    made = open_service(settings=settings)
    made.idle().result(WAIT)
    return made


def tell(service: Service, text: str, *path: str, **more: Any) -> int:
    return service.memorize(Draft(text, topic_path=path, **more), CLIENT).result(WAIT).memory.id


def tree(service: Service, **more: Any) -> dict[tuple[str, ...], TopicNode]:
    return {node.path: node for node in service.topics.tree(**more).result(WAIT)}


def topic(service: Service, *path: str) -> int:
    return tree(service, filters=EVERYWHERE, include_sensitive=True)[path].id


def found(service: Service, query: str, **more: Any) -> list[TopicHit]:
    return list(service.topics.lookup(query, **more).result(WAIT).hits)


# Looking up ------------------------------------------------------------------------------------------------------


def test_topics_are_found_by_parts_of_their_names(words: Service) -> None:
    tell(words, "我们在写记忆引擎", "工作", "琥珀项目")
    tell(words, "Started with oils", "Arts", "Painting")
    tell(words, "We took off", "Startups")
    words.topics.add_alias(topic(words, "工作", "琥珀项目"), "Hupo memory", WINDOW).result(WAIT)

    def paths(query: str) -> list[tuple[str, str]]:
        return [(hit.topic.name, hit.match) for hit in found(words, query)]

    assert paths("項目") == [("琥珀项目", "name")]
    assert paths("hupo") == paths("mem") == [("琥珀项目", "alias")]
    assert paths("art") == [("Arts", "name")]  # not Startups: a part of an English word is nothing
    assert paths("琥珀项目的进展如何？") == [("琥珀项目", "named_in")]
    assert paths("How far is the painting?") == [("Painting", "named_in")]
    assert paths("ting") == []
    assert paths("") == [("工作", "listed"), ("琥珀项目", "listed"), ("Arts", "listed"), ("Painting", "listed"),
                         ("Startups", "listed")]  # fmt: skip
    assert [hit.topic.level for hit in found(words, "", level=2)] == [2, 2]
    assert len(found(words, "", limit=1)) == 1


def test_an_exact_name_comes_first_and_brings_its_newest(words: Service, clock: MovableClock) -> None:
    ids = []
    for text in ("茶叶快喝完了", "买了新茶壶", "龙井要配玻璃杯", "普洱放在柜子里"):
        clock.advance(timedelta(hours=1))
        ids.append(tell(words, text, "生活", "茶", "存货"))
    tell(words, "茶馆很吵", "茶馆")
    first, second = found(words, "茶", include_children=True)
    assert (first.topic.name, second.topic.name) == ("茶", "茶馆")
    assert [memory.id for memory in first.newest] == ids[:0:-1]
    assert [child.name for child in first.children] == ["存货"]
    under = words.topics.memories(first.topic.id, 2).result(WAIT)
    assert [memory.id for memory in under] == ids[:1:-1]
    assert words.topics.memories(first.topic.id, below=False).result(WAIT) == ()
    (by_id,) = found(words, "", topic_id=first.topic.id)
    assert (by_id.match, by_id.topic) == ("id", first.topic)


def test_topics_are_found_by_what_their_memories_mean(service: Service) -> None:
    """And a centroid follows what is filed, edited and trashed, not only what was there at first."""
    for text in ("the cello needs new strings", "practised the cello with a metronome"):
        tell(service, text, "Leisure", "Music")
    for text in ("planted tomatoes behind the shed", "the tomatoes have blight"):
        tell(service, text, "Home", "Outside")
    tell(service, "filed the tax return", "Paper")
    service.idle().result(WAIT)

    def best(query: str) -> str:
        hit = found(service, query)[0]
        assert hit.match == "meaning"
        return hit.topic.name

    assert best("tomatoes and blight") == "Outside"
    assert best("cello strings") == "Music"
    assert "Paper" not in [hit.topic.name for hit in found(service, "cello strings")]
    late = tell(service, "a recipe: soup of tomatoes and blight of basil", "Paper", "Kitchen")
    service.edit(late, {"content": "the bassoon choir sings bassoon songs"}, WINDOW).result(WAIT)
    service.idle().result(WAIT)
    assert best("bassoon choir songs") == "Kitchen"
    service.trash([late], WINDOW).result(WAIT)
    assert "Kitchen" not in [hit.topic.name for hit in found(service, "bassoon choir songs")]
    service.restore([late], WINDOW).result(WAIT)
    service.idle().result(WAIT)
    assert best("bassoon choir songs") == "Kitchen"


def test_without_a_model_names_still_answer(service: Service, embedder: Any) -> None:
    tell(service, "the cello needs new strings", "Leisure", "Music")
    embedder.away = True
    answer = service.topics.lookup("music").result(WAIT)
    assert [hit.topic.name for hit in answer.hits] == ["Music"]
    assert answer.degraded == ("embedder_unavailable",)


# Sensitivity and scope -------------------------------------------------------------------------------------------


def test_what_is_sensitive_does_not_lead_to_its_topic(service: Service) -> None:
    secret = tell(service, "the biopsy was positive", "Health", "Biopsy", sensitivity="high")
    tell(service, "ran ten miles", "Health", "Sport")
    tell(service, "met at the tram stop", "Talks", conversation_id="c1")
    service.idle().result(WAIT)
    assert set(tree(service)) == {("Health",), ("Health", "Sport")}
    assert tree(service)["Health",].below == 1
    hidden = topic(service, "Health", "Biopsy")
    assert [hit.topic.name for hit in found(service, "biopsy") if hit.match != "meaning"] == []
    assert "Biopsy" not in [hit.topic.name for hit in found(service, "biopsy positive")]
    with pytest.raises(NotFound):
        service.topics.memories(hidden).result(WAIT)
    assert service.topics.of_memory(secret).result(WAIT) == ()
    assert found(service, "biopsy", include_sensitive=True)[0].topic.name == "Biopsy"
    # Nor is the topic above it nearer for what is hidden in it.
    near, nearer = (
        {hit.topic.name: hit.score for hit in found(service, "positive", include_sensitive=seen)}.get("Health", 0.0)
        for seen in (False, True)
    )
    assert near < nearer
    assert ("Talks",) in tree(service, filters=Filters(scope="c1"))
    service.edit(secret, {"sensitivity": "medium"}, WINDOW).result(WAIT)
    assert ("Health", "Biopsy") in tree(service)
    service.edit(secret, {"topic_path": ()}, WINDOW).result(WAIT)
    assert ("Health", "Biopsy") not in tree(service)  # an empty one is shown to who may see all
    assert ("Health", "Biopsy") in tree(service, filters=EVERYWHERE, include_sensitive=True)


def test_a_summary_is_as_sensitive_as_it_is_said_to_be(words: Service) -> None:
    tell(words, "the biopsy was positive", "Health", "Biopsy", sensitivity="high")
    tell(words, "ran ten miles", "Health", "Sport")
    health = topic(words, "Health")
    words.topics.set_summary(health, "Runs, and waits for a doctor.", CLIENT).result(WAIT)
    assert tree(words)["Health",].summary == ""  # what it was made of may not be shown, nobody said otherwise
    assert tree(words, include_sensitive=True)["Health",].summary == "Runs, and waits for a doctor."
    words.topics.set_summary(health, "Runs a lot.", CLIENT, "normal").result(WAIT)
    assert tree(words)["Health",].summary == "Runs a lot."


# Staleness -------------------------------------------------------------------------------------------------------


def test_a_summary_goes_stale_when_it_is_old_and_memories_came(words: Service, clock: MovableClock) -> None:
    """S4: after 14 days, if memories came since; at once, if a newer digest of the topic is there."""
    tell(words, "Planted the tomatoes", "Garden", "Beds")
    written = words.topics.set_summary(topic(words, "Garden"), "Tomatoes.", CLIENT).result(WAIT)

    def stale() -> bool:
        return tree(words)["Garden",].stale

    clock.advance(timedelta(days=20))
    assert not stale()  # nothing came
    tell(words, "番茄长出来了", "Garden", "Beds")
    assert stale()
    words.topics.set_summary(topic(words, "Garden"), "番茄长势很好。", CLIENT).result(WAIT)
    clock.advance(timedelta(days=13))
    tell(words, "The hose leaks", "Garden")
    assert not stale()
    clock.advance(timedelta(days=1))
    assert stale()
    words.topics.set_summary(topic(words, "Garden"), "Tomatoes, and a hose.", CLIENT).result(WAIT)
    clock.advance(timedelta(hours=1))
    tell(words, "The week in the garden", "Garden", category="digest", digest_level=2, digest_period="2026-W23")
    assert stale()
    assert written.history_id is not None
    blank = words.topics.set_summary(topic(words, "Garden"), " ", WINDOW).result(WAIT)
    assert (tree(words)["Garden",].summary, stale()) == ("", False)
    assert blank.history_id is not None
    words.undo(blank.history_id, WINDOW).result(WAIT)
    assert tree(words)["Garden",].summary == "Tomatoes, and a hose."


# Bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "field"),
    [({"level": 5}, "level"), ({"limit": 0}, "limit"), ({"limit": 51}, "limit"), ({"query": 3}, "query")],
)
def test_what_can_not_be_asked_is_refused(words: Service, asked: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        words.topics.lookup(**asked).result(WAIT)
    assert refused.value.fields["field"] == field
