"""The shipped model, loaded once, and a place where broken copies of it are made."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.embedding import LocalE5

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def models_dir() -> Path:
    return ROOT / "resources" / "models"


@pytest.fixture(scope="session")
def model(models_dir: Path) -> Iterator[LocalE5]:
    embedder = LocalE5(models_dir)
    yield embedder
    embedder.close()


@pytest.fixture(scope="session")
def _copied(models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("model") / "модель 模型"
    shutil.copytree(models_dir / "e5-small", target / "e5-small")
    return target


@pytest.fixture
def model_copy(models_dir: Path, _copied: Path) -> Iterator[Path]:
    """A models directory to break, whole again for the next test; its name is not ASCII, as users' names are not."""
    yield _copied
    for source in (models_dir / "e5-small").iterdir():
        copy, facts = _copied / "e5-small" / source.name, source.stat()
        present = copy.stat() if copy.exists() else None
        # Copies keep the time of their source: whatever was touched differs.
        if present is None or (present.st_size, present.st_mtime_ns) != (facts.st_size, facts.st_mtime_ns):
            shutil.copy2(source, copy)
