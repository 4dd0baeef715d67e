"""The chat service against a real loopback server: good answers, bad answers, outages, time limits, secrecy."""

from __future__ import annotations

import json
import logging
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from engine import llm
from engine.errors import ChatUnavailable, Closed, HupoError
from engine.llm import MAX_ANSWER_BYTES, ChatClient

KEY = "sk-a-secret-that-must-not-leak"
TEXT = "words of the user 琥珀"
MESSAGES = [{"role": "system", "content": "Say it."}, {"role": "user", "content": TEXT}]
Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, dict(self.headers), body))
        self.server.times.append(time.monotonic())
        # The last answer is given to all further questions too.
        answers = self.server.answers
        (answers.pop(0) if len(answers) > 1 else answers[0])(self)

    def reply(self, status: int, payload: bytes, **headers: str) -> None:
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Quiet."""


class Server(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.times: list[float] = []
        self.answers: list[Answer] = [good("yes")]
        self.asked = threading.Event()
        self.release = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up on a slow answer is what the test is about."""


def raw(payload: bytes, status: int = 200, **headers: str) -> Answer:
    return lambda handler: handler.reply(status, payload, **headers)


def good(content: Any) -> Answer:
    return raw(json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": content}}]}).encode())


def hang(handler: Handler) -> None:
    handler.server.asked.set()
    handler.server.release.wait(30)
    handler.close_connection = True


def hang_up(handler: Handler) -> None:
    handler.close_connection = True


def drip_headers(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
    _drip(handler)


def drip_body(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    _drip(handler)


def _drip(handler: Handler) -> None:
    while not handler.server.release.wait(0.02):
        handler.wfile.write(b" ")


def serving() -> Iterator[Server]:
    running = Server()
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield running
    running.release.set()
    running.shutdown()
    running.server_close()
    thread.join(10)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(llm, "BACKOFF_SECONDS", 0.01)
    yield from serving()


@pytest.fixture
def stranger() -> Iterator[Server]:
    yield from serving()


@pytest.fixture
def chat(server: Server) -> Iterator[ChatClient]:
    client = ChatClient(server.url + "/", "some-model", lambda: KEY, timeout=10.0)
    yield client
    client.close()


def refusal(client: ChatClient, **more: bool) -> dict[str, object]:
    with pytest.raises(ChatUnavailable) as caught:
        client.complete(MESSAGES, **more)
    return caught.value.fields


def test_the_answer_is_its_text_and_the_question_what_was_given(server: Server, chat: ChatClient) -> None:
    server.answers = [good('{"summary": "好"}')]
    assert chat.complete(MESSAGES) == '{"summary": "好"}'
    path, headers, body = server.requests[0]
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert body == {"model": "some-model", "messages": MESSAGES, "response_format": {"type": "json_object"}}
    chat.complete(MESSAGES, json=False)
    assert "response_format" not in server.requests[1][2]


def test_an_answer_in_parts_is_joined(server: Server, chat: ChatClient) -> None:
    server.answers = [good([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}])]
    assert chat.complete(MESSAGES) == "ab"


def test_any_text_can_be_asked(server: Server, chat: ChatClient) -> None:
    assert chat.complete([{"role": "user", "content": "half \ud83d pair\x00 \U0001f600"}]) == "yes"
    assert server.requests[0][2]["messages"][0]["content"] == "half ? pair\x00 \U0001f600"


@pytest.mark.parametrize("path", ["", "/", "/chat/completions", "/chat/completions/"])
def test_the_address_may_be_the_whole_one(server: Server, path: str) -> None:
    assert ChatClient(server.url + path, "m", lambda: None).complete(MESSAGES) == "yes"
    assert server.requests[0][0] == "/v1/chat/completions"
    assert "Authorization" not in server.requests[0][1]


def test_a_login_in_the_address_is_used_when_there_is_no_key(server: Server) -> None:
    url = server.url.replace("//", "//me:p%40ss@")
    for key, expected in ((None, "Basic bWU6cEBzcw=="), (KEY, f"Bearer {KEY}")):
        ChatClient(url, "m", lambda key=key: key).complete(MESSAGES)
        assert server.requests[-1][1]["Authorization"] == expected


BAD_ANSWERS: list[tuple[str, Answer]] = [
    ("garbage", raw(b"<html>hello</html>")),
    ("empty", raw(b"")),
    ("not utf-8", raw(b"\xff\xfe\xfd")),
    ("deep", raw(b"[" * 100_000)),
    ("a list", raw(b"[1]")),
    ("an error with status 200", raw(b'{"error": {"message": "no"}}')),
    ("no choices", raw(b'{"choices": []}')),
    ("choices is text", raw(b'{"choices": "x"}')),
    ("message is null", raw(b'{"choices": [{"message": null}]}')),
    ("content is null", good(None)),
    ("content is a number", good(1)),
    ("content is blank", good(" \n")),
    ("parts are texts", good(["a"])),
    ("a part without text", good([{"type": "text"}])),
    ("a part's text is null", good([{"type": "text", "text": None}])),
    ("other status", raw(b"", 204)),
    ("oversized", good("x" * MAX_ANSWER_BYTES)),
    ("broken compression", raw(b"no gzip at all", Content_Encoding="gzip")),
]


@pytest.mark.parametrize("answer", [a for _, a in BAD_ANSWERS], ids=[name for name, _ in BAD_ANSWERS])
def test_a_bad_answer_is_refused_and_the_next_good_one_taken(server: Server, chat: ChatClient, answer: Answer) -> None:
    server.answers = [answer]
    assert refusal(chat) == {"reason": "bad_answer", "retry_after": None}
    server.answers = [good("yes")]
    assert chat.complete(MESSAGES) == "yes"


def test_just_under_the_size_limit_is_taken(server: Server, chat: ChatClient) -> None:
    server.answers = [good("x" * (MAX_ANSWER_BYTES - 200))]
    assert len(chat.complete(MESSAGES)) == MAX_ANSWER_BYTES - 200


@pytest.mark.parametrize(
    ("status", "reason", "tries"),
    [(401, "unauthorized", 1), (403, "unauthorized", 1), (404, "refused", 1), (402, "refused", 1),
     (429, "rate_limited", 2), (500, "server", 2), (503, "server", 2)],
)  # fmt: skip
def test_an_error_status_is_named_and_tried_again_where_that_may_help(
    server: Server, chat: ChatClient, status: int, reason: str, tries: int
) -> None:
    server.answers = [raw(b"{}", status)]
    assert refusal(chat) == {"reason": reason, "retry_after": None}
    assert len(server.requests) == tries
    server.answers = [raw(b"{}", status), good("yes")]
    if tries == 2:
        assert chat.complete(MESSAGES) == "yes"


def test_the_second_try_waits_as_long_as_the_server_asks(server: Server, chat: ChatClient) -> None:
    server.answers = [raw(b"{}", 429, Retry_After="1"), good("yes")]
    assert chat.complete(MESSAGES) == "yes"
    first, second = server.times
    assert 1.0 <= second - first < 5.0
    assert server.requests[0][2] == server.requests[1][2]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"Retry_After": "42"}, 42.0),
     ({"Retry_After": "Fri, 01 May 2026 08:00:30 GMT", "Date": "Fri, 01 May 2026 08:00:00 GMT"}, 30.0)],
)  # fmt: skip
def test_a_wait_beyond_the_time_limit_is_reported_at_once(
    server: Server, chat: ChatClient, headers: dict[str, str], seconds: float
) -> None:
    server.answers = [raw(b"{}", 503, **headers)]
    assert refusal(chat) == {"reason": "server", "retry_after": seconds}
    assert len(server.requests) == 1


