"""The outside service against a real loopback server: good answers, bad answers, outages, recovery, secrecy."""

from __future__ import annotations

import json
import logging
import threading
import traceback
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from engine.embedding import RemoteEmbedder
from engine.embedding.remote import BATCH, MAX_CHARACTERS
from engine.errors import EmbedderUnavailable

KEY = "sk-a-secret-that-must-not-leak"
Answer = Callable[["Handler", dict[str, Any]], None]


def vector_of(text: str) -> list[float]:
    """What the server "means" by a text: something that differs between texts, not of unit length."""
    return [float(len(text)), float(sum(map(ord, text)) % 97), 3.0]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, dict(self.headers), body))
        self.server.answer(self, body)

    def reply(self, status: int, payload: bytes, **headers: str) -> None:
        self.send_response(status)
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
        self.answer: Answer = good
        self.release = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up on a slow answer is what the test is about."""


def entries(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"index": place, "embedding": vector_of(text)} for place, text in enumerate(body["input"])]


def good(handler: Handler, body: dict[str, Any]) -> None:
    handler.reply(200, json.dumps({"data": entries(body)}).encode())


def raw(payload: bytes, status: int = 200, **headers: str) -> Answer:
    return lambda handler, body: handler.reply(status, payload, **headers)


def data(change: Callable[[list[dict[str, Any]]], Any]) -> Answer:
    """The good answer, changed."""
    return lambda handler, body: handler.reply(200, json.dumps({"data": change(entries(body))}).encode())


class Time:
    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    running = Server()
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield running
    running.release.set()
    running.shutdown()
    running.server_close()
    thread.join(10)


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def remote(server: Server, time: Time) -> Iterator[RemoteEmbedder]:
    url = f"http://127.0.0.1:{server.server_port}/v1/"
    embedder = RemoteEmbedder(url, "some-model", lambda: KEY, timeout=5.0, monotonic=time)
    yield embedder
    embedder.close()


def refusal(attempt: Callable[[], object]) -> EmbedderUnavailable:
    with pytest.raises(EmbedderUnavailable) as caught:
        attempt()
    return caught.value


def unit(rows: list[list[float]]) -> np.ndarray[Any, Any]:
    matrix = np.array(rows)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def test_texts_become_unit_vectors_in_order(server: Server, remote: RemoteEmbedder) -> None:
    texts = ["猫", "a dog", "😀"]
    vectors = remote.embed_passages(texts)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, unit([vector_of(text) for text in texts]), rtol=1e-5)
    np.testing.assert_allclose(remote.embed_query("猫"), vectors[0], rtol=1e-6)
    path, headers, body = server.requests[0]
    assert path == "/v1/embeddings"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert body == {"model": "some-model", "input": texts, "encoding_format": "float"}


def test_the_order_is_that_of_the_index(server: Server, remote: RemoteEmbedder) -> None:
    texts = ["one", "three", "eleven"]
    expected = unit([vector_of(text) for text in texts])
    server.answer = data(lambda rows: rows[::-1])
    np.testing.assert_allclose(remote.embed_passages(texts), expected, rtol=1e-5)
    server.answer = data(lambda rows: [{"embedding": row["embedding"]} for row in rows])
    np.testing.assert_allclose(remote.embed_passages(texts), expected, rtol=1e-5)


def test_many_texts_go_in_batches_and_no_texts_in_none(server: Server, remote: RemoteEmbedder) -> None:
    texts = [f"text {n}" for n in range(2 * BATCH + 3)]
    vectors = remote.embed_passages(texts)
    np.testing.assert_allclose(vectors, unit([vector_of(text) for text in texts]), rtol=1e-5)
    assert [len(body["input"]) for _, _, body in server.requests] == [BATCH, BATCH, 3]
    assert remote.embed_passages([]).shape == (0, 3)
    assert len(server.requests) == 3


def test_what_is_sent_is_never_blank_endless_or_broken(server: Server, remote: RemoteEmbedder) -> None:
    remote.embed_passages(["", " \n", "哈" * 100_000, "half \ud83d pair"])
    sent = server.requests[0][2]["input"]
    assert all(text.strip() for text in sent)
    assert len(sent[2]) == MAX_CHARACTERS
    assert sent[3] == "half ? pair"


def test_the_dimension_is_learned_then_enforced(server: Server, remote: RemoteEmbedder, time: Time) -> None:
    assert (remote.identity, remote.dimension) == ("", 0)
    remote.embed_query("x")
    identity = f"remote/127.0.0.1:{server.server_port}/some-model/3"
    assert (remote.identity, remote.dimension) == (identity, 3)
    server.answer = data(lambda rows: [{**row, "embedding": [1.0, 2.0]} for row in rows])
    error = refusal(lambda: remote.embed_query("x"))
    assert error.fields == {"reason": "wrong_dimension", "identity": identity, "retry_after": 1.0}
    assert remote.identity == identity


def test_a_set_dimension_is_known_at_once_and_enforced(server: Server) -> None:
    embedder = RemoteEmbedder(f"http://127.0.0.1:{server.server_port}/v1", "m", lambda: None, dimension=4)
    assert embedder.identity == f"remote/127.0.0.1:{server.server_port}/m/4"
    assert refusal(lambda: embedder.embed_query("x")).fields["reason"] == "wrong_dimension"
    assert "Authorization" not in server.requests[0][1]
    embedder.close()


BAD_ANSWERS: list[tuple[str, Answer]] = [
    ("garbage", raw(b"<html>hello</html>")),
    ("empty", raw(b"")),
    ("not utf-8", raw(b"\xff\xfe\xfd")),
    ("a list", raw(b"[1]")),
    ("no data", raw(b"{}")),
    ("deep", raw(b"[" * 100_000)),
    ("data is null", data(lambda rows: None)),
    ("too few", data(lambda rows: rows[:-1])),
    ("too many", data(lambda rows: [*rows, rows[0]])),
    ("index twice", data(lambda rows: [{**row, "index": 0} for row in rows])),
    ("index out of range", data(lambda rows: [{**row, "index": row["index"] + 1} for row in rows])),
    ("index is text", data(lambda rows: [{**row, "index": str(row["index"])} for row in rows])),
    ("index is true", data(lambda rows: [{**row, "index": bool(row["index"])} for row in rows])),
    ("nan", data(lambda rows: [{**row, "embedding": [float("nan"), 1.0, 1.0]} for row in rows])),
    ("infinity", data(lambda rows: [{**row, "embedding": [float("inf"), 1.0, 1.0]} for row in rows])),
    ("too large for a float", raw(b'{"data": [{"embedding": [1' + b"0" * 400 + b']}, {"embedding": [1]}]}')),
    ("zero", data(lambda rows: [{**row, "embedding": [0.0, 0.0, 0.0]} for row in rows])),
    ("no numbers", data(lambda rows: [{**row, "embedding": []} for row in rows])),
    ("no vector", data(lambda rows: [{"index": row["index"]} for row in rows])),
    ("texts", data(lambda rows: [{**row, "embedding": ["1", "2", "3"]} for row in rows])),
    ("nested", data(lambda rows: [{**row, "embedding": [[1.0], [2.0], [3.0]]} for row in rows])),
    ("uneven", data(lambda rows: [{**row, "embedding": [1.0] * (2 + row["index"])} for row in rows])),
]


@pytest.mark.parametrize("answer", [a for _, a in BAD_ANSWERS], ids=[name for name, _ in BAD_ANSWERS])
def test_a_bad_answer_is_refused_teaches_nothing_and_is_recovered_from(
    server: Server, remote: RemoteEmbedder, time: Time, answer: Answer
) -> None:
    server.answer = answer
    error = refusal(lambda: remote.embed_passages(["one", "two"]))
    assert error.fields == {"reason": "bad_answer", "identity": "", "retry_after": 1.0}
    assert remote.dimension == 0
    server.answer = good
    time.now += 1
    assert remote.embed_passages(["one", "two"]).shape == (2, 3)


@pytest.mark.parametrize(
    ("status", "reason"),
    [(500, "server_error"), (503, "server_error"), (401, "refused"), (403, "refused"), (400, "rejected"),
     (404, "rejected"), (302, "rejected"), (204, "rejected"), (429, "rate_limited")],
)  # fmt: skip
def test_an_error_status_is_named_and_the_server_left_alone_until_its_time(
    server: Server, remote: RemoteEmbedder, time: Time, status: int, reason: str
) -> None:
    server.answer = raw(b"", status, Location=f"http://127.0.0.1:{server.server_port}/elsewhere")
    assert refusal(lambda: remote.embed_query("x")).fields["retry_after"] == 1.0
    time.now += 0.5
    error = refusal(lambda: remote.embed_query("x"))
    assert (error.fields["reason"], error.fields["retry_after"]) == (reason, 0.5)
    assert len(server.requests) == 1
    time.now += 0.5
    assert refusal(lambda: remote.embed_query("x")).fields["retry_after"] == 2.0
    assert len(server.requests) == 2
    server.answer = good
    time.now += 2
    assert remote.embed_query("x").shape == (3,)
    server.answer = raw(b"", status)
    assert refusal(lambda: remote.embed_query("x")).fields["retry_after"] == 1.0


def test_retry_after_is_honoured(server: Server, remote: RemoteEmbedder, time: Time) -> None:
    server.answer = raw(b"{}", 429, Retry_After="42")
    error = refusal(lambda: remote.embed_query("x"))
    assert (error.fields["reason"], error.fields["retry_after"]) == ("rate_limited", 42.0)
    server.answer = good
    time.now += 41
    assert refusal(lambda: remote.embed_query("x")).fields["retry_after"] == 1.0
    time.now += 1
    assert remote.embed_query("x").shape == (3,)


def test_a_server_that_never_answers_is_given_up_and_comes_back(server: Server, time: Time) -> None:
    def hang(handler: Handler, body: dict[str, Any]) -> None:
        server.release.wait(30)
        handler.close_connection = True

    server.answer = hang
    url = f"http://127.0.0.1:{server.server_port}/v1"
    embedder = RemoteEmbedder(url, "m", lambda: KEY, timeout=0.3, monotonic=time)
    assert refusal(lambda: embedder.embed_query("x")).fields["reason"] == "timeout"
    server.release.set()
    server.answer = good
    time.now += 1
    assert embedder.embed_query("x").shape == (3,)
    embedder.close()


def test_a_server_that_drips_is_given_up_too(server: Server, remote: RemoteEmbedder, time: Time) -> None:
    def drip(handler: Handler, body: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        for _ in range(1000):
            time.now += 1
            handler.wfile.write(b" ")
            handler.wfile.flush()
            if server.release.wait(0.002):
                return

    server.answer = drip
    assert refusal(lambda: remote.embed_query("x")).fields["reason"] == "timeout"


def test_a_server_that_hangs_up_or_is_gone(server: Server, remote: RemoteEmbedder, time: Time) -> None:
    def hang_up(handler: Handler, body: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b"{")
        handler.close_connection = True

    server.answer = hang_up
    assert refusal(lambda: remote.embed_query("x")).fields["reason"] == "bad_answer"
    gone = RemoteEmbedder("http://127.0.0.1:1/v1", "m", lambda: KEY, timeout=2, monotonic=time)
    assert refusal(lambda: gone.embed_query("x")).fields["reason"] == "unreachable"
    gone.close()


@pytest.mark.parametrize(
    ("url", "model", "reason"),
    [("", "m", "not_configured"), ("http://h/v1", " ", "not_configured"), ("ftp://h/v1", "m", "bad_url"),
     ("h/v1", "m", "bad_url"), ("http://", "m", "bad_url"), ("http://h:port/v1", "m", "bad_url"),
     ("http://[::1/v1", "m", "bad_url"), ("http://h/v1?key=x", "m", "bad_url"), ("http://h\x00h/v1", "m", "bad_url")],
)  # fmt: skip
def test_what_is_wrong_with_the_settings_is_said_by_the_first_call(url: str, model: str, reason: str) -> None:
    embedder = RemoteEmbedder(url, model, lambda: KEY, dimension=3)
    assert refusal(lambda: embedder.embed_query("x")).fields["reason"] == reason
    embedder.close()


@pytest.mark.parametrize("key", ["ключ-" + KEY, KEY + "\r\nX-Evil: 1" + KEY, KEY])
def test_the_key_is_in_no_error_and_no_log(
    server: Server, time: Time, caplog: pytest.LogCaptureFixture, key: str
) -> None:
    caplog.set_level(logging.DEBUG)
    url = f"http://name:{KEY}@127.0.0.1:{server.server_port}/v1"
    embedder = RemoteEmbedder(url, "m", lambda: key, timeout=2, monotonic=time)
    for answer in (raw(b"no"), raw(KEY.encode(), 401), raw(KEY.encode(), 500)):
        server.answer = answer
        error = refusal(lambda: embedder.embed_query("x"))
        told = "".join(traceback.format_exception(error)) + repr(error) + repr(error.fields)
        assert KEY not in told
        time.now += 400
    assert KEY not in embedder.identity
    assert KEY not in caplog.text
    embedder.close()


def test_a_login_in_the_address_is_used_when_there_is_no_key(server: Server) -> None:
    url = f"http://me:p%40ss@127.0.0.1:{server.server_port}/v1"
    for key, expected in ((None, "Basic bWU6cEBzcw=="), (KEY, f"Bearer {KEY}")):
        embedder = RemoteEmbedder(url, "m", lambda key=key: key)
        embedder.embed_query("x")
        assert server.requests[-1][1]["Authorization"] == expected
        embedder.close()


def test_a_proxy_that_can_not_be_used_is_named(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "nonsense://127.0.0.1:1")
    embedder = RemoteEmbedder(f"http://127.0.0.1:{server.server_port}/v1", "m", lambda: None)
    assert refusal(lambda: embedder.embed_query("x")).fields["reason"] == "bad_proxy"
    embedder.close()


def test_unload_reconnects_and_close_is_for_good(server: Server, remote: RemoteEmbedder) -> None:
    remote.embed_query("x")
    remote.unload()
    assert remote.embed_query("x").shape == (3,)
    remote.close()
    assert refusal(lambda: remote.embed_query("x")).fields["reason"] == "closed"
    assert len(server.requests) == 2


def test_very_large_and_very_small_numbers_keep_their_direction(server: Server, remote: RemoteEmbedder) -> None:
    scales = [1e300, 1e-300]
    server.answer = data(lambda rows: [{**r, "embedding": [3 * s, 4 * s]} for r, s in zip(rows, scales, strict=True)])
    np.testing.assert_allclose(remote.embed_passages(["a", "b"]), [[0.6, 0.8], [0.6, 0.8]], rtol=1e-6)
