"""Laws of the vector index: it equals a plain list of vectors, whatever was added and removed before."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.index.vector import VectorIndex

DIM = 8
KEYS = st.integers(0, 60)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.lists(KEYS, min_size=1, max_size=12), st.integers(0, 10_000)),
        st.tuples(st.just("remove"), st.lists(KEYS, max_size=12), st.just(0)),
        st.tuples(st.just("reload"), st.just([]), st.just(0)),
    ),
    max_size=12,
)


def unit(seed: int, count: int) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((count, DIM)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def played(steps: list[tuple[str, list[int], int]], path: Path) -> tuple[VectorIndex, dict[int, np.ndarray]]:
    index, model = VectorIndex(path / "v", "m", DIM), dict[int, np.ndarray]()
    for name, keys, seed in steps:
        if name == "add":
            rows = unit(seed, len(keys))
            index.add(keys, rows)
            model.update(zip(keys, rows, strict=True))
        elif name == "remove":
            index.remove(keys)
            for key in keys:
                model.pop(key, None)
        else:
            index.save()
            index = VectorIndex(path / "v", "m", DIM)
            assert index.load(None)
    return index, model


@given(STEPS, st.integers(0, 100), st.integers(1, 80), st.one_of(st.none(), st.sets(KEYS)))
def test_search_equals_comparing_them_all(
    steps: list[tuple[str, list[int], int]], seed: int, k: int, allowed: set[int] | None
) -> None:
    query = unit(seed, 1)[0]
    with tempfile.TemporaryDirectory() as directory:
        index, model = played(steps, Path(directory))
    assert index.keys().tolist() == sorted(model)
    may = {key: float(row @ query) for key, row in model.items() if allowed is None or key in allowed}
    found = index.search(query, k, None if allowed is None else sorted(allowed))
    expected = sorted(may.values(), reverse=True)[:k]
    np.testing.assert_allclose(found.cosines, expected, atol=2e-3)
    assert len(set(found.keys.tolist())) == len(expected) and set(found.keys.tolist()) <= set(may)
    np.testing.assert_allclose([may[key] for key in found.keys.tolist()], found.cosines, atol=2e-3)
    assert abs(found.floor - (min(may.values()) if may else 0.0)) < 2e-3
    every = index.cosines(query, range(61))
    assert [key for key in range(61) if not np.isnan(every[key])] == sorted(model)
