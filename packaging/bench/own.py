"""bench recall --own: quality on the project's own set, a life in Chinese and one in English (``tests/data/recall``).

Every memory is told at its own moment, nothing about what replaces what; a question is asked at its ``asked_at``, or a
day after the last memory. Parameters are chosen on the part "dev"; the part "held" only judges.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from metrics import auc, intervals, judge, mean
from recall import BENCH, Kept, lines

from engine import Service, Settings
from engine.clock import MovableClock
from engine.embedding import Embedder
from engine.types import ALL_SCOPES, Draft, Filters, Query, Recollection

LANGUAGES = ("zh", "en")
ABSENT, UPDATE = "absent", "update"
ZONE = timezone(timedelta(hours=8))  # where both lives are lived
_LISTS = ("tags", "topics", "participants")
_PLAIN = ("title", "layer", "category", "importance", "conversation_id", "session_id")
# The made-up passwords of these lives are asked for, so nothing may hide them.
_VALUES = {"memory.vector_wait_ms": 10_000, "recall.cache_seconds": 0, "privacy.secrets": "off"}
AS_IT_IS: Mapping[str, Mapping[str, Any]] = {"": {}}
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and its answer; ``ranked``: for each hit the ids that its memory answers for."""

    question: Record
    ranked: tuple[frozenset[str], ...]
    answer: Recollection
    way: str

    @property
    def right(self) -> bool:
        """Whether the first hit answers."""
        return bool(self.ranked) and not self.ranked[0].isdisjoint(self.question["answers"])


@contextlib.contextmanager
def opened(embedder: Embedder, clock: MovableClock, values: Mapping[str, Any]) -> Iterator[Service]:
    """A service on an empty store, for one life."""
    settings = Settings()
    settings.update({**_VALUES, **values})
    with tempfile.TemporaryDirectory() as folder:
        service = Service.open(Path(folder), settings, embedder_factory=lambda _: Kept(embedder), clock=clock)
        try:
            service.idle().result()
            yield service
        finally:
            service.close()


def measure(
    place: Path, embedder: Embedder, parts: Sequence[str], values: Mapping[str, Any] | None = None,
    ways: Mapping[str, Mapping[str, Any]] = AS_IT_IS,
) -> list[Asked]:  # fmt: skip
    """Live one life (``memories.jsonl`` and ``questions.jsonl`` of ``place``) and ask the questions of ``parts``, each
    in all ``ways`` (parameters by name of the way).
    """
    memories = lines(place / "memories.jsonl")
    questions = [one for one in lines(place / "questions.jsonl") if one["part"] in parts]
    told = sorted(memories, key=lambda one: moment_of(one["created_at"]))
    end = moment_of(told[-1]["created_at"]) + timedelta(days=1)
    clock = MovableClock(moment_of(told[0]["created_at"]), ZONE)
    with opened(embedder, clock, values or {}) as service:
        service.forget().result()  # from here on the nights count; those gone by are caught up
        asked = []
        for moment, record in _life(told, questions, end):
            passed = moment - clock.now()
            clock.move_to(moment)
            if "content" in record:
                service.memorize(draft(record), BENCH).result()
                continue
            if passed:
                service.forget().result()
            asked += [ask(service, record, ALL_SCOPES, way, overrides) for way, overrides in ways.items()]
        return asked


def _life(told: Sequence[Record], questions: Sequence[Record], end: datetime) -> Iterator[tuple[datetime, Record]]:
    """Memories and questions, each with its moment, in the order of time."""
    moments = [(moment_of(one["created_at"]), one) for one in told]
    moments += [(moment_of(one["asked_at"]) if "asked_at" in one else end, one) for one in questions]
    yield from sorted(moments, key=lambda pair: pair[0])


def draft(record: Record) -> Draft:
    """A memory of the set as it is told: nothing of what it replaces."""
    given = {name: record[name] for name in _PLAIN if name in record}
    given |= {name: tuple(record[name]) for name in _LISTS if name in record}
    if "event_time" in record:
        given["event_time"] = moment_of(record["event_time"])
    return Draft(record["content"], external_ids=(record["id"],), **given)


def ask(service: Service, question: Record, scope: str, way: str, overrides: Mapping[str, Any]) -> Asked:
    """Ask one question without a trace. An answer that lacked a channel raises ``RuntimeError``."""
    filters = Filters(scope=scope)
    query = Query(question["question"], k=10, filters=filters, explain=True, budget=None, reinforce=False,
                  overrides=overrides)  # fmt: skip
    answer = service.recall(query).result()
    if answer.degraded:
        raise RuntimeError(f"recall was degraded: {answer.degraded}")
    return Asked(question, tuple(frozenset(hit.memory.external_ids) for hit in answer.hits), answer, way)


def summary(rows: Sequence[Asked]) -> dict[str, Any]:
    """Means over all questions that have an answer, and the same by kind; "old below new" of the updates.

    "confidence": how well it tells right first hits from wrong ones (AUC, in percent), and its mean where an answer is
    absent and where the first hit is right.
    """
    kinds = sorted({str(row.question["kind"]) for row in rows} - {ABSENT})
    by_kind = {kind: [_judged(row) for row in rows if row.question["kind"] == kind] for kind in kinds}
    updates = [row for row in rows if row.question["kind"] == UPDATE]
    below = mean([{"old below new": float(_old_below_new(row))} for row in updates])
    counting = judged(rows)
    return mean(counting) | {
        "intervals": intervals(counting),
        "by_kind": {kind: mean(by_kind[kind]) for kind in kinds},
        "old below new": below.get("old below new", 0.0),
        "confidence": _confidence(rows),
    }


def judged(rows: Sequence[Asked]) -> list[dict[str, float]]:
    """The metrics of all questions that have an answer."""
    return [_judged(row) for row in rows if row.question["kind"] != ABSENT]


def _confidence(rows: Sequence[Asked]) -> dict[str, float]:
    values = [row.answer.confidence for row in rows]
    absent = [{"value": row.answer.confidence} for row in rows if row.question["kind"] == ABSENT]
    right = [{"value": row.answer.confidence} for row in rows if row.right]
    return {
        "AUC": round(100 * auc([row.right for row in rows], values), 1),
        "absent": mean(absent).get("value", 0.0),
        "right": mean(right).get("value", 0.0),
    }


def _judged(row: Asked) -> dict[str, float]:
    question = row.question
    return judge(row.ranked, set(question["answers"]), question.get("grade", {}))


def _old_below_new(row: Asked) -> bool:
    """Whether an answer comes before everything that it replaced; what was not found at all is below."""
    places = {one: place for place, ids in reversed(list(enumerate(row.ranked))) for one in ids}
    new = min((places[one] for one in row.question["answers"] if one in places), default=None)
    old = min((places[one] for one in row.question.get("not", ()) if one in places), default=None)
    return new is not None and (old is None or new < old)


def moment_of(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=ZONE)
