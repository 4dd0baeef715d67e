"""How many tokens a text costs a model, by estimate, and cutting a text to a budget.

An estimate that fits common tokenizers closely enough for budgets; exact counts belong to the embedder.
Must not load a tokenizer.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from engine.text.normalise import CJK

CHARACTERS_PER_TOKEN: Final = 4
ELLIPSIS: Final = "…"
# Where a cut reads well: after the end of a sentence, else after any blank or clause mark or beside CJK.
_SENTENCE_END: Final = re.compile(r"[。！？!?…\n][”’\"'」』）)]*|\.(?=\s)")
_BORDER: Final = re.compile(r"[\s，、；：,;:。！？!?.…）)」』]")
_JOINER: Final = "\u200d"


def estimate(text: str) -> int:
    """Tokens of ``text``: one for a CJK character, one for each four other characters, rounded up."""
    others = len(CJK.sub("", text))
    return len(text) - others - (-others // CHARACTERS_PER_TOKEN)


def fit(text: str, tokens: int, *, reserved: int = 0) -> int:
    """How many leading characters of ``text`` fit into ``tokens`` with ``reserved`` other characters beside them.

    Never ends inside a combining sequence or a joined emoji unless nothing shorter fits.
    """
    spent, others, count = 0, reserved, 0
    for char in text[: max(tokens, 0) * CHARACTERS_PER_TOKEN]:
        if CJK.match(char):
            spent += 1
        else:
            others += 1
        if spent - (-others // CHARACTERS_PER_TOKEN) > tokens:
            break
        count += 1
    return _whole(text, count) or count


def cut(text: str, tokens: int) -> str:
    """``text`` if it fits ``tokens``, else its beginning up to a sentence or word border, with "…" at its end.

    Never over the budget; "" for a budget of none.
    """
    if estimate(text) <= tokens:
        return text
    if tokens <= 0:
        return ""
    head = text[: fit(text, tokens, reserved=len(ELLIPSIS))]
    return head[: _border(head, text[len(head) : len(head) + 1])].rstrip() + ELLIPSIS


def _border(head: str, following: str) -> int:
    """Where to end ``head``: a sentence end in its last third, else a border in its last half, else its end."""
    sentences = [match.end() for match in _SENTENCE_END.finditer(head, len(head) * 2 // 3)]
    if sentences:
        return sentences[-1]
    if not following or not (following.isalnum() and head[-1:].isalnum()) or CJK.match(following):
        return len(head)
    for position in range(len(head) - 1, len(head) // 2, -1):
        if _BORDER.match(head[position]) or CJK.match(head[position]):
            return position + 1
    return len(head)


def _whole(text: str, count: int) -> int:
    """``count`` moved back to where no combining sequence, emoji sequence or flag is broken."""
    while 0 < count < len(text) and (_clings(text[count]) or text[count - 1] == _JOINER):
        count -= 1
    flags = 0
    while flags < count and "\U0001f1e6" <= text[count - 1 - flags] <= "\U0001f1ff":
        flags += 1
    if flags % 2 and count < len(text) and "\U0001f1e6" <= text[count] <= "\U0001f1ff":
        count -= 1
    return count


def _clings(char: str) -> bool:
    """Whether ``char`` belongs to the one before it."""
    return (
        char == _JOINER
        or unicodedata.combining(char) != 0
        or "\ufe00" <= char <= "\ufe0f"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or unicodedata.category(char) in ("Mn", "Me", "Mc")
    )
