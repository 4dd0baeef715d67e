"""Texts to vectors: the model in the box, an outside service, or none.

Importing this package loads neither numpy nor onnxruntime nor httpx; the first vector does.
"""

from engine.embedding.chain import REMOTE_KEY, create
from engine.embedding.embedder import Embedder
from engine.embedding.local import LocalE5
from engine.embedding.model_files import Manifest, verify_model
from engine.embedding.none import NoEmbedder
from engine.embedding.remote import RemoteEmbedder

__all__ = ["REMOTE_KEY", "Embedder", "LocalE5", "Manifest", "NoEmbedder", "RemoteEmbedder", "create", "verify_model"]
