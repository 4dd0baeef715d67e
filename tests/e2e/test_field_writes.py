"""What many calls at once, repeats, kills and restarts leave behind: exactly what was asked for, each thing once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

WAIT = 60.0


def ok(client: Any, tool: str, arguments: Any) -> dict[str, Any]:
    answer = client.call(tool, arguments, seconds=WAIT)
    assert "error" not in answer and not answer["result"].get("isError"), answer
    content: dict[str, Any] = answer["result"]["structuredContent"]
    return content


def test_one_turn_of_parallel_calls_is_applied_whole(host: Callable[..., Any], shim: Callable[..., Any]) -> None:
    """Fifty turns, in each of which a client fires a new memory, an addition, a removal and a question at once."""
    host()
    client = shim()
    client.handshake()
    kept = [ok(client, "memorize", {"content": f"note {number} before"})["id"] for number in range(50)]
    gone = [ok(client, "memorize", {"content": f"obsolete {number}"})["id"] for number in range(50)]
    waiting: list[int] = []
    for number in range(50):
        for tool, arguments in (
            ("memorize", {"content": f"created in turn {number}", "tags": ["new"]}),
            ("forget_memory", {"id": gone[number]}),
            ("edit_memory", {"id": kept[number], "content": f"note {number} after", "tags": [f"t{number}"]}),
            ("recall", {"query": f"note {number}"}),
            ("edit_memory", {"id": kept[number], "pin": True}),
        ):
            waiting.append(client.start("tools/call", {"name": tool, "arguments": arguments}))
    answers = [client.answer(one, WAIT) for one in waiting]
    assert [one for one in answers if "error" in one or one["result"].get("isError")] == []
    assert ok(client, "memory_status", {})["counts"] == {"active": 100, "trashed": 50}
    assert ok(client, "list_memories", {"tags": ["new"]})["total"] == 50
    for number in (0, 25, 49):
        (one,) = ok(client, "list_memories", {"tags": [f"t{number}"]})["memories"]
        assert (one["snippet"], one["pinned"]) == (f"note {number} after", True)


def test_a_call_that_is_sent_again_is_stored_once(host: Callable[..., Any], shim: Callable[..., Any]) -> None:
    """A client gives up on a call and repeats it; two clients say the same at the same moment."""
    host()
    one, other = shim(), shim()
    for client in (one, other):
        client.handshake()
    call = {"name": "memorize", "arguments": {"content": "stored once, however often it is sent"}}
    given_up = one.start("tools/call", call)
    one.notify("notifications/cancelled", {"requestId": given_up, "reason": "timed out"})
    again = one.request("tools/call", call)["result"]["structuredContent"]
    seen = {again["id"]}
    meeting = threading.Barrier(2)

    def repeat(client: Any) -> None:
        meeting.wait(WAIT)
        for waiting in [client.start("tools/call", call) for _ in range(20)]:
            seen.add(client.answer(waiting, WAIT)["result"]["structuredContent"]["id"])

    threads = [threading.Thread(target=repeat, args=(client,)) for client in (one, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
    assert len(seen) == 1
    assert ok(one, "list_memories", {})["total"] == 1


def test_a_killed_host_makes_the_vectors_it_still_owed(
    host: Callable[..., Any], shim: Callable[..., Any], data: Path, until: Callable[..., Any]
) -> None:
    """Killed between the rows and their vectors, with the model in the box: the next start makes them good."""
    (data / "settings.toml").write_text("[memory]\nvector_wait_ms = 0\n", encoding="utf-8")
    first, client = host(), shim("--wait", "60")
    client.handshake()
    waiting = [
        client.start(
            "tools/call", {"name": "memorize", "arguments": {"content": f"第{number}条：钥匙在{number}号抽屉"}}
        )
        for number in range(60)
    ]
    for one in waiting:
        assert client.answer(one, WAIT)["result"]["isError"] is False
    owed = ok(client, "memory_status", {})["vectors"]
    first.kill()
    assert owed["stored"] < 60, "the kill came too late to prove anything"
    host()
    again = shim()
    again.handshake()
    until(lambda: ok(again, "memory_status", {})["vectors"]["state"] == "ready", "the vectors are made", WAIT)
    status = ok(again, "memory_status", {})
    assert (status["counts"], status["vectors"]["stored"]) == ({"active": 60}, 60)
    assert status["journal"] == {"open": 0, "failed": 0}
    asked = {"query": "where are the keys", "k": 3}
    until(lambda: "degraded" not in ok(again, "recall", asked), "the answer is whole again", WAIT)
    assert ok(again, "recall", asked)["count"] == 3


def test_forgotten_memories_stay_away_over_a_restart(
    host: Callable[..., Any], shim: Callable[..., Any], hupo: Callable[..., Any], data: Path, until: Callable[..., Any]
) -> None:
    """Forty-six memories, half of sixteen to the trash and half erased, from a client and by command."""
    (data / "settings.toml").unlink()
    first, client = host(), shim("--wait", "60")
    client.handshake()
    for number in range(46):
        ok(client, "memorize", {"content": f"shelf {number}: 第{number}层放着书"})
    for number in range(1, 5):
        assert hupo("forget", str(number)).returncode == 0
        assert hupo("forget", "--erase", str(number + 8)).returncode == 0
    ok(client, "forget_memory", {"ids": [5, 6, 7, 8]})
    ok(client, "forget_memory", {"ids": [13, 14, 15, 16], "erase": True, "confirm": True})
    assert first.terminate() == 0
    host()
    again = shim()
    again.handshake()
    until(lambda: ok(again, "memory_status", {})["vectors"]["state"] == "ready", "the vectors are made", WAIT)
    status = ok(again, "memory_status", {})
    assert status["counts"] == {"active": 30, "trashed": 8}
    everything = ok(again, "recall", {"query": "shelf 层 书", "k": 50, "budget": 20_000})
    assert sorted(one["id"] for one in everything["memories"]) == list(range(17, 47))
    for number in range(16):
        found = ok(again, "recall", {"query": f"shelf {number}", "k": 5})
        assert not {one["id"] for one in found["memories"]} & set(range(1, 17))
    ok(again, "forget_memory", {"ids": list(range(1, 9)), "erase": True, "confirm": True})
    status = ok(again, "memory_status", {})
    assert (status["counts"], status["vectors"]) == (
        {"active": 30},
        {**status["vectors"], "state": "ready", "stored": 30, "wanted": 30},
    )


def test_notes_that_look_alike_are_all_kept(host: Callable[..., Any], shim: Callable[..., Any], data: Path) -> None:
    """Nothing is refused as a repeat that is none; what only says more of the same goes into one memory, whole."""
    (data / "settings.toml").unlink()
    host()
    client = shim()
    client.handshake()
    texts = [
        "Excalidraw log issue", "Express auto-start script", "今天把部署脚本改成了蓝绿发布", "The ferry leaves at nine",
        "The ferry leaves at ten",
    ]  # fmt: skip
    assert [ok(client, "memorize", {"content": text})["outcome"] for text in texts] == ["stored"] * len(texts)
    more = "今天把部署脚本改成了蓝绿发布，并写了回滚说明"
    assert ok(client, "memorize", {"content": more})["outcome"] == "merged"
    listed = ok(client, "list_memories", {"sort": "oldest"})
    assert [one["snippet"] for one in listed["memories"]] == [*texts[:2], more, *texts[3:]]
