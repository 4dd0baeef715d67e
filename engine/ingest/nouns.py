"""Which words of a text name things rather than acts: what may be a topic. Rules for English, tags for Chinese.

Wrong guesses cost a topic or add one; nothing depends on them. Pure, never raises.
"""

from __future__ import annotations

import re
from typing import Final

from engine.text.normalise import CJK, fold
from engine.text.segmentation import Segmenter

# A word after one of these names a thing, if it is no adjective; "to" is left out, for it leads verbs as well.
_LEADERS: Final = frozenset(
    ("the", "a", "an", "my", "your", "our", "his", "her", "its", "their", "this", "that", "these", "those", "some",
     "any", "no", "of", "with", "for", "about", "on", "in", "at", "from", "into", "per", "without", "against",
     "between", "during", "like", "as", "via", "using", "and", "or", "new", "old", "first", "next", "last",
     "favourite", "favorite")
)  # fmt: skip
_WORD: Final = re.compile(r"[A-Za-z][\w+#]*(?:[-._/'’][A-Za-z0-9]\w*)*[+#]*|[.!?;:\n]")
# Written so, a word is a name or an identifier wherever it stands.
_NAMED: Final = re.compile(r".[A-Z]|\d|[-._/+#]")
_CAPITAL: Final = re.compile(r"[A-Z]")
_NEVER: Final = re.compile(r"(?:ly|n't)$")
# Behind a noun such a word is rather what the thing does than a part of its name.
_ACTS: Final = re.compile(r"(?:s|ed|ing)$")
# jieba's tags: nouns, places, organisations, other names, nouns made of verbs, short forms, Latin words.
_TAGS: Final = frozenset(("n", "ns", "nt", "nz", "nr", "nrt", "nrfg", "ng", "vn", "j", "l", "eng"))


def nouns(text: str, segmenter: Segmenter) -> frozenset[str]:
    """The folded words of ``text`` that may name a thing."""
    found = set(_latin(text))
    if CJK.search(text):
        found.update(fold(word) for word, tag in segmenter.tagged(text) if tag in _TAGS)
    return frozenset(found)


def _latin(text: str) -> list[str]:
    found: list[str] = []
    leads = begins = True
    before = False  # the word before was taken for a thing
    for match in _WORD.finditer(text):
        word = match[0]
        if not word[0].isalpha():
            leads, before, begins = False, False, True
            continue
        folded = fold(word)
        named = bool(_NAMED.search(word)) or (not begins and bool(_CAPITAL.match(word)))
        # "the green tea": what follows a thing may belong to it.
        led = not begins and (leads or (before and not _ACTS.search(folded)))
        taken = folded not in _LEADERS and not _NEVER.search(folded) and (named or led)
        if taken:
            found.append(folded)
        leads, before, begins = folded in _LEADERS, taken, False
    return found
