"""Numbers, dates and times of a text in one form, so that "三千元" and "3,000 yuan" are the same amount.

Reads folded text and blanks what it has read, so that nothing counts twice. Must not guess a missing year, month
or half of the day, and must not lose a digit: every digit of the text is in exactly one of the values.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple

from engine.ingest.judge_units import CLASSIFIERS, FACTORS, MONEY, UNITS

# What stands in the text for a figure that was read: a character of the private use area, by its place in ``placed``.
FIRST_PLACE: Final = "\ue000"
LAST_PLACE: Final = "\uf8fe"
_MOST: Final = ord(LAST_PLACE) - ord(FIRST_PLACE)
_PRIVATE: Final = re.compile("[\ue000-\uf8ff]")
_LONGEST: Final = 15  # digits beyond this are an identifier and are compared as they are written


def _numbered(words: str, start: int) -> dict[str, int]:
    return {word: number for number, word in enumerate(words.split(), start)}


class Number(NamedTuple):
    """``value`` in the base unit of its kind, ``raw`` as written, ``unit`` "" where there is none."""

    value: str
    unit: str
    raw: str


@dataclass(frozen=True, slots=True)
class Figures:
    """``counted``: (value, what was counted); ``singles``: what there is one of. ``rest``: the text with a place
    character for each figure, ``placed``: their canonical forms by place.
    """

    numbers: tuple[Number, ...]
    dates: tuple[str, ...]
    placed: tuple[str, ...]
    counted: frozenset[tuple[str, str]]
    singles: frozenset[str]
    rest: str


_DIGITS: Final = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "廿": 20}
_TENS: Final = {"十": 10, "百": 100, "千": 1000}
_ZH_UNITS: Final = "|".join(sorted((w for w in UNITS if not w.isascii() and w != "°c"), key=len, reverse=True))
# A Chinese numeral counts where something shows that it is one: its length, or what it counts.
_ZH_NUMBER: Final = re.compile(
    rf"百分之(?P<percent>[零〇一二两三四五六七八九十百点]+)"
    rf"|(?<![百千万十])(?P<number>[零〇一二两三四五六七八九十百千万亿]+(?:点[零一二三四五六七八九]+(?![十刻半]))?)"
    rf"(?P<after>{_ZH_UNITS}|[点时][钟半整]?|月|号|折|成|多|几|期|楼|室|届|级|[{CLASSIFIERS}])?"
)
_NOT_NUMBERS: Final = re.compile(
    "(?<![十百千万午晨上晚早夜])一点[儿]?(?![钟半整])|十分(?!钟)|万一|千万(?![元块人美])|百度|一直|一起|一样|一般|一定|一些|一下|一切|一旦|统一|唯一|"
    "第一时间|之一|一半|一[边面]|万科|三亚|三星|九寨|四川|千克|百分百|三明治|双十一|张三|李四|一共|一向|不一"
)
_EN_NUMBERS: Final = _numbered(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty",
    0,
) | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "dozen": 12,
     "twice": 2}  # fmt: skip
_EN_BIG: Final = {"hundred": 100, "thousand": 1000}
_EN_NUMBER: Final = re.compile(
    rf"\b(?!one\b)({'|'.join(_EN_NUMBERS)})(?:[- ]({'|'.join(list(_EN_NUMBERS)[1:10])})\b)?"
    r"(?:[- ](hundred|thousand))?\b"
)
_ORDINALS: Final = _numbered("first second third fourth fifth sixth seventh eighth ninth tenth", 1)
_ORDINAL: Final = re.compile(rf"\b({'|'.join(_ORDINALS)})\b(?! (?:of all|thing|time)\b|[- ]?hand)")

_MONTHS: Final = _numbered("jan feb mar apr may jun jul aug sep oct nov dec", 1)
_MONTH: Final = (
    r"(?P<m>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAYS: Final = _numbered("一 二 三 四 五 六 日 末", 1) | {"天": 7} | _numbered("mon tue wed thu fri sat sun", 1)
_PARTS: Final = {
    word: part
    for part, words in {
        "night0": "凌晨",
        "morning": "早上 早晨 上午 清晨 今早 am morning mornings",
        "noon": "中午 noon midday",
        "afternoon": "下午 午后 afternoon afternoons",
        "evening": "晚上 傍晚 夜里 晚间 今晚 昨晚 evening evenings tonight",
    }.items()
    for word in words.split()
}
_PART_WORDS: Final = "|".join(sorted(_PARTS, key=len, reverse=True))
_ZH_PART: Final = "凌晨|早上|早晨|上午|清晨|中午|下午|午后|晚上|傍晚|夜里|晚间|早|晚"
_RELATIVE: Final = {
    word: slug
    for slug, words in {
        "-2d": "前天", "-1d": "昨天 昨日 昨晚 yesterday", "0d": "今天 今日 今晚 今早 today tonight",
        "+1d": "明天 明日 明晚 tomorrow", "+3d": "大后天", "+2d": "后天", "-1w": "上周末 上周 上星期 上礼拜 last_week",
        "+1w": "下周末 下周 下星期 下礼拜 next_week", "0w": "本周末 这周末 本周 这周 这星期 this_week",
        "-1m": "上个月 上月 last_month",
        "+1m": "下个月 下月 next_month",
        "0m": "本月 这个月 this_month", "-1y": "去年 last_year", "0y": "今年 this_year",
        "+1y": "明年 next_year", "-2y": "前年",
    }.items()
    for word in words.split()
}  # fmt: skip
_RELATIVE_WORDS: Final = "|".join(
    w if not w.isascii() else rf"\b{w.replace('_', ' ')}\b" for w in sorted(_RELATIVE, key=len, reverse=True)
)


def _chinese_value(text: str) -> Decimal:
    """The value of a Chinese numeral: "三千五" 3500, "二零二四" 2024, "两万" 20000, "一点五" 1.5."""
    text, _, fraction = text.partition("点")
    if fraction:
        return _chinese_value(text or "零") + Decimal("0." + "".join(str(_DIGITS[c]) for c in fraction))
    if not any(c in _TENS or c in "万亿" for c in text):
        return Decimal("".join(str(_DIGITS[c]) for c in text) or "0")
    total = section = digit = 0
    last = 1
    for c in text:
        if c in _TENS:
            section += (digit or (0 if section and digit else 1)) * _TENS[c]
            digit, last = 0, _TENS[c]
        elif c in "万亿":
            big = 10_000 if c == "万" else 100_000_000
            total = (total + section + digit) * big if c == "亿" else total + (section + digit or 1) * big
            section = digit = 0
            last = big
        else:
            digit = digit * 10 + _DIGITS[c] if last == 1 and digit else _DIGITS[c]
            last = 1 if c in "零〇" else last
    return Decimal(total + section + digit * (last // 10 if last >= 100 and digit else 1))


def _chinese_to_digits(text: str) -> str:
    spans = [m.span() for m in _NOT_NUMBERS.finditer(text)]

    def digits(m: re.Match[str]) -> str:
        if any(start < m.end() and m.start() < end for start, end in spans):
            return m[0]
        if m["percent"]:
            return f"{_chinese_value(m['percent'])}%"
        number, after = m["number"], m["after"] or ""
        before = text[m.start() - 1] if m.start() else " "
        if number[0] in "万亿千百" and before.isdigit():  # "3万": read with its digits
            return m[0]
        told = after or before in "第周" or len(number) > 1
        if before in "周期拜" or not told or (number == "一" and after and after in CLASSIFIERS and before != "第"):
            return m[0]
        if all(c in "千百万亿" for c in number):
            return m[0]
        return f"{_chinese_value(number)}{after}"

    return _ZH_NUMBER.sub(digits, text)


def _english_to_digits(text: str) -> str:
    def digits(m: re.Match[str]) -> str:
        value = _EN_NUMBERS[m[1]]
        if m[2]:
            value = value + _EN_NUMBERS[m[2]] if value >= 20 else value * 100 + _EN_NUMBERS[m[2]]
        return str(value * _EN_BIG.get(m[3] or "", 1))

    text = re.sub(
        r"\b(?:an?|one) (hundred|thousand|dozen)\b",
        lambda m: {"hundred": "100", "thousand": "1000"}.get(m[1], "12"),
        text,
    )
    return _EN_NUMBER.sub(digits, _ORDINAL.sub(lambda m: f"{_ORDINALS[m[1]]}th", text))


class _Reader:
    """Takes figures out of one text, kind by kind; what was taken is blank afterwards."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.numbers: list[Number] = []
        self.dates: list[str] = []
        self.placed: list[str] = []

    def take(self, pattern: re.Pattern[str], read: Callable[[re.Match[str]], str | Number | None]) -> None:
        def one(m: re.Match[str]) -> str:
            found = read(m)
            if found is None:
                return m[0]
            if isinstance(found, Number):
                self.numbers.append(found)
                self.placed.append(f"{found.value}{found.unit}")
            else:
                self.dates.append(found)
                self.placed.append(found)
            return f" {chr(ord(FIRST_PLACE) + min(len(self.placed) - 1, _MOST))} "

        self.text = pattern.sub(one, self.text)


