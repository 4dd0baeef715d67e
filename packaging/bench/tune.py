"""bench tune: what each parameter of recall is worth, on all sets and on the own set's part "dev".

Asks every question once through the product and keeps what recall had before it: the candidates with both channels,
their signals and leads. Then it ranks them again under other parameters, with the product's own ranking, which costs
milliseconds. What changes the candidates themselves can not be judged so (``bench recall --set`` does).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import own
import recall as bench
from metrics import bootstrap, judge, resampled
from numpy.typing import NDArray

from engine import Service, Settings
from engine.embedding import Embedder
from engine.retrieval import diversify
from engine.retrieval import recall as product
from engine.retrieval.ranking import Ranking
from engine.text import terms
from engine.types import Query, Recollection

METRIC = "nDCG@10"
K = 10
# Each parameter's values, the simplest first: what does least, or what needs no figure.
GRID: Mapping[str, Sequence[float]] = {
    "recall.lexical_share": (0.5, 0.2, 0.3, 0.4, 0.6),
    "recall.weight_importance": (0.0, 0.015, 0.03, 0.06, 0.12),
    "recall.weight_recency": (0.0, 0.015, 0.03, 0.06, 0.12),
    "recall.mmr_lambda": (1.0, 0.95, 0.9, 0.8, 0.7),
    "recall.boost_time": (0.0, 0.1, 0.2, 0.3, 0.5),
    "recall.boost_phrase": (0.0, 0.2, 0.3, 0.5, 0.8),
    "recall.boost_name": (0.0, 0.1, 0.2, 0.3, 0.5),
    "recall.boost_past": (0.0, 0.1, 0.2, 0.4),
    "recall.across_languages": (False, True),
}


@dataclass(frozen=True, slots=True)
class Question:
    """A question and what recall weighed for it. ``arguments``: those of ``Ranking``; ``answers``: by memory, the ids
    that it answers for; ``bags``: by memory, its terms.
    """

    arguments: tuple[Any, ...]
    answers: Mapping[int, frozenset[str]]
    bags: Mapping[int, frozenset[str]]
    relevant: frozenset[str]
    grades: Mapping[str, float]


class Listening:
    """Stands where recall makes its ranking, and keeps what it was made of."""

    def __init__(self) -> None:
        self.heard: list[tuple[Any, ...]] = []

    def __call__(self, *arguments: Any) -> Ranking:
        self.heard.append(arguments)
        return Ranking(*arguments)


def gather(places: Sequence[Path], own_folder: Path, embedder: Embedder) -> dict[str, list[Question]]:
    """Every question that has an answer, by set."""
    found: dict[str, list[Question]] = {}
    for place in places:
        with listening() as kept:
            bench.measure(place, embedder)
        queries = bench.lines(place / "queries.jsonl")
        found[place.name] = [
            _question(part, frozenset(query["relevant"]), {})
            for query, part in zip(queries, kept, strict=True)
            if str(query.get("category", "")) != bench.ADVERSARIAL
        ]
    for language in own.LANGUAGES:
        with listening() as kept:
            asked = own.measure(own_folder / language, embedder, ("dev",))
        found[f"own {language}"] = [
            _question(part, frozenset(one.question["answers"]), one.question.get("grade", {}))
            for one, part in zip(asked, kept, strict=True)
            if one.question["kind"] != own.ABSENT
        ]
    return found


Heard = tuple[tuple[Any, ...], dict[int, frozenset[str]], dict[int, frozenset[str]]]


@contextlib.contextmanager
def listening() -> Iterator[list[Heard]]:
    """What each recall weighed, with the answers and the terms of its candidates, in the order of asking."""
    kept: list[Heard] = []
    ear = Listening()
    ask = Service.recall

    def recall(service: Service, query: Query) -> Future[Recollection]:
        answer = ask(service, query)
        answer.result()
        arguments = ear.heard.pop()
        rows = service.get_many(arguments[0].ids.tolist()).result()
        answers = {key: frozenset(row.external_ids) for key, row in rows.items()}
        kept.append((arguments, answers, {key: terms.bag(row.content) for key, row in rows.items()}))
        return answer

    with mock.patch.object(product, "Ranking", ear), mock.patch.object(Service, "recall", recall):
        yield kept


def _question(heard: Heard, relevant: frozenset[str], grades: Mapping[str, float]) -> Question:
    return Question(*heard, relevant, grades)


def ranked(question: Question, values: Mapping[str, Any]) -> list[frozenset[str]]:
    """What recall would show first under ``values`` in place of its own, as the ids answered for."""
    found, weighs, before, *rest = question.arguments
    now = {**dict(before), **values}
    best = Ranking(found, weighs, now, *rest).best(max(K * product.POOL, product.LEAST_POOL))
    bags = [question.bags.get(one.id, frozenset()) for one in best]
    chosen = diversify.select([one.score for one in best], bags, K, float(now["recall.mmr_lambda"]))
    return [question.answers.get(best[at].id, frozenset()) for at, _ in chosen]


def scores(asked: Mapping[str, Sequence[Question]], values: Mapping[str, Any]) -> dict[str, NDArray[np.float64]]:
    """``METRIC`` in percent of each question [n] by set."""
    return {
        name: np.array([100 * judge(ranked(one, values), one.relevant, one.grades)[METRIC] for one in questions])
        for name, questions in asked.items()
        if questions
    }


def search(asked: Mapping[str, Sequence[Question]], grid: Mapping[str, Sequence[Any]] = GRID) -> dict[str, Any]:
    """By parameter, all others at their defaults: "now", "chosen", and for each value its mean over the sets, how far
    that is "against" the simplest with the paired bootstrap 95 % interval, and the mean of each set.

    Chosen is the value of the highest mean over the sets, unless its interval holds 0: then the simplest.
    """
    settings = Settings()
    result: dict[str, Any] = {}
    for name, values in grid.items():
        tried = {value: scores(asked, {name: value}) for value in values}
        rows = [_row(value, tried[value], tried[values[0]]) for value in values]
        best = max(rows, key=lambda row: row["mean"])
        sure = best["interval"][0] > 0.0
        result[name] = {"now": settings[name], "chosen": best["value"] if sure else values[0], "values": rows}
    return result


def _row(
    value: Any, found: Mapping[str, NDArray[np.float64]], base: Mapping[str, NDArray[np.float64]]
) -> dict[str, Any]:
    apart = {name: found[name] - base[name] for name in found}
    # Every set counts alike, whatever its size: its questions are drawn again within it.
    drawn = np.mean([resampled(one, seed) for seed, one in enumerate(apart.values())], axis=0)
    low, high = np.percentile(drawn, [2.5, 97.5])
    return {
        "value": value,
        "mean": round(float(np.mean([one.mean() for one in found.values()])), 3),
        "against": round(float(np.mean([one.mean() for one in apart.values()])), 3),
        "interval": (round(float(low), 3), round(float(high), 3)),
        "sets": {name: round(float(one.mean()), 2) for name, one in found.items()},
        "apart": {name: (round(float(one.mean()), 2), *bootstrap(one.tolist())) for name, one in apart.items()},
    }
