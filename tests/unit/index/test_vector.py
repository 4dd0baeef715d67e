"""The vector index: content, search in both tiers, bad input, bad files, many threads at once."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.errors import InvalidArgument, NotWritable, StorageError
from engine.index.vector import VectorIndex

DIM = 32
Array = NDArray[np.float32]


def clustered(count: int, seed: int = 1, clusters: int = 30) -> Array:
    """Unit vectors around a few centres."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((clusters, DIM))
    rows = centres[random.integers(clusters, size=count)] + 0.6 * random.standard_normal((count, DIM))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def made(path: Path, count: int = 200, **options: int) -> tuple[VectorIndex, Array]:
    index = VectorIndex(path / "v.usearch", "model@1", DIM, **options)
    rows = clustered(count)
    index.add(np.arange(count) * 3 + 1, rows)
    return index, rows


def test_add_replace_remove_clear(tmp_path: Path) -> None:
    index, rows = made(tmp_path, 3)
    assert index.keys().tolist() == [1, 4, 7] and index.keys().dtype == np.int64 and len(index) == 3
    index.add([4, 4], [rows[0], rows[2]])  # a key again, twice: the last one counts
    assert len(index) == 3
    assert index.cosines(rows[2], [4, 7, 99]).tolist() == pytest.approx([1.0, 1.0, np.nan], abs=1e-3, nan_ok=True)
    index.remove([4, 4, 1000])
    assert index.keys().tolist() == [1, 7]
    index.remove([])
    index.add([], np.empty((0, DIM)))
    index.clear()
    assert len(index) == 0 and index.keys().tolist() == []
    found = index.search(rows[0], 5)
    assert (len(found.keys), len(found.cosines), found.floor) == (0, 0, 0.0)


def test_search_is_exact_best_first_with_a_floor(tmp_path: Path) -> None:
    index, rows = made(tmp_path)
    scores = rows @ rows[17]
    found = index.search(rows[17], 10)
    assert found.keys.tolist() == (np.argsort(-scores)[:10] * 3 + 1).tolist()
    assert found.cosines == pytest.approx(np.sort(scores)[::-1][:10], abs=2e-3)
    assert found.floor == pytest.approx(scores.min(), abs=2e-3)
    assert found.keys.dtype == np.int64 and found.cosines.dtype == np.float32
    assert len(index.search(rows[17], 1000).keys) == 200
    assert len(index.search(rows[17], 0).keys) == 0


def test_allowed_bounds_what_is_found(tmp_path: Path) -> None:
    index, rows = made(tmp_path)
    scores = rows @ rows[5]
    found = index.search(rows[5], 50, [1, 4, 7, 5, 1, 10_000])
    assert set(found.keys.tolist()) == {1, 4, 7}
    assert found.floor == pytest.approx(scores[:3].min(), abs=2e-3)
    assert len(index.search(rows[5], 5, []).keys) == 0
    assert len(index.search(rows[5], 5, [2, 3]).keys) == 0


def test_length_of_a_vector_does_not_matter(tmp_path: Path) -> None:
    index, rows = made(tmp_path, 50)
    index.add([1000], [rows[0] * 1e30])
    assert index.cosines(rows[0] * 1e-30, [1000])[0] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(
    ("vector", "reason"),
    [
        (np.full(DIM, np.nan), "not_finite"),
        (np.full(DIM, np.inf), "not_finite"),
        (np.zeros(DIM), "zero"),
        (np.ones(DIM + 1), "dimension"),
    ],
)
def test_bad_vectors_are_refused_whole(tmp_path: Path, vector: Array, reason: str) -> None:
    index, rows = made(tmp_path, 5)
    calls: list[Callable[[], object]] = [
        lambda: index.search(vector, 3),
        lambda: index.cosines(vector, [1]),
        lambda: index.add([100], [vector]),
    ]
    if len(vector) == DIM:
        calls.append(lambda: index.add([100, 101], np.stack([rows[0], vector])))
    for call in calls:
        with pytest.raises(InvalidArgument) as caught:
            call()
        assert caught.value.fields["reason"] == reason
    assert len(index) == 5


