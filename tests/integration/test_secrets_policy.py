"""What becomes of a secret on its way into the store: marked, masked without a trace, or left; and what is replied."""

from __future__ import annotations

import asyncio
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from app.mcp import arguments
from app.mcp.profiles import Call, Reply, core
from engine import Service
from engine.types import Actor, Draft, Memory

WAIT = 20.0
CLIENT, GUI = Actor("client", "assistant"), Actor("gui")
TOOLS = {one.name: one for one in core.TOOLS}
TEXTS = ["My wifi password is sunflower42", "我家 WiFi 密码是 sunflower42"]
SECRET = "sunflower42"


def tell(service: Service, draft: Draft, actor: Actor = CLIENT) -> Any:
    return service.memorize(draft, actor).result(WAIT)


def edit(service: Service, memory: Memory, actor: Actor, **values: Any) -> Any:
    return service.edit(memory.id, values, actor).result(WAIT)


def tool(service: Service, name: str, language: Any, **given: Any) -> Reply:
    values, extra = arguments.read(given, TOOLS[name].arguments, UTC, open_ended=TOOLS[name].open_ended)
    reply: Reply = asyncio.run(TOOLS[name].handler(Call(service, CLIENT, UTC, language, "1", extra), values))  # type: ignore[arg-type]
    return reply


@pytest.mark.parametrize("text", TEXTS)
def test_by_default_it_is_marked_and_hidden(service: Service, text: str) -> None:
    done = tell(service, Draft(text))
    assert (done.memory.content, done.memory.sensitivity, done.secrets) == (text, "high", ("password",))
    assert tell(service, Draft("The harbour opens at nine")).memory.sensitivity == "normal"


@pytest.mark.parametrize("text", TEXTS)
def test_a_person_may_lower_it_and_it_stays(service: Service, text: str) -> None:
    memory = tell(service, Draft(text)).memory
    assert edit(service, memory, GUI, sensitivity="normal").memory.sensitivity == "normal"
    assert edit(service, memory, GUI, title="At home", content=text).memory.sensitivity == "normal"
    again = tell(service, Draft(text))
    assert (again.outcome, again.memory.sensitivity, again.secrets) == ("reinforced", "normal", ("password",))
    assert tell(service, Draft(text, sensitivity="high")).memory.sensitivity == "high"  # somebody says so


@pytest.mark.parametrize("text", TEXTS)
def test_an_assistant_can_not_lower_it_and_a_new_text_is_looked_at(service: Service, text: str) -> None:
    memory = tell(service, Draft(text)).memory
    done = edit(service, memory, CLIENT, sensitivity="normal")
    assert (done.memory.sensitivity, done.secrets) == ("high", ("password",))
    plain = tell(service, Draft("The router stands in the hall")).memory
    for actor in (CLIENT, GUI):
        changed = edit(service, plain, actor, content=f"{text} ({actor.kind})", sensitivity="normal")
        assert (changed.memory.sensitivity, changed.secrets) == ("high", ("password",))
        service.undo_latest(plain.id, GUI).result(WAIT)
    assert service.get(plain.id).result(WAIT).sensitivity == "normal"


def test_what_was_stored_unmarked_is_marked_when_it_is_told_again(service: Service) -> None:
    service.settings.set("privacy.secrets", "off")
    assert tell(service, Draft(TEXTS[0])).memory.sensitivity == "normal"
    service.settings.set("privacy.secrets", "mark")
    assert tell(service, Draft(TEXTS[0])).memory.sensitivity == "high"


def test_masked_no_file_holds_a_trace(service: Service, data_dir: Path) -> None:
    """Every field, also where it stands by itself; merges, edits, history and index included."""
    service.settings.set("privacy.secrets", "mask")
    text = f"My wifi password is {SECRET}"
    objects = {"password": SECRET, "pin": 73915, "list": [{"x": text}, SECRET], SECRET: 1}
    texts = ("title", "summary", "compressed", "category", "mood", "source_text", "source_agent", "context", "why")
    lists = ("tags", "topics", "participants", "key_facts", "entities", "topic_path")
    fields: dict[str, Any] = dict.fromkeys((*texts, "trigger", "trigger_text"), f"at home: {SECRET}")
    fields |= dict.fromkeys(lists, (SECRET, "home"))
    fields |= {"extra": objects, "tone": objects, "modalities": ({"description": text},), "layer": "fact"}
    done = tell(service, Draft(text, **fields))
    assert done.memory.content == "My wifi password is [secret: password]"
    assert done.memory.sensitivity == "normal" and done.memory.extra["pin"] == "[secret: password]"
    assert done.memory.tags == ("[secret: password]", "home")
    tell(service, Draft(f"{text}, on both floors", **fields))
    memory = tell(service, Draft("The router stands in the hall"), GUI).memory
    edited = edit(service, memory, GUI, content=f"路由器密码：{SECRET}", context=f"x {SECRET}", key_facts=(SECRET,))
    assert edited.memory.content == "路由器密码：[secret: password]" and edited.secrets == ("password",)
    bare = tell(service, Draft(SECRET, title="WiFi password")).memory
    assert (bare.title, bare.content) == ("WiFi password", "[secret: password]")
    service.idle().result(WAIT)
    service.close()
    for file in (one for one in data_dir.rglob("*") if one.is_file()):
        assert SECRET.encode() not in file.read_bytes() and b"73915" not in file.read_bytes(), file


def test_off_looks_at_nothing(service: Service) -> None:
    service.settings.set("privacy.secrets", "off")
    done = tell(service, Draft(TEXTS[0]))
    assert (done.memory.sensitivity, done.secrets) == ("normal", ())


@pytest.mark.parametrize(
    ("mode", "language", "words"),
    [
        ("mark", "en", "marked as sensitive"),
        ("mark", "zh", "已标为敏感"),
        ("mask", "en", "blanked out"),
        ("mask", "zh", "隐去"),
    ],
)
def test_the_reply_says_what_happened(service: Service, mode: str, language: Any, words: str) -> None:
    service.settings.set("privacy.secrets", mode)
    kind = {"en": "password", "zh": "密码"}[language]
    told = tool(service, "memorize", language, content=TEXTS[0])
    assert words in told.text and kind in told.text and told.data["secrets"] == ["password"]
    plain = tool(service, "memorize", language, content="The harbour opens at nine")
    assert words not in plain.text and "secrets" not in plain.data
    changed = tool(service, "edit_memory", language, id=plain.data["id"], context=TEXTS[1])
    assert words in changed.text and changed.data["secrets"] == ["password"]
    if mode == "mark":
        service.edit(told.data["id"], {"sensitivity": "normal"}, GUI).result(WAIT)
        again = tool(service, "memorize", language, content=TEXTS[0])
        assert words not in again.text and kind in again.text  # noticed, and left as the user wants it
