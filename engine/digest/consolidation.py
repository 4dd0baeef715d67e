"""Consolidation (S1): groups of older memories on one matter are suggested; nothing is ever done to them by itself.

Reads a store for ``clustering.py`` and keeps what it found as suggestions. Each memory is looked at once, when it is
old enough, against the few that are nearest to it by words and by vector: the cost follows what is new, not the size
of the store. What was dismissed is not offered again, nor a variation of it with fewer than two new memories.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from engine.config import Values
from engine.digest import clustering
from engine.digest.clustering import Background, Cluster, Profile
from engine.index import lexical, nearest
from engine.index.space import VectorSpace
from engine.ingest.judge_words import stem
from engine.storage import clusters, memories, suggestions
from engine.storage.database import Connection
from engine.text import passages as splitting
from engine.text import terms
from engine.text.keywords import keywords
from engine.text.normalise import fold
from engine.text.resources import read_words
from engine.text.segmentation import Segmenter
from engine.types import Filters, Memory

KIND: Final = "cluster"
# So many suggestions a run, and none while so many wait: nobody reads more.
MOST_GROUPS: Final = 5
MOST_WAITING: Final = 25
# Memories that are looked at in one step and in one run.
STEP: Final = 32
MOST_SEEDS: Final = 1_000
# What one memory is compared with.
_BY_WORDS: Final = 24
_BY_MEANING: Final = 24
_ASKED: Final = 8
_MOST_WORDS: Final = 24
_SAMPLE: Final = 160
# A word or entity in more memories than this share is no theme, within these bounds: in a large store, too, a hundred
# memories are not about one thing because of one word.
_FREQUENT_SHARE: Final = 0.05
_FREQUENT_LEAST: Final = 8
_FREQUENT_MOST: Final = 100
_KEPT: Final = 2_000
# Among very few memories a word that three share would look frequent: a store counts as at least this large.
_LEAST_SIZE: Final = 200
# Days and hours, and what is said of anything.
_NO_THEME: Final = frozenset(read_words("not-topics.txt"))
# Runs a function of a connection.
_Runs = Callable[[Callable[[Connection], None]], None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What makes a group: how many memories, and how old each (S1: 3 and 7 days)."""

    least: int
    before: datetime

    @classmethod
    def of(cls, values: Values, now: datetime) -> Wanted:
        """As the parameters say."""
        return cls(int(values["review.cluster_size"]), now - timedelta(days=float(values["review.cluster_days"])))


@dataclass(slots=True)
class Finder:
    """Looks around memories of a store. ``space`` None: by words alone. Keeps what it read for the run."""

    space: VectorSpace | None
    segmenter: Segmenter
    wanted: Wanted
    _frequency: dict[str | int, int] = field(default_factory=dict)
    _profiles: dict[int, Profile] = field(default_factory=dict)
    _backgrounds: dict[str, Background | None] = field(default_factory=dict)

    def around(self, cx: Connection, seed_id: int) -> Cluster | None:
        """The group of ``seed_id``, or None."""
        seed = memories.get(cx, seed_id)
        if seed is None or _is_turn(seed) or seed_id not in clusters.eligible(cx, [seed_id], self.wanted.before):
            return None
        total = _size(cx)
        own = self.profiles(cx, [seed], total)[seed_id]
        if not own.keys:
            return None
        script = clusters.scripts(cx, [seed_id])[seed_id]
        against = self._background(cx, script)
        near = self._near(cx, seed, own)
        alike = [one for one in near if clusters.scripts(cx, [one.id])[one.id] == script]
        others = list(self.profiles(cx, alike, total).values())
        return clustering.grow(own, others, against, math.log(total + 1), self.wanted.least)

    def theme(self, cx: Connection, ids: Iterable[int]) -> tuple[str, ...]:
        """What most of these memories speak of, as one of them writes it; the most telling first."""
        found = list(memories.get_many(cx, ids).values())
        group = list(self.profiles(cx, found, _size(cx)).values())
        written = {key: word for one in found for key, word in reversed(list(_words(one, self.segmenter).items()))}
        theme = [key for key in clustering.theme_of(group) if isinstance(key, str)]
        return tuple(written[key] for key in sorted(theme, key=lambda key: (self._frequency.get(key, 0), key)))

    def profiles(self, cx: Connection, asked: Iterable[Memory], total: int) -> dict[int, Profile]:
        """Of each memory, in order."""
        found = list(asked)
        new = [one for one in found if one.id not in self._profiles]
        if len(self._profiles) + len(new) > _KEPT:
            self._profiles.clear()
            new = found
        mentioned = clusters.mentions(cx, (one.id for one in new))
        made = clusters.first_vectors(cx, self.space.identity_id, (one.id for one in new)) if self.space else {}
        for one in new:
            words = {key: self._rarity(cx, key, word, total) for key, word in _words(one, self.segmenter).items()}
            entities = {node: self._rarity(cx, node, "", total) for node in mentioned.get(one.id, ())}
            self._profiles[one.id] = Profile(
                one.id,
                {key: weight for key, weight in words.items() if weight},
                {key: weight for key, weight in entities.items() if weight},
                made.get(one.id),
            )
        return {one.id: self._profiles[one.id] for one in found}

    def _near(self, cx: Connection, seed: Memory, own: Profile) -> list[Memory]:
        """Memories of exactly the seed's scope that may be consolidated and are like it."""
        rare = sorted(own.words, key=lambda key: (-own.words[key], key))[:_ASKED]
        written = _words(seed, self.segmenter)
        asked = terms.fts_query(dict.fromkeys(term for key in rare for term in _terms(written[key])))
        filters = Filters(scope=seed.conversation_id, persona_id=seed.persona_id, statuses=("active", "dormant"))
        found = [memory_id for memory_id, _ in lexical.search(cx, asked, _BY_WORDS, filters)]
        if self.space is not None and own.vector is not None:
            found += [one for one, _ in nearest.own(cx, self.space.index, own.vector, _BY_MEANING)]
        scope = (seed.conversation_id, seed.persona_id)
        kept = clusters.eligible(cx, {*found} - {seed.id}, self.wanted.before)
        return [
            one for one in memories.get_many(cx, sorted(kept)).values()
            if (one.conversation_id, one.persona_id) == scope and not _is_turn(one)
        ]  # fmt: skip

    def _background(self, cx: Connection, script: str) -> Background | None:
        if self.space is None:
            return None
        if script not in self._backgrounds:
            made = clusters.first_vectors(cx, self.space.identity_id, clusters.sample(cx, script, _SAMPLE))
            self._backgrounds[script] = clustering.background(list(made.values()))
        return self._backgrounds[script]

    def _rarity(self, cx: Connection, key: str | int, word: str, total: int) -> float:
        """ln(memories / those that hold it); 0 for what too many hold to be what a memory is about."""
        most = min(max(_FREQUENT_LEAST, int(total * _FREQUENT_SHARE)), _FREQUENT_MOST)
        if key not in self._frequency:
            if isinstance(key, int):
                self._frequency[key] = clusters.mentioned(cx, key, most + 1)
            else:
                asked = " AND ".join(terms.fts_query([term]) for term in _terms(word))
                self._frequency[key] = lexical.frequency(cx, asked, most + 1)
        count = self._frequency[key]
        return math.log((total + 1) / max(count, 1)) if count <= most else 0.0