def test_bad_keys_are_refused(tmp_path: Path) -> None:
    index, rows = made(tmp_path, 5)
    for keys in ([-1], [1, 2], [[1]]):
        with pytest.raises(InvalidArgument):
            index.add(keys, rows[:1])
    with pytest.raises(InvalidArgument):
        VectorIndex(tmp_path / "x", "m", 0)


def test_save_and_load_where_paths_are_not_ascii(tmp_path: Path) -> None:
    place = tmp_path / "정진" / "记忆 库"
    index, rows = made(place)
    index.remove([1, 4])
    assert index.dirty
    index.save()
    assert not index.dirty and [file.name for file in place.iterdir()] == ["v.usearch"]
    if os.name == "posix":
        assert (place / "v.usearch").stat().st_mode & 0o077 == 0
    again = VectorIndex(index.path, "model@1", DIM)
    assert again.load(None) and not again.dirty
    assert again.keys().tolist() == index.keys().tolist()
    assert again.search(rows[9], 7).keys.tolist() == index.search(rows[9], 7).keys.tolist()
    again.add([1], rows[:1])
    assert again.dirty and len(again) == 199


def test_an_empty_index_is_saved_and_loaded(tmp_path: Path) -> None:
    index = VectorIndex(tmp_path / "v", "m", DIM)
    index.save()
    assert VectorIndex(tmp_path / "v", "m", DIM).load() and len(index) == 0


def test_load_drops_what_is_not_expected(tmp_path: Path) -> None:
    index, _ = made(tmp_path, 4)
    index.save()
    assert index.load(np.array([4, 7, 5000]))
    assert index.keys().tolist() == [4, 7] and index.dirty


