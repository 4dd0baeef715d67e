"""The lexicon of the judge of repeats: words that say the same, word stems, and pairs that Chinese cutting gets wrong.

``resources/text/synonyms-*.txt`` hold the words. Must not read a text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from engine.ingest.judge_units import listed
from engine.text.normalise import fold
from engine.text.resources import read_words


def stem(word: str) -> str:
    """A light stem: British and American spelling, plural, -ed, -ing and a final e evened out."""
    word = word.replace("-", "")
    if len(word) < 4 or not word.isascii():
        return word
    if "is" in word and len(word) > 6:
        word = re.sub(r"is(e|es|ed|ing|ation|er)$", r"iz\1", word)
    if "our" in word:
        word = re.sub(r"(?<=[a-z]{3})our(?=$|s|ed|ite)", "or", word)
    if "tre" in word:
        word = re.sub(r"tre(?=s?$)", "ter", word)
    if "og" in word:
        word = re.sub(r"ogue?(?=s?$)|ogramme(?=s?$)", lambda m: "ogram" if m[0].startswith("ogram") else "og", word)
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) > len(ending) + 2 and re.search("[aeiouy]", word[: -len(ending)]):
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiosz":
        word = word[:-1]
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _lexicon() -> tuple[dict[str, tuple[str, bool]], dict[str, tuple[str, bool, str]], dict[str, tuple[str, bool]]]:
    """(English phrases, English phrases by their stems with the phrase, Chinese entries) → (key, opposite)."""
    english: dict[str, tuple[str, bool]] = {}
    stems: dict[str, tuple[str, bool, str]] = {}
    chinese: dict[str, tuple[str, bool]] = {}
    for name, _ in (("synonyms-en.txt", english), ("synonyms-zh.txt", chinese)):
        for entry in read_words(name):
            key, _, members = entry.partition(":")
            for member in members.split(","):
                opposite = member.startswith("!")
                word = fold(member.removeprefix("!"))
                if not word:
                    continue
                if key[0] == "*":
                    key = f"{key.partition('.')[0]}.{word}"
                if word.isascii():
                    told = word.replace("_", " ")
                    english.setdefault(told, (key, opposite))
                    if key[0] not in ">~%<":  # changes and small words count in these very forms only
                        stems.setdefault(" ".join(stem(part) for part in word.split("_")), (key, opposite, told))
                else:
                    chinese.setdefault(word, (key, opposite))
    return english, stems, chinese


ENGLISH, STEMS, CHINESE = _lexicon()


def _longest() -> dict[str, int]:
    """How many words the longest phrase has that begins with a word (or its stem)."""
    found: dict[str, int] = {}
    for phrase in (*ENGLISH, *STEMS):
        first, *others = phrase.split(" ")
        found[first] = max(found.get(first, 1), len(others) + 1)
    return found


LONGEST: Final = _longest()

SURNAMES: Final = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范"
    "金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章"
    "鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符舒阮柯纪梅童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华喻祁房解牟艾尤穆阳"
)
LEADING: Final = "我你他她想就也都还爱用换学吃喝常"
NOT_LEADING: Final = listed(
    "想象 想法 想念 想起 就业 就餐 就读 就医 就诊 就任 都市 也许 还款 还书 还钱 还原 爱情 爱心 爱护 爱尔 "
    "爱丁 用户 用品 用餐 用车 用电 用法 用途 换季 换乘 学生 学校 学期 学费 学习 学院 学术 学历 学位 学员 "
    "学者 学姐 学长 学弟 学妹 学科 学区 学业 学分 我国 他人 常州 常识 常委 常用 吃饭 吃力 喝彩 用功 爱人 "
    "爱国 学会 学徒"
)
# Characters that a dictionary's guess joins to a neighbour, and the pairs that are words all the same.
LOOSE_FIRST: Final = "只后前已将曾仍既约才刚要"
LOOSE_PREPOSITIONS: Final = "从由归跟"
LOOSE_LAST: Final = "要叫前后停只归约由将已戒卖退换改是"
TRUE_PAIRS: Final = listed(
    "只有 只是 只要 只能 只好 只见 只得 只顾 只身 后面 后来 后天 后期 后台 后端 后果 后悔 后门 后院 后备 后勤 后续 "
    "后者 后半 后排 后轮 前面 前天 前期 前台 前端 前后 前提 前任 前妻 前夫 前年 前方 前往 前进 前途 前线 前者 前景 "
    "前排 前轮 前门 已经 已婚 将来 将近 将军 将要 曾经 仍然 仍旧 既然 既是 约定 约会 约束 约见 才能 才华 才艺 刚才 "
    "刚刚 刚好 刚性 要求 要点 要紧 要命 要是 要么 要价 主要 需要 重要 必要 不要 想要 摘要 纪要 概要 提要 首要 次要 "
    "紧要 快要 就要 还要 简要 喊叫 尖叫 大叫 名叫 吼叫 嚎叫 以前 之前 目前 提前 当前 从前 面前 眼前 生前 空前 先前 "
    "日前 午前 饭前 睡前 床前 门前 婚前 产前 课前 事前 超前 跟前 胸前 以后 之后 最后 然后 背后 今后 落后 先后 幕后 "
    "饭后 午后 产后 事后 售后 课后 皇后 日后 往后 善后 随后 身后 脑后 会后 病后 术后 术前 赛前 赛后 会前 暂停 不停 "
    "调停 船只 回归 合约 大约 节约 预约 条约 公约 契约 签约 违约 简约 邀约 续约 特约 赴约 解约 履约 自由 理由 由于 "
    "缘由 从来 从不 从未 从小 从此 从事 从业 从军 从容 从属 从而 由来 由衷 归还 归属 归纳 归类 归档 归零 归国 归集 "
    "归宿 跟进 跟踪 跟随 跟帖 跟团 大将 即将 必将 早已 不已 而已 业已"
)
# "小王", "老李": a dictionary would cut them apart or join them with what follows.
_GIVEN: Final = (
    "珊佩诺凯保卡安丽美娟芳敏静燕艳霞玲珍红梅英莉婷慧倩雯琪瑶颖洁娜欣怡悦萌萱蕾薇露晴彤茜菲妮蓓强伟磊军勇涛超杰鹏浩宇轩明亮"
    "飞斌波辉刚健峰华东建志博晨凡佳豪威旭昊翔俊"
)
CALLED: Final = re.compile(
    f"[小老阿][{''.join(sorted(SURNAMES))}](?![学时区心孩子])|小[{_GIVEN}](?![学时区心孩子西章议地器件星车机])"
)


def english_entry(phrase: str, stems: str) -> tuple[str, bool] | None:
    found = ENGLISH.get(phrase)
    if found is not None:
        return found
    by_stem = STEMS.get(stems)
    if by_stem is not None and phrase + "e" != by_stem[2] and phrase != by_stem[2] + "e":  # "plan" is no "plane"
        return by_stem[0], by_stem[1]
    return ENGLISH.get(stems)


@lru_cache(maxsize=4096)
def cached_stem(word: str) -> str:
    return stem(word)
