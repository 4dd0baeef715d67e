"""Questions and lists, and their answers: what may be seen, what was found and why. Free of behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from engine.types.memory import FINDABLE, Layer, Memory, MemoryStatus, Sensitivity

Form = Literal["full", "compressed", "summary", "cut"]
# "nothing": the answer is most probably not among what was found.
Certainty = Literal["sure", "unsure", "nothing"]
Sort = Literal["newest", "oldest", "importance", "strength", "updated", "title"]

ALL_SCOPES = "all"


@dataclass(frozen=True, slots=True)
class Filters:
    """Which memories a read may see. Empty tuples and None filter nothing.

    ``scope``: None = user-wide memories only; a conversation id = that conversation's and the user-wide ones;
    ``ALL_SCOPES`` = everything. ``tags``: a memory must carry all of them (case-insensitive).
    ``since``/``until``: half-open range [since, until) over ``Memory.occurred_at``.
    """

    scope: str | None = None
    persona_id: str | None = None
    layers: tuple[Layer, ...] = ()
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    statuses: tuple[MemoryStatus, ...] = FINDABLE
    sensitivities: tuple[Sensitivity, ...] = ()
    clients: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    pinned: bool | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """A question to the recall engine. ``k`` 1..50 hits; ``budget`` in tokens over all hit texts, None = no limit.

    ``overrides`` are parameter values for this one recall (previews, benchmarks); ``reinforce`` False leaves
    no trace (the GUI looks without warming). ``near_misses``: how many held-back candidates to report.
    """

    text: str
    k: int = 5
    filters: Filters = field(default_factory=Filters)
    include_sensitive: bool = False
    explain: bool = False
    budget: int | None = 1500
    near_misses: int = 0
    reinforce: bool = True
    overrides: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Channel:
    """One way a memory was found: ``rank`` from 1, ``raw`` the channel's own value, ``share`` of the final score."""

    name: Literal["lexical", "vector", "graph"]
    rank: int
    raw: float
    share: float


@dataclass(frozen=True, slots=True)
class Factor:
    """Something that moved a score: ``name`` is a slug, ``value`` added: "importance", "recency", "diversity";
    "time", "phrase", "name", "past" where the question points at the memory, "both" where both routes found it.
    """

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a memory was recalled: channel shares and factors add up to ``Hit.score``."""

    channels: tuple[Channel, ...]
    factors: tuple[Factor, ...]
    matched_terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """A recalled memory: ``text`` is the ``form`` of it that fitted the budget."""

    memory: Memory
    text: str
    form: Form
    score: float
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A candidate that was held back; ``reason`` is "rank", "diversity" or "budget"."""

    memory_id: int
    title: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Sign:
    """What speaks for the first hit or against it: ``raw`` the sign's own value, ``weight`` added to the log-odds."""

    name: str
    raw: float
    weight: float


@dataclass(frozen=True, slots=True)
class Recollection:
    """The answer to a Query.

    ``confidence`` 0..1 is the calibrated probability that the first hit answers, ``certainty`` the same in a word
    (None = not judged); ``signs`` are what it is made of, where an explanation was asked for.

    ``degraded`` holds slugs of what was missing: "embedder_unavailable", "vectors_incomplete",
    "lexical_rebuilding". ``omitted`` counts hits that found no room in the budget, ``hidden`` the sensitive memories
    of the scope, whether or not they would answer.
    """

    hits: tuple[Hit, ...]
    near_misses: tuple[NearMiss, ...] = ()
    degraded: tuple[str, ...] = ()
    tokens: int = 0
    omitted: int = 0
    hidden: int = 0
    confidence: float = 0.0
    certainty: Certainty | None = None
    signs: tuple[Sign, ...] = ()
    cached: bool = False
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of memories without a query. ``cursor`` continues where the page before ended."""

    filters: Filters = field(default_factory=Filters)
    sort: Sort = "newest"
    limit: int = 20
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """``next_cursor`` is None on the last page; ``total`` counts all that the filters let through."""

    memories: tuple[Memory, ...]
    next_cursor: str | None
    total: int
