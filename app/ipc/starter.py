"""Starting the app for a client, so that it outlives the client.

Standard library only; ``subprocess`` is imported when it is needed, not before. Must not wait for the app.
"""

from __future__ import annotations

import json
import os
import sys

from app import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Windows creation flags by their documented values; the names exist in ``subprocess`` on Windows only.
_DETACHED_PROCESS = 0x00000008
_NEW_PROCESS_GROUP = 0x00000200
_BREAKAWAY_FROM_JOB = 0x01000000


def app_command(data: str, *words: str) -> list[str]:
    """The command line of this same Hupo with ``words``; ``HUPO_APP_COMMAND`` (a JSON list) replaces its start."""
    given = os.environ.get("HUPO_APP_COMMAND")
    if given:
        return [*json.loads(given), *words, "--data", data]
    if getattr(sys, "frozen", False):
        return [_frozen_app(), *words, "--data", data]
    return [sys.executable, "-X", "utf8", "-m", "app", *words, "--data", data]


def _frozen_app() -> str:
    """The windowed executable beside the console one, where the bundle has both."""
    folder, name = os.path.split(sys.executable)
    beside = os.path.join(folder, name.replace("hupo-mcp", "hupo"))
    return beside if os.path.exists(beside) else sys.executable


def environment() -> dict[str, str]:
    """This process's variables, and what lets a plain checkout find the package ``app`` from any directory."""
    variables = dict(os.environ)
    if not getattr(sys, "frozen", False):
        known = variables.get("PYTHONPATH")
        root = paths.project_directory()
        if root not in (known or "").split(os.pathsep):
            variables["PYTHONPATH"] = os.pathsep.join([root, known] if known else [root])
    return variables


def start(data: str) -> Any:
    """Start the tray app in the background (no window), apart from this process; returns its ``Popen``.

    Errors: ``OSError``, ``ValueError`` (a command that is no JSON list).
    """
    import subprocess

    command = app_command(data, "--background")
    common: dict[str, Any] = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "env": environment(),
        "cwd": paths.project_directory(),
    }
    if sys.platform != "win32":
        # A client ends the shim's whole process group; the app must be in another one.
        return subprocess.Popen(command, start_new_session=True, **common)
    detached = _DETACHED_PROCESS | _NEW_PROCESS_GROUP
    try:
        # Clients put the shim in a job that ends with it; leave the job where it lets us.
        return subprocess.Popen(command, creationflags=detached | _BREAKAWAY_FROM_JOB, **common)
    except OSError:
        return subprocess.Popen(command, creationflags=detached, **common)
