"""Which parts of a text are secrets: tokens, keys, passwords told in words, card and identity numbers (L1). Pure.

Errs towards saying nothing: hashes, ids, order numbers and talk about passwords are no secrets. Must not decide what
becomes of a secret; the parameter ``privacy.secrets`` and the write path do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from engine.policy import checksums
from engine.policy.credentials import (
    KEY_BEGINS,
    KEY_ENDS,
    KEY_LINES,
    KEY_PIECE,
    LONGEST_KEY,
    SHAPES,
    is_generic_login,
    is_placeholder,
)
from engine.policy.told import TOLD, believed

_NUMBERS: Final = re.compile(r"(?<![0-9A-Za-z_.\-])[0-9](?:[ -]?[0-9]){12,18}(?![0-9A-Za-z_]|[.-][0-9])")
_ID: Final = re.compile(r"(?<![0-9A-Za-z])[1-9][0-9]{5}(?:18|19|20)[0-9]{9}[0-9Xx](?![0-9A-Za-z])")
_IBAN: Final = re.compile(r"(?<![0-9A-Za-z])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?![0-9A-Za-z])")
_LONG_DIGITS: Final = re.compile(r"[0-9][0-9 -]{11}")
_ABOUT_CARDS: Final = re.compile(r"(?i)卡|card|visa|master|amex|unionpay|银联|debit|credit")
_ABOUT_OTHERS: Final = re.compile(
    r"(?i)订单|单号|快递|流水|交易号|账单|序列|编号|条形?码|时间戳|order|track|parcel|serial|imei|invoice|epoch|"
    r"timestamp|device|isbn|ean|s/n|fibonacci|matrix|rooms|ticket|reference"
)
_AROUND: Final = 24
_AHEAD: Final = 80
# A long run behind a label that says what it is.
_RUN: Final = re.compile(r"(?<![A-Za-z0-9_+/-])[A-Za-z0-9_+/-]{20,512}={0,2}(?![A-Za-z0-9_+/-])")
_RUN_PIECES: Final = ("key", "token", "secret", "密钥", "令牌", "凭证")
_RUN_LABEL: Final = re.compile(
    r"(?i)(?:(?:secret|access|private|auth|api|account)[ _-]?(?:access[ _-]?)?(?:key|token)|bearer|secret|"
    r"密[钥鑰]|令牌|凭证)[\"']?\s?(?:(?:is|was|are)\s|[:：=]|是|为)?\s{0,2}[\"'“]?$"
)
_LABEL_LENGTH: Final = 48


@dataclass(frozen=True, slots=True)
class Secret:
    """``text[start:end]`` is the secret; ``kind`` is a slug ("github", "password", "card", …)."""

    kind: str
    start: int
    end: int


def find(text: str) -> tuple[Secret, ...]:
    """The secrets in ``text``, in order, none overlapping another. Never raises."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters grow; places must stay the same
        lowered = "".join(one if len(one.lower()) != 1 else one.lower() for one in text)
    found: list[Secret] = []
    taken = bytearray()
    for source in (_shaped(text), _told(text, lowered), _labelled(text, lowered), _numbered(text)):
        for one in source:
            taken = taken or bytearray(len(text))
            if not any(taken[one.start : one.end]):
                taken[one.start : one.end] = b"\1" * (one.end - one.start)
                found.append(one)
    return tuple(sorted(found, key=lambda one: one.start))


def masked(text: str, found: Iterable[Secret]) -> str:
    """``text`` with each secret replaced by "[secret: kind]"; ``found`` in order."""
    parts: list[str] = []
    at = 0
    for one in found:
        parts += (text[at : one.start], mask_of(one.kind))
        at = one.end
    return "".join((*parts, text[at:]))


def mask_of(kind: str) -> str:
    """What stands in place of a secret."""
    return f"[secret: {kind}]"


def _places(text: str, piece: str) -> Iterator[int]:
    at = text.find(piece)
    while at >= 0:
        yield at
        at = text.find(piece, at + len(piece))


def _shaped(text: str) -> Iterator[Secret]:
    for shape in SHAPES:
        if shape.piece not in text:
            continue
        for at in _places(text, shape.piece):
            if not shape.inside and at and (text[at - 1].isalnum() or text[at - 1] in "_-") and text[at - 1].isascii():
                continue
            match = shape.pattern.match(text, at) if not shape.before else None
            if shape.before:
                match = shape.pattern.search(text, max(0, at - shape.before), at + _AHEAD)
            if match is None:
                continue
            if shape.kind == "url_password":
                if not is_generic_login(match["password"]):
                    yield Secret(shape.kind, *match.span("password"))
            elif not is_placeholder(match["s"][len(shape.piece) :]):
                yield Secret(shape.kind, *match.span("s"))
    if KEY_PIECE in text:
        yield from _private_keys(text)


def _private_keys(text: str) -> Iterator[Secret]:
    at = 0
    while (begin := KEY_BEGINS.search(text, at)) is not None:
        end = KEY_ENDS.search(text, begin.end(), begin.end() + LONGEST_KEY)
        lines = KEY_LINES.match(text, begin.end())
        at = end.end() if end else lines.end() if lines else begin.end()
        if at > begin.end():
            yield Secret("private_key", begin.start(), at)


def _told(text: str, lowered: str) -> Iterator[Secret]:
    for one in TOLD:
        for piece in one.pieces:
            if piece not in lowered:
                continue
            done = 0
            for at in _places(lowered, piece):
                if at < done or (one.begun and not lowered.endswith(one.begun, 0, at)):
                    continue
                if one.back:
                    match = one.pattern.search(text, max(0, at - one.back), at + _AHEAD)
                else:
                    match = one.pattern.match(text, at)
                span = None
                if match is not None:
                    span = match.span("bare") if one.certain else believed(text, match, piece)
                if span is not None:
                    done = span[1]
                    yield Secret(one.kind, *span)


def _labelled(text: str, lowered: str) -> Iterator[Secret]:
    if not any(piece in lowered for piece in _RUN_PIECES):
        return
    for run in _RUN.finditer(text):
        before = text[max(0, run.start() - _LABEL_LENGTH) : run.start()]
        value = run[0]
        if not _RUN_LABEL.search(before) or is_placeholder(value) or value.isalpha() or value.isdigit():
            continue
        kind = "aws" if len(value) == 40 and "aws" in before.lower() else "api_key"
        yield Secret(kind, *run.span())


def _numbered(text: str) -> Iterator[Secret]:
    if _LONG_DIGITS.search(text) is not None:
        for match in _ID.finditer(text):
            if checksums.chinese_id(match[0]):
                yield Secret("id_card", *match.span())
        for match in _NUMBERS.finditer(text):
            if _is_card(text, match):
                yield Secret("card", *match.span())
    for match in _IBAN.finditer(text):
        if checksums.iban(match[0].replace(" ", "")):
            yield Secret("iban", *match.span())


def _is_card(text: str, match: re.Match[str]) -> bool:
    digits = match[0].replace(" ", "").replace("-", "")
    if not checksums.card(digits):
        return False
    around = text[max(0, match.start() - _AROUND) : match.start()] + " " + text[match.end() : match.end() + _AROUND]
    if _ABOUT_CARDS.search(around):
        return True
    return len(digits) in (15, 16, 19) and not _ABOUT_OTHERS.search(around)
