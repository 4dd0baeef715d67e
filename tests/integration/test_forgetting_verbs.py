"""The verbs of forgetting on a real service: what is foretold is what happens, a night is heard, a rescue is undone."""

from __future__ import annotations

import queue
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from engine import Service
from engine.clock import MovableClock
from engine.config import Settings
from engine.embedding import NoEmbedder
from engine.errors import Conflict, InvalidArgument, NotFound, Protected
from engine.types import ALL_SCOPES, Actor, Changes, Draft, Filters, Memory, Query, StrengthPoint

WAIT = 20.0
ME = Actor("gui", "test")
CLIENT = Actor("client", "test")
DAY = timedelta(days=1)
YEARS = 3_653 * DAY
EVENTS = ("和老李一起去爬山", "We climbed Mount Pico with Anna")
Opener = Callable[..., Service]


@pytest.fixture
def words(open_service: Opener, clock: MovableClock) -> Service:
    """A service of words only that has noted the day."""
    return _opened(open_service)


def _opened(open_service: Opener) -> Service:
    settings = Settings()
    settings.update({"embedding.provider": "none"})
    service = open_service(NoEmbedder(), settings)
    service.idle().result(WAIT)
    return service


def _remember(service: Service, content: str, **given: Any) -> int:
    return service.memorize(Draft(content, **given), ME).result(WAIT).memory.id


def _get(service: Service, memory_id: int) -> Memory:
    return service.get(memory_id).result(WAIT)


def _herd(service: Service) -> list[int]:
    """Two that sleep by importance, one that is spared, one that only fades, one that moved the user."""
    return [
        _remember(service, EVENTS[0], layer="event", importance=0.3),
        _remember(service, EVENTS[1], layer="event", importance=0.5, emotion_intensity=4.0),
        _remember(service, "妈妈的生日聚会很热闹", layer="event", pinned=True),
        _remember(service, "Anna lives in Lisbon", layer="fact", importance=0.33),
        _remember(service, "奶奶去世了，我很难过", layer="event", emotion_intensity=9.0),
    ]


def _listen(service: Service) -> queue.Queue[Changes]:
    heard: queue.Queue[Changes] = queue.Queue()
    service.subscribe(heard.put)
    return heard


def _hear(heard: queue.Queue[Changes], action: str) -> Changes:
    while True:
        changes = heard.get(timeout=WAIT)
        if changes.action == action:
            return changes


def test_the_preview_is_what_so_many_nights_do(words: Service, clock: MovableClock) -> None:
    """Each horizon beside the real runs, counts, names, distribution and all; and looking writes nothing."""
    ids = _herd(words)
    words.settings.update({"forgetting.archive": True, "forgetting.archive_days": 20.0})
    previews = {days: words.forgetting.preview(days).result(WAIT) for days in (0, 1, 9, 16, 40)}
    assert words.status().result(WAIT).counts == {"active": 5} and words.history(0).result(WAIT) == ()
    ended: dict[int, str] = {}
    for number in range(1, 41):
        clock.advance(DAY)
        words.forget().result(WAIT)
        if number not in previews:
            continue
        seen, now = previews[number], [_get(words, one) for one in ids]
        assert seen.days == tuple(date(2026, 5, 1) + day * DAY for day in range(1, number + 1))
        ended = {one.id: one.status for one in now if one.status != "active"}
        assert {fall.memory_id: fall.status for fall in seen.falls} == ended
        assert (seen.dormant, seen.archived) == tuple(
            list(ended.values()).count(one) for one in ("dormant", "archived")
        )
        bars = [0] * 10
        for one in now:
            bars[min(9, int(one.strength * 10))] += 1
        assert (list(seen.after), sum(seen.before), seen.changed) == (bars, 5, 3)
    assert set(ended.values()) == {"dormant", "archived"} and previews[0].days == ()


