"""The laws of a hard budget: never above it, who keeps a place keeps it, and the modest leave their share."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.surfacing import room
from engine.text import tokens

TEXTS = st.lists(st.text(st.sampled_from("aé 字。🙂\u0301"), max_size=400), max_size=12)
ROOM = st.integers(0, 600)
BESIDE = st.integers(0, 6)


def _spent(texts: tuple[str, ...], beside: int) -> int:
    return sum(max(1, tokens.estimate(text)) + beside for text in texts)


@given(TEXTS, ROOM, BESIDE)
def test_kept_places_are_kept_and_never_above_the_room(texts: list[str], left: int, beside: int) -> None:
    kept = room.keep_places(texts, left, beside)
    assert kept.tokens == _spent(kept.texts, beside) <= left
    assert len(kept.texts) == min(len(texts), left // (beside + 1))
    for text, shown in zip(texts, kept.texts, strict=False):
        assert shown == text or shown == "" or shown.endswith(tokens.ELLIPSIS)


@given(TEXTS, ROOM, BESIDE)
def test_takers_never_spend_more_than_is_left(texts: list[str], left: int, beside: int) -> None:
    taken = room.take(texts, left, beside)
    assert taken.tokens == _spent(taken.texts, beside) <= left
    if sum(room.cost(text, beside) for text in texts) <= left:
        assert len(taken.texts) == len(texts)
    assert len(room.take(texts, left + 50, beside).texts) >= len(taken.texts)


@given(st.lists(st.integers(0, 300), max_size=10), ROOM)
def test_shares_are_full_fair_and_no_more_than_wanted(wanted: list[int], left: int) -> None:
    given_ = room.shares(wanted, left)
    assert all(0 <= one <= want for one, want in zip(given_, wanted, strict=True))
    assert sum(given_) == min(sum(wanted), left)
    least = min((one for one, want in zip(given_, wanted, strict=True) if one < want), default=None)
    assert least is None or max(given_) <= least + 1


def test_a_long_text_is_one_line_and_a_short_rest_is_left() -> None:
    assert tokens.estimate(room.take(["字" * 500], 800, 0).texts[0]) <= room.LINE_TOKENS
    assert room.take(["字" * 50], room.LEAST_TOKENS - 1, 0).texts == ()
    assert room.take(["短"], 1, 0).texts == ("短",)
