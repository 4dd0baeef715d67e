"""bench recall: retrieval quality per set, through the product's own write and recall path.

Each set is a folder with ``corpus.jsonl`` {id, text, date, scope} and ``queries.jsonl`` {id, text, scope, category,
relevant[]}. Records are remembered in the order of their dates with the clock standing at each date; questions are
asked one day after the last record that their scope sees.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from metrics import against, intervals, judge, mean

from engine import Service, Settings
from engine.clock import MovableClock
from engine.config import presets
from engine.embedding import Embedder
from engine.types import Actor, Draft, Filters, Query

USER_WIDE = "*"
ADVERSARIAL = "5"  # LoCoMo's category of questions that have no answer: reported apart
_NO_BOOST = {f"recall.boost_{name}": 0.0 for name in ("time", "phrase", "name", "past")}
COMPARE: dict[str, dict[str, Any]] = {
    "bm25": {"recall.fusion": "lexical"},
    "rrf": {"recall.fusion": "rrf"},
    "dense": {"recall.fusion": "vector"},
    # S0's own figures.
    "aokun": dict(presets.BY_NAME["aokun"].values),
}
# Each part of recall left out in turn.
ABLATE: dict[str, dict[str, Any]] = {
    "no words": {"recall.fusion": "vector"},
    "no meaning": {"recall.fusion": "lexical"},
    "no graph": {"recall.graph_share": 0.0},
    "no importance": {"recall.weight_importance": 0.0},
    "no recency": {"recall.weight_recency": 0.0},
    "no diversity": {"recall.mmr_lambda": 1.0},
    "one language": {"recall.across_languages": False},
    **{f"no {name.removeprefix('recall.boost_')}": {name: 0.0} for name in _NO_BOOST},
    "no boost": _NO_BOOST,
}
WAYS = COMPARE | ABLATE
BENCH = Actor("rule", "bench")


def sets(folder: Path) -> Iterator[Path]:
    """Every folder in ``folder`` (or itself) that holds a set."""
    for place in sorted([folder, *folder.iterdir()]):
        if (place / "corpus.jsonl").is_file() and (place / "queries.jsonl").is_file():
            yield place


def measure(
    place: Path, embedder: Embedder, compare: Sequence[str] = (), values: Mapping[str, Any] | None = None,
    aged: int = 0,
) -> dict[str, Any]:  # fmt: skip
    """One set: {"n", "R@1", …, "intervals", "by_category", "adversarial"?, "compare"?}. ``values``: parameters to set
    first; ``compare``: names of ``WAYS``, each with its distance "against" the defaults, all asked without a trace.

    ``aged``: days that pass, with all their forgetting, before the questions are asked.
    """
    corpus, queries = lines(place / "corpus.jsonl"), lines(place / "queries.jsonl")
    corpus.sort(key=lambda record: record["date"])
    clock = MovableClock(_moment(corpus[0]["date"]))
    settings = Settings()
    settings.update({"memory.vector_wait_ms": 10_000, "recall.cache_seconds": 0, **(values or {})})
    with tempfile.TemporaryDirectory() as folder:
        service = Service.open(Path(folder), settings, embedder_factory=lambda _: Kept(embedder), clock=clock)
        try:
            service.idle().result()
            last = _remember(service, clock, corpus)
            if aged:
                last = _age(service, clock, last, timedelta(days=aged))
            result: dict[str, Any] = {}
            if compare:
                cold = judged(_ask(service, clock, queries, last, {}, warm=False))
                runs = {name: _ask(service, clock, queries, last, WAYS[name], warm=False) for name in compare}
                result["compare"] = {
                    name: summary(rows) | {"against": against(judged(rows), cold)} for name, rows in runs.items()
                }
            return summary(_ask(service, clock, queries, last, {}, warm=True)) | result
        finally:
            service.close()


def _remember(service: Service, clock: MovableClock, corpus: Sequence[Mapping[str, Any]]) -> dict[str, datetime]:
    last: dict[str, datetime] = {}
    for record in corpus:
        moment = _moment(record["date"])
        clock.move_to(moment)
        scope = None if record["scope"] == USER_WIDE else record["scope"]
        draft = Draft(record["text"], conversation_id=scope, external_ids=(record["id"],))
        service.memorize(draft, BENCH).result()
        last[record["scope"]] = moment
    service.idle().result()
    return last


def _age(service: Service, clock: MovableClock, last: Mapping[str, datetime], span: timedelta) -> dict[str, datetime]:
    """Let ``span`` pass since the end of all records; the end of each scope as it looks from then."""
    end = max(last.values())
    clock.move_to(end)
    service.forget().result()
    clock.move_to(end + span)
    service.forget().result()
    return {scope: moment + span for scope, moment in last.items()}


def _ask(
    service: Service, clock: MovableClock, queries: Sequence[Mapping[str, Any]], last: Mapping[str, datetime],
    overrides: Mapping[str, Any], *, warm: bool,
) -> list[tuple[str, dict[str, float]]]:  # fmt: skip
    rows = []
    for question in queries:
        scope = question["scope"]
        seen = [last[name] for name in (scope, USER_WIDE) if name in last]
        clock.move_to((last.get(scope) or max(seen)) + timedelta(days=1))
        filters = Filters(scope=None if scope == USER_WIDE else scope)
        query = Query(question["text"], k=10, filters=filters, budget=None, reinforce=warm, overrides=overrides)
        answer = service.recall(query).result()
        if answer.degraded:
            raise RuntimeError(f"recall was degraded: {answer.degraded}")
        if warm:
            service.idle().result()
        ranked = [set(hit.memory.external_ids) for hit in answer.hits]
        rows.append((str(question.get("category", "")), judge(ranked, set(question["relevant"]))))
    return rows


def summary(rows: Sequence[tuple[str, dict[str, float]]]) -> dict[str, Any]:
    """Means over all (category, metrics) but the adversarial ones, and by category."""
    counting = judged(rows)
    categories = sorted({category for category, _ in rows})
    by_category = {name: mean([row for category, row in rows if category == name]) for name in categories}
    apart = {"adversarial": by_category.pop(ADVERSARIAL)} if ADVERSARIAL in by_category else {}
    return mean(counting) | {"intervals": intervals(counting), "by_category": by_category} | apart


def judged(rows: Sequence[tuple[str, dict[str, float]]]) -> list[dict[str, float]]:
    """The metrics of all questions that have an answer."""
    return [row for category, row in rows if category != ADVERSARIAL]


def lines(path: Path) -> list[dict[str, Any]]:
    """The records of a JSON-lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


class Kept:
    """An embedder that outlives the stores of several sets: closing a store must not unload the model."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def close(self) -> None:
        """Keep the model."""

    def unload(self) -> None:
        """Keep the model."""
