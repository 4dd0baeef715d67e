"""The manifest of a profile: what the shim answers by itself while the app is not there yet.

``python -m app.mcp.manifest`` writes ``resources/manifests/<profile>.json`` for every profile. It is made from what
a real session answers, never by hand; the shim reads the file without importing any of this.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    PROTOCOL_VERSION_META_KEY,
    SERVER_INFO_META_KEY,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS

from app import __version__
from app.mcp import profiles, replies
from app.mcp.server import McpSide
from engine.config import Settings

FORMAT = 1
DIRECTORY = Path(__file__).resolve().parents[2] / "resources" / "manifests"


async def build(side: McpSide, profile: str = profiles.DEFAULT) -> dict[str, Any]:
    """Ask a real session of ``side`` in both protocol eras and put its answers in the manifest's shape."""
    meta: dict[str, Any] = {PROTOCOL_VERSION_META_KEY: MODERN_PROTOCOL_VERSIONS[-1], CLIENT_CAPABILITIES_META_KEY: {}}
    hello: dict[str, Any] = {
        "protocolVersion": LATEST_HANDSHAKE_VERSION,
        "capabilities": {},
        "clientInfo": {"name": "manifest", "version": "0"},
    }
    requests: list[tuple[str, dict[str, Any]]] = [
        ("initialize", hello),
        ("tools/list", {}),
        ("server/discover", {"_meta": meta}),
        ("tools/list", {"_meta": meta}),
    ]
    initialize, tools, discover, stateless_tools = await _ask(side, profile, requests)
    if tools["tools"] != stateless_tools["tools"]:
        raise AssertionError("the two eras list different tools")
    initialize.pop("protocolVersion")
    return {
        "format": FORMAT,
        "profile": profile,
        "version": initialize["serverInfo"]["version"],
        "handshake": {
            "versions": list(HANDSHAKE_PROTOCOL_VERSIONS),
            "latest": LATEST_HANDSHAKE_VERSION,
            "initialize": initialize,
        },
        "stateless": {
            "versions": list(MODERN_PROTOCOL_VERSIONS),
            "discover": discover,
            "envelope": {
                "resultType": "complete",
                "_meta": {SERVER_INFO_META_KEY: discover["_meta"][SERVER_INFO_META_KEY]},
            },
            "cache": {key: stateless_tools[key] for key in ("ttlMs", "cacheScope")},
        },
        "tools": tools["tools"],
        "errors": {code: _error(code) for code in replies.SHIM_CODES},
    }


def text_of(manifest: Mapping[str, Any]) -> str:
    """The file's text: small, UTF-8 as it is, one tool a line so that changes can be read."""
    lines = [f"{json.dumps(key)}: {_dump(value)}" for key, value in manifest.items() if key != "tools"]
    tools = ",\n".join(_dump(tool) for tool in manifest["tools"])
    return "{\n" + ",\n".join([*lines, f'"tools": [\n{tools}\n]']) + "\n}\n"


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _error(code: str) -> dict[str, Any]:
    return replies.failed(code, {}).model_dump(by_alias=True, mode="json", exclude_none=True)


async def _ask(side: McpSide, profile: str, requests: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """The results of ``requests`` from one session over a socket pair."""
    here, there = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=here)
    theirs = await asyncio.open_connection(sock=there)
    session = asyncio.create_task(side.session(*theirs, profile, "manifest"))
    results: list[dict[str, Any]] = []
    try:
        for number, (method, params) in enumerate(requests):
            request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            writer.write(json.dumps(request).encode("utf-8") + b"\n")
            answer = json.loads(await asyncio.wait_for(reader.readline(), 10))
            results.append(answer["result"])
    finally:
        for end in (writer, theirs[1]):
            end.close()
        await session
        await asyncio.gather(writer.wait_closed(), theirs[1].wait_closed())
    return results


def main(version: str) -> None:
    """Write the manifests of all profiles. The tools are listed without a store, so none is opened."""
    side = McpSide(cast(Any, None), Settings(), version)
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    for profile in profiles.MODULES:
        target = DIRECTORY / f"{profile}.json"
        target.write_text(text_of(asyncio.run(build(side, profile))), encoding="utf-8", newline="\n")
        print(target.name, target.stat().st_size, file=sys.stderr)


if __name__ == "__main__":
    main(__version__)
