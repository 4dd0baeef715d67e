"""What kind of question it is (S0): about people and their ties, about a time, or asking for an explanation.

By words in Chinese and English, without the traps of looking for bare letters: "who" is not in "whole", 谁知道呢 asks
for nobody. ``shift`` is S0's arithmetic. Pure; must not look anything up.
"""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Final, Literal

from engine.text.dates import even

Intent = Literal["relationship", "temporal", "factual"]

# S0: what each intent moves from the document route to the graph route.
_TO_GRAPH: Final[dict[Intent, float]] = {"relationship": 0.20, "temporal": 0.10, "factual": -0.15}
_DOCUMENT: Final = (0.15, 0.90)
_GRAPH: Final = (0.10, 0.85)

_QUOTED: Final = re.compile(r"“[^”]*”|\"[^\"]*\"|「[^」]*」|『[^』]*』|《[^》]*》|`[^`]*`")

_KIN_ZH: Final = (
    "爸爸|妈妈|爸妈|父亲|母亲|父母|爷爷|奶奶|外公|外婆|姥姥|姥爷|老婆|老公|妻子|丈夫|太太|爱人|媳妇|女朋友|男朋友|[男女]友|对象|"
    "哥哥|姐姐|弟弟|妹妹|表[哥姐弟妹]|堂[哥姐弟妹]|叔叔|阿姨|舅舅|[小大]舅子|小姨子|姑姑|岳父|岳母|公公|婆婆|儿子|女儿|家人|亲戚|"
    "同事|同学(?!会)|室友|邻居|闺蜜|老师(?!傅)|上司|老板(?!键)|朋友(?!圈)"
)
_RELATIONSHIP_ZH: Final = re.compile(
    # 谁 asks for somebody, but not in a sigh (谁知道呢, 谁让) nor for anybody (谁都, 不管谁).
    r"(?<!不管)(?<!无论)(?<!不论)(?<!鬼知道)谁(?!知道呢|知道[，,]|知道会|知道啊|晓得呢|让(?:你|我|他|她)|都|也(?:没|不|别)|叫(?:你|我))"
    r"|(?<!没)(?<!没有)关系(?!型|数据库|到|代数|运算|表|式|着)|(?<!重新)认识(?!到|论|误区|上|水平)|"
    + _KIN_ZH
    + r"|哪(?:个|位)人|哪位|"
    r"哪(?:个|些|几个)?(?:朋友|同事|同学|亲戚)|是.{0,6}什么人"
)
_KIN_EN: Final = (
    r"friends?(?! request)|girlfriend|boyfriend|fianc[eé]e?|wife|husband|spouse|mother(?! tongue)|father|mum"
    r"|mom|dad|mummy|"
    r"daddy|parents|grand(?:mother|father|ma|pa|parents)|sisters?(?! (?:company|site|project))|brothers?|"
    r"siblings?|(?:step)?(?:son|daughter)s?|cousins?|aunt|uncle|niece|nephew|in-laws?|famil(?:y|ies)(?! (?:of|tree))|"
    r"relatives?(?= |\?|$)(?! (?:to|path))|colleagues?|co-?workers?|classmates?|room-?mates?|flat-?mates?"
    r"|neighbou?rs?(?! node)|"
    r"teachers?|boss(?! (?:fight|battle|level))|partner(?! with\b)|relationships?(?! (?:table|model|diagram))"
)
_RELATIONSHIP_EN: Final = re.compile(
    r"(?<!doctor )(?<!the )\bwho(?:m|se|'s|'d|'ll|'re|ever's)?\b(?! knows(?:[,.!?]|$))(?! cares)"
    rf"|\b(?:{_KIN_EN})\b(?!-)|\bwhich (?:person|people|man|woman|one of (?:us|them|my))\b"
    r"|\b(?:related|married|engaged) to\b|\bknows? each other\b"
)
_WHO: Final = re.compile(r"\bWHO\b")

