"""Which memories a name leads to: the entities that it may mean, by canonical or alias, and who mentions them.

Reads only. Must not rank, nor decide which words of a question are names.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import apsw

from engine.storage import graph
from engine.storage.selection import id_array
from engine.text.normalise import fold

_MEANT = """
SELECT n.canonical, n.id FROM nodes AS n
WHERE n.type IN ('person', 'topic') AND n.canonical IN (SELECT value FROM carray(?1))
UNION
SELECT a.canonical, n.id FROM aliases AS a CROSS JOIN nodes AS n ON n.type = a.type AND n.canonical = a.target
WHERE a.type IN ('person', 'topic') AND a.canonical IN (SELECT value FROM carray(?1))
"""
_MENTIONS = """
SELECT m.memory_id FROM entries AS e CROSS JOIN mentions AS m ON m.entry_id = e.id
WHERE e.id IN (SELECT value FROM carray(?)) LIMIT ?
"""


def meant(cx: apsw.Connection, canonicals: Iterable[str]) -> list[tuple[str, int]]:
    """(name, entity) for each person and topic that one of these canonical names may mean, anywhere or in a single
    memory; unknown names are left out.
    """
    wanted = tuple(name for name in dict.fromkeys(canonicals) if name)
    return sorted(cx.execute(_MEANT, (apsw.carray(wanted),))) if wanted else []


def mentioned_otherwise(cx: apsw.Connection, node_id: int, name: str, most: int) -> list[int]:
    """Up to ``most`` memories that mention the entity by a spelling in which ``name`` (folded) is not, ascending."""
    others = id_array(entry for entry, text in graph.entries_of(cx, node_id) if name not in fold(text))
    if not others:
        return []
    return sorted({row[0] for row in cx.execute(_MENTIONS, (apsw.carray(others), most))})


def texts(cx: apsw.Connection, ids: Iterable[int]) -> dict[int, str]:
    """Title and content of these memories, a line break between."""
    wanted = id_array(ids)
    if not wanted:
        return {}
    sql = "SELECT m.id, m.title || char(10) || m.content FROM carray(?) AS c CROSS JOIN memories AS m ON m.id = c.value"
    rows: list[Any] = cx.execute(sql, (apsw.carray(wanted),)).fetchall()
    return dict(rows)
