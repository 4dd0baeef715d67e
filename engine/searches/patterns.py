"""What memories have in common (S3): their telling words, when they were, who spoke, layers, tags, scores."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, datetime, tzinfo
from typing import Any, Final

from engine import clock
from engine.storage import memories, searches
from engine.storage.database import Connection
from engine.text import keywords
from engine.text.normalise import fold
from engine.text.passages import speaker
from engine.text.segmentation import Segmenter
from engine.types import Filters, Keyword, Memory, Patterns

MOST_KEYWORDS: Final = 100
MOST_COUNTED: Final = 20_000
# Cutting words takes longer than counting.
MOST_READ: Final = 1_000
# So many words of each memory, and of so much of its text, are weighed.
_OF_EACH: Final = 20
_READ: Final = 2_000
_TAGS: Final = 20
_ROLES: Final = 20


def find(cx: Connection, filters: Filters, top: int, segmenter: Segmenter, zone: tzinfo) -> Patterns:
    """The patterns of what passes; ``top`` keywords."""
    rows = searches.plain(cx, filters, MOST_COUNTED)
    moments = [_local(row.at, zone) for row in rows]
    newest = memories.get_many(cx, [row.memory_id for row in rows[:MOST_READ]]).values()
    tenths = Counter(min(9, int(row.strength * 10)) for row in rows)
    hours, weekdays = Counter(one.hour for one in moments), Counter(one.weekday() for one in moments)
    days: Counter[date] = Counter(one.date() for one in moments)
    return Patterns(
        total=memories.count(cx, filters),
        counted=len(rows),
        read=len(newest),
        keywords=_keywords(newest, top, segmenter),
        hours=tuple(hours[hour] for hour in range(24)),
        weekdays=tuple(weekdays[day] for day in range(7)),
        days=dict(sorted(days.items(), key=lambda item: (-item[1], item[0]))),
        roles=_most(Counter(who for one in newest if (who := speaker(one.content))), _ROLES),
        layers=_most(Counter(row.layer for row in rows), None),
        tags=searches.tag_counts(cx, (row.memory_id for row in rows), _TAGS),
        scores=tuple(tenths[tenth] for tenth in range(10)),
        mean_score=sum(row.strength for row in rows) / len(rows) if rows else 0.0,
    )


def _local(text: str, zone: tzinfo) -> datetime:
    moment = clock.from_text(text)
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment


def _keywords(read: Iterable[Memory], top: int, segmenter: Segmenter) -> tuple[Keyword, ...]:
    """TF-IDF: how much a word says in each memory, times how few of the memories have it."""
    weights: Counter[str] = Counter()
    having: Counter[str] = Counter()
    spelled: dict[str, Counter[str]] = {}
    size = 0
    for memory in read:
        size += 1
        told = memory.content[:_READ]
        who = speaker(told)
        for word, weight in keywords.keywords(told.removeprefix(f"{who}:") if who else told, _OF_EACH, segmenter):
            key = fold(word)
            weights[key] += weight  # type: ignore[assignment]
            having[key] += 1
            spelled.setdefault(key, Counter())[word] += 1
    scored = {key: weight * math.log(1 + size / having[key]) for key, weight in weights.items()}
    best = sorted(scored, key=lambda key: (-scored[key], key))[:top]
    return tuple(Keyword(spelled[key].most_common(1)[0][0], scored[key] / scored[best[0]], having[key]) for key in best)


def _most(counts: Mapping[Any, int], limit: int | None) -> dict[Any, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))[:limit])
