"""Profiles: named sets of tools. A client chooses one or joins several (``core,conversation``).

A profile is a module with a table ``TOOLS``; this package knows where they are and joins them. No tool has logic
of its own: a handler is a thin call into the service. Must not know the protocol's messages.
"""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import TYPE_CHECKING, Any

from app.mcp.arguments import Argument, input_schema
from app.mcp.words import Language
from engine.errors import InvalidArgument
from engine.types import Actor

if TYPE_CHECKING:
    from engine import Service

DEFAULT = "core"
# Name of a profile → the module that holds its table.
MODULES: Mapping[str, str] = {"core": "app.mcp.profiles.core"}


@dataclass(frozen=True, slots=True)
class Call:
    """What a handler needs beside its arguments. ``extra``: the keys an open-ended tool was given on top."""

    service: Service
    actor: Actor
    zone: tzinfo
    language: Language
    version: str
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def instruction(self) -> str:
        """What assistants are told where sensitive memories are hidden or shown (S4)."""
        return str(self.service.settings["privacy.agent_instruction"]).strip()


@dataclass(frozen=True, slots=True)
class Reply:
    """``text`` for reading; ``data`` fits the tool's output schema."""

    text: str
    data: Mapping[str, Any]


Handler = Callable[[Call, Mapping[str, Any]], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. ``open_ended``: unknown arguments are kept in ``Call.extra`` instead of being refused."""

    name: str
    description: str
    arguments: tuple[Argument, ...]
    output: Mapping[str, Any]
    handler: Handler
    writes: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_ended: bool = False

    def input_schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return input_schema(self.arguments, open_ended=self.open_ended)


def names(profile: str) -> tuple[str, ...]:
    """The single profiles that ``profile`` joins, in order. Errors: ``InvalidArgument``(field="profile")."""
    chosen = tuple(dict.fromkeys(part.strip() for part in profile.split(",") if part.strip())) or (DEFAULT,)
    for name in chosen:
        if name not in MODULES:
            raise InvalidArgument(field="profile", reason="not_a_choice", allowed=list(MODULES))
    return chosen


def load(profile: str) -> dict[str, Tool]:
    """The tools of ``profile`` by name. Errors: ``InvalidArgument``, also when two profiles share a tool's name."""
    return join({name: importlib.import_module(MODULES[name]).TOOLS for name in names(profile)})


def join(tables: Mapping[str, tuple[Tool, ...]]) -> dict[str, Tool]:
    """Tools of several profiles by name, in order. Errors: ``InvalidArgument`` where two differ under one name."""
    joined: dict[str, Tool] = {}
    owner: dict[str, str] = {}
    for profile, table in tables.items():
        for tool in table:
            if joined.setdefault(tool.name, tool) is not tool:
                pair = [owner[tool.name], profile]
                raise InvalidArgument(field="profile", reason="same_tool_name", tool=tool.name, profiles=pair)
            owner.setdefault(tool.name, profile)
    return joined
