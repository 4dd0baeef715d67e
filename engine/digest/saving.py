"""A digest that a client wrote, on its way to be stored: what it was made of, how sensitive it is, when it happened.

Only makes the draft; storing is ``memorize``'s, which lets it replace the digest that its period had.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any, Final

from engine.clock import local_date, start_of
from engine.digest import compaction
from engine.errors import InvalidArgument, Protected
from engine.ingest import fields
from engine.storage import digests, memories
from engine.storage.database import Connection
from engine.text.normalise import content_key
from engine.types import SENSITIVITIES, DigestLevel, Draft, Memory, Sensitivity

CATEGORY: Final = "digest"
# The longer the time that a digest stands for, the more it matters.
_IMPORTANCE: Final[Mapping[DigestLevel, float]] = {1: 0.5, 2: 0.6, 3: 0.7, 4: 0.8}
# What a digest is by itself, and a caller can not say.
_OWN: Final = frozenset(
    {"content", "layer", "category", "event_time", "digest_level", "digest_period", "sources", "conversation_id",
     "session_id"}
)  # fmt: skip


def draft_of(
    cx: Connection, level: DigestLevel, period: str, content: str, given: Sequence[int], values: Mapping[str, Any],
    now: datetime, zone: tzinfo, more: Mapping[str, Any],
) -> Draft:  # fmt: skip
    """The draft of a digest; ``given``: its sources, () = all that are shown for its period; ``more``: further fields.

    It is as sensitive as the most sensitive of its sources. Errors: ``InvalidArgument`` for the period, and for
    sources that are gone or not of the level below, with their ``ids``; ``Protected`` where it may not replace.
    """
    if not isinstance(content, str):
        raise InvalidArgument(field="content", reason="not_text")
    named = compaction.begun(level, period, local_date(now, zone))
    for key in more:
        if key in _OWN or key not in Draft.__dataclass_fields__:
            raise InvalidArgument(field=key, reason="unknown_field")
    _refuse_protected(cx, level, named.text, content)
    wanted: tuple[int, ...] = fields.check({"sources": given}, values, draft=True)["sources"]
    if wanted:
        _require_level(cx, wanted, level - 1)
        made_of = tuple(memories.get_many(cx, wanted).values())
    else:
        made_of = compaction.sources(cx, level, named.text, values, now, zone).sources
    settled = {"importance": _IMPORTANCE[level], **{key: value for key, value in more.items() if value is not None}}
    settled["sensitivity"] = _sensitivity(settled.get("sensitivity", "normal"), made_of)
    return Draft(
        content, layer="event", category=CATEGORY, event_time=start_of(named.first, zone), digest_level=level,
        digest_period=named.text, sources=tuple(one.id for one in made_of), **settled,
    )  # fmt: skip


def _require_level(cx: Connection, ids: Sequence[int], level: int) -> None:
    found = digests.levels_of(cx, ids)
    for reason, wrong in (
        ("no_such_memory", [one for one in ids if one not in found]),
        ("other_level", [one for one in ids if found.get(one, level) != level]),
    ):
        if wrong:
            raise InvalidArgument(field="sources", reason=reason, ids=wrong)


def _refuse_protected(cx: Connection, level: int, period: str, content: str) -> None:
    """A protected digest stays; that it is told again changes nothing."""
    for old in memories.get_many(cx, digests.current(cx, level, period)).values():
        if old.protected and content_key(old.content) != content_key(content):
            raise Protected(id=old.id)


def _sensitivity(asked: Sensitivity, made_of: Sequence[Memory]) -> Sensitivity:
    if asked not in SENSITIVITIES:
        raise InvalidArgument(field="sensitivity", reason="not_a_choice", allowed=list(SENSITIVITIES))
    return max((asked, *(one.sensitivity for one in made_of)), key=SENSITIVITIES.index)
