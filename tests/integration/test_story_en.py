"""Thirty days of a pastry cook's life in Leeds, and sixty asleep, in English: what is recalled, comes up, sleeps, is
replaced, hidden and offered at each stage. The clocks go back on day 21.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, ClassVar

import pytest

from engine.types import ALL_SCOPES
from tests.integration.story import WAIT, WINDOW, Life, Story, live
from tests.integration.story_acts import Plot, acts_of
from tests.integration.story_checks import MISSED_ANSWER, MISSED_CHANGE, StoryChecks

PLOT = Plot(
    secrets={
        "alarm": "What is the alarm code of the bakery unit?", "token": "Which token does the till's export use?",
        "ring": "Is there a surprise party being planned?",
    },
    sleeper=("s_pigeon", "the pigeon that walked into the shop"),
    met=("Joel Whitcombe", "Priya Nair"),
    meeting=18,
    settled="lump",
    wrong=("band3", "band_wrong"),
    cluster=frozenset(f"starter{number}" for number in range(1, 6)),
    summary="The starter went sour and collapsed in the cold; fed with Joel's rye and kept warm it rises well again.",
)  # fmt: skip


def names(story: Story, notes: dict[str, Any]) -> None:
    """Two people of one name stay two, and one of two names is one."""
    graph = story.service.graph
    sams = graph.entities("Sam", ("person",)).result(WAIT)
    notes["of one name"] = {entity.name for entity in sams}
    graph.merge([story.person("Mags").id], story.person("Margaret Tolland").id, WINDOW).result(WAIT)
    notes["of two names"] = [entity.name for entity in graph.entities("Mags", ("person",)).result(WAIT)][:1]


def scopes(story: Story, notes: dict[str, Any]) -> None:
    """What belongs to a conversation is seen there, and nowhere else."""
    ask = "What is the ferry called that waits for the gulls?"
    notes["scopes"] = [story.found(ask, scope=scope) for scope in ("lyrics", "dough tests", None, ALL_SCOPES)]


@pytest.fixture(scope="module")
def life() -> Iterator[Life]:
    with tempfile.TemporaryDirectory(prefix="hupo-story-") as directory:
        acts = acts_of(PLOT, {16: names, 12: scopes})
        yield live(Path(directory), "en", date(2026, 10, 5), "Europe/London", acts)


class TestStory(StoryChecks):
    chains = (
        ("band1", "band2", "band3"), ("run1", "run2", "run3"), ("shift1", "shift2", "shift3"), ("tea1", "tea3"),
        ("car1", "car2"), ("dose1", "dose2"), ("nan1", "nan2"), ("rent1", "rent2"),
        ("plan_drill", "drill_moved"), ("plan_whitby", "whitby_off"),
    )  # fmt: skip
    unreplaced = (
        ("tea1", "tea2"), ("tea2", "tea3"), ("sleep1", "sleep2"), ("samw", "chef2"),
    )  # fmt: skip
    plans: ClassVar = {
        "plan_vet": 12, "plan_biopsy": 17, "plan_stall": 15, "plan_gig": 20, "drill_moved": 24, "interview": 26,
        "plan_crane": 31, "plan_bday": 33,
    }  # fmt: skip
    not_due = ("mateo_trip", "oven")
    unasked = (
        "What does Dara drink in the morning?", "Who is head chef at the Copper Kettle now?",
        "What does Dara drink in the morning now?", "Is Dara sleeping well?",
    )  # fmt: skip
    secrets = ("alarm", "token", "ring")
    never_asleep = ("dog", "first_loaf", "fire", "stall_yes")
    profile = ("me", "mateo", "flat", "dog", "joel")
    worries = ("fire", "lump", "owen_knee")
    traits = (("patient with dough", 3), ("keeps promises", 2), ("worries about the dog", 1))
    wrong = PLOT.wrong
    cluster: ClassVar = set(PLOT.cluster)
    weeks = ("2026-10-05", "2026-W42")

    def test_a_conversation_keeps_its_own(self, life: Life) -> None:
        own, other, wide, every = life.notes["scopes"]
        assert "c2b" in own and "c2b" in every
        assert not {"c2a", "c2b", "c2c"} & {*other, *wide}

    def test_names_are_what_people_decide(self, life: Life) -> None:
        assert life.notes["of one name"] >= {"Sam Whitlock", "Sam Doyle"}
        assert life.notes["of two names"] == ["Margaret Tolland"]

    def test_what_is_pinned_is_always_in_mind(self, life: Life) -> None:
        for stage in life.stages.values():
            assert stage.facts[0] == "dog", stage.day

    @pytest.mark.parametrize("ask", unasked)
    @MISSED_ANSWER
    def test_a_question_that_is_answered_badly(self, life: Life, ask: str) -> None:
        assert self.answered(life, ask)

    @pytest.mark.parametrize(("old", "new"), unreplaced)
    @MISSED_CHANGE
    def test_a_change_that_is_missed(self, life: Life, old: str, new: str) -> None:
        assert life.stages[30].memories[old].superseded_by == life.story.id(new)