def _plain(text: str) -> str:
    """Canonical decimal: no trailing zeros; codes (leading zeros, many digits) as written."""
    if len(text) > _LONGEST or (len(text) > 1 and text[0] == "0" and text[1] != "."):
        return text
    return format(Decimal(text).normalize(), "f")


def _date(year: str | None, month: str | int | None, day: str | None) -> str | None:
    month_number, day_number = int(month or 0), int(day or 0)
    if not (month is None or 1 <= month_number <= 12) or not (day is None or 1 <= day_number <= 31):
        return None
    return f"{year or '*'}-{month_number or '*'}-{day_number or '*'}"


def _clock(part: str | None, hour: str, minute: str | None) -> str | None:
    hours = int(hour)
    minutes = {"半": 30, "一刻": 15, "3刻": 45, None: 0, "": 0, "整": 0}.get(minute, -1)
    if minutes < 0:
        minutes = int((minute or "0").rstrip("分"))
    if hours > 24 or minutes > 59:
        return None
    if part in ("pm", "下午", "晚上", "傍晚", "午后", "夜里", "晚间", "晚") and hours < 12:
        hours += 12
    elif part in ("am", "凌晨") and hours == 12:
        hours = 0
    elif part == "中午" and hours < 3:
        hours += 12
    return f"{hours}:{minutes:02}"