@pytest.mark.parametrize("header", ["soon", "-1", "Fri, 01 May 2026 08:00:30 GMT", "Fri, 99 May 2026", "²"])
def test_an_unreadable_wait_is_no_wait(server: Server, chat: ChatClient, header: str) -> None:
    server.answers = [raw(b"{}", 429, Retry_After=header), good("yes")]
    assert chat.complete(MESSAGES) == "yes"


@pytest.mark.parametrize("slow", [hang, drip_headers, drip_body])
def test_a_slow_server_is_given_up_when_the_time_is_over(server: Server, slow: Answer) -> None:
    server.answers = [slow]
    client = ChatClient(server.url, "m", lambda: KEY, timeout=0.4)
    began = time.monotonic()
    assert refusal(client) == {"reason": "timeout", "retry_after": None}
    assert 0.3 < time.monotonic() - began < 5.0
    server.answers = [good("yes")]
    assert client.complete(MESSAGES) == "yes"


def test_the_time_limit_holds_for_both_tries_together(server: Server) -> None:
    server.answers = [raw(b"{}", 429, Retry_After="0"), hang]
    client = ChatClient(server.url, "m", lambda: KEY, timeout=0.4)
    assert refusal(client)["reason"] == "timeout"
    assert len(server.requests) == 2


