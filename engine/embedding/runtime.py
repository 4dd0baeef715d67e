"""Loads onnxruntime, which must come before usearch in a process. Must do nothing else.

usearch's Linux wheel (2.26.6) exports the C++ standard library it carries as process-wide unique symbols; where it
is loaded first, the import of onnxruntime (1.32.0) binds to them and crashes. The other order is sound.

Official builds of onnxruntime write a device id into the user's cache and send events to its maker as soon as they
are loaded; calls that turn this off come too late for the first one. The variable is read at that moment.

Where onnxruntime can not be loaded (a system library is missing), ``onnxruntime`` is None: the model in the
box is then unavailable, and all else works.
"""

import os
from typing import Any

os.environ["ORT_DISABLE_TELEMETRY"] = "1"

try:
    import onnxruntime as _loaded
except ImportError:
    _loaded = None

onnxruntime: Any = _loaded

__all__ = ["onnxruntime"]
