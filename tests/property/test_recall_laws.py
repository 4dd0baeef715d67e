"""A filter costs no recall: whatever may be seen, recall answers as if everything else were not there.

The reference compares every memory in Python, without an index; the product has to name the same memories in the same
order with the same scores, on its exact ways and, with small limits, on those that look further until enough pass.
"""

from __future__ import annotations

import itertools
import math
import random
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine import Settings, policy
from engine.index import lexical
from engine.index.space import VectorSpace
from engine.index.vector import VectorIndex
from engine.retrieval import document, query
from engine.retrieval.recall import recall
from engine.storage import columns, memories, passages, vectors
from engine.storage.database import Database
from engine.storage.selection import tag_key
from engine.text import terms
from engine.types import ALL_SCOPES, LAYERS, SENSITIVITIES, STATUSES, Filters, Memory, Query

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
DIMENSION, SIZE, LIMIT = 12, 320, 20
WORDS = ("kappa", "lotus", "mango", "nebula", "orchid", "琥珀", "松树", "湖水", "lime", "quartz", "茶", "x9")
FEW = ("zebra", "竹")
CONVERSATIONS = (None, None, "c1", "c2", "c3")
PERSONAS = (None, None, "p1", "p2")
CATEGORIES, CLIENTS, TAGS = ("", "work", "生活"), ("editor", "chat", ""), ("Tea", "茶", "trip")
VALUES = {
    **Settings().current, "recall.candidates": LIMIT, "recall.mmr_lambda": 1.0, "recall.weight_relevance": 0.6,
    "recall.weight_importance": 0.25, "recall.weight_recency": 0.15, "recall.boost_name": 0.0,
    "recall.boost_phrase": 0.0, "privacy.hide_sensitive": True,
}  # fmt: skip


class Seeded:
    """A text's vector depends on the text alone, and no two texts share one."""

    identity, dimension, loaded = "test/seeded", DIMENSION, True

    def embed_query(self, text: str) -> np.ndarray:
        return unit(np.random.default_rng(list(text.encode())))

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        return np.stack([self.embed_query(text) for text in texts])

    def unload(self) -> None: ...

    def close(self) -> None: ...


def unit(rng: np.random.Generator) -> np.ndarray:
    vector = rng.normal(size=DIMENSION).astype(np.float32)
    return vector / np.linalg.norm(vector)


class Store:
    """No dataclass: hypothesis would print all of it. ``counts``: terms by memory; ``vectors``: those there are;
    ``contexts``: the memory before a turn, and the vector of both together.
    """

    def __init__(self, directory: Path) -> None:
        self.database = Database.open(directory)
        with self.database.transaction() as cx:
            identity = vectors.identity_id(cx, Seeded.identity, DIMENSION)
        index, facts = (VectorIndex(directory / name, Seeded.identity, DIMENSION) for name in ("index", "facts"))
        self.space = VectorSpace(Seeded(), identity, index, facts)
        self.space.ready = self.space.complete = True
        self.memories: dict[int, Memory] = {}
        self.counts: dict[int, dict[str, int]] = {}
        self.vectors: dict[int, list[np.ndarray]] = {}
        self.contexts: dict[int, tuple[int, np.ndarray]] = {}


def a_row(rng: random.Random, number: int, content: str) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(columns.MEMORY, "")
    row |= dict.fromkeys(("tags", "topics", "participants", "key_facts", "external_ids", "related"), ())
    row |= dict.fromkeys(("event_time", "valid_from", "valid_to", "surprise", "superseded_by", "position"), None)
    row |= dict.fromkeys(("pinned", "protected", "resolved"), False) | {"content_key": "", "script": "", "extra": {}}
    row |= dict.fromkeys(("emotion_intensity", "valence"), 0.0) | {"session_id": None}
    told = NOW - timedelta(hours=rng.randrange(24 * 200))
    row |= {
        "uid": f"{number:026d}", "content": content, "layer": rng.choice(LAYERS), "created_at": told,
        "updated_at": told, "importance": rng.random(), "category": rng.choice(CATEGORIES),
        "source_client": rng.choice(CLIENTS), "conversation_id": rng.choice(CONVERSATIONS),
        "persona_id": rng.choice(PERSONAS), "tags": tuple(tag for tag in TAGS if rng.random() < 0.4),
        "sensitivity": rng.choices(SENSITIVITIES, (5, 2, 3))[0], "pinned": rng.random() < 0.1,
        "status": rng.choices(STATUSES, (10, 1, 2, 2, 1, 1, 2))[0],
    }  # fmt: skip
    if rng.random() < 0.3:
        row["event_time"] = told - timedelta(hours=rng.randrange(24 * 30))
    if row["conversation_id"]:
        row |= {"session_id": "s", "position": number}
    return row


