"""The core tool ``relations``: what surrounds a name or a memory, and how two names are connected.

A thin call into the graph: names become entities, entities become what is around or between them. Sensitive memories
are not looked through unless that is asked for, so that nothing of them shows, be it a name or a step of a path.
"""

from __future__ import annotations

import asyncio
import difflib
import unicodedata
from collections.abc import Mapping
from typing import Any

from app.mcp import relating
from app.mcp.profiles import Call, Reply, scoping
from app.mcp.profiles.core_schemas import AROUND_HOPS, PATH_HOPS
from app.mcp.relating import Sheet
from engine.errors import InvalidArgument, NotFound
from engine.types import FINDABLE, STATUSES, Entity, EntityType, Filters, Memory, Neighbourhood

# A path is looked for further than a neighbourhood, unless the call says how far.
_USUAL_HOPS = {"around": 1, "path": 4}
_NAMES: tuple[EntityType, ...] = ("person", "topic")
# Other entities of a name, and what is nearest to an unknown one.
_MOST_NAMES = 5
# A memory may mention many; what surrounds these is enough to go on from.
_MOST_CENTRES = 4
_MOST_LINKED = 20
# Among so many names a mistyped one is looked for.
_MOST_COMPARED = 200
_LIKE = 0.5


async def relations(call: Call, values: Mapping[str, Any]) -> Reply:
    """Around a name, around a memory, between two names, or, asked for nothing, the names mentioned most."""
    name, to, memory_id = (values["entity"] or "").strip(), (values["to"] or "").strip(), values["id"]
    if name and memory_id is not None:
        raise InvalidArgument(field="id", reason="entity_or_memory")
    if to and not name:
        raise InvalidArgument(field="to", reason="path_needs_entity")
    if not to and values["hops"] is not None and values["hops"] > AROUND_HOPS:
        raise InvalidArgument(field="hops", reason="out_of_range", allowed=[1, AROUND_HOPS])
    hops = values["hops"] or _USUAL_HOPS["path" if to else "around"]
    filters = Filters(
        scope=scoping.scope(scoping.given(values)), statuses=FINDABLE, sensitivities=scoping.sensitivities(call, values)
    )
    if memory_id is not None:
        return await _of_memory(call, memory_id, hops, values["limit"], filters)
    if to:
        return await _between(call, name, to, hops, filters)
    if name:
        return await _around(call, name, hops, values["limit"], filters)
    return await _mentioned_most(call, values["limit"], filters)


async def _around(call: Call, name: str, hops: int, limit: int, filters: Filters) -> Reply:
    matches = await _named(call, name, filters)
    if not matches:
        return await _unknown(call, name, filters)
    found = await asyncio.wrap_future(call.service.graph.neighbourhood(matches[0].id, hops, limit, filters))
    related = relating.outwards(found.relations, {found.centre.id}, hops)
    sheet = Sheet(call.language, "around", count=len(related))
    if not _is_called(matches[0], name):
        sheet.say("nearest")
    relating.put_entity(sheet, "entity", found.centre, single=True)
    relating.put_relations(sheet, related, found.centre, found.omitted)
    relating.put_also(sheet, "also", matches[1:])
    return Reply(sheet.text, sheet.data)


async def _between(call: Call, name: str, to: str, hops: int, filters: Filters) -> Reply:
    begins, ends = await asyncio.gather(_named(call, name, filters), _named(call, to, filters))
    if not begins or not ends:
        return await _unknown(call, to if begins else name, filters)
    begin, end = begins[0], ends[0]
    found = await asyncio.wrap_future(call.service.graph.path(begin.id, end.id, hops, filters))
    proofs = await _proofs(call, {one for step in found.relations for one in step.evidence}, filters)
    label = "connected" if found.relations else "same_entity" if begin.id == end.id else "unconnected"
    sheet = Sheet(call.language, label, count=len(found.relations) or hops, most=PATH_HOPS)
    if not (_is_called(begin, name) and _is_called(end, to)):
        sheet.say("nearest")
    if not found.relations:
        relating.put_entities(sheet, "entities", [begin, *([end] if end.id != begin.id else [])])
    relating.put_path(sheet, found, proofs)
    others = [one for one in (*begins[1:], *ends[1:]) if one.id not in (begin.id, end.id)]
    relating.put_also(sheet, "also", list(dict.fromkeys(others)))
    return Reply(sheet.text, sheet.data)


