"""Which layer a text belongs to when its writer names none (S2's fact/state/event, S1's decision).

Decisions and words of the present by their own words, all else by the types that ``classify`` finds in its first
sentences. Looks only at the text: no storage, no clock. People can change the layer of any memory, so a wrong guess
costs little; it must never raise.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import islice
from typing import Final

from engine.ingest.classify import CONFIDENCE, Classified, classify
from engine.text.sentences import sentences, without_code
from engine.types import AtomType, Layer

_CATEGORY_LAYERS: Final[dict[str, Layer]] = {
    "preference": "fact",
    "fact": "fact",
    "user": "fact",
    "recipe": "fact",
    "event": "event",
    "diary": "event",
    "emotion": "event",
    "reminder": "event",
}
_TYPE_LAYERS: Final[dict[AtomType, Layer]] = {
    "preference": "fact",
    "relational": "fact",
    "factual": "fact",
    "planned": "event",
    "episodic": "event",
}
_DECISION: Final = re.compile(
    r"(?<![没未])(?<!没有)决定(?!权|性)|决策|选定|敲定|拍板|最终(?:选择|采用)|因为[^。！？\n]{1,40}(?:选用?了?|采用|改用|换用|放弃)|"
    r"(?:选了?|采用|改用|换用|放弃了?)[^。！？\n]{1,30}因为|"
    r"\bdecided\b|\bdecision\b|\bchose\b|\bwe(?:'| wi)ll go with\b|\bsettled on\b|"
    r"\b(?:use|using|picked|opted for|went with|going with|switched to|moved to|dropped)\b[^.\n]{1,60}\bbecause\b",
    re.IGNORECASE,
)
_STATE: Final = re.compile(
    r"最近|目前|现在|正在|这段时间|这几天|近来|这阵子|"
    r"\bcurrently\b|(?<!just )\bnow\b(?! that)|"
    r"\bthese days\b|\bat the moment\b|\bright now\b|\blately\b|\bfor now\b|\bnowadays\b",
    re.IGNORECASE,
)
# Only the type is asked for, and it does not depend on when one asks: words like 昨天 point the same way always.
_ANY_MOMENT: Final = datetime(2000, 1, 5, 12, tzinfo=UTC)
_READ: Final = 2_000
_VOTES: Final = 5


def layer_of(text: str, category: str = "", known: Mapping[str, Classified] | None = None) -> Layer:
    """The layer for ``text``; a known ``category`` decides where the words do not.

    ``known``: sentences of it that were classified already.
    """
    head = text[:_READ]
    if _DECISION.search(head):
        return "decision"
    named = _CATEGORY_LAYERS.get(category.casefold())
    votes: Counter[Layer] = Counter()
    for sentence in islice(sentences(without_code(head)), _VOTES):
        found = (known or {}).get(sentence) or classify(sentence, _ANY_MOMENT, UTC)
        layer = _TYPE_LAYERS.get(found.type)
        plain = found.confidence == CONFIDENCE[found.type]
        if layer is None or (named and not plain):
            continue
        if _STATE.search(sentence) and found.event_time is None and found.type != "planned":
            layer = "state"
        votes[layer] += 1
    if not votes:
        return named or "event"
    # A dated happening is an event even beside as many words of liking or belonging.
    return max(votes, key=lambda layer: (votes[layer], layer == "event", layer == "state"))
