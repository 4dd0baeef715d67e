"""bench tune: it ranks again as recall does, and its rule takes what is surely better and else what is simplest."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.unit.retrieval.test_recall_pipeline import Bags

BENCH = Path(__file__).resolve().parents[3] / "packaging" / "bench"
TOLD = (
    ("1", "我的猫叫豆豆，今年三岁"), ("2", "小猫豆豆怕打雷"), ("3", "the ferry to Aegina leaves at nine"),
    ("4", "the ferry to Hydra leaves at ten"), ("5", "周末去看了画展"),
)  # fmt: skip
ASKED = (("猫叫什么名字", "1"), ("when does the ferry to Hydra leave", "4"), ("画展", "5"))


@pytest.fixture(scope="module")
def bench() -> Iterator[dict[str, ModuleType]]:
    """The bench's modules, which import each other by their bare names."""
    before = set(sys.modules)
    sys.path.insert(0, str(BENCH))
    yield {name: importlib.import_module(name) for name in ("recall", "tune")}
    sys.path.remove(str(BENCH))
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(BENCH)):
            del sys.modules[name]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    corpus = [{"id": key, "text": text, "date": f"2026-01-0{key}T10:00:00", "scope": "s"} for key, text in TOLD]
    queries = [{"id": f"q{key}", "text": text, "scope": "s", "relevant": [key]} for text, key in ASKED]
    for name, rows in (("corpus", corpus), ("queries", queries)):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("values", [{}, {"recall.mmr_lambda": 0.4}, {"recall.weight_recency": 0.9}])
def test_it_ranks_again_as_recall_does(bench: dict[str, ModuleType], place: Path, values: dict[str, Any]) -> None:
    tune, recall = bench["tune"], bench["recall"]
    with tune.listening() as kept:
        recall.measure(place, Bags())
    with tune.listening() as changed:
        found = recall.measure(place, Bags(), values=values)
    assert len(kept) == len(ASKED)
    again = [
        tune.judge(tune.ranked(tune.Question(*one, frozenset({key}), {}), values), {key})
        for one, (_, key) in zip(kept, ASKED, strict=True)
    ]
    assert found["nDCG@10"] == pytest.approx(100 * np.mean([row["nDCG@10"] for row in again]), abs=0.06)
    assert found["R@1"] == pytest.approx(100 * np.mean([row["R@1"] for row in again]), abs=0.06)
    for one, other in zip(kept, changed, strict=True):
        told, anew = (tune.Question(*heard, frozenset("1"), {}) for heard in (one, other))
        assert tune.ranked(told, values) == tune.ranked(anew, {})


def test_the_rule(bench: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch) -> None:
    tune = bench["tune"]
    dice = np.random.default_rng(5)
    noise = dice.normal(0.0, 20.0, 200)
    gain = {0.0: 0.0, 0.1: 4.0, 0.2: 6.0, 0.3: 1.0}

    def scores(_: Any, values: dict[str, float]) -> dict[str, np.ndarray]:
        ((name, value),) = values.items()
        sure = gain[value] if name == "recall.boost_time" else noise * value
        return {"a": 50.0 + np.zeros(200) + sure, "b": 10.0 + np.zeros(50) + (sure if np.isscalar(sure) else 0.0)}

    monkeypatch.setattr(tune, "scores", scores)
    result = tune.search({}, {"recall.boost_time": tuple(gain), "recall.boost_name": (0.0, 0.1)})
    assert result["recall.boost_time"]["chosen"] == 0.2
    assert [row["against"] for row in result["recall.boost_time"]["values"]] == [0.0, 4.0, 6.0, 1.0]
    assert result["recall.boost_name"]["chosen"] == 0.0, "what may be luck is not taken"
    row = result["recall.boost_name"]["values"][1]
    assert row["interval"][0] < row["against"] < row["interval"][1]
    # A set counts as a set, not by its questions.
    assert result["recall.boost_time"]["values"][0]["mean"] == 30.0
