"""Opening, transactions, snapshots, closing: the promises of ``storage/database.py`` on a healthy disk."""

from __future__ import annotations

import stat
import sys
import threading
from pathlib import Path

import apsw
import pytest

from engine.errors import Closed, CorruptDatabase, NewerSchema
from engine.storage import migrations, settings
from engine.storage.database import Database


def test_a_new_directory_and_file_belong_to_this_user_only(data_dir: Path) -> None:
    directory = data_dir / "正진" / "记忆 库"
    database = Database.open(directory)
    with database.transaction() as cx:
        settings.put(cx, "name", "琥珀")
    database.close()
    again = Database.open(directory)
    with again.reader() as cx:
        assert settings.get(cx, "name") == "琥珀"
    if sys.platform != "win32":
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
        assert {stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()} == {0o600}
    again.close()
    assert [path.name for path in directory.iterdir()] == ["hupo.db"]


@pytest.mark.skipif(sys.platform == "win32", reason="modes are a POSIX matter")
def test_a_file_that_others_could_read_is_closed_to_them(data_dir: Path) -> None:
    Database.open(data_dir).close()
    (data_dir / "hupo.db").chmod(0o644)
    Database.open(data_dir).close()
    assert stat.S_IMODE((data_dir / "hupo.db").stat().st_mode) == 0o600


def test_every_setting_of_the_connections_is_in_force(db: Database) -> None:
    with db.transaction() as cx:
        # A deferred transaction that reads first can fail at its first write without any waiting.
        assert cx.txn_state() == apsw.SQLITE_TXN_WRITE
        found = {name: cx.pragma(name) for name in ("journal_mode", "synchronous", "foreign_keys", "secure_delete")}
        assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 2}
        assert (cx.pragma("wal_autocheckpoint"), cx.pragma("busy_timeout"), cx.pragma("mmap_size")) == (4000, 500, 0)
        assert cx.pragma("application_id") == int.from_bytes(b"Hupo")
        assert cx.pragma("user_version") == migrations.LATEST


def test_durable_or_not_is_chosen_before_the_transaction_begins(db: Database) -> None:
    found = []
    for durable in (True, False, False, True):
        with db.transaction(durable=durable) as cx:
            found.append(cx.pragma("synchronous"))
    assert found == [2, 1, 1, 2]


def test_an_error_takes_everything_back_and_the_next_transaction_works(db: Database) -> None:
    with pytest.raises(LookupError), db.transaction() as cx:
        settings.put(cx, "a", "1")
        raise LookupError
    with db.transaction() as cx:
        assert settings.get(cx, "a") is None
        settings.put(cx, "a", "2")
    with db.reader() as cx:
        assert settings.get(cx, "a") == "2"


def test_a_second_thread_and_a_nested_block_are_told_that_there_is_one_writer(db: Database) -> None:
    inside, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with db.transaction() as cx:
            settings.put(cx, "held", "1")
            inside.set()
            assert leave.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    assert inside.wait(10)
    with pytest.raises(AssertionError, match="two writers"), db.transaction():
        pass
    leave.set()
    thread.join(10)
    with db.transaction() as cx:
        assert settings.get(cx, "held") == "1"
        with pytest.raises(AssertionError, match="two writers"), db.transaction():
            pass


def test_a_reader_keeps_its_snapshot_while_the_writer_goes_on(db: Database) -> None:
    with db.transaction() as cx:
        settings.put(cx, "n", "1")
    with db.reader() as old:  # nothing read yet: the snapshot begins here all the same
        with db.transaction() as cx:
            settings.put(cx, "n", "2")
        with db.reader() as new:
            assert (settings.get(old, "n"), settings.get(new, "n")) == ("1", "2")
    with db.reader() as cx:
        assert settings.get(cx, "n") == "2"


def test_a_reader_can_not_write(db: Database) -> None:
    with pytest.raises(Exception, match=r"readonly|not_writable"), db.reader() as cx:
        settings.put(cx, "n", "1")
    with db.reader() as cx:
        assert settings.get(cx, "n") is None


def test_readers_are_pooled_and_one_left_half_read_is_not_reused(db: Database) -> None:
    with db.reader() as first:
        pass
    with db.reader() as second:
        assert second is first
        cursor = second.execute("SELECT value FROM json_each('[1, 2, 3]'), sqlite_schema")
        next(cursor)
    with db.reader() as third:
        assert third is not first
    db.checkpoint()  # would be busy if the half-read cursor still held its snapshot


