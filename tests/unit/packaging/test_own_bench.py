"""The bench on the project's own set: what counts as old below new, and that the fit finds a rule that is known."""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from engine.types import Recollection

BENCH = Path(__file__).resolve().parents[3] / "packaging" / "bench"


@pytest.fixture(scope="module")
def bench() -> Iterator[dict[str, ModuleType]]:
    """The bench's modules, which import each other by their bare names."""
    before = set(sys.modules)
    sys.path.insert(0, str(BENCH))
    yield {name: importlib.import_module(name) for name in ("metrics", "own", "calibrate")}
    sys.path.remove(str(BENCH))
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(BENCH)):
            del sys.modules[name]


@pytest.mark.parametrize(
    ("ranked", "below"),
    [
        ([{"new"}, {"old"}], True),
        ([{"old"}, {"new"}], False),
        ([{"x"}, {"new"}], True),
        ([{"x"}, {"old"}], False),
        ([{"x"}], False),
        ([{"new", "old"}], False),
        ([{"new"}, {"x"}, {"new", "old"}], True),
    ],
)
def test_old_below_new(bench: dict[str, ModuleType], ranked: list[set[str]], below: bool) -> None:
    own: Any = bench["own"]
    question = {"kind": "update", "answers": ["new"], "not": ["old"], "part": "dev"}
    row = own.Asked(question, tuple(frozenset(ids) for ids in ranked), Recollection(()), "")
    assert own.summary([row])["old below new"] == (100.0 if below else 0.0)


def test_an_answer_of_a_higher_grade_gains_more(bench: dict[str, ModuleType]) -> None:
    judge: Any = bench["metrics"].judge
    grades = {"a": 2, "b": 1}
    assert judge([{"a"}, {"b"}], {"a", "b"}, grades)["nDCG@10"] == pytest.approx(1.0)
    turned = judge([{"b"}, {"a"}], {"a", "b"}, grades)
    assert turned["nDCG@10"] == pytest.approx((1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)))
    assert turned["R@1"] == 0.5


def test_auc_by_hand(bench: dict[str, ModuleType]) -> None:
    auc: Any = bench["metrics"].auc
    assert auc([True, False, True, False], [0.9, 0.1, 0.5, 0.5]) == pytest.approx((1 + 1 + 1 + 0.5) / 4)
    assert math.isnan(auc([True, True], [0.1, 0.2]))


def test_the_fit_finds_a_known_rule(bench: dict[str, ModuleType]) -> None:
    calibrate: Any = bench["calibrate"]
    dice = np.random.default_rng(1)
    signs = dice.normal((3.0, -1.0, 0.0), (2.0, 0.5, 1.0), (4_000, 3))
    chance = 1 / (1 + np.exp(-(0.8 * (signs[:, 0] - 3) - 2.0 * (signs[:, 1] + 1))))
    rows = [
        calibrate.Row(
            f"set {at % 20}", "dev", "words", False, bool(dice.random() < one), 0.0, dict(zip("abc", row, strict=True))
        )
        for at, (one, row) in enumerate(zip(chance, signs.tolist(), strict=True))
    ]
    bias, terms = calibrate.fit(rows)
    found = {name: (mean, slope) for name, mean, slope in terms}
    assert found["a"] == pytest.approx((3.0, 0.75), abs=0.15)
    assert found["b"] == pytest.approx((-1.0, -1.9), abs=0.3)
    assert abs(found["c"][1]) < 0.15 and abs(bias) < 0.15
