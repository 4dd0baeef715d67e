"""The exact parts of a text, and what two texts can not both say."""

from __future__ import annotations

import pytest

from engine.ingest.guard import addition, clash, differs, evidence
from engine.ingest.judge_numbers import figures
from engine.text.normalise import fold
from engine.text.segmentation import Segmenter


@pytest.fixture(scope="module")
def segmenter() -> Segmenter:
    return Segmenter(None)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("月租三千五百元", "月租3500元"),
        ("预算三千五", "预算3,500"),
        ("costs ¥3,000", "要3000元"),
        ("身高1.8米", "身高180厘米"),
        ("takes 90 minutes", "takes 1.5 hours"),
        ("覆盖率八成", "覆盖率80%"),
        ("百分之五十", "50%"),
        ("three thousand people", "3000 people"),
        ("twenty-five cats", "25 cats"),
        ("手机138-0013-8000", "手机13800138000"),
        ("+86 138 0013 8000", "13800138000"),
        ("晚上8点半", "20:30"),
        ("at 8:30 pm", "at 20:30"),
        ("2024年5月6日", "2024-05-06"),
        ("May 6, 2024", "6 May 2024"),
        ("五月六号", "5月6日"),
        ("每周三", "every Wednesday"),
        ("第三次", "第3次"),
    ],
)
def test_figures_have_one_form(one: str, other: str) -> None:
    a, b = figures(fold(one)), figures(fold(other))
    assert a.numbers or a.dates
    assert (sorted((n.value, n.unit) for n in a.numbers), sorted(a.dates)) == (
        sorted((n.value, n.unit) for n in b.numbers), sorted(b.dates)
    )  # fmt: skip


@pytest.mark.parametrize(
    "text", ["一点也不好", "我们一起走", "十分喜欢", "万一下雨", "百度地图", "唯一的办法", "三亚很热", "四川菜"]
)
def test_characters_that_only_look_like_numbers(text: str) -> None:
    read = figures(fold(text))
    assert read.numbers == () and read.dates == ()


@pytest.mark.parametrize(
    ("text", "other"),
    [("version 1.10", "version 1.1"), ("code 0071", "code 71"), ("25:00", "1:00"), ("13月45日", "1月4日")],
)
def test_what_is_no_plain_number_is_kept_as_written(text: str, other: str, segmenter: Segmenter) -> None:
    assert clash(evidence(text, segmenter), evidence(other, segmenter)) is not None


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        ("The cat is three years old", "The cat is 4 years old", "number"),
        ("用户养了一只猫", "用户养了两只猫", "number"),
        ("I have a cat", "I have two cats", "number"),
        ("限速60公里", "限速60米", "number"),
        ("周三开会", "周四开会", "date"),
        ("on 9 May", "on 19 May", "date"),
        ("昨天去了", "今天去了", "date"),
        ("早上吃药", "晚上吃药", "date"),
        ("He likes tea", "He doesn't like tea", "negation"),
        ("He likes tea", "He hates tea", "negation"),
        ("用户吃辣", "用户不吃辣", "negation"),
        ("可以发布", "还没可以发布", "negation"),
        ("Tom likes tea", "Anna likes tea", "name"),
        ("和小王吃饭", "和小李吃饭", "name"),
        ("读《活法》", "读《心流》", "name"),
        ("uses snake_case", "uses kebab-case", "name"),
    ],
)
def test_clashes(one: str, other: str, what: str, segmenter: Segmenter) -> None:
    a, b = evidence(one, segmenter), evidence(other, segmenter)
    assert clash(a, b) == clash(b, a) == what == differs(a, b)


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        ("我在北京", "我在北京5年", "number"),
        ("发工资", "5月发工资", "date"),
        ("He likes tea", "He likes tea, no sugar", "negation"),
        ("met in the park", "met Lena in the park", "name"),
    ],
)
def test_an_addition_is_no_clash(one: str, other: str, what: str, segmenter: Segmenter) -> None:
    a, b = evidence(one, segmenter), evidence(other, segmenter)
    assert clash(a, b) is None
    assert addition(a, b) == addition(b, a) == what == differs(a, b)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("用户讨厌香菜", "用户不喜欢香菜"),
        ("I dislike it", "I don't like it"),
        ("5月6日见面", "2024年5月6日见面"),
        ("花了3000", "花了3000元"),
        ("不错的餐厅", "不错的餐厅"),
        ("", ""),
    ],
)
def test_what_agrees(one: str, other: str, segmenter: Segmenter) -> None:
    a, b = evidence(one, segmenter), evidence(other, segmenter)
    assert differs(a, b) is None and differs(b, a) is None


@pytest.mark.parametrize("text", ["不错", "不仅便宜", "特别好", "无线网", "非常快", "别墅"])
def test_words_that_only_look_like_a_denial(text: str, segmenter: Segmenter) -> None:
    assert evidence(text, segmenter).denied == ()
