"""Cuts a text into its sentences, Chinese and English, list items and spoken lines included.

A sentence keeps every character that says something: only bullets and white space at its ends go. Code blocks are
left out on request. Must not know atoms, dates or storage.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_FENCE: Final = re.compile(r"^[^\S\n]*(?:```|~~~)[^\n]*\n.*?(?:^[^\S\n]*(?:```|~~~)[^\S\n]*$|\Z)", re.M | re.S)
_BULLET: Final = re.compile(
    r"^\s*(?:[-*+•·▪◦‣–—][^\S\n]+|#{1,6}[^\S\n]+|>[^\S\n]*|"
    r"\[[ xX]\][^\S\n]+|[(（]?\d{1,2}(?:[.)）、][^\S\n]+|[)）、]))+"
)
# A full stop ends a sentence only before a blank, and not behind an abbreviation, an initial or a number in a list.
_END: Final = re.compile(
    r"\n+|[。！？!?；…]+[\"'”’」』）)]*|\.+[\"'”’)]*(?=\s|$)(?<!\b[A-Z]\.)(?<!\b[A-Za-z]\.[A-Za-z]\.)(?<!\bMr\.)(?<!\bMs\.)"
    r"(?<!\bMrs\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\bNo\.)(?<!\bvs\.)(?<!\betc\.)(?<!\bapprox\.)(?<!\bProf\.)"
)


def sentences(text: str) -> Iterator[str]:
    """The sentences of ``text`` in order, none blank."""
    start = 0
    for match in _END.finditer(text):
        if match[0][0] in "!?" and match.end() < len(text) and text[match.end()].isalnum():
            continue  # a mark inside an address or a name
        piece = _bare(text[start : match.end()])
        start = match.end()
        if piece:
            yield piece
    rest = _bare(text[start:])
    if rest:
        yield rest


def without_code(text: str) -> str:
    """``text`` with each fenced block of code as an empty line."""
    return _FENCE.sub("\n", text) if "```" in text or "~~~" in text else text


def _bare(piece: str) -> str:
    return _BULLET.sub("", piece).strip()
