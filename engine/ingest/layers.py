"""Which layer a text belongs to when its writer names none (S2's fact/state/event, S1's decision).

Rules over words in zh and en, first match wins. They only look at the text: no storage, no clock.
People can change the layer of any memory, so a wrong guess costs little; it must never raise.
"""

from __future__ import annotations

import re

from engine.types import Layer

_CATEGORY_LAYERS: dict[str, Layer] = {
    "preference": "fact",
    "fact": "fact",
    "user": "fact",
    "recipe": "fact",
    "event": "event",
    "diary": "event",
    "emotion": "event",
    "reminder": "event",
}

_DECISION = re.compile(
    r"决定|决策|选定|敲定|拍板|最终(选择|采用)|"
    r"\bdecided\b|\bdecision\b|\bchose\b|\bwe('| wi)ll go with\b|\bsettled on\b",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"最近|目前|现在|正在|这段时间|这几天|近来|"
    r"\bcurrently\b|\bthese days\b|\bat the moment\b|\bright now\b|\blately\b|\bfor now\b",
    re.IGNORECASE,
)
# A dated happening is an event even where it holds a word of liking or belonging.
_DATED = re.compile(
    r"昨天|前天|今天|明天|后天|上周|下周|上个月|下个月|去年|\d{1,2}月\d{1,2}[日号]|"
    r"\byesterday\b|\btoday\b|\btomorrow\b|\blast (night|week|month|year)\b|\bnext (week|month|year)\b|\b\w+ ago\b",
    re.IGNORECASE,
)
_FACT = re.compile(
    r"喜欢|讨厌|偏好|最爱(?!的人)|过敏|习惯|生日|名字(叫|是)|住在|职业|电话|邮箱|"
    r"\b(likes?|loves?|hates?|prefers?|favou?rite|allergic|birthday|lives in|works (at|for|as)|name is|is called)\b",
    re.IGNORECASE,
)


def layer_of(text: str, category: str = "") -> Layer:
    """The layer for ``text``; a known ``category`` decides where the words do not."""
    if _DECISION.search(text):
        return "decision"
    if _DATED.search(text):
        return "event"
    if _STATE.search(text):
        return "state"
    if _FACT.search(text):
        return "fact"
    return _CATEGORY_LAYERS.get(category.casefold(), "event")