# 之前 and 以前 say when only where no deed goes before them: 我之前住哪, but not 睡觉之前要吃什么.
_TEMPORAL_ZH: Final = re.compile(
    r"什么时候|啥时候|啥时|何时|几时|哪(?:一)?[天年月]|哪个(?:月|星期|周)|哪几天|几月|几号|几点|(?:星期|礼拜|周)几|多久(?:以|之)?前"
    r"|上(?:一)?次|上(?:一)?回|前天|昨[天晚日夜]|刚才|刚刚|近来|近期|前几天|前阵子|这阵子|那阵子"
    r"|(?<!离我)(?<!离家)(?<!离公司)最近(?!的(?:地铁|车站|医院|超市|药店|银行|路|一?家|公交|加油站|停车场|机场|餐|店))"
    r"|(?:^|[，,。？?！!、\s]|[我你您他她它们咱]|不久|很久|多年|好久)(?:之|以)前(?!要|先|应该|必须|得|记得|别|需要|，|,)"
    r"|(?:之|以)前(?=的(?!话|准备))"
)
_ASKED: Final = r"did|does|do|is|was|were|are|am|will|would|should|shall|can|could|have|has|had|exactly|must|may|might"
_TEMPORAL_EN: Final = re.compile(
    rf"\bwhen(?:'s|'d|'ll| (?:{_ASKED})\b)|\bwhen\s*(?:[?.!]|$)|\bsince when\b|\bwhen (?:to|next)\b"
    r"|\b(?:know|knows|remember|recall|tell me|say|said|sure|idea|forgot|forget|and|or|on) when (?!(?:i"
    r"|you) (?:need|ask|want))"
    r"|\b(?:what|which|exact) (?:time|day|date|month|year|week|weekday|hour)s?\b|\bhow long ago\b|\bhow recently\b"
    r"|\b(?:the )?last time\b|\byesterday\b|\b(?:recent|recently|lately|just now|previously|the other day"
    r"|last night)\b"
)
_FACTUAL_ZH: Final = re.compile(
    r"是(?:个)?什么(?!时候|地方|人|样|颜色|牌子)|什么是|是啥|啥是|解释|定义|什么意思|什么原理|的原理|(?<!不)怎么(?!样|了(?:$|[？?。，,])|会(?:忘|不)|回事)"
    r"|如何(?!了)|为什么|为何|为啥|区别在哪|(?:有)?什么区别|有何不同|怎样(?:才能|做|去|配|用|把)"
)
_FACTUAL_EN: Final = re.compile(
    r"\bwhy\b(?! not\b)|(?<!guess )(?<!no matter )(?<!know )\bwhat(?:'s| is| are|'re)\b(?! (?:up\b|new\b"
    r"|with you\b|the (?:time|date|day)\b))"
    r"|\bexplain|\bdefin(?:e|ed|es|ition)\b|\bmeaning of\b|\bwhat (?:does|do|did) [^?]{1,40} (?:mean|stand for)\b"
    r"|\bhow to\b|\bhow (?:do|does|did|can|could|should|would|is|are|was"
    r"|were) (?!you do\b)(?!\w+(?: \w+)? doing\b)(?!(?:you|he|she|they|we)\?)"
    r"|\bhow come\b|\bdifference between\b|\bhow (?:\w+ )?works?\b"
)

# 以前 and before speak of a former state where no event follows them: "before the trip" does not.
_PAST_ZH: Final = re.compile(
    r"(?<![天周年月日号点时刻秒久])(?<!星期|礼拜|分钟|小时|睡觉|出门|出发|吃饭|上班|下班|开会|手术|考试|旅行|婚礼|发布|上线|入职|提交|合并)"
    r"(?<!起飞|到期|截止|过期|开始|比赛|面试|回家)(?:以前|之前)(?!要|先|应该|必须|得|记得|别|，|,|$)"
    r"|从前|过去(?!吗|的路)|先前|早先|早些年|曾经|曾用|原来(?!如此)|原先|原本|起初|最早|一开始|当初|不再|已经不|(?:早就|后来)不"
    r"|旧(?:的|号|址|地址|密码|家|手机|电脑|版)|前(?:任|公司|雇主|房东|女友|男友)|老(?:地址|号码|密码|电话|家在哪)"
    r"|上一(?:个|任|份|台|辆|套|位|家)|(?:改|换|搬)(?:成|到|来|走|家|名|为)?(?:之|以)?前"
)
_PAST_EN: Final = re.compile(
    r"\bused? to\b(?! \w+ing\b| it\b| that\b| this\b| the\b)|\bpreviously\b|\bformer(?:ly)?\b|\bin the past\b"
    r"|\bno longer\b"
    r"|\b(?:not|n't) [^?.]{0,40}\b(?:any ?more|any longer)\b|\boriginally\b|\bat first\b|\bonce (?:was|were|had"
    r"|lived|worked)\b"
    r"|\b(?:my|our|his|her|their|its|the|'s) (?:old|previous|last|ex) (?!time\b|night\b|week|month|year|day"
    r"|name\b|man\b|woman\b|one\b|thing|(?:\w+ )?(?:friend|colleague|classmate))"
    r"|\bbefore(?: (?:that|now|this|then)| (?:\w+ ){1,4}(?:moved|changed|switched|replaced|left)\b)?\s*(?:[?.!,]|$)"
    r"|\bback then\b|\b(?:change|switch|move)d? from\b"
)


def intents(text: str) -> frozenset[Intent]:
    """What ``text`` asks about, by its own words; what it quotes says nothing. Factual counts only where no
    relationship is asked about (S0).
    """
    bare = _QUOTED.sub(" ", text)
    # The World Health Organization is nobody, unless everything is shouted.
    flat = even(_WHO.sub(" ", bare) if not bare.isupper() else bare)
    found: set[Intent] = set()
    if _RELATIONSHIP_ZH.search(flat) or _RELATIONSHIP_EN.search(flat):
        found.add("relationship")
    if _TEMPORAL_ZH.search(flat) or _TEMPORAL_EN.search(flat):
        found.add("temporal")
    if "relationship" not in found and (_FACTUAL_ZH.search(flat) or _FACTUAL_EN.search(flat)):
        found.add("factual")
    return frozenset(found)


def asks_for_the_past(text: str) -> bool:
    """Whether ``text`` asks for what no longer holds: 以前住哪, "where did we use to live", "her old number"."""
    flat = even(_QUOTED.sub(" ", text))
    return bool(_PAST_ZH.search(flat) or _PAST_EN.search(flat))


def shift(intents: Set[Intent], document: float, graph: float) -> tuple[float, float]:
    """The weights of both routes after the intents have moved them, each within its bounds, with a sum of 1 (S0)."""
    counted = intents - {"factual"} if "relationship" in intents else intents
    moved = sum(_TO_GRAPH[one] for one in counted)
    document = min(max(document - moved, _DOCUMENT[0]), _DOCUMENT[1])
    graph = min(max(graph + moved, _GRAPH[0]), _GRAPH[1])
    return document / (document + graph), graph / (document + graph)
