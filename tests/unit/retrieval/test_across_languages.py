"""A store of two languages: what is in the other language than the question is compared on equal terms."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.clock import MovableClock
from engine.retrieval import document, fusion
from engine.retrieval.document import COMPARED_ABROAD, gather
from engine.retrieval.query import parse
from engine.storage import scripts
from engine.types import Filters, Query
from tests.unit.retrieval.test_recall_pipeline import Bags, Store

ALL = Filters(scope="all")
NAN = float("nan")
TOPICS = {
    "zh": ["猫粮", "火车", "牙医", "签证", "房租", "围棋", "葡萄酒", "滑雪", "听力", "菜园", "护照", "相机"],
    "en": ["cat food", "trains", "dentist", "visa", "rent", "chess", "wine", "skiing", "hearing", "garden", "passport",
           "camera"],
}  # fmt: skip
SAID = {"zh": "今天和家里人说起{}的事情", "en": "we talked about {} with the family today"}


class TwoLanguages(Bags):
    """Each topic has its own direction in both languages, and each language one that every text of it shares."""

    identity = "test/two-languages"

    def embed_passages(self, texts: Any) -> np.ndarray:
        made = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            language = "en" if text.isascii() else "zh"
            made[row, 0 if language == "en" else 1] = 2.0
            for at, topic in enumerate(TOPICS[language]):
                made[row, 2 + at] = float(topic in text)
            made[row, 20:50] = np.random.default_rng(hash_of(text)).normal(0.0, 0.1, 30)
        return made / np.linalg.norm(made, axis=1, keepdims=True)


def hash_of(text: str) -> int:
    return sum(at * byte for at, byte in enumerate(text.encode(), 1))


@pytest.fixture
def store(data_dir: Path) -> Iterator[Store]:
    made = Store(data_dir, MovableClock(datetime(2026, 5, 1, 12, tzinfo=UTC)))
    made.embedder = made.space.embedder = TwoLanguages()
    yield made
    made.database.close()


def fill(store: Store, left_out: str) -> None:
    """Every topic in both languages, but for one that the memories of one language do not speak of."""
    for language, topics in TOPICS.items():
        for at, topic in enumerate(topics):
            if not (language == left_out and at == 0):
                store.add(SAID[language].format(topic))


def test_no_group_is_left_where_one_language_is_rare() -> None:
    cosine = np.linspace(0.7, 0.9, 30)
    few, many = np.arange(30) < fusion.LEAST_GROUP - 1, np.arange(30) < fusion.LEAST_GROUP
    assert not fusion.mixed(cosine, few) and not fusion.mixed(cosine, ~few)
    assert fusion.mixed(cosine, many) and fusion.mixed(cosine, ~many)
    cosine[0] = NAN  # not compared
    assert not fusion.mixed(cosine, many)


numbers = st.lists(st.floats(0.5, 1.0), min_size=10, max_size=20)


@given(numbers, numbers)
def test_the_foreign_get_the_mean_and_no_more_spread_than_they_have(own: list[float], other: list[float]) -> None:
    cosine = np.array(own + other)
    foreign = np.arange(len(cosine)) >= len(own)
    evened = fusion.evened(cosine, foreign)
    assert np.array_equal(evened[~foreign], cosine[~foreign])
    assert evened[foreign].mean() == pytest.approx(np.mean(own))
    assert evened[foreign].std() <= min(np.std(other), max(np.std(own), np.std(other) / 2)) + 1e-9
    # Their own order stays.
    assert (np.diff(evened[foreign][np.argsort(cosine[foreign], kind="stable")]) >= -1e-12).all()


@given(numbers, numbers, st.integers(0, 1_000))
def test_what_is_unsaid_never_lowers_nor_goes_beyond_the_best(own: list[float], other: list[float], seed: int) -> None:
    meaning = np.array(own + other)
    words = np.random.default_rng(seed).random(len(meaning))
    foreign = np.arange(len(meaning)) >= len(own)
    added = fusion.unsaid(words, meaning, foreign)
    assert (added >= 0).all() and not added[~foreign].any()
    assert (words + added <= 1.0 + 1e-12).all()


def test_what_is_unsaid_is_what_words_do_for_one_as_near() -> None:
    meaning = np.array([0.0, 0.5, 1.0, 1.0, 0.5, 0.75])
    words = np.array([0.0, 0.3, 0.6, 0.0, 0.2, 0.5])
    foreign = np.array([False, False, False, True, True, True])
    assert fusion.unsaid(words, meaning, foreign) == pytest.approx([0, 0, 0, 0.6, 0.1, 0.0])
    # Nearer than any of the own: no more than words can ever do.
    assert fusion.unsaid(np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.5, 1.0]), foreign[1:4])[2] == 1.0


@pytest.mark.parametrize(
    ("question", "left_out", "wanted"),
    [
        ("家里猫粮的事情", "zh", SAID["en"].format("cat food")),
        ("what about cat food and the family", "en", SAID["zh"].format("猫粮")),
    ],
)
def test_an_answer_in_the_other_language_is_found(store: Store, question: str, left_out: str, wanted: str) -> None:
    fill(store, left_out)
    hits = store.ask(question, k=3).hits
    on = [hit.memory.content for hit in hits]
    off = [hit.memory.content for hit in store.ask(question, k=3, overrides={"recall.across_languages": False}).hits]
    assert on[0] == wanted and wanted not in off
    # It shares no word: what its words would have added is made up for.
    assert hits[0].explanation is not None
    (channel,) = hits[0].explanation.channels
    assert channel.name == "vector" and channel.share > 0.9


@pytest.mark.parametrize(
    ("question", "wanted"),
    [("家里猫粮的事情", SAID["zh"].format("猫粮")), ("family cat food", SAID["en"].format("cat food"))],
)
def test_an_answer_in_the_own_language_stays_first_and_explained(store: Store, question: str, wanted: str) -> None:
    fill(store, "")
    hits = store.ask(question, k=10).hits
    assert hits[0].memory.content == wanted
    for hit in hits:
        assert hit.explanation is not None
        parts = [one.share for one in hit.explanation.channels] + [one.value for one in hit.explanation.factors]
        assert sum(parts) == pytest.approx(hit.score, abs=1e-12) and hit.score <= 1.0 + 1e-9


@pytest.mark.parametrize(("few", "question"), [("en", "家里猫粮的事情"), ("zh", "what about cat food and the family")])
def test_a_rare_language_changes_nothing(store: Store, few: str, question: str) -> None:
    many = "zh" if few == "en" else "en"
    for topic in TOPICS[many]:
        store.add(SAID[many].format(topic))
    for topic in TOPICS[few][: fusion.LEAST_GROUP - 1]:
        store.add(SAID[few].format(topic))
    on = store.ask(question, k=10)
    off = store.ask(question, k=10, overrides={"recall.across_languages": False})
    assert [(hit.memory.id, hit.score) for hit in on.hits] == [(hit.memory.id, hit.score) for hit in off.hits]


def test_both_languages_have_candidates_however_many_the_own_has(store: Store) -> None:
    fill(store, "zh")
    for number in range(60):
        store.add(f"今天的第 {number} 件小事")
    question = parse(Query("家里猫粮的事情"), store.clock.now(), UTC)
    with store.database.reader() as cx:
        found = gather(cx, question, ALL, store.space, 20, None)
        english = scripts.newest(cx, "latin", ALL, COMPARED_ABROAD)
    assert set(english) <= set(found.ids.tolist())
    assert {int(one) for one in found.ids[found.foreign]} == set(english)


def test_a_large_store_is_searched_farther_for_the_other_language(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Above the exact limit the other language comes from a wider search, through filters and policy alike."""
    fill(store, "zh")
    for number in range(60):
        store.add(f"今天的第 {number} 件小事")
    hidden = store.add("The cat food for the family is in the cellar", sensitivity="high")
    question = parse(Query("家里猫粮的事情"), store.clock.now(), UTC)
    monkeypatch.setattr(document, "EXACT_SUBSET", 0)
    with store.database.reader() as cx:
        found = gather(cx, question, ALL, store.space, 20, None, ("high",))
        english = set(scripts.newest(cx, "latin", ALL, 1_000)) - {hidden}
    assert hidden not in found.ids.tolist()
    assert {int(one) for one in found.ids[found.foreign]} == english


def test_scripts_are_read_through_the_filters(store: Store) -> None:
    a, b = store.add("我在上海"), store.add("我搬到了北京", conversation_id="c")
    c = store.add("I live in Lisbon now")
    with store.database.reader() as cx:
        assert scripts.newest(cx, "han", ALL, 10) == [b, a]
        assert scripts.newest(cx, "han", ALL, 1) == [b]
        assert scripts.newest(cx, "han", Filters(scope=None), 10) == [a]
        assert scripts.count(cx, "han", ALL, 1) == 1 and scripts.count(cx, "latin", ALL, 5) == 1
        assert scripts.among(cx, np.array([c, a, 999]), "latin").tolist() == [True, False, False]
        plan = " ".join(
            row[3] for row in cx.execute(
                "EXPLAIN QUERY PLAN SELECT m.id FROM memories AS m INDEXED BY memories_script WHERE m.script = 'han'"
            )
        )  # fmt: skip
    assert "COVERING INDEX memories_script" in plan