def filled(directory: Path, seed: int) -> Store:
    """``SIZE`` memories; some long ones have so many passages near each other that they crowd a short list."""
    rng, numbers, store = random.Random(seed), np.random.default_rng(seed), Store(directory)
    with store.database.transaction(durable=False) as cx:
        for number in range(SIZE):
            said = [rng.choice(WORDS) for _ in range(rng.randint(3, 12))] + [word for word in FEW if rng.random() < 0.1]
            content = " ".join([*said, f"n{number}"])
            memory_id = memories.insert(cx, a_row(rng, number, content))
            lexical.put(cx, memory_id, terms.fts_row(content))
            found = terms.index_terms(content)
            store.counts[memory_id] = {term: found.count(term) for term in found}
            many, middle = rng.choice((1, 1, 2, 4, 30)), unit(numbers)
            keys = passages.put(cx, memory_id, [(0, len(content))] * many)
            told = [unit(numbers) if many < 30 else middle + 0.2 * unit(numbers) for _ in keys]
            there = [rng.random() < 0.9 and bool(number % 11) for _ in keys]
            kept = [(key, one / np.linalg.norm(one)) for key, one, has in zip(keys, told, there, strict=True) if has]
            vectors.put(cx, store.space.identity_id, kept)
            store.space.index.add([key for key, _ in kept], np.array([one for _, one in kept]).reshape(-1, DIMENSION))
            store.vectors[memory_id] = as_kept(store.space.index, [key for key, _ in kept])
        store.memories = memories.get_many(cx, store.counts)
        for one, memory in store.memories.items():
            before = store.memories.get(one - 1)
            if before and memory.conversation_id and before.conversation_id == memory.conversation_id:
                key, vector = passages.put_context(cx, one, before.id), unit(numbers)
                vectors.put(cx, store.space.identity_id, [(key, vector)])
                store.space.index.add([key], vector[None])
                store.contexts[one] = before.id, as_kept(store.space.index, [key])[0]
    return store


def as_kept(index: VectorIndex, keys: list[int]) -> list[np.ndarray]:
    """The vectors as the index rounded them."""
    return list(np.stack([index.cosines(axis, keys) for axis in np.eye(DIMENSION, dtype=np.float32)], axis=1))


@pytest.fixture(scope="module")
def stores() -> Iterator[tuple[Store, ...]]:
    directories = [Path(tempfile.mkdtemp(prefix="hupo-")) for _ in range(2)]
    made = tuple(filled(directory, seed) for seed, directory in enumerate(directories))
    yield made
    for store, directory in zip(made, directories, strict=True):
        store.database.close()
        shutil.rmtree(directory)


# The reference ---------------------------------------------------------------------------------------------------


def passes(memory: Memory, filters: Filters, hidden: tuple[str, ...]) -> bool:
    keys = {tag_key(tag) for tag in memory.tags}
    return (
        (filters.scope == ALL_SCOPES or memory.conversation_id in (None, filters.scope))
        and (filters.persona_id is None or memory.persona_id in (None, filters.persona_id))
        and (not filters.layers or memory.layer in filters.layers)
        and (not filters.categories or memory.category in filters.categories)
        and all(tag_key(tag) in keys for tag in filters.tags)
        and (not filters.statuses or memory.status in filters.statuses)
        and (not filters.sensitivities or memory.sensitivity in filters.sensitivities)
        and (not filters.clients or memory.source_client in filters.clients)
        and (filters.since is None or memory.occurred_at >= filters.since)
        and (filters.until is None or memory.occurred_at < filters.until)
        and (filters.pinned is None or memory.pinned == filters.pinned)
        and memory.sensitivity not in hidden
    )


