"""``tasks.py run``: start Hupo, prove it through the real shim, say how to connect, stay up until told to stop.

The proof is ``hupo doctor``. Must not know how host, shim and doctor work: it starts them and passes on what they say.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from types import FrameType
from typing import Any

import environment

_START_LIMIT = 60.0
_STOP_LIMIT = 15.0


def run(arguments: Sequence[str]) -> int:
    """start Hupo and prove it (--once: end then; --data DIR: keep the data there)"""
    parser = argparse.ArgumentParser(prog="tasks.py run", description=run.__doc__)
    parser.add_argument("--once", action="store_true", help="end after the self-check; its exit code")
    parser.add_argument("--data", metavar="DIR", help="data directory instead of the usual one")
    options = parser.parse_args(arguments)
    data = [] if options.data is None else ["--data", os.path.abspath(options.data)]
    window = _may_show_window()
    environment.prepare()
    signal.signal(signal.SIGTERM, _interrupt)
    host = _start_host(data, window=window)
    try:
        status = _wait_until_ready(host, data)
        if status is None:
            environment.say("Hupo did not start")
            return 1
        environment.say("self-check through the shim")
        code = _app("doctor", *data)
        environment.say("self-check: every step OK" if code == 0 else "self-check FAILED")
        _explain(status, data)
        return code if options.once else _stay(host)
    except KeyboardInterrupt:
        return 0
    finally:
        _stop(host)


def _may_show_window() -> bool:
    """Whether there is a display and what Qt needs to use it; without the latter Hupo still serves."""
    if not environment.has_display():
        return False
    try:
        environment.prepare_qt()
    except environment.SetupFailed as trouble:
        environment.say(f"no window this time: {trouble}")
        return False
    return True


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _command(*words: str) -> list[str]:
    return [str(environment.python()), "-m", "app", *words]


def _app(*words: str) -> int:
    return subprocess.run(
        _command(*words), cwd=environment.ROOT, env=environment.child_environment(), check=False
    ).returncode


def _start_host(data: Sequence[str], *, window: bool) -> subprocess.Popen[bytes]:
    environment.say("starting Hupo" + ("" if window else " without a window (no display)"))
    # A session of its own: Ctrl+C reaches this program alone, which then ends the host in an orderly way.
    own_group: dict[str, Any] = (
        {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
        if os.name == "nt"
        else {"start_new_session": True}
    )
    return subprocess.Popen(
        _command(*([] if window else ["serve"]), *data),
        cwd=environment.ROOT,
        env=environment.child_environment(),
        stdin=subprocess.DEVNULL,
        **own_group,
    )


def _wait_until_ready(host: subprocess.Popen[bytes], data: Sequence[str]) -> dict[str, Any] | None:
    """What ``hupo status`` says once a host answers; None when none came up."""
    limit = time.monotonic() + _START_LIMIT
    while time.monotonic() < limit:
        gone = host.poll()
        asked = subprocess.run(
            _command("status", "--json", *data),
            cwd=environment.ROOT,
            env=environment.child_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        if asked.returncode == 0:
            if gone is not None:
                environment.say("Hupo was running already; checking that one")
            status = json.loads(asked.stdout)
            return status if isinstance(status, dict) else {}
        if gone is not None:
            return None
        time.sleep(0.2)
    return None


def _explain(status: dict[str, Any], data: Sequence[str]) -> None:
    """Where the data lies and what to write into a client's configuration."""
    entry = {"mcpServers": {"hupo": {"command": str(environment.script("hupo-mcp")), "args": ["mcp", *data]}}}
    print(f"\nData: {status.get('data', '?')}")
    print("\nTo connect an MCP client, put this into its configuration and restart it:\n")
    print(json.dumps(entry, ensure_ascii=False, indent=2), end="\n\n", flush=True)


def _stay(host: subprocess.Popen[bytes]) -> int:
    if host.poll() is not None:
        return 0
    environment.say("Hupo runs. Ctrl+C ends it.")
    return host.wait()


def _stop(host: subprocess.Popen[bytes]) -> None:
    if host.poll() is not None:
        return
    environment.say("stopping Hupo")
    if sys.platform == "win32":
        host.send_signal(signal.CTRL_BREAK_EVENT)
    else:
        host.terminate()
    try:
        host.wait(_STOP_LIMIT)
    except subprocess.TimeoutExpired:
        print("Hupo did not stop in time and was killed", file=sys.stderr)
        host.kill()
        host.wait()
