"""The stdio shim: what an MCP client starts. Lines in, lines out; the app does the work.

Two threads: this module reads the client (main thread), ``link.py`` keeps the connection to the app. Standard
library only, no asyncio, no file writes, nothing on stdout but JSON-RPC lines. Until the app is there it answers
from the manifest, lets tool calls wait, and never lets a client hang. Ends with ``os._exit`` on end of input.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time

from app import __version__, paths
from app.ipc import lines
from app.ipc.manifest import Stand, UnknownProfile, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Never

    from app.ipc.lines import Json, Message
    from app.ipc.link import Link

UP, AWAY, CLOSED = "up", "away", "closed"
WAIT_SECONDS = 30.0
_CHUNK = 256 * 1024
_USAGE = "usage: hupo mcp [--profile NAME[,NAME]] [--data DIR] [--wait SECONDS] [--no-start]"


class Output:
    """The client's end: whole lines, one writer at a time. When nobody reads any more, so ends the process."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._lock = threading.Lock()

    def write(self, data: bytes) -> None:
        """All of ``data`` (whole lines)."""
        with self._lock:
            view = memoryview(data)
            try:
                while view:
                    view = view[os.write(self._handle, view) :]
            except OSError:
                os._exit(0)

    def leave(self) -> Never:
        """End the process once no line is half written (bounded: a client may have stopped reading)."""
        self._lock.acquire(timeout=0.3)
        os._exit(0)


class Waiting:
    """A line that needs the app, until ``deadline`` on the monotonic clock."""

    __slots__ = ("deadline", "line", "message")

    def __init__(self, line: bytes, message: Message, deadline: float) -> None:
        self.line = line
        self.message = message
        self.deadline = deadline


