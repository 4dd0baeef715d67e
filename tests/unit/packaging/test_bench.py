"""The benchmark tool itself: its metrics by hand, and a tiny set through the product's own path."""

from __future__ import annotations

import importlib.util
import json
import math
import random
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


def test_an_interval_holds_its_mean_and_narrows_with_the_questions(metrics: ModuleType) -> None:
    dice = random.Random(3)
    few, many = ([100.0 * (dice.random() < 0.7) for _ in range(count)] for count in (40, 4_000))
    for values in (few, many):
        low, high = metrics.bootstrap(values)
        assert low < sum(values) / len(values) < high
        # The normal approximation: 1.96 standard errors to both sides.
        share = sum(values) / len(values) / 100
        wide = 2 * 196 * math.sqrt(share * (1 - share) / len(values))
        assert high - low == pytest.approx(wide, rel=0.15)
    assert metrics.bootstrap([50.0] * 9) == (50.0, 50.0)
    assert metrics.bootstrap(few) == metrics.bootstrap(few)


def test_a_distance_is_taken_question_by_question(metrics: ModuleType) -> None:
    base = [{"R@10": float(at % 2), "nDCG@10": 0.5} for at in range(40)]
    # Each a little better, though the questions themselves are far apart.
    better = [{"R@10": row["R@10"] + 0.01, "nDCG@10": 0.5} for row in base]
    mean, low, high = metrics.against(better, base)["R@10"]
    assert (mean, low, high) == pytest.approx((1.0, 1.0, 1.0))
    assert metrics.against(better, base)["nDCG@10"] == (0.0, 0.0, 0.0)
    assert metrics.intervals([]) == {} and metrics.against([], []) == {}


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
    command = [sys.executable, str(BENCH / "run.py"), "recall", "--sets", str(place.parent), "--compare", "bm25,aokun"]
    done = subprocess.run(
        [*command, "--ablate", "--json", str(out)], capture_output=True, encoding="utf-8", timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(out.read_text(encoding="utf-8"))["tiny"]
    assert result["n"] == 2 and result["R@5"] == 100.0
    assert result["adversarial"]["n"] == 1
    assert "5" not in result["by_category"]
    assert result["compare"]["bm25"]["n"] == result["compare"]["aokun"]["n"] == 2
    assert {"no words", "no recency", "one language"} <= set(result["compare"])
    assert result["intervals"]["R@10"] == [100.0, 100.0]
    assert result["compare"]["no recency"]["against"]["R@10"] == [0.0, 0.0, 0.0]
    assert "against the defaults +0.00 [+0.00, +0.00]" in done.stdout
