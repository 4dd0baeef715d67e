"""Shapes of credentials that can be told by themselves: providers' tokens, private keys, JWT, passwords in URLs.

Pattern data for ``secrets.py``. Each pattern starts from a fixed piece of text, so that a text without that piece
costs one substring check; each is bounded, so that no text makes it slow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_W: Final = r"[A-Za-z0-9_-]"
_BOUNDED: Final = r"(?![A-Za-z0-9])"


@dataclass(frozen=True, slots=True)
class Shape:
    """``piece``: what must be there; ``pattern`` begins ``before`` characters or less in front of it.

    Group "s" is the secret. ``inside``: may follow a letter, digit or underscore directly.
    """

    kind: str
    piece: str
    pattern: re.Pattern[str]
    before: int = 0
    inside: bool = False


def _shape(kind: str, piece: str, rest: str, *, before: str = "", back: int = 0, inside: bool = False) -> Shape:
    return Shape(kind, piece, re.compile(f"(?P<s>{before}{re.escape(piece)}{rest}){_BOUNDED}"), back, inside)


def _after(kind: str, piece: str, secret: str) -> Shape:
    """Only what follows ``piece`` is secret."""
    return Shape(kind, piece, re.compile(f"{re.escape(piece)}(?P<s>{secret})"), inside=True)


SHAPES: Final[tuple[Shape, ...]] = (
    _shape("anthropic", "sk-ant-", rf"{_W}{{20,200}}"),
    _shape("openai", "sk-proj-", rf"{_W}{{20,250}}"),
    _shape("openai", "sk-svcacct-", rf"{_W}{{20,250}}"),
    _shape("openai", "sk-", r"(?:or-v1-)?[A-Za-z0-9]{20,120}"),
    _shape("github", "github_pat_", r"[A-Za-z0-9_]{30,120}"),
    *(_shape("github", f"gh{one}_", r"[A-Za-z0-9]{36,255}") for one in "pousr"),
    *(_shape("gitlab", piece, rf"{_W}{{20,64}}") for piece in ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-")),
    *(_shape("aws", piece, r"[A-Z0-9]{16}") for piece in ("AKIA", "ASIA")),
    _shape("google", "AIza", rf"{_W}{{35}}"),
    _shape("google", "GOCSPX-", rf"{_W}{{28}}"),
    *(_shape("slack", f"xox{one}-", r"[A-Za-z0-9-]{20,250}") for one in "abeprso"),
    _shape("slack", "xapp-", r"[A-Za-z0-9-]{20,250}"),
    _after("slack", "hooks.slack.com/services/", r"[A-Za-z0-9]{8,14}/[A-Za-z0-9]{8,14}/[A-Za-z0-9]{20,32}"),
    *(
        _shape("stripe", f"{one}_{mode}_", r"[A-Za-z0-9]{16,250}")
        for one in ("sk", "rk") for mode in ("live", "test")
    ),
    _shape("stripe", "whsec_", r"[A-Za-z0-9]{24,64}"),
    _shape("telegram", ":AA", rf"{_W}{{33}}", before=r"(?<![0-9])[0-9]{8,10}", back=10, inside=True),
    _shape("npm", "npm_", r"[A-Za-z0-9]{36}"),
    _shape("pypi", "pypi-AgE", rf"{_W}{{50,250}}"),
    _shape("huggingface", "hf_", r"[A-Za-z0-9]{30,50}"),
    _shape("sendgrid", "SG.", rf"{_W}{{16,32}}\.{_W}{{16,64}}"),
    *(_shape("digitalocean", f"do{one}_v1_", r"[a-f0-9]{64}") for one in "opr"),
    _shape("twilio", "SK", r"[a-f0-9]{32}"),
    _shape("mailgun", "key-", r"[a-f0-9]{32}"),
    _shape("shopify", "shpat_", r"[a-fA-F0-9]{32}"),
    _shape("databricks", "dapi", r"[a-f0-9]{32}"),
    _shape("groq", "gsk_", r"[A-Za-z0-9]{40,64}"),
    _shape("xai", "xai-", r"[A-Za-z0-9]{60,100}"),
    _shape("perplexity", "pplx-", r"[A-Za-z0-9]{40,64}"),
    _shape("replicate", "r8_", r"[A-Za-z0-9]{37}"),
    _shape("linear", "lin_api_", r"[A-Za-z0-9]{32,48}"),
    _shape("notion", "ntn_", r"[A-Za-z0-9]{40,60}"),
    _shape("age", "AGE-SECRET-KEY-1", r"[A-Z0-9]{58}"),
    _after("azure", "AccountKey=", r"[A-Za-z0-9+/]{86}=="),
    _after("azure", "SharedAccessKey=", r"[A-Za-z0-9+/]{43}="),
    _shape("jwt", "eyJ", rf"{_W}{{8,4000}}\.eyJ{_W}{{8,8000}}\.{_W}{{8,4000}}"),
    _after("url_password", "://", r"(?<=://)[^\s/:@]{0,64}:(?P<password>[^\s/@]{1,128})@(?=[\w\[])"),
)  # fmt: skip

KEY_BEGINS: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
KEY_PIECE: Final = "-----BEGIN "
KEY_ENDS: Final = re.compile(r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
# Without its end, the lines of a key as far as they go.
KEY_LINES: Final = re.compile(r"(?:\s*[A-Za-z0-9+/=]{16,80}(?![^\s-]))*")
LONGEST_KEY: Final = 20_000
# What stands in documentation in place of a token, or of a password.
_PLACEHOLDER: Final = re.compile(
    r"(?i)x{4}|your|example|placeholder|sample|dummy|redacted|changeme|(.)\1{5}|0123456789|123456789[a0]|abcdefgh|\.\.\."
)
_GENERIC_LOGINS: Final = frozenset(
    ("pass", "password", "passwd", "pwd", "pw", "secret", "user", "username", "token", "changeme")
)


def is_placeholder(value: str) -> bool:
    """Whether a token-like ``value`` only stands for one, as in documentation."""
    return len(set(value)) < 8 or _PLACEHOLDER.search(value) is not None


def is_generic_login(password: str) -> bool:
    """Whether the password of a URL is a word for "password", a variable or a mask."""
    return password.lower() in _GENERIC_LOGINS or password[0] in "$<{[*%" or len(set(password)) < 3
