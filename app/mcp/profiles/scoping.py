"""Which memories a call may see or write to: scope, filters and sensitivity, from a tool's arguments.

Every listing tool asks here, so that none shows what another hides. Runs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engine.errors import InvalidArgument
from engine.types import ALL_SCOPES, Filters, Memory, MemoryStatus, Sensitivity

if TYPE_CHECKING:
    from app.mcp.profiles import Call

SCOPE_NAMES = ("scope", "conversation_id")


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


def sensitivities(call: Call, values: Mapping[str, Any]) -> tuple[Sensitivity, ...]:
    """Those that this call may see; () = all. A tool that can not be asked for sensitive memories does not get any."""
    return call.service.sensitivities(bool(values.get("include_sensitive")))


def hides(call: Call, memory: Memory, values: Mapping[str, Any] | None = None) -> bool:
    """Whether this call may not see what ``memory`` says."""
    allowed = sensitivities(call, values or {})
    return bool(allowed) and memory.sensitivity not in allowed


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
