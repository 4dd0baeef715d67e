"""A full disk, a read-only place, a stranger on the file, a kill: a clear word each, nothing lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from engine.errors import CorruptDatabase, DatabaseBusy, DiskFull
from engine.index import lexical
from engine.storage import journal, memories, settings
from engine.storage.database import Database

posix_root = pytest.mark.skipif(
    sys.platform == "win32" or not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs to be root on POSIX"
)


def _fill(database: Database, key: str) -> None:
    with database.transaction() as cx:
        for number in range(400):
            settings.put(cx, f"{key} {number}", "x" * 20_000)


@pytest.fixture
def small_disk(data_dir: Path) -> Iterator[Path]:
    """A file system of 3 MB."""
    where = data_dir / "disk"
    where.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(where)], check=False).returncode:
        pytest.skip("no right to mount")
    yield where
    subprocess.run(["umount", str(where)], check=True)


@posix_root
def test_a_full_disk_changes_nothing_and_work_goes_on_when_there_is_room(small_disk: Path) -> None:
    database = Database.open(small_disk)
    with database.transaction() as cx:
        settings.put(cx, "kept", "1")
    for _ in range(3):
        with pytest.raises(DiskFull):
            _fill(database, "lost")
    with database.reader() as cx:
        assert settings.get(cx, "kept") == "1"
        assert settings.get(cx, "lost 0") is None
    with database.transaction() as cx:
        settings.put(cx, "later", "2")
    assert database.integrity() == ()
    database.close()


@posix_root
def test_a_disk_without_any_room_is_named_on_opening(small_disk: Path) -> None:
    with (small_disk / "other").open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
        while True:
            file.write(b"0" * 4096)
    with pytest.raises(DiskFull):
        Database.open(small_disk)
    (small_disk / "other").unlink()
    Database.open(small_disk).close()


def test_a_database_that_may_not_grow_is_a_full_disk(db: Database) -> None:
    with db.transaction() as cx:
        settings.put(cx, "kept", "1")
        pages = cx.pragma("page_count")
        cx.pragma("max_page_count", pages + 10)
    with pytest.raises(DiskFull):
        _fill(db, "lost")
    with db.transaction() as cx:
        assert settings.get(cx, "lost 0") is None
        cx.pragma("max_page_count", 1_000_000)
    _fill(db, "now")
    assert db.integrity() == ()


AS_NOBODY = """
import os, sys
from pathlib import Path

from engine.errors import HupoError
from engine.storage.database import Database
from engine.storage.lock import StoreLock
os.setgid(65534), os.setuid(65534)  # after the imports: the interpreter may lie in a private place
directory = Path(sys.argv[1])
for attempt in (lambda: StoreLock(directory).acquire(), lambda: Database.open(directory)):
    try:
        attempt()
        print("no error")
    except HupoError as error:
        print(error.code, error.fields["path"].startswith(str(directory)))
"""


@posix_root
@pytest.mark.parametrize("existing", [False, True])
def test_a_place_without_permission_is_named_and_left_alone(data_dir: Path, existing: bool) -> None:
    if existing:
        Database.open(data_dir).close()
        (data_dir / "hupo.db").chmod(0o644)
    data_dir.chmod(0o755)
    data_dir.parent.chmod(0o755)
    before = {path.name: path.read_bytes() for path in data_dir.iterdir()}
    code = [sys.executable, "-c", AS_NOBODY, str(data_dir)]
    reply = subprocess.run(code, capture_output=True, text=True, encoding="utf-8", check=False, timeout=60)
    assert reply.stdout.split() == ["not_writable", "True"] * 2, reply.stderr
    assert {path.name: path.read_bytes() for path in data_dir.iterdir()} == before


STRANGER = """
import sys, apsw
cx = apsw.Connection(sys.argv[1])
if sys.argv[2] == "exclusive":
    cx.pragma("locking_mode", "EXCLUSIVE")
