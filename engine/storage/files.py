"""Directories and files for this user only, and what the operating system's refusals mean.

Standard library only. Must not open the database file: closing any handle of it would drop SQLite's POSIX locks.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from engine.errors import DiskError, DiskFull, NotWritable, StorageError

_NO_SPACE = frozenset(getattr(errno, name) for name in ("ENOSPC", "EDQUOT") if hasattr(errno, name))
_REFUSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


def is_no_space(number: int) -> bool:
    """Whether ``errno`` value ``number`` means that the disk or the quota is used up."""
    return number in _NO_SPACE


def failure(error: OSError, path: Path) -> StorageError:
    """The engine's word for an operating system error about ``path``."""
    detail = error.strerror or type(error).__name__
    if error.errno in _NO_SPACE:
        return DiskFull(path=str(path), detail=detail)
    if isinstance(error, PermissionError) or error.errno in _REFUSED:
        return NotWritable(path=str(path), detail=detail)
    return DiskError(path=str(path), detail=detail)


def private_directory(path: Path) -> None:
    """Make ``path`` (and its parents) where missing, mode 0700; a directory that exists keeps its mode.

    Errors: ``NotWritable``, ``DiskFull``, ``DiskError``.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise failure(error, path) from error


def private_file(path: Path) -> None:
    """Make an empty file with mode 0600 where ``path`` is missing; close an own file that others can read.

    An existing file is only looked at, never opened. Errors: ``NotWritable``, ``DiskFull``, ``DiskError``.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        _close_to_others(path)
    except OSError as error:
        raise failure(error, path) from error


def _close_to_others(path: Path) -> None:
    if os.name == "nt":
        return  # access there follows the directory's list, and the profile directory is the user's own
    found = path.stat()
    mode = stat.S_IMODE(found.st_mode)
    if found.st_uid == os.geteuid() and mode & 0o077:
        path.chmod(mode & 0o700)
