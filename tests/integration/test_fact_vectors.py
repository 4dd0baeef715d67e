"""Vectors of facts over time: made behind those of passages, made good after every trouble, searched on their own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import Service, Settings
from engine.errors import Cancelled, EmbedderUnavailable
from engine.filling import BATCH
from engine.index import consistency
from engine.index.space import VectorSpace
from engine.storage import vectors
from engine.storage.vectors import FACTS, PASSAGES
from engine.types import Actor, Draft, VectorStatus

WAIT = 20.0
CLIENT = Actor("client", "tester")
Opener = Callable[..., Service]


def remember(service: Service, content: str, *facts: str) -> int:
    """A memory, and beside it facts as a writer gave them."""
    memory_id = service.memorize(Draft(content), CLIENT).result(WAIT).memory.id
    give(service, memory_id, *facts)
    return memory_id


def give(service: Service, memory_id: int, *facts: str) -> list[int]:
    def work() -> list[int]:
        with service._database.transaction() as cx:
            made = []
            for fact in facts:
                # A canonical name that no fact read out of a text can have.
                node = cx.execute("INSERT INTO nodes (type, canonical) VALUES ('fact', ?) RETURNING id", (f"#{fact}",))
                sql = "INSERT INTO entries (node_id, text) VALUES (?, ?) RETURNING id"
                made.append(int(cx.execute(sql, (node.get, fact)).get))
                cx.execute("INSERT INTO mentions VALUES (?, ?, NULL, 1)", (memory_id, made[-1]))
            return made

    entries = service._writer.submit(work).result(WAIT)
    service._background.wake()
    return entries


def take_back(service: Service, *entries: int) -> None:
    """What a write does whose memory is gone: rows first, then the index."""

    def work() -> None:
        with service._database.transaction() as cx:
            for entry in entries:
                cx.execute("DELETE FROM mentions WHERE entry_id = ?", (entry,))
                cx.execute("DELETE FROM entries WHERE id = ?", (entry,))
        space(service).facts.remove(entries)

    service._writer.submit(work).result(WAIT)


def space(service: Service) -> VectorSpace:
    found = service._engine.space
    assert found is not None
    return found


def status(service: Service) -> VectorStatus:
    return service.status().result(WAIT).vectors


def made(service: Service) -> list[str]:
    """The texts of all facts that have a vector, once nothing is left to do; rows and index must agree."""
    service.idle().result(WAIT)
    held = space(service)
    with service._database.reader() as cx:
        keys = vectors.keys(cx, held.identity_id, FACTS).tolist()
        report = consistency.check(cx, held.index, held.identity_id, held.facts)
        assert (report.missing_facts, report.stray_facts, report.different_facts) == ((), (), ())
        assert (report.missing, report.stray, report.different) == ((), (), ())
        return sorted(vectors.texts(cx, keys, FACTS).values())


@pytest.fixture
def late(open_service: Opener) -> Service:
    """A service whose writes never wait for their vectors."""
    settings = Settings()
    settings.set("memory.vector_wait_ms", 0)
    service = open_service(settings=settings)
    service.idle().result(WAIT)
    return service


def test_facts_get_their_vectors_behind_all_passages_and_are_found_by_meaning(late: Service, embedder: Any) -> None:
    embedder.gate.clear()
    remember(late, "a long talk about pets", "Momo is a grey cat", "the cat eats tuna")
    remember(late, "a letter from the landlord", "the rent is 900 euro")
    waiting = late.idle()
    assert not space(late).facts
    embedder.gate.set()
    waiting.result(WAIT)
    assert made(late) == ["Momo is a grey cat", "the cat eats tuna", "the rent is 900 euro"]
    order = [embedder.asked.index(text) for text in (
        "a letter from the landlord", "a long talk about pets", "the rent is 900 euro", "the cat eats tuna",
        "Momo is a grey cat")]  # fmt: skip
    # The first batch may have begun before the second memory was there.
    assert max(order[:2]) < min(order[2:]) and order[2:] == sorted(order[2:])
    held = space(late)
    best = held.facts.search(held.embed_query("how much rent"), 1).keys.tolist()
    with late._database.reader() as cx:
        assert list(vectors.texts(cx, best, FACTS).values()) == ["the rent is 900 euro"]


def test_a_memory_that_is_one_fact_is_not_embedded_twice(service: Service, embedder: Any) -> None:
    remember(service, "我住在杭州。", "我住在杭州。", "我住在 西湖边")
    assert made(service) == sorted(["我住在杭州。", "我住在 西湖边"])
    assert embedder.asked.count("我住在杭州。") == 1 and embedder.asked.count("我住在 西湖边") == 1
    identity = space(service).identity_id
    with service._database.reader() as cx:
        passages = vectors.load(cx, identity, PASSAGES)[1].tolist()
        assert passages[0] in vectors.load(cx, identity, FACTS)[1].tolist()


def test_meaning_is_not_ready_while_a_fact_lacks_its_vector(late: Service, embedder: Any) -> None:
    remember(late, "a recipe")
    late.idle().result(WAIT)
    assert (status(late).state, status(late).stored, status(late).wanted) == ("ready", 1, 1)
    embedder.gate.clear()
    remember(late, "another", "it takes two eggs")
    assert (status(late).state, status(late).stored, status(late).wanted) == ("filling", 1, 3)
    embedder.gate.set()
    late.idle().result(WAIT)
    assert (status(late).state, status(late).stored, status(late).wanted) == ("ready", 3, 3)


def test_an_embedder_that_is_away_is_waited_for(service: Service, embedder: Any) -> None:
    embedder.away = True
    remember(service, "the ladder is at the neighbours'", "the ladder is red")
    assert made(service) == []
    embedder.away = False
    service._background.wake()
    assert made(service) == ["the ladder is red"]


def test_without_a_model_facts_wait_for_one(service: Service, embedder: Any) -> None:
    service.settings.set("embedding.provider", "none")
    service.idle().result(WAIT)
    remember(service, "a violin", "the violin has a new string")
    service.idle().result(WAIT)
    assert (status(service).state, status(service).wanted) == ("unavailable", 2)
    embedder.loaded = True
    service.settings.set("embedding.provider", "local")
    assert made(service) == ["the violin has a new string"]


def test_another_model_makes_its_own_and_the_old_ones_go(open_service: Opener, data_dir: Path, embedder: Any) -> None:
    service = open_service()
    service.idle().result(WAIT)
    remember(service, "the piano", "the piano is tuned", "the piano is black")
    assert len(made(service)) == 2
    service.close()
    (old,) = data_dir.glob("facts-*.usearch")
    other = type(embedder)("test/bag/2", 32)
    again = open_service(other)
    assert made(again) == ["the piano is black", "the piano is tuned"]
    assert space(again).facts.dimension == 32 and not old.exists()
    assert other.asked == ["the piano", "the piano is black", "the piano is tuned"], "what recall needs comes first"
    with again._database.reader() as cx:
        assert [name for _, name, _ in vectors.identities(cx)] == ["test/bag/2"]
        assert cx.execute("SELECT count(*) FROM fact_vectors").get == 2


def test_filling_goes_on_after_a_restart_half_way(open_service: Opener, embedder: Any) -> None:
    service = open_service()
    service.idle().result(WAIT)
    facts = [f"fact number {number}" for number in range(BATCH * 3)]
    embed, first = embedder.embed_passages, threading.Event()

    def once(texts: Sequence[str]) -> np.ndarray:
        if texts[0].startswith("fact"):
            if first.is_set():
                raise EmbedderUnavailable(reason="away", identity=embedder.identity, retry_after=60.0)
            first.set()
        result: np.ndarray = embed(texts)
        return result

    embedder.embed_passages = once
    remember(service, "many facts", *facts)
    assert len(made(service)) == BATCH and status(service).state == "filling"
    service.close()
    embedder.embed_passages, embedder.loaded, embedder.asked = embed, True, []
    again = open_service()
    assert made(again) == sorted(facts)
    assert sorted(embedder.asked) == sorted(facts[: BATCH * 2]), "the newest were made first, and are there"
    assert status(again).state == "ready"


@pytest.mark.parametrize("damage", ["gone", "garbage", "behind"])
def test_the_index_of_facts_follows_the_rows(
    open_service: Opener, data_dir: Path, embedder: Any, damage: str
) -> None:  # fmt: skip
    service = open_service()
    service.idle().result(WAIT)
    memory_id = remember(service, "a shelf", *(f"book {at}" for at in range(20)))
    entries = give(service, memory_id, "taken back", "kept")
    assert len(made(service)) == 22
    service.close()
    (path,) = data_dir.glob("facts-*.usearch")
    if damage == "gone":
        path.unlink()
    elif damage == "garbage":
        path.write_bytes(b"not an index" * 99)
    else:
        stale = path.read_bytes()
        embedder.loaded = True
        between = open_service()
        between.idle().result(WAIT)
        take_back(between, entries[0])
        between.close()
        path.write_bytes(stale)
    asked, embedder.loaded = len(embedder.asked), True
    again = open_service()
    assert len(made(again)) == (21 if damage == "behind" else 22)
    assert len(embedder.asked) == asked, "stored vectors must not be made again"


def test_a_fact_that_goes_while_its_vector_is_made_gets_none(service: Service, embedder: Any) -> None:
    memory_id = remember(service, "tea")
    service.idle().result(WAIT)
    asked = threading.Event()
    embed = embedder.embed_passages

    def waiting(texts: Sequence[str]) -> np.ndarray:
        asked.set()
        result: np.ndarray = embed(texts)
        return result

    embedder.gate.clear()
    embedder.embed_passages = waiting
    gone, _ = give(service, memory_id, "it is green", "it is hot")
    assert asked.wait(WAIT)
    take_back(service, gone)
    embedder.gate.set()
    assert made(service) == ["it is hot"]


def test_what_is_in_the_trash_owes_no_vector_until_it_comes_back(late: Service, embedder: Any) -> None:
    embedder.away = True
    memory_id = remember(late, "thrown away", "it was a mistake")
    late.trash([memory_id], CLIENT).result(WAIT)
    embedder.away = False
    late._background.wake()
    assert made(late) == [] and status(late).wanted == 0
    late.restore([memory_id], CLIENT).result(WAIT)
    assert made(late) == ["it was a mistake"] and status(late).state == "ready"


class SometimesZero:
    """Makes a vector of nothing but zeros for texts with a mark in them."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.identity, self.dimension, self.loaded = inner.identity, inner.dimension, True
        self.asked: list[str] = inner.asked

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        made: np.ndarray = self._inner.embed_passages(texts)
        for at, text in enumerate(texts):
            if "cursed" in text:
                made[at] = 0.0
        return made

    def embed_query(self, text: str) -> np.ndarray:
        return self._inner.embed_query(text)  # type: ignore[no-any-return]

    def unload(self) -> None:
        self.loaded = False

    def close(self) -> None:
        self.loaded = False


