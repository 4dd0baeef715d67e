"""What became of a text that a tool was to store, said truthfully; the same words whichever tool stored it.

Runs nothing that writes: it tells of what the engine did.
"""

from __future__ import annotations

import asyncio
from typing import Any

from app.mcp import quoting
from app.mcp.profiles import Call, Reply, scoping
from app.mcp.replies import kinds_of_secrets, text_for
from engine.types import Edited, Remembered


async def remembered(call: Call, done: Remembered) -> Reply:
    """What became of a text: stored, known already, part of another memory now, or in place of older ones."""
    memory = done.memory
    data: dict[str, Any] = {
        "outcome": done.outcome,
        "id": memory.id,
        "uid": memory.uid,
        "layer": memory.layer,
        "created_at": quoting.utc(memory.created_at),
        "vector_pending": done.vector_pending,
    }
    lines = [text_for(done.outcome, call.language, id=memory.id, layer=memory.layer)]
    hidden = scoping.hides(call, memory)
    if done.outcome in ("stored", "superseded") or not hidden:
        # What was there before may be sensitive, and this client need not know more of it than it told.
        data |= {"summary": quoting.snippet_of(memory)} | ({"title": memory.title} if memory.title else {})
    if done.outcome == "merged":
        data |= {"merged_with": memory.id, "text": quoting.merged_text(memory, hidden)}
        lines.append(quoting.quote(data["text"]))
    if done.outcome == "superseded":
        old = await asyncio.wrap_future(call.service.get_many(done.replaced))
        told = {one: quoting.old_text(old[one], scoping.hides(call, old[one])) for one in done.replaced if one in old}
        data |= {"replaced": list(done.replaced), "old_texts": list(told.values())}
        lines.append(quoting.old_texts(told))
    tell_secrets(call, done, lines, data)
    return Reply("\n".join(lines), data)


def tell_secrets(call: Call, done: Remembered | Edited, lines: list[str], data: dict[str, Any]) -> None:
    """Say that secrets were noticed, and what became of them."""
    if not done.secrets:
        return
    masked = call.service.settings["privacy.secrets"] == "mask"
    what = "secret_masked" if masked else "secret_marked" if done.memory.sensitivity == "high" else "secret_left"
    data["secrets"] = list(done.secrets)
    lines.append(text_for(what, call.language, kinds=kinds_of_secrets(done.secrets, call.language)))
