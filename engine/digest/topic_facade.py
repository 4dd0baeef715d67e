"""The verbs of the topic hierarchy as futures: ``Service.topics``. Each only chooses where its work runs."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Final

from engine.access import Access, Asked, then
from engine.digest import topic_centroids, topic_lookup, topic_suggest, topic_view, topics
from engine.digest.topic_centroids import Centroids
from engine.digest.topic_lookup import Lookup
from engine.digest.topic_view import View
from engine.errors import InvalidArgument
from engine.retrieval.query import MOST_LISTED, check_filters
from engine.storage.database import Connection
from engine.types import (
    Actor,
    Filters,
    Memory,
    Sensitivity,
    TopicChange,
    TopicFound,
    TopicNode,
    TopicSuggestion,
)

_USER_WIDE: Final = Filters()


class Topics:
    """Over the store that ``access`` lends. ``filters``: which memories count and let a topic be seen; one that only
    highly sensitive memories use is not there without ``include_sensitive``.

    Errors of all: ``InvalidArgument``, ``NotFound``, ``Closed``, storage errors; of writes also ``Paused``.
    """

    def __init__(self, access: Access) -> None:
        self._access = access
        self._centroids = Centroids()

    # Reading -------------------------------------------------------------------------------------------------

    def tree(self, filters: Filters = _USER_WIDE, *, include_sensitive: bool = False) -> Future[tuple[TopicNode, ...]]:
        """All topics, each before those below it."""
        check_filters(filters)
        return self._access.read(lambda cx: topic_view.tree_nodes(self._look(cx, filters, include_sensitive)))

    def lookup(
        self, query: str = "", *, topic_id: int | None = None, level: int | None = None, limit: int = 10,
        include_children: bool = False, include_sensitive: bool = False, filters: Filters = _USER_WIDE,
    ) -> Future[TopicFound]:  # fmt: skip
        """Topics by name, alias and meaning, the best first (S4's topic_lookup); without a query the largest."""
        check_filters(filters)
        wanted = topic_lookup.check(Lookup(query, topic_id, level, limit, include_children))
        text = topic_lookup.text_of(wanted) if topic_id is None else ""

        def look(cx: Connection, asked: Asked) -> TopicFound:
            view = self._look(cx, filters, include_sensitive)
            found = topic_lookup.lookup(cx, view, wanted, self._cosines(cx, view, asked))
            return TopicFound(found, asked.degraded)

        if not text:
            return self._access.read(lambda cx: look(cx, Asked()))
        return then(self._access.ask(text), lambda asked: self._access.read(lambda cx: look(cx, asked)))

    def memories(
        self, topic_id: int, limit: int = 20, *, below: bool = True, filters: Filters = _USER_WIDE,
        include_sensitive: bool = False,
    ) -> Future[tuple[Memory, ...]]:  # fmt: skip
        """What is filed under a topic, and below it, the newest first."""
        check_filters(filters)
        _check_limit(limit)

        def look(cx: Connection) -> tuple[Memory, ...]:
            view = self._look(cx, filters, include_sensitive)
            return topic_view.newest(cx, view, topic_view.require(view, topic_id), limit, below=below)

        return self._access.read(look)

    def of_memory(
        self, memory_id: int, *, filters: Filters = _USER_WIDE, include_sensitive: bool = False
    ) -> Future[tuple[TopicNode, ...]]:
        """The topics from T1 down to where a memory is filed, under the names they have now; () for one in none."""
        check_filters(filters)
        return self._access.read(
            lambda cx: topic_view.way_of_memory(cx, self._look(cx, filters, include_sensitive), memory_id)
        )

    def suggest(
        self, limit: int = 20, *, filters: Filters = _USER_WIDE, include_sensitive: bool = False
    ) -> Future[tuple[TopicSuggestion, ...]]:
        """Topics for memories that are in none, the newest first. Nothing moves by itself."""
        check_filters(filters)
        _check_limit(limit)
        return self._access.read(
            lambda cx: topic_suggest.suggest(cx, self._look(cx, filters, include_sensitive), limit)
        )

    # Writing -------------------------------------------------------------------------------------------------

    def rename(self, topic_id: int, name: str, actor: Actor) -> Future[TopicChange]:
        """Show a topic under ``name``; what it was called stays an alias."""
        return self._access.write(actor, lambda cx, context: topics.rename(cx, topic_id, name, context))

    def merge(self, ids: Sequence[int], into: int, actor: Actor) -> Future[TopicChange]:
        """They are ``into`` from now on, with all that is filed there."""
        chosen = tuple(ids)
        return self._access.write(actor, lambda cx, context: topics.merge(cx, chosen, into, context))

    def move(self, topic_id: int, parent: int | None, actor: Actor) -> Future[TopicChange]:
        """Put a topic below another, or with None at the top."""
        return self._access.write(actor, lambda cx, context: topics.move(cx, topic_id, parent, context))

    def add_alias(self, topic_id: int, name: str, actor: Actor) -> Future[TopicChange]:
        """``name`` means this topic, too; nothing happens where it does already."""
        return self._access.write(actor, lambda cx, context: topics.add_alias(cx, topic_id, name, context))

    def drop_alias(self, topic_id: int, name: str, actor: Actor) -> Future[TopicChange]:
        """``name`` means this topic no more."""
        return self._access.write(actor, lambda cx, context: topics.drop_alias(cx, topic_id, name, context))

    def set_summary(
        self, topic_id: int, text: str, actor: Actor, sensitivity: Sensitivity | None = None
    ) -> Future[TopicChange]:
        """Keep the centroid summary; None: as sensitive as the most sensitive memory there."""
        return self._access.write(
            actor, lambda cx, context: topics.set_summary(cx, topic_id, text, sensitivity, context)
        )

    def remove(self, topic_id: int, actor: Actor) -> Future[TopicChange]:
        """Take an empty topic away."""
        return self._access.write(actor, lambda cx, context: topics.remove(cx, topic_id, context))

    # -----------------------------------------------------------------------------------------------------------

    def _look(self, cx: Connection, filters: Filters, include_sensitive: bool) -> View:
        access = self._access
        return topic_view.look(cx, filters, include_sensitive, access.settings.current, access.clock.now())

    def _cosines(self, cx: Connection, view: View, asked: Asked) -> dict[int, float]:
        """How near each topic is; a question without a vector is answered by names alone."""
        if asked.vector is None:
            return {}
        own = self._centroids.own(cx, asked.identity_id, view.tree.all_live())
        return topic_centroids.cosines(view.tree, own, view.hidden, asked.vector)


def _check_limit(limit: int) -> None:
    if not isinstance(limit, int) or isinstance(limit, bool):
        raise InvalidArgument(field="limit", reason="not_a_number")
    if not 1 <= limit <= MOST_LISTED:
        raise InvalidArgument(field="limit", reason="out_of_range", allowed=[1, MOST_LISTED])
