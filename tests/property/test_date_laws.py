"""Laws of the words of time, for any text, moment and zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from engine.ingest.classify import CONFIDENCE, classify
from engine.ingest.facts import MOST, facts_of
from engine.ingest.layers import layer_of
from engine.text.dates import even, mentions
from engine.text.sentences import sentences
from engine.types import LAYERS

_WORDS = """今天 明天 大 后天 前天 上周 下 周 星期 三 日 一月 5 号 20 年 2026 9999 点 半 分 去年 底 初 内 个 到 至 天前
月后 - / : . , 每 the day after before tomorrow last next this Friday May in at on 3pm 2 weeks ago couple of a month
since end 5th noon to 0 31 Feb 29 winter 两 百 十 ， 。 了 过 是 要 I will 我 喜欢 ？"""
WORDS = st.sampled_from(["\n", *_WORDS.split()])
PHRASES = st.lists(st.tuples(WORDS, st.sampled_from(["", "", " "])).map("".join), max_size=12).map("".join)
TEXTS = st.one_of(PHRASES, st.text(st.characters(), max_size=60))
ZONES: st.SearchStrategy[tzinfo] = st.sampled_from(
    [UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12)), ZoneInfo("Pacific/Apia"),
     ZoneInfo("America/New_York"), ZoneInfo("Asia/Shanghai")]
)  # fmt: skip
MOMENTS = st.datetimes(timezones=st.just(UTC))
LEANS = st.sampled_from(["past", "future", "nearest", "told"])
# Words whose days keep their distance from a moment that moves by whole weeks.
RELATIVE = st.sampled_from(
    ["今天", "大后天下午三点", "上周三", "下下周五", "三天前", "两周前", "最近三天", "周五", "这周末", "半小时后",
     "today", "the day before yesterday", "next Friday at 3", "last week", "in three days", "on Sunday", "3 weeks ago",
     "this weekend", "a week from Monday", "an hour ago", "early next week", "Monday to Friday",
     "in the past two weeks"]
)  # fmt: skip


@given(TEXTS, MOMENTS, ZONES, LEANS)
def test_mentions_are_in_order_apart_and_not_empty(text, moment, zone, lean) -> None:  # type: ignore[no-untyped-def]
    end = 0
    for mention in mentions(text, moment, zone, lean):
        assert end <= mention.start < mention.end <= len(text)
        assert mention.since < mention.until
        assert mention.since.utcoffset() == mention.until.utcoffset() == timedelta(0)
        end = mention.end


@given(TEXTS, MOMENTS, ZONES)
def test_directions_tell_where_a_span_lies(text: str, moment: datetime, zone: tzinfo) -> None:
    for mention in mentions(text, moment, zone):
        assert (mention.direction == "past") == (mention.until <= moment)
        assert (mention.direction == "future") == (mention.since > moment)


@given(
    RELATIVE,
    st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1), timezones=st.just(UTC)),
    st.integers(-500, 500),
)
def test_weeks_later_the_same_words_mean_weeks_later(text: str, moment: datetime, weeks: int) -> None:
    step = timedelta(weeks=weeks)
    (here,), (there,) = mentions(text, moment, UTC), mentions(text, moment + step, UTC)
    assert (there.since - step, there.until - step, there.grain) == (here.since, here.until, here.grain)


@given(TEXTS, PHRASES)
def test_evening_out_keeps_every_character_in_its_place(text: str, phrase: str) -> None:
    assert len(even(text)) == len(text)
    assert even(even(text)) == even(text)
    assert even(phrase.upper().replace("天", "天")) == even(phrase)


@given(TEXTS, MOMENTS, ZONES)
def test_any_text_has_a_type_and_a_layer(text: str, moment: datetime, zone: tzinfo) -> None:
    found = classify(text, moment, zone)
    assert CONFIDENCE[found.type] - 0.1 <= found.confidence <= CONFIDENCE[found.type]
    assert found.event_time is None or found.type in ("planned", "episodic")
    assert classify(text, moment, zone) == found
    assert layer_of(text) in LAYERS


@given(TEXTS, st.lists(TEXTS, max_size=12))
def test_facts_are_pieces_of_what_was_given(text: str, key_facts: list[str]) -> None:
    facts = facts_of(text, key_facts)
    assert len(facts) <= MOST
    for fact in facts:
        assert fact.text.strip() and (fact.text in key_facts if fact.given else fact.text in text)


@given(TEXTS)
def test_sentences_are_slices_in_order(text: str) -> None:
    position = 0
    for sentence in sentences(text):
        position = text.index(sentence, position) + len(sentence)
