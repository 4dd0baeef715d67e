"""Weighing candidates: relevance, strength and recency in the proportion of their weights (S0), for all at once.

Works on arrays over all candidates and makes objects only of those that are looked at. Must not fetch memories.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.retrieval import fusion
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
        self, found: Candidates, signals: Signals, values: Mapping[str, Any], now: datetime, secret: Sequence[str]
    ) -> None:
        """``secret``: sensitivities that may not be shown. ``values``: the parameters in force for this recall."""
        self._found = found
        weights = [float(values[f"recall.weight_{name}"]) for name in _WEIGHTS]
        alpha, beta, gamma = (weight / (sum(weights) or 1.0) for weight in weights)
        words, meaning, counts = _fused(found, values)
        age = np.maximum(0.0, now.timestamp() - signals.touched)
        recency = np.exp(-age / (float(values["recall.recency_days"]) * _SECONDS_A_DAY))
        self._channels = {"lexical": alpha * words, "vector": alpha * meaning}
        self._factors = {"importance": beta * signals.strength, "recency": gamma * recency}
        total = sum([*self._channels.values(), *self._factors.values()], np.zeros(len(found.ids)))
        self._score = total
        kept = np.flatnonzero(counts & ~np.isnan(total))
        order = kept[np.lexsort((-found.ids[kept], -total[kept]))]
        hidden = np.isin(signals.sensitivity[order].astype(str), secret) if len(secret) else np.zeros(len(order), bool)
        self._order, self._hidden = order, hidden
        self._places = {"lexical": fusion.ranks(found.lexical), "vector": fusion.ranks(found.cosine)}

    def visible(self, limit: int) -> list[Candidate]:
        """The best ``limit`` that may be shown."""
        return [self._candidate(int(at)) for at in self._order[~self._hidden][:limit]]

    def best(self, limit: int) -> list[tuple[Candidate, bool]]:
        """The best ``limit`` of all, each with whether it must not be shown."""
        pairs = zip(self._order[:limit], self._hidden[:limit], strict=True)
        return [(self._candidate(int(at)), bool(secret)) for at, secret in pairs]

    def hidden(self, limit: int) -> int:
        """How many of the best ``limit`` must not be shown."""
        return int(self._hidden[:limit].sum())

    def _candidate(self, at: int) -> Candidate:
        raw = {"lexical": self._found.lexical, "vector": self._found.cosine}
        names: tuple[Literal["lexical", "vector"], ...] = ("lexical", "vector")
        channels = tuple(
            Channel(name, int(self._places[name][at]), float(raw[name][at]), float(self._channels[name][at]))
            for name in names
            if self._places[name][at]
        )
        factors = tuple(Factor(name, float(part[at])) for name, part in self._factors.items())
        return Candidate(int(self._found.ids[at]), float(self._score[at]), channels, factors)


def _fused(found: Candidates, values: Mapping[str, Any]) -> tuple[fusion.Scores, fusion.Scores, NDArray[np.bool_]]:
    """The parts of both channels, and which candidates were found by a channel that counts at all."""
    kind = values["recall.fusion"]
    nothing, every = np.full(len(found.ids), np.nan), np.ones(len(found.ids), dtype=np.bool_)
    if kind == "rrf":
        return *fusion.reciprocal_rank(found.lexical, found.cosine, int(values["recall.rrf_k"])), every
    if kind == "lexical":
        return *fusion.convex(found.lexical, nothing, found.floor, 1.0), ~np.isnan(found.lexical)
    # Without any vector the words answer, whatever was asked for.
    if kind == "vector" and not np.isnan(found.cosine).all():
        return *fusion.convex(nothing, found.cosine, found.floor, 0.0), ~np.isnan(found.cosine)
    return *fusion.convex(found.lexical, found.cosine, found.floor, float(values["recall.lexical_share"])), every
