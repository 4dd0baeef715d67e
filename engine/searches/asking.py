"""What may be asked of the reads in this package, and which memories an asker may see. Must not read memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final

from engine import policy
from engine.errors import InvalidArgument
from engine.retrieval.query import LONGEST_QUESTION
from engine.types import Filters

MOST_KEYWORDS: Final = 32


def seen_by(values: Mapping[str, Any], include_sensitive: bool, filters: Filters) -> Filters | None:
    """``filters`` with what the policy hides left out; None where nothing is left to be seen."""
    allowed = policy.shown(values, include_sensitive, filters.sensitivities)
    return None if allowed is None else replace(filters, sensitivities=allowed)


def text_of(text: object, field: str = "query") -> str:
    """A question without what can be looked up nowhere. Errors: ``InvalidArgument``."""
    if not isinstance(text, str):
        raise InvalidArgument(field=field, reason="not_text")
    return text[:LONGEST_QUESTION].encode("utf-8", "replace").decode("utf-8").strip()


def keywords_of(keywords: object) -> tuple[str, ...]:
    """The keywords that say something, each once. Errors: ``InvalidArgument``."""
    if not isinstance(keywords, list | tuple):
        raise InvalidArgument(field="keywords", reason="not_a_list")
    if len(keywords) > MOST_KEYWORDS:
        raise InvalidArgument(field="keywords", reason="out_of_range", allowed=[0, MOST_KEYWORDS])
    return tuple(dict.fromkeys(text for one in keywords if (text := text_of(one, "keywords"))))


def check_whole(field: str, value: object, low: int, high: int) -> None:
    """Errors: ``InvalidArgument``."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidArgument(field=field, reason="not_a_number")
    if not low <= value <= high:
        raise InvalidArgument(field=field, reason="out_of_range", allowed=[low, high])


def check_score(field: str, value: object) -> None:
    """None, or a number within 0..1. Errors: ``InvalidArgument``."""
    if value is None:
        return
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise InvalidArgument(field=field, reason="not_a_number")
    if not 0 <= value <= 1:
        raise InvalidArgument(field=field, reason="out_of_range", allowed=[0, 1])


def check_choice(field: str, value: object, choices: Sequence[str]) -> None:
    """Errors: ``InvalidArgument``."""
    if value not in choices:
        raise InvalidArgument(field=field, reason="not_a_choice", allowed=list(choices))


def check_day(field: str, value: object) -> None:
    """A date whose days before and after are dates, too. Errors: ``InvalidArgument``."""
    if type(value) is not date or not 2 <= value.year <= 9998:
        raise InvalidArgument(field=field, reason="not_a_moment")
