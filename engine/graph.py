"""The façade of atoms and graph: synchronous verbs over one open store, beside ``engine.py``'s over memories.

Knows no threads. Verbs marked *writer* must run on the writer thread. What a user decides about names is kept as
aliases, with a history row of memory 0; the graph follows from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict

from engine.clock import Clock
from engine.errors import Conflict
from engine.ingest import aliasing
from engine.retrieval import atoms as atom_search
from engine.retrieval import query as asking
from engine.retrieval import relations
from engine.storage import aliases, history
from engine.storage import atoms as atom_rows
from engine.storage import relations as naming
from engine.storage.database import Connection, Database
from engine.types import (
    ALL_SCOPES,
    STATUSES,
    Actor,
    Alias,
    Atom,
    AtomHit,
    AtomQuery,
    Changes,
    ConnectingPath,
    Entity,
    EntityType,
    Filters,
    HistoryEntry,
    Neighbourhood,
)

# History rows about names are of no memory.
NO_MEMORY = 0
# More names than this are no longer a help but a dictionary of their own.
_NAMES = 20_000
_EVERYTHING = Filters(scope=ALL_SCOPES, statuses=STATUSES)
Announce = Callable[[str, Actor, tuple[int, ...], Sequence[int], tuple[int, ...]], Changes]


class Graph:
    """Over ``database``; ``announce``(action, actor, history ids, gone entries, memories) makes a write's
    ``Changes``.
    """

    def __init__(self, database: Database, clock: Clock, announce: Announce) -> None:
        self._database = database
        self._clock = clock
        self._announce = announce

    # Reading -------------------------------------------------------------------------------------------------

    def entities(self, text: str, types: Sequence[EntityType], limit: int, filters: Filters) -> tuple[Entity, ...]:
        """Entities by name, the best first; without a text those that most memories mention."""
        asking.check_filters(filters)
        with self._database.reader() as cx:
            if not text.strip():
                return tuple(relations.most_mentioned(cx, filters, limit, tuple(types)))
            return tuple(relations.entities_named(cx, text, filters, limit, tuple(types)))

    def neighbourhood(self, entity_id: int, hops: int, limit: int, filters: Filters) -> Neighbourhood:
        """What surrounds an entity. Errors: ``NotFound``."""
        asking.check_filters(filters)
        with self._database.reader() as cx:
            return relations.neighbourhood(cx, entity_id, hops, limit, filters)

    def path(self, from_id: int, to_id: int, hops: int, filters: Filters) -> ConnectingPath:
        """A shortest way from one entity to another. Errors: ``NotFound``."""
        asking.check_filters(filters)
        with self._database.reader() as cx:
            return relations.path(cx, from_id, to_id, hops, filters)

    def of_memory(self, memory_id: int, filters: Filters = _EVERYTHING) -> tuple[Entity, ...]:
        """Whom and what a memory mentions, as the memories that pass ``filters`` spell and count it."""
        asking.check_filters(filters)
        with self._database.reader() as cx:
            return tuple(relations.of_memory(cx, memory_id, filters))

    def atoms(self, memory_id: int) -> tuple[Atom, ...]:
        """The facts that a memory says."""
        with self._database.reader() as cx:
            return atom_rows.of_memory(cx, memory_id)

    def search_atoms(self, query: AtomQuery) -> tuple[AtomHit, ...]:
        """Single facts that answer a question, by words and by what their lifetime leaves of them (S0)."""
        asking.check_filters(query.filters)
        with self._database.reader() as cx:
            return atom_search.search(cx, query, self._clock.now())

    def names(self) -> tuple[str, ...]:
        """The names that were given for people and topics, and those of aliases: words of their own."""
        with self._database.reader() as cx:
            return (*(alias.name for alias in aliases.everything(cx)), *naming.given_names(cx, _NAMES))

    def aliases(self) -> tuple[Alias, ...]:
        """Every decision about names."""
        with self._database.reader() as cx:
            return tuple(aliases.everything(cx))

    # Writing -------------------------------------------------------------------------------------------------

    def merge(self, ids: Sequence[int], into: int, actor: Actor) -> Changes:
        """*writer*: they are one. Errors: ``NotFound``, ``InvalidArgument``."""
        return self._change("entities_merged", actor, lambda cx: aliasing.merge(cx, ids, into))

    def rename(self, entity_id: int, name: str, actor: Actor) -> Changes:
        """*writer*: shown and found under ``name``. Errors: ``NotFound``, ``InvalidArgument``."""
        return self._change("entity_renamed", actor, lambda cx: aliasing.rename(cx, entity_id, name))

    def split(self, entity_id: int, spellings: Sequence[str], memory_ids: Sequence[int], actor: Actor) -> Changes:
        """*writer*: some spellings, or what some memories say, are another. Errors: as :meth:`merge`."""
        return self._change(
            "entity_split",
            actor,
            lambda cx: aliasing.split(cx, entity_id, canonicals=tuple(spellings), memory_ids=tuple(memory_ids)),
        )

    def set_alias(self, kind: EntityType, text: str, target: str, actor: Actor) -> Changes:
        """*writer*: ``text`` means ``target`` from now on, known or not yet. Errors: ``InvalidArgument``."""
        return self._change("alias_set", actor, lambda cx: aliasing.set_alias(cx, kind, text, target))

    def drop_alias(self, kind: EntityType, text: str, actor: Actor) -> Changes:
        """*writer*: ``text`` means itself again. Errors: ``InvalidArgument``."""
        return self._change("alias_dropped", actor, lambda cx: aliasing.drop_alias(cx, kind, text))

    def undo(self, entry: HistoryEntry, actor: Actor) -> Changes:
        """*writer*: take a decision about names back. Errors: ``Conflict``."""
        if entry.undone:
            raise Conflict(reason="already_undone", id=entry.id)
        if entry.before is None and entry.after is None:
            raise Conflict(reason="erased", id=entry.id)
        if "aliases" not in (entry.before or {}):  # a day's forgetting is no decision about names
            raise Conflict(reason="nothing_to_undo", id=entry.id)
        before, after = (_rows(side) for side in (entry.before, entry.after))

        def back(cx: Connection) -> aliasing.AliasChange:
            history.mark_undone(cx, entry.id)
            return aliasing.apply(cx, remove=after, put=before)

        return self._change("undone", actor, back, undoes=entry.id)

    def _change(
        self, action: str, actor: Actor, work: Callable[[Connection], aliasing.AliasChange], undoes: int | None = None
    ) -> Changes:
        with self._database.transaction() as cx:
            change = work(cx)
            before = {"aliases": [asdict(alias) for alias in change.before]}
            after = {"aliases": [asdict(alias) for alias in change.after]}
            row = history.record(cx, self._clock.now(), actor, action, NO_MEMORY, before, after, undoes=undoes)
        return self._announce(action, actor, (row,), change.touched.gone, change.memories)


def _rows(side: object) -> tuple[Alias, ...]:
    return tuple(Alias(**row) for row in side["aliases"]) if isinstance(side, dict) else ()