def test_a_preview_with_other_numbers_is_the_run_with_them(words: Service, clock: MovableClock) -> None:
    ids = _herd(words)
    tried = {"forgetting.rate": 0.2, "forgetting.sleep_low_days": 2, "forgetting.sleep_fact": "yes"}
    seen = words.forgetting.preview(8, tried, limit=1).result(WAIT)
    assert words.settings["forgetting.rate"] == 0.01
    assert [(one.memory_id, one.day) for one in seen.falls] == [(ids[0], date(2026, 5, 4))] and seen.dormant == 2
    curve = words.forgetting.forecast(ids[3], 8, tried).result(WAIT)
    words.settings.update(tried)
    clock.advance(8 * DAY)
    words.forget().result(WAIT)
    last = _get(words, ids[3])
    assert curve.points[-1] == StrengthPoint(date(2026, 5, 9), last.strength, last.status)
    assert curve.sleeps_on == date(2026, 5, 4)


def test_the_forecast_is_the_life_and_says_why_it_is_spared(words: Service, clock: MovableClock) -> None:
    ids = _herd(words)
    words.recall(Query("Mount Pico", filters=Filters(scope=ALL_SCOPES))).result(WAIT)
    words.idle().result(WAIT)
    open_decision = _remember(words, "We decided to use SQLite because it is one file", layer="decision")
    words.edit(open_decision, {"protected": True}, ME).result(WAIT)
    curves = {one: words.forgetting.forecast(one, 30).result(WAIT) for one in (*ids, open_decision)}
    for number in range(1, 31):
        clock.advance(DAY)
        words.forget().result(WAIT)
        for one, curve in curves.items():
            memory = _get(words, one)
            point = curve.points[number]
            assert (point.strength, point.status) == (memory.strength, memory.status)
    # At noon: the seven and fourteen days are full on the night after.
    assert [curves[one].sleeps_on for one in ids] == [date(2026, 5, 9), date(2026, 5, 16), None, None, None]
    assert [curves[one].exempt for one in ids] == [(), (), ("pinned",), ("layer",), ("flashbulb",)]
    assert curves[open_decision].exempt == ("protected", "undecided", "layer")
    assert words.forgetting.forecast(ids[0], 3, {"forgetting.enabled": False}).result(WAIT).exempt == ("off",)
    words.trash([ids[0]], ME).result(WAIT)
    assert words.forgetting.forecast(ids[0], 3).result(WAIT).exempt == ("resting",)


@pytest.mark.parametrize(
    ("days", "overrides", "field"),
    [
        (-1, None, "days"), (3_651, None, "days"), (True, None, "days"), (1, {"forgetting.rate": 2}, "forgetting.rate"),
        (1, {"recall.rrf_k": 5}, "recall.rrf_k"), (1, {"forgetting.unheard": 5}, "forgetting.unheard"),
    ],
)  # fmt: skip
def test_what_can_not_be_foretold_is_refused(words: Service, days: Any, overrides: Any, field: str) -> None:
    one = _remember(words, "Anna lives in Lisbon")
    for asked in (words.forgetting.preview(days, overrides), words.forgetting.forecast(one, days, overrides)):
        with pytest.raises(InvalidArgument) as refused:
            asked.result(WAIT)
        assert refused.value.fields["field"] == field
    with pytest.raises(NotFound):
        words.forgetting.forecast(99).result(WAIT)


def test_the_status_tells_what_is_and_what_comes(open_service: Opener, clock: MovableClock) -> None:
    clock._zone = ZoneInfo("Asia/Shanghai")
    words = _opened(open_service)
    ids = _herd(words)
    status = words.forgetting.status().result(WAIT)
    assert (status.enabled, status.last_day, status.ran_at) == (True, date(2026, 5, 1), None)
    assert status.next_at is not None and status.next_at.isoformat() == "2026-05-02T00:05:00+08:00"
    assert status.counts == {"active": 5, "dormant": 0, "archived": 0}
    assert status.exempt == {"pinned": 1, "layer": 1, "flashbulb": 1}
    assert status.asleep_within == {7: 0, 30: 2} and not status.clock_in_doubt
    clock.advance(5 * DAY)
    words.forget().result(WAIT)
    assert words.forgetting.status().result(WAIT).asleep_within == {7: 1, 30: 2}
    clock.advance(4 * DAY)
    words.forget().result(WAIT)
    status = words.forgetting.status().result(WAIT)
    assert status.counts == {"active": 4, "dormant": 1, "archived": 0} and status.ran_at == clock.now()
    assert _get(words, ids[0]).status == "dormant"
    words.settings.update({"forgetting.enabled": False})
    status = words.forgetting.status().result(WAIT)
    assert (status.enabled, status.next_at, status.exempt["off"]) == (False, None, 5)


