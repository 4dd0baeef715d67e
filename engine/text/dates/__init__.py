"""Words of time in Chinese and English → absolute spans of UTC time, for atoms and for questions about the past.

``mentions`` finds and resolves them in the user's local days; ``calendar`` says what they mean together,
``chinese``, ``english`` and ``digits`` read them. Lunar dates are not read. Must not load a dictionary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final, Literal

from engine.text.dates import chinese, digits, english
from engine.text.dates.calendar import FIRST, LAST, Grain, Lean, Now, Span, Spec, at, joined, span_of
from engine.text.resources import read_words

__all__ = ["DateMention", "Grain", "Lean", "even", "mentions"]

# What may stand between the parts of one date.
_GLUE: Final = re.compile(
    r"[\s,，、的()（）]{0,3}(?:(?:at|on|in|of|the|around|about|by|from|in the|of the|on the)[\s]+)?(?:the )?"
)
_TO: Final = re.compile(r"\s*(?:到|至|-|~|—|to|through|until|till)\s*(?:the )?")
# Behind one of these an hour is that of a habit, and of no single day: "每周六上午十点", "Thursday evenings at eight".
_PARTS: Final = "morning|afternoon|evening|night"
_DAYS: Final = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_HABIT: Final = re.compile(
    r"(?:每个?(?:周|星期|礼拜)[一二三四五六日天末](?:[、和与及到至](?:周|星期|礼拜)?[一二三四五六日天末])*|"
    r"每[天日晚早]|每个?工作日|天天|工作日|平日)的?$|"
    rf"\b(?:(?:every|each)(?: other| single)?(?: (?:{_DAYS}|day|weekday|workday|{_PARTS})(?: (?:{_PARTS}))?)?|"
    rf"(?:{_DAYS}s|weekdays|weekends)(?: (?:{_PARTS})s?)?|{_DAYS} (?:{_PARTS})s|daily|nightly),? "
    r"(?:at |from |around |about )?$"
)
_HABIT_LENGTH: Final = 48
_HAN: Final = re.compile("[\u4e00-\u9fff]")
_LATIN: Final = re.compile("[a-z]")
_DIGIT: Final = re.compile("[0-9]")


@dataclass(frozen=True, slots=True)
class DateMention:
    """``text[start:end]`` names the span [since, until) in UTC. ``direction`` is seen from the moment of asking."""

    start: int
    end: int
    since: datetime
    until: datetime
    grain: Grain
    direction: Literal["past", "present", "future"]


def mentions(text: str, moment: datetime, zone: tzinfo, lean: Lean = "nearest") -> tuple[DateMention, ...]:
    """The dates that ``text`` names, in order, without overlap. ``moment`` is aware; days are those of ``zone``.

    ``lean``: on which side a date lies that names no year or week ("May 3rd", "Friday"); "told" is the past with
    today. Never raises; what lies beyond the calendar is left out.
    """
    flat = even(text)
    now = Now(_local(moment, zone), zone, lean)
    found: list[DateMention] = []
    for start, end, span in _spans(flat, text, now):
        mention = _mention(start, end, span, moment, zone)
        if mention is not None:
            found.append(mention)
    return tuple(found)


def even(text: str) -> str:
    """``text`` in lower case, half width and simplified characters, with every character in its place."""
    return text.translate(_EVEN)


def _table() -> dict[int, str]:
    table = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    table |= {code: chr(code).lower() for code in range(ord("A"), ord("Z") + 1)}
    table |= {0xFF21 + n: chr(ord("a") + n) for n in range(26)}
    table |= {ord(c): "'" for c in "\u2018\u2019\u02bc"} | {ord(c): "-" for c in "\u2010\u2011\u2012\u2013\u2212"}
    table |= {0x3000: " ", 0xA0: " ", 0x202F: " ", 0x301C: "~", 0xFF5E: "~"}
    return table | {ord(pair[0]): pair[1] for pair in read_words("traditional.txt")}


_EVEN: Final = _table()


def _local(moment: datetime, zone: tzinfo) -> datetime:
    """The naive local time, kept a little away from the calendar's ends."""
    low, high = (datetime.combine(day, at(day).time(), UTC) for day in (FIRST, LAST))
    room = timedelta(days=2)
    return min(max(moment, low + room), high - room).astimezone(zone).replace(tzinfo=None)


