"""Which memories come up in a breath, in order: the profile, the present, the last days, and what is not settled.

Chooses ids by narrow rows; what finds room is ``breath.py``'s business. Reads only.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, Final

from engine.storage import surfacing
from engine.storage.database import Connection
from engine.surfacing.daily import chance, fnv1a
from engine.surfacing.scoring import PROFILE_TAGS, SurfaceWeights, profile_score, surface_score
from engine.text.normalise import fold
from engine.text.vocabulary import listed
from engine.types import SENSITIVITIES, Filters, Sensitivity

# Whoever looks further back no longer finds what is recent.
_LOOKED_AT: Final = 400
# Among so many that press most, the day chooses: not the same one each time.
_PRESSING: Final = 3


@dataclass(frozen=True, slots=True)
class Standing:
    """Ids of the facts and of the states that hold, in order; ``hidden`` counts the sensitive ones left out."""

    facts: Sequence[int]
    states: Sequence[int]
    hidden: int


@dataclass(frozen=True, slots=True)
class Recent:
    """Ids of recent events, newest first; ``hidden`` counts the sensitive ones that would be among them."""

    ids: tuple[int, ...]
    hidden: int


def standing(
    cx: Connection, filters: Filters, now: datetime, *, hidden: Collection[Sensitivity], without: AbstractSet[int]
) -> Standing:
    """All facts in the order of the profile (S2), all states newest first; in both the pinned ones lead.

    Those ``without`` are in neither and not counted.
    """
    rows = surfacing.standing(cx, filters, now)
    weights: dict[int, float] = {}
    for weight, spellings in PROFILE_TAGS:
        for memory_id in surfacing.carrying(cx, spellings):
            weights[memory_id] = weights.get(memory_id, 0.0) + weight
    facts: list[tuple[int, float, str, int]] = []
    states: list[tuple[int, str, int]] = []
    left_out = 0
    for layer, pinned, characters, moment, memory_id, sensitivity in rows:
        if memory_id in without:
            continue
        if sensitivity in hidden:
            left_out += 1
        elif layer == "fact":
            facts.append((pinned, profile_score(weights.get(memory_id, 0.0), characters), moment, memory_id))
        else:
            states.append((pinned, moment, memory_id))
    facts.sort(reverse=True)
    states.sort(reverse=True)
    return Standing([one[-1] for one in facts], [one[-1] for one in states], left_out)


def recent(
    cx: Connection, filters: Filters, now: datetime, count: int, *,
    noise: Collection[str], said: AbstractSet[int], hidden: Collection[Sensitivity],
) -> Recent:  # fmt: skip
    """Up to ``count`` events, newest first, none that shares a tag or topic with a newer one chosen (S2).

    Those with a tag of ``noise`` are passed over, and so are those that are ``said`` elsewhere. Case, width and
    traditional characters do not make another tag.
    """
    unwanted = {_key(tag) for tag in noise}
    chosen: list[int] = []
    subjects: set[str] = set()
    left_out = 0
    for row in surfacing.happenings(cx, replace(filters, layers=("event",)), now, _LOOKED_AT) if count > 0 else ():
        about = {_key(one) for one in (*json.loads(row.tags), *json.loads(row.topics))} - {""}
        if row.id in said or about & unwanted or about & subjects:
            continue
        if row.sensitivity in hidden:
            left_out += 1  # and tells nobody, by what is then left out, what it is about
            continue
        chosen.append(row.id)
        subjects |= about
        if len(chosen) == count:
            break
    return Recent(tuple(chosen), left_out)


def noise_tags(values: Mapping[str, Any]) -> list[str]:
    """The tags of what only logs the day, as the parameter lists them."""
    return listed(str(values["surfacing.noise_tags"]))


def unresolved(
    cx: Connection, filters: Filters, values: Mapping[str, Any], day: date, *,
    said: AbstractSet[int], hidden: Collection[Sensitivity], valence: float | None,
) -> int | None:  # fmt: skip
    """On some days, a memory that moved the user and is not resolved (S1's rumination); the day decides, not a dice.

    One of those with the highest surface scores, not one that is ``said`` already.
    """
    if chance(day, "unresolved") >= float(values["surfacing.rumination_share"]):
        return None
    shown = tuple(one for one in SENSITIVITIES if one not in hidden)
    rows = surfacing.feelings(cx, replace(filters, sensitivities=shown), float(values["surfacing.rumination_emotion"]))
    weights = SurfaceWeights.of(values)
    scores = {
        row.id: surface_score(
            row.importance, row.emotion, resolved=False, activation=row.activation, valence=row.valence,
            current=valence, weights=weights,
        )
        for row in rows
        if row.id not in said
    }  # fmt: skip
    pressing = sorted(scores, key=lambda one: (-scores[one], -one))[:_PRESSING]
    return pressing[fnv1a(f"{day.isoformat()} which one") % len(pressing)] if pressing else None


def _key(tag: str) -> str:
    return fold(tag).strip()
