"""The one place that turns SQLite's errors into the engine's. Bugs (SQL, constraints, misuse) stay as they are.

Must not decide what to do about an error, and must not word it for people.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import apsw

from engine.errors import CorruptDatabase, DatabaseBusy, DiskError, DiskFull, NotWritable, StorageError
from engine.storage import files

# Below this much room SQLite can not even grow its shared-memory file (32 KiB steps), which it reports as plain I/O.
_ROOM_NEEDED = 64 * 1024


def translate(error: apsw.Error, path: Path, *, seconds: float, system_error: int = 0) -> StorageError | None:
    """What ``error`` on the database at ``path`` means, or None where it is a bug and should be seen as one.

    ``seconds``: how long SQLite waited for a lock; ``system_error``: the errno SQLite kept, 0 = unknown.
    """
    detail = str(error)
    where = str(path)
    if isinstance(error, apsw.FullError):
        return DiskFull(path=where, detail=detail)
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return DatabaseBusy(path=where, seconds=seconds)
    if isinstance(error, apsw.NotADBError | apsw.CorruptError):
        # A virtual table's own data: only the word index has any, and that can be rebuilt from the rows.
        derived = getattr(error, "extendedresult", 0) == apsw.SQLITE_CORRUPT_VTAB
        return CorruptDatabase(path=where, detail="lexical" if derived else detail)
    if isinstance(error, apsw.IOError | apsw.CantOpenError) and _no_room(path, system_error):
        return DiskFull(path=where, detail=detail)
    if isinstance(error, apsw.ReadOnlyError | apsw.PermissionsError | apsw.CantOpenError):
        return NotWritable(path=where, detail=detail)
    if isinstance(error, apsw.IOError):
        return DiskError(path=where, detail=_with_reason(detail, system_error))
    return None


def _no_room(path: Path, system_error: int) -> bool:
    if files.is_no_space(system_error):
        return True
    try:
        return shutil.disk_usage(path.parent).free < _ROOM_NEEDED
    except OSError:
        return False  # the directory itself is out of reach, so space is not what is missing


def _with_reason(detail: str, system_error: int) -> str:
    return f"{detail} ({os.strerror(system_error)})" if system_error else detail
