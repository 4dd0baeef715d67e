"""Which stored plan a new telling calls off or puts on another day: of that very day, and plainly the same thing.

When in doubt: none. A plan that is hidden by mistake is missed, one that stays due is only a nuisance. Reads only; must
not change a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from engine.ingest import guard
from engine.ingest.classify import Gone
from engine.ingest.draft import Prepared
from engine.ingest.facts import facts_of
from engine.ingest.judge_features import Features, features_from, missing
from engine.ingest.judge_units import listed
from engine.ingest.readings import Readings
from engine.storage import surfacing
from engine.storage.database import Connection
from engine.types import Filters, Memory

# How much of what is called off the plan must tell.
_COVERED: Final = 0.7
# Names of any plan: they tell none from another while there is a word beside them.
_ANY_PLAN: Final = listed(
    "行程 计划 安排 活动 约会 预约 原定 原计划 原本 本来 事情 事 日程 会面 "
    "trip plan plans appointment visit event booking reservation outing thing session original originally planned"
)


def of_day(cx: Connection, prepared: Prepared, gone: Gone) -> set[int]:
    """The memories in the draft's scope that plan something for that day."""
    row = prepared.values
    seen = Filters(scope=row["conversation_id"], persona_id=row["persona_id"], statuses=("active", "dormant"))
    found = {one.memory_id for one in surfacing.planned(cx, seen, gone.since, gone.until)}
    return found | {one.memory_id for one in surfacing.dated(cx, seen, gone.since, gone.until, row["created_at"])}


def called_off(
    cx: Connection, prepared: Prepared, readings: Readings, candidates: Callable[[Iterable[int]], list[Memory]]
) -> tuple[dict[int, Memory], set[int]]:
    """(the plans that ``prepared`` calls off or moves, one at most for each it names; all that is planned for those
    days). ``candidates``: which of some memories may be replaced at all.
    """
    found: dict[int, Memory] = {}
    planned: set[int] = set()
    for gone in filter(None, (classified.gone for _, classified in prepared.facts)):
        ids = of_day(cx, prepared, gone)
        said = readings.read(features_from, gone.words)
        told = [
            memory
            for memory in candidates(ids)
            if _may_give_way(memory, prepared.values) and _is_of(said, readings.read(features_from, memory.content))
        ]
        planned |= ids
        # Two plans of one day to which the words would fit: it may be either.
        if len(told) == 1:
            found[told[0].id] = told[0]
    return found, planned


def _may_give_way(memory: Memory, row: Any) -> bool:
    """Whether a plan was told before and is all that its memory tells."""
    return (
        memory.created_at <= row["created_at"]
        and not memory.pinned
        and len(facts_of(memory.content, memory.key_facts)) == 1
    )


def _is_of(said: Features, plan: Features) -> bool:
    """Whether what is said to be off is the plan: nearly all its words, all its names, no other hour."""
    telling = [token for token in said.tokens if token.weight > 0 and token.kind != "figure"]
    own = [token for token in telling if token.surface not in _ANY_PLAN and not token.key.startswith("v.")] or telling
    weight = sum(token.weight for token in own)
    held = weight - sum(missing(token, plan) for token in own)
    hours = [{date for date in one.evidence.dates if ":" in date} for one in (said, plan)]
    return (
        weight > 0
        and held >= _COVERED * weight
        and not set(guard.unmatched(said.evidence, plan.evidence)) - _ANY_PLAN
        and (not all(hours) or bool(hours[0] & hours[1]))
    )
