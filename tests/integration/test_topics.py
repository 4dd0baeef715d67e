"""The topic hierarchy through the real service: filing, deciding, taking back, suggesting, erasing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import Service, Settings
from engine.errors import Conflict, HupoError, InvalidArgument, Paused
from engine.storage import settings as kept
from engine.storage.database import FILE_NAME, Database
from engine.types import ALL_SCOPES, Actor, Draft, Filters, TopicNode

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


def place(service: Service, memory_id: int) -> tuple[str, ...]:
    way = service.topics.of_memory(memory_id, filters=EVERYWHERE, include_sensitive=True).result(WAIT)
    return way[-1].path if way else ()


# Filing ----------------------------------------------------------------------------------------------------------


def test_a_name_is_the_same_however_it_is_written(words: Service) -> None:
    first = tell(words, "我们在写记忆引擎", "工作", "琥珀项目")
    second = tell(words, "The tray icon is amber", "工作", "琥珀項目")
    third = tell(words, "Booked the train to Bern", "Travel", "Swiss  Alps")
    fourth = tell(words, "山上下雪了", "ＴＲＡＶＥＬ", "swiss alps")
    assert place(words, first) == place(words, second) == ("工作", "琥珀项目")
    assert place(words, third) == place(words, fourth) == ("Travel", "Swiss Alps")
    assert {path: (node.own, node.below) for path, node in tree(words).items()} == {
        ("Travel",): (0, 2), ("Travel", "Swiss Alps"): (2, 0), ("工作",): (0, 2), ("工作", "琥珀项目"): (2, 0),
    }  # fmt: skip
    assert words.get(second).result(WAIT).topic_path == ("工作", "琥珀項目")


@pytest.mark.parametrize(
    ("path", "reason"),
    [(("a", "b", "c", "d", "e"), "too_deep"), (("工作", " "), "blank_part"), (("x" * 201,), "too_long")],
)
def test_a_path_that_can_not_be_one_is_refused(words: Service, path: tuple[str, ...], reason: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        tell(words, "今天没事", *path)
    assert (refused.value.fields["field"], refused.value.fields["reason"]) == ("topic_path", reason)
    assert tree(words) == {}


def test_a_memory_is_filed_as_its_path_says_through_every_change(words: Service) -> None:
    one = tell(words, "Lena likes green tea", "Life", "Friends")
    edited = words.edit(one, {"topic_path": ("Life", "Food")}, WINDOW).result(WAIT)
    assert place(words, one) == ("Life", "Food")
    words.undo(edited.changes.history_ids[0], WINDOW).result(WAIT)
    assert place(words, one) == ("Life", "Friends")
    words.trash([one], WINDOW).result(WAIT)
    node = tree(words, filters=EVERYWHERE, include_sensitive=True)["Life", "Friends"]
    assert (node.own, place(words, one)) == (0, ("Life", "Friends"))
    words.restore([one], WINDOW).result(WAIT)
    assert tree(words)["Life", "Friends"].own == 1
    words.edit(one, {"topic_path": ()}, WINDOW).result(WAIT)
    assert place(words, one) == ()
    # A telling that knows where it belongs fills the path in.
    assert tell(words, "Lena likes green tea", "Life", "Friends") == one
    assert place(words, one) == ("Life", "Friends")


def test_a_store_from_before_is_filed_at_its_start(open_service: Opener, data_dir: Path) -> None:
    settings = Settings()
    settings.set("embedding.provider", "none")
    first = open_service(settings=settings)
    one, other = tell(first, "早上跑步", "生活", "运动"), tell(first, "Ran ten miles", "生活", "运动")
    first.close()
    database = Database.open(data_dir)
    with database.transaction() as cx:  # what a migration leaves: the paths, and nothing filed
        cx.execute("DELETE FROM memory_topics")
        cx.execute("DELETE FROM topics")
        cx.execute(f"UPDATE memories SET details = '{{}}' WHERE id = {other}")
        kept.put(cx, "topics.filed", "")
    database.close()
    second = open_service(settings=settings)
    second.idle().result(WAIT)
    assert place(second, one) == ("生活", "运动")
    second.edit(other, {"topic_path": ("生活",)}, WINDOW).result(WAIT)
    before = tree(second)
    second.reindex().result(WAIT)
    assert tree(second) == before


# Deciding --------------------------------------------------------------------------------------------------------


def test_a_new_name_keeps_the_old_one(words: Service) -> None:
    one = tell(words, "我们在写记忆引擎", "工作", "琥珀项目")
    done = words.topics.rename(topic(words, "工作", "琥珀项目"), "Hupo", WINDOW).result(WAIT)
    assert (place(words, one), done.memories) == (("工作", "Hupo"), ())
    other = tell(words, "托盘图标画好了", "工作", "琥珀項目")
    assert place(words, other) == ("工作", "Hupo")
    assert tree(words)["工作", "Hupo"].aliases == ("琥珀项目",)
    assert done.history_id is not None
    words.undo(done.history_id, WINDOW).result(WAIT)
    assert place(words, one) == place(words, other) == ("工作", "琥珀项目")
    with pytest.raises(Conflict) as again:
        words.undo(done.history_id, WINDOW).result(WAIT)
    assert again.value.fields["reason"] == "already_undone"


def test_an_alias_leads_a_path_to_a_known_topic(words: Service) -> None:
    one = tell(words, "我们在写记忆引擎", "工作")
    words.topics.add_alias(topic(words, "工作"), "Work", CLIENT).result(WAIT)
    other = tell(words, "The tray icon is amber", "ｗｏｒｋ", "Icons")
    assert (place(words, one), place(words, other)) == (("工作",), ("工作", "Icons"))
    same = words.topics.add_alias(topic(words, "工作"), "WORK", CLIENT).result(WAIT)
    assert same.history_id is None
    dropped = words.topics.drop_alias(topic(words, "工作"), "Work", WINDOW).result(WAIT)
    assert (place(words, other), dropped.memories) == (("ｗｏｒｋ", "Icons"), (other,))
    assert dropped.history_id is not None
    words.undo(dropped.history_id, WINDOW).result(WAIT)
    assert place(words, other) == ("工作", "Icons")
    assert ("ｗｏｒｋ",) not in tree(words, filters=EVERYWHERE, include_sensitive=True)


def test_two_topics_become_one_and_two_again(words: Service) -> None:
    texts = {"Work": "The quarterly report is late", "工作": "季度报告交晚了"}
    told = {name: tell(words, text, name, "Reports") for name, text in texts.items()}
    own = tell(words, "Lena joined the team", "Work", "People")
    before = tree(words)
    heard: list[Any] = []
    words.subscribe(heard.append)
    done = words.topics.merge([topic(words, "Work")], topic(words, "工作"), WINDOW).result(WAIT)
    words.idle().result(WAIT)
    assert place(words, told["Work"]) == place(words, told["工作"]) == ("工作", "Reports")
    assert place(words, own) == ("工作", "People")
    assert done.memories == (told["Work"],)
    assert [(one.action, one.updated) for one in heard] == [("topics_merged", (told["Work"],))]
    assert place(words, tell(words, "Bob asked for leave", "work", "people")) == ("工作", "People")
    assert place(words, tell(words, "工资涨了", "Work", "薪水")) == ("工作", "薪水")
    assert place(words, tell(words, "Paid on Fridays", "工作", "薪水")) == ("工作", "薪水")
    assert done.history_id is not None
    words.undo(done.history_id, WINDOW).result(WAIT)
    now = {path: node.id for path, node in tree(words).items()}
    assert {path: now[path] for path in before} == {path: node.id for path, node in before.items()}
    assert place(words, told["Work"]) == ("Work", "Reports")


def test_a_topic_moves_with_all_below_it(words: Service) -> None:
    one = tell(words, "Planted the tomatoes", "Home", "Garden", "Beds")
    two = tell(words, "买了新的花盆", "Leisure")
    done = words.topics.move(topic(words, "Home", "Garden"), topic(words, "Leisure"), WINDOW).result(WAIT)
    assert place(words, one) == ("Leisure", "Garden", "Beds")
    assert place(words, tell(words, "The hose leaks", "Home", "Garden")) == ("Leisure", "Garden")
    for parent, reason in ((topic(words, "Leisure", "Garden", "Beds"), "inside_itself"), (10**9, None)):
        with pytest.raises(HupoError) as refused:
            words.topics.move(topic(words, "Leisure"), parent, WINDOW).result(WAIT)
        assert refused.value.fields.get("reason") == reason
    tell(words, "Deep down", "A", "B", "C")
    with pytest.raises(InvalidArgument) as deep:
        words.topics.move(topic(words, "A"), topic(words, "Leisure", "Garden"), WINDOW).result(WAIT)
    assert deep.value.fields["reason"] == "too_deep"
    assert done.history_id is not None
    words.undo(done.history_id, WINDOW).result(WAIT)
    assert (place(words, one), place(words, two)) == (("Home", "Garden", "Beds"), ("Leisure",))


def test_a_path_that_had_to_end_goes_on_when_there_is_room(words: Service) -> None:
    tell(words, "Planted the tomatoes", "A", "B")
    tell(words, "买了新的花盆", "P", "Q", "R")
    words.topics.move(topic(words, "A", "B"), topic(words, "P", "Q", "R"), WINDOW).result(WAIT)
    deep = tell(words, "The hose leaks", "A", "B", "C")
    assert place(words, deep) == ("P", "Q", "R", "B")
    risen = words.topics.move(topic(words, "P", "Q", "R", "B"), None, WINDOW).result(WAIT)
    assert (place(words, deep), risen.memories) == (("B", "C"), (deep,))
    assert risen.history_id is not None
    words.undo(risen.history_id, WINDOW).result(WAIT)
    assert place(words, deep) == ("P", "Q", "R", "B")


def test_an_alias_that_comes_back_gets_what_its_name_means_again(words: Service) -> None:
    tell(words, "Lena joined the team", "A", "People")
    words.topics.add_alias(topic(words, "A", "People"), "Staff", WINDOW).result(WAIT)
    dropped = words.topics.drop_alias(topic(words, "A", "People"), "Staff", WINDOW).result(WAIT)
    tell(words, "The cook is ill", "B", "Staff")
    words.topics.merge([topic(words, "A")], topic(words, "B"), WINDOW).result(WAIT)
    one = tell(words, "Bob asked for leave", "A", "Staff")
    assert place(words, one) == ("B", "Staff")
    assert dropped.history_id is not None
    words.undo(dropped.history_id, WINDOW).result(WAIT)
    assert place(words, one) == ("B", "People")


def test_names_that_are_taken_and_topics_that_are_not_empty_are_refused(words: Service) -> None:
    tell(words, "Lena joined the team", "Work", "People")
    tell(words, "Cells divide", "Science")
    with pytest.raises(InvalidArgument, match="topic_taken"):
        words.topics.rename(topic(words, "Work"), "SCIENCE", WINDOW).result(WAIT)
    one = tell(words, "A slip of paper", "Loose")
    words.trash([one], WINDOW).result(WAIT)
    for path in (("Work",), ("Loose",)):
        with pytest.raises(InvalidArgument, match="not_empty"):
            words.topics.remove(topic(words, *path), WINDOW).result(WAIT)
    words.edit(one, {"topic_path": ()}, WINDOW).result(WAIT)
    gone = words.topics.remove(topic(words, "Loose"), WINDOW).result(WAIT)
    assert ("Loose",) not in tree(words, filters=EVERYWHERE, include_sensitive=True)
    assert gone.history_id is not None
    words.undo(gone.history_id, WINDOW).result(WAIT)
    assert ("Loose",) in tree(words, filters=EVERYWHERE, include_sensitive=True)


def test_what_was_decided_since_is_not_undone_over(words: Service) -> None:
    tell(words, "Lena joined the team", "Work", "People")
    first = words.topics.rename(topic(words, "Work"), "Job", WINDOW).result(WAIT)
    words.topics.rename(topic(words, "Job"), "Office", WINDOW).result(WAIT)
    other = words.topics.add_alias(topic(words, "Office"), "Bureau", WINDOW).result(WAIT)
    words.topics.drop_alias(topic(words, "Office"), "Bureau", WINDOW).result(WAIT)
    for one in (first, other):
        assert one.history_id is not None
        with pytest.raises(Conflict) as late:
            words.undo(one.history_id, WINDOW).result(WAIT)
        assert late.value.fields["reason"] == "changed_since"
    assert ("Office", "People") in tree(words)


def test_a_paused_client_decides_nothing(words: Service) -> None:
    tell(words, "Lena joined the team", "Work")
    words.settings.set("memory.paused", True)
    with pytest.raises(Paused):
        words.topics.rename(topic(words, "Work"), "Job", CLIENT).result(WAIT)
    words.topics.rename(topic(words, "Work"), "Job", WINDOW).result(WAIT)


# Suggesting ------------------------------------------------------------------------------------------------------


def test_three_of_a_topic_suggest_it_and_nothing_is_moved(words: Service) -> None:
    """S4 would take every memory that names 琥珀, those that are filed elsewhere with them."""
    for text in ("引擎写完了", "托盘画好了", "索引变快了"):
        tell(words, text, "工作", "琥珀", topics=("琥珀",), participants=("Lena",))
    elsewhere = tell(words, "Lena 送我一块琥珀", "生活", "礼物", topics=("琥珀",), participants=("Lena",))
    loose = tell(words, "发布定在周五", topics=("琥珀",))
    other = tell(words, "Bob bought a boat", participants=("Bob",))
    (only,) = words.topics.suggest().result(WAIT)
    assert (only.memory_id, only.topic_id, only.why, only.support) == (
        loose,
        topic(words, "工作", "琥珀"),
        ("琥珀",),
        3,
    )
    assert place(words, elsewhere) == ("生活", "礼物") and place(words, loose) == place(words, other) == ()


def test_what_everything_mentions_suggests_nothing(words: Service) -> None:
    """A name that is spread over topics speaks for none of them, and two memories are not three."""
    texts = ("Soup was cold", "Rain all day", "The bus came late", "A long call", "New shoes", "雪下得很大", "地铁很挤",
             "猫睡了一天")  # fmt: skip
    for number, text in enumerate(texts):
        tell(words, text, f"Topic {number % 2}", participants=("Lena",))
    tell(words, "橙子很甜", "水果", topics=("橙子",))
    tell(words, "橙子涨价了", "水果", topics=("橙子",))
    tell(words, "Lena called", participants=("Lena",))
    tell(words, "榨了橙子汁", topics=("橙子",))
    assert words.topics.suggest().result(WAIT) == ()
    third = tell(words, "橙子剥好了", "水果", topics=("橙子",))
    assert [one.topic_id for one in words.topics.suggest().result(WAIT)] == [topic(words, "水果")]
    words.edit(third, {"sensitivity": "high"}, WINDOW).result(WAIT)
    assert words.topics.suggest().result(WAIT) == ()  # what is hidden speaks for nothing


# Erasing ---------------------------------------------------------------------------------------------------------


def test_an_erased_memory_takes_the_names_that_were_its_alone(words: Service, data_dir: Path) -> None:
    one = tell(words, "the biopsy was positive", "Zahnmedizin", "Wurzelbehandlung")
    two = tell(words, "ran ten miles", "Health", "Querfeldein")
    done = words.topics.rename(topic(words, "Zahnmedizin", "Wurzelbehandlung"), "Kronenersatz", WINDOW).result(WAIT)
    assert done.history_id is not None
    words.undo(done.history_id, WINDOW).result(WAIT)
    words.topics.add_alias(topic(words, "Health", "Querfeldein"), "Waldlauf", WINDOW).result(WAIT)
    words.erase([one, two], WINDOW).result(WAIT)
    assert set(tree(words, filters=EVERYWHERE, include_sensitive=True)) == {("Health",), ("Health", "Querfeldein")}
    words.idle().result(WAIT)
    words.close()
    raw = b"".join(path.read_bytes() for path in data_dir.glob(f"{FILE_NAME}*"))
    for word in (b"Zahnmedizin", b"Wurzelbehandlung", b"Kronenersatz"):
        assert word not in raw
    assert b"Waldlauf" in raw  # somebody wrote that as the topic's name
