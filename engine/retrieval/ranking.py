"""Weighing candidates: relevance, strength and recency in the proportion of their weights (S0), for all at once.

Works on arrays over all candidates and makes objects only of those that are looked at. Must not fetch memories.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.retrieval import fusion, together
from engine.retrieval.document import Candidates
from engine.storage.signals import Signals
from engine.types import Channel, Factor

_WEIGHTS = ("relevance", "importance", "recency")
_SECONDS_A_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A scored memory on its way through the pipeline; shares and factors add up to ``score``."""

    id: int
    score: float
    channels: tuple[Channel, ...]
    factors: tuple[Factor, ...]


class Ranking:
    """All candidates, best first. ``parts``: what each channel and factor adds to a score, by name [n]."""

    def __init__(
        self,
        found: Candidates,
        signals: Signals,
        values: Mapping[str, Any],
        now: datetime,
        leads: Mapping[str, fusion.Scores] = MappingProxyType({}),
        graph: together.Routed | None = None,
    ) -> None:
        """``values``: the parameters in force for this recall; ``leads``: how well each candidate follows what the
        question points at, 0..1, by name of the parameter ``recall.boost_*`` that says what it is worth; ``graph``:
        what the graph route says of the candidates.
        """
        self._found = found
        weights = [float(values[f"recall.weight_{name}"]) for name in _WEIGHTS]
        alpha, beta, gamma = (weight / (sum(weights) or 1.0) for weight in weights)
        words, meaning, counts = _fused(found, values)
        age = np.maximum(0.0, now.timestamp() - signals.touched)
        recency = np.exp(-age / (float(values["recall.recency_days"]) * _SECONDS_A_DAY))
        self._channels = {"lexical": alpha * words, "vector": alpha * meaning}
        self._factors = {"importance": beta * signals.strength, "recency": gamma * recency}
        self._follow(leads, values)
        if graph is not None:
            counts = counts | self._join(graph)
        total = sum([*self._channels.values(), *self._factors.values()], np.zeros(len(found.ids)))
        self._score = total
        kept = np.flatnonzero(counts & ~np.isnan(total))
        self._order = kept[np.lexsort((-found.ids[kept], -total[kept]))]
        self._raw = {"lexical": found.lexical, "vector": found.cosine}
        if graph is not None:
            self._raw["graph"] = graph.scores
        self._places = {name: fusion.ranks(raw) for name, raw in self._raw.items()}

    def _follow(self, leads: Mapping[str, fusion.Scores], values: Mapping[str, Any]) -> None:
        """Raise each score by the share that its leads are worth, all kept within what a score can be."""
        worth = {name: float(values[f"recall.boost_{name}"]) for name in leads}
        scale = 1.0 / (1.0 + sum(worth.values()))
        self._channels = {name: scale * part for name, part in self._channels.items()}
        self._factors = {name: scale * part for name, part in self._factors.items()}
        base = sum([*self._channels.values(), *self._factors.values()], np.zeros(len(self._found.ids)))
        self._factors |= {name: worth[name] * fit * base for name, fit in leads.items()}

    def _join(self, graph: together.Routed) -> NDArray[np.bool_]:
        """Let the graph route have its share; returns what it found [n]. Where that is nothing, nothing changes."""
        base = sum([*self._channels.values(), *self._factors.values()], np.zeros(len(self._found.ids)))
        joined = together.join(base, graph)
        if joined is None:
            return np.zeros(len(base), dtype=np.bool_)
        self._channels = {name: joined.scale * part for name, part in self._channels.items()}
        self._factors = {name: joined.scale * part for name, part in self._factors.items()}
        self._channels["graph"], self._factors["both"] = joined.graph, joined.both
        return joined.graph > 0.0

    def best(self, limit: int) -> list[Candidate]:
        """The best ``limit``, in order."""
        return [self._candidate(int(at)) for at in self._order[:limit]]

    def _candidate(self, at: int) -> Candidate:
        names: tuple[Literal["lexical", "vector", "graph"], ...] = ("lexical", "vector", "graph")
        channels = tuple(
            Channel(name, int(self._places[name][at]), float(self._raw[name][at]), float(self._channels[name][at]))
            for name in names
            if name in self._channels and self._places[name][at]
        )
        factors = tuple(
            Factor(name, float(part[at])) for name, part in self._factors.items() if part[at] or name in _WEIGHTS
        )
        return Candidate(int(self._found.ids[at]), float(self._score[at]), channels, factors)


def _fused(found: Candidates, values: Mapping[str, Any]) -> tuple[fusion.Scores, fusion.Scores, NDArray[np.bool_]]:
    """The parts of both channels, and which candidates were found by a channel that counts at all."""
    kind = values["recall.fusion"]
    nothing, every = np.full(len(found.ids), np.nan), np.ones(len(found.ids), dtype=np.bool_)
    across = bool(values["recall.across_languages"]) and fusion.mixed(found.cosine, found.foreign)
    cosine = fusion.evened(found.cosine, found.foreign) if across else found.cosine
    floor = float(np.nanmin(cosine)) if across else found.floor
    if kind == "rrf":
        return *fusion.reciprocal_rank(found.lexical, cosine, int(values["recall.rrf_k"])), every
    if kind == "lexical":
        return *fusion.convex(found.lexical, nothing, found.floor, 1.0), ~np.isnan(found.lexical)
    # Without any vector the words answer, whatever was asked for.
    if kind == "vector" and not np.isnan(found.cosine).all():
        return *fusion.convex(nothing, cosine, floor, 0.0), ~np.isnan(found.cosine)
    share = float(values["recall.lexical_share"])
    words, meaning = fusion.convex(found.lexical, cosine, floor, share)
    if across and 0.0 < share < 1.0 and not np.isnan(found.lexical).all():
        # Meaning stands in for words that a memory in another language can not share.
        meaning += share * fusion.unsaid(words / share, meaning / (1.0 - share), found.foreign)
    return words, meaning, every
