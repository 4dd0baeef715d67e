"""The labelled texts of ``tests/data/secrets``, filled in: invented tokens and numbers whose checks hold."""

from __future__ import annotations

import base64
import json
import random
import re
import string
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

DATA = Path(__file__).parents[2] / "data" / "secrets"
Load = Callable[[str], "list[Labelled]"]
_FIELD = re.compile(
    r"\{(?:(?P<pool>[auhsdb])(?P<count>\d+)(?P<more>=*)|(?P<name>uuid|jwt|id18)"
    r"|pem:(?P<pem>[A-Z ]+)|(?P<card>card|cardsp|carddash):(?P<begin>\d+):(?P<size>\d+)"
    r"|(?P<iban>iban|ibansp):(?P<of>[A-Z]{2}))\}"
)
_POOLS = {
    "a": string.ascii_letters + string.digits, "u": string.ascii_uppercase + string.digits, "h": "0123456789abcdef",
    "s": string.ascii_letters + string.digits + "-_", "d": string.digits,
    "b": string.ascii_letters + string.digits + "+/",
}  # fmt: skip
_IBAN_BODY = {"DE": "d18", "GB": "U4d14", "FR": "d23", "NL": "U4d10", "CH": "d17"}


@dataclass(frozen=True, slots=True)
class Labelled:
    """``spans``: where the secrets are; ``kind`` of all of them, "" where there is none."""

    text: str
    kind: str
    spans: tuple[tuple[int, int], ...]


def load(name: str) -> list[Labelled]:
    """The texts of one file."""
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [_labelled(**json.loads(line)) for line in lines]


def _labelled(text: str, kind: str = "") -> Labelled:
    dice = random.Random(text)
    filled = _FIELD.sub(lambda field: _made(field, dice), text)
    parts = re.split(r"\[\[|\]\]", filled) if kind else [filled]
    spans: list[tuple[int, int]] = []
    plain = ""
    for at, part in enumerate(parts):
        if at % 2:
            spans.append((len(plain), len(plain) + len(part)))
        plain += part
    return Labelled(plain, kind, tuple(spans))


def _made(field: re.Match[str], dice: random.Random) -> str:
    if field["pool"]:
        return _some(dice, field["pool"], int(field["count"])) + field["more"]
    if field["pem"]:
        body = "\n".join(_some(dice, "b", 64) for _ in range(6))
        return f"-----BEGIN {field['pem']}-----\n{body}\n-----END {field['pem']}-----"
    if field["card"]:
        return _card(field["card"], field["begin"], int(field["size"]), dice)
    if field["iban"]:
        return _iban(field["iban"], field["of"], dice)
    if field["name"] == "uuid":
        return "-".join(_some(dice, "h", size) for size in (8, 4, 4, 4, 12))
    if field["name"] == "id18":
        return _id(dice)
    parts = [base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in
             ({"alg": "HS256", "typ": "JWT"}, {"sub": _some(dice, "d", 8), "iat": 1700000000})]  # fmt: skip
    return ".".join([*parts, _some(dice, "s", 43)])


def _some(dice: random.Random, pool: str, count: int) -> str:
    made = "".join(dice.choice(_POOLS[pool]) for _ in range(count))
    if pool == "d" and made.startswith("0"):
        made = "1" + made[1:]
    return made


def _card(style: str, begin: str, size: int, dice: random.Random) -> str:
    body = begin + _some(dice, "d", size)[: size - len(begin) - 1]
    if begin == "5":
        body = "51" + body[2:]
    digits = next(body + str(last) for last in range(10) if _luhn(body + str(last)))
    if style == "card":
        return digits
    groups = (
        [digits[at : at + 4] for at in range(0, size, 4)] if size != 15 else [digits[:4], digits[4:10], digits[10:]]
    )
    return (" " if style == "cardsp" else "-").join(groups)


def _luhn(digits: str) -> bool:
    total = 0
    for at, one in enumerate(reversed(digits)):
        value = int(one) * (1 + at % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _iban(style: str, country: str, dice: random.Random) -> str:
    body = ""
    for pool, count in re.findall(r"([Ud])(\d+)", _IBAN_BODY[country]):
        body += "".join(
            dice.choice(string.ascii_uppercase if pool == "U" else string.digits) for _ in range(int(count))
        )
    number = int("".join(str(int(one, 36)) for one in body + country + "00"))
    whole = f"{country}{98 - number % 97:02d}{body}"
    return whole if style == "iban" else " ".join(whole[at : at + 4] for at in range(0, len(whole), 4))


def _id(dice: random.Random) -> str:
    body = f"330106{dice.randint(1950, 2015)}{dice.randint(1, 12):02d}{dice.randint(1, 28):02d}{_some(dice, 'd', 3)}"
    total = sum(int(one) * pow(2, 17 - at, 11) for at, one in enumerate(body))
    return body + "10X98765432"[total % 11]


@pytest.fixture(scope="session")
def labelled() -> Load:
    """Loads a file of labelled texts by its name."""
    return load
