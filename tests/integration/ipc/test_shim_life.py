"""The shim through an app's life: away, starting, up, killed, quit, back; over both transports."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any


def test_answers_the_handshake_without_an_app(shim: Any) -> None:
    client = shim("--wait", "0.3")
    answer = client.handshake()["result"]
    assert answer["serverInfo"]["name"] == "manifest"
    assert answer["protocolVersion"] == "2025-06-18"
    assert client.request("tools/list")["result"]["tools"][0]["name"] == "echo"
    assert client.request("ping")["result"] == {}
    assert client.request("resources/list")["error"]["code"] == -32601
    late = client.call("echo", {"text": "x"})["result"]
    assert late["isError"] and late["structuredContent"]["code"] == "app_unreachable"
    assert client.unclaimed == []


def test_answers_the_stateless_era_without_an_app(shim: Any, data: Path) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    client = shim("--wait", "0.2")
    assert client.request("server/discover", {"_meta": meta})["result"]["supportedVersions"] == ["2026-07-28"]
    listed = client.request("tools/list", {"_meta": meta})["result"]
    assert listed["resultType"] == "complete" and listed["ttlMs"] == 0
    old = {**meta, "io.modelcontextprotocol/protocolVersion": "2031-01-01"}
    wrong = client.request("tools/list", {"_meta": old})["error"]
    assert wrong["code"] == -32022 and wrong["data"]["requested"] == "2031-01-01"
    late = client.request("tools/call", {"name": "echo", "_meta": meta})["result"]
    assert late["isError"] and late["resultType"] == "complete"


def test_passes_through_a_running_app(shim: Any, small_host: Any, transport: str, seen: Any) -> None:
    small_host(transport)
    client = shim()
    client.handshake()
    text = "SESSION:2026-04-16|hook.fire×3|stale→reconnect|JH:重要更动先确认★★★ \U0001f980"
    assert client.call("echo", {"text": text})["result"]["content"][0]["text"] == text
    assert [one["method"] for one in seen()] == ["initialize", "notifications/initialized", "tools/call"]
    assert client.close() == 0


def test_calls_wait_for_the_app_and_the_handshake_is_replayed_once(
    shim: Any, small_host: Any, transport: str, seen: Any
) -> None:
    client = shim("--wait", "30")
    client.handshake()
    first = client.start("tools/call", {"name": "echo", "arguments": {"text": "一"}})
    second = client.start("tools/call", {"name": "echo", "arguments": {"text": "二"}})
    gone = client.start("tools/call", {"name": "echo", "arguments": {"text": "三"}})
    client.notify("notifications/cancelled", {"requestId": gone})
    client.request("ping")  # the shim has read everything above
    small_host(transport)
    assert client.answer(first)["result"]["content"][0]["text"] == "一"
    assert client.answer(second)["result"]["content"][0]["text"] == "二"
    got = seen()
    assert [one["method"] for one in got[:4]] == ["initialize", "notifications/initialized", "tools/call", "tools/call"]
    assert got[0]["params"]["clientInfo"]["name"] == "试验"
    assert client.unclaimed == [], "the app's answer to the replay must not reach the client"


def test_starts_the_app_apart_from_the_client(shim: Any, data: Path, until: Any) -> None:
    client = shim(may_start=True)
    client.handshake()
    host = client.call("echo")["result"]["structuredContent"]["pid"]
    assert client.process.pid != host
    fields = Path(f"/proc/{host}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    assert int(fields[3]) == host, "the app leads a session of its own"
    client.close()
    another = shim(may_start=True)
    another.handshake()
    assert another.call("echo")["result"]["structuredContent"]["pid"] == host, "the app outlives its first client"


def test_an_app_that_can_not_start_is_told_at_once(shim: Any, data: Path) -> None:
    (data / "broken").write_bytes(b"")
    client = shim("--wait", "60", may_start=True)
    client.handshake()
    began = time.monotonic()
    failed = client.call("echo")["result"]
    assert failed["structuredContent"]["code"] == "app_unreachable"
    assert time.monotonic() - began < 30
    client.close()
    assert "ended with code 3" in client.stderr()


def test_kill_and_restart(shim: Any, small_host: Any, transport: str, seen: Any) -> None:
    first = small_host(transport)
    client = shim("--wait", "30")
    client.handshake()
    client.call("echo")  # it is connected
    hanging = client.start("tools/call", {"name": "hang"})
    other = client.start("resources/list")
    client.answer(other)
    first.kill()
    lost = client.answer(hanging)["result"]
    assert lost["isError"] and lost["structuredContent"]["code"] == "restarted"
    waiting = client.start("tools/call", {"name": "echo", "arguments": {"text": "again"}})
    second = small_host(transport)
    answer = client.answer(waiting)["result"]
    assert answer["structuredContent"]["pid"] == second.ready["pid"]
    methods = [one["method"] for one in seen()]
    assert methods.count("initialize") == 2 and methods.count("notifications/initialized") == 2
    assert [one for one in client.unclaimed if "id" in one] == []


def test_kill_and_restart_in_the_stateless_era(shim: Any, small_host: Any, transport: str, seen: Any) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    first = small_host(transport)
    client = shim("--wait", "30")
    client.request("server/discover", {"_meta": meta})
    client.request("tools/call", {"name": "echo", "_meta": meta})  # it is connected
    hanging = client.start("tools/call", {"name": "hang", "_meta": meta})
    first_seen = client.request("x/y", {"_meta": meta})
    assert first_seen["result"]["host"] == first.ready["pid"]
    first.kill()
    lost = client.answer(hanging)["result"]
    assert lost["structuredContent"]["code"] == "restarted" and lost["resultType"] == "complete"
    second = small_host(transport)
    again = client.request("tools/call", {"name": "echo", "_meta": meta})["result"]
    assert again["structuredContent"]["pid"] == second.ready["pid"]
    assert "initialize" not in [one["method"] for one in seen()]


def test_a_killed_app_is_started_again_for_a_waiting_call(shim: Any) -> None:
    client = shim("--wait", "60", may_start=True)
    client.handshake()
    client.call("echo")
    died = client.call("die")["result"]
    assert died["structuredContent"]["code"] == "restarted"
    assert "isError" not in client.call("echo", {"text": "back"})["result"]


def test_after_quit_calls_say_closed_until_the_app_is_back(
    shim: Any, small_host: Any, transport: str, data: Path
) -> None:
    host = small_host(transport)
    client = shim("--wait", "30", may_start=True)
    client.handshake()
    client.call("echo")
    host.quit()
    closed = client.call("echo")["result"]
    assert closed["isError"] and closed["structuredContent"]["code"] == "app_closed"
    assert client.request("tools/list")["result"]["tools"], "the handshake's part is still answered"
    assert not (data / "started.txt").exists(), "this client must not bring it back"
    back = small_host(transport)
    limit = time.monotonic() + 15
    while (answer := client.call("echo")["result"]).get("isError"):
        assert time.monotonic() < limit
    assert answer["structuredContent"]["pid"] == back.ready["pid"]


def test_a_new_client_starts_an_app_that_was_quit(shim: Any, small_host: Any) -> None:
    small_host("unix").quit()
    client = shim("--wait", "30", may_start=True)
    client.handshake()
    assert "isError" not in client.call("echo")["result"]


def test_a_changed_list_of_tools_is_announced(shim: Any, small_host: Any, data: Path) -> None:
    client = shim("--wait", "30")
    client.handshake()
    client.request("tools/list")
    other = [{"name": "other", "inputSchema": {"type": "object"}}]
    (data / "tools.json").write_text(json.dumps(other), encoding="utf-8")
    small_host("unix")
    while (note := client.receive()).get("method") != "notifications/tools/list_changed":
        assert "id" not in note
    assert client.request("tools/list")["result"]["tools"] == other


def test_an_equal_list_is_not_announced(shim: Any, small_host: Any, seen: Any, until: Any) -> None:
    client = shim("--wait", "30")
    client.handshake()
    client.request("tools/list")
    small_host("unix")
    until(lambda: "tools/list" in [one["method"] for one in seen()], "the shim asks for the tools")
    client.call("echo")
    assert client.unclaimed == []


def test_questions_of_the_app_reach_the_client_and_end_with_it(shim: Any, small_host: Any) -> None:
    host = small_host("unix")
    client = shim()
    client.handshake()
    asking = client.start("tools/call", {"name": "ask"})
    question = client.receive()
    assert question["method"] == "elicitation/create"
    client.send({"id": question["id"], "result": {"action": "accept"}})
    assert client.answer(asking)["result"]["said"] == {"action": "accept"}
    client.start("tools/call", {"name": "ask"})
    assert client.receive()["method"] == "elicitation/create"
    host.kill()
    cancelled = [client.receive(), client.receive()]
    assert [one["params"]["requestId"] for one in cancelled if "method" in one] == ["question"]


def test_an_unknown_profile_is_a_usage_error(shim: Any) -> None:
    client = shim("--profile", "nonsense")
    assert client.process.wait(10) == 2
    assert "nonsense" in client.stderr()
    assert client.lines.get(timeout=10) is None


def test_the_lines_are_utf8_under_any_locale(shim: Any, small_host: Any) -> None:
    small_host("unix")
    text = "SESSION:2026-04-16|hook.fire×3|stale→reconnect|JH:重要更动先确认★★★"
    for variables in (
        {"PYTHONIOENCODING": "cp936", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
        {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ):
        client = shim(variables=variables)
        client.handshake()
        assert client.call("echo", {"text": text})["result"]["content"][0]["text"] == text
        assert client.close() == 0, sys.platform
