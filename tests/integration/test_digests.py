"""Digests through the real service: what waits, what they are made of, saving, replacing, and the user's days (S4)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from engine import Service, Settings
from engine.clock import MovableClock
from engine.digest import compaction
from engine.errors import InvalidArgument, NotFound, Paused, Protected
from engine.types import Actor, Draft, Filters, Listing, PeriodDue

WAIT = 20.0
CLIENT = Actor("client", "assistant")
GUI = Actor("gui")
SHANGHAI = ZoneInfo("Asia/Shanghai")
NEW_YORK = ZoneInfo("America/New_York")
Opener = Callable[..., Service]
# One sentence a memory, in turn Chinese and English.
TELLINGS = (
    "在西湖边散步了两个小时", "The boat was painted blue", "和小林吃了火锅", "Fixed the leaking kitchen tap",
    "买了一盏台灯", "Read half of a book on glaciers",
)  # fmt: skip


@pytest.fixture
def clock() -> MovableClock:
    """Monday 23 February 2026, ten in the morning in Shanghai."""
    return MovableClock(datetime(2026, 2, 23, 2, tzinfo=UTC), SHANGHAI)


@pytest.fixture
def service(open_service: Opener) -> Service:
    settings = Settings()
    settings.set("embedding.provider", "none")
    return open_service(settings=settings)


def tell(service: Service, count: int = 3, **fields: Any) -> list[int]:
    now = service._access.clock.now().isoformat()
    texts = (f"{TELLINGS[number % 6]} #{now} {number}" for number in range(count))
    return [service.memorize(Draft(text, layer="event", **fields), CLIENT).result(WAIT).memory.id for text in texts]


def due(service: Service) -> dict[int, list[str]]:
    return {one.level: [each.period for each in one.periods] for one in service.digests.due().result(WAIT)}


def save(service: Service, level: int, period: str, content: str = "", **more: Any) -> Any:
    text = content or f"第 {period} 期：走路、修水龙头。What went on in {period}."
    return service.digests.save(level, period, text, actor=CLIENT, **more).result(WAIT)


def next_day(clock: MovableClock, days: int = 1) -> None:
    clock.advance(timedelta(days=days))


def test_s4_a_day_waits_once_it_is_over_and_a_missed_one_waits_on(service: Service, clock: MovableClock) -> None:
    """S4 asked for yesterday alone: a day missed was never offered again."""
    told = tell(service)
    clock.move_to(datetime(2026, 2, 23, 15, 59, 59, tzinfo=UTC))  # a second before midnight in Shanghai
    assert service.digests.due().result(WAIT) == () and service.digests.due_count().result(WAIT) == 0
    clock.move_to(datetime(2026, 2, 23, 16, tzinfo=UTC))
    (waiting,) = service.digests.due().result(WAIT)
    assert (waiting.count, waiting.periods) == (1, (PeriodDue("2026-02-23", 3),))
    tell(service, 2)  # two are not enough
    next_day(clock)
    tell(service, 4)
    next_day(clock, 40)
    (waiting,) = service.digests.due().result(WAIT)
    assert [one.period for one in waiting.periods] == ["2026-02-23", "2026-02-25"]
    assert waiting.latest == PeriodDue("2026-02-25", 4)
    assert service.digests.due_count().result(WAIT) == 2
    oldest = service.digests.sources(1).result(WAIT)
    assert (oldest.period, [one.id for one in oldest.sources]) == ("2026-02-23", told)
    save(service, 1, "2026-02-23")
    assert due(service) == {1: ["2026-02-25"]}


def test_of_many_the_oldest_are_named_and_all_are_counted(service: Service, clock: MovableClock) -> None:
    for _ in range(12):
        tell(service)
        next_day(clock)
    (waiting,) = service.digests.due().result(WAIT)
    assert (waiting.count, len(waiting.periods)) == (12, 10)
    assert (waiting.periods[0].period, waiting.latest) == ("2026-02-23", PeriodDue("2026-03-06", 3))


def test_s4_a_digest_is_no_source_of_its_own_level_and_knows_its_sources(service: Service, clock: MovableClock) -> None:
    """S4 saved digests as memories that were candidates of the next day, and wrote the link on the wrong side."""
    first = tell(service)
    next_day(clock)
    digest = save(service, 1, "2026-02-23").memory
    assert (digest.category, digest.layer, digest.digest_level, digest.digest_period) == (
        "digest", "event", 1, "2026-02-23",
    )  # fmt: skip
    assert digest.sources == tuple(first)
    assert digest.event_time == datetime(2026, 2, 22, 16, tzinfo=UTC)
    service.memorize(Draft("A digest without a level", category="digest"), CLIENT).result(WAIT)
    mine = tell(service, 2)
    next_day(clock)
    assert due(service) == {}, "two memories and two digests of that day"
    assert [one.id for one in service.digests.sources(1, "2026-02-24").result(WAIT).sources] == mine
    links = service.digests.of(first[0]).result(WAIT)
    assert ([one.id for one in links.digests], links.sources) == ([digest.id], ())
    links = service.digests.of(digest.id).result(WAIT)
    assert (links.digests, [one.id for one in links.sources]) == ((), first)
    with pytest.raises(NotFound):
        service.digests.of(9999).result(WAIT)


def test_s4_days_make_a_week_weeks_a_month_months_a_year(service: Service, clock: MovableClock) -> None:
    """Thresholds 3, 5, 3 and 6; a week goes into the month of its Thursday."""
    clock.move_to(datetime(2026, 1, 5, 2, tzinfo=UTC))  # the Monday of week 2
    month: dict[str, list[str]] = {}
    for week in range(2, 28):
        thursday = date.fromisocalendar(2026, week, 4)
        for day in range(1, 6):
            name = date.fromisocalendar(2026, week, day).isoformat()
            save(service, 1, name)
            next_day(clock)
        assert 2 not in due(service), "the week is not over"
        next_day(clock, 2)
        name = f"2026-W{week:02}"
        assert due(service)[2] == [name]
        week_digest = save(service, 2, name).memory
        assert len(week_digest.sources) == 5
        assert 2 not in due(service)
        month.setdefault(f"{thursday:%Y-%m}", []).append(name)
        ready = due(service).get(3, [])
        for one in ready:
            found = service.digests.sources(3, one).result(WAIT)
            assert [each.digest_period for each in found.sources] == month[one]
            save(service, 3, one)
    next_day(clock, 30)
    save(service, 3, "2026-06")
    assert due(service) == {}, "the year is not over"
    clock.move_to(datetime(2026, 12, 31, 16, tzinfo=UTC))
    assert due(service) == {4: ["2026"]}
    year = save(service, 4, "2026").memory
    assert [one.digest_level for one in service.digests.of(year.id).result(WAIT).sources] == [3] * 6
    assert due(service) == {}
    assert [(one.level, one.last_period, one.due, one.period) for one in service.digests.status().result(WAIT)] == [
        (1, "2026-07-03", 0, "2027-01-01"), (2, "2026-W27", 0, "2026-W53"), (3, "2026-06", 0, "2027-01"),
        (4, "2026", 0, "2027"),
    ]  # fmt: skip


@pytest.mark.parametrize(("count", "waits"), [(4, False), (5, True)])
def test_a_week_over_new_year_is_week_one(open_service: Opener, clock: MovableClock, count: int, waits: bool) -> None:
    settings = Settings()
    settings.set("embedding.provider", "none")
    settings.set("digest.daily_least", "2")
    service = open_service(settings=settings)
    clock.move_to(datetime(2025, 12, 29, 2, tzinfo=UTC))
    for _ in range(count):
        tell(service, 2)
        next_day(clock)
    assert due(service)[1][0] == "2025-12-29"
    for number in range(count):
        save(service, 1, (date(2025, 12, 29) + timedelta(days=number)).isoformat())
    clock.move_to(datetime(2026, 1, 4, 16, tzinfo=UTC))
    assert due(service).get(2, []) == (["2026-W01"] if waits else [])


def test_the_users_days_of_summer_time(open_service: Opener, data_dir: Any, clock: MovableClock) -> None:
    clock._zone = NEW_YORK
    settings = Settings()
    settings.set("embedding.provider", "none")
    service = open_service(settings=settings)
    clock.move_to(datetime(2026, 3, 8, 4, 59, tzinfo=UTC))  # 23:59 on Saturday
    (saturday,) = tell(service, 1)
    clock.move_to(datetime(2026, 3, 8, 5, 30, tzinfo=UTC))
    early = tell(service, 2)
    clock.move_to(datetime(2026, 3, 9, 3, 59, tzinfo=UTC))  # 23:59 of a day of 23 hours
    late = tell(service, 1)
    clock.move_to(datetime(2026, 3, 9, 4, tzinfo=UTC))
    tell(service, 3)
    assert due(service) == {1: ["2026-03-08"]}, "today is not over"
    found = service.digests.sources(1).result(WAIT)
    assert [one.id for one in found.sources] == [*early, *late] and saturday not in {one.id for one in found.sources}


def test_a_second_digest_of_a_period_replaces_the_first_and_can_be_taken_back(
    service: Service, clock: MovableClock
) -> None:
    tell(service)
    next_day(clock)
    first = save(service, 1, "2026-02-23", "Walked by the lake. 散步。")
    again = save(service, 1, "2026-02-23", "Walked by the lake. 散步。")
    assert (again.outcome, again.memory.id) == ("reinforced", first.memory.id)
    second = save(service, 1, "2026-02-23", "Walked for two hours, then hot pot. 散步，火锅。")
    assert (second.outcome, second.replaced) == ("superseded", (first.memory.id,))

    def standing() -> list[int]:
        page = service.list(Listing(Filters(categories=("digest",)))).result(WAIT)
        assert page.total == 1, "never two of one period"
        assert service.digests.sources(1, "2026-02-23").result(WAIT).already == (page.memories[0].id,)
        return [page.memories[0].id]

    assert standing() == [second.memory.id]
    service.edit(first.memory.id, {"status": "active"}, GUI).result(WAIT)
    assert standing() == [first.memory.id]
    service.undo_latest(first.memory.id, GUI).result(WAIT)
    service.edit(second.memory.id, {"status": "active"}, GUI).result(WAIT)
    assert standing() == [second.memory.id]
    service.trash([second.memory.id], GUI).result(WAIT)
    service.edit(first.memory.id, {"status": "active"}, GUI).result(WAIT)
    assert standing() == [first.memory.id]
    service.restore([second.memory.id], GUI).result(WAIT)
    assert len(standing()) == 1
    assert due(service) == {}


def test_the_same_words_about_another_day_are_another_digest(service: Service, clock: MovableClock) -> None:
    for _ in range(2):
        tell(service)
        next_day(clock)
    text = "平静的一天。A quiet day."
    assert service.memorize(Draft(text), CLIENT).result(WAIT).outcome == "stored"
    ids = {save(service, 1, period, text).memory.id for period in ("2026-02-23", "2026-02-24")}
    assert len(ids) == 2
    assert due(service) == {}


def test_a_protected_digest_is_not_replaced(service: Service, clock: MovableClock) -> None:
    tell(service)
    next_day(clock)
    kept = save(service, 1, "2026-02-23", "Kept").memory
    service.edit(kept.id, {"protected": True}, GUI).result(WAIT)
    with pytest.raises(Protected):
        save(service, 1, "2026-02-23", "Another")
    assert save(service, 1, "2026-02-23", "Kept").outcome == "reinforced"


def test_a_digest_made_before_the_day_is_over_counts_for_what_it_tells(service: Service, clock: MovableClock) -> None:
    tell(service)
    save(service, 1, "2026-02-23", "The morning")
    clock.advance(timedelta(hours=3))
    tell(service, 2)
    next_day(clock)
    assert due(service) == {}, "two more are not enough"
    clock.move_to(datetime(2026, 2, 23, 15, tzinfo=UTC))
    evening = tell(service, 1)
    next_day(clock)
    assert due(service) == {1: ["2026-02-23"]}
    whole = save(service, 1, "2026-02-23", "The whole day")
    assert whole.outcome == "superseded" and set(evening) < set(whole.memory.sources)
    assert due(service) == {}


def test_what_counts_as_told_on_a_day(service: Service, clock: MovableClock) -> None:
    old, trashed, talk = (
        tell(service, 1)[0], service.memorize(Draft("Forget me"), CLIENT).result(WAIT).memory.id,
        service.memorize(Draft("Said in a talk", conversation_id="c"), CLIENT).result(WAIT).memory.id,
    )  # fmt: skip
    service.trash([trashed], GUI).result(WAIT)
    service.edit(old, {"status": "superseded"}, GUI).result(WAIT)
    (last,) = tell(service, 1, tags=("again",))[:1]
    found = service.digests.sources(1, "2026-02-23").result(WAIT)
    assert {one.id for one in found.sources} == {old, last}, "what was replaced since had happened"
    assert talk not in {one.id for one in found.sources}


@pytest.mark.parametrize("hide", [True, False])
def test_sensitive_sources_are_left_out_and_counted(open_service: Opener, clock: MovableClock, hide: bool) -> None:
    settings = Settings()
    settings.set("embedding.provider", "none")
    settings.set("privacy.hide_sensitive", hide)
    service = open_service(settings=settings)
    plain = tell(service, 2)
    secret = service.memorize(Draft("保险箱里的东西 Seidlitz", sensitivity="high"), CLIENT).result(WAIT).memory.id
    medium = service.memorize(Draft("Somewhat private", sensitivity="medium"), CLIENT).result(WAIT).memory.id
    service.trash([plain[0]], GUI).result(WAIT)
    next_day(clock)
    found = service.digests.sources(1, "2026-02-23").result(WAIT)
    shown = [plain[1], medium] if hide else [plain[1], secret, medium]
    assert ([one.id for one in found.sources], found.total, found.hidden) == (shown, len(shown), int(hide))
    assert due(service) == ({} if hide else {1: ["2026-02-23"]}), "what can not be shown asks for no digest"
    assert len(service.digests.due(include_sensitive=True).result(WAIT)) == 1
    every = service.digests.sources(1, "2026-02-23", include_sensitive=True).result(WAIT)
    assert (len(every.sources), every.hidden) == (3, 0)
    made = save(service, 1, "2026-02-23", "From what is shown")
    assert made.memory.sensitivity == ("medium" if hide else "high")
    told = save(service, 1, "2026-02-23", "From all of it", sources=[secret, plain[1]], sensitivity="normal")
    assert (told.memory.sensitivity, told.memory.sources) == ("high", (plain[1], secret))
    assert service.digests.of(plain[1]).result(WAIT).hidden == int(hide)


def test_at_most_two_hundred_sources_and_as_many_as_the_budget_pays_for(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert compaction.MOST_SOURCES == 200
    monkeypatch.setattr(compaction, "MOST_SOURCES", 20)
    important = service.memorize(Draft("The lease was signed", importance=1.0), CLIENT).result(WAIT).memory.id
    drafts = [Draft(f"Number {n} of the stamps, the {n * 7} with a red edge") for n in range(24)]
    for each in [service.memorize(one, CLIENT) for one in drafts]:
        each.result(WAIT)
    last = service.memorize(Draft("钥匙已经交接", importance=0.9), CLIENT).result(WAIT).memory.id
    found = service.digests.sources(1, "2026-02-23").result(WAIT)
    ids = [one.id for one in found.sources]
    assert (len(ids), found.total, ids[0], ids[-1]) == (20, 26, important, last)
    assert ids == sorted(ids)
    small = service.digests.sources(1, "2026-02-23", budget=12).result(WAIT)
    assert ([one.id for one in small.sources], small.total) == ([important, last], 26)


def test_wrong_sources_and_periods_are_named(service: Service, clock: MovableClock) -> None:
    told = tell(service)
    next_day(clock)
    day = save(service, 1, "2026-02-23").memory.id
    gone = tell(service, 1)[0]
    service.trash([gone], GUI).result(WAIT)
    for level, period, given, wanted in (
        (1, "2026-02-24", [told[0], day], {"field": "sources", "reason": "other_level", "ids": [day]}),
        (2, "2026-W09", [told[0], day], {"field": "sources", "reason": "other_level", "ids": [told[0]]}),
        (3, "2026-02", [day], {"field": "sources", "reason": "other_level", "ids": [day]}),
        (1, "2026-02-24", [9999, gone, told[0]], {"field": "sources", "reason": "no_such_memory", "ids": [gone, 9999]}),
        (1, "2026-02-25", [], {"field": "period", "reason": "not_begun"}),
        (1, "Monday", [], {"field": "period", "reason": "not_a_period", "allowed": ["2026-02-23"]}),
        (5, "2026", [], {"field": "level", "reason": "out_of_range", "allowed": [1, 4]}),
        (1, "2026-02-24", ["1"], {"field": "sources", "reason": "not_whole"}),
    ):
        with pytest.raises(InvalidArgument) as caught:
            save(service, level, period, sources=given)
        assert caught.value.fields == wanted
    with pytest.raises(InvalidArgument) as caught:
        save(service, 1, "2026-02-24", more={"digest_level": 3})
    assert caught.value.fields["field"] == "digest_level"
    with pytest.raises(InvalidArgument):
        service.digests.sources(1, budget=0).result(WAIT)
    assert service.count(Filters(categories=("digest",))).result(WAIT) == 1, "nothing was stored"
    service.settings.set("memory.paused", True)
    with pytest.raises(Paused):
        save(service, 1, "2026-02-24")


def test_what_becomes_of_a_digest_and_of_its_sources(service: Service, clock: MovableClock) -> None:
    told = tell(service, 4)
    next_day(clock)
    digest = save(service, 1, "2026-02-23", topic_path=("Life",), title="Monday", more={"entities": ("Lin",)}).memory
    assert (digest.topic_path, digest.title, digest.entities) == (("Life",), "Monday", ("Lin",))
    service.trash([told[0]], GUI).result(WAIT)
    service.erase([told[1]], GUI).result(WAIT)
    links = service.digests.of(digest.id).result(WAIT)
    assert [one.id for one in links.sources] == told[2:]
    assert due(service) == {}
    service.restore([told[0]], GUI).result(WAIT)
    service.trash([digest.id], GUI).result(WAIT)
    assert due(service) == {1: ["2026-02-23"]}
    service.restore([digest.id], GUI).result(WAIT)
    assert due(service) == {}
    service.erase([digest.id], GUI).result(WAIT)
    assert service.digests.due().result(WAIT)[0].periods == (PeriodDue("2026-02-23", 3),)
    assert service.digests.of(told[2]).result(WAIT).digests == ()
