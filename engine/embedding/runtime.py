"""Loads onnxruntime, which must come before usearch in a process. Must do nothing else.

usearch's Linux wheel (2.26.6) exports the C++ standard library it carries as process-wide unique symbols; where it
is loaded first, the import of onnxruntime (1.32.0) binds to them and crashes. The other order is sound.

Where onnxruntime can not be loaded (a system library is missing), ``onnxruntime`` is None: the model in the
box is then unavailable, and all else works.
"""

from typing import Any

try:
    import onnxruntime as _loaded
except ImportError:
    _loaded = None

onnxruntime: Any = _loaded

__all__ = ["onnxruntime"]
