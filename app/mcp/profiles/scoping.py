"""Which memories a call may see or write to: scope, filters and sensitivity, from a tool's arguments.

Every listing tool asks here, so that none shows what another hides. Runs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import InvalidArgument
from engine.types import ALL_SCOPES, SENSITIVITIES, Filters, MemoryStatus, Sensitivity

SCOPE_NAMES = ("scope", "conversation_id")
# What is shown without being asked for.
VISIBLE: tuple[Sensitivity, ...] = tuple(one for one in SENSITIVITIES if one != "high")


def given(values: Mapping[str, Any]) -> str | None:
    """The scope under either of its names; None = not given."""
    found: list[str] = [values[name] for name in SCOPE_NAMES if values.get(name) is not None]
    return found[0] if found else None


def scope(given: str | None, *, writing: bool = False) -> str | None:
    """None = the user-wide memories; "all" only for reading; anything else names a conversation."""
    named = (given or "").strip()
    if named.lower() in ("", "user"):
        return None
    if named.lower() != ALL_SCOPES:
        return named
    if writing:
        raise InvalidArgument(field="scope", reason="not_for_writing")
    return ALL_SCOPES


def sensitivities(values: Mapping[str, Any]) -> tuple[Sensitivity, ...]:
    """Those that this call may see; () = all."""
    return () if values["include_sensitive"] else VISIBLE


def filters(
    values: Mapping[str, Any], statuses: tuple[MemoryStatus, ...], allowed: tuple[Sensitivity, ...] = ()
) -> Filters:
    """The filters that recall and list share. Errors: ``InvalidArgument`` for a range that ends before it starts."""
    since, until = values["since"], values["until"]
    if since and until and until <= since:
        raise InvalidArgument(field="until", reason="ends_before_start")
    return Filters(
        scope=scope(values["scope"]),
        layers=values["layer"] or (),
        categories=values["category"] or (),
        tags=values["tags"] or (),
        statuses=statuses,
        sensitivities=allowed,
        since=since,
        until=until,
    )
