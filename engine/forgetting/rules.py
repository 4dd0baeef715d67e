"""The user's numbers of forgetting, as one object made from the parameters. Must not compute anything with them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import time

from engine.config import Values
from engine.types import Layer

_PREFIX = "forgetting."


@dataclass(frozen=True, slots=True)
class Rules:
    """Each field is the parameter ``forgetting.`` + its name; the defaults are those of S0 (decay, archive) and S1.

    ``rate`` a day; ``access_days``: how long a recall slows decay; ``sleep_*_days``: without use, by importance;
    ``longest_catch_up``: days that a clock is believed to have gone on by itself.
    """

    enabled: bool = True
    hour: int = 0
    minute: int = 5
    longest_catch_up: int = 60
    rate: float = 0.01
    access_days: float = 30.0
    sleep_event: bool = True
    sleep_state: bool = False
    sleep_fact: bool = False
    sleep_decision: bool = False
    sleep_low_days: float = 7.0
    sleep_medium_days: float = 14.0
    sleep_high_days: float = 30.0
    archive: bool = False
    archive_days: float = 30.0
    archive_below: float = 0.3

    @classmethod
    def of(cls, values: Values) -> Rules:
        """The rules that checked parameter ``values`` give."""
        return cls(**{field.name: values[_PREFIX + field.name] for field in fields(cls)})

    @property
    def at(self) -> time:
        """When, on the user's wall clock, a day is run."""
        return time(self.hour, self.minute)

    @property
    def sleeping_layers(self) -> frozenset[Layer]:
        """The layers whose memories go dormant."""
        switches: dict[Layer, bool] = {
            "event": self.sleep_event, "state": self.sleep_state, "fact": self.sleep_fact,
            "decision": self.sleep_decision,
        }  # fmt: skip
        return frozenset(layer for layer, on in switches.items() if on)
