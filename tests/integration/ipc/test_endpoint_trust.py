"""Who is let in and whom a client believes: squatters, stale files, wrong tokens, other users, long paths."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app import paths
from app.ipc import endpoint, hello
from app.ipc.client import Client, HostUnreachable, is_alive

ROOT = Path(__file__).resolve().parents[3]
NOBODY = 65534


class Squatter:
    """Someone else's server on a port that a dead host had: keeps all it hears, answers what it can make up."""

    def __init__(self, answer: bytes | None) -> None:
        self._answer = answer
        self.heard = b""
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._stop = False
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while True:
            link, _ = self._server.accept()
            with link:
                if self._stop:
                    return
                link.settimeout(5)
                try:
                    self.heard += link.recv(65_536)
                    if self._answer is not None:
                        link.sendall(self._answer)
                    while more := link.recv(65_536):
                        self.heard += more
                except OSError:
                    continue  # the client hung up: as it should

    def close(self) -> None:
        self._stop = True
        socket.create_connection(("127.0.0.1", self.port)).close()
        self._thread.join(10)
        self._server.close()


@pytest.fixture(
    params=[
        b'{"nonce":"00000000000000000000000000000000","proof":"' + b"0" * 64 + b'"}\n',
        b'{"ok":true,"version":"1"}\n',
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"x" * 100_000,
        b"",
    ],
    ids=["made-up proof", "bold ok", "http", "flood", "silent"],
)
def squatter(request: pytest.FixtureRequest) -> Iterator[Squatter]:
    made = Squatter(request.param or None)
    yield made
    made.close()


def _stale(data: Path, port: int) -> endpoint.Endpoint:
    left = endpoint.Endpoint("tcp", f"127.0.0.1:{port}", hello.new_token(), 999_999, "old", endpoint.RUNNING, 1.0)
    endpoint.write(str(data), left)
    return left


def test_a_squatter_learns_nothing(shim: Any, data: Path, squatter: Squatter, until: Any) -> None:
    left = _stale(data, squatter.port)
    client = shim("--wait", "0.3")
    assert client.handshake()["result"]["serverInfo"]["name"] == "manifest"
    failed = client.call("echo", {"text": "a secret of the user"})["result"]
    assert failed["structuredContent"]["code"] == "app_unreachable"
    until(lambda: squatter.heard, "the shim tried the port")
    assert left.token.encode() not in squatter.heard
    assert b"secret" not in squatter.heard and b"jsonrpc" not in squatter.heard
    opening = json.loads(squatter.heard.split(b"\n")[0])
    assert set(opening) == {"hupo", "nonce", "purpose", "profile", "client", "version"}
    assert hello.proof(left.token, "client", "0" * 32, opening["nonce"]).encode() not in squatter.heard


def test_the_app_is_started_past_a_squatter(shim: Any, data: Path) -> None:
    squatter = Squatter(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    try:
        _stale(data, squatter.port)
        client = shim("--wait", "30", may_start=True)
        client.handshake()
        assert "isError" not in client.call("echo", {"text": "x"})["result"]
    finally:
        squatter.close()


def test_a_stale_endpoint_and_socket_are_taken_over(small_host: Any, transport: str, data: Path) -> None:
    first = small_host(transport)
    before = endpoint.read(str(data))
    first.kill()
    assert not is_alive(str(data))
    second = small_host(transport)
    after = endpoint.read(str(data))
    assert before is not None and after is not None
    assert (after.pid, after.transport) == (second.ready["pid"], transport)
    assert after.token != before.token
    assert is_alive(str(data))


def test_files_are_for_this_user_only(small_host: Any, data: Path) -> None:
    small_host("unix")
    assert stat.S_IMODE(os.stat(paths.endpoint_file(str(data))).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(paths.socket_file(str(data))).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(paths.socket_file(str(data)))).st_mode) == 0o700


def test_a_wrong_token_is_refused(small_host: Any, transport: str, data: Path) -> None:
    small_host(transport)
    found = endpoint.read(str(data))
    assert found is not None
    with endpoint.connect(str(data), found, 5) as link, pytest.raises(hello.HelloFailed, match="wrong_server"):
        hello.greet(link, hello.new_token(), purpose="mcp", client="x", version="1")
    # A client that does not care who answers sends a proof all the same:
    with endpoint.connect(str(data), found, 5) as link:
        stream = link.makefile("rwb")
        stream.write(
            b'{"hupo":1,"nonce":"' + b"a" * 32 + b'","purpose":"mcp","profile":"core","client":"x","version":""}\n'
        )
        stream.flush()
        challenge = json.loads(stream.readline())
        stream.write(json.dumps({"proof": challenge["proof"]}).encode() + b"\n")
        stream.flush()
        assert json.loads(stream.readline()) == {"error": "wrong_token"}
        assert stream.readline() == b""
        stream.close()


