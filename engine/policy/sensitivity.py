"""Which sensitivities a reader may not see: the one rule for recall, breath, digests, topics, graph and exports (S4).

Must not filter anything itself: whoever reads asks here, and counts what it leaves out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.types import Sensitivity

_SECRET: tuple[Sensitivity, ...] = ("high",)


def hidden(values: Mapping[str, Any], include_sensitive: bool) -> tuple[Sensitivity, ...]:
    """The sensitivities to be left out, () for none. ``values``: the parameters in force."""
    if include_sensitive or not values["privacy.hide_sensitive"]:
        return ()
    return _SECRET
