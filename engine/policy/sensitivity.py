"""Which sensitivities a reader may not see: the one rule for recall, breath, digests, topics, graph and exports (S4).

Must not filter anything itself: whoever reads asks here, and counts what it leaves out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.types import SENSITIVITIES, Sensitivity

_SECRET: tuple[Sensitivity, ...] = ("high",)


def hidden(values: Mapping[str, Any], include_sensitive: bool) -> tuple[Sensitivity, ...]:
    """The sensitivities to be left out, () for none. ``values``: the parameters in force."""
    if include_sensitive or not values["privacy.hide_sensitive"]:
        return ()
    return _SECRET


def shown(
    values: Mapping[str, Any], include_sensitive: bool, asked: Sequence[Sensitivity] = ()
) -> tuple[Sensitivity, ...] | None:
    """The other side of :func:`hidden`, as ``Filters.sensitivities`` has it: () = all; None = none at all.

    ``asked``: those that a reader wants to see anyhow, () = all.
    """
    out = hidden(values, include_sensitive)
    left = tuple(one for one in (asked or SENSITIVITIES) if one not in out)
    return (left or None) if out else tuple(asked)


def strictest(*levels: Sensitivity) -> Sensitivity:
    """The most sensitive of ``levels``: what holds for a text that is made of several."""
    return max(levels, key=SENSITIVITIES.index)
