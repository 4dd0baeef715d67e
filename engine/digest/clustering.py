"""Which memories speak of the same thing: a group grown around one memory, by words, entities and vectors together.

No kind of evidence is enough alone. Cosines of one model all lie close together and another model's elsewhere (e5:
unrelated texts .79, of one matter .86 in English, .88 and .93 in Chinese), so a cosine counts by how far it stands out
of this store's own background, in spreads of random pairs in the same script; that lets in texts of one shape ("billing
service moved to …", "search service moved to …"). So a group must also have a theme: words or entities that most of
its memories hold, and of which each holds one. Words that many memories hold are no theme. Pure: no store, no clock.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

# Measured on tests/data/clusters (188 texts, 68 of them made to mislead): precision of pairs .95, recall .70.
# A pair scores spreads + 3 × words + entities / 2.
BAR: Final = 2.6
LEAST_SPREADS: Final = 1.0
# Without vectors: the cosine of the words, with a tenth of the entities; there precision .91, recall .41.
BAR_BY_WORDS: Final = 0.2
# So much more where one word is all that they share: it may be anything ("sleep").
ONE_WORD: Final = 0.7
ONE_WORD_BY_WORDS: Final = 0.15
_WORDS: Final = 3.0
_MOST_WORDS: Final = 0.5
_ENTITIES: Final = 0.5
_ENTITIES_BY_WORDS: Final = 0.1
# The share of a group that holds what is its theme.
_THEME: Final = 0.7
# With which share of the others each must have a word or entity in common.
_LINKED: Final = 0.76
MOST_MEMBERS: Final = 12
# Fewer vectors in a script tell no background.
LEAST_SAMPLE: Final = 16


@dataclass(frozen=True, slots=True)
class Profile:
    """A memory as it is compared: telling words and entities with their rarity (nats), the unit vector [dim]."""

    id: int
    words: Mapping[str, float]
    entities: Mapping[int, float]
    vector: NDArray[np.float32] | None = None

    @property
    def keys(self) -> frozenset[str | int]:
        """What may be a theme."""
        return frozenset((*self.words, *self.entities))


@dataclass(frozen=True, slots=True)
class Background:
    """How near random pairs of a store are in one script: the middle of their cosines and their spread (> 0)."""

    middle: float
    spread: float

    def stands_out(self, cosine: float) -> float:
        """How many spreads above the middle."""
        return (cosine - self.middle) / self.spread


@dataclass(frozen=True, slots=True)
class Cluster:
    """``theme``: the words that most of the memories ``ids`` hold; ``score``: the mean over all pairs."""

    ids: tuple[int, ...]
    theme: tuple[str, ...]
    score: float


def background(vectors: Sequence[NDArray[np.float32]]) -> Background | None:
    """Of a sample of unit vectors; None where it is too small or all are alike. Robust: pairs that do belong together
    are few, and move neither the median nor the median deviation."""
    if len(vectors) < LEAST_SAMPLE:
        return None
    matrix = np.stack(list(vectors))
    pairs = (matrix @ matrix.T)[np.triu_indices(len(matrix), 1)]
    middle = float(np.median(pairs))
    spread = 1.4826 * float(np.median(np.abs(pairs - middle)))
    return Background(middle, spread) if spread > 1e-4 else None


def words_alike(a: Profile, b: Profile) -> float:
    """Cosine 0..1 of the telling words by rarity."""
    shared = sum(weight**2 for word, weight in a.words.items() if word in b.words)
    if not shared:
        return 0.0
    lengths = (sum(weight**2 for weight in one.words.values()) for one in (a, b))
    return shared / math.sqrt(math.prod(lengths))


def grow(
    seed: Profile, others: Sequence[Profile], against: Background | None, rarest: float, least: int
) -> Cluster | None:
    """The group around ``seed`` of at least ``least``, or None. ``against``: None = by words and entities alone;
    ``rarest``: the weight of what one memory alone holds. The order of ``others`` changes nothing."""
    group, left = [seed], {one.id: one for one in others if one.id != seed.id}
    known: dict[tuple[int, int], float] = {}

    def between(a: Profile, b: Profile) -> float:
        pair = (min(a.id, b.id), max(a.id, b.id))
        if pair not in known:
            known[pair] = _score(a, b, against, rarest)
        return known[pair]

    bar = BAR_BY_WORDS if against is None else BAR
    while left and len(group) < MOST_MEMBERS:
        rated = [(_mean([between(one, member) for member in group]), -one.id, one) for one in left.values()]
        fits = [one for one in rated if one[0] >= bar and _has_theme([*group, one[2]])]
        if not fits:
            break
        best = max(fits, key=lambda one: one[:2])[2]
        group.append(left.pop(best.id))
    group = _settled(group, between, bar)
    if len(_words_of(group)) < 2:
        group = _settled(group, between, bar + (ONE_WORD_BY_WORDS if against is None else ONE_WORD))
    if len(group) < max(least, 2):
        return None
    words = sorted(_words_of(group), key=lambda key: (-_weight(group, key), key))
    score = _mean([between(a, b) for a, b in itertools.combinations(group, 2)])
    return Cluster(tuple(one.id for one in group), tuple(words), score)


def _settled(group: Sequence[Profile], between: Callable[[Profile, Profile], float], bar: float) -> list[Profile]:
    """The group without those that do not belong to all of it, the weakest first: it may be the one that it was grown
    around, which the others only seemed to surround. Who belongs shares a word or entity with (nearly) each other, and
    reaches the bar against all of them together."""
    kept = list(group)
    while len(kept) > 1:
        rated: list[tuple[float, float, int, Profile]] = []
        for one in kept:
            others = [other for other in kept if other is not one]
            linked = _mean([float(not one.keys.isdisjoint(other.keys)) for other in others])
            rated.append((min(linked, _LINKED), _mean([between(one, other) for other in others]), -one.id, one))
        weakest = min(rated, key=lambda one: one[:3])
        if weakest[0] >= _LINKED and min(one[1] for one in rated) >= bar and _has_theme(kept):
            break
        kept.remove(weakest[3])
    return kept


def theme_of(group: Sequence[Profile]) -> frozenset[str | int]:
    """The words and entities that most of the group hold, two at least."""
    counted = Counter(key for one in group for key in one.keys)
    needed = max(2, math.ceil(len(group) * _THEME))
    return frozenset(key for key, count in counted.items() if count >= needed)


def _words_of(group: Sequence[Profile]) -> list[str]:
    return [key for key in theme_of(group) if isinstance(key, str)]


def _has_theme(group: Sequence[Profile]) -> bool:
    theme = theme_of(group)
    return all(not theme.isdisjoint(one.keys) for one in group)


def _score(a: Profile, b: Profile, against: Background | None, rarest: float) -> float:
    """How much speaks for the two being about one thing; −infinity where their meaning speaks against it."""
    words = words_alike(a, b)
    shared = sum(weight for key, weight in a.entities.items() if key in b.entities)
    entities = min(shared / rarest, 1.0) if rarest else 0.0
    if against is None:
        return words + _ENTITIES_BY_WORDS * entities
    if a.vector is None or b.vector is None:
        return -math.inf
    spreads = against.stands_out(float(a.vector @ b.vector))
    if spreads < LEAST_SPREADS:
        return -math.inf
    return spreads + _WORDS * min(words, _MOST_WORDS) + _ENTITIES * entities


def _weight(group: Sequence[Profile], word: str) -> float:
    return max(one.words.get(word, 0.0) for one in group)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
