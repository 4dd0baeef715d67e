"""The core tool ``breath``: what an assistant should know at the start of a conversation (S2).

A thin call into surfacing. Each line is a memory's one-line summary, quoted as data, with its id. Leaves no trace.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from app.mcp import quoting
from app.mcp.labels import LABELS
from app.mcp.profiles import Call, Reply, scoping
from engine.types import BreathLine, BreathQuery, Reminder

# What a line costs beside its text: the quote mark, an id in brackets, the end of the line, and the same as data.
_LINE_TOKENS = 8


async def breath(call: Call, values: Mapping[str, Any]) -> Reply:
    """Who the user is, how things are, what happened lately and what is coming up."""
    query = BreathQuery(
        budget=values["budget"],
        recent=values["recent"],
        scope=scoping.scope(scoping.given(values)),
        include_sensitive=values["include_sensitive"],
        line_tokens=_LINE_TOKENS,
    )
    found = await asyncio.wrap_future(call.service.surfacing.breathe(query))
    lines: list[str] = []
    data: dict[str, Any] = {"day": found.day.isoformat()}
    unresolved = () if found.unresolved is None else (found.unresolved,)
    parts = (
        ("facts", found.facts), ("states", found.states), ("events", found.events), ("unresolved", unresolved),
    )  # fmt: skip
    for name, section in parts:
        _put(call, lines, data, name, [_item(one) for one in section], found.more.get(name, 0))  # type: ignore[call-overload]
    reminders = [_item(one) | {"due": quoting.utc(one.due), "days": one.days} for one in found.reminders]
    _put(call, lines, data, "reminders", reminders, found.more.get("reminders", 0))
    if found.digests:
        data["digests"] = [quoting.waiting(one) for one in found.digests]
        lines.append(quoting.digests_due(found.digests, call.language))
    if found.hidden:
        data["hidden"] = found.hidden
        lines.append(LABELS["hidden"][call.language].format(count=found.hidden))
    told = (*found.facts, *found.states, *found.events, *found.reminders, *unresolved)
    if call.instruction and (found.hidden or any(one.memory.sensitivity == "high" for one in told)):
        lines.append(call.instruction)
    head = LABELS["breath" if len(lines) else "breath_nothing"][call.language].format(day=data["day"])
    return Reply("\n".join([head, *lines]), data)


def _item(line: BreathLine | Reminder) -> dict[str, Any]:
    return {"id": line.memory.id, "text": " ".join(line.text.split())}


def _put(call: Call, lines: list[str], data: dict[str, Any], name: str, items: list[dict[str, Any]], more: int) -> None:
    """A section with its heading; one that is empty is left out."""
    if not items and not more:
        return
    lines.append(LABELS[f"breath_{name}"][call.language])
    for item in items:
        when = f" {item['due'][:10]}" if "due" in item else ""
        lines.append(f"> [{item['id']}]{when} {item['text']}")
    if more:
        lines.append(LABELS["breath_more"][call.language].format(count=more))
        data.setdefault("more", {})[name] = more
    data[name] = items
