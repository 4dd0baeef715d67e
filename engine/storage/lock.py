"""The lock that makes one process the owner of a data directory (tray or ``serve``), standard library only.

The kernel holds it, so it goes when the process does, however that ends; the file itself may stay for ever.
``flock`` where there is one: unlike ``fcntl`` locks it is not lost when somebody in this process opens and
closes the same file. Must not import SQLite.
"""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

from engine.errors import StoreLocked
from engine.storage import files

FILE_NAME = "host.lock"
# Windows locks are mandatory: the locked byte must lie far behind the pid's text, or nobody could read it.
_LOCKED_BYTE = 1 << 30
_PID_LENGTH = 32


class StoreLock:
    """The owner's lock on ``directory``. Not reentrant, and not for use by several threads."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / FILE_NAME
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._descriptor is not None

    def acquire(self) -> None:
        """Become the owner, at once or not at all.

        Errors: ``StoreLocked`` with the owner's ``pid`` (None where it could not be read); ``NotWritable``,
        ``DiskFull``, ``DiskError``.
        """
        if self._descriptor is not None:
            raise RuntimeError("the lock is held already")
        files.private_directory(self.path.parent)
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise files.failure(error, self.path) from error
        try:
            if not _lock(descriptor):
                raise StoreLocked(path=str(self.path), pid=self.owner())
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, 0, os.SEEK_SET)
            os.write(descriptor, f"{os.getpid()}\n".encode("ascii"))
        except OSError as error:
            os.close(descriptor)
            raise files.failure(error, self.path) from error
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor

    def release(self) -> None:
        """Give the lock back; nothing happens where it is not held. The file stays: removing it would race."""
        if self._descriptor is None:
            return
        descriptor, self._descriptor = self._descriptor, None
        try:
            os.ftruncate(descriptor, 0)
            _unlock(descriptor)
        finally:
            os.close(descriptor)

    def owner(self) -> int | None:
        """The pid written in the file by whoever held the lock last; None where there is none to read."""
        try:
            text = self.path.read_bytes()[:_PID_LENGTH].decode("ascii").strip()
        except (OSError, UnicodeDecodeError):
            return None
        return int(text) if text.isdigit() else None


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> bool:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EDEADLK):
                return False
            raise
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
