"""A turn has a passage with the turn before it exactly while there is such a turn, whatever happens to either.

Any sequence of changes on a real service, against the rule said once more over the rows; what grew equals what is made
anew, no vector outlives the text it was made of, and nothing stays owed.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine import Service, Settings
from engine.clock import MovableClock
from engine.errors import Conflict
from engine.index import consistency
from engine.storage import vectors
from engine.text import terms
from engine.types import ALL_SCOPES, STATUSES, Actor, Draft, Filters, Memory

WAIT = 30.0
WINDOW = Actor("gui", "window")
EVERYTHING = Filters(scope=ALL_SCOPES, statuses=STATUSES)
# What each text is: tokens of a single turn (roughly), or 0 for none.
TEXTS = {
    "Anna: where did you leave the key": 10,
    "Ben: under the mat, where else": 10,
    "小林：你上周去了哪里": 10,
    "小王：去了杭州，看西湖": 10,
    "Anna: " + "the boat is green and old " * 25: 200,
    "小林：" + "这座桥很旧" * 40: 200,
    "a note that nobody spoke": 0,
    "Anna: hello there friend\nBen: and hello to you too\nAnna: see you tomorrow then": 0,
    "I like green tea with milk": 0,
    "I like green tea with milk very much": 0,
}


class Bags:
    identity, dimension, loaded = "test/bags", 32, True

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        made = np.full((len(texts), self.dimension), 0.05, dtype=np.float32)
        for row, text in enumerate(texts):
            for term in terms.bag(text):
                made[row, sum(term.encode()) % self.dimension] += 1.0
        return made / np.linalg.norm(made, axis=1, keepdims=True)

    def embed_query(self, text: str) -> np.ndarray:
        return self.embed_passages([text])[0]

    def unload(self) -> None: ...

    def close(self) -> None: ...


@contextmanager
def a_service() -> Iterator[Service]:
    directory = Path(tempfile.mkdtemp(prefix="hupo-"))
    chosen = Settings()
    chosen.set("memory.vector_wait_ms", 2_000)
    clock = MovableClock(datetime(2026, 5, 1, 12, tzinfo=UTC))
    service = Service.open(directory, chosen, embedder_factory=lambda _: Bags(), clock=clock)
    try:
        yield service
    finally:
        service.close()
        shutil.rmtree(directory)


def held(service: Service) -> dict[int, Memory]:
    return service.get_many(service.ids(EVERYTHING, "oldest").result(WAIT)).result(WAIT)


def expected(rows: dict[int, Memory]) -> dict[int, tuple[int, str]]:
    """By memory, (the turn before it, the text of both): the rule, said over plain rows."""
    found: dict[int, tuple[int, str]] = {}
    for one, memory in rows.items():
        place = (memory.conversation_id, memory.session_id)
        before = [
            (key, row.content)
            for key, row in sorted(rows.items())
            if memory.position is not None
            and memory.conversation_id is not None
            and (row.conversation_id, row.session_id) == place
            and row.position == memory.position - 1
            and row.status != "trashed"
        ]
        if before:
            sizes = [TEXTS.get(text, 0) for text in (before[0][1], memory.content)]
            if all(sizes) and sum(sizes) < 300:
                found[one] = (before[0][0], f"{before[0][1]}\n{memory.content}")
    return found


def contexts(service: Service) -> dict[int, tuple[int, str]]:
    with service._database.reader() as cx:
        rows = cx.execute("SELECT id, memory_id, previous_id FROM passages WHERE previous_id IS NOT NULL").fetchall()
        texts = vectors.texts(cx, [row[0] for row in rows])
    assert len({row[1] for row in rows}) == len(rows)
    return {memory_id: (before, texts[key]) for key, memory_id, before in rows}


def passage_texts(service: Service) -> dict[int, str]:
    with service._database.reader() as cx:
        return vectors.texts(cx, [row[0] for row in cx.execute("SELECT id FROM passages")])


def check(service: Service) -> None:
    """After everything owed is done: rows, vectors and index say the same."""
    service.idle().result(WAIT)
    rows = held(service)
    assert contexts(service) == expected(rows)
    status = service.status().result(WAIT)
    assert (status.journal_open, status.journal_failed) == (0, 0)
    assert status.vectors.stored == status.vectors.wanted
    space = service._engine.space
    assert space is not None
    with service._database.reader() as cx:
        assert consistency.check(cx, space.index, space.identity_id, space.facts).sound
        keys, matrix = vectors.load(cx, space.identity_id)
        texts = vectors.texts(cx, keys.tolist())
    for key, vector in zip(keys.tolist(), matrix, strict=True):
        made = Bags().embed_query(texts[key])
        np.testing.assert_allclose(vector.astype(np.float32), made, atol=1e-3)
        assert space.index.cosines(made, [key])[0] > 0.999


def apply(service: Service, step: tuple[Any, ...]) -> None:
    if step[0] == "tell":
        _, text, conversation, session = step
        service.memorize(Draft(text, conversation_id=conversation, session_id=session), WINDOW).result(WAIT)
        return
    ids = sorted(held(service))
    if not ids:
        return
    memory_id = ids[step[1] % len(ids)]
    if step[0] == "edit":
        service.edit(memory_id, step[2], WINDOW).result(WAIT)
    elif step[0] == "undo":
        try:
            service.undo_latest(memory_id, WINDOW).result(WAIT)
        except Conflict:
            return
    elif step[0] == "erase two":
        service.erase(list({memory_id, ids[(step[1] + 1) % len(ids)]}), WINDOW).result(WAIT)
    else:
        getattr(service, step[0])([memory_id], WINDOW).result(WAIT)


text = st.sampled_from(sorted(TEXTS))
steps = st.lists(
    st.one_of(
        st.tuples(st.just("tell"), text, st.sampled_from(["c", "d", None]), st.sampled_from([None, "s"])),
        st.tuples(st.just("tell"), text, st.just("c"), st.none()),
        st.tuples(
            st.just("edit"),
            st.integers(0, 9),
            st.fixed_dictionaries(
                {},
                optional={
                    "content": text,
                    "conversation_id": st.sampled_from(["c", "d", None]),
                    "status": st.sampled_from(["active", "archived", "trashed"]),
                },
            ),
        ),
        st.tuples(st.sampled_from(["trash", "restore", "erase", "erase two", "undo"]), st.integers(0, 9)),
    ),
    min_size=4,
    max_size=16,
)
ASKED, ANSWERED = "Anna: where did you leave the key", "Ben: under the mat, where else"
TOLD = [("tell", ASKED, "c", None), ("tell", ANSWERED, "c", None), ("tell", "小林：你上周去了哪里", "c", None)]


@settings(max_examples=25)
@given(steps)
@example([*TOLD, ("edit", 0, {"content": "小王：去了杭州，看西湖"}), ("undo", 0), ("undo", 0)])
@example([*TOLD, ("edit", 0, {"content": "小王：去了杭州，看西湖"})])
@example([*TOLD, ("trash", 1), ("restore", 1), ("erase", 0)])
@example([*TOLD, ("edit", 1, {"conversation_id": "d"}), ("tell", ANSWERED, "d", None), ("edit", 1, {"content": ASKED})])
@example([*TOLD, ("tell", ASKED, "d", None), ("edit", 3, {"conversation_id": "c"}), ("erase", 0), ("undo", 3)])
def test_a_turn_stands_in_context_while_there_is_a_turn_before_it(chosen: list[tuple[Any, ...]]) -> None:
    with a_service() as service:
        service.idle().result(WAIT)
        meant: dict[int, str] = {}
        for step in chosen:
            apply(service, step)
            for key, said in passage_texts(service).items():
                assert meant.setdefault(key, said) == said, "an id means one text for ever"
            assert contexts(service) == expected(held(service)), step
        check(service)
        grown = contexts(service)
        service.reindex().result(WAIT)
        check(service)
        assert contexts(service) == grown
