"""What may be shown to whom, and which texts look like secrets. Pure: knows no store, no client and no words."""

from engine.policy.sensitivity import hidden

__all__ = ["hidden"]
