"""Which topics a question is about: by name and alias first, then by what their memories mean. Reads only.

Chinese names are found by any part of them, others by the beginnings of their words; so is a name that the question
holds. By meaning come those that are nearer than topics are on average: what a cosine is worth differs from embedder
to embedder. Must not decide what may be shown (``topic_view.py`` does).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from engine.digest import topic_view
from engine.digest.topic_view import View
from engine.errors import InvalidArgument
from engine.ingest.filing import canonical_of
from engine.storage.database import Connection
from engine.text.normalise import CJK
from engine.types import LONGEST_TOPIC_PATH, TopicHit, TopicMatch

MOST_HITS: Final = 50
LONGEST_QUESTION: Final = 400
# Memories that come with a hit.
NEWEST: Final = 3
_EXACT, _BEGINS, _INSIDE, _NAMED_IN = 4.0, 3.0, 2.0, 1.0
# Fewer topics than this have no average worth the name.
_FEW: Final = 3


@dataclass(frozen=True, slots=True)
class Lookup:
    """What is asked. ``query`` "" and no ``topic_id``: the topics with most memories."""

    query: str = ""
    topic_id: int | None = None
    level: int | None = None
    limit: int = 10
    include_children: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """A topic and how it was found."""

    topic_id: int
    match: TopicMatch
    score: float


def check(asked: Lookup) -> Lookup:
    """Errors: ``InvalidArgument`` for field "query", "level" or "limit"."""
    if not isinstance(asked.query, str):
        raise InvalidArgument(field="query", reason="not_text")
    for field, value, most in (("level", asked.level, LONGEST_TOPIC_PATH), ("limit", asked.limit, MOST_HITS)):
        if value is None and field == "level":
            continue
        if not isinstance(value, int) or isinstance(value, bool):
            raise InvalidArgument(field=field, reason="not_a_number")
        if not 1 <= value <= most:
            raise InvalidArgument(field=field, reason="out_of_range", allowed=[1, most])
    return asked


def text_of(asked: Lookup) -> str:
    """The question without what can not be looked up anywhere; "" where nothing is asked."""
    return asked.query[:LONGEST_QUESTION].encode("utf-8", "replace").decode("utf-8").strip()


def lookup(cx: Connection, view: View, asked: Lookup, cosines: Mapping[int, float]) -> tuple[TopicHit, ...]:
    """The topics that answer, the best first. ``cosines``: by topic, where there are vectors.

    Errors: ``NotFound`` for a ``topic_id`` that is not there or may not be shown.
    """
    if asked.topic_id is not None:
        found = [Match(topic_view.require(view, asked.topic_id), "id", _EXACT)]
    elif text_of(asked):
        named = by_name(view, text_of(asked))
        found = named + by_meaning(view, cosines, {one.topic_id for one in named})
    else:
        found = [Match(one, "listed", 1.0) for one in sorted(view.shown)]
        found.sort(key=lambda one: (-_size(view, one.topic_id), one.topic_id))
    if asked.level is not None and asked.topic_id is None:
        found = [one for one in found if view.tree.topics[one.topic_id].level == asked.level]
    return tuple(_hit(cx, view, one, asked.include_children) for one in found[: asked.limit])


def by_name(view: View, text: str) -> list[Match]:
    """Those whose name or alias the question is, begins, is part of, or holds."""
    query = canonical_of(text)
    found: list[Match] = []
    for topic_id in view.shown:
        best: Match | None = None
        names: list[tuple[TopicMatch, str]] = [("name", view.tree.topics[topic_id].name)]
        names += [("alias", name) for name in view.aliases.get(topic_id, ())]
        for match, name in names:
            score = name_score(query, canonical_of(name))
            if score and (best is None or score > best.score):
                best = Match(topic_id, "named_in" if score < _INSIDE else match, score)
        found += [] if best is None else [best]
    found.sort(key=lambda one: (-one.score, -_size(view, one.topic_id), one.topic_id))
    return found


def by_meaning(view: View, cosines: Mapping[int, float], without: set[int]) -> list[Match]:
    """Those nearer than the average of all that may be shown; of equal ones the more special first."""
    near = {topic_id: cosine for topic_id, cosine in cosines.items() if topic_id in view.shown}
    floor = sum(near.values()) / len(near) if len(near) >= _FEW else -1.0
    chosen = [Match(one, "meaning", cosine) for one, cosine in near.items() if cosine >= floor and one not in without]
    levels = view.tree.topics
    return sorted(chosen, key=lambda one: (-round(one.score, 6), -levels[one.topic_id].level, one.topic_id))


def name_score(query: str, name: str) -> float:
    """How well a folded question fits a folded name; 0: not at all, 1..2: the question holds the name."""
    if not query or not name:
        return 0.0
    if query == name:
        return _EXACT
    at = _stands(query, name)
    if at == 0:
        return _BEGINS
    words = query.split()
    if at is not None or all(_stands(word, name) is not None for word in words):
        return _INSIDE
    if (len(name) > 1 or not CJK.match(name)) and _stands(name, query, whole=True) is not None:
        return _NAMED_IN + len(name) / (len(query) + 1)  # of two names the longer one says more
    return 0.0


def _stands(part: str, text: str, *, whole: bool = False) -> int | None:
    """Where ``part`` stands in ``text``: anywhere in Han and the like, else at the beginning of a word; ``whole``: and
    at the end of one."""
    at = text.find(part)
    while at >= 0:
        end = at + len(part)
        begins = at == 0 or not (_in_word(text[at - 1]) and _in_word(part[0]))
        ends = not whole or end == len(text) or not (_in_word(part[-1]) and _in_word(text[end]))
        if begins and ends:
            return at
        at = text.find(part, at + 1)
    return None


def _in_word(character: str) -> bool:
    return character.isalnum() and not CJK.match(character)


def _size(view: View, topic_id: int) -> int:
    count = view.total.get(topic_id)
    return 0 if count is None else count.passing


def _hit(cx: Connection, view: View, one: Match, include_children: bool) -> TopicHit:
    children: Sequence[int] = view.children.get(one.topic_id, ()) if include_children else ()
    return TopicHit(
        topic_view.node(view, one.topic_id),
        one.match,
        one.score,
        topic_view.newest(cx, view, one.topic_id, NEWEST),
        tuple(topic_view.node(view, child) for child in children if child in view.shown),
    )
