"""The shim's connection to the app: finding it, starting it, greeting it, pumping, and coming back after a loss.

Runs in one thread of the shim. Standard library only. Must not decide what a client is told; ``shim.py`` does.
"""

from __future__ import annotations

import os
import select
import socket
import threading
import time

from app.ipc import endpoint, hello, lines, starter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from app.ipc.manifest import Stand

    class Front(Protocol):
        """The client's side of the shim, as the link needs it (``shim.Shim``)."""

        stand: Stand
        wanted: threading.Event

        def has_waiting(self) -> bool: ...
        def settle(self, closed: bool) -> None: ...
        def give_up(self, code: str) -> None: ...
        def handshake(self) -> object: ...
        def goes_up(self, link: Link, replayed: object) -> bool: ...
        def goes_down(self, closed: bool) -> None: ...
        def from_app(self, received: list[bytes]) -> None: ...


_CHUNK = 256 * 1024
_FIRST_PAUSE = 0.02
# While an app may be coming up, and when nothing points to one (a waiting call ends any pause).
_COMING_PAUSE, _IDLE_PAUSE = 0.08, 0.5
_COMING_SECONDS = 20.0
_DROPPED_PAUSE = 1.0
# After a loss somebody else (a person, an update) may bring the app back; only then does a waiting call start it.
_RESTART_AFTER = 3.0
_STARTS_APART = 5.0
_REPLAY_SECONDS = 10.0
# Bytes for an app that does not read; beyond, the client is made to wait.
_MOST_BACKLOG = 256 * 1024 * 1024


