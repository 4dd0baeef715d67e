"""Groups of memories that speak of one thing: by words, entities and vectors together, never by one kind alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.digest import clustering
from engine.digest.clustering import Background, Profile

AGAINST = Background(0.80, 0.02)
RAREST = 5.0


def vector(*cosines: float) -> np.ndarray:
    """A unit vector whose first numbers are given."""
    made = np.zeros(8, dtype=np.float32)
    made[: len(cosines)] = cosines
    made[-1] = np.sqrt(1.0 - float(made @ made))
    return made


def profile(number: int, words: str, near: float = 0.95) -> Profile:
    """Cosine between two of them: near × near + what is left."""
    made = np.zeros(64, dtype=np.float32)
    made[0], made[1 + number] = near, np.sqrt(1 - near**2)
    return Profile(number, dict.fromkeys(words.split(), 4.0), {}, made)


def test_words_and_vectors_together_make_a_group() -> None:
    group = [profile(1, "oak kitchen tiles"), profile(2, "kitchen sink tiles"), profile(3, "kitchen plumber tiles")]
    found = clustering.grow(group[0], group[1:], AGAINST, RAREST, 3)
    assert found is not None and sorted(found.ids) == [1, 2, 3]
    assert found.theme == ("kitchen", "tiles")


@pytest.mark.parametrize("near", [0.89, 0.80])
def test_words_alone_do_not_where_the_meaning_is_like_any_other(near: float) -> None:
    group = [profile(n, "kitchen tiles", near) for n in (1, 2, 3)]  # cosine at the background's middle, or below
    assert clustering.grow(group[0], group[1:], AGAINST, RAREST, 3) is None


def test_one_pair_whose_meaning_is_like_any_other_keeps_its_memory_out() -> None:
    def at(number: int, angle: float) -> Profile:
        plain = profile(number, "kitchen tiles")
        made = np.array([np.cos(angle), np.sin(angle)], dtype=np.float32)
        return Profile(plain.id, plain.words, {}, made)

    # Neighbours lie at .94 and above; only the first and the fourth, .65 apart, are at .80, the background.
    near = [at(1, 0.0), at(2, 0.15), at(3, 0.30)]
    assert sorted(clustering.grow(near[0], near[1:], AGAINST, RAREST, 3).ids) == [1, 2, 3]  # type: ignore[union-attr]
    far = [*near, at(4, 0.65)]
    assert sorted(clustering.grow(near[0], far, AGAINST, RAREST, 3).ids) == [1, 2, 3]  # type: ignore[union-attr]


def test_vectors_alone_do_not_without_a_theme() -> None:
    group = [profile(1, "moved mysql", 0.99), profile(2, "shipping labels", 0.99), profile(3, "search solr", 0.99)]
    assert clustering.grow(group[0], group[1:], AGAINST, RAREST, 3) is None


def test_one_that_shares_with_some_only_stays_out_even_as_the_seed() -> None:
    outsider = profile(9, "renovation bathroom")
    group = [profile(1, "kitchen renovation"), profile(2, "kitchen tiles"), profile(3, "kitchen renovation tiles")]
    found = clustering.grow(outsider, group, AGAINST, RAREST, 3)
    assert found is not None and sorted(found.ids) == [1, 2, 3]


def test_without_vectors_more_words_must_agree() -> None:
    close = [profile(1, "a b c"), profile(2, "a b d"), profile(3, "a b e")]
    loose = [profile(n, f"a {n}x {n}y {n}z {n}w {n}v") for n in (1, 2, 3)]
    assert clustering.grow(close[0], close[1:], None, RAREST, 3) is not None
    assert clustering.grow(loose[0], loose[1:], None, RAREST, 3) is None


def test_a_small_or_uniform_store_tells_no_background() -> None:
    few = [vector(0.1 * n) for n in range(5)]
    assert clustering.background(few) is None
    assert clustering.background([vector(0.5)] * 40) is None
    rng = np.random.default_rng(1)
    spread = [made / np.linalg.norm(made) for made in rng.normal(size=(60, 16)).astype(np.float32)]
    found = clustering.background(spread)
    assert found is not None and abs(found.middle) < 0.05 and 0.1 < found.spread < 0.4


@given(st.permutations(range(7)), st.lists(st.sets(st.sampled_from("abcdef"), min_size=1), min_size=7, max_size=7))
def test_the_order_of_the_others_changes_nothing(order: list[int], words: list[set[str]]) -> None:
    profiles = [profile(n, " ".join(sorted(one)), 0.93) for n, one in enumerate(words)]
    plain = clustering.grow(profiles[0], profiles[1:], AGAINST, RAREST, 3)
    shuffled = clustering.grow(profiles[0], [profiles[n] for n in order], AGAINST, RAREST, 3)
    assert (plain and sorted(plain.ids)) == (shuffled and sorted(shuffled.ids))
    if plain is not None:
        theme = clustering.theme_of([profiles[n] for n in plain.ids])
        assert all(theme & profiles[n].keys for n in plain.ids)
