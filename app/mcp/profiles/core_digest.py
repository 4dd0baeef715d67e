"""The core tool ``digest``: what waits to be digested, what from, and storing what the assistant wrote (S4).

A thin call into the digests. Sources are quoted as data, in order of time, each with its id and the user's own time;
where they do not fit the budget, the longest are shortened, and what is least important is left out and counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from app.mcp import quoting
from app.mcp.labels import INSTRUCTIONS, LABELS
from app.mcp.profiles import Call, Reply, scoping, storing
from app.mcp.replies import text_for
from engine import tokens
from engine.errors import InvalidArgument
from engine.types import DigestDue, DigestSources, Memory

# A source that could say less than this is better left out.
_LEAST_TOKENS = 24
# What the engine asks for by name; everything else of a digest goes along as fields of a draft.
_NAMED = ("title", "sensitivity", "topic_path", "importance")


async def digest(call: Call, values: Mapping[str, Any]) -> Reply:
    """Store a digest, or show the sources of a level, or tell what waits."""
    if values["save"] is not None:
        return await _save(call, values)
    if values["level"] is not None:
        return await _sources(call, values)
    if values["period"]:
        raise InvalidArgument(field="level", reason="missing")
    return await _waiting(call, values)


async def _waiting(call: Call, values: Mapping[str, Any]) -> Reply:
    due = await _due(call, values)
    if not due:
        return Reply(LABELS["digest_none_waits"][call.language], {"due": []})
    lines = [LABELS["digest_waits"][call.language], *(_level_line(call, one) for one in due)]
    return Reply("\n".join(lines), {"due": [quoting.waiting(one) for one in due]})


async def _due(call: Call, values: Mapping[str, Any]) -> tuple[DigestDue, ...]:
    return await asyncio.wrap_future(call.service.digests.due(include_sensitive=values["include_sensitive"]))


def _level_line(call: Call, one: DigestDue) -> str:
    parts = [f"{each.period} ({each.sources})" for each in one.periods]
    if one.count > len(parts):
        parts.append(LABELS["breath_more"][call.language].format(count=one.count - len(parts)))
    name = _name(call, one.level)
    return LABELS["digest_level"][call.language].format(level=one.level, name=name, periods=", ".join(parts))


def _name(call: Call, level: int) -> str:
    return LABELS[f"digest_{level}"][call.language]


async def _sources(call: Call, values: Mapping[str, Any]) -> Reply:
    period, include = values["period"] or None, values["include_sensitive"]
    found = await asyncio.wrap_future(
        call.service.digests.sources(values["level"], period, include_sensitive=include)
    )  # fmt: skip
    data: dict[str, Any] = {
        "level": found.level, "period": found.period, "first": found.first.isoformat(), "last": found.last.isoformat(),
        "total": found.total, "sources": [],
    }  # fmt: skip
    notes = _notes(call, found, data)
    if not found.sources:
        return Reply("\n".join([_nothing(call, found), *notes]), data)
    already = await asyncio.wrap_future(call.service.get_many(found.already)) if found.already else {}
    told = {one.id: quoting.merged_text(one, scoping.hides(call, one, values)) for one in already.values()}
    before = [INSTRUCTIONS[found.instruction][call.language]]
    for memory_id, text in told.items():
        before += [LABELS["digest_already"][call.language].format(id=memory_id), quoting.quote(text)]
    if told:
        data["already"] = [{"id": memory_id, "text": text} for memory_id, text in told.items()]
    budget = values["budget"] or int(call.service.settings["digest.budget"])
    blocks = _blocks(call, found, budget)
    data["sources"] = [item for _, item in blocks]
    left_out = found.total - len(blocks)
    if left_out:
        data["omitted"] = left_out
        notes.insert(0, LABELS["omitted"][call.language].format(count=left_out))
    first = LABELS["digest_sources"][call.language].format(
        level=_name(call, found.level), when=_when(call, found), count=len(blocks), total=found.total
    )
    shape = f'{{"level": {found.level}, "period": "{found.period}", "content": …, "sources": [id, …]}}'
    how = LABELS["digest_how"][call.language].format(call=shape)
    return Reply("\n".join([first, *before, *(block for block, _ in blocks), *notes, how]), data)


def _notes(call: Call, found: DigestSources, data: dict[str, Any]) -> list[str]:
    """What is hidden, and the word on what is sensitive."""
    notes: list[str] = []
    if found.hidden:
        data["hidden"] = found.hidden
        notes.append(LABELS["hidden"][call.language].format(count=found.hidden))
    if call.instruction and (found.hidden or any(one.sensitivity == "high" for one in found.sources)):
        notes.append(call.instruction)
    return notes


def _nothing(call: Call, found: DigestSources) -> str:
    when = _when(call, found)
    if found.level == 1:
        return LABELS["digest_no_memory"][call.language].format(when=when)
    below = _name(call, found.level - 1)
    return LABELS["digest_no_digest"][call.language].format(
        when=when, below=below, level=_name(call, found.level), number=found.level - 1
    )


def _when(call: Call, found: DigestSources) -> str:
    if found.first == found.last:
        return found.period
    return LABELS["digest_span"][call.language].format(period=found.period, first=found.first, last=found.last)


def _blocks(call: Call, found: DigestSources, budget: int) -> list[tuple[str, dict[str, Any]]]:
    """Each source with its head and its text, quoted, and as JSON; all together within ``budget`` tokens."""
    heads = {one.id: quoting.head(one, _moment(call, one)) for one in found.sources}
    texts = {one.id: _text(one) for one in found.sources}
    costs = {key: tokens.estimate(quoting.quote(text)) for key, text in texts.items()}
    room, kept = budget, set[int]()
    # The important ones first, each with as much as makes sense of it.
    for one in sorted(found.sources, key=lambda each: -each.importance):
        around = tokens.estimate(heads[one.id] + "\n") + 1
        if around + min(costs[one.id], _LEAST_TOKENS) > room - sum(min(costs[key], _LEAST_TOKENS) for key in kept):
            break
        kept.add(one.id)
        room -= around
    most = quoting.share([costs[key] for key in kept], room)
    blocks: list[tuple[str, dict[str, Any]]] = []
    for one in found.sources:
        text = quoting.fitted(texts[one.id], most) if one.id in kept else None
        if text is not None:
            blocks.append((f"{heads[one.id]}\n{quoting.quote(text)}", _item(call, one, text, text != texts[one.id])))
    return blocks


def _moment(call: Call, memory: Memory) -> str:
    """The user's own time: a day of theirs is what is digested. Of a digest, its period."""
    return memory.digest_period or memory.occurred_at.astimezone(call.zone).isoformat(timespec="minutes")


