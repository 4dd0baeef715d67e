"""The user model (S1): what is known of the user as traits, each with what speaks for it, the strongest first.

Plain functions over a connection. Every change is a history row of memory 0 that holds the rows it changed, so that it
can be taken back as long as nobody has changed the same rows since. A trait that nothing speaks for does not exist.
Must not read memories to find traits: who uses Hupo says what it has learnt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from engine import policy
from engine.access import Done
from engine.clock import to_text
from engine.config import Values
from engine.errors import Conflict, InvalidArgument, NotFound
from engine.ingest import screening
from engine.ingest.context import Context
from engine.ingest.entities import canonicalise
from engine.storage import history, memories, traits
from engine.storage.database import Connection
from engine.storage.traits import State
from engine.text.normalise import content_key
from engine.types import SENSITIVITIES, HistoryEntry, Sensitivity, TraitChange, UserTraits

AREA: Final = "traits"
LONGEST_TRAIT: Final = 200
LONGEST_EVIDENCE: Final = 4_000
# So much evidence a trait is shown with; the rest counts.
SHOWN: Final = 5
MOST: Final = 200
# History rows about traits are of no memory.
_NO_MEMORY: Final = 0


def top(cx: Connection, limit: int, include_sensitive: bool, values: Values) -> UserTraits:
    """The traits by weight, then by how new their evidence is (S1). Errors: ``InvalidArgument`` for "limit"."""
    if isinstance(limit, bool) or not isinstance(limit, int):
        raise InvalidArgument(field="limit", reason="not_whole")
    if not 1 <= limit <= MOST:
        raise InvalidArgument(field="limit", reason="out_of_range", allowed=[1, MOST])
    hidden = policy.hidden(values, include_sensitive)
    ids, left_out = traits.ranked(cx, hidden)
    return UserTraits(traits.get_many(cx, ids[:limit], SHOWN, hidden), len(ids), left_out)


def update(
    cx: Connection, context: Context, trait: str, evidence: str, memory_id: int | None, sensitivity: Sensitivity,
    values: Values,
) -> Done[TraitChange]:  # fmt: skip
    """One more piece of evidence: weight +1 (S1). The same evidence again (a retry) counts once.

    A trait once sensitive stays so; secrets are masked or marked as in memories.

    Errors: ``InvalidArgument`` for "trait", "evidence" or "sensitivity" (reasons
    "empty", "too_long", "not_text", "not_unicode", "not_a_choice"); ``NotFound`` for the memory.
    """
    told = {"title": _clean("trait", trait, LONGEST_TRAIT), "content": _clean("evidence", evidence, LONGEST_EVIDENCE)}
    if sensitivity not in SENSITIVITIES:
        raise InvalidArgument(field="sensitivity", reason="not_a_choice", allowed=list(SENSITIVITIES))
    if memory_id is not None:
        memories.require(cx, memory_id)
    screened = screening.screen(told, values)
    trait, evidence = screened.values["title"], screened.values["content"]
    sensitivity = screening.marked(screened.kinds, sensitivity, values)
    canonical, now = canonicalise("topic", trait), to_text(context.now)
    trait_id, evidence_id = traits.next_ids(cx)
    known = traits.named(cx, canonical)
    wanted: State = {"traits": {}, "names": {}, "evidence": {}}
    if known is None:
        wanted["traits"][str(trait_id)] = {"trait": trait, "sensitivity": sensitivity, "base": 0.0, "created_at": now}
        wanted["names"][canonical] = {"trait_id": trait_id}
    else:
        trait_id = known
        wanted["traits"][str(trait_id)] = {"sensitivity": _strictest(cx, [trait_id], sensitivity)}
    key = content_key(evidence)
    held = {text_key: (one, memory) for one, _, text_key, memory in traits.evidence_of(cx, [trait_id])}
    if key not in held:
        row = {"trait_id": trait_id, "text_key": key, "evidence": evidence, "memory_id": memory_id, "at": now}
        wanted["evidence"][str(evidence_id)] = row
    elif memory_id is not None and held[key][1] is None:
        wanted["evidence"][str(held[key][0])] = {"memory_id": memory_id}
    return _change(cx, context, "trait_updated", wanted, [trait_id], counted=key not in held)


def rename(cx: Connection, context: Context, trait_id: int, name: str, values: Values) -> Done[TraitChange]:
    """Show a trait under another name; its names so far still mean it.

    Errors: ``NotFound``; ``InvalidArgument`` for "trait": as :func:`update`, and "taken" (another one is called so:
    merge them).
    """
    screened = screening.screen({"title": _clean("trait", name, LONGEST_TRAIT)}, values)
    name = screened.values["title"]
    _require(cx, [trait_id])
    level = screening.marked(screened.kinds, _strictest(cx, [trait_id]), values)
    canonical = canonicalise("topic", name)
    if traits.named(cx, canonical) not in (None, trait_id):
        raise InvalidArgument(field="trait", reason="taken")
    wanted: State = {
        "traits": {str(trait_id): {"trait": name, "sensitivity": level}},
        "names": {canonical: {"trait_id": trait_id}},
    }
    return _change(cx, context, "trait_renamed", wanted, [trait_id])


def merge(cx: Connection, context: Context, ids: Sequence[int], into: int) -> Done[TraitChange]:
    """They are one trait, called as ``into`` is: it gets the names and the evidence of all, the same evidence once.

    Errors: ``NotFound``; ``InvalidArgument`` for "ids": "empty".
    """
    others = [one for one in dict.fromkeys(ids) if one != into]
    if not others:
        raise InvalidArgument(field="ids", reason="empty")
    _require(cx, [into, *others])
    bases = traits.look(cx, {"traits": {str(one): {"base": None} for one in (into, *others)}})["traits"].values()
    goal = {"sensitivity": _strictest(cx, [into, *others]), "base": sum(row["base"] for row in bases if row)}
    wanted: State = {"traits": {str(into): goal}, "names": {}, "evidence": {}}
    wanted["traits"] |= {str(one): None for one in others}
    wanted["names"] = {name: {"trait_id": into} for name, _ in traits.names_of(cx, others)}
    held = {key: (one, memory) for one, _, key, memory in traits.evidence_of(cx, [into])}
    for one, _, key, memory in traits.evidence_of(cx, others):
        if key not in held:
            held[key] = one, memory
            wanted["evidence"][str(one)] = {"trait_id": into}
            continue
        wanted["evidence"][str(one)] = None
        kept, known = held[key]
        if known is None and memory is not None:  # so that it goes when the memory is erased
            held[key] = kept, memory
            wanted["evidence"][str(kept)] = {**(wanted["evidence"].get(str(kept)) or {}), "memory_id": memory}
    return _change(cx, context, "traits_merged", wanted, [into])


def forget(cx: Connection, context: Context, ids: Sequence[int]) -> Done[TraitChange]:
    """Away with these traits and all that spoke for them. Errors: ``NotFound``; ``InvalidArgument`` "empty"."""
    ids = tuple(dict.fromkeys(ids))
    if not ids:
        raise InvalidArgument(field="ids", reason="empty")
    _require(cx, ids)
    return _change(cx, context, "traits_forgotten", _removal(cx, ids), ())


def take_back(cx: Connection, entry: HistoryEntry, context: Context) -> Done[None]:
    """Undo one of these changes, or the undo of one. Errors: ``Conflict`` "already_undone", "changed_since"."""
    if entry.undone:
        raise Conflict(reason="already_undone", id=entry.id)
    before: State = (entry.before or {})[AREA]
    after: State = (entry.after or {})[AREA]
    there = traits.look(cx, after)
    wanted: State = {}
    for table, rows in after.items():
        for key, row in rows.items():
            back, now = before[table][key], there[table][key]
            if table == "evidence" and now is None and row is not None and back is not None:
                continue  # it was moved, and its memory was erased since
            if now != row:
                raise Conflict(reason="changed_since", id=entry.id)
            wanted.setdefault(table, {})[key] = back
    if not _fits(cx, wanted):
        raise Conflict(reason="changed_since", id=entry.id)
    history.mark_undone(cx, entry.id)
    done = _change(cx, context, "undone", wanted, (), undoes=entry.id)
    return Done(None, done.action, history_ids=done.history_ids)


def _fits(cx: Connection, wanted: State) -> bool:
    """Whether rows that were there once can be there again beside what has come since."""
    rows = wanted.get("traits", {})
    leaving = [int(key) for key, row in rows.items() if row is None]
    names = {name for name, _ in traits.names_of(cx, leaving)}
    pieces = {str(one) for one, *_ in traits.evidence_of(cx, leaving)}
    if names - wanted.get("names", {}).keys() or pieces - wanted.get("evidence", {}).keys():
        return False
    coming = {int(key) for key, row in rows.items() if row is not None}
    into = [row for table in ("names", "evidence") for row in wanted.get(table, {}).values() if row]
    owners = {row["trait_id"] for row in into if "trait_id" in row}
    if not owners <= (traits.existing(cx, owners) - set(leaving)) | coming:
        return False
    evidence = wanted.get("evidence", {})
    there = {(trait, key): str(one) for one, trait, key, _ in traits.evidence_of(cx, owners)}
    full = traits.look(cx, {"evidence": {key: None for key, row in evidence.items() if row}})["evidence"]
    for key, row in evidence.items():
        if row is not None:
            whole = {**(full[key] or {}), **row}
            other = there.get((whole["trait_id"], whole["text_key"]), key)
            if other != key and evidence.get(other, {}) is not None:
                return False
    return True


def _change(
    cx: Connection, context: Context, action: str, wanted: State, shown: Sequence[int], *, counted: bool = False,
    undoes: int | None = None,
) -> Done[TraitChange]:  # fmt: skip
    """Write ``wanted`` with its history row, traits that nothing speaks for now included; nothing new, no row."""
    before = traits.look(cx, wanted)
    wanted = {
        table: {key: row for key, row in rows.items() if before[table][key] != row} for table, rows in wanted.items()
    }
    before = {table: {key: before[table][key] for key in rows} for table, rows in wanted.items()}
    traits.write(cx, wanted)
    bare = _removal(cx, traits.bare(cx))
    _add(before, traits.look(cx, bare))
    traits.write(cx, bare)
    for table, rows in bare.items():
        wanted.setdefault(table, {}).update(rows)
    history_id = None
    if any(wanted.values()):
        was, is_now = ({AREA: side} for side in (before, wanted))
        history_id = history.record(cx, context.now, context.actor, action, _NO_MEMORY, was, is_now, undoes=undoes)
    change = TraitChange(traits.get_many(cx, shown, 0), history_id, counted)
    return Done(change, action, history_ids=() if history_id is None else (history_id,))


def _add(before: State, more: State) -> None:
    """Rows that go after a change: what they were before it, as far as it was said, else what they were then."""
    for table, rows in more.items():
        known = before.setdefault(table, {})
        for key, row in rows.items():
            came_now = key in known and known[key] is None
            known[key] = None if came_now else {**(row or {}), **(known.get(key) or {})}


def _removal(cx: Connection, ids: Iterable[int]) -> State:
    ids = tuple(ids)
    return {
        "traits": {str(one): None for one in ids},
        "names": {name: None for name, _ in traits.names_of(cx, ids)},
        "evidence": {str(one): None for one, *_ in traits.evidence_of(cx, ids)},
    }


def _strictest(cx: Connection, ids: Iterable[int], *more: Sensitivity) -> Sensitivity:
    rows: Iterable[Mapping[str, Any] | None] = traits.look(
        cx, {"traits": {str(one): {"sensitivity": None} for one in ids}}
    )["traits"].values()
    levels: list[Sensitivity] = [*(row["sensitivity"] for row in rows if row), *more]
    return max(levels, key=SENSITIVITIES.index)


def _require(cx: Connection, ids: Iterable[int]) -> None:
    ids = tuple(ids)
    there = traits.existing(cx, ids)
    for one in ids:
        if one not in there:
            raise NotFound(kind="trait", id=one)


def _clean(field: str, text: str, limit: int) -> str:
    if not isinstance(text, str):
        raise InvalidArgument(field=field, reason="not_text")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidArgument(field=field, reason="not_unicode") from None
    text = " ".join(text.split()) if field == "trait" else text.strip()
    if not text or not canonicalise("topic", text):
        raise InvalidArgument(field=field, reason="empty")
    if len(text) > limit:
        raise InvalidArgument(field=field, reason="too_long", limit=limit)
    return text
