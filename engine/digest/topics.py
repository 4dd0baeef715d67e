"""What people and clients decide about topics: rename, merge, move, aliases, the centroid summary. Each can be undone.

A decision changes topics and names, never a memory: its ``topic_path`` stays as it was given, and where it is filed
follows from what the names mean now. So a topic that is renamed, moved or merged keeps the names it had, and every
path that led to it still does. One decision is one history row of memory 0. Must not count or search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from engine import clock
from engine.access import Done
from engine.digest import topic_history
from engine.digest.topic_tree import Tree, changed_names, changed_topics, moved_through
from engine.errors import InvalidArgument
from engine.ingest.context import Context
from engine.ingest.filing import canonical_of, refile
from engine.storage import history, topic_members, topics
from engine.storage.database import Connection
from engine.storage.topics import TOP
from engine.types import LONGEST_TOPIC_NAME, SENSITIVITIES, HistoryEntry, Sensitivity, TopicChange

# History rows about topics are of no memory.
NO_MEMORY: Final = 0
LONGEST_SUMMARY: Final = 20_000
Alter = Callable[[Tree], None]


def tree_of(cx: Connection) -> Tree:
    """The hierarchy as it is."""
    return Tree(topics.rows(cx), topics.names(cx))


def rename(cx: Connection, topic_id: int, name: str, context: Context) -> Done[TopicChange]:
    """Show a topic under ``name``; the name it had becomes an alias.

    Errors: ``NotFound``; ``InvalidArgument`` for field "name": "topic_taken" by one beside it, "empty", "too_long",
    "not_text", "not_unicode".
    """
    shown = _clean(name)

    def alter(tree: Tree) -> None:
        _name(tree, topic_id, shown)
        tree.put(replace(tree.topics[topic_id], name=shown))

    return decide(cx, topic_id, "topic_renamed", alter, context)


def add_alias(cx: Connection, topic_id: int, name: str, context: Context) -> Done[TopicChange]:
    """Let ``name`` mean this topic, too, beside its own. Errors: as :func:`rename`."""
    shown = _clean(name)
    return decide(cx, topic_id, "topic_alias_added", lambda tree: _name(tree, topic_id, shown), context)


def drop_alias(cx: Connection, topic_id: int, name: str, context: Context) -> Done[TopicChange]:
    """Let ``name`` mean this topic nowhere: memories whose path says it go to a topic of that name.

    Errors: ``NotFound``; ``InvalidArgument`` for field "name": "no_alias", and as :func:`rename`.
    """
    canonical = canonical_of(_clean(name))

    def alter(tree: Tree) -> None:
        row = tree.live(topic_id)
        gone = [
            key for key, one in tree.names.items() if one.canonical == canonical and tree.end(one.topic_id) == topic_id
        ]
        if not gone or canonical == canonical_of(row.name):
            raise InvalidArgument(field="name", reason="no_alias")
        for key in gone:
            del tree.names[key]

    return decide(cx, topic_id, "topic_alias_dropped", alter, context)


def merge(cx: Connection, ids: Sequence[int], into: int, context: Context) -> Done[TopicChange]:
    """From now on these topics are ``into``: their names mean it, their memories are there, topics below of one name
    are one.

    Errors: ``NotFound``; ``InvalidArgument`` for field "ids": "empty", "inside_itself" (``into`` is below one of them),
    "too_deep".
    """

    def alter(tree: Tree) -> None:
        tree.live(into)
        others = [one for one in dict.fromkeys(ids) if one != into]
        if not others:
            raise InvalidArgument(field="ids", reason="empty")
        for one in others:
            if tree.live(one) and one in tree.way(into):
                raise InvalidArgument(field="ids", reason="inside_itself")
        for one in others:
            if tree.topics[one].merged_into is None:  # not with another of them already
                _merge(tree, one, tree.end(into))

    return decide(cx, into, "topics_merged", alter, context)


def move(cx: Connection, topic_id: int, parent: int | None, context: Context) -> Done[TopicChange]:
    """Put a topic below ``parent`` (None: at the top), with all below it. Paths that led to it still do.

    Errors: ``NotFound``; ``InvalidArgument`` for field "parent": "inside_itself", "too_deep", "topic_taken".
    """
    goal = TOP if parent is None else parent

    def alter(tree: Tree) -> None:
        row = tree.live(topic_id)
        if goal != TOP and tree.live(goal) and topic_id in tree.way(goal):
            raise InvalidArgument(field="parent", reason="inside_itself")
        if tree.parent(topic_id) != goal:
            if tree.known(goal, canonical_of(row.name)) not in (None, topic_id):
                raise InvalidArgument(field="parent", reason="topic_taken")
            tree.settle(topic_id, goal)

    return decide(cx, topic_id, "topic_moved", alter, context)


def set_summary(
    cx: Connection, topic_id: int, text: str, sensitivity: Sensitivity | None, context: Context
) -> Done[TopicChange]:
    """Keep what a client or a person wrote about all of a topic (S4's centroid summary); a blank one takes it away.

    ``sensitivity``: that of the text, as its writer says; None: as the most sensitive memory at or below the topic.
    Errors: ``NotFound``; ``InvalidArgument`` for field "summary" ("too_long", "not_text", "not_unicode") or
    "sensitivity".
    """
    _check_text("summary", text)
    if len(text) > LONGEST_SUMMARY:
        raise InvalidArgument(field="summary", reason="too_long", limit=LONGEST_SUMMARY)
    if sensitivity is not None and sensitivity not in SENSITIVITIES:
        raise InvalidArgument(field="sensitivity", reason="not_a_choice", allowed=list(SENSITIVITIES))
    kept = text.strip()

    def alter(tree: Tree) -> None:
        row = tree.live(topic_id)
        level: Sensitivity = sensitivity or topic_members.most_sensitive(cx, tree.below(topic_id))
        moment = clock.to_text(context.now)
        tree.put(
            replace(row, summary=kept, summary_sensitivity=level, summarised_at=moment)
            if kept
            else replace(row, summary="", summary_sensitivity="normal", summarised_at=None)
        )

    return decide(cx, topic_id, "topic_summarised", alter, context)


def remove(cx: Connection, topic_id: int, context: Context) -> Done[TopicChange]:
    """Take away a topic that is empty: nothing below it, and no path leads there, of trashed memories neither.

    Errors: ``NotFound``; ``InvalidArgument`` for field "topic_id": "not_empty".
    """

    def alter(tree: Tree) -> None:
        tree.live(topic_id)
        if tree.children().get(topic_id):
            raise InvalidArgument(field="topic_id", reason="not_empty")
        tree.drop(topic_id)

    return decide(cx, topic_id, "topic_removed", alter, context, must_not_move=True)


def undo(cx: Connection, entry: HistoryEntry, context: Context) -> Done[TopicChange]:
    """Take a decision back. Errors: ``Conflict`` ("already_undone", "erased", "changed_since")."""
    topic_history.refuse(entry)

    def alter(tree: Tree) -> None:
        topic_history.take_back(tree, entry)

    history.mark_undone(cx, entry.id)
    return decide(cx, topic_history.subject(entry), "undone", alter, context, undoes=entry.id)


def decide(
    cx: Connection, topic_id: int, action: str, alter: Alter, context: Context, *, undoes: int | None = None,
    must_not_move: bool = False,
) -> Done[TopicChange]:  # fmt: skip
    """Let ``alter`` change the hierarchy, write the difference, file anew whom it concerns, and note it in history."""
    before = tree_of(cx)
    wanted = before.copy()
    alter(wanted)
    wanted.level()
    if not any(changed_topics(before, wanted)) and not any(changed_names(before, wanted)):
        return Done(TopicChange(topic_id, None), action)
    was = dict(topics.empty(cx, moved_through(before, wanted)))
    _write(cx, before, wanted)
    filed = refile(cx, topics.paths(cx, was), context.now)
    moved = tuple(sorted(one for one, place in was.items() if filed.get(one) != place))
    if must_not_move and moved:
        raise InvalidArgument(field="topic_id", reason="not_empty")
    sides = topic_history.sides(before, tree_of(cx))
    row = history.record(cx, context.now, context.actor, action, NO_MEMORY, *sides, undoes=undoes)
    return Done(TopicChange(topic_id, row, moved), action, updated=moved, history_ids=(row,))


def _write(cx: Connection, before: Tree, after: Tree) -> None:
    pairs, named = list(changed_topics(before, after)), list(changed_names(before, after))
    topics.delete_names(cx, [old for old, new in named if old is not None and new is None])
    topics.delete(cx, [old.id for old, new in pairs if old is not None and new is None])
    topics.put(cx, [new for _, new in pairs if new is not None])
    topics.put_names(cx, [new for _, new in named if new is not None])


def _name(tree: Tree, topic_id: int, name: str) -> None:
    """Let a name mean a topic beside its own. Errors: ``InvalidArgument`` "topic_taken"."""
    tree.live(topic_id)
    place, canonical = tree.parent(topic_id), canonical_of(name)
    if tree.known(place, canonical) not in (None, topic_id):
        raise InvalidArgument(field="name", reason="topic_taken")
    tree.lead(place, name, canonical, topic_id)


def _merge(tree: Tree, one: int, into: int) -> None:
    """Names that meant ``one`` mean ``into``; what it knew below it is asked there first, as before."""
    names, children = tree.names_of(one), tree.children()
    below, beside = children.get(one, []), set(children.get(into, ()))
    twins = {child: tree.known(into, canonical_of(tree.topics[child].name)) for child in below}
    tree.put(replace(tree.topics[one], merged_into=into))
    for row in names:
        tree.lead(tree.parent(into), row.name, row.canonical, into)
    for child in below:
        twin = twins[child]
        if twin is not None and twin != child and twin in beside:
            _merge(tree, child, twin)
        else:
            tree.settle(child, into)


def _clean(name: str) -> str:
    _check_text("name", name)
    name = " ".join(name.split())
    if not canonical_of(name):
        raise InvalidArgument(field="name", reason="empty")
    if len(name) > LONGEST_TOPIC_NAME:
        raise InvalidArgument(field="name", reason="too_long", limit=LONGEST_TOPIC_NAME)
    return name


def _check_text(field: str, text: str) -> None:
    if not isinstance(text, str):
        raise InvalidArgument(field=field, reason="not_text")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidArgument(field=field, reason="not_unicode") from None
