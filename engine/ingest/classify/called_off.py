"""Words that call a plan off ("取消了", "is cancelled") or put it on another day ("改到3月26日", "moved to Friday").

Input is evened out. A plan that may be called off, is not, or is on again is none of these. Must not resolve dates.
"""

from __future__ import annotations

import re
from typing import Final

_OFF: Final = re.compile(
    r"(?:取消|作废|叫停|搁置)(?:了|掉了?|(?=[,，。;；!~\s]|$|因为))|"
    r"泡汤了?|(?:黄|吹|告吹)了(?=[,，。;；!~\s]|$)|(?<!差点)(?:去不成|去不了|办不成|不去|不办)了(?=[,，。;；!~\s]|$)|"
    r"\b(?:cancel+ed|called off|scrapped)\b|\bfell through\b|\b(?:won't|will not) happen\b|\b(?:is|are)n't happening\b|"
    r"\b(?:is|are) (?:not happening|off(?=[.,;!]|$| because\b))"
)
_STILL_ON: Final = re.compile(
    r"恢复|照常|照旧|如期|没有?取消|不(?:会)?取消|差点|如果|要是|万一|除非|可能|也许|说不定|是不是|免费取消|"
    r"\b(?:not (?:been |yet )?(?:cancel+ed|called off|scrapped)|n't (?:been |yet )?(?:cancel+ed|called off|scrapped)|"
    r"never cancel+ed|if|unless|in case|might|may be|could be|can be|must be|nearly|almost|back on|after all|"
    r"going ahead|reinstated)\b"
)
# Up to the word that calls it off and what that is said of: "cancelled the trip to Whitby".
_CLAUSE_END: Final = re.compile(r"[,，。;；!?？]|\.(?=\s|$)|\b(?:because|since|as|so|and|but)\b|因为|所以")
_ZH_DAY: Final = (
    r"(?=下+个?[周月星礼]|[这本]个?[周月星礼]|周|星期|礼拜|[明后今]天|大后天|[明后今][早晚]|\d{1,2}[月号日]|"
    r"[一二三]?十?[一二三四五六七八九十][月号日])"
)
_EN_DAY: Final = (
    r"(?=(?:the |next |this |following |coming )*(?:\d{1,2}(?:st|nd|rd|th)?\b(?![:.]\d| ?[ap]m)|mon|tues?|wed|thu|fri|"
    r"sat|sun|jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec|tomorrow|tonight)[a-z]*)"
)
_MOVED: Final = re.compile(
    rf"(?:改期?|挪|推迟|推后|延期|延后|延|提前|顺延|调整?|换)(?:到|至|成|在|为)了?{_ZH_DAY}|"
    r"\b(?:moved|rescheduled|postponed|pushed(?: back| out)?|brought forward|shifted|put (?:off|back)|delayed)\b"
    rf"[^.;!?]{{0,60}}?\b(?:to|until|till) {_EN_DAY}"
)


def off(text: str) -> int | None:
    """Where the clause ends that says what is off; None where nothing is."""
    found = _OFF.search(text)
    if found is None or _STILL_ON.search(text):
        return None
    end = _CLAUSE_END.search(text, found.end())
    return end.start() if end is not None else len(text)


def moved(text: str) -> int | None:
    """Where the new day of a plan that was put on another day begins; None where no plan was."""
    found = _MOVED.search(text)
    return found.end() if found is not None and not _STILL_ON.search(text) else None