def _text(memory: Memory) -> str:
    title = " ".join(memory.title.split())
    return memory.content if not title or title in memory.content else f"{title}\n{memory.content}"


def _item(call: Call, memory: Memory, text: str, is_cut: bool) -> dict[str, Any]:
    item: dict[str, Any] = {"id": memory.id, "when": _moment(call, memory), "layer": memory.layer, "text": text}
    more = {"source": quoting.source_of(memory), "cut": is_cut}
    return item | {key: value for key, value in more.items() if value}


async def _save(call: Call, values: Mapping[str, Any]) -> Reply:
    """Level and period may also stand beside ``save``."""
    given = {key: value for key, value in values["save"].items() if value is not None}
    where = {name: given.pop(name, None) or values[name] for name in ("level", "period")}
    for name, value in where.items():
        if not value:
            raise InvalidArgument(field=f"save.{name}", reason="missing")
    content, sources = given.pop("content"), given.pop("sources")
    named = {name: given.pop(name) for name in _NAMED if name in given}
    done = await asyncio.wrap_future(
        call.service.digests.save(
            where["level"], where["period"], content, sources, **named,
            more={**given, "source_client": call.actor.name}, actor=call.actor,
        )
    )  # fmt: skip
    reply, memory = await storing.remembered(call, done), done.memory
    lines, data = [reply.text], dict(reply.data)
    if memory.digest_level:
        data |= {"level": memory.digest_level, "period": memory.digest_period, "made_of": list(memory.sources)}
        level = _name(call, memory.digest_level)
        lines.append(
            text_for("digest_saved", call.language, level=level, period=memory.digest_period, count=len(memory.sources))
        )
    return _with_due(call, lines, data, await _due(call, values))


def _with_due(call: Call, lines: list[str], data: dict[str, Any], due: Sequence[DigestDue]) -> Reply:
    if due:
        data["due"] = [quoting.waiting(one) for one in due]
        lines.append(quoting.digests_due(due, call.language))
    return Reply("\n".join(lines), data)
