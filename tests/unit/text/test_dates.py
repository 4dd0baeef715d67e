"""Words of time in Chinese and English, by examples as seen from Wednesday 13 May 2026, 10:00, in Shanghai."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from engine.text.dates import DateMention, Lean, mentions

SHANGHAI = timezone(timedelta(hours=8))
NOW = datetime(2026, 5, 13, 10, tzinfo=SHANGHAI)


def found(text: str, lean: Lean = "nearest") -> list[DateMention]:
    return list(mentions(text, NOW, SHANGHAI, lean))


def local(moment: datetime) -> str:
    return moment.astimezone(SHANGHAI).strftime("%Y-%m-%d %H:%M").removesuffix(" 00:00")


def the_one(text: str, lean: Lean = "nearest") -> DateMention:
    (mention,) = found(text, lean)
    return mention


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("今天交房租", "2026-05-13"), ("明天见", "2026-05-14"), ("后天休息", "2026-05-15"),
        ("大后天开会", "2026-05-16"),
        ("昨天下雨", "2026-05-12"), ("前天去的", "2026-05-11"), ("大前天到的", "2026-05-10"),
        ("後天出發", "2026-05-15"),
        ("上周三", "2026-05-06"), ("这周五", "2026-05-15"), ("下周三", "2026-05-20"), ("下下周一", "2026-05-25"),
        ("上上周五", "2026-05-01"), ("下个星期天", "2026-05-24"), ("下禮拜二", "2026-05-19"),
        ("周五聚餐", "2026-05-15"),
        ("三天前", "2026-05-10"), ("3天后", "2026-05-16"), ("十二天后", "2026-05-25"), ("两周后", "2026-05-27"),
        ("5月20日", "2026-05-20"), ("五月二十号", "2026-05-20"), ("2027年1月2日", "2027-01-02"),
        ("２０２６年６月１日", "2026-06-01"),
        ("上个月20号", "2026-04-20"), ("下个月5号", "2026-06-05"), ("今年9月1日", "2026-09-01"),
        ("去年5月20日", "2025-05-20"),
        ("国庆节", "2026-10-01"), ("2026-05-20", "2026-05-20"), ("2026/5/3", "2026-05-03"),
        ("today", "2026-05-13"), ("tomorrow", "2026-05-14"), ("the day after tomorrow", "2026-05-15"),
        ("Yesterday", "2026-05-12"), ("the day before yesterday", "2026-05-11"),
        ("this Friday", "2026-05-15"), ("next Friday", "2026-05-22"), ("last Friday", "2026-05-08"),
        ("last Wednesday", "2026-05-06"), ("on Friday", "2026-05-15"), ("coming Monday", "2026-05-18"),
        ("this past Monday", "2026-05-11"), ("Friday next week", "2026-05-22"), ("next week on Friday", "2026-05-22"),
        ("in three days", "2026-05-16"), ("a couple of days ago", "2026-05-11"), ("a week from today", "2026-05-20"),
        ("June 3rd", "2026-06-03"), ("June 3, 2027", "2027-06-03"), ("3 June", "2026-06-03"),
        ("the 28th of May", "2026-05-28"), ("May the 5th", "2026-05-05"), ("due on the 20th.", "2026-05-20"),
        ("Monday, May 18", "2026-05-18"), ("meet on 5/20", "2026-05-20"), ("12/31/2026", "2026-12-31"),
        ("Christmas Eve", "2025-12-24"),
    ],
)  # fmt: skip
def test_days(text: str, day: str) -> None:
    mention = the_one(text)
    assert (local(mention.since), mention.grain) == (day, "day")
    assert mention.until - mention.since == timedelta(days=1)


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("明天下午3点", "2026-05-14 15:00", "2026-05-14 16:00"),
        ("下周三下午三点半", "2026-05-20 15:30", "2026-05-20 15:31"),
        ("明早八点一刻", "2026-05-14 08:15", "2026-05-14 08:16"), ("晚上十二点", "2026-05-14", "2026-05-14 01:00"),
        ("凌晨两点", "2026-05-13 02:00", "2026-05-13 03:00"), ("中午12点", "2026-05-13 12:00", "2026-05-13 13:00"),
        ("今晚", "2026-05-13 18:00", "2026-05-14 06:00"), ("昨天夜里", "2026-05-12 18:00", "2026-05-13 06:00"),
        ("半小时后", "2026-05-13 10:30", "2026-05-13 10:31"), ("15:30", "2026-05-13 15:30", "2026-05-13 15:31"),
        ("2026-05-20T05:30", "2026-05-20 05:30", "2026-05-20 05:31"),
        ("2026-05-20T05:30:00Z", "2026-05-20 13:30", "2026-05-20 13:31"),
        ("tomorrow at 3pm", "2026-05-14 15:00", "2026-05-14 16:00"),
        ("8pm tomorrow", "2026-05-14 20:00", "2026-05-14 21:00"),
        ("next Friday at 3", "2026-05-22 15:00", "2026-05-22 16:00"),
        ("tonight at 8", "2026-05-13 20:00", "2026-05-13 21:00"),
        ("tomorrow morning", "2026-05-14 05:00", "2026-05-14 12:00"),
        ("Thursday noon", "2026-05-14 12:00", "2026-05-14 12:01"),
        ("tomorrow evening at 8 pm", "2026-05-14 20:00", "2026-05-14 21:00"),
        ("half past six tomorrow", "2026-05-14 18:30", "2026-05-14 18:31"),
        ("from 3pm to 5pm tomorrow", "2026-05-14 15:00", "2026-05-14 18:00"),
    ],
)  # fmt: skip
def test_times(text: str, since: str, until: str) -> None:
    mention = the_one(text)
    assert (local(mention.since), local(mention.until)) == (since, until)


@pytest.mark.parametrize(
    ("text", "since", "until", "grain"),
    [
        ("上周", "2026-05-04", "2026-05-11", "week"), ("下个月", "2026-06-01", "2026-07-01", "month"),
        ("去年", "2025-01-01", "2026-01-01", "year"), ("去年夏天", "2025-06-01", "2025-09-01", "season"),
        ("5月底", "2026-05-22", "2026-06-01", "range"), ("年底", "2026-11-01", "2027-01-01", "range"),
        ("这周末", "2026-05-16", "2026-05-18", "range"), ("三年前", "2023-01-01", "2024-01-01", "year"),
        ("两个月前", "2026-03-01", "2026-04-01", "month"), ("三周前", "2026-04-19", "2026-04-26", "week"),
        ("最近三天", "2026-05-10", "2026-05-13 10:00", "range"),
        ("2026年5月3日到6日", "2026-05-03", "2026-05-07", "range"),
        ("今年上半年", "2026-01-01", "2026-07-01", "range"), ("九十年代", "1990-01-01", "2000-01-01", "range"),
        ("last May", "2025-05-01", "2025-06-01", "month"), ("last April", "2026-04-01", "2026-05-01", "month"),
        ("next May", "2027-05-01", "2027-06-01", "month"), ("in March", "2026-03-01", "2026-04-01", "month"),
        ("In May 2023", "2023-05-01", "2023-06-01", "month"), ("in 2019", "2019-01-01", "2020-01-01", "year"),
        ("last summer", "2025-06-01", "2025-09-01", "season"),
        ("the summer of 2024", "2024-06-01", "2024-09-01", "season"),
        ("this weekend", "2026-05-16", "2026-05-18", "range"), ("3 weeks ago", "2026-04-19", "2026-04-26", "week"),
        ("since last March", "2026-03-01", "2026-05-13 10:00", "range"),
        ("March last year", "2025-03-01", "2025-04-01", "month"),
        ("end of the month", "2026-05-22", "2026-06-01", "range"),
        ("early next week", "2026-05-18", "2026-05-20", "range"),
        ("June 3-5", "2026-06-03", "2026-06-06", "range"), ("Monday to Friday", "2026-05-11", "2026-05-16", "range"),
        ("the week after next", "2026-05-25", "2026-06-01", "week"),
        ("the 1990s", "1990-01-01", "2000-01-01", "range"),
        ("in the past two weeks", "2026-04-29", "2026-05-13 10:00", "range"),
    ],
)  # fmt: skip
def test_longer_spans(text: str, since: str, until: str, grain: str) -> None:
    mention = the_one(text)
    assert (local(mention.since), local(mention.until), mention.grain) == (since, until, grain)


@pytest.mark.parametrize(
    "text",
    [
        "每周三次", "每周三开会", "一周三次", "以后天天跑步", "之前天气不错", "有三点建议", "一点都不喜欢", "坐3号线",
        "三个月", "五月天的歌", "两天", "今日头条", "后天性失明", "农历八月十五",
        "I may march on", "May I sit in the sun", "Sat down for a second", "the sun sat low", "they wed young",
        "on the 5th floor", "every Monday", "on Mondays", "2019 people came", "in 2000 words", "John scored 3:2",
        "April and June are my nieces", "the last night", "a one-day trip", "version 3.11", "call 555-0142",
    ],
)  # fmt: skip
def test_no_dates(text: str) -> None:
    assert found(text) == []


def test_offsets_are_those_of_the_given_text() -> None:
    text = "Ｈｅｙ，大后天下午三点半開會，後天休息"
    assert [text[m.start : m.end] for m in found(text)] == ["大后天下午三点半", "後天"]


def test_a_list_of_days_is_several_dates() -> None:
    assert [local(m.since) for m in found("明天、后天和下周一")] == ["2026-05-14", "2026-05-15", "2026-05-18"]


@pytest.mark.parametrize(
    ("text", "past", "nearest", "future"),
    [
        ("5月3日", "2026-05-03", "2026-05-03", "2027-05-03"),
        ("December 24", "2025-12-24", "2025-12-24", "2026-12-24"),
        ("周一", "2026-05-11", "2026-05-11", "2026-05-18"),
        ("on Wednesday", "2026-05-06", "2026-05-13", "2026-05-20"),
        ("20号", "2026-04-20", "2026-05-20", "2026-05-20"), ("2月29日", "2024-02-29", "2028-02-29", "2028-02-29"),
        ("in October", "2025-10-01", "2026-10-01", "2026-10-01"), ("2027年5月3日", *["2027-05-03"] * 3),
    ],
)  # fmt: skip
def test_the_lean_finds_the_year_or_week(text: str, past: str, nearest: str, future: str) -> None:
    assert [local(the_one(text, lean).since) for lean in ("past", "nearest", "future")] == [past, nearest, future]


def test_directions() -> None:
    assert [m.direction for m in found("昨天，这周，今晚，今天，上个月，下个月")] == [
        "past", "present", "future", "present", "past", "future",
    ]  # fmt: skip


def test_days_have_the_hours_of_their_zone() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    moment = datetime(2026, 3, 28, 12, tzinfo=UTC)
    (tomorrow,) = mentions("tomorrow", moment, berlin)
    assert tomorrow.since == datetime(2026, 3, 28, 23, tzinfo=UTC)
    assert tomorrow.until - tomorrow.since == timedelta(hours=23)


def test_a_day_that_the_clocks_skip_is_left_out() -> None:
    # Samoa went from 29 to 31 December 2011.
    assert (
        mentions("tomorrow", datetime(2011, 12, 29, 12, tzinfo=UTC) + timedelta(hours=4), ZoneInfo("Pacific/Apia"))
        == ()
    )


@pytest.mark.parametrize(
    "text", ["31 February", "2026年13月1日", "0000-01-01", "2026-02-30", "25:00", "五月四十号", "at 27pm"]
)
def test_what_is_no_date_is_left_out(text: str) -> None:
    assert [m for m in found(text) if m.grain in ("day", "time")] == []


@pytest.mark.parametrize("moment", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
def test_the_ends_of_the_calendar(moment: datetime) -> None:
    text = "昨天 明天 9999年前 9999天后 last winter, next year, in 9999 weeks, May 3, Friday 上周"
    for zone in (UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))):
        assert all(m.since < m.until for m in mentions(text, moment, zone))


@pytest.mark.parametrize(
    "text",
    [
        "钢琴课改到每周六上午十点", "每个星期五晚上六点开会", "每周一、三下午两点", "每天早上七点到八点",
        "工作日早上九点打卡", "practice has moved to Thursday evenings at eight", "every Saturday at 10 am",
        "daily at 9:30",
        "on weekdays from 7:00 to 9:00", "Sundays at 3 pm", "each Friday at noon", "every morning at seven",
    ],
)  # fmt: skip
def test_the_hour_of_a_habit_is_of_no_single_day(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("每周五聚餐，今天晚上七点出发", 19), ("周六上午十点", 10), ("everyone is here at 8 pm", 20),
        ("Thursday evening at eight", 20), ("every Friday we swim, tomorrow at 9 am we rest", 9),
    ],
)  # fmt: skip
def test_an_hour_beside_a_habit_keeps_its_day(text: str, hour: int) -> None:
    assert local(the_one(text).since).endswith(f"{hour:02}:00")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("周三", "2026-05-13"), ("on Wednesday", "2026-05-13"), ("周四", "2026-05-07"),
        ("on Tuesday", "2026-05-12"), ("周三上午九点", "2026-05-13 09:00"),
        # that hour of today is yet to come
        ("周三下午三点", "2026-05-06 15:00"), ("on Wednesday at 3 pm", "2026-05-06 15:00"),
        ("5月3日", "2026-05-03"), ("December 24", "2025-12-24"),
    ],
)  # fmt: skip
def test_what_is_told_of_may_be_of_today(text: str, told: str) -> None:
    assert local(the_one(text, "told").since) == told


@pytest.mark.parametrize(
    "text",
    [
        "The new starter doubles in four hours at 26 degrees", "The glue dries completely in two days",
        "We drove there in three hours", "新酵头四小时内能发到两倍大", "油漆两天后就干透", "面团两小时内翻倍",
    ],
)  # fmt: skip
def test_how_long_something_takes_is_no_date(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "The train leaves in four hours", "The show starts in two hours", "My lease ends in two weeks",
        "He drives home and we meet in two hours", "四小时后出发", "两天内交报告", "三天后发货",
    ],
)  # fmt: skip
def test_what_is_still_so_long_ahead_is_a_date(text: str) -> None:
    assert len(found(text)) == 1
