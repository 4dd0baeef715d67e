"""The files of the shipped model: where they lie, what the manifest says, whether they are whole.

Made by ``packaging/model``. Must not load or run the model, nor import numpy.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import EmbedderUnavailable

DIRECTORY = "e5-small"
MANIFEST = "manifest.json"
ENCODER = "encoder.onnx"
TOKENIZER = "tokenizer.model"
WORDS = "words.npy"
_NEEDED = (ENCODER, TOKENIZER, WORDS)


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Size and SHA-256 (hex) of one file."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the builder wrote down. ``positions`` is the longest window in tokens, both ends included."""

    directory: Path
    identity: str
    revision: str
    dimension: int
    positions: int
    begin: int
    end: int
    query_prefix: str
    passage_prefix: str
    files: Mapping[str, FileFacts]

    def read(self, name: str) -> bytes:
        """The bytes of one file, checked. Errors: ``EmbedderUnavailable`` (model_missing, model_corrupt)."""
        path = self.directory / name
        try:
            data = path.read_bytes()
        except OSError as error:
            raise self.unavailable("model_missing", name) from error
        facts = self.files[name]
        if len(data) != facts.size or hashlib.sha256(data).hexdigest() != facts.sha256:
            raise self.unavailable("model_corrupt", name)
        return data

    def locate(self, name: str) -> Path:
        """The path of a file that is mapped rather than read; only its size is checked. Errors as :meth:`read`."""
        path = self.directory / name
        try:
            size = path.stat().st_size
        except OSError as error:
            raise self.unavailable("model_missing", name) from error
        if size != self.files[name].size:
            raise self.unavailable("model_corrupt", name)
        return path

    def unavailable(self, reason: str, name: str) -> EmbedderUnavailable:
        """The error about one file of this model."""
        return EmbedderUnavailable(reason=reason, identity=self.identity, retry_after=None, file=name)


def read_manifest(models_dir: Path) -> Manifest:
    """The manifest under ``models_dir``. Errors: ``EmbedderUnavailable`` (model_missing, model_corrupt)."""
    directory = models_dir / DIRECTORY
    try:
        text = (directory / MANIFEST).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = "model_corrupt" if isinstance(error, UnicodeDecodeError) else "model_missing"
        raise _manifest_error(reason) from error
    try:
        return _parse(directory, json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _manifest_error("model_corrupt") from error


def _manifest_error(reason: str) -> EmbedderUnavailable:
    return EmbedderUnavailable(reason=reason, identity="", retry_after=None, file=MANIFEST)


def _parse(directory: Path, facts: Mapping[str, Any]) -> Manifest:
    files = {name: FileFacts(int(entry["bytes"]), str(entry["sha256"])) for name, entry in facts["files"].items()}
    missing = [name for name in _NEEDED if name not in files]
    if missing or not facts["identity"]:
        raise ValueError("the manifest is not complete")
    return Manifest(
        directory=directory,
        identity=str(facts["identity"]),
        revision=str(facts["revision"]),
        dimension=int(facts["dimension"]),
        positions=int(facts["positions"]),
        begin=int(facts["begin"]),
        end=int(facts["end"]),
        query_prefix=str(facts["query_prefix"]),
        passage_prefix=str(facts["passage_prefix"]),
        files=files,
    )


def verify_model(models_dir: Path) -> Manifest:
    """Check every file of the model against its checksum (reads all of them, about 65 MB).

    Errors: ``EmbedderUnavailable`` (model_missing, model_corrupt) with the name of the first bad ``file``.
    """
    manifest = read_manifest(models_dir)
    for name in sorted(manifest.files):
        manifest.read(name)
    return manifest