def test_a_night_in_the_background_is_heard(words: Service, clock: MovableClock) -> None:
    """With whom it put to rest; and no answer from before it is given again."""
    ids, heard = _herd(words), _listen(words)
    question = Query("老李 爬山", reinforce=False)
    words.recall(question).result(WAIT)
    assert words.recall(question).result(WAIT).cached
    clock.advance(8 * DAY)
    words.idle().result(WAIT)
    changes = _hear(heard, "decayed")
    assert changes.updated == (ids[0],) and changes.actor == Actor("rule", "forgetting")
    (entry,) = words.history(0).result(WAIT)
    assert changes.history_ids == (entry.id,) and entry.after is not None and entry.after["dormant_ids"] == [ids[0]]
    answer = words.recall(question).result(WAIT)
    assert not answer.cached and answer.hits[0].memory.status == "dormant"
    words.idle().result(WAIT)
    assert all(one.action != "decayed" for one in _drain(heard))


def _drain(heard: queue.Queue[Changes]) -> list[Changes]:
    found = []
    while not heard.empty():
        found.append(heard.get_nowait())
    return found


@pytest.mark.parametrize("how", ["recalled", "told"])
def test_waking_is_heard(words: Service, clock: MovableClock, how: str) -> None:
    ids = _herd(words)
    clock.advance(8 * DAY)
    words.idle().result(WAIT)
    heard = _listen(words)
    if how == "told":
        assert _remember(words, EVENTS[0], layer="event", importance=0.3) == ids[0]
    else:
        words.recall(Query("老李 爬山")).result(WAIT)
    assert ids[0] in _hear(heard, "woken").updated
    assert _get(words, ids[0]).status == "active"
    words.recall(Query("老李 爬山")).result(WAIT)
    assert _hear(heard, "recalled").updated  # awake already


def test_a_rescue_wakes_lasts_and_can_be_undone(words: Service, clock: MovableClock) -> None:
    ids = _herd(words)
    words.edit(ids[3], {"status": "archived"}, ME).result(WAIT)
    clock.advance(8 * DAY)
    words.idle().result(WAIT)
    before, heard = [_get(words, one) for one in ids], _listen(words)
    done = words.forgetting.rescue([ids[3], ids[0], ids[2], ids[0]], CLIENT).result(WAIT)
    assert done.ids == (ids[0], ids[3])
    assert _hear(heard, "rescued").updated == done.ids
    for one in done.ids:
        memory = _get(words, one)
        assert (memory.status, memory.last_accessed_at) == ("active", clock.now())
        assert {atom.status for atom in words.graph.atoms(one).result(WAIT)} <= {"active"}
        assert words.history(one).result(WAIT)[0].action == "rescued"
    clock.advance(6 * DAY)
    words.idle().result(WAIT)
    assert _get(words, ids[0]).status == "active"  # seven days from the rescue
    for row in done.history_ids:
        words.undo(row, ME).result(WAIT)
    for one, old in zip((ids[0], ids[3]), (before[0], before[3]), strict=True):
        now = _get(words, one)
        assert (now.status, now.last_accessed_at) == (old.status, old.last_accessed_at)
    with pytest.raises(Conflict):
        words.undo(done.history_ids[0], ME).result(WAIT)


def test_a_rescue_is_all_or_nothing_and_heeds_protection(words: Service, clock: MovableClock) -> None:
    ids = _herd(words)
    clock.advance(8 * DAY)
    words.idle().result(WAIT)
    words.edit(ids[1], {"status": "archived", "protected": True}, ME).result(WAIT)
    for wanted, error in (([ids[0], 99], NotFound), (ids[:2], Protected)):
        with pytest.raises(error):
            words.forgetting.rescue(wanted, CLIENT).result(WAIT)
        assert _get(words, ids[0]).status == "dormant"
    assert words.forgetting.rescue(ids, ME).result(WAIT).ids == tuple(ids[:2])


