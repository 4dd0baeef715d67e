"""What a question points at beside its words and its meaning: phrases that a memory holds literally, people and topics
that it mentions under another name, times in which it lies, a state of things that is past. None of it filters; each
adds to a score.

Looks up a bounded number of rows. Must not score channels nor write.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.index import lexical
from engine.retrieval import times
from engine.retrieval.query import Parsed
from engine.storage import naming, selection, signals
from engine.storage.database import Connection
from engine.text import terms
from engine.text.normalise import normalise
from engine.types import FINDABLE, Filters, Sensitivity

Scores = NDArray[np.float64]

# What more memories than this share says little about any of them.
RARE: Final = 20
# So many are looked at before a word is called common.
_LOOKED_AT: Final = 400
_NAMES: Final = 4


@dataclass(frozen=True, slots=True)
class Leads:
    """Memories that a question points at, each with a weight 0..1; only such as the filters let pass."""

    phrase: Mapping[int, float] = field(default_factory=dict)
    name: Mapping[int, float] = field(default_factory=dict)

    @property
    def ids(self) -> list[int]:
        """All of them, each once."""
        return list(dict.fromkeys((*self.phrase, *self.name)))


def filters_of(question: Parsed, filters: Filters, values: Mapping[str, Any]) -> Filters:
    """``filters``, with what was replaced where the question asks for the past and the caller chose no statuses."""
    if not question.past or filters.statuses != FINDABLE or float(values["recall.boost_past"]) <= 0:
        return filters
    return replace(filters, statuses=(*FINDABLE, "superseded"))


def follow(
    cx: Connection, question: Parsed, filters: Filters, hidden: Sequence[Sensitivity], values: Mapping[str, Any]
) -> Leads:
    """Look up what the question names literally and whom it means. A lead with no boost in ``values`` is not looked
    up.
    """
    look = _Look(cx, filters, hidden)
    phrase = _phrases(look, question) if float(values["recall.boost_phrase"]) > 0 else {}
    name = _names(look, question) if float(values["recall.boost_name"]) > 0 else {}
    return Leads(phrase, name)


def weights(cx: Connection, question: Parsed, leads: Leads, ids: NDArray[np.int64]) -> dict[str, Scores]:
    """How well each of ``ids`` [n] follows each lead, 0..1, by the name of its factor; only leads that some do."""
    found: dict[str, Scores] = {}
    for name, weighed in (("phrase", leads.phrase), ("name", leads.name)):
        if weighed:
            found[name] = np.array([weighed.get(int(one), 0.0) for one in ids], dtype=np.float64)
    if question.past:
        found["past"] = signals.superseded(cx, ids).astype(np.float64)
    if question.periods:
        found["time"] = times.fits(question.periods, *signals.moments(cx, ids))
    return {name: part for name, part in found.items() if part.any()}


class _Look:
    """One question's look-ups, through its filters."""

    def __init__(self, cx: Connection, filters: Filters, hidden: Sequence[Sensitivity]) -> None:
        self.cx = cx
        self._filters = filters
        self._hidden = hidden

    def matching(self, expression: str) -> list[int]:
        """The memories that match and may be seen; [] where too many match to look at."""
        found = lexical.matching(self.cx, expression, _LOOKED_AT)
        return self.seen(found) if len(found) < _LOOKED_AT else []

    def seen(self, ids: Iterable[int]) -> list[int]:
        passing = selection.restrict(self.cx, ids, self._filters)
        return sorted(passing - selection.of_sensitivity(self.cx, passing, self._hidden))


def _phrases(look: _Look, question: Parsed) -> dict[int, float]:
    """Memories with a quoted phrase or a rare identifier; the weight is the share of all that are asked for."""
    asked = len(question.quoted) + len(question.identifiers)
    found: dict[int, float] = {}
    for phrase in question.quoted:
        for one in _holding(look, phrase):
            found[one] = found.get(one, 0.0) + 1.0 / asked
    for identifier in question.identifiers:
        holding = look.matching(terms.fts_query([identifier]))
        for one in holding if len(holding) <= RARE else ():
            found[one] = found.get(one, 0.0) + 1.0 / asked
    return found


def _holding(look: _Look, phrase: str) -> list[int]:
    """The memories that hold ``phrase`` as it is, but for case, width and white space; found by its words."""
    words = [terms.fts_query([term]) for term in dict.fromkeys(terms.index_terms(phrase))]
    candidates = look.matching(" AND ".join(words)) if words else []
    texts = naming.texts(look.cx, candidates)
    return [one for one in candidates if phrase in normalise(texts[one])]


def _names(look: _Look, question: Parsed) -> dict[int, float]:
    """Memories that mention whom the question names, but by another name: those of the same one the words find."""
    known = naming.meant(look.cx, question.names)
    said = {name for name, _ in known}
    # "Chris Tan" means no other Chris.
    whole = [(name, node) for name, node in known if not any(name != longer and name in longer for longer in said)]
    found: dict[int, float] = {}
    for name, node in whole[:_NAMES]:
        mentioning = naming.mentioned_otherwise(look.cx, node, name, _LOOKED_AT)
        found |= dict.fromkeys(look.seen(mentioning) if len(mentioning) < _LOOKED_AT else (), 1.0)
    return found
