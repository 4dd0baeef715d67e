"""The English recall set is sound: ids, dates, successions, labels and counts. What is found is measured elsewhere."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from engine.types import LAYERS

SET = Path(__file__).resolve().parents[2] / "data" / "recall" / "en"
NOW = datetime.fromisoformat("2026-06-01T12:00:00+08:00")
FIRST = datetime.fromisoformat("2024-12-01T00:00:00+08:00")
LEAST = {
    "update": 25, "negation": 18, "date": 25, "same_name": 15, "code": 25,
    "indirect": 25, "mixed": 25, "absent": 25, "plain": 22, "multi": 15,
}  # fmt: skip
MEMORY_FIELDS = {
    "id", "content", "title", "tags", "topics", "participants", "layer", "category", "importance",
    "event_time", "created_at", "conversation_id", "session_id", "replaces",
}  # fmt: skip
QUESTION_FIELDS = {"id", "kind", "question", "asked_at", "answers", "not", "grade", "part"}
FUNCTION_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an the i me my we us our you your he him his she her it its they them their who whom whose what which when "
        "where why how is are was were be am do does did have has had will would can could should may must to of in "
        "on at by for from with about into out up and or but not no so if as than then that this these those there now",
    )
)

Row = dict[str, Any]


def rows(name: str) -> list[Row]:
    return [json.loads(line) for line in (SET / name).read_text("utf-8").splitlines()]


def at(stamp: str) -> datetime:
    moment = datetime.fromisoformat(stamp)
    assert moment.tzinfo is not None, stamp
    return moment


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text.lower())) - FUNCTION_WORDS


@pytest.fixture(scope="module")
def memories() -> dict[str, Row]:
    found = rows("memories.jsonl")
    by_id = {row["id"]: row for row in found}
    assert len(by_id) == len(found) >= 320
    return by_id


@pytest.fixture(scope="module")
def questions() -> list[Row]:
    found = rows("questions.jsonl")
    assert len({row["id"] for row in found}) == len(found) >= 220
    return found


def test_memories_are_what_a_writer_could_offer(memories: dict[str, Row]) -> None:
    assert len({row["content"] for row in memories.values()}) == len(memories)
    for row in memories.values():
        assert set(row) <= MEMORY_FIELDS, row["id"]
        assert 8 <= len(row["content"]) <= 400, row["id"]
        assert FIRST <= at(row["created_at"]) < NOW, row["id"]
        assert "event_time" not in row or at(row["event_time"]), row["id"]
        assert row.get("layer", "fact") in LAYERS, row["id"]
        assert 0 <= row.get("importance", 0.5) <= 1, row["id"]
        assert ("session_id" in row) <= ("conversation_id" in row), row["id"]
        for field in ("tags", "topics", "participants"):
            assert all(isinstance(value, str) and value for value in row.get(field, [])), row["id"]


def test_memories_stand_in_the_order_of_writing(memories: dict[str, Row]) -> None:
    stamps = [at(row["created_at"]) for row in memories.values()]
    assert stamps == sorted(stamps)


def test_each_replaced_memory_is_older_and_replaced_once(memories: dict[str, Row]) -> None:
    replaced = [row["replaces"] for row in memories.values() if "replaces" in row]
    assert len(set(replaced)) == len(replaced) >= LEAST["update"]
    for row in memories.values():
        if "replaces" in row:
            assert at(memories[row["replaces"]]["created_at"]) < at(row["created_at"]), row["id"]


def test_labels_name_memories_that_still_hold(memories: dict[str, Row], questions: list[Row]) -> None:
    replaced = {row["replaces"] for row in memories.values() if "replaces" in row}
    for row in questions:
        answers, others = row["answers"], row.get("not", [])
        assert set(row) <= QUESTION_FIELDS, row["id"]
        assert len(set(answers)) == len(answers) and len(set(others)) == len(others), row["id"]
        assert {*answers, *others} <= memories.keys(), row["id"]
        assert not set(answers) & (set(others) | replaced), row["id"]
        assert (row["kind"] == "absent") == (not answers), row["id"]
        assert row["kind"] != "multi" or len(answers) >= 2, row["id"]
        if "grade" in row:
            assert set(row["grade"]) == set(answers) and set(row["grade"].values()) <= {1, 2}, row["id"]
            assert 2 in row["grade"].values(), row["id"]


def test_an_update_names_what_its_answer_replaced(memories: dict[str, Row], questions: list[Row]) -> None:
    for row in questions:
        if row["kind"] == "update":
            olds = {memories[answer].get("replaces") for answer in row["answers"]} - {None}
            assert olds & set(row.get("not", [])), row["id"]


def test_a_question_of_an_earlier_day_is_answered_by_what_was_known(
    memories: dict[str, Row], questions: list[Row]
) -> None:
    for row in questions:
        asked = at(row.get("asked_at", NOW.isoformat()))
        assert asked <= NOW
        assert all(at(memories[answer]["created_at"]) <= asked for answer in row["answers"]), row["id"]
    assert len({(row["question"], row.get("asked_at")) for row in questions}) == len(questions)


def test_kinds_are_all_there_and_every_third_is_held(questions: list[Row]) -> None:
    counts = Counter(row["kind"] for row in questions)
    assert counts.keys() == LEAST.keys()
    assert {kind: counts[kind] for kind in LEAST if counts[kind] < LEAST[kind]} == {}
    parts: dict[str, list[str]] = defaultdict(list)
    for row in questions:
        parts[row["kind"]].append(row["part"])
    for kind, given in parts.items():
        assert given == ["held" if place % 3 == 0 else "dev" for place in range(1, len(given) + 1)], kind
    han = [row for row in questions if row["kind"] == "mixed" and len(re.findall("[一-鿿]", row["question"])) >= 5]
    assert len(han) >= 12


def test_questions_are_not_their_answers_in_other_order(memories: dict[str, Row], questions: list[Row]) -> None:
    said = {key: words(memory["content"]) for key, memory in memories.items()}
    shares, misled = [], 0
    for row in questions:
        asked = words(row["question"])
        if not row["answers"] or not asked:
            continue
        told = {key: asked & each for key, each in said.items()}
        shares.append(max(len(told[answer]) for answer in row["answers"]) / len(asked))
        helpful = set().union(*(told[answer] for answer in row["answers"]))
        misled += bool(row.get("not")) or any(told[key] & helpful for key in memories.keys() - set(row["answers"]))
    assert median(shares) < 0.5
    assert misled * 2 >= len(shares)
