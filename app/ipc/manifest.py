"""What the shim may answer while the app is not there: the handshake, the tools, ping, in both protocol eras.

Standard library only and light. The manifest's shape is made by ``app/mcp/manifest.py``; this module only reads
it. Holds what the client has said so far (its handshake), and must not know of sockets or processes.
"""

from __future__ import annotations

import json

from app import paths
from app.ipc import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from app.ipc.lines import Json, Message

ENVELOPE = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
FORMAT = 1
UNSUPPORTED_VERSION = -32022
# Requests that only the app can answer, by the capability under which they exist.
_BY_CAPABILITY = {
    "tools": ("tools/call",),
    "resources": ("resources/",),
    "prompts": ("prompts/",),
    "completions": ("completion/",),
    "logging": ("logging/",),
}


class UnknownProfile(Exception):
    """No manifest for a profile; the argument names it."""


def load(data: str, profiles: str) -> Json:
    """The manifest of ``profiles`` ("core" or joined "core,conversation"). Errors: :class:`UnknownProfile`."""
    joined: Json = {}
    for profile in profiles.split(","):
        one = _first_readable(data, profile.strip())
        if joined:
            joined["tools"] = [*joined["tools"], *one["tools"]]
        else:
            joined = one
    return joined


def _first_readable(data: str, profile: str) -> Json:
    if not profile.replace("-", "").replace("_", "").isalnum():
        raise UnknownProfile(profile)
    for path in paths.manifest_files(data, profile):
        try:
            with open(path, "rb") as stream:
                found: Json = json.loads(stream.read().decode("utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(found, dict) and found.get("format") == FORMAT:
            return found
    raise UnknownProfile(profile)


class Stand:
    """Stands in for the app towards one client: keeps its handshake, answers what needs no memory."""

    def __init__(self, manifest: Json) -> None:
        self._manifest = manifest
        # The client's own handshake, kept for the replay.
        self.initialize: Any = None
        self.initialized = False
        self._envelope: Json | None = None
        self.listed: str | None = None

    def note(self, message: Message) -> None:
        """Keep what a later answer or replay depends on, whoever answers this message."""
        if message.method == "initialize" and message.kind == "request" and _well_formed(message.params):
            self.initialize = message.params
            self.initialized = False
        elif message.method == "notifications/initialized" and message.kind == "notification":
            self.initialized = True
        elif message.kind == "request" and message.method != "initialize":
            meta = _meta(message)
            if meta is not None and ENVELOPE in meta:
                self._envelope = {name: meta[name] for name in (ENVELOPE, CAPABILITIES, CLIENT_INFO) if name in meta}

    def stateless(self, message: Message) -> bool:
        """Whether a request belongs to the era without a handshake."""
        if message.method == "initialize":
            return False
        meta = _meta(message)
        if meta is not None and ENVELOPE in meta:
            return True
        return self._envelope is not None and self.initialize is None

    def answer(self, message: Message) -> Json | None:
        """The whole answer to a request, or None where only the app can tell."""
        if message.kind == "invalid":
            text = "Parse error" if message.error == lines.PARSE_ERROR else "Invalid Request"
            return lines.error(message.id, message.error, text)
        if message.params is None and message.method == "tools/call":
            return None  # a big call of which only the head was read
        if self.stateless(message):
            return self._stateless(message)
        return self._handshake(message)

    def trouble(self, message: Message, code: str) -> Json:
        """The answer to a request that the app can not answer: a tool error where a tool was called."""
        report = self._manifest["errors"][code]
        if message.method == "tools/call":
            if self.stateless(message):
                return lines.result(message.id, {**report, **self._manifest["stateless"]["envelope"]})
            return lines.result(message.id, {key: part for key, part in report.items() if key != "resultType"})
        text = report["content"][0]["text"]
        return lines.error(message.id, lines.INTERNAL_ERROR, text, {"code": code})

    def replay(self, identifier: str) -> Json | None:
        """The client's initialize under an id of ours, or None when there was none."""
        if self.initialize is None:
            return None
        return {"jsonrpc": "2.0", "id": identifier, "method": "initialize", "params": self.initialize}

    def list_request(self, identifier: str) -> Json | None:
        """Ask the app for its tools; None where the client never saw a list or could not be told of a change.

        Without a handshake there is no way to tell (and no need: such lists carry their own time to live).
        """
        if self.listed is None or self.initialize is None:
            return None
        return {"jsonrpc": "2.0", "id": identifier, "method": "tools/list"}

    def saw_list(self, tools: Any) -> bool:
        """Note the list the client has; True when it had another one before."""
        now = json.dumps(tools, sort_keys=True)
        changed = self.listed is not None and self.listed != now
        self.listed = now
        return changed

    def _handshake(self, message: Message) -> Json | None:
        if message.method == "initialize":
            if not _well_formed(message.params):
                return _invalid(message)
            shake = self._manifest["handshake"]
            asked = message.params["protocolVersion"]
            version = asked if asked in shake["versions"] else shake["latest"]
            return lines.result(message.id, {"protocolVersion": version, **shake["initialize"]})
        if message.method == "ping":
            return lines.result(message.id, {})
        if message.method == "tools/list":
            if self.initialize is None and not self.initialized:
                return _invalid(message)
            self.saw_list(self._manifest["tools"])
            return lines.result(message.id, {"tools": self._manifest["tools"]})
        if self._only_app(message.method, self._manifest["handshake"]["initialize"]["capabilities"]):
            return None
        return lines.error(message.id, lines.METHOD_NOT_FOUND, "Method not found", message.method)

    def _stateless(self, message: Message) -> Json | None:
        part = self._manifest["stateless"]
        meta = _meta(message) or {}
        missing = [name for name in (ENVELOPE, CAPABILITIES) if name not in meta]
        if missing:
            text = f"params._meta is missing the required envelope key(s): {', '.join(missing)}"
            return lines.error(message.id, lines.INVALID_PARAMS, text)
        version = meta[ENVELOPE]
        if not isinstance(version, str):
            text = "the protocol-version envelope value must be a string"
            return lines.error(message.id, lines.INVALID_PARAMS, text)
        if version not in part["versions"]:
            wrong = {"supported": part["versions"], "requested": version}
            return lines.error(message.id, UNSUPPORTED_VERSION, "Unsupported protocol version", wrong)
        if message.method == "server/discover":
            return lines.result(message.id, part["discover"])
        if message.method == "tools/list":
            tools = self._manifest["tools"]
            return lines.result(message.id, {"tools": tools, **part["cache"], **part["envelope"]})
        if message.method != "logging/setLevel" and self._only_app(message.method, part["discover"]["capabilities"]):
            return None
        return lines.error(message.id, lines.METHOD_NOT_FOUND, "Method not found", message.method)

    @staticmethod
    def _only_app(method: str, capabilities: Json) -> bool:
        return any(method.startswith(starts) for name, starts in _BY_CAPABILITY.items() if name in capabilities)


def _invalid(message: Message) -> Json:
    return lines.error(message.id, lines.INVALID_PARAMS, "Invalid request parameters", "")


def _meta(message: Message) -> Json | None:
    meta = message.params.get("_meta") if isinstance(message.params, dict) else None
    return meta if isinstance(meta, dict) else None


def _well_formed(params: Any) -> bool:
    """Whether these are the params of an initialize that the app would take."""
    if not isinstance(params, dict):
        return False
    client = params.get("clientInfo")
    return (
        isinstance(params.get("protocolVersion"), str)
        and isinstance(params.get("capabilities"), dict)
        and isinstance(client, dict)
        and isinstance(client.get("name"), str)
        and isinstance(client.get("version"), str)
    )
