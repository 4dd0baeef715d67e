"""recall over a small real store: what a score is made of, what is held back and why, and the modes of fusion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import Settings
from engine.clock import MovableClock
from engine.engine import Engine
from engine.errors import EmbedderUnavailable, InvalidArgument
from engine.index.space import VectorSpace
from engine.index.vector import VectorIndex
from engine.ingest.memorize import Ready
from engine.storage import vectors
from engine.storage.database import Database
from engine.text import terms
from engine.types import Actor, Draft, Filters, Hit, Query, Recollection, Remembered

CLIENT = Actor("client", "tester")
START = datetime(2026, 5, 1, 12, tzinfo=UTC)


class Bags:
    """Texts that share terms are near."""

    identity, dimension, loaded = "test/bags", 256, True

    def __init__(self) -> None:
        self.away = False

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        if self.away:
            raise EmbedderUnavailable(reason="away", identity=self.identity, retry_after=None)
        made = np.full((len(texts), self.dimension), 0.02, dtype=np.float32)
        for row, text in enumerate(texts):
            for term in terms.bag(text):
                made[row, sum(at * byte for at, byte in enumerate(term.encode(), 1)) % self.dimension] += 1.0
        return made / np.linalg.norm(made, axis=1, keepdims=True)

    def embed_query(self, text: str) -> np.ndarray:
        return self.embed_passages([text])[0]

    def unload(self) -> None: ...

    def close(self) -> None: ...


class Store:
    """An engine with every vector made, and short ways to fill and ask it."""

    def __init__(self, directory: Path, clock: MovableClock) -> None:
        self.database = Database.open(directory)
        self.clock = clock
        self.engine = Engine(self.database, Settings(), clock)
        self.embedder = Bags()
        with self.database.transaction() as cx:
            identity_id = vectors.identity_id(cx, self.embedder.identity, self.embedder.dimension)
        index = VectorIndex(directory / "index", self.embedder.identity, self.embedder.dimension)
        facts = VectorIndex(directory / "facts", self.embedder.identity, self.embedder.dimension)
        self.space = VectorSpace(self.embedder, identity_id, index, facts)
        self.space.ready = self.space.complete = True
        self.engine.take_space(self.space)

    def add(self, content: str, **more: Any) -> int:
        prepared = self.engine.prepare(Draft(content, **more), CLIENT)
        made = list(self.embedder.embed_passages([part.text for part in prepared.passages]))
        near = self.engine.look(prepared, made, self.space)
        (done,) = self.engine.remember_all([Ready(prepared, made, self.space, near, CLIENT)])
        assert isinstance(done, Remembered)
        return done.memory.id

    def ask(self, text: str, overrides: Mapping[str, Any] | None = None, **more: Any) -> Recollection:
        return self.engine.recall(Query(text, explain=True, overrides=overrides or {}, **more))


@pytest.fixture
def store(data_dir: Path) -> Iterator[Store]:
    made = Store(data_dir, MovableClock(START))
    yield made
    made.database.close()


def ids(answer: Recollection) -> list[int]:
    return [hit.memory.id for hit in answer.hits]


def total(hit: Hit) -> float:
    assert hit.explanation is not None
    return sum(one.share for one in hit.explanation.channels) + sum(one.value for one in hit.explanation.factors)


SENTENCES = (
    "the ferry to the island leaves at nine",
    "the ferry to the island leaves at ten",
    "the island has one bakery",
    "岛上只有一家面包店",
    "nine people live in the lighthouse",
    "the bread of the bakery is sold out at ten",
)


@pytest.mark.parametrize("mode", ["convex", "rrf", "lexical", "vector"])
@pytest.mark.parametrize("weight", [0.3, 1.0])
def test_the_parts_of_an_explanation_add_up_to_the_score(store: Store, mode: str, weight: float) -> None:
    for at, sentence in enumerate(SENTENCES):
        store.add(sentence, importance=at / 6)
        store.clock.advance(timedelta(days=3))
    answer = store.ask("when does the ferry to the island leave", {"recall.fusion": mode, "recall.mmr_lambda": weight})
    assert len(answer.hits) >= 3
    scores = [hit.score for hit in answer.hits]
    assert scores == sorted(scores, reverse=True)
    for hit in answer.hits:
        assert total(hit) == pytest.approx(hit.score, abs=1e-12)
        assert hit.score <= 1.0 + 1e-9
    assert answer.hits[0].memory.content.startswith("the ferry")


def test_a_mode_answers_by_its_channel_alone(store: Store) -> None:
    ferry = store.add("the ferry leaves at nine")
    other = store.add("a completely different subject")
    words = store.ask("ferry", {"recall.fusion": "lexical"})
    assert ids(words) == [ferry], "what shares no word is no answer by words"
    meaning = store.ask("ferry", {"recall.fusion": "vector"})
    assert ids(meaning) == [ferry, other]
    for hit in meaning.hits:
        assert all(one.share == 0.0 for one in hit.explanation.channels if one.name == "lexical")  # type: ignore[union-attr]


def test_words_alone_need_no_embedder_and_meaning_without_one_falls_back_on_words(store: Store) -> None:
    ferry = store.add("the ferry leaves at nine")
    store.embedder.away = True
    words = store.ask("ferry", {"recall.fusion": "lexical"})
    assert (ids(words), words.degraded) == ([ferry], ())
    for mode in ("convex", "rrf", "vector"):
        answer = store.ask("ferry", {"recall.fusion": mode})
        assert (ids(answer), answer.degraded) == ([ferry], ("embedder_unavailable",))
        assert answer.hits[0].explanation.channels[0].share > 0.5  # type: ignore[union-attr]


def test_an_index_that_is_not_whole_is_said(store: Store) -> None:
    store.add("the ferry leaves at nine")
    for ready, complete in ((False, True), (True, False)):
        store.space.ready, store.space.complete = ready, complete
        assert store.ask("ferry").degraded == ("vectors_incomplete",)
    store.space.ready = store.space.complete = True
    assert store.ask("ferry").degraded == ()


def test_weights_count_by_their_sum_and_each_moves_the_order(store: Store) -> None:
    exact = store.add("the harbour master is called Ole", importance=0.0)
    store.clock.advance(timedelta(days=200))
    important = store.add("the harbour has a crane", importance=1.0)
    fresh = store.add("the harbour smells", importance=0.0)
    question = "harbour master Ole"

    def first(relevance: float, importance: float, recency: float) -> Hit:
        values = {"relevance": relevance, "importance": importance, "recency": recency}
        return store.ask(question, {f"recall.weight_{name}": value for name, value in values.items()}).hits[0]

    assert first(1, 0, 0).memory.id == exact
    assert first(0, 1, 0).memory.id == important
    assert first(0.01, 0, 1).memory.id in (fresh, important)
    assert first(0.94, 0.03, 0.03).memory.id == exact, "an old exact answer is not buried"
    assert first(0.5, 0.1, 0.2).score == pytest.approx(first(0.25, 0.05, 0.1).score)
    assert first(0, 0, 0).score == 0.0


def test_recency_counts_from_the_last_use_and_a_clock_that_went_back_does_no_harm(store: Store) -> None:
    used, _ = store.add("the well in the yard"), store.add("the well behind the house")
    store.clock.advance(timedelta(days=90))
    store.engine.reinforce([used])
    recency = {
        hit.memory.id: next(one.value for one in hit.explanation.factors if one.name == "recency")  # type: ignore[union-attr]
        for hit in store.ask("well", {"recall.weight_recency": 1.0}).hits
    }
    assert max(recency, key=recency.__getitem__) == used
    store.clock.move_to(START - timedelta(days=4000))
    assert all(0.0 <= hit.score <= 1.0 for hit in store.ask("well yard").hits)


def test_near_misses_tell_why(store: Store) -> None:
    best = store.add("the red bicycle stands in the cellar")
    twin = store.add("the red bicycle stands in the cellar.. ", conversation_id=None, persona_id="p")
    secret = store.add("the red bicycle has the code 4711", sensitivity="high")
    far = [store.add(f"number {at} about gardens and roses") for at in range(30)]
    answer = store.ask("red bicycle cellar", {"recall.mmr_lambda": 0.1}, k=3, near_misses=40)
    reasons = {miss.memory_id: miss.reason for miss in answer.near_misses}
    assert ids(answer)[0] in (best, twin)
    assert secret not in reasons and answer.hidden == 1
    assert reasons[twin if ids(answer)[0] == best else best] == "diversity"
    assert {reasons[one] for one in far if one in reasons} <= {"rank", "diversity"}
    titles = {miss.memory_id: miss.title for miss in answer.near_misses}
    assert all(titles.values())
    assert not set(ids(answer)) & set(reasons)
    assert len(store.ask("red bicycle", k=2, near_misses=3).near_misses) == 3
    assert store.ask("red bicycle", k=2).near_misses == ()


def test_what_the_budget_held_back_is_a_near_miss_too(store: Store) -> None:
    for at in range(6):
        store.add(f"chapter {at} of the ledger: " + "goods and prices " * 60)
    answer = store.ask("ledger chapter", {"recall.mmr_lambda": 1.0}, k=6, budget=20, near_misses=6)
    assert answer.tokens <= 20 and answer.omitted == 6 - len(answer.hits) > 0
    assert [miss.reason for miss in answer.near_misses] == ["budget"] * answer.omitted


def test_matched_terms_are_those_of_all_that_is_searched(store: Store) -> None:
    store.add("it opens at nine", title="Bakery", tags=("island",))
    hit = store.ask("bakery on the island nine").hits[0]
    assert set(hit.explanation.matched_terms) >= {"bakery", "island", "nine"}  # type: ignore[union-attr]


def test_a_filter_costs_no_hit(store: Store) -> None:
    for at in range(40):
        store.add(f"ferry timetable number {at}", layer="event")
    fact = store.add("ferry timetable on the wall", layer="fact")
    answer = store.ask("ferry timetable", {"recall.candidates": 20}, filters=Filters(layers=("fact",)))
    assert ids(answer) == [fact]


@pytest.mark.parametrize("more", [{"k": 0}, {"k": 51}, {"budget": 0}])
def test_bounds(store: Store, more: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        store.ask("x", **more)