cx.execute("BEGIN IMMEDIATE")
cx.execute("INSERT INTO settings VALUES ('stranger', 'was here')")
print("holding", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def stranger(data_dir: Path) -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    """Starts another process that holds the database until its input ends."""
    started: list[subprocess.Popen[str]] = []

    def start(how: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", STRANGER, str(data_dir / "hupo.db"), how],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
        )  # fmt: skip
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "holding"
        return process

    yield start
    for process in started:
        process.communicate(timeout=30)


def test_a_stranger_who_writes_makes_us_wait_and_then_say_so(db: Database, stranger) -> None:
    process = stranger("immediate")
    began = time.monotonic()
    with pytest.raises(DatabaseBusy) as caught, db.transaction() as cx:
        settings.put(cx, "a", "1")
    assert time.monotonic() - began >= 0.4
    assert caught.value.fields == {"path": str(db.path), "seconds": 0.5}
    with db.reader() as cx:  # reading goes on meanwhile
        assert settings.get(cx, "stranger") is None
    process.communicate(timeout=30)
    with db.transaction() as cx:
        settings.put(cx, "a", "2")


def test_a_stranger_with_an_exclusive_lock_is_named_on_opening(data_dir: Path, stranger) -> None:
    Database.open(data_dir).close()
    process = stranger("exclusive")
    with pytest.raises(DatabaseBusy):
        Database.open(data_dir, busy_seconds=0.2)
    process.communicate(timeout=30)
    Database.open(data_dir).close()


WRITER = """
import itertools, json, sys
from datetime import UTC, datetime
from pathlib import Path
from engine.index import lexical
from engine.storage import journal, memories
from engine.storage.database import Database
database = Database.open(Path(sys.argv[1]))
row = json.loads(sys.argv[2])
now = datetime(2026, 1, 1, tzinfo=UTC)
for number in itertools.count():
    with database.transaction() as cx:
        made = row | {"uid": f"{sys.argv[3]}-{number}", "created_at": now, "updated_at": now, "tags": ["a", "b"]}
        memory_id = memories.insert(cx, made)
        lexical.put(cx, memory_id, f"common word{number}")
        journal.open(cx, "memorize", memory_id, "committed", now)
    print(memory_id, flush=True)
"""


def test_kill_9_in_the_middle_of_writing_loses_nothing_acknowledged(
    data_dir: Path, values: Callable[..., dict[str, Any]]
) -> None:
    import json

    row = {key: value for key, value in values().items() if key not in ("created_at", "updated_at")}
    acknowledged: list[int] = []
    for attempt in range(6):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(data_dir), json.dumps(row), str(attempt)],
            stdout=subprocess.PIPE, text=True, encoding="utf-8",
        )  # fmt: skip
        assert process.stdout is not None
        for _ in range(20 + 37 * attempt):
            acknowledged.append(int(process.stdout.readline()))
        process.send_signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
        # A line torn by the kill is no acknowledgement.
        acknowledged.extend(int(line) for line in process.stdout if line.endswith("\n"))
        process.wait(30)
        process.stdout.close()
        database = Database.open(data_dir)
        assert database.integrity() == ()
        with database.reader() as cx:
            stored = memories.get_many(cx, acknowledged)
            total = sum(memories.count_by_status(cx).values())
            assert len(stored) == len(acknowledged)
            # At most the one write whose acknowledgement the kill cut off is there on top, each time.
            assert len(acknowledged) <= total <= len(acknowledged) + attempt + 1
            assert (
                lexical.count(cx) == total == journal.counts(cx)[0] == cx.execute("SELECT count(*) FROM vitality").get
            )
            assert cx.execute("SELECT count(*) FROM memory_tags").get == 2 * total
        database.close()


def test_a_damaged_word_index_is_named_as_such_and_can_be_made_anew(db: Database) -> None:
    with db.transaction() as cx:
        for number in range(200):
            lexical.put(cx, number, f"tea word{number}")
    stranger = apsw.Connection(str(db.path))
    stranger.execute("UPDATE lexical_data SET block = randomblob(length(block)) WHERE id > 10")
    stranger.close()
    assert any(line.startswith("lexical") for line in db.integrity())
    with pytest.raises(CorruptDatabase) as caught, db.reader() as cx:
        lexical.search(cx, '"tea"', 5, None)
    assert caught.value.fields["detail"] == "lexical"
    with db.transaction() as cx:
        lexical.clear(cx)
        lexical.put(cx, 1, "tea")
    with db.reader() as cx:
        assert [one for one, _ in lexical.search(cx, '"tea"', 5, None)] == [1]
    assert db.integrity() == ()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX locks")
def test_readers_of_the_pool_do_not_drop_the_writers_lock(db: Database) -> None:
    """Closing a reader connection must not free the lock against other processes (the POSIX trap)."""
    with db.transaction() as cx:
        settings.put(cx, "a", "1")
        readers = [db.reader() for _ in range(6)]
        for reader in readers:
            reader.__enter__()
        for reader in readers:
            reader.__exit__(None, None, None)
        other = (
            "import sys, apsw; cx = apsw.Connection(sys.argv[1])\n"
            "try: cx.execute('BEGIN IMMEDIATE'); print('taken')\nexcept apsw.BusyError: print('busy')"
        )
        reply = subprocess.run(
            [sys.executable, "-c", other, str(db.path)], capture_output=True, text=True, check=True, timeout=60
        )
    assert reply.stdout.strip() == "busy"


def test_a_connection_of_another_program_is_no_excuse_for_a_bug(db: Database) -> None:
    with pytest.raises(apsw.SQLError), db.reader() as cx:
        cx.execute("SELEKT")
