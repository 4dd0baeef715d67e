"""Segmentation: both back ends, in processes of their own, cut alike, keep silent and leave no files behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from engine.text.segmentation import Segmenter

SAMPLE = [
    "我来到北京清华大学",
    "他来到了网易杭研大厦",
    "小明硕士毕业于中国科学院计算所，后在日本京都大学深造",
    "把 Kubernetes 集群从 v1.28 升级到 v1.30，先备份 etcd。",
    "C++ 和 C# 都不如 Python 好学，API配置在C盘",
    "結婚的和尚未結婚的，工信处女干事每月经过下属科室",
    "今日は成語しりとりをした",
    "",
    "  \n\x00 \ud800 ★",
]

CHILD = """
import json, logging, sys
from pathlib import Path
blocked, cache = sys.argv[1], sys.argv[2]
if blocked:
    sys.modules[blocked] = None
logging.basicConfig(level=logging.DEBUG, stream=sys.stdout)
from engine.text.segmentation import Segmenter
assert not {"jieba", "rjieba"} & {name for name, module in sys.modules.items() if module}
segmenter = Segmenter(Path(cache) if cache else None)
sample = json.loads(sys.stdin.read())
before = segmenter.words("我是龙虾大军师啊")
segmenter.add_word("龙虾大军师")
segmenter.add_word(" ")
result = {
    "backend": segmenter.backend,
    "words": [segmenter.words(text) for text in sample],
    "search": [segmenter.search_words(text) for text in sample],
    "before": before,
    "after": segmenter.words("我是龙虾大军师啊"),
    "heavy": any(name.startswith("pkg_resources") for name in sys.modules),
}
sys.stderr.flush()
print(json.dumps(result))
"""


def run(tmp_path: Path, blocked: str, cache: str = "") -> dict[str, Any]:
    temp = tmp_path / f"temp-{blocked}-{bool(cache)}"
    temp.mkdir()
    root = Path(__file__).resolve().parents[3]
    environment = {**os.environ, "TMPDIR": str(temp), "TEMP": str(temp), "TMP": str(temp), "PYTHONPATH": str(root)}
    # Compiled anew with warnings as errors: an invalid escape in an import would be seen.
    environment |= {"PYTHONIOENCODING": "utf-8", "PYTHONPYCACHEPREFIX": str(tmp_path / "no byte code")}
    done = subprocess.run(
        [sys.executable, "-B", "-W", "error", "-c", CHILD, blocked, cache],
        input=json.dumps(SAMPLE),
        capture_output=True,
        encoding="utf-8",
        env=environment,
        cwd=tmp_path,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == "" and len(done.stdout.splitlines()) == 1, done.stdout + done.stderr
    assert list(temp.iterdir()) == []
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_both_back_ends_cut_alike(tmp_path: Path) -> None:
    pytest.importorskip("rjieba")
    compiled, python = run(tmp_path, ""), run(tmp_path, "rjieba")
    assert (compiled.pop("backend"), python.pop("backend")) == ("rjieba", "jieba")
    # Inside Latin words the two look for shorter ones differently ("v1" in "v1.28"); Chinese ones are the same.
    for result in (compiled, python):
        result["search"] = [[word for word in words if not word.isascii()] for words in result["search"]]
    assert compiled == python
    assert "龙虾大军师" not in compiled["before"]
    assert "龙虾大军师" in compiled["after"]
    assert compiled["words"][0] == ["我", "来到", "北京", "清华大学"]
    assert python["heavy"] is False


def test_cache_goes_to_the_private_directory_only(tmp_path: Path) -> None:
    private = tmp_path / "私有 dir"
    private.mkdir()
    first = run(tmp_path, "rjieba", str(private))
    assert [file.name for file in private.iterdir()] == ["jieba.cache"]
    assert first["backend"] == "jieba"


def test_words_are_as_written_without_punctuation() -> None:
    segmenter = Segmenter(None)
    assert segmenter.words("Hello，世界！ 3.14") == ["Hello", "世界", "3.14"]
    assert segmenter.search_words("中华人民共和国")[-1] == "中华人民共和国"


def test_words_are_added_while_others_are_cutting() -> None:
    segmenter, other = Segmenter(None), Segmenter(None)
    long = "".join(SAMPLE[:3]) * 200
    segmenter.words(long), other.words(long)
    done = threading.Event()

    def cut() -> None:
        try:
            for _ in range(10):
                for work in (segmenter.words, segmenter.search_words, segmenter.tagged):
                    work(long)
        finally:
            done.set()

    def add() -> int:
        count = 0
        while not done.is_set():
            other.add_word(f"龙虾军师{count % 7}")
            count += 1
        return count

    with ThreadPoolExecutor(2) as pool:
        cutting, adding = pool.submit(cut), pool.submit(add)
        cutting.result(60)
        assert adding.result(60) > 0
