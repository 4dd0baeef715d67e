"""The engine's error tree: a stable code and machine-readable fields, never prose for people.

Words are made at the border (``gui/messages.py`` for people, ``app/mcp/replies.py`` for models); a test
checks that both cover every code in ``all_codes()``. Nothing here may import another engine module.
"""

from __future__ import annotations

from typing import ClassVar


class HupoError(Exception):
    """Base of everything the engine raises on purpose.

    ``code`` names the kind of trouble; ``fields`` carry what a sentence about it needs
    (JSON-serialisable values only, and never memory text).
    """

    code: ClassVar[str] = ""

    def __init__(self, **fields: object) -> None:
        super().__init__(self.code, fields)
        self.fields: dict[str, object] = fields

    def __str__(self) -> str:
        details = ", ".join(f"{key}={value!r}" for key, value in self.fields.items())
        return f"{self.code}({details})"


class InvalidArgument(HupoError):
    """A value from outside is not acceptable. Fields: ``field``, ``reason`` (a slug), ``allowed`` or ``limit``."""

    code = "invalid_argument"


class NotFound(HupoError):
    """No such thing. Fields: ``kind`` ("memory", "history"), ``id``."""

    code = "not_found"


class Conflict(HupoError):
    """The change does not fit the present state, e.g. undo of something changed since. Fields: ``reason``, ``id``."""

    code = "conflict"


class Protected(HupoError):
    """The memory is protected from this kind of change. Fields: ``id``."""

    code = "protected"


class Paused(HupoError):
    """The user has paused remembering; writes from clients are refused until they resume."""

    code = "paused"


class Cancelled(HupoError):
    """Long work was cancelled by whoever asked for it. Fields: ``done``, ``total``."""

    code = "cancelled"


class TimedOut(HupoError):
    """Work did not finish within its limit. Fields: ``seconds``."""

    code = "timed_out"


class Closed(HupoError):
    """The engine is closed or closing and takes no more work."""

    code = "closed"


class EmbedderUnavailable(HupoError):
    """No vectors can be made now. Fields: ``reason`` (slug), ``identity``, ``retry_after`` seconds or None."""

    code = "embedder_unavailable"


class ChatUnavailable(HupoError):
    """No summary can be written now. Fields: ``reason`` (slug: "not_configured", "unauthorized", "rate_limited",
    "timeout", "refused", "server", "bad_answer"), ``retry_after`` seconds or None."""

    code = "chat_unavailable"


class StorageError(HupoError):
    """Base of everything that is about the files on disk. Fields: ``path`` and, where known, ``detail``."""

    code = "storage"


class StoreLocked(StorageError):
    """Another process owns this data directory. Fields: ``path``, ``pid`` of the owner or None."""

    code = "store_locked"


class DatabaseBusy(StorageError):
    """A stranger holds the database and did not let go in time. Fields: ``path``, ``seconds``."""

    code = "database_busy"


class DiskFull(StorageError):
    """No space left; nothing was changed."""

    code = "disk_full"


class NotWritable(StorageError):
    """The directory or file can not be written (read-only or permission); nothing was changed."""

    code = "not_writable"


class CorruptDatabase(StorageError):
    """The database file is damaged or not a database; it was left as it is."""

    code = "corrupt_database"


class NewerSchema(StorageError):
    """The database was written by a newer Hupo; it was left as it is. Fields: ``path``, ``found``, ``supported``."""

    code = "newer_schema"


class DiskError(StorageError):
    """The operating system reported an I/O error. Fields: ``path``, ``detail``."""

    code = "disk_error"


def all_codes() -> frozenset[str]:
    """Every code that can reach a border, ``internal`` (an unexpected bug) included."""
    found: set[str] = {"internal"}
    pending: list[type[HupoError]] = [HupoError]
    while pending:
        kind = pending.pop()
        pending.extend(kind.__subclasses__())
        if kind.code:
            found.add(kind.code)
    return frozenset(found)
