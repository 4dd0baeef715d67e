"""Words, atoms, graph and tables of digests made anew from the memories: after damage, an update, or on request.

Works in short steps, so that writers and readers go on meanwhile; may be repeated at any time. Vectors and their
indexes are ``filling.py``'s and ``upkeep.py``'s.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import Final

from engine.engine import Engine
from engine.errors import Cancelled
from engine.index import consistency, entries, lexical
from engine.index.consistency import Writer
from engine.ingest import context_passages, derive, filing
from engine.ingest.draft import lexical_row
from engine.storage import digests, graph, memories, neighbours, settings, topics
from engine.types import ALL_SCOPES, STATUSES, Actor, Filters, Memory

log = logging.getLogger("hupo.rebuilding")

Progress = Callable[[int, int], None]
Stop = Callable[[], bool]
_BLOCK: Final = 100
_EVERYTHING: Final = Filters(scope=ALL_SCOPES, statuses=STATUSES)
# Which form of atoms and graph the store holds; another means that they have to be made anew.
_MADE: Final = "graph.made"
_FORM: Final = "1"
# Whether the paths of the memories were filed in the topic hierarchy.
_FILED: Final = "topics.filed"
# Whether the turns of an older store were given their passages in context.
_CONTEXTS: Final = "passages.contexts"
_RULE: Final = Actor("rule", "rebuild")


class Rebuilding:
    """``write`` runs work on the writer thread; ``stop`` ends a step early, which is taken up at the next start."""

    def __init__(self, engine: Engine, write: Writer, stop: Stop) -> None:
        self._engine = engine
        self._write = write
        self._stop = stop

    def check_words(self) -> None:
        """On start: a lexical index that does not match the rows is made anew."""
        with self._engine.database.reader() as cx:
            equal = lexical.count(cx) == sum(memories.count_by_status(cx).values())
        if not equal:
            self.words(None, self._stop)

    def check_graph(self) -> None:
        """On start: a graph that was never made (an older store) or not to its end is made; its words are mended."""
        self._engine.learn_words()
        with self._engine.database.reader() as cx:
            made = settings.get(cx, _MADE) == _FORM
        if made:
            self.mend_entries()
        else:
            self.graph(None, self._stop)
        self.file_paths()
        self.put_contexts()

    def file_paths(self) -> None:
        """Once: file the memories of a store that is older than the topic hierarchy."""
        with self._engine.database.reader() as cx:
            if settings.get(cx, _FILED):
                return
            ids = topics.with_path(cx, 0, _BLOCK)
        while ids:
            if self._stop():
                return
            self._write(partial(self._file, ids))
            with self._engine.database.reader() as cx:
                ids = topics.with_path(cx, ids[-1], _BLOCK)
        self._write(self._filed)

    def put_contexts(self) -> None:
        """Once: give the turns of a store that is older than context passages theirs."""
        with self._engine.database.reader() as cx:
            if settings.get(cx, _CONTEXTS):
                return
            ids = neighbours.placed(cx, 0, _BLOCK)
        while ids:
            if self._stop():
                return
            self._write(partial(self._put_contexts, ids))
            with self._engine.database.reader() as cx:
                ids = neighbours.placed(cx, ids[-1], _BLOCK)
        self._write(self._contexts_put)

    def words(self, progress: Progress | None, cancelled: Stop) -> int:
        """Make the lexical index anew from the rows; returns the number of rows. Errors: ``Cancelled``."""
        self._engine.lexical_ready = False
        try:
            return consistency.rebuild_lexical(self._engine.database, self._write, _words, progress, cancelled)
        except Cancelled:
            log.warning("the rebuild of the lexical index was cancelled; it is taken up again at the next start")
            raise
        finally:
            self._engine.lexical_ready = True
            self._write(self._engine.refresh)

    def graph(self, progress: Progress | None, cancelled: Stop) -> int:
        """Make atoms, graph and tables of digests anew from the memories, oldest first; returns the number of memories.

        Errors: ``Cancelled``.

        A fact that has a life keeps it, one that has run out stays so. Rows that are right are not touched.
        """
        self._write(self._begin)
        with self._engine.database.reader() as cx:
            ids = memories.list_ids(cx, _EVERYTHING, "oldest")
        for start in range(0, len(ids), _BLOCK):
            if cancelled():
                raise Cancelled(done=start, total=len(ids))
            self._write(partial(self._again, ids[start : start + _BLOCK]))
            if progress is not None:
                progress(min(start + _BLOCK, len(ids)), len(ids))
        self.mend_entries()
        self._write(self._finish)
        return len(ids)

    def mend_entries(self) -> None:
        """Bring the words of the graph in line with its rows."""
        self._write(self._empty_if_damaged)
        with self._engine.database.reader() as cx:
            wrong = [one for part in consistency.entries(cx) for one in part]
        for start in range(0, len(wrong), _BLOCK):
            self._write(partial(self._reindex, wrong[start : start + _BLOCK]))

    def _begin(self) -> None:
        with self._engine.database.transaction(durable=False) as cx:
            settings.put(cx, _MADE, "")
            digests.rebuild(cx)

    def _finish(self) -> None:
        with self._engine.database.transaction() as cx:
            settings.put(cx, _MADE, _FORM)
        self._engine.refresh()

    def _again(self, ids: list[int]) -> None:
        """Read and written in one transaction, so that no edit comes between."""
        gone: list[int] = []
        context = self._engine.context(_RULE)
        with self._engine.database.transaction(durable=False) as cx:
            for memory in memories.get_many(cx, ids).values():
                gone += derive.again(cx, memory, context)
            gone_passages = context_passages.follow(cx, ids, context)
        self._engine.index_gone(gone_passages, gone)

    def _file(self, ids: list[int]) -> None:
        with self._engine.database.transaction(durable=False) as cx:
            filing.refile(cx, topics.paths(cx, ids), self._engine.clock.now())

    def _put_contexts(self, ids: list[int]) -> None:
        with self._engine.database.transaction(durable=False) as cx:
            gone = context_passages.follow(cx, ids, self._engine.context(_RULE))
        self._engine.index_gone(gone, ())

    def _contexts_put(self) -> None:
        with self._engine.database.transaction() as cx:
            settings.put(cx, _CONTEXTS, "1")

    def _filed(self) -> None:
        with self._engine.database.transaction() as cx:
            settings.put(cx, _FILED, "1")
        self._engine.refresh()

    def _reindex(self, ids: list[int]) -> None:
        with self._engine.database.transaction(durable=False) as cx:
            graph.reindex(cx, ids)

    def _empty_if_damaged(self) -> None:
        with self._engine.database.transaction(durable=False) as cx:
            if not entries.sound(cx):
                entries.clear(cx)


def _words(memory: Memory) -> str:
    return lexical_row(memories.fields_of(memory))
