"""Chinese words of time, in simplified characters: 大后天, 下周三下午三点半, 上个月20号, 去年底, 三天前.

Must not take 周 in 每周三次 for a weekday, 后天 in 以后天天 for a day, 一点 for a time, nor 3号线 for a date.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, Final

from engine.text.dates import calendar, durations
from engine.text.dates.calendar import Edge, Now, Spec, Unit, at, away, day_fields, shifted, stretch

_DIGITS: Final = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_WEEKDAYS: Final = {c: n for n, c in enumerate("一二三四五六", 1)} | {"日": 7, "天": 7, "末": 8}
_DAYS: Final = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3, "大大后": 4, "当": 0}
_WEEKS: Final = {"上上上": -3, "上上": -2, "大上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2, "大下": 2}
_YEARS: Final = {"大前": -3, "前": -2, "去": -1, "今": 0, "本": 0, "明": 1, "后": 2, "大后": 3}
_SEASONS: Final = {"春": 0, "夏": 1, "秋": 2, "冬": 3}
_EDGES: Final[dict[str, Edge]] = {"初": "start", "中": "middle", "底": "end", "末": "end", "上": "start", "下": "end"}
_UNITS: Final[dict[str, Unit]] = {
    "分": "minute", "小": "hour", "钟": "hour", "天": "day", "日": "day", "周": "week", "星": "week", "礼": "week",
    "月": "month", "年": "year",
}  # fmt: skip
_PARTS: Final = {
    word: hours
    for hours, words in (
        (calendar.EARLY, "凌晨"), (calendar.MORNING, "清晨 清早 早上 早晨 大早 早 晨 上午"),
        (calendar.NOON, "中午 正午"), (calendar.AFTERNOON, "下午 午后"), (calendar.DUSK, "傍晚"),
        (calendar.NIGHT, "晚上 夜里 半夜 深夜 晚间 夜间 晚 夜"),
    )
    for word in words.split()
}  # fmt: skip
# Holidays with a fixed date; those that mean a whole week of leave are ranges.
_FEASTS: Final = {
    "元旦": (1, 1), "情人节": (2, 14), "妇女节": (3, 8), "愚人节": (4, 1), "劳动节": (5, 1), "青年节": (5, 4),
    "儿童节": (6, 1), "教师节": (9, 10), "国庆节": (10, 1), "万圣节": (10, 31), "平安夜": (12, 24),
    "圣诞节": (12, 25), "圣诞": (12, 25), "跨年夜": (12, 31), "双十一": (11, 11), "双十二": (12, 12),
}  # fmt: skip

_N: Final = "[零一二两三四五六七八九十百]"
_UNIT: Final = "分钟|小时|钟头|天|日|周|星期|礼拜|月|年"
# A month is counted with 个; 日 is counted only ahead: 5日前 is "before the 5th".
_COUNT_UNIT: Final = "分钟|小时|钟头|天|周|星期|礼拜|年|(?<=[个半])月|日(?=(?:以|之)?[后内])"
_NO_COUNT: Final = "(?![个次趟回顿遍场节张篇]|直|共|定|样|切)"
_COUNTED: Final = rf"(?:\d{{1,4}}|{_N}{{1,5}}|半|几|数|好几|若干)"
_PART: Final = "|".join(sorted(_PARTS.keys() - {"早", "晨", "晚", "夜"}, key=len, reverse=True))

_ALTERNATIVES: Final = (
    # 三天前, 两个半月后, 十来天前, 半年内, 10分钟后
    (
        rf"(?P<away>(?P<n>{_COUNTED})(?P<many>[多来几])?(?:个(?P<mid>半)?)?(?P<unit>{_COUNT_UNIT})(?P<half>半)?(?:的?时间)?"
        r"(?P<way>(?:以|之)?[前后内]|以来|来(?!的?[说讲看]|[了自到回过访]))(?!面|者|续|半))"
    ),
    rf"(?P<past>(?:过去|最近|近|这)(?:的|这)?(?P<n2>\d{{1,3}}|{_N}{{1,3}}|几)个?(?P<unit2>{_UNIT}))",
    rf"(?P<ahead>(?:未来|接下来|今后|往后)的?(?P<n3>\d{{1,3}}|{_N}{{1,3}}|几)个?(?P<unit3>{_UNIT}))",
    rf"(?P<pass>再?[过等隔](?P<n4>\d{{1,3}}|{_N}{{1,3}}|半)个?(?P<unit4>{_UNIT})(?=[就再要会,，我他她去]))",
    (
        r"(?P<around>这些天|前(?:[几两些]天|阵子|段时间|一?阵)|(?<![去来迷玩住做学干试用看吃养待练])过(?:[几两些]天|"
        r"阵子|段时间|一?阵))"
    ),
    # Not 后天 as in "acquired", nor behind the end of another word.
    (
        r"(?P<day>(?P<which>大前|大大后|大后|昨|今|明|(?<![以之从目午空])前|(?<![以之往今最午事背身然])后)"
        r"(?P<of>天(?!性|失明|形成|培养|养成|教育|因素|环境|努力的)|日(?!头条|方舟)|儿(?![子女童媳])个?|"
        r"[早晨晚夜](?![会餐饭点安])))"
    ),
    r"(?P<half_year>(?P<hy>去|今|明|\d{4})?年?(?P<hh>[上下])半年)",
    (
        rf"(?P<week>(?<![马晚早以一楼如地身])(?P<wk>上上上|上上|大上|上|这|本|下下|大下|下)一?个?(?:周|星期|礼拜)"
        rf"(?:(?P<wd>(?:一(?!起)|[二三四五六日天末]){_NO_COUNT}))?)"
    ),
    (
        rf"(?P<weekday>(?<![每一二两三四五六七八九十几半隔\d单双多整个])(?:周|星期|"
        rf"礼拜)(?P<wd2>[一二三四五六日天末])(?!周){_NO_COUNT})"
    ),
    r"(?P<month_away>(?<![马晚早以一楼如地])(?P<mk>上上|上|这|本|下下|下)个?月(?P<mke>初|底|末|中旬?|[上下]旬)?)",
    (
        r"(?P<year_away>(?P<yk>大前|大后|去|今|本|明|(?<![以之目])前|(?<![以之今往最])后)年(?P<yke>初|底|末|"
        r"年[初底末中])?)"
    ),
    r"(?P<decade>(?P<dc>(?:19|20)?\d0|[五六七八九]十)年代(?P<dce>初|末|中)?)",
    # 2026年5月3日, 5月3号, 5月底, 2026年
    (
        r"(?P<date>(?:(?P<y>(?<!\d)\d{4}|[〇零一二三四五六七八九]{4})年\s?)?(?<![\d个每历])(?P<m>\d{1,2}|"
        r"十[一二]?|[一二三四五六七八九])"
        r"月(?!天(?!气)|[薪租票饼球嫂])(?:份|里)?(?:\s?(?P<d>\d{1,2}|[一二三]?十[一二三四五六七八九]?|"
        r"[一二三四五六七八九])"
        r"(?:[日号]?[-~到至](?P<dt>\d{1,2})(?=[日号]))?(?:日|号|(?<=\d)(?![\d个次天年月点:.分周])))?(?P<edge>初|"
        r"底|末|中旬|[上下]旬)?)"
    ),
    r"(?P<year>(?<!\d)(?P<y2>\d{4}|[〇零一二三四五六七八九]{4})年(?:(?P<y2e>年?[初底末])|(?!代|[级次间]))(?:以来)?)",
    (
        r"(?P<nth>(?<![第尾a-z\d.路街巷弄座栋幢a-])(?P<nd>\d{1,2}|"
        r"(?<![一二三四五六七八九十周期])[一二三]?十?[一二三四五六七八九十])号(?![楼线门院桌室机馆店仓窗码台位厅球选车铺柜床房公电键文字馆池坑厂队]))"
    ),
    r"(?P<nth2>(?<=[到至~-])(?P<nd2>\d{1,2})日)",
    r"(?P<end>(?<![\d个每一二两三四五六七八九十])(?P<eu>[月年])(?P<ee>底|末|初|中(?![国间心的])))",
    (
        r"(?P<season>(?P<sk>上个?|这个?|本|下个?|今年?|去年?|明年?)?的?(?P<s>[春夏秋冬])(?:[天季]|"
        r"(?<=[今去明][春夏秋冬])))"
    ),
    r"(?P<feast>" + "|".join(_FEASTS) + ")",
    (
        r"(?P<leave>(?<![\d一二三四五六七八九十])(?P<lv>五一|十一|国庆)(?:假期|长假|黄金周|期间|放假|假|(?=去|回|"
        r"打算|想|要|准备|出|那|前|后|,|，)))"
    ),
    rf"(?P<part>{_PART}|(?<=[一二三四五六日天末号])[早晚](?![会餐饭点安]))",
    (
        rf"(?P<clock>(?<![\d.有这那第几差快了慢])(?P<h>\d{{1,2}}|二?十[一二三四五六七八九]?|[零一二两三四五六七八九])"
        rf"(?:点|时(?=\d|{_N}+分))(?P<zhong>钟)?(?:(?P<mi>\d{{2}}(?!\d)|\d{{1,2}}(?=分)|"
        rf"[零一二三四五]?十?[一二三四五六七八九](?=分)"
        rf"|[零一二三四五]十[一二三四五六七八九]?|零[一二三四五六七八九])分?|(?P<hm>半)|(?P<quarter>[一三])刻|"
        rf"(?P<sharp>整))?"
        r"(?![\d%个]|建议|意见|原因|理由|要求|问题|钱|水|儿|子|击|赞|心|名|东西|都|也|不|吃|小))"
    ),
)
_SCAN: Final = re.compile("|".join(_ALTERNATIVES))


def scan(text: str, now: Now) -> Iterator[Spec]:
    """The words of time in ``text`` (evened out: simplified characters, half width) in order."""
    for match in _SCAN.finditer(text):
        kind = match.lastgroup
        # The outer group of an alternative closes last.
        fields = _READ[kind](match, now) if kind in _READ else None
        if fields is not None:
            yield Spec(match.start(), match.end(), **fields)


def number(text: str) -> float:
    """一百二十 → 120, 十二 → 12, 二〇二六 → 2026, 半 → 0.5; 3 for 几 and 数."""
    if text.isdecimal():
        return int(text)
    if text == "半":
        return 0.5
    if text in ("几", "数", "好几", "若干"):
        return 3
    if len(text) > 1 and all(c in _DIGITS for c in text):
        return int("".join(str(_DIGITS[c]) for c in text))
    total, digit = 0, 0
    for char in text:
        if char in "十百":
            total, digit = total + (digit or 1) * (10 if char == "十" else 100), 0
        else:
            digit = _DIGITS.get(char, 0)
    return total + digit


def _away(match: re.Match[str], now: Now) -> dict[str, Any] | None:
    if match["way"][-1] in "后内" and durations.before_process(match.string, match.end()):
        return None
    unit, words, way = _UNITS[match["unit"][0]], match["n"], match["way"][-1]
    count = number(words) + (0.5 if match["mid"] or match["half"] else 0)
    if unit == "year" and 1900 <= count <= 2200:
        return {"year": int(count), "opens": way == "来"}
    if way in "内来":
        return {"fixed": stretch(now, count if way == "内" else -count, unit)}
    if match["many"] or words in ("几", "数", "好几", "若干"):
        return {"fixed": _vague(now, count, unit, -1 if way == "前" else 1)}
    return away(now, -count if way == "前" else count, unit)


def _vague(now: Now, count: float, unit: Unit, sign: int) -> Any:
    """Some time around that many units away."""
    near, far = (stretch(now, sign * count * share, unit) for share in (0.5, 2.0))
    return (far[0], near[0], "range") if sign < 0 else (near[1], far[1], "range")


def _past(match: re.Match[str], now: Now) -> dict[str, Any]:
    return {"fixed": stretch(now, -number(match["n2"]), _UNITS[match["unit2"][0]])}


def _ahead(match: re.Match[str], now: Now) -> dict[str, Any]:
    return {"fixed": stretch(now, number(match["n3"]), _UNITS[match["unit3"][0]])}


def _pass(match: re.Match[str], now: Now) -> dict[str, Any]:
    return away(now, number(match["n4"]), _UNITS[match["unit4"][0]])


def _around(match: re.Match[str], now: Now) -> dict[str, Any]:
    word = match["around"]
    if word.startswith("这"):
        since, until = -3, 2
    elif word.startswith("前"):
        since, until = (-6, -1) if word.endswith("天") else (-45, -7)
    else:
        since, until = (2, 8) if word.endswith("天") else (7, 46)
    return {"fixed": (at(shifted(now.today, days=since)), at(shifted(now.today, days=until)), "range")}


def _day(match: re.Match[str], now: Now) -> dict[str, Any]:
    part = _PARTS.get(match["of"][0])
    return day_fields(shifted(now.today, days=_DAYS[match["which"]])) | ({"hours": part} if part else {})


def _half_year(match: re.Match[str], now: Now) -> dict[str, Any]:
    named = match["hy"]
    year = int(named) if named and named.isdecimal() else now.today.year + _YEARS.get(named or "今", 0)
    first, last = (1, 6) if match["hh"] == "上" else (7, 12)
    return {"fixed": (calendar.month_of(year, first)[0], calendar.month_of(year, last)[1], "range")}


def _week(match: re.Match[str], now: Now) -> dict[str, Any]:
    return {"week": _WEEKS[match["wk"]], "weekday": _WEEKDAYS.get(match["wd"] or "")}


def _month_away(match: re.Match[str], now: Now) -> dict[str, Any]:
    month = shifted(now.today.replace(day=1), months=_WEEKS[match["mk"]])
    return {"year": month.year, "month": month.month, "edge": _edge(match["mke"])}


def _edge(word: str | None) -> Edge | None:
    return _EDGES[word.removeprefix("年")[0]] if word else None


def _year_away(match: re.Match[str], now: Now) -> dict[str, Any]:
    return {"year": now.today.year + _YEARS[match["yk"]], "edge": _edge(match["yke"])}


def _decade(match: re.Match[str], now: Now) -> dict[str, Any]:
    year = int(number(match["dc"]))
    year += 0 if year > 100 else 1900 if year >= 30 else 2000
    since, until = {"初": (0, 3), "中": (3, 7), "末": (7, 10)}.get(match["dce"] or "", (0, 10))
    return {"fixed": (calendar.year_of(year + since)[0], calendar.year_of(year + until)[0], "range")}


def _date(match: re.Match[str], now: Now) -> dict[str, Any] | None:
    month, day = int(number(match["m"])), int(number(match["d"])) if match["d"] else None
    if not 1 <= month <= 12 or (day is not None and not 1 <= day <= 31):
        return None
    edge = None if day else _edge(match["edge"])
    return {
        "year": int(number(match["y"])) if match["y"] else None,
        "month": month,
        "day": day,
        "last_day": int(match["dt"]) if match["dt"] else None,
        "edge": edge,
    }


def _year(match: re.Match[str], now: Now) -> dict[str, Any]:
    return {"year": int(number(match["y2"])), "edge": _edge(match["y2e"]), "opens": match[0].endswith("以来")}


def _nth(match: re.Match[str], now: Now) -> dict[str, Any] | None:
    day = int(number(match["nd"] or match["nd2"]))
    return {"day": day} if 1 <= day <= 31 else None


def _end(match: re.Match[str], now: Now) -> dict[str, Any]:
    month = now.today.month if match["eu"] == "月" else None
    return {"year": now.today.year, "month": month, "edge": _edge(match["ee"])}


def _season(match: re.Match[str], now: Now) -> dict[str, Any] | None:
    season, which = _SEASONS[match["s"]], (match["sk"] or "")[:1]
    if which in ("今", "去", "明"):
        return {"season": season, "year": now.today.year + _YEARS[which]}
    if not which:
        return {"season": season, "weak": True}
    return {"fixed": calendar.season_away(now, season, {"上": -1, "下": 1}.get(which, 0))}


def _feast(match: re.Match[str], now: Now) -> dict[str, Any]:
    month, day = _FEASTS[match["feast"]]
    return {"month": month, "day": day}


def _leave(match: re.Match[str], now: Now) -> dict[str, Any]:
    month, days = (5, 5) if match["lv"] == "五一" else (10, 7)
    first = now.today.replace(month=month, day=1)
    if now.lean in ("past", "told") and first > now.today:
        first = shifted(first, months=-12)
    elif now.lean not in ("past", "told") and shifted(first, days=days) <= now.today:
        first = shifted(first, months=12 if now.lean == "future" else 0)
    return {"fixed": (at(first), at(first) + timedelta(days=days), "range")}


def _part(match: re.Match[str], now: Now) -> dict[str, Any]:
    return {"hours": _PARTS[match["part"]], "weak": True}


def _clock(match: re.Match[str], now: Now) -> dict[str, Any] | None:
    hour = int(number(match["h"]))
    minute = int(number(match["mi"])) if match["mi"] else None
    minute = 30 if match["hm"] else 15 * int(number(match["quarter"])) if match["quarter"] else minute
    if hour > 24 or (minute or 0) > 59:
        return None
    told = match["zhong"] or minute is not None or match["sharp"]
    return {
        "hour": hour,
        "minute": 0 if match["sharp"] else minute,
        "weak": not told and match["h"] in ("一", "1", "零"),
    }


_READ: Final[dict[str, Callable[[re.Match[str], Now], dict[str, Any] | None]]] = {
    "away": _away, "past": _past, "ahead": _ahead, "pass": _pass, "around": _around, "day": _day,
    "half_year": _half_year, "week": _week, "weekday": lambda match, now: {"weekday": _WEEKDAYS[match["wd2"]]},
    "month_away": _month_away, "year_away": _year_away, "decade": _decade, "date": _date, "year": _year,
    "nth": _nth, "nth2": _nth, "end": _end, "season": _season, "feast": _feast, "leave": _leave, "part": _part,
    "clock": _clock,
}  # fmt: skip
