"""The endpoint file: how the running host can be reached, or that the user has quit it.

Written by the host alone (temp + rename, 0600), read by shims and the command line. Standard library only and
light: the shim imports it on every start. Must not speak to the host; ``hello.py`` does.
"""

from __future__ import annotations

import json
import os
import socket
import sys

from app import paths

RUNNING = "running"
QUIT = "quit"
# Another host takes over at once: shims wait for it as after a crash.
HANDOVER = "handover"
# sun_path holds 108 bytes on Linux and 104 on macOS; the rest is left as a margin.
LONGEST_SOCKET_PATH = 100


class Endpoint:
    """``address`` is "HOST:PORT" (tcp) or empty (unix: the path follows from the data directory).

    ``token`` is the shared secret (64 hex digits), ``at`` the time of writing in seconds: with ``pid`` it tells
    one run of the host from another.
    """

    __slots__ = ("address", "at", "pid", "state", "token", "transport", "version")

    def __init__(
        self, transport: str, address: str, token: str, pid: int, version: str, state: str = RUNNING, at: float = 0.0
    ) -> None:
        self.transport = transport
        self.address = address
        self.token = token
        self.pid = pid
        self.version = version
        self.state = state
        self.at = at

    @property
    def run(self) -> tuple[int, float, str]:
        """What is different for each run of the host and each of its states."""
        return self.pid, self.at, self.state


def read(data: str) -> Endpoint | None:
    """The endpoint in ``data``, or None when there is none that can be understood (missing, foreign, half)."""
    try:
        with open(paths.endpoint_file(data), "rb") as stream:
            found = json.loads(stream.read(65_536).decode("utf-8"))
        return Endpoint(
            str(found["transport"]),
            str(found["address"]),
            str(found["token"]),
            int(found["pid"]),
            str(found["version"]),
            str(found["state"]),
            float(found["at"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write(data: str, endpoint: Endpoint) -> None:
    """Replace the endpoint file in one step; only this user can read it. Errors: ``OSError``."""
    target = paths.endpoint_file(data)
    beside = f"{target}.{os.getpid()}.new"
    content = {name: getattr(endpoint, name) for name in Endpoint.__slots__}
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as stream:
            stream.write(json.dumps(content).encode("utf-8"))
        os.replace(beside, target)
    except OSError:
        if os.path.exists(beside):
            os.unlink(beside)
        raise


def mark_quit(data: str, pid: int, at: float) -> bool:
    """Say that host ``pid`` was ended on purpose; False when the file has become another host's meanwhile.

    The token is dropped: nothing that could be proven with it is left.
    """
    current = read(data)
    if current is not None and current.pid != pid:
        return False
    write(data, Endpoint("", "", "", pid, current.version if current else "", QUIT, at))
    return True


def preferred_transport(data: str, wish: str | None = None) -> str:
    """ "unix" or "tcp": ``wish``, else ``HUPO_TRANSPORT``, else unix sockets where there are any and the path fits."""
    asked = wish or os.environ.get("HUPO_TRANSPORT")
    if asked == "tcp" or sys.platform == "win32" or not hasattr(socket, "AF_UNIX"):
        return "tcp"
    if len(os.fsencode(paths.socket_file(data))) > LONGEST_SOCKET_PATH:
        return "tcp"
    return "unix"


def connect(data: str, endpoint: Endpoint, timeout: float) -> socket.socket:
    """A connected socket (nothing proven yet), blocking with ``timeout`` seconds. Errors: ``OSError``."""
    if endpoint.transport == "unix":
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        target: object = os.fsencode(paths.socket_file(data))
    elif endpoint.transport == "tcp":
        link = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        host, _, port = endpoint.address.rpartition(":")
        if host != "127.0.0.1" or not port.isdigit() or not 0 < int(port) < 65_536:
            link.close()
            raise ConnectionRefusedError(f"not a loopback address: {endpoint.address!r}")
        target = (host, int(port))
    else:
        raise ConnectionRefusedError(f"unknown transport: {endpoint.transport!r}")
    try:
        link.settimeout(timeout)
        link.connect(target)  # type: ignore[arg-type]
        if endpoint.transport == "tcp":
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except BaseException:
        link.close()
        raise
    return link
