"""Eight assistants at once on one memory: exact counts, no error, nobody waits for ever."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CLIENTS, EACH = 8, 40
WAIT = 60.0


@pytest.mark.slow
def test_eight_clients_write_and_read_in_parallel(
    data: Path, host: Callable[..., Any], shim: Callable[..., Any]
) -> None:
    host()
    clients = [shim() for _ in range(CLIENTS)]
    for client in clients:
        client.handshake()
    trouble: list[Any] = []

    def work(number: int) -> None:
        for item in range(EACH):
            for tool, arguments in (
                ("memorize", {"content": f"client {number} note {item} 第{item}条", "tags": [f"c{number}"]}),
                ("memorize", {"content": f"everybody says item {item}"}),
                ("recall", {"query": f"note {item}", "k": 3}),
                ("list_memories", {"tags": [f"c{number}"], "limit": 5}),
            ):
                answer = clients[number].call(tool, arguments, seconds=WAIT)
                if "error" in answer or answer["result"].get("isError"):
                    trouble.append(answer)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    assert trouble == []
    status = clients[0].call("memory_status")["result"]["structuredContent"]
    assert status["counts"] == {"active": CLIENTS * EACH + EACH}
    for number in range(CLIENTS):
        listed = clients[number].call("list_memories", {"tags": [f"c{number}"], "limit": 1})
        assert listed["result"]["structuredContent"]["total"] == EACH
