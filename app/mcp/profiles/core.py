"""The ``core`` profile: the tools that a client gets unless it asks for others.

Each handler is a thin call into the service: it turns arguments into the engine's values and the engine's answer
into words and data. Descriptions are written for a model and cost tokens in every conversation, so they are short.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from app.mcp import quoting
from app.mcp.profiles import Call, Reply, Tool, scoping, storing
from app.mcp.profiles.core_breath import breath
from app.mcp.profiles.core_digest import digest
from app.mcp.profiles.core_relations import relations
from app.mcp.profiles.core_review import review
from app.mcp.profiles.core_schemas import (
    BREATH,
    BREATH_OUTPUT,
    DIGEST,
    DIGEST_OUTPUT,
    EDIT,
    EDIT_OUTPUT,
    FORGET,
    FORGET_OUTPUT,
    LIST,
    LIST_OUTPUT,
    MEMORIZE,
    MEMORIZE_OUTPUT,
    RECALL,
    RECALL_OUTPUT,
    RELATIONS,
    RELATIONS_OUTPUT,
    REVIEW,
    REVIEW_OUTPUT,
    STATUS_OUTPUT,
)
from app.mcp.replies import ConfirmNeeded, text_for
from engine.errors import InvalidArgument, NotFound
from engine.types import FINDABLE, Changes, Draft, Listing, Memory, Query


async def memorize(call: Call, values: Mapping[str, Any]) -> Reply:
    """Store one memory; the reply says truthfully whether it was stored or known already."""
    apart = ("extra", *scoping.SCOPE_NAMES)
    given = {key: value for key, value in values.items() if value is not None and key not in apart}
    explicit = values["extra"] or {}
    for key, value in call.extra.items():
        if key in explicit and explicit[key] != value:
            raise InvalidArgument(field=key, reason="given_twice")
    draft = Draft(
        **given,
        conversation_id=scoping.scope(scoping.given(values), writing=True),
        source_client=call.actor.name,
        extra={**call.extra, **explicit},
    )
    done = await asyncio.wrap_future(call.service.memorize(draft, call.actor))
    return await storing.remembered(call, done)


async def recall(call: Call, values: Mapping[str, Any]) -> Reply:
    """Find memories by meaning and words, quoted within the budget."""
    budget, k = values["budget"], values["k"]
    query = Query(
        values["query"],
        k=k,
        filters=scoping.filters(values, FINDABLE),
        include_sensitive=values["include_sensitive"],
        explain=values["explain"],
        budget=quoting.text_budget(budget, k),
    )
    found = await asyncio.wrap_future(call.service.recall(query))
    answer = quoting.recollection(found, budget, call.language, call.instruction)
    data: dict[str, Any] = {"count": len(answer.items), "memories": answer.items}
    data["confidence"] = round(found.confidence, 2)
    counts = {"omitted": found.omitted + answer.left_out, "hidden": found.hidden, "degraded": list(found.degraded)}
    return Reply(answer.text, data | {key: value for key, value in counts.items() if value})


async def list_memories(call: Call, values: Mapping[str, Any]) -> Reply:
    """A page of memories without a query, one snippet each."""
    filters = scoping.filters(values, values["status"] or FINDABLE, scoping.sensitivities(call, values))
    listing = Listing(filters, sort=values["sort"], limit=values["limit"], cursor=values["cursor"] or None)
    page = await asyncio.wrap_future(call.service.list(listing))
    answer = quoting.page_lines(page.memories, page.total, page.next_cursor, call.language)
    data: dict[str, Any] = {"count": len(answer.items), "total": page.total, "memories": answer.items}
    return Reply(answer.text, data | ({"next_cursor": page.next_cursor} if page.next_cursor else {}))


async def edit_memory(call: Call, values: Mapping[str, Any]) -> Reply:
    """Change fields of one memory, or take a change back."""
    memory_id = values["id"]
    names = {"pin": "pinned", "resolve": "resolved"}
    apart = ("id", "undo", "history_id", *scoping.SCOPE_NAMES)
    changes = {names.get(key, key): value for key, value in values.items() if value is not None and key not in apart}
    scope = scoping.given(values)
    if scope is not None:
        changes["conversation_id"] = scoping.scope(scope, writing=True)
    if values["undo"] or values["history_id"] is not None:
        if changes:
            raise InvalidArgument(field="undo", reason="excludes_changes")
        return await _undo(call, memory_id, values["history_id"])
    if not changes:
        raise InvalidArgument(field="id", reason="nothing_to_change")
    if changes.get("status") == "trashed":
        raise InvalidArgument(field="status", reason="use_forget_memory")
    done = await asyncio.wrap_future(call.service.edit(memory_id, changes, call.actor))
    fields = sorted(done.fields)
    text = text_for("edited", call.language, id=memory_id, fields=", ".join(fields) or "–")
    more, data = await _also(call, (memory_id,), done.changes)
    lines = [text, *more]
    storing.tell_secrets(call, done, lines, data)
    return Reply("\n".join(lines), _edited(done.memory, "edited", fields) | data)


async def _undo(call: Call, memory_id: int, history_id: int | None) -> Reply:
    if history_id is None:
        changes = await asyncio.wrap_future(call.service.undo_latest(memory_id, call.actor))
    else:
        entries = await asyncio.wrap_future(call.service.history(memory_id))
        if all(one.id != history_id for one in entries):
            raise NotFound(kind="history", id=history_id)
        changes = await asyncio.wrap_future(call.service.undo(history_id, call.actor))
    memory = await asyncio.wrap_future(call.service.get(memory_id))
    more, also = await _also(call, (memory_id,), changes)
    data = _edited(memory, "undone", []) | {"history_ids": list(changes.history_ids)} | also
    return Reply("\n".join([text_for("undone", call.language, id=memory_id, status=memory.status), *more]), data)


async def _also(call: Call, asked: tuple[int, ...], changes: Changes) -> tuple[list[str], dict[str, Any]]:
    """What a change did to other memories than those it was asked for: words and data, both mostly empty."""
    others = [one for one in changes.updated if one not in asked]
    there = await asyncio.wrap_future(call.service.get_many(others)) if others else {}
    found = {
        "brought_back": [one for one in others if one in there and there[one].status in FINDABLE],
        "replaced": [one for one in others if one in there and there[one].status == "superseded"],
        "created": list(changes.created),
    }
    data: dict[str, Any] = {key: ids for key, ids in found.items() if ids}
    return [text_for(key, call.language, ids=", ".join(map(str, ids))) for key, ids in data.items()], data


async def forget_memory(call: Call, values: Mapping[str, Any]) -> Reply:
    """To the trash, or, when that is confirmed, erased for good."""
    ids = tuple(dict.fromkeys([*([values["id"]] if values["id"] is not None else []), *(values["ids"] or ())]))
    if not ids:
        raise InvalidArgument(field="id", reason="missing")
    if values["erase"] and not values["confirm"]:
        raise ConfirmNeeded(ids=list(ids))
    outcome, work = ("erased", call.service.erase) if values["erase"] else ("trashed", call.service.trash)
    changes = await asyncio.wrap_future(work(ids, call.actor))
    touched = sorted({*changes.updated, *changes.removed} & set(ids))
    data: dict[str, Any] = {"outcome": outcome, "ids": touched}
    if already := [one for one in ids if one not in touched]:
        data["unchanged"] = already
    if outcome == "trashed" and changes.history_ids:
        data["history_ids"] = list(changes.history_ids)
    listed = ", ".join(map(str, touched)) or "–"
    more, also = await _also(call, ids, changes)
    return Reply("\n".join([text_for(outcome, call.language, ids=listed), *more]), data | also)


async def memory_status(call: Call, values: Mapping[str, Any]) -> Reply:
    """Counts and health of the store."""
    status = await asyncio.wrap_future(call.service.status())
    vectors = status.vectors
    data: dict[str, Any] = {
        "version": call.version,
        "counts": {key: count for key, count in status.counts.items() if count},
        "layers": {key: count for key, count in status.by_layer.items() if count},
        "vectors": {"state": vectors.state, "stored": vectors.stored, "wanted": vectors.wanted},
        "journal": {"open": status.journal_open, "failed": status.journal_failed},
        "paused": status.paused,
    }
    if vectors.identity:
        data["vectors"]["identity"] = vectors.identity
    if status.trouble:
        data["trouble"] = list(status.trouble)
    counts = ", ".join(f"{key} {count}" for key, count in data["counts"].items()) or "0"
    words = text_for("status", call.language, version=call.version, counts=counts, state=vectors.state)
    notes = [text_for("is_paused", call.language)] if status.paused else []
    return Reply("\n".join([words, *notes, *status.trouble]), data)


def _edited(memory: Memory, outcome: str, changed: list[str]) -> dict[str, Any]:
    return {
        "outcome": outcome,
        "id": memory.id,
        "changed": changed,
        "status": memory.status,
        "pinned": memory.pinned,
        "resolved": memory.resolved,
        "updated_at": quoting.utc(memory.updated_at),
    }


TOOLS: tuple[Tool, ...] = (
    Tool(
        "memorize",
        "Save something worth remembering beyond this conversation: a preference, fact, decision, plan or event; one "
        "self-contained statement per call, in the user's language, with names and absolute dates. "
        "The answer says whether it was stored, reinforced (known already), merged, or replaced older ones.",
        MEMORIZE,
        MEMORIZE_OUTPUT,
        memorize,
        writes=True,
        idempotent=True,
        open_ended=True,
    ),
    Tool(
        "recall",
        "Find memories by meaning and words. Call it before answering whatever may depend on the user's past, "
        "preferences or plans; ask in plain words.",
        RECALL,
        RECALL_OUTPUT,
        recall,
    ),
    Tool(
        "list_memories",
        "Browse memories by filter without a question: the latest, by tag, day, layer or status (also the trash).",
        LIST,
        LIST_OUTPUT,
        list_memories,
    ),
    Tool(
        "edit_memory",
        "Correct or complete a memory, pin it, mark it resolved, or take back its last change with undo=true "
        "(this also brings a forgotten memory back). Only the given fields change; all of memorize's are known.",
        EDIT,
        EDIT_OUTPUT,
        edit_memory,
        writes=True,
    ),
    Tool(
        "forget_memory",
        "Move memories to the trash when the user wants them forgotten or they are wrong; this can be undone. "
        "erase=true with confirm=true removes them for good: only on the user's explicit wish.",
        FORGET,
        FORGET_OUTPUT,
        forget_memory,
        writes=True,
        destructive=True,
        idempotent=True,
    ),
    Tool(
        "breath",
        "Call it first in a new conversation: who the user is, how things are now, what happened lately, what is "
        "coming up. One line each, within a budget.",
        BREATH,
        BREATH_OUTPUT,
        breath,
    ),
    Tool(
        "relations",
        "How people, topics and facts are related: what surrounds a name or a memory, or the path from one name to "
        "another, with the memories that prove it. Without arguments: the names there are.",
        RELATIONS,
        RELATIONS_OUTPUT,
        relations,
    ),
    Tool(
        "digest",
        "Digests of days, weeks, months and years. Without arguments: what waits. With level: the sources to write "
        "one from. Then save your text; it replaces the one that its period had.",
        DIGEST,
        DIGEST_OUTPUT,
        digest,
        writes=True,
        idempotent=True,
    ),
    Tool(
        "review",
        "What waits for the user's yes or no: memories offered, look-alikes, groups to sum up, topics. list says "
        "what approve would do; with an id it shows the whole texts. Decide as the user wishes; restore takes it back, "
        "except an approved offer.",
        REVIEW,
        REVIEW_OUTPUT,
        review,
        writes=True,
    ),
    Tool(
        "memory_status",
        "Counts and health of the memory store.",
        (),
        STATUS_OUTPUT,
        memory_status,
    ),
)