class Shim:
    """The state both threads share, under one lock; each method may be called by either."""

    def __init__(self, stand: Stand, output: Output, wait_seconds: float) -> None:
        self.stand = stand
        self.output = output
        self._wait_seconds = wait_seconds
        self._changed = threading.Condition(threading.RLock())
        self._state = AWAY
        self._link: Link | None = None
        self._waiting: dict[str, Waiting] = {}
        self._in_flight: dict[str, Message] = {}
        self._asked: dict[str, object] = {}
        self._swallow: set[str] = set()
        self._watched = False
        # Set when a client wants the app: the link then looks more often.
        self.wanted = threading.Event()

    # -- the client's side -------------------------------------------------------------------------------------

    def from_client(self, line: bytes) -> None:
        """Pass one line on to the app, answer it, or let it wait."""
        message = lines.read(line)
        with self._changed:
            self.stand.note(message)
            if self._state == UP:
                self._pass_on(line, message)
                return
            answer = self._away(line, message)
        if answer is not None:
            self.output.write(lines.encode(answer))

    def _pass_on(self, line: bytes, message: Message) -> None:
        if message.kind == "request":
            self._in_flight[message.key] = message
        elif message.kind == "response" and self._asked.pop(message.key, None) is None:
            return  # the answer to a question of an app that is gone
        elif message.method == "notifications/cancelled" and isinstance(message.params, dict):
            self._in_flight.pop(lines.key_of(message.params.get("requestId")), None)
        if self._link is not None:
            self._link.send(line + b"\n")

    def _away(self, line: bytes, message: Message) -> Json | None:
        """The answer while there is no app; None where there is none (yet)."""
        if message.kind == "notification":
            if message.method == "notifications/cancelled" and isinstance(message.params, dict):
                self._waiting.pop(lines.key_of(message.params.get("requestId")), None)
            return None
        if message.kind == "response":
            return None
        answer = self.stand.answer(message)
        if answer is not None:
            return answer
        self.wanted.set()
        if self._state == CLOSED:
            return self.stand.trouble(message, "app_closed")
        self._waiting[message.key] = Waiting(line, message, time.monotonic() + self._wait_seconds)
        if not self._watched:
            self._watched = True
            threading.Thread(target=self._watch, name="waiting", daemon=True).start()
        self._changed.notify_all()
        return None

    def _watch(self) -> None:
        """Answer what has waited too long."""
        while True:
            with self._changed:
                now = time.monotonic()
                late = [entry for entry in self._waiting.values() if entry.deadline <= now]
                for entry in late:
                    del self._waiting[entry.message.key]
                if not late:
                    soonest = min((entry.deadline for entry in self._waiting.values()), default=None)
                    self._changed.wait(None if soonest is None else soonest - now)
            self._answer([entry.message for entry in late], "app_unreachable")

    def _answer(self, messages: list[Message], code: str) -> None:
        for message in messages:
            self.output.write(lines.encode(self.stand.trouble(message, code)))

    # -- the link's side ---------------------------------------------------------------------------------------

    def handshake(self) -> object:
        """The handshake as it now stands, to be compared with what was replayed."""
        return self.stand.initialize

    def goes_up(self, link: Link, replayed: object) -> bool:
        """The app is ready; False when the client has made another handshake meanwhile (replay that first)."""
        with self._changed:
            if self.stand.initialize is not replayed:
                return False
            self._link = link
            self._state = UP
            self.wanted.clear()
            if self.stand.initialized and replayed is not None:
                link.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
            for entry in self._waiting.values():
                self._in_flight[entry.message.key] = entry.message
                link.send(entry.line + b"\n")
            self._waiting.clear()
            self._ask_for_list(link)
            self._changed.notify_all()
        return True

    def _ask_for_list(self, link: Link) -> None:
        identifier = link.fresh_id()
        request = self.stand.list_request(identifier)
        if request is not None:
            self._swallow.add(lines.key_of(identifier))
            link.send(lines.encode(request))

    def from_app(self, received: list[bytes]) -> None:
        """Pass the app's lines on to the client, but for answers to the shim's own questions."""
        passed: list[bytes] = []
        for line in received:
            message = lines.read(line, head_first=True)
            with self._changed:
                if self._keeps(line, message, passed):
                    continue
            passed.append(line)
        if passed:
            self.output.write(b"\n".join(passed) + b"\n")

    def _keeps(self, line: bytes, message: Message, passed: list[bytes]) -> bool:
        if message.kind == "request":
            self._asked[message.key] = message.id
        if message.kind != "response":
            return False
        if message.key in self._swallow:
            self._swallow.discard(message.key)
            tools = _tools(line)
            if tools is not None and self.stand.saw_list(tools):
                passed.append(b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')
            return True
        asked = self._in_flight.pop(message.key, None)
        if asked is not None and asked.method == "tools/list":
            tools = _tools(line)
            if tools is not None:
                self.stand.saw_list(tools)
        return False

    def goes_down(self, closed: bool) -> None:
        """The app is gone: every request it owed an answer gets one, what a person closed says so."""
        with self._changed:
            self._link = None
            self._state = CLOSED if closed else AWAY
            lost = list(self._in_flight.values())
            self._in_flight.clear()
            self._swallow.clear()
            asked = list(self._asked.values())
            self._asked.clear()
            answers = [self.stand.answer(message) or self.stand.trouble(message, "restarted") for message in lost]
        for identifier in asked:
            params = {"requestId": identifier, "reason": "the app is gone"}
            answers.append({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
        for answer in answers:
            self.output.write(lines.encode(answer))
        if closed:
            self.give_up("app_closed")

    def settle(self, closed: bool) -> None:
        """No host answers now; ``closed``: because the user quit it."""
        with self._changed:
            was, self._state = self._state, CLOSED if closed else AWAY
        if closed and was != CLOSED:
            self.give_up("app_closed")

    def give_up(self, code: str) -> None:
        """Answer everything that waits: the app will not come."""
        with self._changed:
            waiting = [entry.message for entry in self._waiting.values()]
            self._waiting.clear()
        self._answer(waiting, code)

    def has_waiting(self) -> bool:
        """Whether a client waits for the app."""
        with self._changed:
            return bool(self._waiting)


def _tools(line: bytes) -> object:
    """The tools of a tools/list answer that is complete in one page, else None."""
    try:
        found = json.loads(line)["result"]
        return None if found.get("nextCursor") else found["tools"]
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _arguments(words: list[str]) -> dict[str, str]:
    """The options by name; raises ``ValueError`` with what is wrong."""
    options = {"profile": "core", "data": "", "wait": "", "no-start": ""}
    rest = list(words)
    while rest:
        word, equals, value = rest.pop(0).partition("=")
        name = word.removeprefix("--")
        if not word.startswith("--") or name not in options:
            raise ValueError(f"unknown argument: {word}")
        if name == "no-start":
            value = "yes"
        elif not equals:
            if not rest:
                raise ValueError(f"{word} needs a value")
            value = rest.pop(0)
        options[name] = value
    return options


def _pump(shim: Shim) -> None:
    """Read the client to its end."""
    splitter = lines.Splitter()
    too_long = 0
    while True:
        try:
            chunk = os.read(0, _CHUNK)
        except OSError:
            return
        if not chunk:
            return
        for line in splitter.feed(chunk):
            shim.from_client(line)
        if splitter.too_long > too_long:
            too_long = splitter.too_long
            text = f"Message longer than {lines.LONGEST_LINE} bytes"
            shim.output.write(lines.encode(lines.error(None, lines.INVALID_REQUEST, text)))


def _keep_link(shim: Shim, data: str, profile: str, may_start: bool) -> None:
    """The second thread; its imports (sockets) need not delay the first answer."""
    from app.ipc.link import Link

    Link(shim, data, profile, __version__, may_start).run()


def main(words: list[str]) -> int:
    """Run the shim; returns only for a usage error (2)."""
    if "--help" in words or "-h" in words:
        print(_USAGE, file=sys.stderr)
        return 0
    try:
        options = _arguments(words)
        wait = float(options["wait"] or os.environ.get("HUPO_WAIT_SECONDS") or WAIT_SECONDS)
        data = paths.data_directory(options["data"] or None)
        stand = Stand(load(data, options["profile"]))
    except UnknownProfile as unknown:
        print(f"hupo mcp: there is no profile {unknown}", file=sys.stderr)
        return 2
    except ValueError as wrong:
        print(f"hupo mcp: {wrong}\n{_USAGE}", file=sys.stderr)
        return 2
    if sys.platform == "win32":
        import msvcrt

        for handle in (0, 1):
            msvcrt.setmode(handle, os.O_BINARY)
    output = Output(1)
    shim = Shim(stand, output, wait)
    may_start = not (options["no-start"] or os.environ.get("HUPO_NO_START"))
    threading.Thread(
        target=_keep_link, args=(shim, data, options["profile"], may_start), name="link", daemon=True
    ).start()
    try:
        _pump(shim)
    except KeyboardInterrupt:
        return output.leave()
    output.leave()
