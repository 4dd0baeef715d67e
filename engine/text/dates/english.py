"""English words of time: the day after tomorrow, next Friday at 3, June 3rd 2027, last May, a couple of weeks ago.

Must not take "may", "march", "sat", "sun" or "second" for dates where they are verbs, names or numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from engine.text.dates import calendar, durations
from engine.text.dates.calendar import Edge, Now, Spec, Unit, at, away, day_fields, shifted, stretch
from engine.text.dates.digits import clock

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sept sep", "october oct", "november nov", "december dec"), 1)
    for name in names.split()
}  # fmt: skip
_WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(
        ("monday mon", "tuesday tues tue", "wednesday wed", "thursday thurs thur thu", "friday fri", "saturday sat",
         "sunday sun"), 1)
    for name in names.split()
}  # fmt: skip
_NUMBERS: Final = {
    name: float(number)
    for number, names in enumerate(
        ("zero", "one a an", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
         "twelve", "thirteen", "fourteen", "fifteen"))
    for name in names.split()
} | {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90,
     "a couple of": 2, "a couple": 2, "a dozen": 12, "half a": 0.5, "half an": 0.5, "a half": 0.5}  # fmt: skip
_VAGUE: Final = {"few", "several", "some", "many"}
_ORDINALS: Final = {
    name: number
    for number, name in enumerate(
        ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
         "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
         "twentieth"), 1)
} | {"thirtieth": 30}  # fmt: skip
_DAYS: Final = {
    "today": 0, "tonight": 0, "tonite": 0, "tomorrow": 1, "tmrw": 1, "tmr": 1, "tomorow": 1, "yesterday": -1,
}  # fmt: skip
_PARTS: Final = {
    "morning": calendar.MORNING, "noon": calendar.NOON, "lunchtime": calendar.NOON,
    "afternoon": calendar.AFTERNOON, "evening": calendar.NIGHT, "night": calendar.NIGHT,
}  # fmt: skip
_SEASONS: Final = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}
_EDGES: Final[dict[str, Edge]] = {
    "start": "start", "beginning": "start", "early": "start", "middle": "middle", "mid": "middle", "end": "end",
    "late": "end",
}  # fmt: skip
_STEPS: Final = {"this": 0, "current": 0, "next": 1, "following": 1, "coming": 1, "this coming": 1, "upcoming": 1,
                 "last": -1, "previous": -1, "past": -1, "this past": -1}  # fmt: skip
_FEASTS: Final = {
    "new year's day": (1, 1), "valentine's day": (2, 14), "halloween": (10, 31), "christmas eve": (12, 24),
    "christmas day": (12, 25), "christmas": (12, 25), "boxing day": (12, 26), "new year's eve": (12, 31),
}  # fmt: skip


def _any(names: Any) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


_MONTH: Final = rf"(?:{_any(_MONTHS)})\b"
_WEEKDAY: Final = rf"(?:{_any(_WEEKDAYS)})\b"
_COUNT: Final = rf"(?:\d{{1,4}}|{_any(_NUMBERS)}|(?:a |the )?(?:few|several|some|many))"
_UNIT: Final = r"(?:min(?:ute)?s?|hours?|hrs?|days?|weeks?|fortnights?|months?|years?|yrs?|decades?)\b"
_MOD: Final = _any(_STEPS)
_YEAR: Final = r"(?:19|20|21)\d{2}(?![\d:%]|[.,]\d|s\b)"
_PREP: Final = r"(?:in|since|by|until|till|of|during|before|after|from|through|around|late|early|mid|for|to)"
_NTH: Final = r"\d{1,2}(?:st|nd|rd|th)?(?![\d:%a-z]|[.,]\d)"

_ALTERNATIVES: Final = (
    r"(?P<dayafter>(?:the )?day (?P<da>after tomorrow|before yesterday|before last)\b)",
    rf"(?P<day>(?:{_any(_DAYS)})\b)",
    r"(?P<tonight>(?<!the )(?P<tn>this|last|yesterday) (?P<tp>morning|afternoon|evening|night)\b)",
    (
        rf"(?P<from>(?P<fn>{_COUNT}) (?P<fu>days?|weeks?|months?) (?P<fw>from|after|before) (?P<fd>{_WEEKDAY}|today|"
        rf"tomorrow|yesterday|now)\b)"
    ),
    (
        rf"(?P<ago>(?P<an>{_COUNT})(?P<ah> and a half)?[ -](?P<au>{_UNIT})(?P<ah2> and a half)? (?P<aw>ago|back|"
        rf"from now|hence)\b)"
    ),
    (
        rf"(?P<in>(?<!once )(?<!twice )(?<!times )(?P<iw>in|within)(?: about| around| roughly|"
        rf" the next)? (?P<n>{_COUNT})(?P<ih> and a half)?[ -]"
        rf"(?P<iu>{_UNIT})(?P<ih2> and a half)?'?(?: time\b)?(?! (?:a|per)\b))"
    ),
    (
        rf"(?P<stretch>(?:the |these )?(?P<sw>past|last|previous|next|"
        rf"coming) (?:(?P<sn>{_COUNT}) )?(?P<su>{_UNIT})(?<=s))"
    ),
    r"(?P<pastone>the past (?P<pu>day|week|month|year)\b)",
    r"(?P<second>the (?P<eu>week(?:end)?|month|year) (?P<ew>after next|before last)\b)",
    (
        rf"(?P<named>(?:the )?(?P<mod>{_MOD}) (?P<target>week(?:end)?s?\b|month\b|year\b|quarter\b|"
        rf"{_any(_SEASONS)}\b|{_MONTH}|{_WEEKDAY})(?<!weeks)(?<!weekends))"
    ),
    (
        r"(?P<edged>(?:the )?(?P<ed>beginning|start|middle|end|early|late|mid)(?: of|-)? (?:the |this )?(?P<edu>week|"
        r"month|year)\b)"
    ),
    (
        r"(?P<edge>(?:the )?(?:(?P<eg>beginning|start|middle|end) of|(?P<eg2>early|late|mid)(?: in)?)(?= |"
        r"-)(?! (?:the|my|our|a)\b)(?:-)?)"
    ),
    (
        rf"(?P<mdy>(?P<m>{_MONTH})\.?,? (?:the )?(?P<d>{_NTH}|{_any(_ORDINALS)}\b)(?! ?(?:am\b|pm\b|percent|people|"
        rf"miles|km|of us))(?: ?(?:-|to|through|until) ?(?P<dt>\d{{1,2}})(?:st|nd|rd|"
        rf"th)?(?![\d:%a-z/-]))?(?:,? (?P<y>{_YEAR}))?)"
    ),
    (
        rf"(?P<dmy>(?:the )?(?P<d2>{_NTH}|"
        rf"(?:{_any(_ORDINALS)})\b)(?P<of> of)? (?P<m2>{_MONTH})\.?(?:,? (?P<y2>{_YEAR}))?)"
    ),
    rf"(?P<my>(?P<m3>{_MONTH})\.?,? (?:of )?(?P<y3>{_YEAR}))",
    rf"(?P<sy>(?P<s>{_any(_SEASONS)})(?: of)? (?P<y4>{_YEAR}))",
    rf"(?P<month>(?P<m4>{_MONTH})(?!\.?\d))",
    rf"(?P<weekday>(?P<wd>{_WEEKDAY})(?!'?s?-| (?:morning|night|evening|afternoon)s))",
    (
        r"(?P<nth>(?P<dn>(?:(?<=the )\d{1,2}(?:st|nd|rd|th))(?![a-z-]))(?=\s*(?:$|[.,;:!?)]|(?:at|in the|of (?:this|"
        r"next|last)|for|to|and|with|because|when|we|i|he|she|they|it's)\b)))"
    ),
    (
        rf"(?P<year>(?P<y5>{_YEAR})(?! ?(?:words|people|steps|km|kg|miles|users|items|rows|bytes|bits|tokens|times|"
        rf"calories|dollars|euros|meters|metres|ml|mb|px|ms)\b))"
    ),
    r"(?P<decade>(?P<dc>(?:19|20)\d0|(?<=the )'?[2-9]0)'?s\b)",
    rf"(?P<season>(?:the )?(?P<s2>{_any(_SEASONS)})\b)",
    rf"(?P<feast>(?:{_any(_FEASTS)})\b)",
    r"(?P<oclock>(?P<oh>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) o'clock)",
    (
        r"(?P<half>(?P<hq>half past|quarter past|quarter to) (?P<hh>\d{1,2}|one|two|three|four|five|six|seven|eight|"
        r"nine|ten|eleven|twelve)\b)"
    ),
    r"(?P<ampm>(?<![\d.,:$])(?P<ch>\d{1,2})(?:[:.](?P<cm>[0-5]\d))? ?(?P<cp>am|pm|a\.m\.|p\.m\.)(?![a-z]))",
    (
        r"(?P<at>(?<=at )(?P<ath>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|"
        r"twelve)(?::(?P<atm>[0-5]\d))?\b(?!%|[-.,/:]\d| ?(?:percent|degrees|km|mph|years|months|euros|dollars)))"
    ),
    r"(?P<noon>noon|midday|midnight)\b",
    rf"(?P<part>(?:in the |during the )?(?P<pp>{_any(_PARTS)})\b)",
)
_SCAN: Final = re.compile(r"(?<![a-z0-9_])(?:" + "|".join(_ALTERNATIVES) + ")")
_EVERY: Final = re.compile(r"(?:every|each|most|per|a|one|some|on alternate)(?: other| single| second)?(?: \w+ and)? $")
_ASKS: Final = re.compile(rf"\b{_PREP}(?: the| about)?[ -]$")
_ASKS_DAY: Final = re.compile(r"\b(?:on|by|until|till|since|before|after|from|this|next|last|to|and|for)[ ]$")
_SINCE: Final = re.compile(r"\bsince(?: about| around| early| late)? $")
# Words that are something else as often: months only with a capital or behind a word that asks for a date.
_DOUBTFUL: Final = {
    "may",
    "march",
    "mar",
    "april",
    "june",
    "august",
    "jan",
    "dec",
    "sept",
    "sep",
    "jun",
    "nov",
    "feb",
    "apr",
    "jul",
    "aug",
    "oct",
}
_VERBS: Final = {"may", "march", "mar"}


def scan(text: str, now: Now, original: str) -> Iterator[Spec]:
    """The words of time in ``text`` (evened out: lower case, half width), ``original`` with its capitals."""
    for match in _SCAN.finditer(text):
        kind = match.lastgroup
        assert kind is not None
        before = text[max(0, match.start() - 24) : match.start()]
        fields = _READ[kind](match, now, before, original)
        if fields is None:
            continue
        start = match.start() + (1 if text[match.start()] == " " else 0)
        yield Spec(start, match.end(), opens=bool(_SINCE.search(before)), **fields)


Fields = dict[str, Any] | None
Reader = Callable[[re.Match[str], Now, str, str], Fields]


def _count(words: str) -> float:
    return float(words) if words.isdecimal() else _NUMBERS.get(words, 3.0)


def _unit(word: str) -> tuple[Unit, int]:
    """The unit of a word and how many of them it is."""
    if word.startswith("fort"):
        return "week", 2
    if word.startswith("dec"):
        return "year", 10
    names: dict[str, Unit] = {"mi": "minute", "ho": "hour", "hr": "hour", "da": "day", "we": "week", "mo": "month"}
    return names.get(word[:2], "year"), 1


def _is_vague(words: str) -> bool:
    return words.split()[-1] in _VAGUE


def _vague(now: Now, unit: Unit, count: float) -> Fields:
    """ "A few" is two to six."""
    near, far = stretch(now, count / 1.5, unit), stretch(now, count * 2, unit)
    return {"fixed": (far[0], near[0], "range") if count < 0 else (near[1], far[1], "range")}


def _ago(match: re.Match[str], now: Now, before: str, original: str) -> Fields:
    unit, times = _unit(match["au"])
    count = (_count(match["an"]) + (0.5 if match["ah"] or match["ah2"] else 0)) * times
    sign = -1 if match["aw"] in ("ago", "back") else 1
    return _vague(now, unit, sign * count) if _is_vague(match["an"]) else away(now, sign * count, unit)


def _in(match: re.Match[str], now: Now, before: str, original: str) -> Fields:
    if durations.behind_process(before):
        return None
    unit, times = _unit(match["iu"])
    count = (_count(match["n"]) + (0.5 if match["ih"] or match["ih2"] else 0)) * times
    if match["iw"] == "within" or "the next" in match[0]:
        return {"fixed": stretch(now, count, unit)}
    return _vague(now, unit, count) if _is_vague(match["n"]) else away(now, count, unit)


def _from(match: re.Match[str], now: Now, before: str, original: str) -> Fields:
    """ "A week from Friday": counted from the coming one."""
    unit, _ = _unit(match["fu"])
    if match["fd"] == "now":
        return away(now, _count(match["fn"]), unit)
    if match["fd"] in _WEEKDAYS:
        day = shifted(now.today, days=(_WEEKDAYS[match["fd"]] - now.today.isoweekday()) % 7 or 7)
    else:
        day = shifted(now.today, days=_DAYS[match["fd"]])
    count = round(_count(match["fn"])) * (-1 if match["fw"] == "before" else 1)
    if unit == "month":
        return day_fields(shifted(day, months=count))
    return day_fields(shifted(day, days=count * (7 if unit == "week" else 1)))


def _stretch(match: re.Match[str], now: Now, before: str, original: str) -> Fields:
    unit, times = _unit(match["su"])
    count = (_count(match["sn"]) if match["sn"] else 3) * times
    return {"fixed": stretch(now, count if match["sw"] in ("next", "coming") else -count, unit)}


def _second(match: re.Match[str], now: Now, before: str, original: str) -> Fields:
    return _calendar(match["eu"], 2 if match["ew"] == "after next" else -2, now)


def _calendar(unit: str, step: int, now: Now) -> Fields:
    if unit.startswith("week"):
        return {"week": step, "weekday": 8 if unit.startswith("weekend") else None}
    if unit == "quarter":
        first = shifted(now.today.replace(month=(now.today.month - 1) // 3 * 3 + 1, day=1), months=3 * step)
        return {"fixed": (at(first), at(shifted(first, months=3)), "range")}
    month = shifted(now.today.replace(day=1), months=step * (12 if unit == "year" else 1))
    return {"year": month.year, "month": None if unit == "year" else month.month}


def _named(match: re.Match[str], now: Now, before: str, original: str) -> Fields:
    step, target = _STEPS[match["mod"]], match["target"]
    if target in _WEEKDAYS:
        if match["mod"] in ("this", "last", "past") and target in ("sat", "sun", "wed", "mon") \
                and not original[match.start("target")].isupper():  # fmt: skip
            return None
        if match["mod"] in ("coming", "this coming", "upcoming"):
            return {"weekday": _WEEKDAYS[target], "approach": "future"}
        if match["mod"] in ("past", "this past"):
            return {"weekday": _WEEKDAYS[target], "approach": "past"}
        return {"weekday": _WEEKDAYS[target], "week": step}
    if target in _MONTHS:
        if step == 0 and target in _VERBS and not original[match.start("target")].isupper():
            return None
        return _named_month(_MONTHS[target], step, now)
    if target in _SEASONS:
        return {"fixed": calendar.season_away(now, _SEASONS[target], step)}
    return _calendar(target, step, now)


def _named_month(month: int, step: int, now: Now) -> Fields:
    """ "Last May" is the last that is over, "next May" the first that has not begun."""
    today = now.today
    year = today.year + (step if (month - today.month) * step <= 0 else 0)
    return {"year": year, "month": month}


def _edged(match: re.Match[str], now: Now, before: str, original: str) -> Fields:
    return (_calendar(match["edu"], 0, now) or {}) | {"edge": _EDGES[match["ed"]]}


def _date(month: str, day: str | None, year: str | None) -> Fields:
    number = _ORDINALS.get(day) or int(re.sub(r"\D", "", day)) if day else None
    if number is not None and not 1 <= number <= 31:
        return None
    return {"year": int(year) if year else None, "month": _MONTHS[month], "day": number}


def _mdy(match: re.Match[str], now: Now, before: str, original: str) -> Fields:
    if match["m"] in _VERBS and not (original[match.start("m")].isupper() or match["y"] or match["d"][-1] in "tdh"):
        return None
    fields = _date(match["m"], match["d"], match["y"])
    return fields and fields | {"last_day": int(match["dt"]) if match["dt"] else None}


def _dmy(match: re.Match[str], now: Now, before: str, original: str) -> Fields:
    plain = match["d2"].isdecimal() and not match["of"]
    if (plain or match["d2"] in _ORDINALS) and match["m2"] in _VERBS and not original[match.start("m2")].isupper():
        return None
    return _date(match["m2"], match["d2"], match["y2"])


def _month(match: re.Match[str], now: Now, before: str, original: str) -> Fields:
    name, asked = match["m4"], _ASKS.search(before)
    if name in _DOUBTFUL and not original[match.start("m4")].isupper():
        if not asked or asked[0].split()[0] not in ("in", "since", "during", "until", "early", "late", "mid"):
            return None
    elif _EVERY.search(before):
        return None
    return {"month": _MONTHS[name], "weak": name in _DOUBTFUL and not asked}


def _weekday(match: re.Match[str], now: Now, before: str, original: str) -> Fields:
    name = match["wd"]
    if len(name) < 6 and not (_ASKS_DAY.search(before) and (original[match.start("wd")].isupper() or "on " in before)):
        return None
    return None if _EVERY.search(before) else {"weekday": _WEEKDAYS[name]}


def _year(match: re.Match[str], now: Now, before: str, original: str) -> Fields:
    return {"year": int(match["y5"]), "weak": not _ASKS.search(before)}


def _decade(match: re.Match[str], now: Now, before: str, original: str) -> Fields:
    year = int(match["dc"].lstrip("'"))
    year += 0 if year > 100 else 1900 if year >= 30 else 2000
    return {"fixed": (calendar.year_of(year)[0], calendar.year_of(year + 10)[0], "range")}


def _half(match: re.Match[str], now: Now, before: str, original: str) -> Fields:
    hour = round(_count(match["hh"]))
    minute = 30 if match["hq"].startswith("half") else 15
    if match["hq"].endswith("to"):
        hour, minute = (hour - 1) or 12, 45
    return {"hour": hour, "minute": minute} if hour <= 24 else None


def _clock(hour: str, minute: str | None, half: str | None, weak: bool) -> Fields:
    spec = clock(0, 1, round(_count(hour)), int(minute) if minute else None, half)
    if spec is None:
        return None
    return {"hours": spec.hours, "hour": spec.hour, "minute": spec.minute, "weak": weak}


def _at(match: re.Match[str], now: Now, before: str, original: str) -> Fields:
    ends = not re.match(r" [a-z]", original[match.end() : match.end() + 2].lower())
    return _clock(match["ath"], match["atm"], None, weak=not (ends or match["atm"]))


def _day(match: re.Match[str], now: Now, before: str, original: str) -> Fields:
    word = match["day"]
    night = {"hours": calendar.NIGHT} if word.startswith("toni") else {}
    return day_fields(shifted(now.today, days=_DAYS[word])) | night


def _tonight(match: re.Match[str], now: Now, before: str, original: str) -> Fields:
    day = shifted(now.today, days=0 if match["tn"] == "this" else -1)
    return day_fields(day) | {"hours": _PARTS[match["tp"]]}


def _noon(match: re.Match[str], now: Now, before: str, original: str) -> Fields:
    return {"hour": 24 if match[0].endswith("night") else 12, "minute": 0, "weak": not before.endswith("at ")}


_READ: Final[dict[str, Reader]] = {
    "dayafter": lambda m, now, b, o: day_fields(shifted(now.today, days=2 if m["da"] == "after tomorrow" else -2)),
    "day": _day, "tonight": _tonight, "from": _from, "ago": _ago, "in": _in, "stretch": _stretch,
    "pastone": lambda m, now, b, o: {"fixed": stretch(now, -1, _unit(m["pu"])[0])},
    "second": _second, "named": _named, "edged": _edged,
    "edge": lambda m, now, b, o: {"edge": _EDGES[m["eg"] or m["eg2"]], "weak": True},
    "mdy": _mdy, "dmy": _dmy, "my": lambda m, now, b, o: _date(m["m3"], None, m["y3"]),
    "sy": lambda m, now, b, o: {"season": _SEASONS[m["s"]], "year": int(m["y4"])},
    "month": _month, "weekday": _weekday, "nth": lambda m, now, b, o: {"day": int(m["dn"][:-2])},
    "year": _year, "decade": _decade, "season": lambda m, now, b, o: {"season": _SEASONS[m["s2"]], "weak": True},
    "feast": lambda m, now, b, o: dict(zip(("month", "day"), _FEASTS[m["feast"]], strict=True)),
    "oclock": lambda m, now, b, o: _clock(m["oh"], None, None, False), "half": _half,
    "ampm": lambda m, now, b, o: _clock(m["ch"], m["cm"], m["cp"], False), "at": _at, "noon": _noon,
    "part": lambda m, now, b, o: {"hours": _PARTS[m["pp"]], "weak": True},
}  # fmt: skip
