"""bench confidence: how well ``engine/retrieval/confidence.py`` knows whether the first hit answers; --train fits it.

The questions are those of the project's own set, asked of the whole life and of small lives of 1–20 of its memories
(behind a filter), with vectors and by words alone. Fitting sees the part "dev" only; "held" judges.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import own
from metrics import auc
from numpy.typing import NDArray
from recall import BENCH, lines

from engine.clock import MovableClock
from engine.embedding import Embedder
from engine.retrieval.confidence import SURE

MODEL = Path(__file__).resolve().parents[2] / "engine" / "retrieval" / "confidence_model.py"
WAYS: dict[str, dict[str, Any]] = {"meaning": {}, "words": {"recall.fusion": "lexical"}}
SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 20)
LIVES = {"dev": 40, "held": 20}
# Each set counts as so many questions, and the slopes are drawn to 0 by this much.
_EACH, _RIDGE = 300.0, 10.0
# Signs that add up to the log-odds without being one.
_BIAS = "usual"


@dataclass(frozen=True, slots=True)
class Row:
    """One question and what is known of its first hit."""

    name: str
    part: str
    way: str
    absent: bool
    right: bool
    value: float
    raw: dict[str, float]


def gather(folder: Path, embedder: Embedder, parts: Sequence[str]) -> list[Row]:
    """Every question of ``parts`` that found anything, in both languages and ways."""
    rows: list[Row] = []
    for language in own.LANGUAGES:
        place = folder / language
        rows += _rows(f"{language} life", own.measure(place, embedder, parts, ways=WAYS))
        rows += _rows(f"{language} small", [one for part in parts for one in _small(place, embedder, part)])
    return rows


def report(rows: Sequence[Row], below: float) -> dict[str, Any]:
    """By way and set: n, right, AUC, Brier; of ``below`` the precision and recall of holding back, of "sure" its
    precision and share; and the reliability table: (mean value, share right, n) by fifths of the value.
    """
    result: dict[str, Any] = {}
    for way in WAYS:
        here = [row for row in rows if row.way == way]
        for name in sorted({row.name for row in here}):
            result[f"{way}, {name}"] = _judged([row for row in here if row.name == name], below)
        result[f"{way}, all"] = _judged(here, below) | {"reliability": _reliability(here)}
    return result


def train(rows: Sequence[Row], embedder: str) -> None:
    """Fit both regressions and write the module."""
    fitted = {}
    for way in WAYS:
        here = [row for row in rows if row.way == way and row.part == "dev" and _complete(row)]
        fitted[way] = fit(here)
    MODEL.write_text(_module(fitted, embedder, len(rows)), encoding="utf-8")


def fit(rows: Sequence[Row]) -> tuple[float, list[tuple[str, float, float]]]:
    """(bias, [(sign, mean, slope)]) by Newton's method on standardised signs, each set of equal weight."""
    names = list(rows[0].raw)
    table = np.array([[row.raw[name] for name in names] for row in rows])
    right = np.array([float(row.right) for row in rows])
    sizes = {name: sum(row.name == name for row in rows) for name in {row.name for row in rows}}
    weight = np.array([_EACH / sizes[row.name] for row in rows])
    mean = np.average(table, axis=0, weights=weight)
    spread = np.sqrt(np.average((table - mean) ** 2, axis=0, weights=weight)) + 1e-9
    signs = np.c_[(table - mean) / spread, np.ones(len(rows))]
    ridge = np.diag([_RIDGE] * len(names) + [0.0])
    slopes = np.zeros(len(names) + 1)
    for _ in range(30):
        chance = 1.0 / (1.0 + np.exp(-signs @ slopes))
        slope = signs.T @ (weight * (right - chance)) - ridge @ slopes
        bend = (signs * (weight * chance * (1.0 - chance))[:, None]).T @ signs + ridge
        slopes += np.linalg.solve(bend, slope)
    found = zip(names, mean.tolist(), (slopes[:-1] / spread).tolist(), strict=True)
    return float(slopes[-1]), list(found)


