"""The graph route over a small real store: its ways in, what it may see, what time leaves of it, and that it is off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.clock import MovableClock
from engine.config import presets
from engine.retrieval import graph_route, query
from engine.storage import aliases
from engine.types import ALL_SCOPES, Alias, Filters, Query, Sensitivity
from tests.unit.retrieval.test_recall_pipeline import CLIENT, START, Store, total

ON = {"recall.graph_share": 0.35}
# Who is asked for, whom that one is mentioned with, and what only the other one leads to.
LIVES = {
    "en": ("Lena", "Marko", "the boat lies behind the mill", "Lena was here", "where may she be"),
    "zh": ("林小满", "周航", "木船停在磨坊后面", "林小满来过", "她会在哪里"),
}


@pytest.fixture
def store(data_dir: Path) -> Iterator[Store]:
    made = Store(data_dir, MovableClock(START))
    made.embedder.away = True  # by words alone, unless a test says otherwise
    yield made
    made.database.close()


def add(store: Store, content: str, **more: Any) -> int:
    store.embedder.away = False
    made = store.add(content, **more)
    store.embedder.away = True
    return made


def route(
    store: Store, text: str, filters: Filters | None = None, hidden: tuple[Sensitivity, ...] = (),
    values: Mapping[str, Any] = ON, vector: np.ndarray | None = None,
) -> dict[int, float]:  # fmt: skip
    """What the words of the graph route give each memory (0 where only its meaning did)."""
    question = query.parse(Query(text), store.clock.now(), store.clock.zone())
    with store.database.reader() as cx:
        visible = graph_route.visible(filters or Filters(), hidden)
        way = graph_route.Route(cx, question, visible, store.space, 5, {**store.engine.settings.current, **values})
        way.further(vector)
        found = way._found
        return dict(zip(found.ids.tolist(), np.nan_to_num(found.words).tolist(), strict=True))


@pytest.mark.parametrize("language", LIVES)
def test_a_step_leads_to_what_is_told_of_those_mentioned_together(store: Store, language: str) -> None:
    one, other, told, _, _ = LIVES[language]
    both = add(store, f"{one} {other}", participants=(one, other))
    beyond = add(store, told, participants=(other,))
    apart = add(store, "琥珀 amber", participants=("Zoe",))
    found = route(store, one)
    assert found[both] > found[beyond] > 0
    assert apart not in found
    answer = store.ask(one, ON)
    assert beyond in [hit.memory.id for hit in answer.hits]
    assert beyond not in [hit.memory.id for hit in store.ask(one).hits]


def test_two_steps_lead_further_and_count_less(store: Store) -> None:
    for pair in (("Lena", "Marko"), ("Marko", "Ines"), ("Ines", "Otto")):
        add(store, f"{pair[0]} met somebody", participants=pair)
    third, fourth = add(store, "a red kite", participants=("Ines",)), add(store, "a green drum", participants=("Otto",))
    one, two = route(store, "Lena"), route(store, "Lena", values={**ON, "recall.graph_hops": 2})
    assert third not in one and 0 < two[third] < one[min(one)] and fourth not in two


def test_further_hits_add_a_share_and_end_at_one() -> None:
    hits = graph_route._Hits()
    hits.add([1, 2], 0.7)
    hits.add([1], 0.4)
    hits.add([1, 3], 0.2)
    hits.add([4], 1.0)
    hits.add([4], 1.0)
    assert hits.scores() == pytest.approx({1: 0.7 + 0.35 * 0.6, 2: 0.7, 3: 0.2, 4: 1.0})


@pytest.mark.parametrize("language", LIVES)
def test_a_hidden_memory_is_not_found_and_leads_nowhere(store: Store, language: str) -> None:
    one, other, told, seen, _ = LIVES[language]
    secret = add(store, f"{one} {other}", participants=(one, other), sensitivity="high")
    beyond, plain = add(store, told, participants=(other,)), add(store, seen, participants=(one,))
    assert {secret, beyond, plain} <= route(store, one).keys()
    assert route(store, one, hidden=("high",)).keys() == {plain}
    assert graph_route.visible(Filters(sensitivities=("high",)), ("high",)) is None
    assert route(store, one, Filters(sensitivities=("high",)), hidden=("high",)) == {}


def test_scopes_and_statuses_hold_on_every_step(store: Store) -> None:
    add(store, "Lena and Marko", participants=("Lena", "Marko"), conversation_id="c1")
    beyond = add(store, "a blue boat", participants=("Marko",))
    here = add(store, "Lena sings", participants=("Lena",))
    assert route(store, "Lena").keys() == {here}
    assert beyond in route(store, "Lena", Filters(scope="c1"))
    trashed = add(store, "Lena paints", participants=("Lena",))
    assert trashed in route(store, "Lena")
    store.engine.trash([trashed], CLIENT)
    assert trashed not in route(store, "Lena")


def test_a_filter_costs_no_hit_however_many_others_mention_the_same(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = add(store, "Lena keeps bees", participants=("Lena",), conversation_id="small")
    for number in range(30):
        add(store, f"Lena was seen {number} times", participants=("Lena",), conversation_id="large")
    for common in (200, 5):  # read at once, and one entity at a time
        monkeypatch.setattr(graph_route, "_COMMON", common)
        assert route(store, "Lena", Filters(scope="small")).keys() == {first}
        assert len(route(store, "Lena", Filters(scope=ALL_SCOPES))) >= 15


def test_entries_of_others_take_no_place_from_those_that_may_be_seen(store: Store) -> None:
    for number in range(40):
        add(store, f"kiln {number}", topics=(f"kiln {number}",), conversation_id="large")
    here = add(store, "whatever became of that old and long forgotten kiln behind the mill", conversation_id="small")
    assert route(store, "kiln", Filters(scope="small")).keys() == {here}


def test_another_name_leads_to_the_same(store: Store) -> None:
    told = add(store, "the kiln is cold", participants=("Magdalena",))
    with store.database.transaction() as cx:
        aliases.put(cx, [Alias("person", "lena", "magdalena", "Magdalena", 0)])
    assert route(store, "What did Lena do?")[told] > 0


def test_facts_are_found_by_meaning_where_they_have_vectors(store: Store) -> None:
    told = add(store, "a long evening", key_facts=("the kiln is fired with beech wood",))
    store.embedder.away = False
    vector = store.embedder.embed_query("kiln beech wood")
    # "zzz" has no word in common with anything.
    assert route(store, "zzz", vector=vector) == {}  # no fact has a vector yet
    with store.database.reader() as cx:
        entry_id, text = cx.execute(
            "SELECT e.id, e.text FROM entries AS e JOIN nodes AS n ON n.id = e.node_id WHERE n.type = 'fact'"
        ).fetchone()
    store.space.facts.add([entry_id], store.embedder.embed_passages([text]))
    assert route(store, "zzz", vector=vector) == {told: 0.0}
    (hit,) = store.ask("zzz kiln beech wood", ON).hits
    assert hit.explanation is not None and "graph" in [one.name for one in hit.explanation.channels]
    question = query.parse(Query("zzz"), store.clock.now(), store.clock.zone())
    with store.database.reader() as cx:
        way = graph_route.Route(cx, question, Filters(), store.space, 5, {**store.engine.settings.current, **ON})
        assert way.further(vector) == [told]
    fact = store.embedder.embed_passages([text])[0]
    assert way._found.cosine.tolist() == pytest.approx([float(fact @ vector)], abs=1e-3)
    assert route(store, "zzz", Filters(scope="c1", layers=("decision",)), vector=vector) == {}


def test_time_takes_from_the_graph_what_it_takes_from_the_facts(store: Store) -> None:
    told = add(store, "Lena likes green tea", participants=("Lena",))
    add(store, "Lena", participants=("Lena",))

    def said(**values: Any) -> float:
        (hit,) = (one for one in store.ask("Lena", {**ON, **values}).hits if one.memory.id == told)
        assert hit.explanation is not None
        return next((one.raw for one in hit.explanation.channels if one.name == "graph"), 0.0)

    fading = {"recall.graph_fading": True}
    fresh = said(**fading)
    store.clock.advance(timedelta(days=20))
    assert 0 < said(**fading) < fresh * 0.9
    assert said() == pytest.approx(fresh)
    store.clock.advance(timedelta(days=200))
    assert said(**fading) == 0.0  # the fact has run out, the memory is found all the same


@pytest.mark.parametrize("language", LIVES)
@pytest.mark.parametrize("values", [ON, {**presets.BY_NAME["aokun"].values}], ids=["on", "aokun"])
@pytest.mark.parametrize("away", [True, False])
def test_the_parts_still_add_up(store: Store, language: str, values: Mapping[str, Any], away: bool) -> None:
    one, other, told, seen, asked = LIVES[language]
    for at, content in enumerate((f"{one} {other}", told, seen, f"{other} 2")):
        add(store, content, participants=(one, other)[at % 2 :], importance=at / 4)
        store.clock.advance(timedelta(days=2))
    store.embedder.away = away
    answer = store.ask(f"{one} {asked}", values)
    assert len(answer.hits) >= 3
    named = {part.name for hit in answer.hits if hit.explanation for part in hit.explanation.channels}
    assert "graph" in named
    for hit in answer.hits:
        assert total(hit) == pytest.approx(hit.score, abs=1e-12)
        assert hit.score <= 1 + 1e-9


def test_a_question_that_no_entity_answers_is_answered_as_without_the_graph(store: Store) -> None:
    for content in ("the mill is old", "the old mill burns"):
        add(store, content)
    store.embedder.away = False
    plain, on = (store.ask("zzz", values) for values in ({}, ON))
    assert [(hit.memory.id, hit.score) for hit in plain.hits] == [(hit.memory.id, hit.score) for hit in on.hits]
    assert plain.hits


def test_off_it_looks_nothing_up(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    add(store, "Lena likes green tea", participants=("Lena",))
    monkeypatch.setattr(graph_route.entries, "search", lambda *_: pytest.fail("looked up"))
    assert store.ask("Lena", {"recall.graph_share": 0.0}).hits
    assert route(store, "Lena", values={"recall.graph_share": 0.0}) == {}


def test_what_is_asked_moves_the_share(store: Store) -> None:
    add(store, "Lena and Marko are married", participants=("Lena", "Marko"))

    def share(text: str, by_intent: bool) -> float:
        hit = store.ask(text, {**ON, "recall.graph_by_intent": by_intent}).hits[0]
        assert hit.explanation is not None
        return next(one.share for one in hit.explanation.channels if one.name == "graph")

    assert share("Who is Lena married to?", True) == pytest.approx(0.55)
    assert share("Who is Lena married to?", False) == pytest.approx(0.35)
    assert share("Lena 和谁是夫妻？", True) == pytest.approx(0.55)