_ISO: Final = re.compile(
    r"(?<!\d)(?P<y>\d{4})([-/.年])[^\S\n]?(?P<m>\d{1,2})(?:[-/.]|月)[^\S\n]?(?P<d>\d{1,2})(?:日|号|(?!\d|\.\d))"
)
_YEAR_MONTH: Final = re.compile(
    r"(?<!\d)(?P<y>\d{4})年[^\S\n]?(?P<m>\d{1,2})月份?|(?<!\d)(?P<y2>\d{4})-(?P<m2>\d{2})(?![\d-])"
)
_MONTH_DAY: Final = re.compile(r"(?<!\d)(?P<m>\d{1,2})月[^\S\n]?(?P<d>\d{1,2})(?:日|号)?")
_ZH_MONTH: Final = re.compile(r"(?<!\d)(?P<m>\d{1,2})月份?")
_ZH_DAY: Final = re.compile(r"(?<!\d)(?P<d>\d{1,2})[号日](?![楼线院店码桌])")
_EN_DATE: Final = re.compile(rf"\b{_MONTH} (?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<y>\d{{4}})\b)?")
_EN_DATE_BACK: Final = re.compile(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? (?P<y>\d{{4}})\b)?")
_EN_MONTH: Final = re.compile(rf"(?<!\w){_MONTH}(?: (?P<y>\d{{4}})\b)?")
_YEAR: Final = re.compile(r"(?<![\d.:])(?P<y>(?:19|20)\d\d)(?:年|(?!\d|[.:]\d|[%元块个]|\s*(?:yuan|dollars|km|mb|gb)))")
_WEEKDAY: Final = re.compile(
    r"(?:周|星期|礼拜)(?P<z>[一二三四五六日天末])|\b(?P<e>mon|tue|wed|thu|fri|sat|sun)(?:days?|sdays?|nesdays?|rsdays?|urdays?)\b"
)
_TIME: Final = re.compile(
    rf"(?P<p>{_ZH_PART})?[^\S\n]?(?<!\d)(?P<h>\d{{1,2}})(?::(?P<min>\d{{2}})(?!\d)|[点时](?P<zmin>\d{{1,2}}分?|半|一刻|3刻|整)?钟?)"
    r"(?:[^\S\n]?(?P<ap>[ap])\.?m\b\.?)?|(?<![\d.:])(?P<h2>\d{1,2})[^\S\n]?(?P<ap2>[ap])\.?m\b\.?"
)
# Addresses of the net and codes of mixed letters and digits are compared as a whole.
_CODE: Final = re.compile(
    r"(?<![\w.+-])[\w.+-]*[a-z0-9]@[a-z0-9-]+(?:\.[a-z0-9-]+)+|https?://[^\s，。；、）)]+|(?<![a-z0-9])(?=[a-z0-9]*\d[a-z]+\d)[a-z0-9]{4,}",
    re.ASCII,
)
_PHONE: Final = re.compile(
    r"(?<![a-z0-9.])\+?\d{1,4}(?:[- ]\d{2,11}){1,5}(?![a-z0-9])|(?<![a-z0-9.])\+\d{8,15}(?![a-z0-9])"
)
_UNIT_WORDS: Final = "|".join(re.escape(w) for w in sorted(UNITS, key=len, reverse=True))
_NUMBER: Final = re.compile(
    rf"(?P<money>[$¥€])?[^\S\n]?(?P<n>\d+(?:\.\d+)*)[^\S\n]?(?P<f>million|billion|百万|千万|[kw](?![a-z0-9])|[千万亿])?[^\S\n]?-?"
    rf"(?P<u>(?:{_UNIT_WORDS})(?![a-z]))?(?P<c>[{CLASSIFIERS}])?(?:(?:st|nd|rd|th)(?![a-z]))?"
)
_THING: Final = re.compile(r"\s*(?:more |new |old |small |big )?([a-z]{3,})")
_SINGLE: Final = re.compile(
    rf"一([{CLASSIFIERS}])|\b(?:an?|one|single) (?:new |old |small |big |little )?([a-z]{{3,}})"
)


