"""The core tool ``review``: what waits for the user's yes or no, and what a decision did (S1, S4).

A thin call into the review. Each item says what a yes would do, above the quoted texts that it is about. Sensitive
items are left out unless they are asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.mcp import quoting
from app.mcp.labels import LABELS
from app.mcp.profiles import Call, Reply, scoping
from app.mcp.relating import Sheet
from app.mcp.replies import text_for
from engine import tokens
from engine.errors import InvalidArgument, NotFound
from engine.types import FINDABLE, Candidate, Memory, Reviewed, ReviewItem, ReviewPage

_ONLY_WITH_APPROVE = ("text", "changes", "archive")
# An item is looked for among so many of its kind.
_MOST = 200
# For the whole texts of one item, and for what stands around them.
_WHOLE_TOKENS = 6000
_AROUND_TOKENS = 600
_WORDS = 6

Shorten = Callable[[Sequence[str]], list[str]]


async def review(call: Call, values: Mapping[str, Any]) -> Reply:
    """List, look at one, or decide."""
    action, item_id = values["action"], (values["id"] or "").strip()
    if action != "approve":
        for name in _ONLY_WITH_APPROVE:
            if values[name]:
                raise InvalidArgument(field=name, reason="only_with_approve")
    if action == "list":
        return await (_one(call, values, item_id) if item_id else _list(call, values))
    if not item_id:
        raise InvalidArgument(field="id", reason="missing")
    verbs = call.service.review
    if action == "approve":
        changes = {key: value for key, value in (values["changes"] or {}).items() if value is not None}
        work = verbs.approve(item_id, call.actor, values["text"], changes, archive=bool(values["archive"]))
    else:
        work = (verbs.dismiss if action == "dismiss" else verbs.restore)(item_id, call.actor)
    return await _decided(call, values, await asyncio.wrap_future(work))


async def _list(call: Call, values: Mapping[str, Any]) -> Reply:
    page = await asyncio.wrap_future(
        call.service.review.list(values["kinds"] or None, values["limit"], values["include_sensitive"])
    )
    total = sum(page.total.values())
    sheet = Sheet(call.language, "review_waits" if page.items else "review_nothing", total=total)
    sheet.data |= {"items": [], "total": {kind: count for kind, count in page.total.items() if count}}
    shown = 0
    for item in page.items:
        data, text = _shown(call, item, _snippets)
        if not sheet.put("items", data, text):
            break
        shown += 1
    sheet.omit(total - shown)
    lines = [sheet.text, *_notes(call, page, page.items[:shown], sheet.data)]
    if shown:
        lines.append(LABELS["review_how"][call.language])
    return Reply("\n".join(lines), sheet.data)


async def _one(call: Call, values: Mapping[str, Any], item_id: str) -> Reply:
    """One item with its whole texts. Errors: ``NotFound``, also for one that may not be shown."""
    kind = item_id.partition(":")[0]
    try:
        page = await asyncio.wrap_future(call.service.review.list([kind], _MOST, values["include_sensitive"]))
    except InvalidArgument:
        raise NotFound(kind="review", id=item_id) from None
    item = next((one for one in page.items if one.id == item_id), None)
    if item is None:
        raise NotFound(kind="review", id=item_id)
    sheet = Sheet(call.language, "review_one", budget=_WHOLE_TOKENS + _AROUND_TOKENS)
    data, text = _shown(call, item, _wholes)
    sheet.put("items", data, text)
    return Reply("\n".join([sheet.text, *_notes(call, ReviewPage(()), [item], sheet.data)]), sheet.data)


def _notes(call: Call, page: ReviewPage, shown: Sequence[ReviewItem], data: dict[str, Any]) -> list[str]:
    """What is hidden, and the word on what is sensitive."""
    notes: list[str] = []
    if page.hidden:
        data["hidden"] = page.hidden
        notes.append(LABELS["hidden"][call.language].format(count=page.hidden))
    if call.instruction and (page.hidden or any(_is_sensitive(one) for one in shown)):
        notes.append(call.instruction)
    return notes


def _is_sensitive(item: ReviewItem) -> bool:
    offered = item.detail.get("candidate")
    told = [one.sensitivity for one in item.memories] + ([offered.sensitivity] if offered is not None else [])
    return "high" in told


def _snippets(texts: Sequence[str]) -> list[str]:
    return [tokens.cut(" ".join(text.split()), quoting.SNIPPET_TOKENS) for text in texts]


def _wholes(texts: Sequence[str]) -> list[str]:
    most = quoting.share([tokens.estimate(quoting.quote(text)) for text in texts], _WHOLE_TOKENS)
    return [quoting.fitted(text, most) or quoting.HIDDEN for text in texts]


def _shown(call: Call, item: ReviewItem, shorten: Shorten) -> tuple[dict[str, Any], str]:
    """An item as JSON, and as lines: what a yes would do, and the texts that it is about."""
    label, fields, data, above = _about(item)
    lines = [LABELS[label][call.language].format(id=item.id, **fields)]
    texts = shorten([*above, *(one.content for one in item.memories)])
    own, told = texts[: len(above)], texts[len(above) :]
    lines += [quoting.quote(text) for text in own]
    # What a single fact was said in is more than its text; the ids are enough.
    if item.kind != "atom":
        lines += [quoting.quote(f"[{one.id}] {text}") for one, text in zip(item.memories, told, strict=True)]
    memories = [{"id": one.id, "text": text} for one, text in zip(item.memories, told, strict=True)]
    if own and "text" in data:
        data["text"] = own[0]
    return {"id": item.id, "kind": item.kind, **data, **({"memories": memories} if memories else {})}, "\n".join(lines)


def _about(item: ReviewItem) -> tuple[str, dict[str, Any], dict[str, Any], list[str]]:
    """By kind: the label and what fills it in, what the JSON says beside the memories, and texts of its own."""
    detail = item.detail
    if item.kind == "candidate":
        return _offer(detail["candidate"])
    if item.kind == "cluster":
        words = [" ".join(str(one).split()) for one in detail["words"]][:_WORDS]
        return "review_cluster", {"count": len(item.memories)}, {"words": words}, [" · ".join(words)] if words else []
    if item.kind == "lookalike":
        pair = {"new": detail["new"], "old": detail["old"]}
        return f"review_{detail['verdict']}", pair, {"verdict": detail["verdict"], **pair}, []
    if item.kind == "topic":
        path = [" ".join(str(one).split()) for one in detail["path"]]
        more = {"path": path, "why": list(detail["why"])[:_WORDS]}
        return "review_topic", {"memory": item.memories[0].id}, more, [" / ".join(path)]
    if item.kind == "atom":
        return "review_atom", {}, {"text": "", "type": detail["type"]}, [detail["text"]]
    return "review_other", {"kind": item.kind}, {}, []


def _offer(candidate: Candidate) -> tuple[str, dict[str, Any], dict[str, Any], list[str]]:
    draft = candidate.draft
    title = " ".join(draft.title.split())
    text = draft.content if not title or title in draft.content else f"{title}\n{draft.content}"
    data: dict[str, Any] = {"text": "", "importance": round(candidate.importance, 2)}
    if draft.layer:
        data["layer"] = draft.layer
    return "review_candidate", {"importance": f"{candidate.importance:.2f}"}, data, [text]


async def _decided(call: Call, values: Mapping[str, Any], done: Reviewed) -> Reply:
    """What a decision did, truthfully: also that a text was known already, or went into another memory."""
    data: dict[str, Any] = {"outcome": done.outcome, "id": done.id}
    if done.memories:
        data["memories"] = [{"id": one.id, "status": one.status} for one in done.memories]
    if done.history_ids:
        data["history_ids"] = list(done.history_ids)
    kind, say = done.id.partition(":")[0], _offered if done.id.startswith("candidate:") else _changed
    if done.outcome in ("dismissed", "restored"):
        lines = [text_for(f"review_{done.outcome}", call.language, id=done.id)]
        if ids := ", ".join(str(one.id) for one in done.memories):
            lines.append(text_for("review_taken_back", call.language, ids=ids))
    elif kind == "atom" or not done.memories:
        lines = [text_for(f"review_{done.outcome}", call.language)]
    else:
        lines = await say(call, values, done)
    if call.instruction and any(one.sensitivity == "high" for one in done.memories):
        lines.append(call.instruction)
    return Reply("\n".join(lines), data)


async def _offered(call: Call, values: Mapping[str, Any], done: Reviewed) -> list[str]:
    """An offer that was approved, in the words of memorize."""
    memory = done.memories[0]
    what = "review_known" if done.outcome == "reinforced" else done.outcome
    lines = [text_for(what, call.language, id=memory.id, layer=memory.layer)]
    if done.outcome == "merged":
        lines.append(quoting.quote(quoting.merged_text(memory, scoping.hides(call, memory, values))))
    if done.outcome == "superseded":
        old = await asyncio.wrap_future(call.service.replaced_by(memory.id))
        lines.append(_old(call, values, old))
    return lines


async def _changed(call: Call, values: Mapping[str, Any], done: Reviewed) -> list[str]:
    """A group, a look-alike or a topic that was approved."""
    memory = next((one for one in done.memories if one.status in FINDABLE), done.memories[0])
    gone = [one for one in done.memories if one.id != memory.id]
    ids = ", ".join(str(one.id) for one in gone)
    lines = [text_for(f"review_{done.outcome}", call.language, id=memory.id, layer=memory.layer, gone=ids)]
    if done.outcome == "consolidated" and gone:
        lines.append(text_for("review_archived", call.language, ids=ids))
    if done.outcome == "merged":
        lines.append(quoting.quote(quoting.merged_text(memory, scoping.hides(call, memory, values))))
    if done.outcome == "superseded":
        lines.append(_old(call, values, gone))
    if done.outcome == "filed":
        hidden = scoping.hides(call, memory, values)
        lines.append(quoting.quote(quoting.HIDDEN if hidden else " / ".join(memory.topic_path)))
    return lines


def _old(call: Call, values: Mapping[str, Any], old: Sequence[Memory]) -> str:
    return quoting.old_texts({one.id: quoting.old_text(one, scoping.hides(call, one, values)) for one in old})
