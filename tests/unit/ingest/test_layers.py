"""Layers by rule: what the types of a text's first sentences, its decisions and its words of the present say."""

from __future__ import annotations

import pytest

from engine.ingest.layers import layer_of


@pytest.mark.parametrize(
    ("text", "layer"),
    [
        # preference, relational, factual
        ("我最受不了别人抖腿", "fact"), ("李雷是我的同事", "fact"), ("我住在杭州西湖区", "fact"),
        ("接口只支持 POST", "fact"),
        ("My boss is Linda Park", "fact"), ("The API uses port 8080", "fact"), ("He never eats breakfast", "fact"),
        # words of the present
        ("目前住在上海", "state"), ("我现在在一家创业公司上班", "state"), ("正在学西班牙语", "state"),
        ("I'm currently learning Spanish", "state"), ("These days I sleep badly", "state"),
        ("We use Jira for now", "state"),
        # planned, episodic
        ("打算明年去冰岛", "event"), ("刚跟她吵了一架", "event"), ("I need to renew my passport", "event"),
        ("She moved to Berlin last year", "event"), ("今天被可爱的实习生请喝了咖啡", "event"),
        ("昨天现在想起来还生气", "event"),
        # decisions, dated ones too
        ("昨天决定把日志库换掉", "decision"), ("最终选择了 SQLite", "decision"),
        ("因为便宜，所以选了这家", "decision"),
        ("Yesterday we decided to move", "decision"), ("We use SQLite because it needs no server", "decision"),
        # a reason alone is no decision, nor is the want of one
        ("因为下雨没去爬山", "event"), ("I was late because of the rain", "event"), ("还没决定去不去", "event"),
        # nothing to go by
        ("", "event"), ("你好", "event"), ("？", "event"),
    ],
)  # fmt: skip
def test_layers(text: str, layer: str) -> None:
    assert layer_of(text) == layer


def test_a_category_decides_where_the_words_do_not() -> None:
    assert layer_of("番茄炒蛋：番茄两个，鸡蛋三个", "recipe") == "fact"
    assert layer_of("糟糕", "preference") == "fact"
    assert layer_of("spring, rain, and a long road", "Diary") == "event"
    assert layer_of("李雷是我的同事", "diary") == "fact"
    assert layer_of("We decided to use SQLite", "recipe") == "decision"
    assert layer_of("你好", "no such category") == "event"


def test_the_first_sentences_vote() -> None:
    assert layer_of("我住在杭州。我对花生过敏。昨天去了趟超市。") == "fact"
    assert layer_of("Yesterday I met Anna. She likes tea.") == "event"
    assert layer_of("I live in Bonn.\n" * 5 + "I went home.\n" * 500) == "fact"
