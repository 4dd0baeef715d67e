"""No word of a sensitive memory gets out unasked: every core tool, every read of the engine, the log (S4).

One store holds memories whose every field has unmistakable words in it. A tool that is added later fails here until
``TOOLS`` says how to call it; a read of the engine, until ``READS`` or ``UNGOVERNED`` knows it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from app import log as app_log
from app import paths
from app.mcp.server import McpSide
from engine import Service
from engine.clock import MovableClock
from engine.retrieval import document
from engine.types import (
    ALL_SCOPES,
    STATUSES,
    Actor,
    AtomQuery,
    BreathQuery,
    Draft,
    FilteredSearch,
    Filters,
    Listing,
    Query,
    Sensitivity,
)

WAIT = 20.0
GUI, CLIENT = Actor("gui"), Actor("client", "assistant")
# In whatever case, and as far as a segmenter may take them apart.
MARKS = ("quorlzyx", "魑魅账", "vexilbrond")
# Nothing in the store says this.
NONSENSE = "wumblefritz"
ALL = Filters(scope=ALL_SCOPES, statuses=STATUSES)
VISIBLE: tuple[Sensitivity, ...] = ("normal", "medium")


class Store(NamedTuple):
    """Ids by name: sensitive ones, and what stands beside them."""

    service: Service
    secret: dict[str, int]
    open: dict[str, int]


def _draft(layer: Any, day: Any, **more: Any) -> Draft:
    """A sensitive draft with a mark in every field that can have one."""
    en, zh, name = (f"{MARKS[0]} {layer}", f"{MARKS[1]}{layer}", f"Vexilbrond {layer}")
    words = {
        field: f"{en} {zh} {field}"
        for field in (
            "title", "summary", "compressed", "mood", "sentiment", "source_text", "context", "persona_summary", "why",
            "trigger", "trigger_name", "trigger_text",
        )
    }  # fmt: skip
    lists = {
        field: (f"{en} {field}", f"{zh}{field}") for field in ("tags", "key_facts", "entities", "effective_methods")
    }
    objects = {field: {en: zh, "more": [{zh: en}]} for field in ("extra", "tone", "residual", "created_context")}
    given: dict[str, Any] = {
        **words, **lists, **objects, "category": en, "source_agent": en, "topics": (f"{en} topic", "Harbour"),
        "participants": (name, "Anna"), "modalities": ({"uri": en},), "topic_path": (en, zh),
        "emotion_intensity": 9.0, "valence": -0.5, "importance": 1.0, "event_time": day, "sensitivity": "high",
    }  # fmt: skip
    return Draft(
        f"{en} {name} will meet Anna at the harbour clinic; {zh}会在港口诊所见安娜。", layer=layer, **(given | more)
    )


@pytest.fixture
def store(service: Service, clock: MovableClock) -> Store:
    def remember(draft: Draft) -> int:
        return service.memorize(draft, GUI).result(WAIT).memory.id

    soon = clock.now() + timedelta(days=1)
    plain = {
        "anna": remember(Draft("Anna works at the harbour", layer="fact", participants=("Anna",), topics=("Harbour",))),
        "boat": remember(Draft("The boat leaves the harbour with Anna and Tom", participants=("Anna", "Tom"))),
        "turn": remember(Draft("Tom: thank you, that is good to know", conversation_id="c1", session_id="s1")),
    }
    secret = {layer: remember(_draft(layer, soon)) for layer in ("fact", "state", "event", "decision")}
    secret["turn"] = remember(Draft(f"Anna: the {MARKS[0]} is in the cellar", conversation_id="c1", session_id="s1",
                                    sensitivity="high"))  # fmt: skip
    plain["beside"] = remember(Draft("Tom: I see, let us talk later", conversation_id="c1", session_id="s1"))
    secret["old"] = remember(Draft("Alice works at Acme", summary=MARKS[0], sensitivity="high"))
    secret["trashed"] = remember(_draft("event", soon, title=f"{MARKS[1]} trashed", source_agent="x", tags=("gone",)))
    # A person calls an entity as only the sensitive memories do.
    graph = service.graph
    (hidden,) = graph.entities("Vexilbrond fact", ("person",), 1, ALL).result(WAIT)
    (tom,) = graph.entities("Tom", ("person",), 1, ALL).result(WAIT)
    graph.merge([tom.id], hidden.id, GUI).result(WAIT)
    service.edit(plain["boat"], {"related": (secret["fact"],)}, GUI).result(WAIT)
    service.idle().result(WAIT)
    clock.advance(timedelta(hours=13))
    return Store(service, secret, plain)


Cases = Sequence[Mapping[str, Any]]
# How each tool is called, with "include_sensitive" added where it takes that. A new tool needs an entry here.
TOOLS: Mapping[str, Callable[[Store], Cases]] = {
    "recall": lambda store: [
        {"query": query, "k": 50, "budget": 20000, "explain": True, "scope": "all"}
        for query in ("harbour clinic Anna", "港口诊所", MARKS[0], MARKS[1], "works at", "cellar talk")
    ],
    "list_memories": lambda store: [
        {"scope": "all", "status": list(STATUSES), "sort": sort, "limit": 100} for sort in ("newest", "title")
    ],
    "breath": lambda store: [{"budget": 20000, "recent": 50}, {"budget": 100}, {"scope": "c1"}],
    "relations": lambda store: [
        {"scope": "all"},
        {"entity": "Anna", "hops": 3, "scope": "all"},
        {"entity": "Harbour", "scope": "all"},
        {"entity": "Tom", "scope": "all"},
        {"entity": "Tom", "to": "Anna", "scope": "all"},
        {"entity": "Anna", "to": "Vexilbrond state", "scope": "all"},
        {"entity": "clinic", "scope": "all"},
        *({"id": one} for one in (*store.open.values(), *store.secret.values())),
    ],
    "memory_status": lambda store: [{}],
    "digest": lambda store: [{}, {"level": 1}],
    "review": lambda store: [{"action": "list"}],
    # Writes: what they answer about what was there before.
    "memorize": lambda store: [
        {"content": _draft("fact", None).content},  # known, and sensitive
        {"content": "Alice now works at Globex"},  # about what a sensitive one says
        {"content": "Anna works at the harbour, mostly on Sundays"},
    ],
    "edit_memory": lambda store: [
        {"id": store.secret["event"], "pin": True},
        {"id": store.secret["event"], "undo": True},
        {"id": store.secret["event"], "undo": True, "history_id": 1},
        {"id": store.secret["state"], "status": "nothing"},
    ],
    "forget_memory": lambda store: [
        {"id": store.secret["decision"]},
        {"id": store.secret["decision"], "erase": True},
        {"id": 10_000},
    ],
}
WRITING = {"memorize", "edit_memory", "forget_memory"}
TELLING = {"recall", "list_memories", "breath", "relations", "digest"}


def _answers(store: Store, clock: MovableClock, tool: str, **more: Any) -> list[str]:
    """Each answer whole, as the client gets it: text, data, and errors. ``more``: only what the tool takes."""
    return _talk(store.service, clock, tool, [{**arguments, **more} for arguments in TOOLS[tool](store)])


def _talk(service: Service, clock: MovableClock, tool: str, calls: Cases) -> list[str]:
    """One session over a socket, in lines as a client sends and gets them; the answers to ``calls``."""
    requests: list[Any] = [
        {"method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                                            "clientInfo": {"name": "reader", "version": "1"}}},
        {"method": "tools/list"},
        *({"method": "tools/call", "params": {"name": tool, "arguments": one}} for one in calls),
    ]  # fmt: skip

    async def main() -> list[str]:
        here, there = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=here, limit=2**24)
        theirs = await asyncio.open_connection(sock=there, limit=2**24)
        side = McpSide(service, service.settings, "1", clock)
        session = asyncio.create_task(side.session(*theirs, "core", "redaction"))
        answers: list[str] = []
        for at, request in enumerate(requests):
            writer.write(json.dumps({"jsonrpc": "2.0", "id": at, **request}).encode() + b"\n")
            answers.append((await asyncio.wait_for(reader.readline(), WAIT)).decode())
            if at == 0:
                writer.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        writer.close()
        await asyncio.wait_for(session, WAIT)
        theirs[1].close()
        return answers

    told = asyncio.run(main())
    listed = {one["name"] for one in json.loads(told[1])["result"]["tools"]}
    assert sorted(listed - set(TOOLS)) == [], "a new tool: say in TOOLS how it is called"
    return told[2:] if tool in listed else []


def _marks(told: Sequence[str]) -> list[str]:
    """The answers with a mark in them."""
    return [one for one in told if any(mark in one.lower() for mark in MARKS)]


def test_no_tool_tells_a_word(store: Store, clock: MovableClock) -> None:
    """Reading tools first: what they may not tell, and that they could."""
    settings = store.service.settings
    # Those that quote memories have to show the marks when they are asked to.
    telling = [tool for tool in TOOLS if tool in TELLING]
    for tool in sorted(TOOLS, key=lambda one: one in WRITING):
        told = _answers(store, clock, tool)
        assert (tool, _marks(told)) == (tool, [])
    for tool in telling:
        assert (tool, bool(_marks(_answers(store, clock, tool, include_sensitive=True)))) == (tool, True)
        settings.set("privacy.hide_sensitive", False)
        assert (tool, bool(_marks(_answers(store, clock, tool)))) == (tool, True)
        settings.set("privacy.hide_sensitive", True)
        assert (tool, _marks(_answers(store, clock, tool))) == (tool, [])


@pytest.mark.parametrize("own_statistics", [2_000, 0], ids=["small", "as in a large store"])
def test_a_question_about_a_hidden_word_is_answered_like_nonsense(
    store: Store, monkeypatch: pytest.MonkeyPatch, own_statistics: int
) -> None:
    """Counts, scores, what stands beside: nothing says whether a guess was right."""
    monkeypatch.setattr(document, "OWN_STATISTICS", own_statistics)
    ask = store.service.recall
    for mark in MARKS:
        asked, other = (
            ask(Query(word, k=50, near_misses=50, filters=Filters(scope=ALL_SCOPES), explain=True)).result(WAIT)
            for word in (mark, NONSENSE)
        )
        assert asked.hidden == other.hidden == 6
        # The bag embedder gives every text some likeness; by words nothing is found.
        for answer in (asked, other):
            held = {one.memory_id for one in answer.near_misses} | {hit.memory.id for hit in answer.hits}
            assert not held & set(store.secret.values())
            assert all(channel.name == "vector" for hit in answer.hits for channel in hit.explanation.channels)  # type: ignore[union-attr]
            assert "sensitivity" not in {one.reason for one in answer.near_misses}
    graph = store.service.graph
    seen = Filters(scope=ALL_SCOPES, sensitivities=store.service.sensitivities(False))
    # Not the third: a person called a known entity by it, so it leads there, although it is never shown.
    for word in (*MARKS[:2], NONSENSE):
        assert graph.entities(word, (), 20, seen).result(WAIT) == ()


def test_the_same_question_with_another_right_is_not_answered_from_the_cache(store: Store) -> None:
    question = Query("harbour clinic", k=50)
    settings = store.service.settings
    settings.set("recall.cache_seconds", 45.0)
    settings.set("recall.reinforce", False)
    secret = set(store.secret.values())

    def seen(include: bool) -> bool:
        found = store.service.recall(Query("harbour clinic", k=50, include_sensitive=include)).result(WAIT)
        return bool({hit.memory.id for hit in found.hits} & secret)

    for _ in range(2):
        assert seen(True) and not seen(False)
        settings.set("privacy.hide_sensitive", False)
        assert seen(True) and seen(False)
        settings.set("privacy.hide_sensitive", True)
    assert store.service.recall(question).result(WAIT).cached


# Reads that obey the policy: called with what hides, and with what shows.
Read = Callable[[Store, bool], Future[Any]]
READS: Mapping[str, Read] = {
    "recall": lambda store, all_: store.service.recall(
        Query("harbour clinic", 50, near_misses=50, explain=True, budget=None, include_sensitive=all_)
    ),
    "list": lambda store, all_: store.service.list(Listing(_filters(store, all_))),
    "surfacing.breathe": lambda store, all_: store.service.surfacing.breathe(
        BreathQuery(budget=9000, recent=50, include_sensitive=all_)
    ),
    "surfacing.reminders": lambda store, all_: store.service.surfacing.reminders(days=9, include_sensitive=all_),
    "surfacing.slip": lambda store, all_: store.service.surfacing.slip(
        Filters(categories=(f"{MARKS[0]} fact",)), include_sensitive=all_
    ),
    "graph.entities": lambda store, all_: store.service.graph.entities(
        "", ("topic", "person", "fact"), 200, _filters(store, all_)
    ),
    "graph.neighbourhood": lambda store, all_: store.service.graph.neighbourhood(
        _anna(store), 3, 200, _filters(store, all_)
    ),
    "graph.of_memory": lambda store, all_: store.service.graph.of_memory(store.secret["fact"], _filters(store, all_)),
    "graph.search_atoms": lambda store, all_: store.service.graph.search_atoms(
        AtomQuery("meet Anna harbour clinic", 50, _filters(store, all_))
    ),
    "searches.search": lambda store, all_: store.service.searches.search("harbour clinic", 50, include_sensitive=all_),
    "searches.by_tag": lambda store, all_: store.service.searches.by_tag(
        f"{MARKS[0]} fact tags", include_sensitive=all_
    ),
    "searches.filtered": lambda store, all_: store.service.searches.filtered(
        FilteredSearch("harbour clinic"), include_sensitive=all_
    ),
    "searches.patterns": lambda store, all_: store.service.searches.patterns(keywords=100, include_sensitive=all_),
    "searches.scored": lambda store, all_: store.service.searches.scored("harbour clinic", 20, include_sensitive=all_),
    "searches.timeline": lambda store, all_: store.service.searches.timeline(include_sensitive=all_),
}
# Writes, counts without words, and what only the windows ask (they show everything), each by name.
UNGOVERNED = {
    "graph", "surfacing", "summaries", "settings", "data", "open", "close", "subscribe", "reindex", "idle",
    "prepare_recall", "memorize", "edit", "trash", "restore", "erase", "forget", "undo", "undo_latest", "ids",
    "count", "status", "sensitivities", "get", "get_many", "replaced_by", "facets", "history", "graph.aliases",
    "graph.atoms", "graph.merge", "graph.rename", "graph.split", "graph.set_alias", "graph.drop_alias", "graph.path",
    "summaries.available", "summaries.close", "summaries.draft", "searches", "searches.calendar",
}  # fmt: skip
# Areas whose reads are proven in ``test_redaction_areas.py``, and those that tell ids and counts only.
ELSEWHERE = {"digests", "candidates", "topics", "user_model", "review", "forgetting", "undoing", "suggestions"}


def _filters(store: Store, everything: bool) -> Filters:
    return Filters(scope=ALL_SCOPES, sensitivities=store.service.sensitivities(everything))


def _anna(store: Store) -> int:
    return store.service.graph.entities("Anna", ("person",), 1, ALL).result(WAIT)[0].id


def test_every_read_of_the_engine_is_known_here(store: Store) -> None:
    names: set[str] = set()
    for name in (one for one in dir(store.service) if not one.startswith("_")):
        names.add(name)
        area = getattr(store.service, name)
        if name in ELSEWHERE or callable(area) or not type(area).__module__.startswith("engine."):
            continue
        if name != "settings":
            names |= {f"{name}.{verb}" for verb in dir(area) if not verb.startswith("_")}
    unknown = names - READS.keys() - UNGOVERNED - ELSEWHERE
    assert sorted(unknown) == [], "new: say in READS how it is asked, or in UNGOVERNED why it need not be"


def test_no_read_of_the_engine_tells_a_word(store: Store) -> None:
    for name, read in READS.items():
        assert (name, _marks([repr(read(store, False).result(WAIT))])) == (name, [])
        assert (name, bool(_marks([repr(read(store, True).result(WAIT))]))) == (name, True)


def test_a_path_does_not_lead_through_a_hidden_memory(store: Store) -> None:
    graph = store.service.graph
    (end,) = graph.entities("Vexilbrond state", ("person",), 1, ALL).result(WAIT)
    assert graph.path(_anna(store), end.id, 4, _filters(store, True)).result(WAIT).relations
    with pytest.raises(Exception, match="not_found"):
        graph.path(_anna(store), end.id, 4, _filters(store, False)).result(WAIT)


def test_a_sensitive_telling_makes_sensitive_what_it_goes_into(service: Service) -> None:
    for content, telling in (
        ("The user likes to drink iced americano", "The user likes to drink iced americano, especially in summer"),
        ("小林住在北京", "小林住在北京"),
        ("Tom is on holiday", "Tom is on holiday"),
    ):
        first = service.memorize(Draft(content), CLIENT).result(WAIT).memory
        again = service.memorize(Draft(telling, sensitivity="high"), CLIENT).result(WAIT)
        assert again.outcome in ("merged", "reinforced") and again.memory.id == first.id
        assert again.memory.sensitivity == "high"
        assert content not in [hit.memory.content for hit in service.recall(Query(content)).result(WAIT).hits]


def test_the_log_tells_nothing(store: Store, clock: MovableClock, tmp_path: Path) -> None:
    """As the host sets it up, but at DEBUG: every tool, a failing one, and a bug whose message quotes a memory."""
    root = logging.getLogger()
    before = (
        root.level,
        list(root.handlers),
        {name: logging.getLogger(name).level for name in ("mcp", "jieba", "httpx")},
    )
    try:
        app_log.set_up(str(tmp_path), foreground=False)
        root.setLevel(logging.DEBUG)
        listening = store.service.subscribe(_quoting_bug)
        for tool in ("memorize", "recall", "list_memories", "breath", "relations", "edit_memory", "forget_memory"):
            _answers(store, clock, tool)
        listening()
        store.service.close()
    finally:
        for handler in root.handlers:
            handler.flush()
            if handler not in before[1]:
                handler.close()
        root.handlers[:] = before[1]
        root.setLevel(before[0])
        for name, level in before[2].items():
            logging.getLogger(name).setLevel(level)
        logging.captureWarnings(False)
    written = Path(paths.log_file(str(tmp_path))).read_text(encoding="utf-8")
    assert "a listener failed" in written
    assert _marks([written]) == []


def _quoting_bug(changes: Any) -> None:
    raise ValueError(f"could not show {' '.join(MARKS)}")


def test_an_instruction_goes_with_what_is_sensitive(store: Store, clock: MovableClock) -> None:
    store.service.settings.set("privacy.agent_instruction", "Ask the user first. 先问用户。")
    for tool in ("recall", "breath"):
        assert all("Ask the user first. 先问用户。" in one for one in _answers(store, clock, tool))
    store.service.erase([*store.secret.values()], GUI).result(WAIT)
    for tool in ("recall", "breath"):
        assert all("Ask the user" not in one for one in _answers(store, clock, tool))
