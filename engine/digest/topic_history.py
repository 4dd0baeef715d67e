"""What history keeps of a decision about topics: the rows as they were and as they became; and the way back.

Pure. A side holds ``topic_rows`` (of a topic that changed only what changed; of one that came or went all) and
``topic_names``. What an erase has taken meanwhile is left out of an undo.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, Final

from engine.digest.topic_tree import Tree, changed_names, changed_topics
from engine.errors import Conflict, InvalidArgument
from engine.storage.topics import TOP, NameRow, TopicRow
from engine.types import HistoryEntry

ROWS: Final = "topic_rows"
NAMES: Final = "topic_names"
# Where a topic is shown follows from its parents; what its members did is nobody's decision.
_DERIVED: Final = frozenset({"id", "level", "touched"})
_Side = dict[str, list[dict[str, Any]]]


def sides(before: Tree, after: Tree) -> tuple[_Side, _Side]:
    """The two sides of the history row that tells how ``before`` became ``after``."""
    was: _Side = {ROWS: [], NAMES: []}
    now: _Side = {ROWS: [], NAMES: []}
    for old, new in changed_topics(before, after):
        for side, row, other in ((was, old, new), (now, new, old)):
            if row is not None:
                values = {key: value for key, value in asdict(row).items() if key not in _DERIVED}
                if other is not None:
                    values = {key: value for key, value in values.items() if getattr(other, key) != value}
                if values:  # else only its level is another
                    side[ROWS].append({"id": row.id, **values})
    for told, means in changed_names(before, after):
        was[NAMES] += [] if told is None else [asdict(told)]
        now[NAMES] += [] if means is None else [asdict(means)]
    return was, now


def is_about_topics(entry: HistoryEntry) -> bool:
    """Whether a history row of no memory tells of topics."""
    return any(side is not None and ROWS in side for side in (entry.before, entry.after))


def refuse(entry: HistoryEntry) -> None:
    """Errors: ``Conflict`` for what can not be taken back (any more)."""
    if entry.undone:
        raise Conflict(reason="already_undone", id=entry.id)
    if entry.before is None and entry.after is None:
        raise Conflict(reason="erased", id=entry.id)
    if not is_about_topics(entry):
        raise Conflict(reason="nothing_to_undo", id=entry.id)


def subject(entry: HistoryEntry) -> int:
    """A topic that the decision was about."""
    for side in (entry.after, entry.before):
        for row in (*_rows(side, ROWS), *_rows(side, NAMES)):
            return int(row.get("topic_id", row.get("id", TOP)))
    return TOP


def take_back(tree: Tree, entry: HistoryEntry) -> None:
    """Make of ``tree`` what it was before. Errors: ``Conflict`` "changed_since" where it is not what it became."""
    topics_before = {row["id"]: row for row in _rows(entry.before, ROWS)}
    topics_after = {row["id"]: row for row in _rows(entry.after, ROWS)}
    for topic_id in topics_after.keys() | topics_before.keys():
        _topic_back(tree, topic_id, topics_before.get(topic_id), topics_after.get(topic_id), entry)
    _names_back(tree, entry)
    for row in tree.topics.values():
        for other in (row.parent_id, row.merged_into):
            if other not in (None, TOP) and other not in tree.topics:
                raise Conflict(reason="changed_since", id=entry.id)
    tree.names = {
        key: row for key, row in tree.names.items() if row.topic_id in tree.topics and key[0] in {TOP, *tree.topics}
    }
    _check_ways(tree, entry)


def _topic_back(
    tree: Tree, topic_id: int, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, entry: HistoryEntry
) -> None:
    row = tree.topics.get(topic_id)
    if after is None and before is not None:
        if row is not None:
            raise Conflict(reason="changed_since", id=entry.id)
        tree.put(TopicRow(level=1, touched=0, **before))
    elif row is not None and after is not None:
        if any(getattr(row, key) != value for key, value in after.items()):
            raise Conflict(reason="changed_since", id=entry.id)
        if before is not None:
            tree.put(replace(row, **before))
            return
        led = {(name["place_id"], name["canonical"]) for name in _rows(entry.after, NAMES)}
        since = (one for key, one in tree.names.items() if key not in led)
        if any(topic_id in (one.topic_id, one.place_id) for one in since):
            raise Conflict(reason="changed_since", id=entry.id)  # it, or something below it, has been named since
        del tree.topics[topic_id]


def _names_back(tree: Tree, entry: HistoryEntry) -> None:
    before = {(row["place_id"], row["canonical"]): NameRow(**row) for row in _rows(entry.before, NAMES)}
    after = {(row["place_id"], row["canonical"]): NameRow(**row) for row in _rows(entry.after, NAMES)}
    for key in before.keys() | after.keys():
        there, became, was = tree.names.get(key), after.get(key), before.get(key)
        if became is not None and became.topic_id not in tree.topics and there is None:
            continue  # went with its topic
        if there != became:
            raise Conflict(reason="changed_since", id=entry.id)
        tree.names.pop(key, None)
        if was is not None:
            tree.names[key] = was


def _check_ways(tree: Tree, entry: HistoryEntry) -> None:
    """What was decided since may not fit: a topic below itself, or one that was merged in a circle."""
    for topic_id in tree.topics:
        seen, one = {topic_id}, topic_id
        while (into := tree.topics[one].merged_into) is not None:
            if into in seen:
                raise Conflict(reason="changed_since", id=entry.id)
            seen.add(into)
            one = into
    try:
        tree.level()
    except InvalidArgument as error:
        raise Conflict(reason="changed_since", id=entry.id) from error


def _rows(side: Mapping[str, Any] | None, key: str) -> list[dict[str, Any]]:
    return list(side[key]) if side is not None and key in side else []