def test_a_bad_file_is_no_index_and_stays_until_saved(tmp_path: Path) -> None:
    index, rows = made(tmp_path)
    index.save()
    good = index.path.read_bytes()
    random = np.random.default_rng(0)
    bad = {"garbage": random.bytes(5000), "empty": b"", "short header": good[:10], "magic only": good[:8]}
    bad["huge header"] = good[:8] + b"\xff\xff\xff\xff" + good[12:]
    bad["not json"] = good[:12] + b"\xff" * 50 + good[62:]
    bad |= {f"cut at {cut}": good[:cut] for cut in (len(good) // 3, len(good) - 1)}
    bad["longer"] = good + b"\x00"
    for position in [20, 60, *random.integers(400, len(good), size=12).tolist()]:
        flipped = bytearray(good)
        flipped[position] ^= 1 << (position % 8)
        bad[f"flipped {position}"] = bytes(flipped)
    for name, content in bad.items():
        index.path.write_bytes(content)
        fresh = VectorIndex(index.path, "model@1", DIM)
        fresh.add([9], rows[:1])
        assert not fresh.load(None), name
        assert len(fresh) == 0 and len(fresh.search(rows[0], 3).keys) == 0
        assert index.path.read_bytes() == content
    fresh.add([9], rows[:1])
    fresh.save()
    assert VectorIndex(index.path, "model@1", DIM).load() is True


def test_files_of_others_are_not_taken(tmp_path: Path) -> None:
    index, _ = made(tmp_path)
    assert not VectorIndex(tmp_path / "missing", "model@1", DIM).load()
    assert not VectorIndex(tmp_path, "model@1", DIM).load()
    index.save()
    assert not VectorIndex(index.path, "model@2", DIM).load()
    assert not VectorIndex(index.path, "model@1", DIM * 2).load()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permissions bind nobody here")
def test_a_directory_without_permission(tmp_path: Path) -> None:
    index, _ = made(tmp_path)
    tmp_path.chmod(0o500)
    with pytest.raises(NotWritable):
        index.save()
    tmp_path.chmod(0o700)


def test_a_failed_save_keeps_the_old_file_and_stays_dirty(tmp_path: Path) -> None:
    index, rows = made(tmp_path)
    index.save()
    before = index.path.read_bytes()
    blocker = index.path.with_name(index.path.name + ".tmp")
    blocker.mkdir()
    index.add([7777], rows[:1])
    with pytest.raises(StorageError):
        index.save()
    assert index.dirty and index.path.read_bytes() == before
    blocker.rmdir()
    index.save()
    assert not index.dirty


@pytest.mark.parametrize("fraction", [0.5, 0.05, 0.005])
def test_graph_tier_loses_little_by_a_filter(tmp_path: Path, fraction: float) -> None:
    index, rows = made(tmp_path, 6000, exact_limit=100)
    keys = np.arange(6000) * 3 + 1
    random = np.random.default_rng(7)
    hits = wanted = 0
    for number in range(40):
        query = rows[number] + 0.2 * random.standard_normal(DIM).astype(np.float32)
        allowed = random.choice(keys, int(len(keys) * fraction), replace=False)
        scores = rows[(allowed - 1) // 3] @ (query / np.linalg.norm(query))
        best = set(allowed[np.argsort(-scores)[:10]].tolist())
        found = index.search(query, 10, allowed)
        assert set(found.keys.tolist()) <= set(allowed.tolist())
        assert scores.min() - 2e-3 <= found.floor <= found.cosines.min() + 2e-3
        hits += len(best & set(found.keys.tolist()))
        wanted += len(best)
    assert hits / wanted >= 0.95


def test_graph_tier_finds_what_lies_far_away(tmp_path: Path) -> None:
    """The allowed are just the ones farthest from the question: wider searches give up and compare them all."""
    index, rows = made(tmp_path, 4000, exact_limit=100)
    scores = rows @ rows[0]
    allowed = np.argsort(scores)[:900] * 3 + 1
    found = index.search(rows[0], 10, allowed)
    best = allowed[np.argsort(-scores[(allowed - 1) // 3])[:10]]
    assert len(set(best.tolist()) & set(found.keys.tolist())) >= 9
    assert found.floor == pytest.approx(scores.min(), abs=2e-3)


def test_graph_tier_unfiltered_recall_and_floor(tmp_path: Path) -> None:
    index, rows = VectorIndex(tmp_path / "v", "m", DIM, exact_limit=100), clustered(6000, clusters=6000)
    index.add(np.arange(6000), rows)
    hits = 0
    for query in clustered(100, seed=2, clusters=100):
        best = set(np.argsort(-(rows @ query))[:10].tolist())
        hits += len(best & set(index.search(query, 10).keys.tolist()))
    assert hits >= 990
    assert index.search(rows[0], 10).floor == pytest.approx(float((rows @ rows[0]).min()), abs=0.05)


@pytest.mark.parametrize("count", [500, 3000])
def test_graph_tier_loses_no_vector_on_the_way_in(tmp_path: Path, count: int) -> None:
    index, rows = VectorIndex(tmp_path / "v", "m", DIM, exact_limit=50), clustered(count, seed=3)
    index.add(np.arange(count), rows)
    assert [at for at in range(count) if at not in index.search(rows[at], 5).keys.tolist()] == []


@pytest.mark.parametrize("exact_limit", [20_000, 50])
def test_searches_go_on_while_one_writes(tmp_path: Path, exact_limit: int) -> None:
    index = VectorIndex(tmp_path / "v", "m", DIM, exact_limit=exact_limit)
    rows = clustered(3000)
    index.add(np.arange(500), rows[:500])  # these stay throughout
    done = threading.Event()

    def search(seed: int) -> int:
        count = 0
        while not done.is_set() or count == 0:
            at = (seed * 97 + count * 31) % 500
            found = index.search(rows[at], 5, np.arange(500) if count % 3 == 0 else None)
            # A walk through the graph promises good matches, not each single one; comparing all of them does.
            best = found.cosines[0] == pytest.approx(1.0, abs=2e-3) and at in found.keys.tolist()
            assert best if exact_limit > 3000 else found.cosines[0] > 0.5
            assert (np.diff(found.cosines) <= 0).all() and np.isfinite(found.cosines).all()
            assert not np.isnan(index.cosines(rows[at], [at])).any()
            count += 1
        return count

    with ThreadPoolExecutor(6) as pool:
        searching = [pool.submit(search, seed) for seed in range(6)]
        try:
            for _ in range(3):
                index.add(np.arange(500, 3000), rows[500:])
                index.save()
                index.remove(np.arange(600, 3000))
        finally:
            done.set()
        assert all(one.result(30) > 0 for one in searching)
    assert index.keys().tolist() == list(range(600))
