"""Which turns have a passage together with the turn before them, kept in line with every change to either.

What a turn means often stands in the turn before it ("Yes, last Tuesday"), so the two are given one vector more. The
rule looks at the rows only: the memory before it in the same conversation's session, if that is not in the trash, and
if both are single turns that are short enough. So what grew equals what is made anew. Must not make vectors (the
background does, the journal says that they are owed).
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.ingest.context import Context
from engine.storage import journal, neighbours, passages
from engine.storage.database import Connection
from engine.text.passages import goes_with

# What decides who stands before whom; a change of the text makes passages anew in any case.
PLACING = frozenset({"status", "conversation_id", "session_id"})


def around(cx: Connection, memory_ids: Iterable[int]) -> set[int]:
    """These memories and those whose context passage holds, or might hold, their text."""
    ids = set(memory_ids)
    return ids.union(neighbours.after(cx, ids), (owner for _, owner, _ in passages.contexts_with(cx, ids)))


def holding(cx: Connection, memory_ids: Iterable[int]) -> tuple[int, ...]:
    """The passages that hold text of these memories: their own, and those of a turn after them."""
    ids = tuple(memory_ids)
    found = (passages.of(cx, ids), passages.contexts_of(cx, ids), passages.contexts_with(cx, ids))
    return tuple(dict.fromkeys(row[0] for rows in found for row in rows))


def follow(cx: Connection, memory_ids: Iterable[int], context: Context) -> tuple[int, ...]:
    """Make the context passages of these memories, and of those after them, what they should be by now; returns the
    passages that are gone. One whose text is another must have been deleted before (``storage/passages.delete_of``).
    """
    ids = around(cx, memory_ids)
    wanted = {
        memory_id: before.id for memory_id, before in neighbours.before(cx, ids).items()
        if goes_with(before.content, before.followed_by)
    }  # fmt: skip
    there = passages.contexts_of(cx, ids)
    gone = tuple(passage_id for passage_id, owner, before_id in there if wanted.get(owner) != before_id)
    passages.delete(cx, gone)
    right = {owner for _, owner, before_id in there if wanted.get(owner) == before_id}
    for memory_id in sorted(wanted.keys() - right):
        passages.put_context(cx, memory_id, wanted[memory_id])
        if context.space_id is not None:
            journal.open(cx, "context", memory_id, "committed", context.now)
    return gone
