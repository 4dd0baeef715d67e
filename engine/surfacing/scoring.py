"""What weighs a memory that comes up unasked: S2's order of the profile, S1's surface score. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

FACT_WEIGHT: Final = 20.0
LONGEST_BONUS: Final = 5.0
# S2's tags, each a weight and its spellings in both languages, of which only one counts.
PROFILE_TAGS: Final[tuple[tuple[float, tuple[str, ...]], ...]] = (
    (10.0, ("用户信息", "用戶信息", "用戶資訊", "user info", "user_info", "user-info", "user information", "profile")),
    (9.0, ("关系", "關係", "relation", "relations", "relationship", "relationships")),
    (8.0, ("习惯", "習慣", "habit", "habits")),
    (8.0, ("约定", "約定", "agreement", "agreements", "promise", "promises")),
    (3.0, ("技术", "技術", "tech", "technical", "technology")),
    (3.0, ("求职", "求職", "job search", "job_search", "job-search", "job hunting", "job_hunting", "job-hunting")),
)


@lru_cache(maxsize=8_192)  # asked for every fact at each breath, for few different lengths
def profile_score(tag_weight: float, characters: int) -> float:
    """Where a fact stands in the profile: 20 + the weights of its tags + min(characters / 100, 5) (S2)."""
    return FACT_WEIGHT + tag_weight + min(characters / 100, LONGEST_BONUS)


@dataclass(frozen=True, slots=True)
class SurfaceWeights:
    """What each part of the surface score counts (S1's figures)."""

    importance: float = 1.0
    emotion: float = 2.0
    unresolved: float = 3.0
    activation: float = 0.3
    valence: float = 2.0

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> SurfaceWeights:
        """As the parameters say."""
        return cls(**{name: float(values[f"surfacing.weight_{name}"]) for name in cls.__dataclass_fields__})


S1: Final = SurfaceWeights()


def surface_score(
    importance: float, emotion: float, *, resolved: bool, activation: float, valence: float = 0.0,
    current: float | None = None, weights: SurfaceWeights = S1,
) -> float:  # fmt: skip
    """How much a memory presses to come up: imp·1 + emotion·2 + (1 − resolved)·3 + activation·0.3 + (1 − |Δvalence|)·2
    (S1). ``importance`` 0..1 counts on S1's scale 1..5, ``emotion`` is 0..10; ``current``: the valence of the moment,
    None = not known, then the last part is left out.
    """
    harmony = 0.0 if current is None else 1.0 - abs(valence - current)
    return (
        weights.importance * (1.0 + 4.0 * importance)
        + weights.emotion * emotion
        + weights.unresolved * (0.0 if resolved else 1.0)
        + weights.activation * activation
        + weights.valence * harmony
    )