def keep(cx: Connection, cluster: Cluster, least: int, at: datetime) -> bool:
    """Offer a group, unless it was; True where there is something new to decide.

    One that overlaps a group that waits grows it; one with fewer than two memories beyond a group that was decided on
    is that group once more.
    """
    ids = set(cluster.ids) & memories.get_many(cx, cluster.ids).keys()
    if len(ids) < least:
        return False
    waiting: suggestions.Suggestion | None = None
    for other in suggestions.about(cx, KIND, ids):
        new = ids.difference(other.memory_ids)
        if other.state != "open" and len(new) < 2:
            return False
        if other.state == "open" and (len(new) < 2 or 2 * len(new) <= len(ids)):
            waiting = other
    if waiting is not None:
        room = clustering.MOST_MEMBERS - len(waiting.memory_ids)
        suggestions.grow(cx, waiting.id, sorted(ids.difference(waiting.memory_ids))[: max(room, 0)])
        return False
    key = "-".join(map(str, sorted(ids)))
    return suggestions.offer(cx, KIND, key, ids, {"score": round(cluster.score, 3)}, at) is not None


@dataclass(slots=True)
class Run:
    """One day's looking, in short steps. ``finder`` as of its beginning."""

    finder: Finder
    found: int = 0
    looked: int = 0

    def step(self, read: _Runs, write: _Runs, now: datetime) -> bool:
        """Look at the next few on a snapshot, then keep what was found; False when the run is over."""
        seeds: list[int] = []
        groups: list[Cluster] = []
        looked: list[int] = []
        full = False

        def look(cx: Connection) -> None:
            nonlocal full
            full = suggestions.count(cx, KIND, "open") >= MOST_WAITING
            seeds.extend(() if full else clusters.unseen(cx, self.finder.wanted.before, STEP))
            taken: set[int] = set()
            for seed in seeds:
                if self.found + len(groups) >= MOST_GROUPS:
                    break
                looked.append(seed)
                group = None if seed in taken else self.finder.around(cx, seed)
                if group is not None:
                    groups.append(group)
                    taken.update(group.ids)

        def note(cx: Connection) -> None:
            least = self.finder.wanted.least
            self.found += sum(keep(cx, group, least, now) for group in groups)
            clusters.note_seen(cx, looked)

        read(look)
        if looked:
            write(note)
        self.looked += len(looked)
        return bool(looked) and self.found < MOST_GROUPS and self.looked < MOST_SEEDS


def _words(memory: Memory, segmenter: Segmenter) -> dict[str, str]:
    """The words of a memory that may tell what it is about: one form each → as it is written first."""
    found: dict[str, str] = {}
    text = f"{memory.title}\n{memory.content}" if memory.title else memory.content
    for word, _ in keywords(text, _MOST_WORDS, segmenter):
        folded = fold(word)
        if folded in _NO_THEME:
            continue
        found.setdefault(stem(folded) if folded.isascii() else folded, word)
    return found


def _terms(word: str) -> list[str]:
    """The index terms of a word; of a Chinese one, its pairs."""
    found = terms.index_terms(word)
    return [term for term in found if len(term) > 1] or found


def _size(cx: Connection) -> int:
    return max(lexical.count(cx), _LEAST_SIZE)


def _is_turn(memory: Memory) -> bool:
    """Turns of a conversation are a record and stay as they came."""
    return memory.conversation_id is not None and splitting.is_turn(memory.content)