def test_many_threads_read_while_one_writes(db: Database) -> None:
    done = threading.Event()
    wrong: list[object] = []

    def read() -> None:
        while not done.is_set():
            with db.reader() as cx:
                pair = settings.get(cx, "a"), settings.get(cx, "b")
            if pair[0] != pair[1]:
                wrong.append(pair)

    threads = [threading.Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    for number in range(200):
        with db.transaction(durable=False) as cx:
            settings.put(cx, "a", str(number))
            settings.put(cx, "b", str(number))
    done.set()
    for thread in threads:
        thread.join(10)
    assert not wrong


def test_bugs_are_not_dressed_up_as_trouble_with_the_disk(db: Database) -> None:
    with pytest.raises(apsw.SQLError), db.transaction() as cx:
        cx.execute("SELECT nothing FROM nowhere")
    with pytest.raises(apsw.ConstraintError), db.transaction() as cx:
        cx.execute("INSERT INTO passages (memory_id, start_offset, end_offset) VALUES (99, 0, 1)")


def test_closed_is_closed(data_dir: Path) -> None:
    database = Database.open(data_dir)
    with database.transaction() as cx:
        settings.put(cx, "a", "1")
    assert database.size() > 0
    database.close()
    database.close()
    with pytest.raises(Closed), database.transaction():
        pass
    with pytest.raises(Closed), database.reader():
        pass
    assert not (data_dir / "hupo.db-wal").exists()


def test_close_waits_for_a_reader(data_dir: Path) -> None:
    database = Database.open(data_dir)
    inside, leave = threading.Event(), threading.Event()
    seen: list[str | None] = []

    def read() -> None:
        with database.reader() as cx:
            inside.set()
            assert leave.wait(10)
            seen.append(settings.get(cx, "absent"))

    reading = threading.Thread(target=read)
    reading.start()
    assert inside.wait(10)
    closing = threading.Thread(target=database.close)
    closing.start()
    closing.join(0.2)
    assert closing.is_alive()
    leave.set()
    closing.join(10)
    reading.join(10)
    assert seen == [None]
    assert not (data_dir / "hupo.db-wal").exists()


def test_integrity_sees_a_broken_reference(db: Database) -> None:
    assert db.integrity() == ()
    stranger = apsw.Connection(str(db.path))
    stranger.pragma("foreign_keys", "OFF")
    stranger.execute("INSERT INTO passages (memory_id, start_offset, end_offset) VALUES (99, 0, 1)")
    stranger.close()
    assert "passages" in db.integrity()[0]


def _foreign(path: Path) -> None:
    cx = apsw.Connection(str(path))
    cx.execute("CREATE TABLE notes (text)")
    cx.close()


def _newer(path: Path) -> None:
    Database.open(path.parent).close()
    cx = apsw.Connection(str(path))
    cx.pragma("user_version", migrations.LATEST + 7)
    cx.close()


def _newer_with_log(path: Path) -> None:
    """As a newer Hupo leaves it when it is killed: the last word is in the log only."""
    Database.open(path.parent).close()
    cx = apsw.Connection(str(path))
    cx.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    cx.pragma("user_version", migrations.LATEST + 7)
    cx.close()
    assert path.with_name("hupo.db-wal").stat().st_size


def _garbage(path: Path) -> None:
    path.write_bytes(b"no database, but somebody's only copy of something " * 200)


def _truncated(path: Path) -> None:
    database = Database.open(path.parent)
    with database.transaction() as cx:
        for number in range(500):
            settings.put(cx, f"key {number}", "value " * 50)
    database.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (_garbage, CorruptDatabase),
        (_truncated, CorruptDatabase),
        (_foreign, CorruptDatabase),
        (_newer, NewerSchema),
        (_newer_with_log, NewerSchema),
    ],
)
def test_what_is_not_ours_to_change_stays_byte_for_byte(data_dir: Path, make, error) -> None:
    path = data_dir / "hupo.db"
    make(path)
    log = path.with_name("hupo.db-wal")
    before = path.read_bytes(), log.read_bytes() if log.exists() else b""
    with pytest.raises(error) as caught:
        Database.open(data_dir)
    assert caught.value.fields["path"] == str(path)
    if error is NewerSchema:
        assert (caught.value.fields["found"], caught.value.fields["supported"]) == (
            migrations.LATEST + 7,
            migrations.LATEST,
        )
    assert (path.read_bytes(), log.read_bytes() if log.exists() else b"") == before


def test_an_empty_file_left_by_a_crash_is_filled(data_dir: Path) -> None:
    (data_dir / "hupo.db").touch()
    Database.open(data_dir).close()
    assert (data_dir / "hupo.db").stat().st_size