def _state(service: Service, ids: list[int]) -> list[Any]:
    """All that time could have taken from these memories and their facts."""
    now = [_get(service, one) for one in ids]
    facts = [atom for one in ids for atom in service.graph.atoms(one).result(WAIT)]
    return [(one.strength, one.status, one.access_count) for one in now] + [(one.id, one.status) for one in facts]


def test_a_dead_battery_ages_and_purges_nothing(open_service: Opener, clock: MovableClock) -> None:
    """The machine starts ten years ahead, is used, started again, and mended: not a fact has expired."""
    words = _opened(open_service)
    ids, begun = _herd(words), clock.now()
    before = _state(words, ids)
    assert any(isinstance(one[0], int) for one in before)  # there are facts
    for _ in range(2):
        words.close()
        clock.move_to(begun + YEARS)
        words = _opened(open_service)
        assert _state(words, ids) == before
        status = words.forgetting.status().result(WAIT)
        assert (status.clock_in_doubt, status.jump_days, status.next_at) == (True, 3_653, None)
        assert words.forgetting.preview(30).result(WAIT).days == ()
        _remember(words, f"Told under the wrong clock {clock.now()}", layer="event")
    words.close()
    clock.move_to(begun + DAY)
    words = _opened(open_service)
    assert not words.forgetting.status().result(WAIT).clock_in_doubt
    assert words.history(0).result(WAIT)[0].after["days"] == 1  # type: ignore[index]
    assert [_get(words, one).status for one in ids] == ["active"] * 5


def test_what_a_wrong_clock_stamped_is_forgotten_like_the_rest(words: Service, clock: MovableClock) -> None:
    """Told and recalled ten years ahead: from the day on which the clock is right again it counts as used then."""
    old = _remember(words, EVENTS[0], layer="event", importance=0.3)
    begun = clock.now()
    clock.move_to(begun + YEARS)
    words.idle().result(WAIT)
    young = _remember(words, EVENTS[1], layer="event", importance=0.3)
    words.recall(Query("老李 爬山")).result(WAIT)
    words.idle().result(WAIT)
    assert _get(words, old).last_accessed_at == clock.now()
    clock.move_to(begun + 2 * DAY)
    words.idle().result(WAIT)
    seen = words.forgetting.preview(9).result(WAIT)
    for number in range(3, 12):
        clock.move_to(begun + number * DAY)
        words.idle().result(WAIT)
    assert [_get(words, one).status for one in (old, young)] == ["dormant", "dormant"]
    assert {fall.memory_id: fall.day for fall in seen.falls} == dict.fromkeys((old, young), date(2026, 5, 11))
    assert _get(words, young).strength == pytest.approx(0.3 * 0.99**9)


def test_a_long_absence_waits_for_use_or_a_word(words: Service, clock: MovableClock) -> None:
    """Half a year away: believed when used on three days; or at once, if a person says so. Facts wait with it."""
    ids = _herd(words)
    clock.advance(180 * DAY)
    words.idle().result(WAIT)
    assert words.forgetting.status().result(WAIT).jump_days == 180
    for number in range(2):
        _remember(words, f"Back again, day {number}", layer="fact")
        clock.advance(DAY)
        words.idle().result(WAIT)
    assert words.history(0).result(WAIT) == () and _get(words, ids[0]).status == "active"
    heard = _listen(words)
    assert words.forgetting.trust_clock(ME).result(WAIT) == 182
    assert _hear(heard, "decayed").updated == tuple(ids[:2])
    assert not words.forgetting.status().result(WAIT).clock_in_doubt
    assert words.forgetting.trust_clock(ME).result(WAIT) == 0


def test_a_longer_absence_may_be_normal(words: Service, clock: MovableClock) -> None:
    words.settings.update({"forgetting.longest_catch_up": 200})
    ids = _herd(words)
    foretold = words.forgetting.preview(180).result(WAIT)
    clock.advance(180 * DAY)
    words.idle().result(WAIT)
    assert words.history(0).result(WAIT)[0].after["days"] == 180  # type: ignore[index]
    assert foretold.dormant == 2 and [_get(words, one).status for one in ids[:2]] == ["dormant", "dormant"]