def test_a_lost_connection_is_tried_again(server: Server, chat: ChatClient) -> None:
    server.answers = [hang_up, good("yes")]
    assert chat.complete(MESSAGES) == "yes"
    server.answers = [hang_up]
    assert refusal(chat) == {"reason": "bad_answer", "retry_after": None}
    gone = ChatClient("http://127.0.0.1:1/v1", "m", lambda: KEY, timeout=5)
    assert refusal(gone) == {"reason": "refused", "retry_after": None}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_carries_neither_key_nor_words_elsewhere(
    server: Server, stranger: Server, chat: ChatClient, status: int
) -> None:
    server.answers = [raw(b"", status, Location=stranger.url + "/chat/completions")]
    assert refusal(chat) == {"reason": "refused", "retry_after": None}
    assert (len(server.requests), stranger.requests) == (1, [])


@pytest.mark.parametrize("status", [400, 422])
def test_a_service_without_json_mode_is_asked_without_and_not_with_again(
    server: Server, chat: ChatClient, status: int
) -> None:
    def picky(handler: Handler) -> None:
        (raw(b"{}", status) if "response_format" in handler.server.requests[-1][2] else good("yes"))(handler)

    server.answers = [picky]
    assert [chat.complete(MESSAGES) for _ in range(2)] == ["yes", "yes"]
    assert ["response_format" in body for _, _, body in server.requests] == [True, False, False]


def test_a_question_that_is_turned_down_for_itself_is_not_held_against_json_mode(
    server: Server, chat: ChatClient
) -> None:
    server.answers = [raw(b"{}", 400)]
    assert refusal(chat)["reason"] == "refused"
    assert refusal(chat, json=False)["reason"] == "refused"
    chat_after = [body.get("response_format") for _, _, body in server.requests]
    assert chat_after == [{"type": "json_object"}, None, None]
    server.answers = [good("yes")]
    chat.complete(MESSAGES)
    assert "response_format" in server.requests[-1][2]


@pytest.mark.parametrize(
    ("url", "model"),
    [("", "m"), ("http://h/v1", " "), ("ftp://h/v1", "m"), ("h/v1", "m"), ("http://", "m"), ("http://h:port/v1", "m"),
     ("http://[::1/v1", "m"), ("http://h/v1?key=x", "m"), ("http://h/v1#x", "m")],
)  # fmt: skip
def test_what_is_not_set_up_is_said_and_nobody_asked(url: str, model: str) -> None:
    client = ChatClient(url, model, lambda: KEY)
    assert not client.configured
    assert refusal(client) == {"reason": "not_configured", "retry_after": None}


@pytest.mark.parametrize("url", ["http://h\x00h/v1", f"http://{'a' * 70}.invalid/v1", "http://a..b/v1"])
def test_an_address_that_can_not_be_asked_is_a_typed_refusal(server: Server, url: str) -> None:
    assert refusal(ChatClient(url, "m", lambda: KEY, timeout=5))["reason"] in ("not_configured", "refused")


def test_a_proxy_that_can_not_be_used_is_a_typed_refusal(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "nonsense://127.0.0.1:1")
    assert refusal(ChatClient(server.url, "m", lambda: None))["reason"] == "refused"


@pytest.mark.parametrize("key", ["ключ-" + KEY, KEY + "\r\nX-Evil: 1" + KEY, KEY])
def test_key_and_words_are_in_no_error_and_no_log(server: Server, caplog: pytest.LogCaptureFixture, key: str) -> None:
    caplog.set_level(logging.DEBUG)
    client = ChatClient(server.url.replace("//", f"//name:{KEY}@"), "m", lambda: key, timeout=5)
    echo = f"{KEY} {TEXT}".encode()
    for answer in (raw(echo), raw(echo, 401), raw(echo, 500), raw(echo, 400), good(None), good(TEXT)):
        server.answers = [answer]
        try:
            client.complete(MESSAGES)
        except HupoError as error:
            told = "".join(traceback.format_exception(error)) + repr(error.fields)
            assert KEY not in told and TEXT not in told
    assert KEY not in caplog.text and TEXT not in caplog.text
    assert not any("X-Evil" in headers for _, headers, _ in server.requests)


def test_close_ends_a_running_question_and_is_for_good(server: Server, chat: ChatClient) -> None:
    server.answers = [hang]
    ended: list[BaseException] = []

    def ask() -> None:
        try:
            chat.complete(MESSAGES)
        except HupoError as error:
            ended.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    assert server.asked.wait(10)
    chat.close()
    asking.join(5)
    assert [type(error) for error in ended] == [Closed]
    with pytest.raises(Closed):
        chat.complete(MESSAGES)
    chat.close()
