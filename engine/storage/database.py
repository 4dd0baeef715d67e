"""The one place that opens the database: settings of connections, transactions, snapshots, errors translated.

One write connection, used by one thread at a time; readers from a pool, each in a snapshot of its own. Holds
no SQL about the tables' content. Nobody else may open the file, not even to copy it: SQLite's POSIX locks would go.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from engine.errors import Closed, DiskError
from engine.storage import failures, files, functions, migrations

# What the functions of this package and of ``engine/index`` work on; others name it so and need not know APSW.
Connection = apsw.Connection
FILE_NAME = "hupo.db"
BUSY_SECONDS = 5.0
# Pragmas of every connection, one statement each. No mmap: it gains nothing here, turns a read error into a
# crash, and on Windows keeps the file from shrinking when something is erased.
_PRAGMAS: tuple[tuple[str, str | int], ...] = (
    ("trusted_schema", "OFF"),
    ("mmap_size", 0),
    ("cell_size_check", "ON"),
)
_WRITER_PRAGMAS: tuple[tuple[str, str | int], ...] = (
    ("foreign_keys", "ON"),
    ("cache_size", -32_768),  # KiB
    # FAST zeroes what is deleted where that costs no extra write; ``shred`` does the rest after an erase.
    ("secure_delete", "FAST"),
    ("fullfsync", "ON"),  # macOS: fsync alone does not reach the platter; elsewhere without effect
    ("checkpoint_fullfsync", "ON"),
)
_READER_PRAGMAS: tuple[tuple[str, str | int], ...] = (("cache_size", -8_192), ("query_only", "ON"))
# Checkpoints are the spikes of the write path: every 16 MiB of log instead of every 4, and the log shrinks back.
_CHECKPOINT_PAGES = 4_000
_LOG_LIMIT_BYTES = 32 * 1024 * 1024
_STATEMENTS = 200
_IDLE_READERS = 4
# The FTS5 tables.
WORD_INDEXES = ("lexical", "entries_lexical")
_SYNCHRONOUS = {True: 2, False: 1}  # durable: FULL, else NORMAL


class Database:
    """An open database. Make one with :meth:`open`; the caller holds the ``StoreLock`` of the directory."""

    def __init__(self, path: Path, writer: apsw.Connection, busy_seconds: float) -> None:
        self.path = path
        self._busy_seconds = busy_seconds
        self._writer = writer
        self._writing = threading.Lock()
        self._synchronous = int(writer.pragma("synchronous"))
        self._idle: list[apsw.Connection] = []
        self._pool = threading.Lock()
        self._closed = False

    @classmethod
    def open(cls, directory: Path, *, busy_seconds: float = BUSY_SECONDS) -> Database:
        """Open ``hupo.db`` in ``directory``, made (0700, 0600) and brought to the present schema where needed.

        Errors: ``CorruptDatabase``, ``NewerSchema`` (both: nothing was written), ``NotWritable``, ``DiskFull``,
        ``DatabaseBusy``, ``DiskError``.
        """
        path = directory / FILE_NAME
        files.private_directory(directory)
        files.private_file(path)
        with _translated(path, busy_seconds):
            writer = _connect(path, apsw.SQLITE_OPEN_READWRITE, busy_seconds, _WRITER_PRAGMAS)
            try:
                _prepare(writer, path)
            except BaseException:
                _abandon(writer)
                raise
        return cls(path, writer, busy_seconds)

    def size(self) -> int:
        """Bytes on disk: the database and its log."""
        return sum(
            os.stat(name).st_size for name in (self.path, f"{self.path}-wal") if os.path.exists(name)
        )  # fmt: skip

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[apsw.Connection]:
        """One write transaction: committed at the end of the block, rolled back by any error in it.

        ``durable``: the commit is on the disk when the block ends; otherwise it may be lost (whole) with the power.
        One at a time: a second thread, or a nested block, is a bug and gets an ``AssertionError``.
        Errors: ``DiskFull``, ``NotWritable``, ``DatabaseBusy``, ``CorruptDatabase``, ``DiskError``, ``Closed``.
        """
        with self._sole_writer() as cx:
            self._synchronise(_SYNCHRONOUS[durable])
            cx.execute("BEGIN IMMEDIATE")
            try:
                yield cx
                cx.execute("COMMIT")
            except BaseException:
                # A full disk or an I/O error has rolled back already.
                if cx.in_transaction:
                    cx.execute("ROLLBACK")
                raise

    @contextmanager
    def reader(self) -> Iterator[apsw.Connection]:
        """A read-only connection in a snapshot that begins now and ends with the block. Any thread, nestable.

        Errors: as :meth:`transaction`, without ``DiskFull``.
        """
        cx = self._take_reader()
        sound = False
        try:
            with _translated(self.path, self._busy_seconds, cx):
                cx.execute("BEGIN")
                cx.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()  # the first read pins the snapshot
                try:
                    yield cx
                finally:
                    if cx.in_transaction:
                        cx.execute("ROLLBACK")
                    # A cursor left half read would hold the snapshot for as long as the connection lives.
                    sound = cx.txn_state() == apsw.SQLITE_TXN_NONE
        finally:
            self._give_back(cx, sound)

    def checkpoint(self) -> None:
        """Move the log into the database and empty it; waits for readers within the busy limit.

        Errors: ``DatabaseBusy`` when a reader did not end in time; the log then stays, nothing is lost.
        """
        with self._sole_writer() as cx:
            cx.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def shred(self) -> None:
        """After an erase: make sure that no byte of deleted rows is left in the files.

        Merges the word indexes (deleted words stay in them until then), rewrites the file, empties the log. Takes time
        and room in proportion to the whole database. Errors: as :meth:`transaction`; may be run again.
        """
        with self._sole_writer() as cx:
            self._synchronise(_SYNCHRONOUS[True])
            for index in WORD_INDEXES:
                cx.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
            cx.execute("VACUUM")
            cx.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def integrity(self) -> tuple[str, ...]:
        """What SQLite finds wrong in the file (tables, indexes, references, word index); empty = sound. Slow."""
        with self._sole_writer() as cx:
            found = [str(line) for (line,) in cx.execute("PRAGMA integrity_check") if line != "ok"]
            found += [f"reference: {row!r}" for row in cx.execute("PRAGMA foreign_key_check")]
            for index in WORD_INDEXES:
                try:
                    cx.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")
                except apsw.CorruptError as error:
                    found.append(f"{index}: {error}")
            return tuple(found)

    def close(self) -> None:
        """Wait (within the busy limit) for readers, empty the log and close. May be called again."""
        with self._pool:
            if self._closed:
                return
            self._closed = True
            idle, self._idle = self._idle, []
        for cx in idle:
            cx.close()
        if not self._writing.acquire(timeout=self._busy_seconds):
            raise AssertionError("closed while a thread is writing")
        with _translated(self.path, self._busy_seconds, self._writer):
            try:
                self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            except (apsw.BusyError, apsw.FullError):
                return  # somebody still reads, or there is no room: the log is kept and read again at the next start
            finally:
                self._writer.close()

    @contextmanager
    def _sole_writer(self) -> Iterator[apsw.Connection]:
        taken = self._writing.acquire(blocking=False)
        if self._closed:  # close() keeps the writer for good
            if taken:
                self._writing.release()
            raise Closed()
        if not taken:
            raise AssertionError("two writers: the write connection is in use (another thread, or a nested block)")
        try:
            with _translated(self.path, self._busy_seconds, self._writer):
                yield self._writer
        finally:
            self._writing.release()

    def _synchronise(self, level: int) -> None:
        # The pragma is ignored inside a transaction and costs a statement, so: before BEGIN, when it differs.
        if self._synchronous != level:
            self._writer.pragma("synchronous", level)
            self._synchronous = level

    def _take_reader(self) -> apsw.Connection:
        with self._pool:
            if self._closed:
                raise Closed()
            if self._idle:
                return self._idle.pop()
        with _translated(self.path, self._busy_seconds):
            return _connect(self.path, apsw.SQLITE_OPEN_READONLY, self._busy_seconds, _READER_PRAGMAS)

    def _give_back(self, cx: apsw.Connection, sound: bool) -> None:
        with self._pool:
            kept = sound and not self._closed and len(self._idle) < _IDLE_READERS
            if kept:
                self._idle.append(cx)
        if not kept:
            _abandon(cx)


def _connect(
    path: Path, flags: int, busy_seconds: float, pragmas: tuple[tuple[str, str | int], ...]
) -> apsw.Connection:
    cx = apsw.Connection(str(path), flags=flags, statementcachesize=_STATEMENTS)
    try:
        cx.set_busy_timeout(int(busy_seconds * 1000))
        cx.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
        cx.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
        cx.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        for name, value in (*_PRAGMAS, *pragmas):
            cx.pragma(name, value)
        functions.register(cx)
    except BaseException:
        _abandon(cx)
        raise
    return cx


def _abandon(cx: apsw.Connection) -> None:
    """Close a connection that met an error, without letting the close touch the database."""
    cx.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    cx.close(True)


def _prepare(writer: apsw.Connection, path: Path) -> None:
    # Before anything is written: up to here the connection has only looked.
    migrations.check(writer, path)
    mode = str(writer.pragma("journal_mode", "WAL"))
    if mode != "wal":
        raise DiskError(path=str(path), detail=f"write-ahead log unavailable: {mode}")
    writer.pragma("wal_autocheckpoint", _CHECKPOINT_PAGES)
    writer.pragma("journal_size_limit", _LOG_LIMIT_BYTES)
    writer.pragma("synchronous", _SYNCHRONOUS[True])
    migrations.migrate(writer, path)
    # Fails here, not at the first memory, when the disk or the permissions allow no write.
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("ROLLBACK")


@contextmanager
def _translated(path: Path, busy_seconds: float, cx: apsw.Connection | None = None) -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        number = 0
        if cx is not None and isinstance(error, apsw.IOError | apsw.CantOpenError):
            number = cx.system_errno
        translated = failures.translate(error, path, seconds=busy_seconds, system_error=number)
        if translated is None:
            raise
        raise translated from error
