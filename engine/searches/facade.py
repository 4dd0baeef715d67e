"""The reads beside recall as futures: ``Service.searches``. Each only chooses where its work runs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from datetime import date, timedelta
from typing import Final, TypeVar

from engine import policy
from engine.access import Access, Asked, then
from engine.digest import topic_view
from engine.retrieval import query as asking
from engine.retrieval.query import check_filters
from engine.searches import blended, browsing, filtered, macro, patterns, scored
from engine.searches.asking import check_choice, check_whole, seen_by, text_of
from engine.storage import memories
from engine.storage.database import Connection
from engine.text.segmentation import Segmenter
from engine.types import (
    TIME_RANGES,
    FilteredFound,
    FilteredSearch,
    Filters,
    MacroContext,
    Memory,
    Patterns,
    Query,
    ScoredFound,
    SearchFound,
    Timeline,
    TimeRange,
)

T = TypeVar("T")

SNIPPET: Final = 300
_USER_WIDE: Final = Filters()
_MOST_LISTED: Final = 1_000


class Searches:
    """``filters``: which memories count; those that the policy hides do not without ``include_sensitive``. No read
    leaves a trace.

    Errors of all: ``InvalidArgument``, ``Closed``, storage errors.
    """

    def __init__(self, access: Access, segmenter: Segmenter) -> None:
        self._access = access
        self._segmenter = segmenter

    def search(
        self, query: str, limit: int = 5, *, snippet: int = SNIPPET, filters: Filters = _USER_WIDE,
        include_sensitive: bool = False,
    ) -> Future[SearchFound]:  # fmt: skip
        """By words, tags and meaning at once (S2). ``limit`` 1..50 hits, ``snippet`` 20..2000 characters."""
        text = self._check(query, filters)
        check_whole("limit", limit, 1, blended.MOST_HITS)
        check_whole("snippet", snippet, 20, 2_000)
        question = self._parsed(text, filters)

        def look(cx: Connection, seen: Filters, asked: Asked) -> SearchFound:
            return blended.search(cx, question, asked, limit, snippet, seen, self._access.settings.current)

        return self._asked(text, filters, include_sensitive, look, SearchFound(()))

    def by_tag(
        self, tag: str, limit: int = 10, *, filters: Filters = _USER_WIDE, include_sensitive: bool = False
    ) -> Future[tuple[Memory, ...]]:
        """The newest that carry exactly this tag, whatever its case (S2's search_by_tag); a blank one, nothing has."""
        text_of(tag, "tag")
        check_filters(filters)
        check_whole("limit", limit, 1, _MOST_LISTED)

        def look(cx: Connection, seen: Filters) -> tuple[Memory, ...]:
            ids = blended.by_tag(cx, text_of(tag, "tag"), seen, limit)
            rows = memories.get_many(cx, ids)
            return tuple(rows[one] for one in ids)

        return self._seen(filters, include_sensitive, look, ())

    def filtered(
        self, search: FilteredSearch, *, snippet: int = SNIPPET, include_sensitive: bool = False
    ) -> Future[FilteredFound]:
        """With filters, in a chosen order (S3). ``limit`` 1..100."""
        filtered.check(search)
        check_filters(search.filters)
        check_whole("snippet", snippet, 20, 2_000)
        return self._seen(
            search.filters, include_sensitive, lambda cx, seen: filtered.search(cx, search, seen, snippet),
            FilteredFound((), 0),
        )  # fmt: skip

    def patterns(
        self, *, keywords: int = 20, filters: Filters = _USER_WIDE, include_sensitive: bool = False
    ) -> Future[Patterns]:
        """What memories have in common (S3); ``keywords`` 1..100 of the words that say most."""
        check_filters(filters)
        check_whole("keywords", keywords, 1, patterns.MOST_KEYWORDS)
        nothing = Patterns(0, 0, 0, (), (0,) * 24, (0,) * 7, {}, {}, {}, {}, (0,) * 10, 0.0)
        zone = self._access.clock.zone()
        return self._seen(
            filters, include_sensitive, lambda cx, seen: patterns.find(cx, seen, keywords, self._segmenter, zone),
            nothing,
        )  # fmt: skip

    def scored(
        self, query: str, limit: int = 5, *, time_range: TimeRange = "all", category: str | None = None,
        filters: Filters = _USER_WIDE, include_sensitive: bool = False,
    ) -> Future[ScoredFound]:  # fmt: skip
        """Scored recall with the digests and topics around it (S4). ``limit`` 1..20; ranges are of the user's days.

        Without a question: by importance, recalls and emotion among the newest hundred.
        """
        text = self._check(query, filters)
        check_whole("limit", limit, 1, scored.MOST_HITS)
        check_choice("time_range", time_range, TIME_RANGES)
        now, zone = self._access.clock.now(), self._access.clock.zone()
        wanted, begin = filters, scored.since(time_range, now, zone)
        if category is not None:
            wanted = replace(wanted, categories=(category,))
        if begin is not None:
            wanted = replace(wanted, since=begin if wanted.since is None else max(begin, wanted.since))
        check_filters(wanted)
        question = self._parsed(text, wanted)
        around = Filters(scope=filters.scope, persona_id=filters.persona_id)

        def look(cx: Connection, seen: Filters, asked: Asked) -> ScoredFound:
            values = self._access.settings.current
            hits = scored.search(cx, question, asked, seen, limit, now, values)
            view = topic_view.look(cx, around, include_sensitive, values, now)
            shown = replace(around, sensitivities=policy.shown(values, include_sensitive) or ())
            context = macro.context(cx, view, [hit.memory.id for hit in hits], shown)
            out = policy.hidden(values, include_sensitive)
            hidden = memories.count_sensitive(cx, around, out) if out else 0
            return ScoredFound(tuple(hits), context, hidden, asked.degraded)

        return self._asked(text, wanted, include_sensitive, look, ScoredFound((), MacroContext((), ())))

    def calendar(
        self, first: date, last: date, *, filters: Filters = _USER_WIDE, include_sensitive: bool = False
    ) -> Future[dict[date, int]]:
        """How many memories each of the user's days from ``first`` through ``last`` has; empty days are left out."""
        check_filters(filters)
        browsing.check_calendar(first, last)
        days = [first + timedelta(days=at) for at in range((last - first).days + 1)]
        zone = self._access.clock.zone()
        return self._seen(
            filters, include_sensitive, lambda cx, seen: browsing.calendar(cx, days, seen, zone), {}
        )  # fmt: skip

    def timeline(
        self, limit: int = 50, cursor: str | None = None, *, first: date | None = None, last: date | None = None,
        filters: Filters = _USER_WIDE, include_sensitive: bool = False,
    ) -> Future[Timeline]:  # fmt: skip
        """A page of ``limit`` memories by day, the newest first, from the user's day ``first`` through ``last``."""
        check_filters(filters)
        check_whole("limit", limit, 1, _MOST_LISTED)
        browsing.check_span(first, last)
        zone = self._access.clock.zone()
        wanted = browsing.within(filters, first, last, zone)
        return self._seen(
            wanted, include_sensitive, lambda cx, seen: browsing.timeline(cx, seen, limit, cursor, zone),
            Timeline((), None, 0),
        )  # fmt: skip

    # -----------------------------------------------------------------------------------------------------------

    def _check(self, query: str, filters: Filters) -> str:
        check_filters(filters)
        return text_of(query)

    def _parsed(self, text: str, filters: Filters) -> asking.Parsed:
        return asking.parse(Query(text, filters=filters), self._access.clock.now(), self._access.clock.zone())

    def _seen(
        self, filters: Filters, include_sensitive: bool, look: Callable[[Connection, Filters], T], nothing: T
    ) -> Future[T]:
        """Run a read with what may be seen; ``nothing`` where that is nothing."""

        def run(cx: Connection) -> T:
            seen = seen_by(self._access.settings.current, include_sensitive, filters)
            return nothing if seen is None else look(cx, seen)

        return self._access.read(run)

    def _asked(
        self, text: str, filters: Filters, include_sensitive: bool,
        look: Callable[[Connection, Filters, Asked], T], nothing: T,
    ) -> Future[T]:  # fmt: skip
        """As :meth:`_seen`, with the meaning of ``text``, where it says anything."""

        def read(asked: Asked) -> Future[T]:
            return self._seen(filters, include_sensitive, lambda cx, seen: look(cx, seen, asked), nothing)

        return then(self._access.ask(text), read) if text else read(Asked())
