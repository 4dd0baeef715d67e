"""The judge over collections of pairs, with the meaning of the shipped model and without it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from engine.embedding import LocalE5
from engine.ingest.layers import layer_of
from engine.ingest.likeness import judge, side
from engine.text.segmentation import Segmenter

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted((ROOT / "tests" / "data" / "pairs").glob("*.jsonl"))
# Made of one another's words on purpose, so that two of different pairs may well be the same.
TRAPS = [path for path in FILES if path.stem.endswith("-traps")]
KINDS = ("same", "update", "different")
CAUGHT = 0.9
CAUGHT_BY_WORDS = 0.8
FRESH = 0.5


def pairs_of(path: Path) -> list[Mapping[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


@pytest.fixture(scope="module")
def cosines() -> Iterator[Mapping[tuple[str, str], float]]:
    """The cosine of each pair as two passages; the model is loaded once and gone before the tests."""
    model = LocalE5(ROOT / "resources" / "models")
    found: dict[tuple[str, str], float] = {}
    for path in FILES:
        for pair in pairs_of(path):
            old, new = model.embed_passages([pair["old"], pair["new"]])
            found[pair["old"], pair["new"]] = float(old @ new)
    model.close()
    yield found


@pytest.fixture(scope="module")
def segmenter() -> Segmenter:
    return Segmenter(None)


def share_of(path: Path, wanted: float) -> float:
    """Pairs that were written after the rules, by somebody who had not seen them, tell how far the rules reach."""
    return FRESH if path.stem.endswith("-fresh") else wanted


def check(path: Path, cosines: Mapping[tuple[str, str], float] | None, wanted: float, segmenter: Segmenter) -> None:
    table: Counter[tuple[str, str]] = Counter()
    wrong = []
    for pair in pairs_of(path):
        old, new = (side(pair[key], layer_of(pair[key]), segmenter) for key in ("old", "new"))
        found = judge(old, new, None if cosines is None else cosines[pair["old"], pair["new"]])
        table[pair["kind"], found.kind] += 1
        if pair["kind"] == "different" != found.kind:
            wrong.append((found, pair["old"], pair["new"]))
    print(f"\n{path.name} {'by words' if cosines is None else 'with meaning'}")
    for kind in KINDS:
        print(f"  {kind:>9}:", *(f"{table[kind, found]:>4} {found}" for found in KINDS))
    assert wrong == []
    asked = sum(table[kind, found] for kind in KINDS[:2] for found in KINDS)
    assert sum(table[kind, kind] for kind in KINDS[:2]) >= share_of(path, wanted) * asked


def test_there_are_pairs_in_both_languages() -> None:
    assert {"zh", "en"} <= {path.name.split("-")[0] for path in FILES}
    asked = [pair["kind"] for path in FILES for pair in pairs_of(path)]
    assert all(asked.count(kind) > 100 for kind in KINDS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_with_meaning(path: Path, cosines: Mapping[tuple[str, str], float], segmenter: Segmenter) -> None:
    check(path, cosines, CAUGHT, segmenter)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_by_words_alone(path: Path, segmenter: Segmenter) -> None:
    check(path, None, CAUGHT_BY_WORDS, segmenter)


@pytest.mark.parametrize("path", [path for path in FILES if path not in TRAPS], ids=lambda path: path.stem)
def test_texts_of_different_pairs_are_not_mixed_up(path: Path, segmenter: Segmenter) -> None:
    """Each old text against the new ones of the next pairs: nothing is merged."""
    pairs = pairs_of(path)
    old = [side(pair["old"], layer_of(pair["old"]), segmenter) for pair in pairs]
    new = [side(pair["new"], layer_of(pair["new"]), segmenter) for pair in pairs]
    merged = [
        (a.text, new[(at + step) % len(new)].text)
        for at, a in enumerate(old)
        for step in range(1, 20)
        if judge(a, new[(at + step) % len(new)], None).kind == "same"
    ]
    assert merged == []
