"""Erase means erase: after ``shred`` no byte of the text is in any file. Searched by another process, when closed."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.index import lexical
from engine.storage import history, journal, memories, passages
from engine.storage.database import Database
from engine.types import Actor

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
# Beginnings nobody else has, for the word index keeps words without what they share with the one before.
WORDS = ("xylographerase", "质鬟惗", "qvintessential")
SEARCH = """
import sys
from pathlib import Path
data = b"".join(path.read_bytes() for path in Path(sys.argv[1]).rglob("*") if path.is_file())
print([word for word in sys.argv[2:] if word.encode() in data])
"""


def _left(directory: Path) -> str:
    """Which of the words are in the files of the store."""
    run = [sys.executable, "-X", "utf8", "-c", SEARCH, str(directory), *WORDS]
    return subprocess.run(run, capture_output=True, text=True, encoding="utf-8", check=True, timeout=60).stdout.strip()


def _remember_and_erase(database: Database, values, others: int) -> None:
    def store(content: str, **given: object) -> int:
        memory_id = memories.insert(cx, values(content, **given))
        passages.put(cx, memory_id, [(0, len(content))])
        lexical.put(cx, memory_id, content)
        history.record(cx, NOW, Actor("gui"), "created", memory_id, None, {"content": content})
        journal.open(cx, "memorize", memory_id, "committed", NOW)
        return memory_id

    with database.transaction() as cx:
        for number in range(others // 2):
            store(f"before {number} " + "padding " * 20)
        # Long, so that it also lies on overflow pages; edited once, so that older forms exist.
        doomed = store(" ".join(WORDS) * 400, title=WORDS[0], tags=(WORDS[2],), extra={"x": WORDS[1]})
    with database.transaction() as cx:
        memories.update(cx, doomed, {"content": "shorter " + WORDS[0], "tags": (WORDS[1],)})
        for number in range(others // 2):
            store(f"after {number} " + "padding " * 20)
    with database.transaction() as cx:
        lexical.remove(cx, [doomed])
        history.forget(cx, [doomed])
        memories.delete(cx, [doomed])


@pytest.mark.parametrize("others", [0, 2, 600])
def test_no_byte_is_left(data_dir: Path, values, others: int) -> None:
    database = Database.open(data_dir)
    _remember_and_erase(database, values, others)
    with database.reader():
        pass  # an idle reader of the pool is no obstacle
    database.shred()
    assert _left(data_dir) == "[]"  # nor in the log of the store that is still open
    assert database.integrity() == ()
    with database.reader() as cx:
        assert lexical.count(cx) == others == sum(memories.count_by_status(cx).values())
    database.close()
    assert _left(data_dir) == "[]"


def test_without_it_there_would_be(data_dir: Path, values) -> None:
    database = Database.open(data_dir)
    _remember_and_erase(database, values, 600)
    database.close()
    assert _left(data_dir) != "[]"
