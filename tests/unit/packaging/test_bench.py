"""The benchmark tool itself: its metrics by hand, and a tiny set through the product's own path."""

from __future__ import annotations

import importlib.util
import json
import math
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

BENCH = Path(__file__).resolve().parents[3] / "packaging" / "bench"


@pytest.fixture(scope="module")
def metrics() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hupo_bench_metrics", BENCH / "metrics.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_metrics_by_hand(metrics: ModuleType) -> None:
    judged = metrics.judge([{"x"}, {"a"}, {"y"}, {"b", "c"}], {"a", "b", "z"})
    assert judged["R@1"] == 0.0
    assert judged["R@5"] == judged["R@10"] == pytest.approx(2 / 3)
    assert judged["MRR@10"] == 0.5
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert judged["nDCG@10"] == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / best)


def test_nothing_found_is_nothing(metrics: ModuleType) -> None:
    assert set(metrics.judge([], {"a"}).values()) == {0.0}
    assert metrics.mean([]) == {"n": 0}


def test_a_merged_memory_answers_for_all_its_ids_once(metrics: ModuleType) -> None:
    assert metrics.judge([{"a", "b"}, {"a"}], {"a", "b"})["R@1"] == 1.0


def test_quantiles(metrics: ModuleType) -> None:
    values = [float(number) for number in range(1, 101)]
    assert [metrics.quantile(values, share) for share in (0.5, 0.95, 0.99)] == [50.0, 95.0, 99.0]
    assert metrics.quantile([3.0], 0.99) == 3.0


def test_a_small_set_from_end_to_end(tmp_path: Path) -> None:
    place = tmp_path / "sets" / "tiny"
    place.mkdir(parents=True)
    told = {"1": "我的猫叫豆豆", "2": "The ferry to Aegina leaves at nine", "3": "Anna is allergic to nuts"}
    corpus = [{"id": key, "text": text, "date": f"2026-01-0{key}T10:00:00", "scope": "s"} for key, text in told.items()]
    corpus.append({"id": "4", "text": "我的猫叫豆豆。", "date": "2026-01-04T10:00:00", "scope": "*"})
    asked = [("猫叫什么名字", "1"), ("when does the ferry leave", "2"), ("what may Anna not eat", "3")]
    queries = [
        {"id": f"q{one}", "text": text, "scope": "s", "category": "5" if one == "3" else "1", "relevant": [one]}
        for text, one in asked
    ]
    for name, rows in (("corpus", corpus), ("queries", queries)):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (place / f"{name}.jsonl").write_text(text, encoding="utf-8")
    out = tmp_path / "out.json"
    command = [sys.executable, str(BENCH / "run.py"), "recall", "--sets", str(place.parent), "--compare", "bm25"]
    done = subprocess.run(
        [*command, "--json", str(out)], capture_output=True, encoding="utf-8", timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(out.read_text(encoding="utf-8"))["tiny"]
    assert result["n"] == 2 and result["R@5"] == 100.0
    assert result["adversarial"]["n"] == 1
    assert "5" not in result["by_category"]
    assert result["compare"]["bm25"]["n"] == 2
