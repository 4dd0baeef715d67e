"""Recall does not get worse: the project's own set, told and asked through the product with its real model.

The floors are what ``bench recall --own`` measured, minus 1; they rise when recall does and are never lowered.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

RUN = Path(__file__).resolve().parents[2] / "packaging" / "bench" / "run.py"
FLOORS = {
    "zh": {"R@1": 46.3, "R@5": 80.6, "R@10": 87.0, "MRR@10": 66.0, "nDCG@10": 70.0, "old below new": 30.8},
    "en": {"R@1": 35.4, "R@5": 57.1, "R@10": 68.7, "MRR@10": 53.1, "nDCG@10": 54.5, "old below new": 30.8},
}
AUC = {"zh": 76.5, "en": 78.4}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Any:
    out = tmp_path_factory.mktemp("own") / "out.json"
    command = [sys.executable, str(RUN), "recall", "--own", "--json", str(out)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(out.read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", FLOORS)
def test_quality_stays_above_its_floors(measured: Any, language: str) -> None:
    found = measured[language]
    assert found["n"] >= 150  # nothing was left out to look better
    fallen = {name: found[name] for name, floor in FLOORS[language].items() if found[name] < floor}
    assert not fallen, f"{fallen} against {FLOORS[language]}, by kind {found['by_kind']}"


@pytest.mark.parametrize("language", FLOORS)
def test_confidence_knows_right_from_wrong(measured: Any, language: str) -> None:
    found = measured[language]["confidence"]
    assert found["AUC"] >= AUC[language], found
    assert found["absent"] < found["right"] - 12, found
