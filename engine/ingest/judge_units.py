"""Units of measure, factors, money and classifiers in both languages, as the judge of repeats reads them.

Must not read text.
"""

from __future__ import annotations

from typing import Final


def listed(words: str) -> frozenset[str]:
    """The words of a list written as one text."""
    return frozenset(words.split())


UNITS: Final[dict[str, tuple[str, str]]] = {
    word: (base, factor)
    for base, factor, words in (
        ("cm", "100000", "km 公里 千米 kilometer kilometers kilometre kilometres"),
        ("cm", "100", "m 米 meter meters metre metres"),
        ("cm", "1", "cm 厘米 公分 centimeter centimeters"),
        ("cm", "0.1", "mm 毫米"),
        ("inch", "1", "inch inches 寸 英寸"),
        ("mile", "1", "mile miles 英里"),
        ("g", "1000", "kg kgs 公斤 千克 kilo kilos kilogram kilograms"),
        ("g", "500", "斤"),
        ("g", "1", "g 克 gram grams"),
        ("g", "0.001", "mg 毫克"),
        ("pound", "1", "lb lbs 磅 pounds pound"),
        ("ml", "1", "ml 毫升"),
        ("ml", "1000", "l 升 liter liters litre litres"),
        ("second", "1", "s sec secs second seconds 秒 秒钟"),
        ("second", "0.001", "ms 毫秒"),
        ("second", "60", "min mins minute minutes 分钟"),
        ("second", "3600", "h hr hrs hour hours 小时 个小时 个钟头"),
        ("day", "1", "day days 天 日"),
        ("day", "7", "week weeks 周 个星期 星期 个礼拜"),
        ("month", "1", "month months 个月"),
        ("year", "1", "year years yr yrs 年 岁 周岁"),
        ("cny", "1", "元 块 块钱 yuan rmb cny 人民币 元钱"),
        ("usd", "1", "usd dollar dollars 美元 美金 刀"),
        ("eur", "1", "eur euro euros 欧元"),
        ("byte", "1000", "kb"),
        ("byte", "1000000", "mb 兆"),
        ("byte", "1000000000", "gb"),
        ("byte", "1000000000000", "tb"),
        ("%", "1", "% 个百分点 percent"),
        ("%", "10", "成"),
        ("degree", "1", "度 ° °c ℃ degrees"),
    )
    for word in words.split()
}
FACTORS: Final = {"k": 3, "千": 3, "w": 4, "万": 4, "百万": 6, "million": 6, "千万": 7, "亿": 8, "billion": 9}
MONEY: Final = {"$": "usd", "¥": "cny", "€": "eur"}
CLASSIFIERS: Final = (
    "个只条家位名本台部辆张间套件份杯瓶支把双对次种场门层栋棵株幅首篇届排班口人头匹盒包袋道项站遍顿盆锅碗"
    "勺座处笔盘朵滴串箱罐桶筐片颗粒根"
)
