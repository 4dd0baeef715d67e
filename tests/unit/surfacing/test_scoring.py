"""What S1 and S2 weigh by, figure by figure."""

from __future__ import annotations

import pytest

from engine.surfacing.scoring import S1, SurfaceWeights, profile_score, surface_score

CALM = {"resolved": True, "activation": 0.0}


def test_a_fact_scores_by_s2s_figures() -> None:
    """20 + tag weights + min(length / 100, 5)."""
    assert profile_score(0, 0) == 20
    assert profile_score(0, 250) == 22.5
    assert profile_score(10 + 9, 80_000) == 20 + 19 + 5


@pytest.mark.parametrize(
    ("more", "adds"),
    [
        ({}, 0),
        ({"importance": 1.0}, 4 * 1),  # 5 instead of 1 on S1's scale
        ({"emotion": 6.0}, 6 * 2),
        ({"resolved": False}, 3),
        ({"activation": 10.0}, 10 * 0.3),
        ({"valence": -1.0, "current": -1.0}, 2),
        ({"valence": -1.0, "current": 0.5}, (1 - 1.5) * 2),
    ],
)
def test_a_memory_presses_by_s1s_figures(more: dict[str, float], adds: float) -> None:
    """imp·1 + emotion·2 + (1 − resolved)·3 + activation·0.3 + (1 − |Δvalence|)·2."""
    given = {"importance": 0.0, "emotion": 0.0, **CALM} | more
    assert surface_score(**given) == pytest.approx(1 + adds)  # type: ignore[arg-type]


def test_the_weights_can_be_others() -> None:
    only = SurfaceWeights(importance=0, emotion=0, unresolved=0, activation=1, valence=0)
    assert surface_score(1, 10, resolved=False, activation=7, weights=only) == 7
    values = {f"surfacing.weight_{name}": 2 for name in SurfaceWeights.__dataclass_fields__}
    assert SurfaceWeights.of(values) == SurfaceWeights(2, 2, 2, 2, 2) != S1
