"""What a question says: its terms and its script. Pure; any input is a question, nothing raises on syntax."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import InvalidArgument
from engine.text import normalise, terms
from engine.types import Query

MOST_HITS = 50


@dataclass(frozen=True, slots=True)
class Parsed:
    """``terms``: distinct lexical terms; ``expression``: the FTS5 form of them ("" = no words to look for)."""

    text: str
    terms: tuple[str, ...]
    expression: str
    script: str


def parse(query: Query) -> Parsed:
    """Check the bounds of ``query`` and take its text apart. Errors: ``InvalidArgument``."""
    if not isinstance(query.text, str):
        raise InvalidArgument(field="query", reason="not_text")
    if not 1 <= query.k <= MOST_HITS:
        raise InvalidArgument(field="k", reason="out_of_range", allowed=[1, MOST_HITS])
    if query.budget is not None and query.budget < 1:
        raise InvalidArgument(field="budget", reason="out_of_range", allowed=[1, None])
    # Lone surrogates can not be looked up anywhere; the rest of the question still can.
    text = query.text.encode("utf-8", "replace").decode("utf-8").strip()
    found = tuple(terms.query_terms(text))
    return Parsed(text, found, terms.fts_query(found), normalise.script_of(text))