def _small(place: Path, embedder: Embedder, part: str) -> Iterator[own.Asked]:
    """Small lives, each a conversation of one store: some questions have their answer there, most do not."""
    dice = random.Random(5)
    memories = {one["id"]: one for one in lines(place / "memories.jsonl")}
    questions = [one for one in lines(place / "questions.jsonl") if one["part"] == part]
    answered = [one for one in questions if one["answers"]]
    end = max(own.moment_of(one["created_at"]) for one in memories.values()) + timedelta(days=1)
    with own.opened(embedder, MovableClock(end, own.ZONE), {}) as service:
        for number in range(LIVES[part]):
            size = dice.choice(SIZES)
            chosen = dice.sample(answered, min(2, size))
            wanted = [one["answers"][0] for one in chosen] + dice.sample(sorted(memories), size)
            for key in list(dict.fromkeys(wanted))[:size]:
                told = own.draft(memories[key])
                service.memorize(
                    dataclasses.replace(told, conversation_id=str(number), session_id=None), BENCH
                ).result()
            for question in chosen + dice.sample(questions, 3):
                for way, overrides in WAYS.items():
                    yield own.ask(service, question, str(number), way, overrides)


def _rows(name: str, asked: Sequence[own.Asked]) -> list[Row]:
    return [
        Row(
            name,
            one.question["part"],
            one.way,
            not one.question["answers"],
            one.right,
            one.answer.confidence,
            {sign.name: sign.raw for sign in one.answer.signs if sign.name != _BIAS},
        )
        for one in asked
        if one.answer.hits
    ]


def _complete(row: Row) -> bool:
    """Whether a row of the way "meaning" had vectors for its first hit."""
    return row.way != "meaning" or "lead" in row.raw


def _judged(rows: Sequence[Row], below: float) -> dict[str, Any]:
    right = np.array([row.right for row in rows])
    values = np.array([row.value for row in rows])
    held_back, sure = values < below, values >= SURE
    return {
        "n": len(rows),
        "right": _share(right),
        "AUC": round(100 * auc(right.tolist(), values.tolist()), 1),
        "Brier": round(float(np.mean((right - values) ** 2)), 3),
        "held back": _share(held_back),
        "of these wrong": _share(~right[held_back]),
        "of wrong held back": _share(held_back[~right]),
        "of absent held back": _share(held_back[np.array([row.absent for row in rows])]),
        "sure": _share(sure),
        "of these right": _share(right[sure]),
    }


def _reliability(rows: Sequence[Row]) -> list[tuple[float, float, int]]:
    found = []
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        here = [row for row in rows if low <= row.value < low + 0.2 or (low == 0.8 and row.value == 1.0)]
        if here:
            mean = sum(row.value for row in here) / len(here)
            found.append((round(mean, 2), round(sum(row.right for row in here) / len(here), 2), len(here)))
    return found


def _share(which: NDArray[np.bool_]) -> float:
    """In percent; NaN of none."""
    return round(100 * float(which.mean()), 1) if len(which) else float("nan")


def _module(fitted: dict[str, tuple[float, list[tuple[str, float, float]]]], embedder: str, count: int) -> str:
    parts = [
        '"""What the signs of ``confidence.py`` weigh. Written by ``bench confidence --train``; do not edit.',
        "",
        f"Fitted to {count} answers to the dev questions of the project's own set, in whole and small lives.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from dataclasses import dataclass",
        "from typing import Final",
        "",
        "",
        "@dataclass(frozen=True, slots=True)",
        "class Weights:",
        '    """``terms``: (sign, its mean, slope of the log-odds); ``bias``: the log-odds at the means."""',
        "",
        "    bias: float",
        "    terms: tuple[tuple[str, float, float], ...]",
        "",
        "",
        "# Whose cosines were measured.",
        f'EMBEDDER: Final = "{embedder}"',
    ]
    for way, (bias, terms) in fitted.items():
        rows = [f'        ("{name}", {mean:.5g}, {slope:.5g}),' for name, mean, slope in terms]
        parts += [f"{way.upper()}: Final = Weights(", f"    {bias:.4f},", "    (", *rows, "    ),", ")"]
    return "\n".join(parts) + "\n"
