"""The Chinese recall set is sound: ids, labels, dates and replacements hold together. It judges data, never recall."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "data" / "recall" / "zh"
NOW = datetime.fromisoformat("2026-06-01T12:00:00+08:00")
SPAN = timedelta(days=550)
LEAST = {
    "update": 25,
    "negation": 18,
    "date": 25,
    "same_name": 15,
    "code": 25,
    "indirect": 25,
    "mixed": 25,
    "absent": 25,
    "plain": 22,
    "multi": 15,
}
MEMORY_FIELDS = {
    *("id", "content", "title", "tags", "topics", "participants", "layer", "category", "importance"),
    *("event_time", "created_at", "conversation_id", "session_id", "replaces"),
}
QUESTION_FIELDS = {"id", "kind", "part", "question", "asked_at", "answers", "not", "grade"}

Row = dict[str, Any]


def _rows(name: str) -> list[Row]:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def memories() -> dict[str, Row]:
    rows = _rows("memories.jsonl")
    by_id = {row["id"]: row for row in rows}
    assert len(by_id) == len(rows) >= 320
    return by_id


@pytest.fixture(scope="module")
def questions() -> list[Row]:
    rows = _rows("questions.jsonl")
    assert len({row["id"] for row in rows}) == len(rows) >= 220
    assert len({row["question"] for row in rows}) == len(rows)
    return rows


def _when(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    assert moment.utcoffset() is not None, text
    return moment


def test_memories_are_whole(memories: dict[str, Row]) -> None:
    assert len({row["content"] for row in memories.values()}) == len(memories)
    for row in memories.values():
        assert set(row) <= MEMORY_FIELDS, row["id"]
        assert 8 <= len(row["content"]) <= 400, row["id"]
        assert row.get("layer", "fact") in {"fact", "state", "event", "decision"}, row["id"]
        assert 0 <= row.get("importance", 0.5) <= 1, row["id"]
        assert ("conversation_id" in row) == ("session_id" in row), row["id"]


def test_most_memories_are_short_notes(memories: dict[str, Row]) -> None:
    lengths = [len(row["content"]) for row in memories.values()]
    assert sum(20 <= length <= 120 for length in lengths) > len(lengths) / 2


def test_dates_carry_an_offset_and_stay_in_the_eighteen_months(memories: dict[str, Row]) -> None:
    created = [_when(row["created_at"]) for row in memories.values()]
    assert min(created) >= NOW - SPAN
    assert max(created) < NOW
    assert max(created) - min(created) > timedelta(days=500)
    for row in memories.values():
        if "event_time" in row:
            _when(row["event_time"])


def test_a_replacement_is_younger_and_nothing_is_replaced_twice(memories: dict[str, Row]) -> None:
    pairs = [(row, memories[row["replaces"]]) for row in memories.values() if "replaces" in row]
    assert len({old["id"] for _, old in pairs}) == len(pairs) >= 25
    for new, old in pairs:
        assert _when(old["created_at"]) < _when(new["created_at"]), new["id"]


def test_labels_point_to_memories(memories: dict[str, Row], questions: list[Row]) -> None:
    for row in questions:
        answers, below = row["answers"], row.get("not", [])
        assert set(row) <= QUESTION_FIELDS, row["id"]
        assert {*answers, *below} <= set(memories), row["id"]
        assert len(set(answers)) == len(answers), row["id"]
        assert not set(answers) & set(below), row["id"]
        if "grade" in row:
            assert set(row["grade"]) == set(answers), row["id"]
            assert set(row["grade"].values()) <= {1, 2}, row["id"]
            assert 2 in row["grade"].values(), row["id"]
        if "asked_at" in row:
            assert all(_when(memories[i]["created_at"]) < _when(row["asked_at"]) <= NOW for i in answers), row["id"]


def test_each_kind_has_its_number_and_its_held_third(questions: list[Row]) -> None:
    counts = Counter(row["kind"] for row in questions)
    assert set(counts) == set(LEAST)
    assert {kind: n for kind, n in counts.items() if n < LEAST[kind]} == {}
    seen: Counter[str] = Counter()
    for row in questions:
        seen[row["kind"]] += 1
        assert row["part"] == ("held" if seen[row["kind"]] % 3 == 0 else "dev"), row["id"]


def test_kinds_mean_what_they_say(memories: dict[str, Row], questions: list[Row]) -> None:
    for row in questions:
        kind, answers = row["kind"], row["answers"]
        assert (answers == []) == (kind == "absent"), row["id"]
        if kind == "update":
            replaced = {memories[i].get("replaces") for i in answers}
            assert set(row["not"]) <= replaced, row["id"]
        if kind == "multi":
            assert len(answers) >= 2, row["id"]
    other = [row for row in questions if row["kind"] == "mixed" and not re.search(r"[\u4e00-\u9fff]", row["question"])]
    assert len(other) >= 12


def test_questions_seldom_repeat_the_words_of_their_answer(memories: dict[str, Row], questions: list[Row]) -> None:
    """Share of a question's character pairs (Han) and words (Latin) that its best answer holds; the median is low."""
    shares = []
    for row in questions:
        asked = _pieces(row["question"])
        told = [_pieces(memories[i]["content"] + memories[i].get("title", "")) for i in row["answers"]]
        if asked and told:
            shares.append(max(len(asked & pieces) for pieces in told) / len(asked))
    assert median(shares) < 0.5


def _pieces(text: str) -> set[str]:
    runs = re.findall(r"[\u4e00-\u9fff]+", text)
    return set(re.findall(r"[a-z0-9_]{2,}", text.lower())) | {r[i : i + 2] for r in runs for i in range(len(r) - 1)}