async def _of_memory(call: Call, memory_id: int, hops: int, limit: int, filters: Filters) -> Reply:
    memory = await asyncio.wrap_future(call.service.get(memory_id))
    if filters.sensitivities and memory.sensitivity not in filters.sensitivities:
        return Reply(Sheet(call.language, "sensitive", id=memory_id).text, {})
    if filters.scope is None:
        filters = Filters(
            scope=memory.conversation_id, statuses=filters.statuses, sensitivities=filters.sensitivities
        )  # what its conversation sees
    seen = Filters(scope=filters.scope, statuses=STATUSES, sensitivities=filters.sensitivities)
    entities = await asyncio.wrap_future(call.service.graph.of_memory(memory_id, seen))
    if not entities:
        return Reply(Sheet(call.language, "mentions_nothing", id=memory_id).text, {"entities": []})
    centres = [one for one in entities if one.type != "fact"][:_MOST_CENTRES]
    around = await asyncio.gather(*(_surroundings(call, one, hops, limit, filters) for one in centres))
    told = relating.strongest([one for one in around if one is not None], memory_id)
    related = relating.outwards(told, {one.id for one in centres}, hops)
    sheet = Sheet(call.language, "mentioned", id=memory_id)
    relating.put_entities(sheet, "entities", entities)
    relating.put_relations(sheet, related[:limit], None, len(related[limit:]))
    linked = await _proofs(call, set(memory.related), filters)
    if linked:
        sheet.data["related"] = list(linked)[:_MOST_LINKED]
        sheet.say("linked", ids=", ".join(map(str, sheet.data["related"])))
    return Reply(sheet.text, sheet.data)


async def _surroundings(call: Call, centre: Entity, hops: int, limit: int, filters: Filters) -> Neighbourhood | None:
    """What surrounds ``centre``; None where only this memory mentions it and lies in the trash, or was replaced."""
    try:
        return await asyncio.wrap_future(call.service.graph.neighbourhood(centre.id, hops, limit, filters))
    except NotFound:
        return None


async def _mentioned_most(call: Call, limit: int, filters: Filters) -> Reply:
    found = await asyncio.wrap_future(call.service.graph.entities("", _NAMES, limit, filters))
    sheet = Sheet(call.language, "most_mentioned" if found else "no_names")
    relating.put_entities(sheet, "entities", found)
    return Reply(sheet.text, sheet.data)


async def _named(call: Call, name: str, filters: Filters) -> list[Entity]:
    """The entities that ``name`` may mean, the best first; a fact only when it is the best."""
    graph = call.service.graph
    best, called = await asyncio.gather(
        asyncio.wrap_future(graph.entities(name, (), 1, filters)),
        asyncio.wrap_future(graph.entities(name, _NAMES, _MOST_NAMES + 1, filters)),
    )
    return list({one.id: one for one in (*best, *called)}.values())


async def _unknown(call: Call, name: str, filters: Filters) -> Reply:
    """No entity is called anything like ``name``: what may have been meant, else the names mentioned most."""
    known = await asyncio.wrap_future(call.service.graph.entities("", _NAMES, _MOST_COMPARED, filters))
    folded = {_folded(one.name): one for one in reversed(known)}
    near = difflib.get_close_matches(_folded(name), folded, _MOST_NAMES, _LIKE)
    sheet = Sheet(call.language, "no_such_name" if known else "no_names")
    relating.put_entities(sheet, "also", [folded[one] for one in near] or list(known[:_MOST_NAMES]))
    return Reply(sheet.text, sheet.data)


def _is_called(entity: Entity, name: str) -> bool:
    return _folded(name) in {_folded(one) for one in (entity.name, *entity.spellings)}


def _folded(name: str) -> str:
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())


async def _proofs(call: Call, ids: set[int], filters: Filters) -> dict[int, Memory]:
    """Those memories among ``ids`` that may be shown."""
    found = await asyncio.wrap_future(call.service.get_many(sorted(ids))) if ids else {}
    return {
        one.id: one
        for one in found.values()
        if one.status in FINDABLE and (not filters.sensitivities or one.sensitivity in filters.sensitivities)
    }
