"""Reads beside recall and their answers: three-way search, filtered search, patterns, scored recall, browsing by day.

Free of behaviour. Days and hours are the user's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from engine.types.memory import Memory
from engine.types.recall import Filters
from engine.types.topics import TopicNode

Route = Literal["literal", "tag", "vector"]
SearchSort = Literal["relevance", "score", "timestamp"]
SearchOrder = Literal["desc", "asc"]
TimeRange = Literal["1d", "7d", "30d", "90d", "all"]
ScorePart = Literal["importance", "recall", "emotion", "similarity"]

SEARCH_SORTS: tuple[SearchSort, ...] = ("relevance", "score", "timestamp")
SEARCH_ORDERS: tuple[SearchOrder, ...] = ("desc", "asc")
TIME_RANGES: tuple[TimeRange, ...] = ("1d", "7d", "30d", "90d", "all")


@dataclass(frozen=True, slots=True)
class Snippet:
    """A stretch of a memory's text. ``spots``: [start, end) in ``text`` of what matched, in order, apart;
    ``before``/``after``: whether the memory says more on that side.
    """

    text: str
    spots: tuple[tuple[int, int], ...] = ()
    before: bool = False
    after: bool = False


@dataclass(frozen=True, slots=True)
class RouteRank:
    """One way a memory was found: ``rank`` from 1, ``share`` of the score."""

    route: Route
    rank: int
    share: float


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A memory that one route or more found; the shares of ``routes`` add up to ``score``."""

    memory: Memory
    snippet: Snippet
    score: float
    routes: tuple[RouteRank, ...]


@dataclass(frozen=True, slots=True)
class SearchFound:
    """The answer to a three-way search; no hits is an answer. ``degraded`` as in ``Recollection``."""

    hits: tuple[SearchHit, ...]
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FilteredSearch:
    """Which memories, in which order (S3). ``query``: any of its words; ``keywords``: at least one, as it is written.

    ``min_score``/``max_score``: of ``Memory.strength``, 0..1, both inclusive; times are in ``filters``.
    """

    query: str = ""
    keywords: tuple[str, ...] = ()
    min_score: float | None = None
    max_score: float | None = None
    sort: SearchSort = "relevance"
    order: SearchOrder = "desc"
    limit: int = 20
    filters: Filters = field(default_factory=Filters)


@dataclass(frozen=True, slots=True)
class FilteredHit:
    """``relevance``: BM25 ≥ 0 of the query and the keywords, 0 where none was given; ``score``: the strength."""

    memory: Memory
    snippet: Snippet
    relevance: float
    score: float


@dataclass(frozen=True, slots=True)
class FilteredFound:
    """``total`` counts all that match, also beyond the limit."""

    hits: tuple[FilteredHit, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Keyword:
    """A word that says much about these memories: ``weight`` falls from 1; ``count`` memories have it."""

    word: str
    weight: float
    count: int


@dataclass(frozen=True, slots=True)
class Patterns:
    """What memories have in common (S3). ``total`` pass the filters; the newest ``counted`` are counted, and the
    newest ``read`` were read for ``keywords``.

    ``hours`` [24] and ``weekdays`` [7, Monday first] count memories by when it was; ``scores`` [10] by strength, in
    tenths. ``roles``: who speaks in memories that are turns. Mappings: the most frequent first.
    """

    total: int
    counted: int
    read: int
    keywords: tuple[Keyword, ...]
    hours: tuple[int, ...]
    weekdays: tuple[int, ...]
    days: Mapping[date, int]
    roles: Mapping[str, int]
    layers: Mapping[str, int]
    tags: Mapping[str, int]
    scores: tuple[int, ...]
    mean_score: float


@dataclass(frozen=True, slots=True)
class ScoredHit:
    """``parts`` add up to ``score`` (S4)."""

    memory: Memory
    score: float
    parts: Mapping[ScorePart, float]


@dataclass(frozen=True, slots=True)
class MacroContext:
    """What stands around the hits: the newest digest of each level, the broadest first, and the topics that the hits
    are filed under, each with those above it.
    """

    digests: tuple[Memory, ...]
    topics: tuple[TopicNode, ...]


@dataclass(frozen=True, slots=True)
class ScoredFound:
    """``hidden`` counts the sensitive memories where the question was asked; ``degraded`` as in ``Recollection``."""

    hits: tuple[ScoredHit, ...]
    macro: MacroContext
    hidden: int = 0
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TimelineDay:
    """One day of a timeline: ``memories`` of this page, ``count`` all of that day."""

    day: date
    count: int
    memories: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """A page of days, the newest first. A long day may go on on the next page. ``next_cursor``: None on the last."""

    days: tuple[TimelineDay, ...]
    next_cursor: str | None
    total: int
