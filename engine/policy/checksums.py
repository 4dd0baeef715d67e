"""Numbers that prove themselves: bank cards (ISO/IEC 7812), IBANs (ISO 13616), Chinese ID numbers (GB 11643). Pure.

Must not look at the words around a number; ``secrets.py`` does.
"""

from __future__ import annotations

from datetime import date
from typing import Final

# Length of an IBAN by country; others are taken at any length, for the check digits decide.
_IBAN_LENGTHS: Final = {
    "AT": 20, "BE": 16, "BG": 22, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "EE": 20, "ES": 24, "FI": 18,
    "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IT": 27, "LI": 21, "LT": 20, "LU": 20,
    "LV": 21, "MC": 27, "MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "RO": 24, "SA": 24, "SE": 24, "SI": 19,
    "SK": 24, "TR": 26, "AE": 23,
}  # fmt: skip
_ID_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_ID_CHECKS: Final = "10X98765432"
_DOUBLED: Final = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)


def luhn(digits: str) -> bool:
    """Whether the last of ``digits`` checks the others (Luhn)."""
    values = [int(one) for one in reversed(digits)]
    return (sum(values[::2]) + sum(_DOUBLED[one] for one in values[1::2])) % 10 == 0


def card_network(digits: str) -> bool:
    """Whether a network issues cards of this beginning and length: Visa, Mastercard, Amex, UnionPay and others."""
    size, head = len(digits), int(digits[:4])
    if digits[0] == "4":
        return size in (13, 16, 19)
    if 5100 <= head < 5600 or 2221 <= head < 2721 or head == 6011 or 6440 <= head < 6600 or 3528 <= head < 3590:
        return size == 16
    if head // 100 in (34, 37):
        return size == 15
    if head // 100 in (36, 38):
        return size == 14
    return head // 100 == 62 and 16 <= size <= 19


def card(digits: str) -> bool:
    """Whether ``digits`` can be a bank card's number."""
    return len(set(digits)) > 2 and card_network(digits) and luhn(digits)


def chinese_id(text: str) -> bool:
    """Whether 18 characters are a resident's number: a birthday that exists, and the check character."""
    try:
        born = date(int(text[6:10]), int(text[10:12]), int(text[12:14]))
    except ValueError:
        return False
    total = sum(weight * int(digit) for weight, digit in zip(_ID_WEIGHTS, text, strict=False))
    return 1880 <= born.year < 2100 and _ID_CHECKS[total % 11] == text[17].upper()


def iban(text: str) -> bool:
    """Whether ``text`` without blanks is an IBAN: length of its country and check digits (ISO 7064, mod 97)."""
    if _IBAN_LENGTHS.get(text[:2], len(text)) != len(text) or not 15 <= len(text) <= 34 or text[2:4] < "02":
        return False
    return int("".join(str(int(one, 36)) for one in text[4:] + text[:4])) % 97 == 1