@pytest.mark.parametrize(
    "opening",
    [
        b"\n",
        b"GET / HTTP/1.1\r\n",
        b"[]\n",
        b'{"hupo":2,"nonce":"' + b"a" * 32 + b'"}\n',
        b'{"hupo":1,"nonce":3}\n',
        b"x" * 9000 + b"\n",
    ],
)
def test_nonsense_instead_of_a_greeting_is_refused(small_host: Any, transport: str, data: Path, opening: bytes) -> None:
    small_host(transport)
    found = endpoint.read(str(data))
    assert found is not None
    with endpoint.connect(str(data), found, 5) as link:
        link.sendall(opening)
        stream = link.makefile("rb")
        try:
            assert json.loads(stream.readline())["error"] == "not_hupo"
        except ConnectionResetError:
            pytest.skip("the refusal was lost with unread bytes")
        finally:
            stream.close()
    assert is_alive(str(data)), "the host goes on"


AS_NOBODY = """
import os, sys
sys.path.insert(0, sys.argv[2])
from app.ipc import endpoint, hello
os.setgroups([]); os.setgid({user}); os.setuid({user})
found = endpoint.Endpoint("unix", "", sys.argv[3], 1, "")
try:
    link = endpoint.connect(sys.argv[1], found, 5)
    hello.greet(link, found.token, purpose="mcp", client="x", version="1")
except PermissionError:
    print("no way in")
except (hello.HelloFailed, ConnectionError) as refused:
    print(getattr(refused, "code", type(refused).__name__))
else:
    print("let in")
"""


@pytest.mark.skipif(sys.platform != "linux" or os.getuid() != 0, reason="becoming another user takes root")
def test_another_user_is_refused(small_host: Any) -> None:
    with tempfile.TemporaryDirectory(prefix="hupo-", dir="/var/tmp") as place:
        # The parents of tmp_path are closed to others; here only Hupo's own modes stand in the way.
        os.chmod(place, 0o755)
        data = Path(place) / "data"
        code = Path(place) / "code"
        _copy_of_the_client(code)
        small_host.at(data)
        found = endpoint.read(str(data))
        assert found is not None
        assert _as_nobody(code, data, found.token) == "no way in"
        for opened in (data, data / "run", data / "run" / "hupo.sock"):
            os.chmod(opened, 0o777)
        # Even with every door open and the token known, the peer's uid decides.
        assert _as_nobody(code, data, found.token) == "wrong_user"


def _copy_of_the_client(code: Path) -> None:
    (code / "app" / "ipc").mkdir(parents=True)
    for name in ("__init__.py", "paths.py", "ipc/__init__.py", "ipc/endpoint.py", "ipc/hello.py"):
        shutil.copy(ROOT / "app" / name, code / "app" / name)
    for path in (code, *code.rglob("*")):
        os.chmod(path, 0o755)


def _as_nobody(code: Path, data: Path, token: str) -> str:
    script = AS_NOBODY.replace("{user}", str(NOBODY))
    done = subprocess.run(
        [sys.executable, "-I", "-c", script, str(data), str(code), token], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_long_path_goes_over_tcp(small_host: Any, tmp_path: Path) -> None:
    deep = tmp_path / ("very-" * 12) / "数据" / ("deep" * 10)
    assert endpoint.preferred_transport(str(deep)) == "tcp"
    host = small_host.at(deep, transport=None)
    assert host.ready["transport"] == "tcp"
    with Client(str(deep), "control") as client:
        assert client.request("anything") == {}


def test_what_is_no_endpoint_reads_as_none(data: Path) -> None:
    place = Path(paths.endpoint_file(str(data)))
    assert endpoint.read(str(data)) is None
    for garbage in (b"", b"{", b"[]", b"null", b'{"transport":"unix"}', b"\xff\xfe", b'{"pid":"x"}' * 3):
        place.write_bytes(garbage)
        assert endpoint.read(str(data)) is None
    with pytest.raises(HostUnreachable, match="endpoint_missing"):
        Client(str(data), "control")


@pytest.mark.parametrize("address", ["10.0.0.1:80", "127.0.0.1:0", "127.0.0.1:99999", "127.0.0.1", "evil.example:80"])
def test_only_loopback_is_ever_called(data: Path, address: str) -> None:
    endpoint.write(str(data), endpoint.Endpoint("tcp", address, "t" * 64, 1, "", endpoint.RUNNING, 1.0))
    with pytest.raises(HostUnreachable, match="host_unreachable"):
        Client(str(data), "control")


def test_quit_is_not_written_over_another_host(data: Path) -> None:
    running = endpoint.Endpoint("unix", "", "t" * 64, 100, "1", endpoint.RUNNING, 1.0)
    endpoint.write(str(data), running)
    assert not endpoint.mark_quit(str(data), 99, 2.0)
    assert endpoint.mark_quit(str(data), 100, 3.0)
    left = endpoint.read(str(data))
    assert left is not None and (left.state, left.token, left.pid) == (endpoint.QUIT, "", 100)
    assert sorted(os.listdir(data)) == ["endpoint.json", "manifests", "tools.json"], "no half file is left"
