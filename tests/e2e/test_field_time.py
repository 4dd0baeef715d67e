"""Days and moments as the user's clock on the wall has them, summer and winter; stored and told in UTC."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process can not be given a zone by TZ there")


def ok(client: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = client.call(tool, arguments)
    assert "error" not in answer and not answer["result"].get("isError"), answer
    content: dict[str, Any] = answer["result"]["structuredContent"]
    return content


@pytest.mark.parametrize(
    ("zone", "written", "utc", "day", "day_before"),
    [
        ("Asia/Shanghai", "2026-05-02T00:30", "2026-05-01T16:30:00+00:00", "2026-05-02", "2026-05-01"),
        ("America/New_York", "2026-01-15T00:30", "2026-01-15T05:30:00+00:00", "2026-01-15", "2026-01-14"),
        ("America/New_York", "2026-07-15T00:30", "2026-07-15T04:30:00+00:00", "2026-07-15", "2026-07-14"),
        ("Europe/Berlin", "2026-01-15T23:30", "2026-01-15T22:30:00+00:00", "2026-01-15", "2026-01-14"),
        ("Europe/Berlin", "2026-07-15T23:30", "2026-07-15T21:30:00+00:00", "2026-07-15", "2026-07-14"),
        ("Asia/Kathmandu", "2026-02-01T00:00", "2026-01-31T18:15:00+00:00", "2026-02-01", "2026-01-31"),
    ],
)
def test_a_day_is_the_same_day_in_every_tool(
    host: Callable[..., Any], shim: Callable[..., Any], zone: str, written: str, utc: str, day: str, day_before: str
) -> None:
    host(TZ=zone)
    client = shim()
    client.handshake()
    stored = ok(client, "memorize", content="half past midnight", event_time=written)
    assert stored["created_at"].endswith("+00:00")
    for tool, question in (("list_memories", {}), ("recall", {"query": "midnight"})):
        (found,) = ok(client, tool, **question, since=day, until=day)["memories"]
        assert found["when"] == utc
        assert ok(client, tool, **question, since=day_before, until=day_before)["count"] == 0
        assert ok(client, tool, **question, since=written)["count"] == 1
        assert ok(client, tool, **question, until=written)["count"] == 0
    ok(client, "edit_memory", id=stored["id"], event_time=day_before)
    assert ok(client, "list_memories", since=day_before, until=day_before)["count"] == 1
