"""What the signs of ``confidence.py`` weigh. Written by ``bench confidence --train``; do not edit.

Fitted to 1461 answers to the dev questions of the project's own set, in whole and small lives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Weights:
    """``terms``: (sign, its mean, slope of the log-odds); ``bias``: the log-odds at the means."""

    bias: float
    terms: tuple[tuple[str, float, float], ...]


# Whose cosines were measured.
EMBEDDER: Final = "multilingual-e5-small/int8-rr/0a33b2370232"
MEANING: Final = Weights(
    -0.5075,
    (
        ("nearness", 0.85372, 12.746),
        ("lead", 0.021868, 41.054),
        ("han", 0.50005, -1.016),
        ("words_lead", 0.1019, 1.7092),
        ("words", 6.3882, 0.036448),
        ("score_lead", 0.23782, -0.29317),
        ("candidates", 3.1836, 0.15365),
        ("missing_names", 0.13322, -0.22159),
        ("missing_kind", 0.044868, -0.43238),
        ("length", 4.7027, 0.6341),
    ),
)
WORDS: Final = Weights(
    -0.3598,
    (
        ("han", 0.50973, -0.4387),
        ("words_lead", 0.14309, 3.2931),
        ("words", 5.4642, 0.11375),
        ("score_lead", 0.40553, 1.0611),
        ("candidates", 2.4272, -0.38729),
        ("missing_names", 0.11891, -0.64328),
        ("missing_kind", 0.041062, -1.3643),
        ("length", 4.6872, 0.19796),
    ),
)
