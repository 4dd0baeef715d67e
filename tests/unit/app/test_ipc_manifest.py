"""What the shim says while the app is away, from the shipped manifest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.ipc import lines
from app.ipc.manifest import CAPABILITIES, ENVELOPE, Stand, UnknownProfile, load

SHAKE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
META = {ENVELOPE: "2026-07-28", CAPABILITIES: {}}


@pytest.fixture
def stand(tmp_path: Path) -> Stand:
    return Stand(load(str(tmp_path), "core"))


def ask(stand: Stand, method: str, params: Any = None, identifier: Any = 1) -> Any:
    message = {"jsonrpc": "2.0", "id": identifier, "method": method}
    if params is not None:
        message["params"] = params
    return tell(stand, message)


def tell(stand: Stand, message: dict[str, Any]) -> Any:
    read = lines.read(json.dumps(message).encode())
    stand.note(read)
    return stand.answer(read)


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ],
)
def test_the_version_is_the_asked_one_or_the_latest(stand: Stand, asked: str, given: str) -> None:
    answer = ask(stand, "initialize", {**SHAKE, "protocolVersion": asked}, "text-id")
    assert answer["id"] == "text-id"
    assert answer["result"]["protocolVersion"] == given
    assert answer["result"]["serverInfo"]["name"] == "hupo"


@pytest.mark.parametrize("left_out", ["protocolVersion", "capabilities", "clientInfo"])
def test_a_malformed_handshake_is_refused_and_may_be_repeated(stand: Stand, left_out: str) -> None:
    wrong = {key: value for key, value in SHAKE.items() if key != left_out}
    assert ask(stand, "initialize", wrong)["error"]["code"] == lines.INVALID_PARAMS
    assert stand.replay("r") is None
    assert "result" in ask(stand, "initialize", SHAKE)


def test_tools_are_listed_after_the_handshake_only(stand: Stand) -> None:
    assert ask(stand, "tools/list")["error"]["code"] == lines.INVALID_PARAMS
    ask(stand, "initialize", SHAKE)
    names = [tool["name"] for tool in ask(stand, "tools/list")["result"]["tools"]]
    assert {"memorize", "recall", "forget_memory"} <= set(names)


def test_the_handshake_is_kept_for_the_replay(stand: Stand) -> None:
    ask(stand, "initialize", SHAKE, 7)
    tell(stand, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert stand.replay("again") == {"jsonrpc": "2.0", "id": "again", "method": "initialize", "params": SHAKE}
    assert stand.initialized


def test_ping_belongs_to_one_era(stand: Stand) -> None:
    assert ask(stand, "ping")["result"] == {}
    assert ask(stand, "ping", {"_meta": META})["error"]["code"] == lines.METHOD_NOT_FOUND


def test_discover_needs_its_envelope(stand: Stand) -> None:
    assert ask(stand, "server/discover")["error"]["code"] == lines.METHOD_NOT_FOUND
    assert "2026-07-28" in ask(stand, "server/discover", {"_meta": META})["result"]["supportedVersions"]
    assert "result" in ask(stand, "initialize", SHAKE), "a handshake still works on the same pipe"


@pytest.mark.parametrize(
    ("meta", "code"),
    [
        ({ENVELOPE: "2026-07-28"}, -32602),
        ({ENVELOPE: 5, CAPABILITIES: {}}, -32602),
        ({ENVELOPE: "2031-01-01", CAPABILITIES: {}}, -32022),
    ],
)
def test_a_broken_envelope_is_named(stand: Stand, meta: dict[str, Any], code: int) -> None:
    assert ask(stand, "tools/list", {"_meta": meta})["error"]["code"] == code


def test_a_forgotten_envelope_is_named(stand: Stand) -> None:
    ask(stand, "server/discover", {"_meta": META})
    assert ENVELOPE in ask(stand, "tools/list")["error"]["message"]


def test_calls_wait_and_errors_have_the_shape_of_their_era(stand: Stand) -> None:
    call = {"name": "recall", "arguments": {"query": "x"}}
    assert ask(stand, "tools/call", call) is None
    assert ask(stand, "tools/call", {**call, "_meta": META}) is None
    plain = lines.read(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode())
    fresh = Stand(stand._manifest)
    assert "resultType" not in fresh.trouble(plain, "app_closed")["result"]
    assert stand.trouble(plain, "app_closed")["result"]["resultType"] == "complete"
    other = lines.read(b'{"jsonrpc":"2.0","id":1,"method":"resources/list"}')
    assert fresh.trouble(other, "restarted")["error"]["data"] == {"code": "restarted"}


def test_a_changed_list_is_noticed_once(stand: Stand) -> None:
    ask(stand, "initialize", SHAKE)
    ask(stand, "tools/list")
    assert not stand.saw_list(stand._manifest["tools"])
    assert stand.saw_list([])
    assert not stand.saw_list([])


def test_the_host_s_own_manifest_is_preferred_and_a_broken_one_passed_over(tmp_path: Path) -> None:
    shipped = load(str(tmp_path), "core")
    (tmp_path / "manifests").mkdir()
    place = tmp_path / "manifests" / "core.json"
    place.write_text(json.dumps({**shipped, "version": "next"}), encoding="utf-8")
    assert load(str(tmp_path), "core")["version"] == "next"
    for broken in ("{", "[]", json.dumps({**shipped, "format": 99})):
        place.write_text(broken, encoding="utf-8")
        assert load(str(tmp_path), "core") == shipped


@pytest.mark.parametrize("name", ["nonsense", "", "../core", "core/../core", "core,"])
def test_an_unknown_profile(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnknownProfile):
        load(str(tmp_path), name)


def test_joined_profiles_list_the_tools_of_both(tmp_path: Path) -> None:
    one = load(str(tmp_path), "core")
    assert len(load(str(tmp_path), "core,core")["tools"]) == 2 * len(one["tools"])
