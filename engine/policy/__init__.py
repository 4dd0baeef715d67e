"""What may be shown to whom, and which texts look like secrets. Pure: knows no store, no client and no words."""

from engine.policy.secrets import Secret, find, mask_of, masked
from engine.policy.sensitivity import hidden, shown, strictest

__all__ = ["Secret", "find", "hidden", "mask_of", "masked", "shown", "strictest"]