def bm25(store: Store, asked: tuple[str, ...], seen: list[int], *, own: bool) -> dict[int, float]:
    """Robertson & Zaragoza over all that match; ``own``: with the statistics of what may be seen alone."""
    among = seen if own else list(store.counts)
    matching = [one for one in among if any(term in store.counts[one] for term in asked)]
    having = {term: sum(term in store.counts[one] for one in among) for term in asked}
    idf = {term: math.log((len(among) - n + 0.5) / (n + 0.5)) for term, n in having.items()}
    lengths = {one: sum(store.counts[one].values()) for one in among}
    # Its mean length is that of those that match; FTS5's that of all.
    measured = matching if own else among
    mean = sum(lengths[one] for one in measured) / max(len(measured), 1)
    found = {}
    for one in set(matching) & set(seen):
        found[one] = sum(
            max(idf[term], 1e-6) * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * lengths[one] / mean))
            for term in asked
            if (count := store.counts[one].get(term, 0))
        )
    return found


def best(found: dict[int, float]) -> list[int]:
    return sorted(found, key=lambda one: (-found[one], one))[:LIMIT]


def beside(store: Store, words: dict[int, float], seen: set[int]) -> dict[int, float]:
    """What is said beside a hit has a share of its score."""
    shared = dict(words)
    for one, two in itertools.product(words, seen):
        a, b = store.memories[one], store.memories[two]
        together = a.conversation_id is not None and a.conversation_id == b.conversation_id
        if together and abs(a.position - b.position) == 1 and b.status != "trashed":  # type: ignore[operator]
            shared[two] = shared.get(two, 0.0) + document.BESIDE * words[one]
    return shared


def expected(store: Store, asked: Query, own: bool) -> list[tuple[int, float]]:
    """All candidates with their scores, the best first."""
    hidden = policy.hidden(VALUES, asked.include_sensitive)
    seen = [one for one, memory in store.memories.items() if passes(memory, asked.filters, hidden)]
    question = terms.query_terms(asked.text)
    found = bm25(store, tuple(question), seen, own=own)
    words = beside(store, {one: found[one] for one in best(found)}, set(seen))
    vector = store.space.embedder.embed_query(asked.text)
    own_cosines = {one: sorted((float(v @ vector) for v in store.vectors[one]), reverse=True) for one in seen}
    # A turn is understood with the one before it only where that may be seen as well.
    heard = {one: pair for one in seen if (pair := store.contexts.get(one)) and pair[0] in seen}
    context = {one: float(both @ vector) for one, (_, both) in heard.items()}
    cosines = {
        one: sorted([*own_cosines[one], *([context[one]] if one in context else [])], reverse=True) for one in seen
    }
    cosines = {one: found for one, found in cosines.items() if found}
    near = best({one: found[0] for one, found in cosines.items()})
    # usearch adds up in float16: whom it puts at the end of a list is open where two are so near each other.
    border = sorted((found[0] for found in cosines.values()), reverse=True)[LIMIT - 1 : LIMIT + 1]
    assume(len(border) < 2 or border[0] - border[1] > 1e-3)
    floor = min((found[-1] for found in cosines.values()), default=0.0)
    candidates = set(words) | set(near)
    pooled = {one: pool(own_cosines[one]) for one in candidates if own_cosines[one]}
    pooled = {one: (own + context[one]) / 2 if one in context else own for one, own in pooled.items()}
    share = 0.0 if not words else 1.0 if not pooled else VALUES["recall.lexical_share"]
    most, nearest = max(words.values(), default=0.0), max(pooled.values(), default=floor)
    scores = {}
    for one in candidates:
        memory = store.memories[one]
        told = words.get(one, 0.0) / most if most else 0.0
        meant = max(0.0, pooled[one] - floor) / (nearest - floor) if one in pooled and nearest > floor else 0.0
        age = (NOW - memory.created_at) / timedelta(days=1)
        relevance = share * told + (1 - share) * meant
        scores[one] = 0.6 * relevance + 0.25 * memory.strength + 0.15 * math.exp(-age / VALUES["recall.recency_days"])
    return sorted(scores.items(), key=lambda item: (-item[1], -item[0]))


