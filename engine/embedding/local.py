"""The model in the box: multilingual-e5-small, int8 layers under onnxruntime, 4-bit word table.

Loads on first use, behind a lock; numpy, onnxruntime and sentencepiece are imported only then. One
window a run: dynamic quantisation takes one activation scale a run, so with batches a text's vector
would depend on its neighbours. Must not touch the network, and must not write anything.

Source: Wang et al., "Multilingual E5 Text Embeddings" (arXiv:2402.05672): mean pooling, unit length,
"query: " and "passage: " before the text.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.embedding.model_files import ENCODER, TOKENIZER, WORDS, Manifest, read_manifest
from engine.errors import EmbedderUnavailable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from engine.embedding.embedder import Vector
    from engine.embedding.tokenizer import Tokenizer

# A longer text is cut: eight windows are about 16,000 characters of English or 6,000 of Chinese.
MAX_WINDOWS = 8
MAX_CHARACTERS = 32_768


class LocalE5:
    """The shipped model. ``identity`` is "" while its files can not be read."""

    def __init__(self, models_dir: Path, threads: int = 1) -> None:
        """``models_dir`` holds the model's directory. Reads the manifest only; never raises for a bad file."""
        self._models_dir = models_dir
        self._threads = threads
        self._lock = threading.Lock()
        self._model: _Model | None = None
        self._closed = False
        self._manifest: Manifest | None = None
        try:
            self._manifest = read_manifest(models_dir)
        except EmbedderUnavailable:
            # Kept for the first use, which reads again and reports: the file may be back by then.
            self._manifest = None

    @property
    def identity(self) -> str:
        """E.g. ``multilingual-e5-small/int8-rr/3bb0cc9f6869``; the revision covers weights, words and prefixes."""
        return self._manifest.identity if self._manifest else ""

    @property
    def dimension(self) -> int:
        """384; 0 while the manifest can not be read."""
        return self._manifest.dimension if self._manifest else 0

    @property
    def loaded(self) -> bool:
        """Whether the model is in memory."""
        return self._model is not None

    def embed_passages(self, texts: Sequence[str]) -> Vector:
        """float32 [texts, 384], unit length. Errors: ``EmbedderUnavailable``."""
        return self._ready().embed(texts, query=False)

    def embed_query(self, text: str) -> Vector:
        """float32 [384], unit length. Errors: ``EmbedderUnavailable``."""
        vector: Vector = self._ready().embed([text], query=True)[0]
        return vector

    def unload(self) -> None:
        """Give the model's memory back (about 90 MB); calls in flight keep it until they are done."""
        with self._lock:
            held, self._model = self._model, None
        if held is not None:
            del held
            _return_memory()

    def close(self) -> None:
        """Unload for good."""
        with self._lock:
            self._closed = True
        self.unload()

    def _ready(self) -> _Model:
        model = self._model
        if model is not None:
            return model
        with self._lock:
            if self._closed:
                raise EmbedderUnavailable(reason="closed", identity=self.identity, retry_after=None)
            if self._model is None:
                self._manifest = read_manifest(self._models_dir)
                self._model = _load(self._manifest, self._threads)
            return self._model


class _Model:
    """What is in memory while loaded. Immutable: safe for any number of threads."""

    def __init__(self, manifest: Manifest, tokenizer: Tokenizer, words: npt.NDArray[np.uint8], session: Any) -> None:
        self._tokenizer = tokenizer
        self._words = words
        self._session = session
        self._begin, self._end = manifest.begin, manifest.end
        self._window = manifest.positions - 2
        self._dimension = manifest.dimension
        self._query_prefix = tokenizer.encode(manifest.query_prefix)
        self._passage_prefix = tokenizer.encode(manifest.passage_prefix)

    def embed(self, texts: Sequence[str], *, query: bool) -> Vector:
        import numpy as np

        vectors = np.zeros((len(texts), self._dimension), np.float32)
        for row, text in enumerate(texts):
            for window in self._windows(text, self._query_prefix if query else self._passage_prefix):
                (pooled,) = self._session.run(None, {"rows": self._rows(window)})
                vectors[row] += pooled * np.float32(len(window) - 2)
        # The mean of layer-normalised rows is never zero, so the length never is.
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def _windows(self, text: str, prefix: list[int]) -> list[list[int]]:
        """Token ids of each window, every one with its prefix and both ends; one window for a blank text."""
        ids = self._tokenizer.encode(text[:MAX_CHARACTERS])
        step = self._window - len(prefix)
        starts = range(0, max(len(ids), 1), step)[:MAX_WINDOWS]
        return [[self._begin, *prefix, *ids[at : at + step], self._end] for at in starts]

    def _rows(self, ids: list[int]) -> Vector:
        """float32 [1, tokens, dimension] from blocks of a float16 scale and 32 nibbles (low halves first)."""
        import numpy as np

        blocks = self._words[ids]
        scales = blocks[..., :2].copy().view("<f2").astype(np.float32)
        nibbles = blocks[..., 2:]
        rows = np.concatenate([nibbles & 15, nibbles >> 4], axis=-1).astype(np.float32)
        rows -= 8
        rows *= scales
        return rows.reshape(1, len(ids), self._dimension)


def _load(manifest: Manifest, threads: int) -> _Model:
    """Read and check the files, build the session. Errors: ``EmbedderUnavailable``."""
    try:
        import numpy as np

        from engine.embedding.tokenizer import Tokenizer
    except ImportError as error:
        raise manifest.unavailable("runtime_missing", str(error.name)) from error
    try:
        words = np.load(manifest.locate(WORDS), mmap_mode="r", allow_pickle=False)
        tokenizer = Tokenizer(manifest.read(TOKENIZER))
    except (ValueError, RuntimeError) as error:
        raise manifest.unavailable("model_corrupt", WORDS if isinstance(error, ValueError) else TOKENIZER) from error
    except OSError as error:
        raise manifest.unavailable("model_missing", WORDS) from error
    if words.dtype != np.uint8 or words.shape != (len(tokenizer), manifest.dimension // 32, 18):
        raise manifest.unavailable("model_corrupt", WORDS)
    return _Model(manifest, tokenizer, words, _session(manifest, threads))


def _session(manifest: Manifest, threads: int) -> Any:
    from engine.embedding.runtime import onnxruntime as ort

    if ort is None:
        raise manifest.unavailable("runtime_missing", "onnxruntime")
    state = ort.capi.onnxruntime_pybind11_state
    ort.disable_telemetry_events()
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # The arena keeps the memory of the longest text for ever and is no faster here.
    options.enable_cpu_mem_arena = False
    # Worker threads would otherwise spin between calls and eat a processor while idle.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # The graph is built fused; the extended fusions would put slower nodes back in.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 3
    failures = (state.Fail, state.InvalidArgument, state.InvalidGraph, state.InvalidProtobuf, state.NotImplemented,
                state.RuntimeException)  # fmt: skip
    try:
        return ort.InferenceSession(manifest.read(ENCODER), options, providers=["CPUExecutionProvider"])
    except failures as error:
        raise manifest.unavailable("model_corrupt", ENCODER) from error


def _return_memory() -> None:
    """Hand freed memory to the system at once; glibc would keep most of it."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