def _specs(flat: str, original: str, now: Now) -> list[Spec]:
    """What each scanner finds; where two overlap, the earlier and then the longer one stays."""
    found: list[Spec] = []
    if _DIGIT.search(flat):
        found.extend(digits.scan(flat, now))
    if _HAN.search(flat):
        found.extend(chinese.scan(flat, now))
    if _LATIN.search(flat):
        found.extend(english.scan(flat, now, original))
    found.sort(key=lambda spec: (spec.start, -spec.end))
    kept: list[Spec] = []
    for spec in found:
        if not kept or spec.start >= kept[-1].end:
            kept.append(spec)
    return kept


def _spans(flat: str, original: str, now: Now) -> Iterator[tuple[int, int, Span]]:
    """Joins what belongs together and resolves it; "Monday to Friday" is one span."""
    whole: list[Spec] = []
    for spec in _specs(flat, original, now):
        both = joined(whole[-1], spec) if whole and _GLUE.fullmatch(flat, whole[-1].end, spec.start) else None
        if both is not None:
            whole[-1] = both
        else:
            whole.append(spec)
    last: tuple[Spec, Span] | None = None
    habit: int | None = None
    for spec in whole:
        if spec.weak:
            continue
        if spec.is_hour and (_is_habit(flat, spec) or (habit and _TO.fullmatch(flat, habit, spec.start))):
            habit = spec.end
            continue
        if last is not None and _TO.fullmatch(flat, last[0].end, spec.start):
            span = _through(last, spec, now)
            if span is not None:
                last = (replace(last[0], end=spec.end), span)
                continue
        if last is not None:
            yield last[0].start, last[0].end, last[1]
        span = span_of(spec, now)
        last = (spec, span) if span is not None else None
    if last is not None:
        yield last[0].start, last[0].end, last[1]


def _is_habit(flat: str, spec: Spec) -> bool:
    return _HABIT.search(flat[max(0, spec.start - _HABIT_LENGTH) : spec.start]) is not None


def _through(last: tuple[Spec, Span], spec: Spec, now: Now) -> Span | None:
    """From the first to the second, which takes over what it leaves unsaid."""
    first, (since, until, _) = last
    if spec.day is not None and spec.month is None:
        spec = replace(spec, month=first.month, year=first.year)
    elif spec.weekday is not None and spec.week is None:
        spec = replace(spec, week=first.week)
    elif spec.hour is not None and spec.day is None and spec.weekday is None:
        spec = replace(first, hour=spec.hour, minute=spec.minute, hours=spec.hours or first.hours)
    elif first.hour is not None and first.day is None and first.weekday is None:
        start = span_of(replace(spec, hour=first.hour, minute=first.minute, hours=first.hours), now)
        since = start[0] if start else since
    # The end of a span lies ahead of its beginning, whatever the lean.
    span = span_of(spec, replace(now, moment=max(since, at(FIRST)), lean="future"))
    return (since, span[1], "range") if span is not None and span[1] > until and span[0] >= since else None


def _mention(start: int, end: int, span: Span, moment: datetime, zone: tzinfo) -> DateMention | None:
    try:
        since, until = (one.replace(tzinfo=zone).astimezone(UTC) for one in span[:2])
    except (ValueError, OverflowError):
        return None
    if since >= until:
        return None  # hours that the clocks skip
    direction: Literal["past", "present", "future"] = (
        "past" if until <= moment else "future" if since > moment else "present"
    )
    return DateMention(start, end, since, until, span[2], direction)
