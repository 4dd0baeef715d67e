"""Passwords, PINs and codes told in words, in English and Chinese, and which told values are believable.

Pattern data for ``secrets.py``. A label ("password", "密码") leads to a value directly or over a link ("is", ":"): the
weaker the link, the more a value has to look like one ("is sunflower42", but not "is required"). All is bounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_QUOTES: Final = "\"'“”‘’「」『』`"
# A value: in quotes whatever it is, else one run without blanks and the punctuation of a sentence.
_VALUE: Final = (
    r"(?:[\"“「『`'‘](?P<quoted>[^\"”」』`\n]{1,120}?)[\"”」』`'’](?!\w)"
    r"|(?P<bare>[^\s\"'“”「」『』`，。；、！？（）《》,;<>(){}\[\]]{1,120}))"
)
_CHINESE_VALUE: Final = (
    r"(?:[\"“「『`'‘](?P<quoted>[^\"”」』`\n]{1,60}?)[\"”」』`'’]"
    r"|(?P<bare>[!#-&*+./0-9:=?@A-Z\\^_a-z|~-]{1,120}|[一-鿿]{2,12}[0-9]{1,6}))"
)
_CHINESE_LINK: Final = (
    r"(?P<link>\s?(?:[:：=＝]|(?:现在|已经?|就|都|暂时|还)?(?:是|为|為)|"
    r"(?:已经?|刚)?(?:改|换|設|设|重置|设置|調整|调整)(?:成|为|為)了?|叫)\s?[:：]?\s{0,4}|\s{0,4})"
)
# "for the projector", where a link follows.
_ENGLISH_SCOPE: Final = (
    r"(?:\s(?:for|of|on|at|in)\s[^.;:!?=\n\"]{1,48}?(?=[\"']?\s?[:=]|\s(?:is|was|to|are|will be|has been)\s))?"
)
_ENGLISH_LINK: Final = (
    r"(?P<link>[\"']?\s?(?:[:：=]|->|→)\s{0,4}|\s(?:is|was|are|will be|has been|to)(?:\snow)?\s?:?\s{1,4}|\s{1,4})"
)


@dataclass(frozen=True, slots=True)
class Told:
    """``pieces``: any of them (lower case) must be there; ``pattern`` begins at it and has the groups of a value.

    ``begun``: with what (lower case) the text in front of the piece must end, () = no matter. ``back``: the pattern
    begins so far in front of the piece instead. ``certain``: the group "bare" needs no other belief.
    """

    kind: str
    pieces: tuple[str, ...]
    pattern: re.Pattern[str]
    certain: bool = False
    begun: tuple[str, ...] = ()
    back: int = 0


_NUMBER_LINK: Final = (
    r"(?:[\"']?\s?(?:[:：=]|is|was|are|to|是|为|為|改成了?|改为|设为|设成)\s?[:：]?\s?(?:now\s)?[\"'“]?|\s{0,2})"
)
_NUMBER: Final = r"(?P<bare>[0-9]{%s})(?![0-9A-Za-z.,:/-]?[0-9A-Za-z]|\s?(?:%%|年|位|个|次|条|元|字|人|号线))"
_LOCKS: Final = (
    "alarm", "door", "gate", "safe", "lock", "garage", "entry", "access", "building", "unlock", "entrance", "keypad",
    "locker", "house",
)  # fmt: skip
_CHECKS: Final = (
    "verification", "login", "one-time", "one time", "security", "authentication", "confirmation", "sms", "2fa", "otp",
)  # fmt: skip
_PHRASES: Final = ("seed", "recovery", "backup", "wallet", "secret")
_WORDS_OF_SEED: Final = (
    r"\s?(?:[:：=]|is|are|是|为|\s)\s?[\"“]?(?P<bare>(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![a-z])"
)


def _after(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{word} " for word in words)


def _numbered(kind: str, piece: str, label: str, count: str, begun: tuple[str, ...] = ()) -> Told:
    pattern = re.compile(rf"{label}{_ENGLISH_SCOPE}{_NUMBER_LINK}{_NUMBER % count}")
    return Told(kind, (piece,), pattern, certain=True, begun=begun)


TOLD: Final[tuple[Told, ...]] = (
    Told(
        "password", ("password", "passwd", "passcode", "pwd"),
        re.compile(rf"(?:password|passwd|passcode|pwd){_ENGLISH_SCOPE}{_ENGLISH_LINK}{_VALUE}", re.IGNORECASE),
    ),
    Told("password", ("pass", "pw"), re.compile(rf"(?<![\w-])(?:pass|pw)(?P<link>\s?[:=]\s?){_VALUE}", re.IGNORECASE)),
    Told(
        "password", ("passphrase",),
        re.compile(
            rf"passphrase{_ENGLISH_SCOPE}(?P<link>\s?[:=]\s?|\s(?:is|was|to)\s)"
            r"(?:[\"“'](?P<quoted>[^\"”\n]{1,160}?)[\"”']|(?P<bare>[^\s\"“][^.;,\n\"“]{1,120}))",
            re.IGNORECASE,
        ),
    ),
    Told(
        "password", ("密码", "密碼", "口令", "暗号"),
        re.compile(rf"(?:密[码碼]|口令|暗号){_CHINESE_LINK}{_CHINESE_VALUE}"),
    ),
    _numbered("pin", "pin", r"(?<![A-Za-z0-9_-])PIN(?:[ -]?(?:code|number))?\s?[码碼]?", "4,8"),
    _numbered(
        "pin", "pin",
        rf"(?<![A-Za-z0-9_-])[Pp]in(?: code| number)?(?={_ENGLISH_SCOPE}\s?(?:[:：=]|is|was|to|是|码))\s?[码碼]?",
        "4,8",
    ),
    _numbered("pin", "puk", r"(?<![A-Za-z0-9_-])(?:PUK|Puk|puk)(?: code)?\s?[码碼]?", "4,8"),
    _numbered("pin", "code", "(?:code|Code|CODE)", "4,10", _after(_LOCKS)),
    Told(
        "pin", ("combination",),
        re.compile(
            rf"combination{_ENGLISH_SCOPE}{_NUMBER_LINK}(?P<bare>[0-9]{{1,2}}(?:[ -][0-9]{{1,2}}){{2,5}})",
            re.IGNORECASE,
        ),
        certain=True,
    ),
    _numbered("code", "code", "(?:code|Code|CODE)", "4,8", _after(_CHECKS)),
    _numbered("code", "otp", "(?<![A-Za-z0-9_-])(?:OTP|otp)", "4,8"),
    Told(
        "code", (" as your ", " is your ", " as the ", " is the "),
        re.compile(r"(?<![0-9])(?P<bare>[0-9]{4,8})\s(?:as|is)\s(?:your|the)\s(?:[\w-]{1,16} ){0,3}code\b"),
        certain=True, back=8,
    ),
    _numbered("code", "验证码", "验证码", "4,8"),
    _numbered("code", "驗證碼", "驗證碼", "4,8"),
    Told(
        "seed_phrase", ("phrase",), re.compile(rf"phrase{_ENGLISH_SCOPE}{_WORDS_OF_SEED}", re.IGNORECASE),
        certain=True, begun=_after(_PHRASES),
    ),
    Told(
        "seed_phrase", ("mnemonic", "助记词"),
        re.compile(rf"(?:mnemonic(?: phrase)?|助记词){_ENGLISH_SCOPE}{_WORDS_OF_SEED}", re.IGNORECASE), certain=True,
    ),
)  # fmt: skip

# Words that follow a label and name no password.
_NO_VALUES: Final = frozenset((
    "see", "none", "null", "nil", "true", "false", "required", "optional", "string", "str", "text", "hidden",
    "missing", "unknown", "expired", "wrong", "invalid", "changeme", "todo", "tbd", "n/a", "same", "the", "a", "an",
    "not", "no", "empty", "input", "int", "yes", "here", "below", "above", "reset", "changed", "incorrect",
    "protected", "only", "needed", "necessary", "secret", "private", "redacted", "unset", "default", "prompt", "ask",
    "env", "dotenv", "vault",
))  # fmt: skip
_EMPTY: Final = re.compile(r"^[*•·●.…xX_\-?？#]+$")
_PLACEHOLDER: Final = re.compile(
    r"(?i)your|example|placeholder|redacted|x{4}|^\$|^%|^\{|^<|^\[|getpass|getenv|environ|input\b"
)
_FOLLOWED: Final = re.compile(
    r"\s?(?:characters?|chars|digits?|letters?|words?|symbols?|times|days|years|months|minutes|attempts|percent|%|"
    r"年|位|个|次|条|元|字|人|天|小时|分钟|种|遍|道)|\("
)
_CLAUSE_ENDS: Final = re.compile(r"\s*(?:$|[\n,.;!?，。；、！？）)])")
_HAN_THEN_DIGITS: Final = re.compile(r"[一-鿿]{2,12}[0-9]{1,6}")
_TRAILING: Final = ".,;:!?。，"


def believed(text: str, match: re.Match[str], piece: str) -> tuple[int, int] | None:
    """(start, end) of the value that ``match`` leads to, or None where it does not look like one."""
    if match["quoted"] is not None:
        start, end = match.span("quoted")
        value = match["quoted"]
        return (start, end) if _may_be(value) and not _is_word(value) else None
    start, end = match.span("bare")
    value = match["bare"].rstrip(_TRAILING)
    end = start + len(value)
    if piece in ("pass", "pw") and value.isdigit():
        return None  # "pass: 1532, fail: 2"
    if not _may_be(value) or _FOLLOWED.match(text, end):
        return None
    link = match["link"].strip(" \t\"'")
    if piece == "passphrase":
        many = value.count(" ") >= 2
        return (start, end) if (link in (":", "=") if many else _strange(value)) else None
    if _strange(value):
        return start, end
    if link and value.isascii() and value.isalpha() and not _is_word(value):
        # A plain word: only where it is plainly all that is told.
        told = link in (":", "：", "=", "＝") or not piece.isascii()
        return (start, end) if told and len(value) >= 5 and _CLAUSE_ENDS.match(text, end) else None
    return (start, end) if link and _HAN_THEN_DIGITS.fullmatch(value) else None


def _may_be(value: str) -> bool:
    return len(value) >= 3 and not _EMPTY.match(value) and not _PLACEHOLDER.search(value)


def _is_word(value: str) -> bool:
    return value.lower().strip("()") in _NO_VALUES


def _strange(value: str) -> bool:
    """A run that no sentence has: digits alone, or digits or signs amid letters."""
    if not value.isascii() or len(value) < 4 or "://" in value:
        return False
    digits = sum(one.isdigit() for one in value)
    if digits == len(value):
        return True
    letters = sum(one.isalpha() for one in value)
    signs = sum(one in "!@#$%^&*+=~|_" for one in value)
    return letters > 0 and (digits > 0 or signs > 0)
