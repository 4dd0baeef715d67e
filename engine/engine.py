"""The engine's façade: synchronous verbs over one open store. Knows no threads; ``service.py`` lends them.

Verbs marked *writer* must run on the one writer thread, all others may run anywhere. Every write returns
``Changes``; derived things that live in memory (the vector index, the recall cache's epoch) follow the commit.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine import health, undoing
from engine.access import Done
from engine.clock import Clock, SystemClock
from engine.config import Settings, parameters
from engine.errors import Paused
from engine.forgetting import decay
from engine.forgetting.reinforcement import reinforce
from engine.graph import NO_MEMORY, Graph
from engine.index.space import VectorSpace
from engine.ingest import atoms, derive, duplicates, fields, screening
from engine.ingest import draft as drafting
from engine.ingest import edit as editing
from engine.ingest import memorize as memorizing
from engine.ingest.context import Context
from engine.ingest.memorize import Ready
from engine.ingest.readings import Readings
from engine.retrieval import query as asking
from engine.retrieval.cache import RecallCache
from engine.retrieval.recall import recall
from engine.storage import history, memories, settings
from engine.storage.database import Connection, Database
from engine.text import vocabulary
from engine.text.segmentation import Segmenter
from engine.text.vocabulary import Vocabulary
from engine.types import (
    Actor,
    Changes,
    Draft,
    Edited,
    Filters,
    HistoryEntry,
    Listing,
    Memory,
    Page,
    Query,
    Recollection,
    Remembered,
    Sort,
    StoreStatus,
)

log = logging.getLogger("hupo.engine")

T = TypeVar("T")
Vectors = NDArray[np.float32]
_SHRED = "erase.shred"


class Engine:
    """One open store. ``space`` is swapped as a whole by the background; None = words only for now.

    ``embeds``: whether vectors are wanted at all; ``lexical_ready``: False while the words are indexed anew.
    """

    def __init__(self, database: Database, settings: Settings, clock: Clock | None = None) -> None:
        self.database = database
        self.settings = settings
        self.clock: Clock = clock or SystemClock()
        self.segmenter = Segmenter(database.path.parent)
        self.readings = Readings(self.segmenter)
        self.vocabulary = Vocabulary(self.segmenter)
        self.space: VectorSpace | None = None
        self.embeds = True
        self.lexical_ready = True
        self.epoch = 0
        self._cache = RecallCache()
        self.graph = Graph(database, self.clock, self._named)

    # Writing -------------------------------------------------------------------------------------------------

    def prepare(self, draft: Draft, actor: Actor) -> drafting.Prepared:
        """Check and complete a draft. Errors: ``InvalidArgument``, ``Paused``."""
        self.refuse_paused(actor)
        return drafting.prepare(draft, self.settings.current, self.clock)

    def refuse_paused(self, actor: Actor) -> None:
        """While remembering is paused, clients can not write; people at the windows still can."""
        if actor.kind == "client" and self.settings["memory.paused"]:
            raise Paused()

    def learn_words(self) -> None:
        """Teach segmentation the user's words and the names that memories know; on start, off the main way."""
        self.vocabulary.learn_file(self.database.path.with_name(vocabulary.FILE_NAME))
        self.vocabulary.learn(vocabulary.listed(str(self.settings["memory.words"])))
        self.vocabulary.learn(self.graph.names())

    def look(
        self, prepared: drafting.Prepared, made: Sequence[Vectors] | None, space: VectorSpace | None
    ) -> duplicates.Near:
        """What a draft repeats or replaces; before the write, so that looking holds nobody up."""
        derive.read_ahead(prepared, self.readings)
        with self.database.reader() as cx:
            return self._judge(prepared, made, space).look(cx)

    def _judge(
        self, prepared: drafting.Prepared, made: Sequence[Vectors] | None, space: VectorSpace | None
    ) -> duplicates.Judge:
        return duplicates.Judge(prepared, made, space, self.settings.current, self.readings)

    def remember_all(self, batch: Sequence[Ready]) -> list[Remembered | Exception]:
        """*writer*: store drafts in one transaction, and where that fails each in its own; a result or error each."""
        if len(batch) > 1:
            try:
                return list(self._remember(batch))
            except Exception:
                log.info("a batch of writes failed; each is tried alone")
        done: list[Remembered | Exception] = []
        for one in batch:
            try:
                done += self._remember([one])
            except Exception as error:
                done.append(error)
        return done

    def _remember(self, batch: Sequence[Ready]) -> list[Remembered]:
        here = [one if one.space is self.space else replace(one, made=None, space=self.space) for one in batch]
        for one in here:
            self.refuse_paused(one.actor)  # may have come while the vectors were made
        with self.database.transaction() as cx:
            stored = [self._store(cx, one) for one in here]
        return [self._remembered(one, what) for one, what in zip(here, stored, strict=True)]

    def _store(self, cx: Connection, ready: Ready) -> memorizing.Stored:
        context = self.context(ready.actor)
        stored = memorizing.take(cx, ready, self._judge(ready.prepared, ready.made, ready.space), context)
        if ready.also is not None:
            ready.also(cx, context, stored.memory.id)
        return stored

    def _remembered(self, ready: Ready, stored: memorizing.Stored) -> Remembered:
        """After the commit: what lives in memory follows."""
        values = ready.prepared.values
        self.vocabulary.learn((*values["participants"], *values["topics"]))
        self.index_gone(stored.gone_passages, stored.gone_entries)
        if ready.made is not None and ready.space is not None and stored.new_passages:
            ready.space.index.add(np.array(stored.new_passages, dtype=np.int64), np.stack(list(ready.made)))
        created = stored.outcome in ("stored", "superseded")
        changes = self._changed(
            "memorized" if created else "woken" if stored.woken else stored.outcome,
            ready.actor,
            created=(stored.memory.id,) if created else (),
            updated=stored.replaced if created else (stored.memory.id,),
            history_ids=stored.history_ids,
        )
        return Remembered(
            stored.outcome, stored.memory, changes, stored.vector_pending, stored.replaced, ready.prepared.secrets
        )

    def edit(self, memory_id: int, values: Mapping[str, Any], actor: Actor) -> Edited:
        """*writer*: set some fields. Errors: ``InvalidArgument``, ``NotFound``, ``Protected``, ``Paused``."""
        self.refuse_paused(actor)
        clean = fields.check(values, self.settings.current)
        with self.database.transaction() as cx:
            screened = screening.screen_edit(memories.require(cx, memory_id), clean, actor, self.settings.current)
            edited = editing.apply(cx, memory_id, screened.values, self.context(actor))
        return Edited(edited.memory, edited.fields, self._edited("edited", actor, [edited]), screened.kinds)

    def trash(self, ids: Sequence[int], actor: Actor) -> Changes:
        """*writer*: all of ``ids`` into the trash, or none when one of them does not exist."""
        self.refuse_paused(actor)
        context = self.context(actor)
        with self.database.transaction() as cx:
            done = [editing.apply(cx, one, {"status": "trashed"}, context, action="trashed") for one in ids]
        return self._edited("trashed", actor, done)

    def restore(self, ids: Sequence[int], actor: Actor) -> Changes:
        """*writer*: out of the trash, to the status each had before. Errors: as :meth:`edit`."""
        self.refuse_paused(actor)
        context = self.context(actor)
        with self.database.transaction() as cx:
            done = [editing.restore(cx, one, context) for one in ids]
        return self._edited("restored", actor, done)

    def erase(self, ids: Sequence[int], actor: Actor) -> Changes:
        """*writer*: remove for good. The bytes go with :meth:`shred`, which is owed from here on."""
        self.refuse_paused(actor)
        with self.database.transaction() as cx:
            gone = editing.erase(cx, ids, self.context(actor))
            settings.put(cx, _SHRED, "owed")
        self.index_gone(gone.passages, gone.entries)
        self.readings.forget()
        return self._changed(
            "erased",
            actor,
            updated=tuple(memory_id for memory_id, _ in gone.also),
            removed=tuple(dict.fromkeys(ids)),
            history_ids=tuple(history_id for _, history_id in gone.also),
        )

    def shred(self) -> None:
        """*writer*: if an erase owes it, make sure that no file of the store holds erased text. Errors: storage."""
        if not self.owes_shred():
            return
        self.database.shred()
        with self.database.transaction() as cx:
            settings.put(cx, _SHRED, "")

    def owes_shred(self) -> bool:
        """Whether something was erased whose bytes may still be in the files: a full disk or a crash came between."""
        with self.database.reader() as cx:
            return bool(settings.get(cx, _SHRED))

    def undo(self, history_id: int, actor: Actor) -> Changes:
        """*writer*: take one change back. Errors: ``NotFound``, ``Conflict``, ``Protected``."""
        self.refuse_paused(actor)
        with self.database.reader() as cx:
            entry = history.get(cx, history_id)
        if entry is not None and entry.memory_id == NO_MEMORY:
            take_back = undoing.of(entry)
            if take_back is None:
                return self.graph.undo(entry, actor)
            return self.write(actor, lambda cx, context: take_back(cx, entry, context))[1]
        with self.database.transaction() as cx:
            edited = editing.undo(cx, history_id, self.context(actor))
        return self._edited("undone", actor, [edited])

    def undo_latest(self, memory_id: int, actor: Actor) -> Changes:
        """*writer*: take the last change of one memory back."""
        with self.database.reader() as cx:
            memories.require(cx, memory_id)
            history_id = editing.latest_change(cx, memory_id)
        return self.undo(history_id, actor)

    def reinforce(self, ids: Sequence[int]) -> Changes:
        """*writer*: count a recall of each memory. Not worth an fsync: losing the last ones costs nothing."""
        with self.database.transaction(durable=False) as cx:
            woken = reinforce(cx, ids, self.clock.now(), recalled=True)
            atoms.recalled(cx, ids, self.clock.now())
        if woken:
            self.refresh()  # they pass other filters now
        # Else answers stay valid: recency moves by less than what the cache's time allows.
        return Changes("woken" if woken else "recalled", Actor("rule", "recall"), updated=tuple(ids), epoch=self.epoch)

    def forget(self) -> Changes:
        """*writer*: what the days since the last run took away (S0, S1); nothing where no day has passed."""
        with self.database.transaction() as cx:
            run = decay.run(cx, self.clock.now(), self.clock.zone(), self.settings.current)
        if run.history_id is None:
            return Changes(decay.ACTION, decay.BY_TIME, epoch=self.epoch)
        return self._changed(decay.ACTION, decay.BY_TIME, updated=run.fallen, history_ids=(run.history_id,))

    def write(self, actor: Actor, work: Callable[[Connection, Context], Done[T]]) -> tuple[T, Changes]:
        """*writer*: an area's write in one transaction. Errors: ``Paused`` and those of ``work``."""
        self.refuse_paused(actor)
        with self.database.transaction() as cx:
            done = work(cx, self.context(actor))
        self.index_gone(done.gone_passages, done.gone_entries)
        touched = {name: getattr(done, name) for name in ("created", "updated", "removed", "history_ids")}
        return done.result, self._changed(done.action, actor, **touched)

    def take_space(self, space: VectorSpace | None) -> None:
        """*writer*: put a vector space in force, or none."""
        self.space = space
        self.refresh()

    def refresh(self) -> None:
        """*writer*: answers from before are stale although no memory has changed (vectors or words were made)."""
        self.epoch += 1

    def context(self, actor: Actor) -> Context:
        """What a write by ``actor`` needs beside its data."""
        # While the model is still being fetched there is no space, but vectors will follow.
        space_id = self.space.identity_id if self.space else (0 if self.embeds else None)
        return Context(actor, self.clock.now(), self.clock.zone(), self.readings, space_id)

    def index_gone(self, gone_passages: Sequence[int], gone_entries: Sequence[int]) -> None:
        """After a commit: what is gone from the rows leaves the vector indexes."""
        if self.space is None:
            return
        if gone_passages:
            self.space.index.remove(np.array(gone_passages, dtype=np.int64))
        if gone_entries:
            self.space.facts.remove(np.array(gone_entries, dtype=np.int64))

    def _named(
        self, action: str, actor: Actor, history_ids: tuple[int, ...], gone: Sequence[int], touched: tuple[int, ...]
    ) -> Changes:
        """After a decision about names: what the graph lost leaves the index."""
        self.index_gone((), gone)
        return self._changed(action, actor, updated=touched, history_ids=history_ids)

    def _edited(self, action: str, actor: Actor, done: Sequence[editing.Edited]) -> Changes:
        self.index_gone(
            [passage for one in done for passage in one.gone_passages],
            [entry for one in done for entry in one.gone_entries],
        )
        real = [(one.memory.id, one.history_id) for one in done if one.history_id is not None]
        also = [pair for one in done for pair in one.also]
        created = tuple(one.created for one in done if one.created is not None)
        return self._changed(
            action,
            actor,
            created=created,
            updated=tuple(dict.fromkeys(memory_id for memory_id, _ in (*real, *also) if memory_id not in created)),
            history_ids=tuple(history_id for _, history_id in (*real, *also)),
        )

    def _changed(self, action: str, actor: Actor, **touched: tuple[int, ...]) -> Changes:
        self.epoch += 1
        return Changes(action, actor, epoch=self.epoch, **touched)

    # Reading -------------------------------------------------------------------------------------------------

    def recall(self, query: Query, executor: Executor | None = None) -> Recollection:
        """Answer a question; equal ones are answered from the cache while nothing has changed."""
        values = self.settings.current
        if query.overrides:
            overrides = {key: parameters.check(key, value) for key, value in query.overrides.items()}
            values = {**values, **overrides}
        now, zone = self.clock.now(), self.clock.zone()
        question = asking.parse(query, now, zone)
        epoch, space = self.epoch, self.space
        seconds = float(values["recall.cache_seconds"])
        in_force = tuple(value for name, value in values.items() if name.startswith(("recall.", "privacy.")))
        key = (question, query.k, query.filters, query.include_sensitive, query.explain, query.budget,
               query.near_misses, in_force)  # fmt: skip
        known = self._cache.get(key, epoch, seconds)
        if known is not None:
            return replace(known, cached=True, milliseconds=0.0)
        with self.database.reader() as cx:
            answer = recall(cx, query, question, values, space, now, executor)
        lacking: tuple[str, ...] = () if self.lexical_ready else ("lexical_rebuilding",)
        if space is None and self.embeds:
            lacking += ("embedder_unavailable",)
        if lacking or answer.degraded:
            return replace(answer, degraded=tuple(dict.fromkeys((*answer.degraded, *lacking))))
        self._cache.put(key, epoch, seconds, answer)
        return answer

    def get(self, memory_id: int) -> Memory:
        """One memory. Errors: ``NotFound``."""
        with self.database.reader() as cx:
            return memories.require(cx, memory_id)

    def get_many(self, ids: Sequence[int]) -> dict[int, Memory]:
        """Memories by id; unknown ids are left out."""
        with self.database.reader() as cx:
            return memories.get_many(cx, ids)

    def replaced_by(self, memory_id: int) -> tuple[Memory, ...]:
        """What a memory replaced, the oldest first, whatever became of it."""
        with self.database.reader() as cx:
            return tuple(memories.get_many(cx, memories.replaced_by(cx, memory_id)).values())

    def list(self, listing: Listing) -> Page:
        """One page of memories. Errors: ``InvalidArgument`` for a bad cursor, limit, sort or filter."""
        asking.check_listing(listing)
        with self.database.reader() as cx:
            return memories.page(cx, listing)

    def ids(self, filters: Filters, sort: Sort) -> Sequence[int]:
        """All ids that pass, in order: what a windowed view needs. Errors: ``InvalidArgument``."""
        asking.check_sort(sort)
        asking.check_filters(filters)
        with self.database.reader() as cx:
            return memories.list_ids(cx, filters, sort)

    def count(self, filters: Filters) -> int:
        """How many memories pass. Errors: ``InvalidArgument``."""
        asking.check_filters(filters)
        with self.database.reader() as cx:
            return memories.count(cx, filters)

    def facets(self) -> dict[str, dict[str, int]]:
        """Values in use with counts, for filter menus."""
        with self.database.reader() as cx:
            return memories.facets(cx)

    def history(self, memory_id: int, limit: int) -> tuple[HistoryEntry, ...]:
        """The changes of one memory, newest first."""
        with self.database.reader() as cx:
            return tuple(history.of(cx, memory_id, limit))

    def status(self, data: Path) -> StoreStatus:
        """Counts and health."""
        with self.database.reader() as cx:
            return health.status(
                cx, data, self.space, embeds=self.embeds, lexical_ready=self.lexical_ready,
                database_bytes=self.database.size(), paused=bool(self.settings["memory.paused"]),
            )  # fmt: skip
