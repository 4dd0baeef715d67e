"""Topics name things, not acts."""

from __future__ import annotations

import pytest

from engine.ingest.nouns import nouns
from engine.text.segmentation import Segmenter


@pytest.fixture(scope="module")
def segmenter() -> Segmenter:
    return Segmenter(None)


@pytest.mark.parametrize(
    ("text", "things", "acts"),
    [
        ("The API listens on port 8080", {"api", "port"}, {"listens"}),
        ("Remember: never deploy on Fridays", {"fridays"}, {"remember", "deploy"}),
        ("She restored the old bicycle in the shed", {"bicycle", "shed"}, {"restored"}),
        ("I really like green tea from Kyoto", {"kyoto"}, {"really", "like"}),
        ("We moved the green tea to utils.py", {"green", "tea", "utils.py"}, {"moved"}),
        ("明天下午三点和小林去看牙医", {"牙医"}, {"三点", "明天", "去"}),
        ("我决定用 PostgreSQL 做数据库", {"postgresql", "数据库"}, {"决定"}),
    ],
)
def test_things_and_acts(text: str, things: set[str], acts: set[str], segmenter: Segmenter) -> None:
    found = nouns(text, segmenter)
    assert things <= found
    assert not acts & found


@pytest.mark.parametrize("text", ["", " ", "…", "\x00\ud800", "🙂", "the", "的"])
def test_any_text(text: str, segmenter: Segmenter) -> None:
    nouns(text, segmenter)
