"""The rows of the topic hierarchy: topics, what a name means at a place, and which memory is filed where.

A topic is reached by names only: ``topic_names`` says what a name means below a place (0: the top), and what a merged
topic does not know itself, the topic that it was merged into is asked. Must not decide what names or topics become
(``ingest/filing.py`` and ``digest/topics.py`` do), nor count or search (``topic_members.py`` does).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import apsw

from engine.storage.selection import id_array
from engine.types import Sensitivity

TOP = 0
_TOPIC = "id, level, parent_id, name, merged_into, summary, summary_sensitivity, summarised_at, touched, created_at"
_NAME = "place_id, canonical, topic_id, name"


@dataclass(frozen=True, slots=True)
class TopicRow:
    """One topic. ``merged_into``: the topic that it means now; ``touched`` grows when its members changed."""

    id: int
    level: int
    parent_id: int
    name: str
    merged_into: int | None
    summary: str
    summary_sensitivity: Sensitivity
    summarised_at: str | None
    touched: int
    created_at: str


@dataclass(frozen=True, slots=True)
class NameRow:
    """What ``canonical`` means below ``place_id``; ``name`` as it was written."""

    place_id: int
    canonical: str
    topic_id: int
    name: str


class Filed(NamedTuple):
    """A memory and the topic that it is filed under."""

    memory_id: int
    topic_id: int


def rows(cx: apsw.Connection) -> list[TopicRow]:
    """All topics, merged ones included, the oldest first."""
    return [TopicRow(*row) for row in cx.execute(f"SELECT {_TOPIC} FROM topics ORDER BY id")]


def names(cx: apsw.Connection) -> list[NameRow]:
    """What every name means at every place."""
    return [NameRow(*row) for row in cx.execute(f"SELECT {_NAME} FROM topic_names ORDER BY place_id, canonical")]


def meant(cx: apsw.Connection, place_id: int, canonical: str) -> int | None:
    """The topic that this name means exactly here (it may be a merged one), or None."""
    sql = "SELECT topic_id FROM topic_names WHERE place_id = ? AND canonical = ?"
    found: int | None = cx.execute(sql, (place_id, canonical)).get
    return found


def standing(cx: apsw.Connection, topic_id: int) -> tuple[int, int | None]:
    """(level, merged into) of a topic. Errors: ``ValueError`` for one that there is not."""
    row: Any = cx.execute("SELECT level, merged_into FROM topics WHERE id = ?", (topic_id,)).fetchone()
    if row is None:
        raise ValueError(f"no topic {topic_id}")
    return cast(tuple[int, int | None], row)


def create(cx: apsw.Connection, place_id: int, level: int, name: str, canonical: str, at: str) -> int:
    """A new topic below ``place_id``, known there by its name; returns its id."""
    topic_id = int(
        cx.execute(
            "INSERT INTO topics (level, parent_id, name, summary, summary_sensitivity, created_at) "
            "VALUES (?, ?, ?, '', 'normal', ?) RETURNING id",
            (level, place_id, name, at),
        ).get
    )
    put_names(cx, (NameRow(place_id, canonical, topic_id, name),))
    return topic_id


def put(cx: apsw.Connection, wanted: Iterable[TopicRow]) -> None:
    """Write topics as they are to be, new ones with the id they had; ``touched`` is nobody's to set."""
    cx.executemany(
        f"INSERT INTO topics ({_TOPIC}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
        "level = excluded.level, parent_id = excluded.parent_id, name = excluded.name, "
        "merged_into = excluded.merged_into, summary = excluded.summary, "
        "summary_sensitivity = excluded.summary_sensitivity, summarised_at = excluded.summarised_at",
        [
            (row.id, row.level, row.parent_id, row.name, row.merged_into, row.summary, row.summary_sensitivity,
             row.summarised_at, row.touched, row.created_at)
            for row in wanted
        ],
    )  # fmt: skip


def delete(cx: apsw.Connection, topic_ids: Iterable[int]) -> None:
    """Delete topics and the names that mean them; nothing may be filed under them."""
    wanted = id_array(topic_ids)
    if wanted:
        cx.execute("DELETE FROM topics WHERE id IN (SELECT value FROM carray(?))", (apsw.carray(wanted),))


def put_names(cx: apsw.Connection, wanted: Iterable[NameRow]) -> None:
    """Let names mean what they are to mean from now on."""
    cx.executemany(
        f"INSERT OR REPLACE INTO topic_names ({_NAME}) VALUES (?, ?, ?, ?)",
        [(row.place_id, row.canonical, row.topic_id, row.name) for row in wanted],
    )


def delete_names(cx: apsw.Connection, unwanted: Iterable[NameRow]) -> None:
    """Let names mean nothing where they meant something."""
    cx.executemany(
        "DELETE FROM topic_names WHERE place_id = ? AND canonical = ?",
        [(row.place_id, row.canonical) for row in unwanted],
    )


