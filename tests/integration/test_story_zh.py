"""Thirty days of a book restorer's life in Suzhou, and sixty asleep, in Chinese: what is recalled, comes up, sleeps,
is replaced, hidden and offered at each stage.
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
    secrets={"safe": "书房保险柜的密码是多少", "token": "影像系统的接口令牌", "gift": "给丈夫准备了什么生日惊喜"},
    sleeper=("s_cat", "共享单车筐里的三花猫"),
    met=("韩松", "顾清和"),
    meeting=19,
    settled="ct",
    wrong=("piano3", "piano_wrong"),
    cluster=frozenset(f"humid{number}" for number in range(1, 6)),
    summary="三月上半月修复室的除湿机停机、堵水、跳闸，湿度最高到过百分之七十五；换了新机以后稳定在百分之五十五。",
)


def names(story: Story, notes: dict[str, Any]) -> None:
    """Two people of one name are told apart, and one of two names is one."""
    graph = story.service.graph
    one = story.person("老周")
    graph.merge([story.person("周启明").id], one.id, WINDOW).result(WAIT)
    notes["of two names"] = [entity.name for entity in graph.entities("周启明", ("person",)).result(WAIT)][:1]
    both = story.person("王敏")
    graph.split(both.id, WINDOW, memory_ids=[story.id("lead1")]).result(WAIT)
    notes["of one name"] = [
        {entity.id for entity in graph.of_memory(story.id(key)).result(WAIT) if entity.name.startswith("王敏")}
        for key in ("lead1", "teacher")
    ]


def scopes(story: Story, notes: dict[str, Any]) -> None:
    """What belongs to a conversation is seen there, and nowhere else."""
    ask = "会修书的刺猬叫什么名字"
    notes["scopes"] = [story.found(ask, scope=scope) for scope in ("睡前故事", "试验记录", None, ALL_SCOPES)]


@pytest.fixture(scope="module")
def life() -> Iterator[Life]:
    with tempfile.TemporaryDirectory(prefix="hupo-story-") as directory:
        acts = acts_of(PLOT, {16: names, 12: scopes})
        yield live(Path(directory), "zh", date(2026, 3, 2), "Asia/Shanghai", acts)


class TestStory(StoryChecks):
    chains = (
        ("piano1", "piano2", "piano3"), ("run1", "run2", "run3"), ("lead1", "lead2"), ("seat1", "seat2", "seat3"),
        ("coffee1", "coffee2"), ("car1", "car_sold"), ("sleep1", "sleep2"), ("mom_dose1", "mom_dose2"),
        ("mom1", "mom2"), ("plan_drill", "meeting_move"), ("plan_trip", "trip_cancel"),
    )  # fmt: skip
    unreplaced = (
        ("coffee2", "coffee3"),
    )  # fmt: skip
    # The dehumidifier was mended and then replaced: the newer humidity stands for the older.
    also_replaced: ClassVar = {"humid3": "humid5"}
    plans: ClassVar = {
        "plan_knee": 12, "plan_expert": 17, "plan_play": 19, "han_visit": 19, "plan_talk": 24, "meeting_move": 25,
        "plan_pan": 31, "plan_bday": 32,
    }  # fmt: skip
    not_due = ("lens", "order1")  # back on Tuesday; within ten days
    unasked = (
        "若岚现在早上喝什么", "豆豆在幼儿园演的节目怎么样",
    )  # fmt: skip
    secrets = ("safe", "token", "gift")
    never_asleep = ("allergy", "mentor", "lost")
    profile = ("me", "husband", "kid", "zhou", "gu")
    worries = ("lost", "ct", "hus_job")
    traits = (("做事慢而细", 3), ("重承诺", 2), ("容易替家人操心", 1))
    wrong = PLOT.wrong
    cluster: ClassVar = set(PLOT.cluster)
    weeks = ("2026-03-02", "2026-W11")

    def test_a_conversation_keeps_its_own(self, life: Life) -> None:
        own, other, wide, every = life.notes["scopes"]
        assert "c2b" in own and "c2b" in every
        assert not {"c2a", "c2b", "c2c"} & {*other, *wide}

    def test_names_are_what_people_decide(self, life: Life) -> None:
        assert life.notes["of two names"] == ["老周"]
        director, teacher = life.notes["of one name"]
        assert director and teacher and not director & teacher

    @pytest.mark.parametrize("ask", unasked)
    @MISSED_ANSWER
    def test_a_question_that_is_answered_badly(self, life: Life, ask: str) -> None:
        assert self.answered(life, ask)

    @pytest.mark.parametrize(("old", "new"), unreplaced)
    @MISSED_CHANGE
    def test_a_change_that_is_missed(self, life: Life, old: str, new: str) -> None:
        assert life.stages[30].memories[old].superseded_by == life.story.id(new)

    def test_what_is_pinned_is_always_in_mind(self, life: Life) -> None:
        for stage in life.stages.values():
            assert "allergy" in (*stage.facts[:3], *stage.events), stage.day
