"""What a user decides about names: merge, rename and split entities, and the alias table. Each can be undone exactly.

Only alias rows are changed; the mentions they concern follow at once, so that the graph is what building it anew from
the memories would give. Must not touch memories or atoms; facts have no aliases.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from engine.errors import Conflict, InvalidArgument, NotFound
from engine.ingest.entities import canonicalise, resolve
from engine.storage import aliases, graph, selection
from engine.storage.database import Connection
from engine.storage.graph import Touched
from engine.storage.relations import Reader
from engine.types import ALL_SCOPES, ENTITY_TYPES, Alias, EntityType, Filters

LONGEST_NAME: Final = 200
_EVERYTHING: Final = Filters(scope=ALL_SCOPES, statuses=())
_NUMBERED: Final = re.compile(r"#\d+$")
_SHOWN_NUMBER: Final = re.compile(r" \(\d+\)$")

_Key = tuple[EntityType, str, int]


@dataclass(frozen=True, slots=True)
class AliasChange:
    """The rows that went and the rows that came; ``apply(cx, change.after, change.before)`` takes it back.

    ``touched``: entries made and gone; ``memories``: those whose mentions now mean somebody else, ascending.
    """

    before: tuple[Alias, ...]
    after: tuple[Alias, ...]
    touched: Touched = field(default_factory=Touched)
    memories: tuple[int, ...] = ()


def merge(cx: Connection, ids: Sequence[int], into: int) -> AliasChange:
    """From now on all that these entities are called means ``into``. Nothing is lost: their spellings stay apart.

    Errors: ``NotFound``; ``InvalidArgument`` for field "ids": "empty", "mixed_types", "not_for_facts".
    """
    kind, goal = _node(cx, into, "ids")
    others = [_node(cx, one, "ids") for one in dict.fromkeys(ids) if one != into]
    if not others:
        raise InvalidArgument(field="ids", reason="empty")
    if any(other != kind for other, _ in others):
        raise InvalidArgument(field="ids", reason="mixed_types")
    name = _shown(cx, kind, goal)
    return _change(cx, (), [row for _, canonical in others for row in _led(cx, kind, canonical, goal, name)])


def rename(cx: Connection, node_id: int, name: str) -> AliasChange:
    """Show the entity under ``name``, and find it by that. Merges nothing.

    Errors: ``NotFound``; ``InvalidArgument`` for field "name" ("empty", "too_long", "not_text", "not_unicode") or
    "id" ("not_for_facts").
    """
    kind, canonical = _node(cx, node_id, "id")
    name = _clean("name", name)
    rows = [replace(row, name=name) for row in aliases.of_target(cx, kind, canonical)]
    if not any(row.memory_id == 0 for row in rows):
        rows.append(Alias(kind, canonical, canonical, name))
    return _change(cx, (), rows)


def split(
    cx: Connection, node_id: int, *, canonicals: Sequence[str] = (), memory_ids: Sequence[int] = ()
) -> AliasChange:
    """Take apart what is not the same: some of its names, or what some memories mean by them ("王伟 (2)").

    The entity keeps the name that is its own; where that is among ``canonicals``, the others leave.

    Errors: ``NotFound``; ``InvalidArgument`` for field "canonicals" or "memory_ids": "empty", "not_of_this" (the
    entity is not called so), "nothing_left", "not_both"; for "id": "not_for_facts".
    """
    kind, canonical = _node(cx, node_id, "id")
    if bool(canonicals) == bool(memory_ids):
        raise InvalidArgument(field="canonicals", reason="not_both" if canonicals else "empty")
    if canonicals:
        return _split_names(cx, node_id, kind, canonical, canonicals)
    said = graph.spelled_by(cx, node_id, memory_ids)
    if not said:
        raise InvalidArgument(field="memory_ids", reason="not_of_this")
    target, name = _another(cx, kind, canonical)
    return _change(cx, (), [Alias(kind, canonicalise(kind, text), target, name, memory) for memory, text in said])


def set_alias(cx: Connection, kind: EntityType, text: str, target_text: str) -> AliasChange:
    """Let the name ``text`` mean whom ``target_text`` means, whether a memory mentions them yet or not.

    Errors: ``InvalidArgument`` for field "type" ("not_for_facts", "not_a_choice"), "text" or "target" ("empty",
    "same", "too_long", "not_text", "not_unicode").
    """
    _check_kind(kind)
    shown = _clean("target", target_text)
    canonical = canonicalise(kind, _clean("text", text))
    target = resolve(cx, kind, canonicalise(kind, shown))
    if canonical == target:
        raise InvalidArgument(field="target", reason="same")
    name = _shown(cx, kind, target) or shown
    return _change(cx, (), _led(cx, kind, canonical, target, name))


def drop_alias(cx: Connection, kind: EntityType, text: str, memory_id: int = 0) -> AliasChange:
    """Let ``text`` mean itself again (in one memory: what it means everywhere).

    Errors: ``InvalidArgument`` for field "text" ("no_alias" and as in :func:`set_alias`) or "type".
    """
    _check_kind(kind)
    canonical = canonicalise(kind, _clean("text", text))
    rows = [row for row in aliases.of_canonical(cx, kind, canonical) if row.memory_id == memory_id]
    if not rows:
        raise InvalidArgument(field="text", reason="no_alias")
    return _change(cx, rows, ())


def apply(cx: Connection, remove: Iterable[Alias], put: Iterable[Alias]) -> AliasChange:
    """Take out rows and put in others, as an undo does; rows of memories that are gone meanwhile are left out.

    Errors: ``Conflict`` with reason "changed_since" where the rows are no longer what they were.
    """
    remove, put = tuple(remove), tuple(put)
    alive = selection.restrict(cx, (row.memory_id for row in (*remove, *put) if row.memory_id), _EVERYTHING) | {0}
    out = [row for row in remove if row.memory_id in alive]
    into = [row for row in put if row.memory_id in alive]
    leaving = {_key(row) for row in out}
    for row, must_be in (*((row, True) for row in out), *((row, False) for row in into if _key(row) not in leaving)):
        there = _at(cx, _key(row))
        if (there is None and must_be) or (there is not None and there.target != row.target):
            raise Conflict(reason="changed_since", id=row.memory_id)
    for row in into:
        # A target that has become another's alias, or an alias that others have been led to since.
        end = [one for one in aliases.of_canonical(cx, row.type, row.target) if one.memory_id == 0]
        led = aliases.of_target(cx, row.type, row.canonical) if row.memory_id == 0 else []
        goals = [
            *(one for one in end if one.target != row.target),
            *(one for one in led if row.target != row.canonical),
        ]
        if any(_key(one) not in leaving and _key(one) not in set(map(_key, into)) for one in goals):
            raise Conflict(reason="changed_since", id=row.memory_id)
    return _change(cx, out, into)


def _split_names(cx: Connection, node_id: int, kind: EntityType, canonical: str, names: Sequence[str]) -> AliasChange:
    chosen = list(dict.fromkeys(canonicalise(kind, one) for one in names))
    led = aliases.of_target(cx, kind, canonical)
    called = {canonicalise(kind, text) for _, text in graph.entries_of(cx, node_id)}
    if not (called | {row.canonical for row in led} | {canonical}).issuperset(chosen):
        raise InvalidArgument(field="canonicals", reason="not_of_this")
    if called.issubset(chosen):
        raise InvalidArgument(field="canonicals", reason="nothing_left")
    if canonical in chosen:
        # The entity's own name stays with it: then it is the others that leave.
        others = (row.canonical for row in led if row.canonical not in chosen)
        chosen = list(dict.fromkeys(others))
    first = chosen[0]
    # A name that was led here goes back to being itself; one that is led here in single memories only is in use.
    free = any(row.canonical == first and row.memory_id == 0 for row in led)
    target, name = (first, _spelling(cx, node_id, kind, first)) if free else _another(cx, kind, canonical)
    moved = [row for row in led if row.canonical in chosen]
    put = [replace(row, target=target, name=name) for row in moved if row.canonical != target]
    return _change(cx, moved, put)


def _led(cx: Connection, kind: EntityType, canonical: str, target: str, name: str) -> list[Alias]:
    """The rows by which a name, and all that was led to it, means ``target``: no chain is left."""
    led = [replace(row, target=target, name=name) for row in aliases.of_target(cx, kind, canonical)]
    return [*led, Alias(kind, canonical, target, name)]


def _change(cx: Connection, remove: Iterable[Alias], put: Iterable[Alias]) -> AliasChange:
    """Write the rows and let the graph follow. All rows of a target get the name that comes with it."""
    wanted: dict[_Key, Alias | None] = {_key(row): None for row in remove}
    for row in put:
        wanted[_key(row)] = row
    for row in [row for row in wanted.values() if row is not None]:
        for other in aliases.of_target(cx, row.type, row.target):
            wanted.setdefault(_key(other), replace(other, name=row.name))
    there = {key: _at(cx, key) for key in wanted}
    before = tuple(row for key, row in there.items() if row is not None and row != wanted[key])
    after = tuple(row for key, row in wanted.items() if row is not None and row != there[key])
    aliases.delete(cx, before)
    aliases.put(cx, after)
    touched, memories = _follow(cx, before, after)
    return AliasChange(before, after, touched, memories)


def _follow(cx: Connection, before: Sequence[Alias], after: Sequence[Alias]) -> tuple[Touched, tuple[int, ...]]:
    """Let the mentions through every name whose aliases changed mean what they say now; index anew what it touches."""
    changed = sorted({(row.type, row.canonical) for row in (*before, *after)})
    places = {(row.type, one) for row in (*before, *after) for one in (row.canonical, row.target)}
    for kind, canonical in changed:
        places.update((kind, row.target) for row in aliases.of_canonical(cx, kind, canonical))
    spelled: dict[tuple[EntityType, str], list[tuple[int, str]]] = {}
    for kind, place in sorted(places):
        node_id = graph.find(cx, kind, place)
        for entry_id, text in graph.entries_of(cx, node_id) if node_id is not None else ():
            spelled.setdefault((kind, canonicalise(kind, text)), []).append((entry_id, place))
    moves = [
        move
        for key in changed
        for entry_id, place in spelled.get(key, ())
        for move in _moves(cx, *key, entry_id, place)
    ]
    gone = {move.left for move in moves if move.left is not None}
    renamed = (graph.find(cx, row.type, row.target) for row in (*before, *after))
    entries = {entry_id for one in set(renamed) if one is not None for entry_id, _ in graph.entries_of(cx, one)}
    graph.reindex(cx, sorted((entries | {move.entry_id for move in moves}) - gone))
    made = sorted({move.entry_id for move in moves if move.made} - gone)
    memories = sorted(set(itertools.chain.from_iterable(move.memories for move in moves)))
    return Touched(tuple(made), tuple(sorted(gone))), tuple(memories)


def _moves(cx: Connection, kind: EntityType, canonical: str, entry_id: int, place: str) -> list[graph.Moved]:
    """Take the mentions through one entry to where its name leads: in single memories first, then the rest."""
    single: dict[str, list[int]] = {}
    for row in aliases.of_canonical(cx, kind, canonical):
        if row.memory_id:
            single.setdefault(row.target, []).append(row.memory_id)
    found = [graph.move(cx, entry_id, target, only=ids) for target, ids in single.items() if target != place]
    rest = resolve(cx, kind, canonical)
    if rest != place and not any(move.left == entry_id for move in found):
        found.append(graph.move(cx, entry_id, rest, but=single.get(place, ())))
    return found


def _node(cx: Connection, node_id: int, argument: str) -> tuple[EntityType, str]:
    node = graph.node(cx, node_id) if selection.id_array((node_id,)) else None
    if node is None:
        raise NotFound(kind="entity", id=node_id)
    if node[0] == "fact":
        raise InvalidArgument(field=argument, reason="not_for_facts")
    return node


def _shown(cx: Connection, kind: EntityType, canonical: str) -> str:
    """What an entity is shown as now; "" where nothing mentions it and nobody named it."""
    name = aliases.name_of(cx, kind, canonical)
    node_id = graph.find(cx, kind, canonical)
    if name is not None or node_id is None:
        return name or ""
    return Reader(cx, _EVERYTHING).entities((node_id,), 1)[node_id].name


def _spelling(cx: Connection, node_id: int, kind: EntityType, canonical: str) -> str:
    spellings = (text for _, text in graph.entries_of(cx, node_id) if canonicalise(kind, text) == canonical)
    return next(spellings, canonical)


def _another(cx: Connection, kind: EntityType, canonical: str) -> tuple[str, str]:
    """A canonical that nothing has, and the name to show, for a second entity of the same name: 王伟#2, "王伟 (2)"."""
    shown = _shown(cx, kind, canonical) or canonical
    if _NUMBERED.search(canonical) and aliases.of_target(cx, kind, canonical):
        canonical, shown = _NUMBERED.sub("", canonical), _SHOWN_NUMBER.sub("", shown)
    for number in itertools.count(2):
        other = f"{canonical}#{number}"
        taken = graph.find(cx, kind, other), aliases.of_target(cx, kind, other), aliases.of_canonical(cx, kind, other)
        if not any(taken):
            return other, f"{shown} ({number})"
    raise AssertionError("unreachable: numbers do not end")


def _key(row: Alias) -> _Key:
    return row.type, row.canonical, row.memory_id


def _at(cx: Connection, key: _Key) -> Alias | None:
    return next((row for row in aliases.of_canonical(cx, key[0], key[1]) if row.memory_id == key[2]), None)


def _check_kind(kind: EntityType) -> None:
    if kind not in ENTITY_TYPES:
        raise InvalidArgument(field="type", reason="not_a_choice", allowed=list(ENTITY_TYPES))
    if kind == "fact":
        raise InvalidArgument(field="type", reason="not_for_facts")


def _clean(argument: str, text: str) -> str:
    if not isinstance(text, str):
        raise InvalidArgument(field=argument, reason="not_text")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidArgument(field=argument, reason="not_unicode") from None
    text = " ".join(text.split())
    if not canonicalise("topic", text):
        raise InvalidArgument(field=argument, reason="empty")
    if len(text) > LONGEST_NAME:
        raise InvalidArgument(field=argument, reason="too_long", limit=LONGEST_NAME)
    return text
