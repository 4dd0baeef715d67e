"""What people write and what they type to find it again, in many scripts, over the real shim and host: with the
model in the box as a user has it, and by words alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

WAIT = 60.0
SHOWN = 3

DAILY = (
    "周三下午两点开项目例会", "妈妈的生日是农历八月十五", "我对花生过敏", "家里的路由器放在书房", "上周末去了西湖",
    "他喜欢喝不加糖的美式咖啡", "房租每个月五号交", "健身卡十月到期", "医生建议少吃盐", "新同事叫李雷，坐在靠窗的位置",
    "Anna moved to Lisbon in May", "The dentist is on Tuesday at nine", "Bob prefers tea to coffee",
    "The spare key is under the flower pot", "The car needs new tyres before winter", "We watched a film about whales",
    "Mum's recipe uses two eggs and no butter", "The library closes at six on Fridays", "Tom is allergic to cats",
    "明日は午後から雨が降る", "駅前のパン屋は月曜日が休み", "弟は大阪に住んでいる", "来週の金曜日に歯医者へ行く",
    "내일 오후에는 비가 온다", "동생은 부산에 살고 있다", "회의는 수요일 오전 열 시에 시작한다",
    "여름 휴가는 제주도로 간다",
)  # fmt: skip
DEVICES = "设备清单(devices)：客厅有一台 NAS，书房的交换机编号 cdm-xxc，阁楼上还有备用电源"

TYPED = {
    "word games in three scripts": [
        ("今天玩成语接龙游戏", "成语接龙"),
        ("今日は成語しりとりをした", "しりとり"),
        ("오늘 끝말잇기 게임을 했다", "끝말잇기"),
    ],
    "a list of devices": [(DEVICES, question) for question in ("设备", "设备清单", "NAS", "cdm-xxc", "devices")],
    "two characters and mixed scripts": [
        ("早报每天七点推送到手机", "早报"),
        ("你好，很高兴认识大家", "你好"),
        ("出厂配置已经改过一次", "配置"),
        ("照片备份放在移动硬盘和C盘", "C盘"),
        ("API配置写在网关的环境变量里", "API配置"),
        ("API配置写在网关的环境变量里", "API 配置"),
    ],
    "the beginning of a compound": [("这份文档的语言策略是中文优先", "中文")],
    "apostrophes": [
        ("I don't use agents for payments", "don't use agents"),
        ("I don't use agents for payments", "don’t use agents"),
    ],
    "paths": [
        ("The recordings are in Downloads/transcripts on the laptop", "Downloads/transcripts"),
        (r"日志放在 C:\Users\me\AppData\hupo 下面", r"C:\Users\me\AppData\hupo"),
    ],
    "versions and numbers": [
        ("The build server runs ubuntu 20.04", "ubuntu 20.04"),
        ("内网镜像升级到 v1.28.3", "v1.28.3"),
    ],
    "punctuation at the end": [
        ("Run the skill-audit before each release", "skill-audit,"),
        ("Run the skill-audit before each release", '"skill-audit" (AND'),
    ],
}
NOTHING = ["", " ", "\n\t", "?!…", "。，、《》", '"', '""""', "*", "()", "-", "_", ",,,", "\u200b"]


@pytest.fixture(params=["words", "words and meaning"])
def assistant(request: pytest.FixtureRequest, data: Path, host: Callable[..., Any], shim: Callable[..., Any]) -> Any:
    """A shim on a host that knows ``DAILY``; with the model in the box where the parameter says so."""
    if request.param == "words and meaning":
        (data / "settings.toml").unlink()
    running = host()
    client = shim()
    client.handshake()
    remember(client, DAILY)
    client.running, client.with_meaning = running, request.param != "words"
    return client


def ok(client: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = client.call(tool, arguments, seconds=WAIT)
    assert "error" not in answer and not answer["result"].get("isError"), answer
    content: dict[str, Any] = answer["result"]["structuredContent"]
    return content


def remember(client: Any, texts: Any) -> None:
    for text in texts:
        ok(client, "memorize", content=text)


def settle(client: Any, until: Callable[..., Any]) -> None:
    """Every memory has its vector, where there is a model."""
    if client.with_meaning:
        until(lambda: ok(client, "memory_status")["vectors"]["state"] == "ready", "the vectors are there", WAIT)


def recalled(client: Any, question: str, k: int = SHOWN) -> list[str]:
    return [one["text"] for one in ok(client, "recall", query=question, k=k)["memories"]]


def test_what_is_typed_finds_what_was_written(assistant: Any, until: Callable[..., Any]) -> None:
    remember(assistant, dict.fromkeys(text for pairs in TYPED.values() for text, _ in pairs))
    settle(assistant, until)
    lost = [
        (kind, question, found)
        for kind, pairs in TYPED.items()
        for text, question in pairs
        if text not in (found := recalled(assistant, question))
    ]
    assert lost == []


def test_the_only_memory_with_the_typed_word_comes_first(assistant: Any, until: Callable[..., Any]) -> None:
    remember(assistant, [TYPED["word games in three scripts"][0][0], DEVICES])
    settle(assistant, until)
    for text, question in (
        ("今天玩成语接龙游戏", "成语接龙"),
        (DEVICES, "cdm-xxc"),
        (DEVICES, "NAS"),
        (DEVICES, "设备清单"),
    ):
        assert recalled(assistant, question)[0] == text, question


def test_particles_do_not_flood_the_answer(assistant: Any, until: Callable[..., Any]) -> None:
    """Forty memories full of 的, 是, 了 say nothing about the one thing that is asked for."""
    flood = [f"他的书是我的了，这里的第{number}本是他的" for number in range(40)]
    remember(assistant, [*flood, "成语接龙的规则写在冰箱门上"])
    settle(assistant, until)
    for question in ("成语接龙的规则是什么了", "什么是成语接龙的规则", "成语接龙"):
        found = recalled(assistant, question)
        assert found[0] == "成语接龙的规则写在冰箱门上", question
    if not assistant.with_meaning:
        assert not set(recalled(assistant, "健身卡是什么时候的了")) & set(flood)


@pytest.mark.parametrize("particle", ["的", "是", "了"])
def test_a_lone_particle_is_still_a_question(assistant: Any, particle: str) -> None:
    assert len(recalled(assistant, particle)) <= SHOWN


def test_questions_without_a_word_find_nothing(assistant: Any, until: Callable[..., Any]) -> None:
    settle(assistant, until)
    assert {question: recalled(assistant, question) for question in NOTHING} == {question: [] for question in NOTHING}


def test_query_syntax_is_text_like_any_other(assistant: Any) -> None:
    for question in ('a "b', "AND", "Lisbon AND", "NOT Anna", "NEAR(Anna May)", "lexical:Anna", "{a b}:c", "^a", "(",
                     "'; DROP TABLE memories; --", "a*", "\x00Anna\x00", "Anna" * 5000):  # fmt: skip
        recalled(assistant, question)
    assert recalled(assistant, "Anna AND NOT (Lisbon")[0] == "Anna moved to Lisbon in May"


def test_meaning_finds_what_no_word_does(assistant: Any, until: Callable[..., Any]) -> None:
    """What the model is for: the question shares no word with its answer, or not even the language."""
    settle(assistant, until)
    asked = {"When do I pay the rent?": "房租每个月五号交", "Which food makes me ill?": "我对花生过敏"}
    for question, text in asked.items():
        assert (text in recalled(assistant, question)) is assistant.with_meaning, question
