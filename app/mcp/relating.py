"""The graph as a model sees it: names quoted as data, each relation with the memories that prove it, within a budget.

Names and texts come from memories, so every line of them is behind "> ". Must not look anything up or judge what is
related: it shows what it is given, and counts what found no room.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from app.mcp import quoting
from app.mcp.labels import LABELS
from app.mcp.words import Language
from engine import tokens
from engine.types import ConnectingPath, Entity, Memory, Neighbourhood, Relation

# For the whole answer, be it read as text or as JSON.
ANSWER_TOKENS = 1500
NAME_TOKENS = 40
# So many memories are named as evidence of one relation.
MOST_IDS = 5
# Kept for the lines that count what was left out.
_CLOSING_TOKENS = 60


class Sheet:
    """An answer that grows line by line, as ``text`` and as ``data``, until its tokens are spent in either form."""

    def __init__(self, language: Language, label: str, *, budget: int = ANSWER_TOKENS, **fields: object) -> None:
        """``label`` of ``words.LABELS`` is the first line, filled in with ``fields``."""
        self._budget = budget
        self.data: dict[str, Any] = {}
        self._language = language
        self._lines: list[str] = []
        self._spent = {"text": _CLOSING_TOKENS, "data": _CLOSING_TOKENS}
        self.say(label, **fields)

    @property
    def text(self) -> str:
        """All lines so far."""
        return "\n".join(self._lines)

    def say(self, label: str, **fields: object) -> None:
        """A line of ours, whatever it costs."""
        line = LABELS[label][self._language].format(**fields)
        self._spent["text"] += tokens.estimate(line + "\n")
        self._lines.append(line)

    def put(self, key: str, item: Mapping[str, Any], text: str, *, single: bool = False) -> bool:
        """Add ``item`` to the list ``key`` (or set it, ``single``) and its lines; False where there is no room."""
        costs = {"text": tokens.estimate(text + "\n"), "data": tokens.estimate(json.dumps(item, ensure_ascii=False))}
        if any(self._spent[form] + cost > self._budget for form, cost in costs.items()):
            return False
        for form, cost in costs.items():
            self._spent[form] += cost
        self._lines.append(text)
        if single:
            self.data[key] = dict(item)
        else:
            self.data.setdefault(key, []).append(dict(item))
        return True

    def omit(self, count: int) -> None:
        """Say how many more there are, if any."""
        if count:
            self.data["omitted"] = self.data.get("omitted", 0) + count
            self.say("left_out", count=count)


def name_of(entity: Entity) -> str:
    """The name on one line, shortened: a fact's is its text."""
    return tokens.cut(" ".join(entity.name.split()), NAME_TOKENS)


def put_entity(sheet: Sheet, key: str, entity: Entity, *, single: bool = False) -> bool:
    """One entity with the number of memories that mention it."""
    item = {"name": name_of(entity), "type": entity.type, "memories": entity.memories}
    return sheet.put(key, item, quoting.quote(f"{_called(entity)} ×{entity.memories}"), single=single)


def put_entities(sheet: Sheet, key: str, entities: Sequence[Entity]) -> None:
    """As many of ``entities`` as there is room for; the others are counted."""
    shown = 0
    while shown < len(entities) and put_entity(sheet, key, entities[shown]):
        shown += 1
    sheet.omit(len(entities) - shown)


def put_also(sheet: Sheet, label: str, entities: Sequence[Entity]) -> None:
    """Other entities that may have been meant, behind a line of ours; nothing when there are none."""
    if entities:
        sheet.say(label)
        put_entities(sheet, "also", entities)


def put_relations(sheet: Sheet, relations: Sequence[Relation], centre: Entity | None, omitted: int) -> None:
    """Relations as seen from ``centre`` (None = from no side); what finds no room is added to ``omitted``."""
    shown = 0
    for relation in relations:
        near, far = relation.source, relation.target
        if centre is not None and far.id == centre.id:
            near, far = far, near
        known = centre is not None and near.id == centre.id
        item = {} if known else {"from": name_of(near)}
        item |= {"to": name_of(far), "type": far.type, **_evidence(relation)}
        begin = "" if known else f"{_called(near)} "
        ids = ", ".join(map(str, item["memories"]))
        line = f"{begin}– {_kind(relation)} – {_called(far)} ×{relation.weight} {relation.confidence:.2f} [{ids}]"
        if not sheet.put("relations", item, quoting.quote(line)):
            break
        shown += 1
    sheet.data.setdefault("relations", [])
    sheet.omit(omitted + len(relations) - shown)


def put_path(sheet: Sheet, path: ConnectingPath, proofs: Mapping[int, Memory]) -> None:
    """The steps of ``path``, each with the first of its memories that is among ``proofs``."""
    sheet.data["path"] = []
    for at, relation in enumerate(path.relations):
        begin, end = path.entities[at], path.entities[at + 1]
        item = {"from": name_of(begin), "to": name_of(end), "type": end.type, **_evidence(relation)}
        lines = [quoting.quote(f"{_called(begin)} – {_kind(relation)} – {_called(end)} ×{relation.weight}")]
        memory = next((proofs[one] for one in relation.evidence if one in proofs), None)
        del item["memories"]
        if memory is not None:
            item |= {"memory": memory.id, "snippet": quoting.snippet_of(memory)}
            lines += [quoting.head(memory), quoting.quote(item["snippet"])]
        sheet.put("path", item, "\n".join(lines))


def strongest(found: Iterable[Neighbourhood], without: int) -> list[Relation]:
    """The relations of several neighbourhoods, each once, without those that only the memory ``without`` proves."""
    once: dict[tuple[int, int, str], Relation] = {}
    for one in found:
        for relation in one.relations:
            if relation.evidence != (without,):
                once.setdefault((relation.source.id, relation.target.id, relation.kind), relation)
    return sorted(once.values(), key=lambda one: (-one.weight, -one.confidence, one.source.id, one.target.id))


def outwards(relations: Sequence[Relation], centres: Collection[int], hops: int) -> list[Relation]:
    """``relations`` with those of the ``centres`` first; at one hop only those, for the others lead nowhere further."""
    near = [one for one in relations if one.source.id in centres or one.target.id in centres]
    return near if hops == 1 else near + [one for one in relations if one not in near]


def _called(entity: Entity) -> str:
    return f"{name_of(entity)} ({entity.type})"


def _kind(relation: Relation) -> str:
    return relation.kind.replace("_", " ")


def _evidence(relation: Relation) -> dict[str, Any]:
    return {
        "kind": relation.kind,
        "weight": relation.weight,
        "confidence": round(relation.confidence, 2),
        "memories": list(relation.evidence[:MOST_IDS]),
    }