def file(cx: apsw.Connection, memory_id: int, topic_id: int) -> None:
    """File a memory under a topic and no other."""
    cx.execute(
        "INSERT INTO memory_topics (memory_id, topic_id) VALUES (?, ?) "
        "ON CONFLICT (memory_id) DO UPDATE SET topic_id = excluded.topic_id WHERE topic_id <> excluded.topic_id",
        (memory_id, topic_id),
    )


def unfile(cx: apsw.Connection, memory_ids: Iterable[int]) -> list[int]:
    """Take memories out of their topics; returns those topics, each once."""
    wanted = id_array(memory_ids)
    if not wanted:
        return []
    sql = "DELETE FROM memory_topics WHERE memory_id IN (SELECT value FROM carray(?)) RETURNING topic_id"
    found: list[Any] = cx.execute(sql, (apsw.carray(wanted),)).fetchall()
    return list(dict.fromkeys(row[0] for row in found))


def empty(cx: apsw.Connection, topic_ids: Iterable[int]) -> list[Filed]:
    """Take all that is filed under these topics out of them; returns what was where."""
    wanted = id_array(topic_ids)
    if not wanted:
        return []
    sql = "DELETE FROM memory_topics WHERE topic_id IN (SELECT value FROM carray(?)) RETURNING memory_id, topic_id"
    found: list[Any] = cx.execute(sql, (apsw.carray(wanted),)).fetchall()
    return sorted(Filed(*row) for row in found)


def paths(cx: apsw.Connection, memory_ids: Iterable[int]) -> list[tuple[int, tuple[str, ...]]]:
    """(memory, its ``topic_path``) of those of these memories that have one."""
    wanted = id_array(memory_ids)
    if not wanted:
        return []
    sql = (
        "SELECT m.id, json_extract(m.details, '$.topic_path') AS path FROM carray(?) AS c "
        "CROSS JOIN memories AS m ON m.id = c.value WHERE path IS NOT NULL ORDER BY m.id"
    )
    return [(memory_id, tuple(json.loads(path))) for memory_id, path in cx.execute(sql, (apsw.carray(wanted),))]


def with_path(cx: apsw.Connection, above: int, limit: int) -> list[int]:
    """Memories that have a ``topic_path``, by id, those above ``above`` only: for a walk through all."""
    sql = (
        "SELECT id FROM memories WHERE id > ? AND json_extract(details, '$.topic_path') IS NOT NULL ORDER BY id LIMIT ?"
    )
    return [row[0] for row in cx.execute(sql, (above, limit))]


def drop_unborne(cx: apsw.Connection, topic_ids: Iterable[int]) -> list[int]:
    """Delete those of these topics, and of those above them, that nothing is left of: after an erase.

    No memory is filed at or below them, and nobody decided anything about them: no second name, nothing merged into
    them, no summary. Returns their ids.
    """
    gone: list[int] = []
    for start in topic_ids:
        topic_id = start
        while topic_id != TOP:
            parent: Any = cx.execute(_UNBORNE, {"id": topic_id}).get
            if parent is None:
                break
            cx.execute("DELETE FROM topics WHERE id = ?", (topic_id,))
            gone.append(topic_id)
            topic_id = parent
    return gone


_UNBORNE = """
SELECT t.parent_id FROM topics AS t WHERE t.id = :id AND t.summary = '' AND t.merged_into IS NULL
    AND NOT EXISTS (SELECT 1 FROM memory_topics WHERE topic_id = :id)
    AND NOT EXISTS (SELECT 1 FROM topics WHERE parent_id = :id OR merged_into = :id)
    AND NOT EXISTS (SELECT 1 FROM topic_names WHERE place_id = :id)
    AND (SELECT count(*) FROM topic_names WHERE topic_id = :id) <= 1
"""


def forget_history(cx: apsw.Connection, topic_ids: Iterable[int]) -> None:
    """Remove every word from decisions about these topics; that there were any stays."""
    for topic_id in topic_ids:
        cx.execute(
            "UPDATE history SET before = NULL, after = NULL WHERE memory_id = 0 AND EXISTS (SELECT 1 FROM "
            "(SELECT value FROM json_each(coalesce(before, '{}'), '$.topic_rows') UNION ALL "
            "SELECT value FROM json_each(coalesce(after, '{}'), '$.topic_rows') UNION ALL "
            "SELECT value FROM json_each(coalesce(before, '{}'), '$.topic_names') UNION ALL "
            "SELECT value FROM json_each(coalesce(after, '{}'), '$.topic_names')) AS row "
            "WHERE ?1 IN (json_extract(row.value, '$.id'), json_extract(row.value, '$.topic_id')) "
            "AND coalesce(json_extract(row.value, '$.name'), json_extract(row.value, '$.summary'), '') <> '')",
            (topic_id,),
        )
