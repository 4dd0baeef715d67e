"""Sets of values to choose from at once: how recall weighs, as measured best, and as S0 (Aokun) has it.

A preset is no mode: it is set like any values (``Settings.update(preset.values)``) and each can be changed after.
Must not hold what is not in the table of parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from engine.config.parameters import BY_KEY


@dataclass(frozen=True, slots=True)
class Preset:
    """``values`` by key; ``label``/``help`` map "zh" and "en" to text."""

    name: str
    label: Mapping[str, str]
    help: Mapping[str, str]
    values: Mapping[str, Any]

    def holds(self, current: Mapping[str, Any]) -> bool:
        """Whether all values are as this preset sets them."""
        return all(current[key] == value for key, value in self.values.items())


# S0's own scoring. What S0 does not have (boosts, the other language) is off.
_AOKUN: Final = MappingProxyType(
    {
        "recall.fusion": "rrf",
        "recall.rrf_k": 60,
        "recall.across_languages": False,
        "recall.weight_relevance": 0.5,
        "recall.weight_importance": 0.25,
        "recall.weight_recency": 0.25,
        "recall.recency_days": 30.0,
        "recall.boost_time": 0.0,
        "recall.boost_phrase": 0.0,
        "recall.boost_name": 0.0,
        "recall.boost_past": 0.0,
        "recall.graph_share": 0.35,
        "recall.graph_by_intent": True,
        "recall.graph_bonus": 0.08,
        "recall.graph_hops": 1,
        "recall.graph_fading": True,
        "recall.graph_weight_relevance": 0.55,
        "recall.graph_weight_importance": 0.20,
        "recall.graph_weight_recency": 0.15,
        "recall.graph_weight_confidence": 0.10,
        "recall.mmr_lambda": 0.7,
    }
)

PRESETS: Final = (
    Preset(
        "hupo",
        {"zh": "琥珀", "en": "Hupo"},
        {
            "zh": "在各测试集上找得最准的一组值，也是默认值。",
            "en": "The values that find best on all test sets; the defaults.",
        },
        MappingProxyType({key: BY_KEY[key].default for key in _AOKUN}),
    ),
    Preset(
        "aokun",
        {"zh": "Aokun", "en": "Aokun"},
        {
            "zh": "沿用 Aokun 的打分：倒数排名融合，重要度和新近各占四分之一，图谱一路占 35%。",
            "en": "Aokun's scoring: reciprocal ranks, a quarter each for importance and recency, 35% for the graph.",
        },
        _AOKUN,
    ),
)
BY_NAME: Final[Mapping[str, Preset]] = MappingProxyType({one.name: one for one in PRESETS})


def in_force(current: Mapping[str, Any]) -> Preset | None:
    """The preset whose values all hold in ``current``, None where somebody chose others."""
    return next((one for one in PRESETS if one.holds(current)), None)