def _plural_off(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _number(m: re.Match[str]) -> Number:
    raw = _plain(m["n"]) if m["n"].count(".") < 2 else m["n"]
    if (
        m["n"].count(".") > 1
        or len(m["n"]) > _LONGEST
        or (raw == m["n"] and raw[0] == "0" and raw not in ("0",) and "." not in raw)
    ):
        return Number(m["n"], m["u"] or "", m["n"])
    unit, factor = UNITS.get(m["u"] or "", ("", "1"))
    unit = unit or MONEY.get(m["money"] or "", "")
    # A version is not a decimal: 1.10 comes after 1.9, and 2.0 is not 2.
    value = Decimal(m["n"]) * Decimal(10) ** FACTORS.get(m["f"] or "", 0)
    plain = format(value.normalize(), "f")
    if "." in m["n"] and m["n"].endswith("0") and not unit:
        plain = m["n"]
    return Number(format((value * Decimal(factor)).normalize(), "f") if unit else plain, unit, plain)


def _phone(m: re.Match[str]) -> Number | None:
    digits = "".join(c for c in m[0] if c.isdigit())
    if len(digits) < 7:
        return None
    digits = digits[2:] if digits.startswith("86") and len(digits) == 13 else digits
    return Number(digits, "", digits)


_OTHER_DIGITS: Final = re.compile(r"[^\D0-9]")
_ANY_DIGIT: Final = re.compile("[0-9]")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_MIDNIGHT: Final = re.compile(r"\bmidnight\b|午夜")
_RELATIVE_WORD: Final = re.compile(_RELATIVE_WORDS)
_PART: Final = re.compile(rf"(?:{_ZH_PART})(?<!早)(?<!晚)|\b(?:mornings?|noon|midday|afternoons?|evenings?)\b")


def _dates(take: Callable[[re.Pattern[str], Callable[[re.Match[str]], str | Number | None]], None]) -> None:
    """Dates and times that are told with digits."""
    take(_ISO, lambda m: _date(m["y"], m["m"], m["d"]))
    take(_YEAR_MONTH, lambda m: _date(m["y"] or m["y2"], m["m"] or m["m2"], None))
    take(_MONTH_DAY, lambda m: _date(None, m["m"], m["d"]))
    take(_ZH_MONTH, lambda m: _date(None, m["m"], None))
    take(_TIME, lambda m: _clock(
        m["p"] or (f"{m['ap'] or m['ap2']}m" if m["ap"] or m["ap2"] else None), m["h"] or m["h2"], m["min"] or m["zmin"]
    ))  # fmt: skip
    take(_EN_DATE, lambda m: _date(m["y"], _MONTHS[m["m"][:3]], m["d"]))
    take(_EN_DATE_BACK, lambda m: _date(m["y"], _MONTHS[m["m"][:3]], m["d"]))


def figures(folded: str) -> Figures:
    """The figures of a folded text. Never raises; a figure that makes no date or time stays a number."""
    folded = _PRIVATE.sub(" ", folded)
    text = folded
    if _OTHER_DIGITS.search(text):
        text = "".join(str(unicodedata.decimal(c)) if not c.isascii() and c.isdecimal() else c for c in text)
    text = _THOUSANDS.sub("", text)
    singles = frozenset(_plural_off(one or two) for one, two in _SINGLE.findall(text))
    reader = _Reader(_english_to_digits(_chinese_to_digits(text)))
    take = reader.take
    take(_CODE, lambda m: Number(m[0], "code", m[0]))
    if _ANY_DIGIT.search(reader.text):
        _dates(take)
    take(_MIDNIGHT, lambda _: "0:00")
    take(_EN_MONTH, _bare_month)
    if _ANY_DIGIT.search(reader.text):
        take(_ZH_DAY, lambda m: _date(None, None, m["d"]))
        take(_PHONE, _phone)
        take(_YEAR, lambda m: _date(m["y"], None, None))
    take(_WEEKDAY, lambda m: f"weekday-{_DAYS[m['z'] or m['e']]}")
    take(_RELATIVE_WORD, lambda m: f"relative{_RELATIVE[m[0].replace(' ', '_')]}")
    take(_PART, lambda m: f"part-{_PARTS[m[0]]}")
    if not _ANY_DIGIT.search(reader.text):
        return Figures(
            tuple(reader.numbers), tuple(reader.dates), tuple(reader.placed), frozenset(), singles, reader.text
        )
    counted = frozenset(
        (m["n"], m["c"] or (_plural_off(thing[1]) if (thing := _THING.match(reader.text, m.end())) else ""))
        for m in _NUMBER.finditer(reader.text)
        if not m["u"]
    )
    take(_NUMBER, _number)
    return Figures(tuple(reader.numbers), tuple(reader.dates), tuple(reader.placed), counted, singles, reader.text)


def _bare_month(m: re.Match[str]) -> str | None:
    """ "may" and "march" are months only beside a year or after a preposition of time."""
    if m["y"] is None and m["m"] in ("may", "march", "mar", "dec", "jan", "sun"):
        before = m.string[: m.start()].rsplit(None, 1)[-1:]
        if before not in (["in"], ["of"], ["by"], ["until"], ["since"], ["this"], ["next"], ["last"], ["every"],
                          ["from"], ["for"], ["till"], ["before"], ["after"], ["during"], ["early"], ["late"], ["mid"],
                          ["each"], ["to"]):  # fmt: skip
            return None
    return _date(m["y"], _MONTHS[m["m"][:3]], None)
