"""Keywords of Chinese, English and mixed texts."""

from __future__ import annotations

import pytest

from engine.text.keywords import keywords
from engine.text.segmentation import Segmenter


@pytest.fixture(scope="module")
def segmenter() -> Segmenter:
    return Segmenter(None)


def test_chinese(segmenter: Segmenter) -> None:
    text = "金融科技精英论坛在上海举行。论坛的主要内容是区块链和人工智能，我们在那里认识了很多人。"
    found = [word for word, _ in keywords(text, 6, segmenter)]
    assert "论坛" in found and "人工智能" in found
    assert not {"我们", "的", "那里", "主要内容是"} & set(found)


def test_english(segmenter: Segmenter) -> None:
    text = "The support group helped Caroline. Caroline's group meets in Boston and the Group is open."
    found = dict(keywords(text, 5, segmenter))
    assert {"group", "Caroline", "Boston", "support"} <= set(found)
    assert "the" not in {word.lower() for word in found}


def test_mixed_and_identifiers(segmenter: Segmenter) -> None:
    found = {word for word, _ in keywords("把 Kubernetes 集群升级，配置在 cdm-xxc 上", 5, segmenter)}
    assert {"Kubernetes", "集群", "cdm-xxc"} <= found


def test_weights_and_limits(segmenter: Segmenter) -> None:
    weights = [weight for _, weight in keywords("成语接龙 游戏规则 琥珀 记忆 助手", 3, segmenter)]
    assert len(weights) == 3 and weights[0] == 1.0 and weights == sorted(weights, reverse=True)
    assert keywords("", 5, segmenter) == [] and keywords("的了是 1 2", 5, segmenter) == []
    assert keywords("我们在那里知道了什么呢，他是这样说的吗", 9, segmenter) == []
    assert keywords("琥珀", 0, segmenter) == []


def test_what_comes_often_weighs_more(segmenter: Segmenter) -> None:
    assert keywords("备份 集群 集群 集群", 1, segmenter)[0][0] == "集群"
    assert keywords("backup cluster cluster Cluster", 1, segmenter)[0][0] == "cluster"
