"""kill -9 of the real host at random moments under load over the real shim: nothing acknowledged is ever lost.

The short form of the campaign, part of every run; seeded, so that a failure can be had again.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import Service, Settings
from engine.embedding import NoEmbedder
from engine.storage.database import Database
from engine.types import STATUSES, Filters

ROUNDS = 25
WAIT = 60.0
LOST = ("restarted", "app_unreachable", "app_closed")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_nothing_acknowledged_is_lost(data: Path, host: Callable[..., Any], shim: Callable[..., Any]) -> None:
    dice = random.Random(20261130)
    acknowledged: set[str] = set()
    trashed: set[int] = set()
    client = shim("--wait", "5")  # the same one all along: it must find each new host by itself
    client.handshake()
    for number in range(ROUNDS):
        running = host()
        assert _call(client, "memory_status") is not None, "the shim has found the new host"
        enough = threading.Event()
        load = threading.Thread(target=_load, args=(client, number, acknowledged, trashed, enough))
        load.start()
        # From "before the first write" to "well under way".
        enough.wait(dice.uniform(0.0, 0.5))
        running.kill()
        load.join(WAIT)
        assert not load.is_alive(), f"round {number}: a call was never answered"
    assert len(acknowledged) > ROUNDS and trashed
    client.close()
    _audit(data, acknowledged, trashed)


def _load(client: Any, number: int, acknowledged: set[str], trashed: set[int], enough: threading.Event) -> None:
    """Remember, recall and forget until the host is gone; note only what was acknowledged."""
    for item in range(100_000):
        text = f"round {number} item {item} 第{item}条记忆"
        done = _call(client, "memorize", content=text)
        if done is None:
            return
        acknowledged.add(text)
        if item % 5 == 3 and _call(client, "recall", query=f"item {item}") is None:
            return
        if item % 7 == 6:
            if _call(client, "forget_memory", id=done["id"]) is None:
                return
            trashed.add(done["id"])
    enough.set()


def _call(client: Any, tool: str, **arguments: Any) -> dict[str, Any] | None:
    """Structured content, or None when the host was lost; any other trouble fails the test."""
    answer = client.call(tool, arguments, seconds=WAIT)
    content: dict[str, Any] = answer["result"]["structuredContent"]
    if answer["result"].get("isError"):
        assert content["code"] in LOST, answer
        return None
    return content


def _audit(data: Path, acknowledged: set[str], trashed: set[int]) -> None:
    """Everything that was promised is there, whole and once, and every index equals the rows."""
    database = Database.open(data)
    assert database.integrity() == ()
    database.close()
    service = Service.open(data, Settings(), embedder_factory=lambda _: NoEmbedder())
    try:
        service.idle().result(WAIT)
        status = service.status().result(WAIT)
        ids = service.ids(Filters(scope="all", statuses=STATUSES), "oldest").result(WAIT)
        rows = service.get_many(ids).result(WAIT)
        contents = [memory.content for memory in rows.values()]
        assert len(contents) == len(set(contents)), "one telling, one memory"
        assert acknowledged <= set(contents)
        assert {one for one in trashed if rows[one].status != "trashed"} == set()
        assert all(memory.summary and memory.uid and memory.created_at for memory in rows.values()), "no half memory"
        assert status.lexical_rows == len(ids)
        assert (status.journal_open, status.journal_failed) == (0, 0)
        for one in random.Random(1).sample(sorted(rows), 20):
            assert any(entry.action == "created" for entry in service.history(one).result(WAIT))
    finally:
        service.close()
