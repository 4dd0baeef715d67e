"""A conversation becomes a draft through a chat service that the user has set: a real service on the loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from engine import Service, Settings
from engine.errors import ChatUnavailable, Closed
from engine.types import Actor

WAIT = 20.0
TALK = "Anna: shall we plant the pear tree?\nBen: yes, on Saturday, next to the shed"
ANSWER = {
    "summary": "Anna and Ben plant a pear tree next to the shed on 2026-05-02",
    "topics": ["garden"],
    "key_facts": ["The pear tree stands next to the shed"],
    "participants": ["Anna", "Ben"],
    "sentiment": "positive",
    "importance": 0.6,
}


class Chat:
    """An OpenAI-compatible service; ``gate`` holds its answers back."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.arrived = threading.Event()
        self.gate = threading.Event()
        self.gate.set()
        chat = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                chat.asked.append(body)
                chat.keys.append(self.headers["Authorization"])
                chat.arrived.set()
                chat.gate.wait(WAIT)
                answer = json.dumps({"choices": [{"message": {"content": json.dumps(ANSWER)}}]}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def chat() -> Iterator[Chat]:
    made = Chat()
    yield made
    made.gate.set()
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def service(open_service: Callable[..., Service], chat: Chat) -> Service:
    settings = Settings()
    settings.update({"chat.url": chat.url, "chat.model": "m", "embedding.provider": "none"})
    return open_service(settings=settings, secret={"chat.key": "s3cret"}.get)


def test_a_conversation_becomes_a_memory(service: Service, chat: Chat) -> None:
    assert service.summaries.available
    held = datetime(2026, 4, 30, 20, tzinfo=UTC)
    draft = service.summaries.draft(TALK, held).result(WAIT)
    assert draft.content == ANSWER["summary"]
    assert (draft.topics, draft.participants, draft.importance) == (("garden",), ("Anna", "Ben"), 0.6)
    assert (draft.source_text, draft.event_time) == (TALK, held)
    assert chat.keys == ["Bearer s3cret"]
    assert "2026-04-30" in json.dumps(chat.asked[0], ensure_ascii=False)
    memory = service.memorize(draft, Actor("client", "x")).result(WAIT).memory
    assert memory.key_facts == tuple(ANSWER["key_facts"])
    names = {one.name for one in service.graph.of_memory(memory.id).result(WAIT)}
    assert {"Anna", "Ben", "garden", "The pear tree stands next to the shed"} <= names


def test_without_a_service_it_says_so_and_asks_nobody(open_service: Callable[..., Service], chat: Chat) -> None:
    service = open_service()
    assert not service.summaries.available
    with pytest.raises(ChatUnavailable) as caught:
        service.summaries.draft(TALK).result(WAIT)
    assert caught.value.fields["reason"] == "not_configured"
    assert chat.asked == []


def test_closing_does_not_wait_for_an_answer(service: Service, chat: Chat) -> None:
    chat.gate.clear()
    waiting = service.summaries.draft(TALK)
    assert chat.arrived.wait(WAIT)
    service.close()
    with pytest.raises(Closed):
        waiting.result(WAIT)
    with pytest.raises(Closed):
        service.summaries.draft(TALK)
