"""What a question says: its terms, its script, its intents, times and names. Pure; any input is a question, nothing
raises on syntax.

Checks the bounds of what a caller may ask for, so that nothing later meets a value that SQLite can not take.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import get_args

from engine.errors import InvalidArgument
from engine.retrieval import phrases, times
from engine.retrieval.intent import Intent, asks_for_the_past, intents
from engine.retrieval.times import Period
from engine.text import normalise, terms
from engine.types import Filters, Listing, Query, Sort

MOST_HITS = 50
MOST_LISTED = 10_000
# A question this long is a pasted text; its beginning says what it is about, and every term costs a look-up.
LONGEST_QUESTION = 8_192
_READ = 400


@dataclass(frozen=True, slots=True)
class Parsed:
    """``terms``: distinct lexical terms; ``expression``: the FTS5 form of them ("" = no words to look for).

    ``quoted`` phrases, ``identifiers`` and possible ``names`` as ``phrases.py`` reads them; ``past``: what no longer
    holds is asked for.
    """

    text: str
    terms: tuple[str, ...]
    expression: str
    script: str
    intents: frozenset[Intent] = frozenset()
    periods: tuple[Period, ...] = ()
    quoted: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    past: bool = False


def parse(query: Query, now: datetime, zone: tzinfo) -> Parsed:
    """Check the bounds of ``query`` and take its text apart, as asked at ``now`` where days are those of ``zone``.

    Errors: ``InvalidArgument``.
    """
    if not isinstance(query.text, str):
        raise InvalidArgument(field="query", reason="not_text")
    _check_number("k", query.k, 1, MOST_HITS)
    if query.budget is not None:
        _check_number("budget", query.budget, 1, None)
    check_filters(query.filters)
    # Lone surrogates can not be looked up anywhere; the rest of the question still can.
    text = query.text[:LONGEST_QUESTION].encode("utf-8", "replace").decode("utf-8").strip()
    found = tuple(terms.query_terms(text))
    # Of a pasted text the beginning says when and whom it is about.
    head = text[:_READ]
    return Parsed(
        text, found, terms.fts_query(found), normalise.script_of(text), intents(head),
        times.periods(_asking(text), now, zone), phrases.quoted(head), phrases.identifiers(head), phrases.names(head),
        asks_for_the_past(head),
    )  # fmt: skip


def _asking(text: str) -> str:
    """The line that asks: what the lines before it say of a time is part of the talk."""
    return text.rsplit("\n", 1)[-1][:_READ]


def check_filters(filters: Filters) -> None:
    """Errors: ``InvalidArgument`` naming a filter whose text is none or whose moment means nothing."""
    named = {"scope": (filters.scope,), "persona_id": (filters.persona_id,)}
    lists = ("layers", "categories", "tags", "statuses", "sensitivities", "clients")
    for field, values in (named | {name: getattr(filters, name) for name in lists}).items():
        if not isinstance(values, tuple):
            raise InvalidArgument(field=field, reason="not_a_list")
        for value in values:
            _check_text(field, value)
    for field, moment in (("since", filters.since), ("until", filters.until)):
        sound = moment is None or (isinstance(moment, datetime) and moment.tzinfo is not None)
        if not sound or (moment is not None and not 2 <= moment.year <= 9998):
            raise InvalidArgument(field=field, reason="not_a_moment")


def check_listing(listing: Listing) -> None:
    """Errors: ``InvalidArgument`` for field "limit", "sort" or a filter."""
    _check_number("limit", listing.limit, 1, MOST_LISTED)
    check_sort(listing.sort)
    check_filters(listing.filters)


def check_sort(sort: str) -> None:
    """Errors: ``InvalidArgument`` for an order that there is not."""
    if sort not in get_args(Sort):
        raise InvalidArgument(field="sort", reason="not_a_choice", allowed=list(get_args(Sort)))


def _check_number(field: str, value: object, low: int, high: int | None) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidArgument(field=field, reason="not_a_number")
    if value < low or (high is not None and value > high):
        raise InvalidArgument(field=field, reason="out_of_range", allowed=[low, high])


def _check_text(field: str, value: str | None) -> None:
    if value is None and field in ("scope", "persona_id"):
        return
    if not isinstance(value, str):
        raise InvalidArgument(field=field, reason="not_text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidArgument(field=field, reason="not_unicode") from None