def test_a_fact_whose_vector_can_not_be_stored_is_shown_and_harms_no_other(
    open_service: Opener, embedder: Any
) -> None:  # fmt: skip
    service = open_service(SometimesZero(embedder))
    service.idle().result(WAIT)
    remember(service, "three of them", "plain one", "the cursed one", "plain two")
    assert made(service) == ["plain one", "plain two"]
    found = service.status().result(WAIT)
    assert (found.journal_open, found.journal_failed) == (0, 1) and "journal_failed" in found.trouble
    asked = embedder.asked.count("the cursed one")
    remember(service, "and more", "plain three")
    assert made(service) == ["plain one", "plain three", "plain two"]
    assert embedder.asked.count("the cursed one") == asked
    service.close()
    embedder.loaded = True
    again = open_service(embedder)
    assert len(made(again)) == 4
    assert again.status().result(WAIT).journal_failed == 0, "made good, so nothing is in trouble any more"


def test_reindex_makes_the_facts_anew_too_and_can_be_cancelled(service: Service, embedder: Any) -> None:
    for number in range(5):
        facts = (f"it holds {number} spoons", f"its colour is {number}")
        service.memorize(Draft(f"drawer {number}", key_facts=facts), CLIENT).result(WAIT)
    assert len(made(service)) == 10
    asked, before = len(embedder.asked), space(service)
    before.facts.clear()
    seen: list[tuple[int, int]] = []
    assert service.reindex(lambda *step: seen.append(step)).result(WAIT) == {
        "lexical": 5, "graph": 5, "vectors": 15,
    }  # fmt: skip
    assert seen[-1] == (25, 25) and [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert len(made(service)) == 10 and len(embedder.asked) == asked
    anew = space(service)
    assert anew is not before
    cancelled = service.reindex(lambda *step: seen.append(step), lambda: seen[-1] == (15, 25))
    assert isinstance(cancelled.exception(WAIT), Cancelled)
    assert space(service) is anew and len(anew.facts) == 10


def test_a_write_costs_one_look_for_facts(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(service, "first", "with a fact")
    service.idle().result(WAIT)
    looks: list[str] = []
    real = vectors.missing

    def counting(cx: Any, identity: int, limit: int, below: int, family: Any) -> Any:
        looks.append(family.name)
        return real(cx, identity, limit, below, family)

    monkeypatch.setattr(vectors, "missing", counting)
    give(service, 1, "another")
    service.idle().result(WAIT)
    assert set(looks) == {"facts"} and len(looks) <= 2, "one for the write, one for the wait at most"
