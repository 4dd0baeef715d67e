"""Dates and times written in digits: ISO 8601, 2026/5/20, 5/20 after a word that asks for a date, 15:30.

Where an American and a European reading differ, the month is first. Must not read words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Final

from engine.text.dates.calendar import AM, EXACT, PM, Now, Spec, month_of

_SCAN: Final = re.compile(
    r"(?<![0-9a-z/.\-])(?:"
    r"(?P<iso>(?P<y>\d{4})(?P<sep>[-/.])(?P<m>\d{1,2})(?P=sep)(?P<d>\d{1,2}))"
    r"(?:[t ](?P<clock>\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)(?P<offset>z|[+-]\d{2}:?\d{2})?)?(?![0-9a-z]|-\d)"
    r"|(?P<ym>(?P<y2>(?:19|20|21)\d{2})[-/](?P<m2>\d{1,2}))(?![0-9a-z/-])"
    r"|(?P<mdy>(?P<m3>\d{1,2})/(?P<d3>\d{1,2})/(?P<y3>\d{4}))(?![0-9a-z/])"
    r"|(?:(?<=on )|(?<=by )|(?<=due )|(?<=until )|(?<=since )|(?<=before )|(?<=from )|(?<=[在于到从])|(?<=[在于到从] ))"
    r"(?P<md>(?P<m4>\d{1,2})/(?P<d4>\d{1,2}))(?![0-9/])"
    r"|(?P<hm>(?P<h>[01]?\d|2[0-4]):(?P<mi>[0-5]\d)(?::[0-5]\d)?)(?![0-9:])(?:\s?(?P<half>am|pm|a\.m\.|p\.m\.))?"
    r")"
)


def scan(text: str, now: Now) -> Iterator[Spec]:
    """The dates of ``text`` (evened out: lower case, half width) in order."""
    for match in _SCAN.finditer(text):
        spec = _spec(match, now)
        if spec is not None:
            yield spec


def _spec(match: re.Match[str], now: Now) -> Spec | None:
    start, end = match.span()
    if match["hm"]:
        hour = int(match["h"])
        exact = hour == 0 or hour > 12 or match["h"].startswith("0")
        return clock(start, end, hour, int(match["mi"]), match["half"], exact)
    if match["ym"]:
        month = int(match["m2"])
        return Spec(start, end, fixed=month_of(int(match["y2"]), month)) if 1 <= month <= 12 else None
    if match["iso"]:
        if match["offset"]:
            return _stamped(match, now)
        date = Spec(start, end, int(match["y"]), int(match["m"]), int(match["d"]))
        if not match["clock"]:
            return date
        return replace(date, hour=int(match["clock"][:2]), minute=int(match["clock"][3:5]), hours=EXACT)
    month, day = (int(match["m3"]), int(match["d3"])) if match["mdy"] else (int(match["m4"]), int(match["d4"]))
    if month > 12:
        month, day = day, month
    year = int(match["y3"]) if match["mdy"] else None
    return Spec(start, end, year, month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None


def _stamped(match: re.Match[str], now: Now) -> Spec | None:
    """A time that names its own offset from UTC."""
    day = f"{match['y']}-{match['m']:0>2}-{match['d']:0>2}"
    try:
        moment = datetime.fromisoformat(f"{day}T{match['clock']}{match['offset'].upper()}").astimezone(now.zone)
    except (ValueError, OverflowError):
        return None
    return Spec(
        *match.span(), moment.year, moment.month, moment.day, hour=moment.hour, minute=moment.minute, hours=EXACT
    )


def clock(
    start: int, end: int, hour: int, minute: int | None, half: str | None = None, exact: bool = False
) -> Spec | None:
    """A time of the day; ``half`` is "am", "pm" or None; ``exact`` counts the hours of 24."""
    if half and hour <= 12:
        return Spec(start, end, hours=AM if half[0] == "a" else PM, hour=hour, minute=minute)
    return Spec(start, end, hour=hour, minute=minute, hours=EXACT if exact else None) if hour <= 24 else None
