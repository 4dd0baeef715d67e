"""The file a vector index is kept in: a header with a checksum, then the index as it is in memory.

usearch notices a short file but not flipped bits, does not write atomically, and can not open every path on
Windows; so the bytes go through Python. Must not interpret them.

Layout: 8 bytes ``HUPOVEC1`` · header length (uint32, little-endian) · header (JSON, UTF-8) · payload.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engine.storage import files

_MAGIC: Final = b"HUPOVEC1"
_LENGTH: Final = struct.Struct("<I")
_LONGEST_HEADER: Final = 64 * 1024
_BINARY: Final = getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Payload:
    """``data``: the bytes of the index; ``count``: how many vectors are in it."""

    data: memoryview
    count: int


def read(path: Path, identity: str, dimension: int) -> Payload | None:
    """What ``write`` wrote for the same identity and dimension; None for anything else. Never raises for a bad file."""
    try:
        content = memoryview(path.read_bytes())
        start = len(_MAGIC) + _LENGTH.size
        if bytes(content[: len(_MAGIC)]) != _MAGIC:
            return None
        (length,) = _LENGTH.unpack(content[len(_MAGIC) : start])
        if length > _LONGEST_HEADER:
            return None
        header = json.loads(bytes(content[start : start + length]).decode("utf-8"))
        data = content[start + length :]
        expected = _header(identity, dimension, int(header["count"]), data)
    except (OSError, ValueError, KeyError, TypeError, RecursionError, struct.error):
        return None
    return Payload(data, expected["count"]) if {**header, "library": ""} == {**expected, "library": ""} else None


def write(path: Path, identity: str, dimension: int, count: int, payload: bytes | bytearray, library: str) -> None:
    """Replace the file at ``path`` as a whole. ``library`` (who made the payload) is for people who look into it.

    Errors: ``DiskFull``, ``NotWritable``, ``DiskError``; the old file stays.
    """
    values = {**_header(identity, dimension, count, memoryview(payload)), "library": library}
    header = json.dumps(values).encode("utf-8")
    files.private_directory(path.parent)
    try:
        _replace(path, (_MAGIC, _LENGTH.pack(len(header)), header, payload))
    except OSError as error:
        raise files.failure(error, path) from error


def _header(identity: str, dimension: int, count: int, payload: memoryview) -> dict[str, Any]:
    return {
        "identity": identity,
        "dimension": dimension,
        "count": count,
        "bytes": payload.nbytes,
        "checksum": hashlib.blake2b(payload, digest_size=32).hexdigest(),
    }


def _replace(path: Path, parts: tuple[bytes | bytearray, ...]) -> None:
    # Always the same name, so that a kill leaves one at most; the next save overwrites it.
    name = path.with_name(path.name + ".tmp")
    try:
        with os.fdopen(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _BINARY, 0o600), "wb") as stream:
            for part in parts:
                stream.write(part)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
