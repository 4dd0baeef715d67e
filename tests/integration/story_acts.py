"""What the people of a story do beside telling: they look for secrets, decide, settle, undo, sum up, and look around.

Each act notes what was seen; ``story_checks.py`` judges it. Must not assert.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.types import ALL_SCOPES, Actor, Filters, Query
from tests.integration.story import WAIT, WINDOW, Act, Story

CLIENT = Actor("client", "reviewer")
Notes = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plot:
    """Names by the keys of the story. ``secrets``: key → the question that would find it; ``sleeper``: key → the same.

    ``met``: two people, strangers until ``meeting`` (a day); ``wrong``: (the truth, what replaced it by mistake);
    ``cluster``: memories of one matter and ``summary``, the text that stands for them; ``weekly``: the period.
    """

    secrets: Mapping[str, str]
    sleeper: tuple[str, str]
    met: tuple[str, str]
    meeting: int
    settled: str
    wrong: tuple[str, str]
    cluster: frozenset[str]
    summary: str


def acts_of(plot: Plot, more: Mapping[int, Act]) -> dict[int, Act]:
    """Day → what is done on its evening; ``more`` are a story's own, on days of their own."""

    def meet_later(story: Story, notes: Notes) -> None:
        notes["met"] = (plot.met, _path(story, plot.met)[0])

    def met(story: Story, notes: Notes) -> None:
        notes["met"] = (*notes["met"], _path(story, plot.met))

    acts: dict[int, Act] = {
        6: _paused,
        7: lambda story, notes: _look_for_secrets(story, notes, plot),
        10: _decide_offers,
        14: meet_later,
        15: _look_at_the_week,
        plot.meeting: met,
        21: lambda story, notes: _wake(story, notes, plot.sleeper),
        24: lambda story, notes: _settle(story, notes, plot.settled),
        27: lambda story, notes: _undo(story, notes, plot.wrong),
        28: lambda story, notes: _sum_up(story, notes, plot),
        30: _look_around,
    }
    return acts | dict(more)


def _paused(story: Story, notes: Notes) -> None:
    text = next(row["content"] for row in story.rows if row.get("refused"))
    notes["paused"] = [hit.text for hit in story.ask(text, 10, ALL_SCOPES).hits if hit.memory.content == text]


def _look_for_secrets(story: Story, notes: Notes, plot: Plot) -> None:
    asked = plot.secrets.items()
    notes["secrets shown"] = {key: story.found(ask, include_sensitive=True) for key, ask in asked}
    notes["secrets hidden"] = {key: story.found(ask, 10) for key, ask in asked}
    sources = [story.service.digests.sources(1, story.date(day).isoformat()).result(WAIT) for day in range(1, 8)]
    notes["digest sources"] = [story.key(memory.id) for one in sources for memory in one.sources]


def _decide_offers(story: Story, notes: Notes) -> None:
    offers = {one["key"]: one["content"] for row in story.rows for one in row.get("offers", ())}
    pending = {one.draft.content: one.id for one in story.offered[10].pending}
    approved = story.service.review.approve(f"candidate:{pending[offers['o_yes']]}", CLIENT).result(WAIT)
    story.service.review.dismiss(f"candidate:{pending[offers['o_no']]}", CLIENT).result(WAIT)
    notes["approved"] = approved.outcome
    notes["offers found"] = [
        any(hit.memory.content == offers[key] for hit in story.ask(offers[key], 10).hits)
        for key in ("o_yes", "o_no", "o_drop")
    ]


def _look_at_the_week(story: Story, notes: Notes) -> None:
    due = story.service.digests.due().result(WAIT)
    notes["week waits"] = [period.period for one in due if one.level == 2 for period in one.periods]
    sources = story.service.digests.of(story.id("w11")).result(WAIT).sources
    digests = story.service.digests.of(story.id("d8")).result(WAIT).digests
    notes["week of"] = ([story.key(one.id) for one in sources], [story.key(one.id) for one in digests])


def _path(story: Story, names: tuple[str, str]) -> tuple[list[str], list[int]]:
    """(the names from one to the other, the memories that prove the first step)."""
    one, other = (story.person(name).id for name in names)
    path = story.service.graph.path(one, other).result(WAIT)
    evidence = list(path.relations[0].evidence) if path.relations else []
    return [entity.name for entity in path.entities], evidence


def _wake(story: Story, notes: Notes, sleeper: tuple[str, str]) -> None:
    key, ask = sleeper
    before = story.memory(key).status
    hits = story.service.recall(Query(ask, k=3, filters=Filters())).result(WAIT).hits
    story.service.idle().result(WAIT)
    notes["woken"] = {key: (before, [story.key(hit.memory.id) for hit in hits], story.memory(key).status)}


def _settle(story: Story, notes: Notes, key: str) -> None:
    story.service.edit(story.id(key), {"resolved": True}, WINDOW).result(WAIT)
    notes["settled"] = key


def _undo(story: Story, notes: Notes, wrong: tuple[str, str]) -> None:
    right = story.memory(wrong[0])
    notes["replaced by mistake"] = (right.status, right.superseded_by)
    story.service.undo_latest(story.id(wrong[1]), WINDOW).result(WAIT)


def _sum_up(story: Story, notes: Notes, plot: Plot) -> None:
    items = story.review("cluster")
    best = max(items, key=lambda item: len(plot.cluster & {story.key(one.id) for one in item.memories}))
    done = story.service.review.approve(best.id, CLIENT, plot.summary).result(WAIT)
    kept = {story.service.get(one.id).result(WAIT).status for one in best.memories}
    notes["consolidated"] = (done.outcome, kept, best.id in [item.id for item in story.review("cluster")])


def _look_around(story: Story, notes: Notes) -> None:
    topics = story.service.topics
    tree = topics.tree(Filters(statuses=("active", "dormant", "superseded"))).result(WAIT)
    everything = Filters(statuses=("active", "dormant", "superseded"))
    notes["topics"] = {
        node.path: [story.key(one.id) for one in topics.memories(node.id, 200, filters=everything).result(WAIT)]
        for node in tree
    }
    traits = story.service.user_model.top().result(WAIT).items
    notes["traits"] = [(one.trait, int(one.weight)) for one in traits]
