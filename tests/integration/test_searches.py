"""The reads beside recall on a real service: S2's three-way search, S3's filtered search and patterns, S4's scored
recall with what stands around it, and browsing by the user's days; in Chinese and English.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from engine import Service
from engine.clock import MovableClock
from engine.errors import InvalidArgument
from engine.types import ALL_SCOPES, Actor, Draft, FilteredSearch, Filters, Query

from .conftest import WAIT, Opener

GUI = Actor("gui", "window")
EVERYWHERE = Filters(scope=ALL_SCOPES)


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock(datetime(2026, 5, 1, 12, tzinfo=UTC), ZoneInfo("Asia/Shanghai"))


def told(service: Service, content: str, **more: object) -> int:
    remembered = service.memorize(Draft(content, **more), GUI).result(WAIT)  # type: ignore[arg-type]
    return remembered.memory.id


def settled(service: Service) -> None:
    service.idle().result(WAIT)


# S2 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "by_word", "by_tag"),
    [("pottery", "She took up pottery in spring", "Clay and a wheel"), ("陶艺", "她春天开始学陶艺", "泥和转盘")],
)
def test_s2_three_routes_have_their_weights(service: Service, question: str, by_word: str, by_tag: str) -> None:
    word, tag = told(service, by_word), told(service, by_tag, tags=(question.upper(),))
    told(service, "The ferry leaves at nine 轮渡九点开")
    settled(service)
    hits = service.searches.search(question).result(WAIT).hits
    routes = {hit.memory.id: {one.route: (one.rank, one.share) for one in hit.routes} for hit in hits}
    assert routes[word]["literal"] == (1, 1.2 / 61)
    assert routes[tag]["tag"] == (1, 1.5 / 61)
    assert "literal" not in routes[tag] or routes[tag]["literal"][0] == 2
    for hit in hits:
        assert hit.score == pytest.approx(sum(one.share for one in hit.routes))
        for one in hit.routes:
            assert one.share == {"literal": 1.2, "tag": 1.5, "vector": 1.0}[one.route] / (60 + one.rank)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.parametrize("text", ["", "  ", "。", "quantum 量子纠缠"])
def test_s2_nothing_is_an_answer(open_service: Opener, text: str) -> None:
    service = open_service()
    service.settings.set("embedding.provider", "none")
    told(service, "量力而行, 孩子在花园里 the children are in the garden", tags=("家", " "))
    assert service.searches.search(text).result(WAIT).hits == ()
    assert service.searches.by_tag("").result(WAIT) == service.searches.by_tag(" ").result(WAIT) == ()


def test_s2_by_tag_is_exact_but_for_case(service: Service) -> None:
    one, two = told(service, "First 甲", tags=("Tea", "茶")), told(service, "Second 乙", tags=("TEA",))
    told(service, "Third 丙", tags=("tea house", "茶馆"))
    assert [memory.id for memory in service.searches.by_tag("ｔｅａ").result(WAIT)] == [two, one]
    assert [memory.id for memory in service.searches.by_tag("茶").result(WAIT)] == [one]
    assert [memory.id for memory in service.searches.by_tag("tea", 1).result(WAIT)] == [two]


@pytest.mark.parametrize(
    ("content", "question", "marked"),
    [
        ("So far nothing. " * 30 + "He DRINKS green tea each day" + " and so on" * 40, "drink tea", ["DRINKS", "tea"]),
        ("没什么新鲜事。" * 60 + "他每天都喝绿茶配点心" + "等等" * 100, "喝绿茶", ["喝绿茶"]),
    ],
)
def test_s2_a_snippet_shows_and_marks_what_matched(
    service: Service, content: str, question: str, marked: list[str]
) -> None:
    told(service, content)
    snippet = service.searches.search(question, snippet=80).result(WAIT).hits[0].snippet
    assert len(snippet.text) <= 80 and snippet.text in content and snippet.before and snippet.after
    assert [snippet.text[start:end] for start, end in snippet.spots] == marked


# S3 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("often", "once", "other", "word"),
    [
        ("tea, tea and tea again", "a long evening with friends, cake and a cup of tea at home", "coffee", "tea"),
        ("绿茶绿茶还是绿茶", "和朋友们过了一个长长的晚上，有蛋糕，还在家里喝了一杯绿茶", "咖啡", "绿茶"),
    ],
)
def test_s3_sorts_really_by_what_is_asked(
    service: Service, clock: MovableClock, often: str, once: str, other: str, word: str
) -> None:
    low = told(service, often, importance=0.2)
    clock.advance(timedelta(hours=1))
    high = told(service, once, importance=0.9)
    clock.advance(timedelta(hours=1))
    rest = told(service, other, importance=0.5)

    def found(**more: object) -> list[int]:
        asked = FilteredSearch(**more)  # type: ignore[arg-type]
        answer = service.searches.filtered(asked).result(WAIT)
        assert answer.total >= len(answer.hits)
        return [hit.memory.id for hit in answer.hits]

    for order, turn in (("desc", 1), ("asc", -1)):
        assert found(query=word, sort="relevance", order=order) == [low, high][::turn]
        assert found(query=word, sort="score", order=order) == [high, low][::turn]
        assert found(query=word, sort="timestamp", order=order) == [high, low][::turn]
        assert found(sort="timestamp", order=order) == [rest, high, low][::turn]
        assert found(sort="score", order=order) == [high, rest, low][::turn]
    assert found(keywords=(word,), max_score=0.3) == [low]
    assert found(min_score=0.5, max_score=0.9, sort="score") == [high, rest]
    assert set(found(keywords=(other, word), min_score=0.3)) == {high, rest}
    assert found(query=word, keywords=(other,)) == []
    begin = datetime(2026, 5, 1, 12, 30, tzinfo=UTC)
    assert found(query=word, filters=Filters(since=begin)) == [high]
    assert found(query=word, filters=Filters(until=begin)) == [low]
    assert service.searches.filtered(FilteredSearch(limit=1)).result(WAIT).total == 3


@pytest.mark.parametrize(
    "wrong", [{"limit": 0}, {"limit": 101}, {"min_score": 2}, {"sort": "best"}, {"order": "up"}, {"keywords": "a"}]
)
def test_s3_refuses_what_it_can_not_do(service: Service, wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidArgument) as refused:
        service.searches.filtered(FilteredSearch(**wrong)).result(WAIT)  # type: ignore[arg-type]
    assert refused.value.fields["field"] in wrong


def test_s3_patterns_in_both_languages(service: Service, clock: MovableClock) -> None:
    for at in range(6):
        told(service, f"Alice: the pottery lesson number {at} went well", tags=("Craft",), importance=0.35)
        told(service, f"李雷：第{at}次陶艺课很顺利", importance=0.75, tags=("craft", "手艺"))
        clock.advance(timedelta(hours=1))
    found = service.searches.patterns(keywords=4).result(WAIT)
    words = {one.word: one for one in found.keywords}
    assert words["pottery"].count == 6 and words["陶艺"].count == 6
    assert found.keywords[0].weight == 1.0
    # Twelve at noon UTC is eight in the evening of a Friday there; four hours later it is Saturday.
    assert found.hours[20] == found.hours[1] == 2 and sum(found.hours) == 12
    assert found.weekdays == (0, 0, 0, 0, 8, 4, 0)
    assert found.days == {date(2026, 5, 1): 8, date(2026, 5, 2): 4}
    assert found.roles == {"Alice": 6, "李雷": 6}
    assert list(found.tags.values()) == [12, 6] and "手艺" in found.tags
    assert found.scores[3] == found.scores[7] == 6 and found.mean_score == pytest.approx(0.55)
    assert sum(found.layers.values()) == found.total == found.counted == 12


# S4 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "popular", "question"),
    [
        ("Frank owns the Glacier deadline", "Juniper and Ember ship on Monday", "Glacier deadline Frank"),
        ("弗兰克负责冰川项目的截止日期", "杜松和余烬周一发布", "冰川截止日期弗兰克"),
    ],
)
def test_s4_popularity_does_not_run_away(service: Service, wanted: str, popular: str, question: str) -> None:
    """Seed 004 gave the often recalled after 100 searches."""
    one, other = told(service, wanted, importance=0.5), told(service, popular, importance=0.5)
    settled(service)
    for _ in range(100):
        service._engine.reinforce([other])
    hits = service.searches.scored(question).result(WAIT).hits
    assert hits[0].memory.id == one
    second = next(hit for hit in hits if hit.memory.id == other)
    assert second.parts["recall"] == 5.0
    assert hits[0].parts["importance"] == 15.0 and hits[0].parts["similarity"] == pytest.approx(15.0)
    assert hits[0].score == pytest.approx(sum(hits[0].parts.values()))


def test_s4_ranges_are_of_local_days(service: Service, clock: MovableClock) -> None:
    """In Shanghai 17:00 UTC is already tomorrow."""
    for day in (0, 29, 30, 83, 84):
        clock.move_to(datetime(2026, 5, 1, 15, tzinfo=UTC) + timedelta(days=day))
        told(service, f"tea 茶 {day}", category="drink" if day else "")
    clock.move_to(datetime(2026, 7, 24, 17, tzinfo=UTC))

    def days(time_range: str, **more: str) -> set[str]:
        found = service.searches.scored("茶 tea", 20, time_range=time_range, **more)  # type: ignore[arg-type]
        return {hit.memory.content.split()[-1] for hit in found.result(WAIT).hits}

    assert days("1d") == set()
    assert days("7d") == {"83", "84"}
    assert days("90d") == days("all") == {"0", "29", "30", "83", "84"}
    assert days("30d") == {"83", "84"}
    assert days("all", category="drink") == {"29", "30", "83", "84"}
    clock.move_to(datetime(2026, 7, 24, 15, 59, tzinfo=UTC))
    assert days("1d") == {"84"}


def test_s4_what_stands_around_the_hits(service: Service) -> None:
    first = told(service, "The Glacier kiln was fired 窑烧好了", topic_path=("Crafts", "Pottery"))
    told(service, "secret kiln code 密码", topic_path=("Vault",), sensitivity="high")
    days = []
    for period in ("2026-04-29", "2026-04-30"):
        made = service.digests.save(1, period, f"digest of {period}", (first,), actor=GUI).result(WAIT)
        days.append(made.memory.id)
    service.digests.save(2, "2026-W18", "digest of a week", days, actor=GUI).result(WAIT)
    topics = {node.name: node.id for node in service.topics.tree().result(WAIT)}
    service.topics.set_summary(topics["Pottery"], "All about the kiln", GUI).result(WAIT)
    found = service.searches.scored("kiln 窑").result(WAIT)
    assert [one.digest_period for one in found.macro.digests] == ["2026-W18", "2026-04-30"]
    assert [(one.path, one.summary) for one in found.macro.topics] == [
        (("Crafts",), ""),
        (("Crafts", "Pottery"), "All about the kiln"),
    ]
    assert found.hidden == 1
    shown = service.searches.scored("kiln code 密码", include_sensitive=True).result(WAIT)
    assert ("Vault",) in [one.path for one in shown.macro.topics] and shown.hidden == 0


# Browsing --------------------------------------------------------------------------------------------------------


def test_a_timeline_by_local_day(service: Service, clock: MovableClock) -> None:
    ids = []
    for hour in range(15, 20):  # midnight there is 16:00 UTC
        clock.move_to(datetime(2026, 5, 1, hour, tzinfo=UTC))
        ids.append(told(service, f"walk 散步 {hour}"))
    first, second = date(2026, 5, 1), date(2026, 5, 2)
    read = service.searches
    assert read.calendar(date(2026, 4, 1), date(2026, 5, 31)).result(WAIT) == {first: 1, second: 4}
    page = read.timeline(3).result(WAIT)
    assert [(one.day, one.count, [m.id for m in one.memories]) for one in page.days] == [(second, 4, ids[:1:-1])]
    rest = read.timeline(3, page.next_cursor).result(WAIT)
    assert [(one.day, one.count, [m.id for m in one.memories]) for one in rest.days] == [
        (second, 4, [ids[1]]),
        (first, 1, [ids[0]]),
    ]
    assert rest.next_cursor is None and page.total == 5
    assert [one.day for one in read.timeline(first=first, last=first).result(WAIT).days] == [first]
    with pytest.raises(InvalidArgument):
        read.calendar(second, first).result(WAIT)


# All ------------------------------------------------------------------------------------------------------------


def test_all_reads_keep_what_is_hidden_out_of_scope_or_gone(service: Service) -> None:
    seen = told(service, "Mira keeps honey 蜂蜜", tags=("蜂蜜",))
    told(service, "Mira keeps honey in the safe 保险箱里的蜂蜜", tags=("蜂蜜",), sensitivity="high")
    told(service, "Mira told of honey here 这里的蜂蜜", tags=("蜂蜜",), conversation_id="c1")
    service.trash([told(service, "Mira sold the honey 蜂蜜卖了", tags=("蜂蜜",))], GUI).result(WAIT)
    settled(service)
    read, today = service.searches, date(2026, 5, 1)

    def count(filters: Filters, include: bool) -> set[int]:
        more: Any = {"filters": filters, "include_sensitive": include}
        return {
            len(read.search("honey 蜂蜜", 20, **more).result(WAIT).hits),
            len(read.by_tag("蜂蜜", **more).result(WAIT)),
            read.filtered(FilteredSearch("蜂蜜", filters=filters), include_sensitive=include).result(WAIT).total,
            read.patterns(**more).result(WAIT).total,
            len(read.scored("honey 蜂蜜", 20, **more).result(WAIT).hits),
            read.calendar(today, today, **more).result(WAIT).get(today, 0),
            read.timeline(**more).result(WAIT).total,
        }

    assert count(Filters(), False) == {1} and count(Filters(), True) == {2}
    assert count(Filters(scope="c1"), False) == {2} and count(EVERYWHERE, True) == {3}
    assert count(Filters(sensitivities=("high",)), False) == {0}
    assert count(Filters(statuses=("trashed",)), False) == {1}
    before = service.get(seen).result(WAIT)
    settled(service)
    assert (before.recall_count, before.last_accessed_at) == (0, None)
    assert service.recall(Query("honey 蜂蜜")).result(WAIT).hits[0].memory.id == seen
