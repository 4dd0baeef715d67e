"""Which embedder the settings choose, and what importing the package costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine.config import Settings
from engine.embedding import LocalE5, NoEmbedder, RemoteEmbedder, create
from engine.errors import EmbedderUnavailable

ROOT = Path(__file__).resolve().parents[3]


def _no_secret(name: str) -> str | None:
    return None


def test_the_model_in_the_box_is_the_default(models_dir: Path) -> None:
    embedder = create(Settings(), models_dir, _no_secret)
    assert isinstance(embedder, LocalE5)
    assert not embedder.loaded


def test_a_service_is_used_when_it_is_set_up(models_dir: Path) -> None:
    settings = Settings()
    settings.update(
        {
            "embedding.provider": "remote",
            "embedding.remote_url": "https://user:pw@api.example.org:8443/v1/",
            "embedding.remote_model": "text-embedding-3-large",
            "embedding.remote_dimension": 3072,
        }
    )
    embedder = create(settings, models_dir, _no_secret)
    assert isinstance(embedder, RemoteEmbedder)
    assert embedder.identity == "remote/api.example.org:8443/text-embedding-3-large/3072"
    assert embedder.dimension == 3072


def test_a_service_that_is_not_set_up_says_so(models_dir: Path) -> None:
    settings = Settings()
    settings.set("embedding.provider", "remote")
    embedder = create(settings, models_dir, _no_secret)
    assert embedder.identity == ""
    with pytest.raises(EmbedderUnavailable) as caught:
        embedder.embed_query("x")
    assert caught.value.fields["reason"] == "not_configured"


def test_none_never_has_a_vector(models_dir: Path) -> None:
    settings = Settings()
    settings.set("embedding.provider", "none")
    embedder = create(settings, models_dir, _no_secret)
    assert isinstance(embedder, NoEmbedder)
    assert (embedder.identity, embedder.dimension) == ("", 0)
    for attempt in (lambda: embedder.embed_query("x"), lambda: embedder.embed_passages(["x"])):
        with pytest.raises(EmbedderUnavailable) as caught:
            attempt()
        assert caught.value.fields["reason"] == "turned_off"
    embedder.unload()
    embedder.close()


def test_importing_and_choosing_loads_no_heavy_library(models_dir: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from engine.config import Settings; from engine.embedding import create\n"
        "settings = Settings()\n"
        "for provider in ('local', 'remote', 'none'):\n"
        "    settings.set('embedding.provider', provider)\n"
        "    create(settings, Path(sys.argv[1]), lambda name: None)\n"
        "heavy = {'numpy', 'onnxruntime', 'sentencepiece', 'httpx', 'PySide6', 'mcp'} & set(sys.modules)\n"
        "print(sorted(heavy))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(models_dir)],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "[]"