def pool(cosines: list[float]) -> float:
    weights = (1.0, 0.5, 0.25)[: len(cosines)]
    return sum(w * c for w, c in zip(weights, cosines, strict=False)) / sum(weights)


# The law ---------------------------------------------------------------------------------------------------------


def some(choices: tuple[Any, ...]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.just(()) | st.lists(st.sampled_from(choices), unique=True, max_size=2).map(tuple)


moments = st.none() | st.integers(0, 230).map(lambda days: NOW - timedelta(days=days))
chosen_filters = st.builds(
    Filters, scope=st.sampled_from((ALL_SCOPES, None, "c1", "c2", "nobody's")), persona_id=st.none() | st.just("p1"),
    layers=some(LAYERS), categories=some(CATEGORIES[1:]), tags=some(("tea", "茶", "TRIP", "none")),
    statuses=st.sampled_from((Filters().statuses, (), ("archived",), ("active",), ("trashed", "pending"))),
    sensitivities=some(SENSITIVITIES), clients=some(CLIENTS[:2]), since=moments, until=moments,
    pinned=st.sampled_from((None, None, None, True, False)),
)  # fmt: skip
# Most filters that are drawn whole let nothing through, so half of them filter by one thing alone.
one_filter = st.sampled_from([name for name in Filters.__dataclass_fields__ if name != "scope"]).flatmap(
    lambda name: chosen_filters.map(lambda all_of_them: replace(Filters(), **{
        "scope": all_of_them.scope, name: getattr(all_of_them, name)})))  # fmt: skip
questions = st.lists(st.sampled_from((*WORDS, *FEW, "nowhere")), min_size=1, max_size=4, unique=True).map(" ".join)
# (own statistics, exact subset): as it is, and so small that everything is found by looking further.
limits = st.sampled_from(((2_000, 5_000), (0, 0), (0, 5_000), (2_000, 0), (60, 60)))


@settings(max_examples=100, deadline=None, report_multiple_bugs=False)
@given(st.integers(0, 1), questions, one_filter | chosen_filters, st.booleans(), st.sampled_from((1, 10, 50)), limits)
def test_filters_cost_no_recall(
    stores: tuple[Store, ...], number: int, text: str, filters: Filters, sensitive: bool, k: int,
    limit: tuple[int, int],
) -> None:  # fmt: skip
    store = stores[number]
    asked = Query(text, k=k, filters=filters, include_sensitive=sensitive, budget=None)
    with pytest.MonkeyPatch.context() as patch, store.database.reader() as cx:
        patch.setattr(document, "OWN_STATISTICS", limit[0])
        patch.setattr(document, "EXACT_SUBSET", limit[1])
        parsed = query.parse(asked, NOW, UTC)
        answer = recall(cx, asked, parsed, VALUES, store.space, NOW)
        own = memories.count(cx, filters) <= limit[0]
    reference = expected(store, asked, own)
    scores, found = dict(reference), [(hit.memory.id, hit.score) for hit in answer.hits]
    assert len({one for one, _ in found}) == min(k, len(reference))
    # In the order of the reference, where its scores are not the same but for rounding.
    told = [(scores.get(one, -1.0), score) for one, score in found]
    wanted = [score for _, score in reference[:k]]
    assert [one for one, _ in told] == pytest.approx(wanted, abs=3e-4)
    assert [score for _, score in told] == pytest.approx(wanted, abs=3e-4)
