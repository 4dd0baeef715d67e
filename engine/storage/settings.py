"""State that belongs with the data (store uid, active embedding identity). Not the user's parameters."""

from __future__ import annotations

import apsw


def get(cx: apsw.Connection, key: str) -> str | None:
    """The value kept under ``key``, or None."""
    found: str | None = cx.execute("SELECT value FROM settings WHERE key = ?", (key,)).get
    return found


def put(cx: apsw.Connection, key: str, value: str) -> None:
    """Keep ``value`` under ``key``, in place of what was there."""
    cx.execute(
        "INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (key, value),
    )