class Link:
    """One shim's way to the app, for the whole life of the shim."""

    def __init__(self, front: Front, data: str, profile: str, version: str, may_start: bool) -> None:
        self._front = front
        self._data = data
        self._profile = profile
        self._version = version
        self._may_start = may_start
        self._client = f"shim/{os.getpid()}"
        self._socket: socket.socket | None = None
        self._backlog = bytearray()
        self._room = threading.Condition()
        self._waker: socket.socket | None = None
        self._count = 0
        self._child: Any = None
        # From the start of the child until a connection was made: only then does its end mean that it can not start.
        self._starting = False
        self._started_at: float | None = None
        self._lost_at: float | None = None
        self._said = ""
        self._refused = False
        # A quit that lies before this shim's start does not bind it: a new client starts the app.
        before = endpoint.read(data)
        self._old_run = before.run if before is not None else None

    def fresh_id(self) -> str:
        """An id that no client uses."""
        self._count += 1
        return f"hupo-replay-{self._count}"

    def run(self) -> None:
        """Connect, pump, come back; never returns."""
        pause = 0.0
        while True:
            connection, rest = self._connect()
            began = time.monotonic()
            self._pump(connection, rest)
            self._lost_at = time.monotonic()
            self._front.goes_down(self._closed_by_user(endpoint.read(self._data)))
            # A host that takes a session and drops it again at once must not be called in a tight loop.
            pause = min(pause * 2 + _FIRST_PAUSE, _DROPPED_PAUSE) if self._lost_at - began < _DROPPED_PAUSE else 0.0
            time.sleep(pause)

    # -- sending -----------------------------------------------------------------------------------------------

    def send(self, data: bytes) -> None:
        """Hand ``data`` to the app; what the socket does not take at once follows from the link's own thread."""
        with self._room:
            if self._socket is None:
                return
            sent = 0
            if not self._backlog:
                try:
                    sent = self._socket.send(data)
                except BlockingIOError:
                    sent = 0
                except OSError:
                    return  # the reading side sees the loss and answers for this request
            if sent < len(data):
                self._backlog += memoryview(data)[sent:]
                self._wake()
            while len(self._backlog) > _MOST_BACKLOG and self._socket is not None:
                self._room.wait()

    def _wake(self) -> None:
        if self._waker is not None:
            try:
                self._waker.send(b"!")
            except BlockingIOError:
                return  # it is awake already

    # -- finding the app ---------------------------------------------------------------------------------------

    def _connect(self) -> tuple[socket.socket, bytes]:
        """A greeted connection, however long it takes; starts the app where it should."""
        pause = _FIRST_PAUSE
        while True:
            found = endpoint.read(self._data)
            if found is not None and found.state == endpoint.RUNNING:
                greeted = self._greet(found)
                if greeted is not None:
                    return greeted
            closed = self._closed_by_user(found)
            self._front.settle(closed)
            if not closed:
                self._start_if_due()
            if self._front.wanted.wait(pause):
                self._front.wanted.clear()
                pause = _FIRST_PAUSE
                time.sleep(_FIRST_PAUSE)
            # A host that is there and refuses is asked less often than one that may appear at any moment.
            coming = self._may_be_coming() and not self._refused
            pause = min(pause * 1.3, _COMING_PAUSE if coming else _IDLE_PAUSE)

    def _may_be_coming(self) -> bool:
        last = max(self._started_at or 0.0, self._lost_at or 0.0)
        return self._front.has_waiting() or (last > 0.0 and time.monotonic() - last < _COMING_SECONDS)

    def _closed_by_user(self, found: endpoint.Endpoint | None) -> bool:
        if found is None or found.state != endpoint.QUIT:
            return False
        return found.run != self._old_run or not self._may_start

    def _greet(self, found: endpoint.Endpoint) -> tuple[socket.socket, bytes] | None:
        connection = None
        self._refused = False
        try:
            connection = endpoint.connect(self._data, found, hello.SECONDS)
            _, rest = hello.greet(
                connection,
                found.token,
                purpose="mcp",
                client=self._client,
                version=self._version,
                profile=self._profile,
            )
            return connection, rest
        except (OSError, hello.HelloFailed) as trouble:
            self._refused = isinstance(trouble, hello.HelloFailed)
            self._say(f"no connection to the app yet: {trouble}")
            if connection is not None:
                connection.close()
            return None

    def _start_if_due(self) -> None:
        now = time.monotonic()
        if self._child is not None and self._child.poll() is not None:
            code, self._child = self._child.returncode, None
            if code != 0 and self._starting:
                self._say(f"the app ended with code {code} while starting; its log file in {self._data} says why")
                self._front.give_up("app_unreachable")
        if not self._may_start or self._child is not None:
            return
        if self._started_at is not None or self._lost_at is not None:
            if not self._front.has_waiting():
                return
            if self._started_at is not None and now - self._started_at < _STARTS_APART:
                return
            if self._lost_at is not None and now - self._lost_at < _RESTART_AFTER:
                return
        self._started_at = now
        try:
            self._child = starter.start(self._data)
            self._starting = True
        except (OSError, ValueError) as trouble:
            self._say(f"the app can not be started: {trouble}")
            self._front.give_up("app_unreachable")

    def _say(self, text: str) -> None:
        """A line on stderr, once in a row."""
        if text != self._said:
            self._said = text
            try:
                os.write(2, f"hupo mcp: {text}\n".encode("utf-8", "backslashreplace"))
            except OSError:
                self._said = ""  # nobody reads stderr; nothing else depends on it

    # -- pumping -----------------------------------------------------------------------------------------------

    def _pump(self, connection: socket.socket, rest: bytes) -> None:
        """From the replay to the loss of ``connection``."""
        splitter = lines.Splitter()
        wake_in, wake_out = socket.socketpair()
        wake_in.setblocking(False)
        wake_out.setblocking(False)
        connection.setblocking(False)
        with self._room:
            self._socket, self._waker = connection, wake_out
            self._backlog.clear()
        try:
            received = splitter.feed(rest)
            if self._replay(connection, splitter, received):
                self._said = ""
                self._starting = False
                self._front.from_app(received)
                while (chunk := self._receive(connection, wake_in, None)) is not None:
                    self._front.from_app(splitter.feed(chunk))
        finally:
            with self._room:
                self._socket = self._waker = None
                self._room.notify_all()
            for one in (connection, wake_in, wake_out):
                one.close()

    def _replay(self, connection: socket.socket, splitter: lines.Splitter, received: list[bytes]) -> bool:
        """Repeat the client's handshake to the app, swallow the answer; False when the connection went first."""
        while True:
            shake = self._front.handshake()
            identifier = self.fresh_id()
            request = self._front.stand.replay(identifier)
            if request is not None:
                self.send(lines.encode(request))
                if not self._swallow(connection, splitter, received, lines.key_of(identifier)):
                    return False
            if self._front.goes_up(self, shake):
                return True

    def _swallow(self, connection: socket.socket, splitter: lines.Splitter, received: list[bytes], key: str) -> bool:
        """Read until the answer named ``key``; what else came stays in ``received``."""
        deadline = time.monotonic() + _REPLAY_SECONDS
        while True:
            for position, line in enumerate(received):
                message = lines.read(line, head_first=True)
                if message.kind == "response" and message.key == key:
                    del received[position]
                    return True
            left = deadline - time.monotonic()
            chunk = self._receive(connection, None, left) if left > 0 else None
            if chunk is None:
                self._say("the app did not take up the session")
                return False
            received += splitter.feed(chunk)

    def _receive(self, connection: socket.socket, wake: socket.socket | None, seconds: float | None) -> bytes | None:
        """The next bytes, sending what is left over meanwhile; None at the end or after ``seconds``."""
        reading = [connection] if wake is None else [connection, wake]
        deadline = None if seconds is None else time.monotonic() + seconds
        while True:
            with self._room:
                writing = [connection] if self._backlog else []
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return None
            readable, writable, _ = select.select(reading, writing, [], left)
            try:
                if wake is not None and wake in readable:
                    wake.recv(4096)
                if writable:
                    self._send_rest(connection)
                if connection in readable:
                    return connection.recv(_CHUNK) or None
            except BlockingIOError:
                continue
            except OSError:
                return None

    def _send_rest(self, connection: socket.socket) -> None:
        with self._room:
            with memoryview(self._backlog) as view:
                sent = connection.send(view[: 1024 * 1024])
            del self._backlog[:sent]
            if not self._backlog:
                self._room.notify_all()
